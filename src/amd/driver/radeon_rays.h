/* Acceleration structures: how one is laid out and built. compiler/ray_layout.h says what is in memory.
 *
 *     inputs ─▶ leaves and their boxes ─▶ keys ─▶ sorted keys ─▶ boxes of four leaves ─▶ boxes of four boxes ─▶ … root
 *               radeon_rays_leaf.c        radeon_rays_boxes.c, vk_meta_sort.c
 *
 * Leaves stand in the order of the primitives, so that an update finds them. The tree over them is of one shape for a
 * number of leaves: those that follow each other along a space-filling curve are taken by fours, and their boxes by
 * fours again. Where every node is, is known when commands are recorded; the shaders only fill it in. Primitives that
 * are not active have leaves that nothing refers to. */
#ifndef AMD_DRIVER_RADEON_RAYS_H
#define AMD_DRIVER_RADEON_RAYS_H

#include "amd/compiler/ray_layout.h"
#include "amd/driver/radeon_cmd.h"
#include "vulkan/runtime/memory/vk_acceleration_structure.h"

/* ---- radeon_rays_plan.c: where everything is ---- */

struct radeon_rays_level {
    uint32_t count;    /* nodes */
    uint64_t offset_B; /* of the first one, from the header */
};

struct radeon_rays_plan {
    VkAccelerationStructureTypeKHR type; /* top or bottom */
    uint32_t leaf_kind, leaf_B, leaves;
    uint32_t num_levels;                             /* of boxes, at least one */
    struct radeon_rays_level levels[RAY_MAX_LEVELS]; /* from the leaves' parents to the root */
    uint64_t leaves_B;                               /* offset of the leaves */
    uint64_t size_B, serialized_B;
    uint64_t num_structures; /* that a serialized one lists */

    /* In scratch memory, from its start: what all leaves span, the box of each leaf, two places for keys. An update
     * needs the first two. */
    uint64_t scratch_boxes_B, scratch_keys_B[2];
    uint64_t build_scratch_B, update_scratch_B;
};

/* Of geometries of one kind with so many primitives together. */
void radeon_rays_plan(struct radeon_rays_plan *plan, VkAccelerationStructureTypeKHR type, VkGeometryTypeKHR kind,
                      uint32_t leaves);

enum {
    RADEON_RAYS_SCRATCH_ALIGN = 64,
    RADEON_RAYS_BOX_B = 24,  /* the least x, y, z and the greatest x, y, z */
    RADEON_RAYS_SPAN_B = 24, /* the same of twice the middles of all boxes, as numbers that compare unsigned */
    RADEON_RAYS_KEY_B = 8,   /* the leaf's number below its place on the curve */
    RADEON_RAYS_GROUP = 64,  /* invocations of the shaders' workgroups */
};

/* A serialized structure: two UUIDs, three sizes and the list, as the specification says, and at the next multiple of
 * RAY_NODE_ALIGN the structure. */
static inline uint64_t radeon_rays_serialized_list_B(uint64_t num_structures)
{
    const uint64_t before_B = 2 * VK_UUID_SIZE + 3 * sizeof(uint64_t);
    return (before_B + num_structures * sizeof(uint64_t) + RAY_NODE_ALIGN - 1) & ~(uint64_t)(RAY_NODE_ALIGN - 1);
}

/* ---- one structure that is being built ---- */

struct radeon_rays_build {
    struct radeon_rays_plan plan;
    const VkAccelerationStructureBuildGeometryInfoKHR *info;
    const VkAccelerationStructureBuildRangeInfoKHR *ranges;
    bool is_update;
    uint64_t src_va, dst_va, scratch_va; /* of an update: what it goes out from; may be the same */
};

static inline const VkAccelerationStructureGeometryKHR *
radeon_rays_geometry(const VkAccelerationStructureBuildGeometryInfoKHR *info, uint32_t i)
{
    return info->pGeometries ? &info->pGeometries[i] : info->ppGeometries[i];
}

/* ---- radeon_rays_leaf.c ---- */

/* Writes the leaves of a geometry, of which the first one has a number, their boxes, and unless it is an update what
 * they span. */
void radeon_rays_write_leaves(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build, uint32_t geometry,
                              uint32_t first);
/* Whether triangles may have vertices of this format. */
bool radeon_rays_reads_format(VkFormat format);

/* ---- radeon_rays_boxes.c ---- */

/* Before the first leaf: nothing is spanned. */
void radeon_rays_clear_span(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build);
void radeon_rays_write_keys(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build);
/* The last one is the root, with it the header is written. */
void radeon_rays_write_level(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build, uint32_t level);

#endif
