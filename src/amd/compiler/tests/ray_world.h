/* Small random worlds of triangles and boxes in instances, for tests on the model: laid out by hand as ray_layout.h has
 * it, with a ray for each lane, and what arithmetic in double finds among all primitives. */
#ifndef AMD_COMPILER_TESTS_RAY_WORLD_H
#define AMD_COMPILER_TESTS_RAY_WORLD_H

#include "amd/compiler/tests/shader_rig.h"

#define LANES 64
#define MAX_PRIMITIVES 40
#define MAX_INSTANCES 6

struct ray {
    float origin[3], least, direction[3], most;
};

struct hit {
    uint32_t kind, primitive, index;
    float t;
};

extern struct ray_world {
    unsigned primitives, instances;
    float triangles[MAX_PRIMITIVES][3][3]; /* of odd primitives the first two corners are a box's */
    float matrices[MAX_INSTANCES][3][4];   /* to the world, and back */
    float inverses[MAX_INSTANCES][3][4];
    bool has_boxes;
    unsigned ignored; /* primitives whose number is one less than a multiple of it are not met; 0: all are */
} world;
extern struct ray rays[LANES];

void ray_world_make(unsigned primitives, unsigned instances, bool has_boxes, uint32_t seed);
/* Structures in the rig's memory; an instance's record is 50 and its number. */
uint64_t ray_world_bottom(struct shader_rig *rig, bool is_opaque);
uint64_t ray_world_top(struct shader_rig *rig, uint64_t bottom);
/* Checks the ray's first hit; false: rounding decides. The program that looks at boxes says that they are met behind
 * all triangles, at 900 and a quarter of their number: a box that is not nearer than the last hit need not be shown. */
bool ray_world_check(const struct hit hits[LANES], uint32_t mask, char text[256]); /* false: what is wrong */

#endif
