/* Ray queries as loops over the nodes of a tree. What a query is and what Vulkan's rules make of a node is the same
 * everywhere (lower_rays.c, lower_rays_walk.c); what a node looks like and how a ray is tested against it is the
 * machine's, which tells it by the functions below and has a pass that calls lower_rays.
 *
 * A structure is a tree of boxes, four to a node; its leaves are triangles, boxes with something in them that the
 * program knows, or instances of other structures. A reference of 32 bits names a node of a structure. */
#ifndef COMPILER_LOWER_LOWER_RAYS_H
#define COMPILER_LOWER_LOWER_RAYS_H

#include "compiler/ir/ir_builder.h"

enum lower_rays_kind {
    LOWER_RAYS_BOXES,
    LOWER_RAYS_TRIANGLE,
    LOWER_RAYS_BOX, /* a leaf */
    LOWER_RAYS_INSTANCE,
};

struct lower_rays_ray {
    struct ir_value *t; /* the greatest distance */
    struct ir_value *origin[3], *direction[3], *inverse[3];
};

/* Where a ray meets a triangle. The side is above zero where the corners are seen clockwise; a miss has a distance
 * that is infinite or no number. */
struct lower_rays_meeting {
    struct ir_value *t, *u, *v, *side;
};

struct lower_rays_leaf {
    struct ir_value *primitive, *geometry;
    struct ir_value *is_opaque; /* 1 bit: as the geometry has it */
};

struct lower_rays_instance {
    struct ir_value *world_to_object[12]; /* three rows of four */
    struct ir_value *structure;           /* an address */
    struct ir_value *mask;                /* eight bits */
    struct ir_value *flags;               /* VkGeometryInstanceFlagsKHR */
};

struct lower_rays_machine {
    uint32_t root, none;     /* references: where every structure begins; no node */
    uint32_t max_references; /* that are to be visited later, at most, in both levels */

    /* The number by which the functions below know a structure, 64 bits, from its address. */
    struct ir_value *(*base)(struct ir_builder *b, struct ir_value *structure);
    struct ir_value *(*is_kind)(struct ir_builder *b, struct ir_value *reference, enum lower_rays_kind kind);
    /* Four words. Of boxes: references of those that the ray meets, nearer ones first, then `none`. Of a triangle: what
     * `meeting` understands. Of others: anything, and nothing is read. */
    struct ir_value *(*test)(struct ir_builder *b, struct ir_value *base, struct ir_value *reference,
                             const struct lower_rays_ray *ray);
    void (*meeting)(struct ir_builder *b, struct ir_value *words, struct lower_rays_meeting *out);
    void (*leaf)(struct ir_builder *b, struct ir_value *base, struct ir_value *reference, struct lower_rays_leaf *out);
    void (*instance)(struct ir_builder *b, struct ir_value *base, struct ir_value *reference,
                     struct lower_rays_instance *out);
    /* custom_index, instance_id and sbt_offset of an instance, object_to_world by rows; vertices of a triangle; the
     * address of either (instance, leaf). */
    void (*value)(struct ir_builder *b, struct ir_value *base, struct ir_value *reference, enum ir_ray_value value,
                  struct ir_value *out[12]);
};

bool lower_rays(struct ir_shader *shader, const struct lower_rays_machine *machine);

#endif
