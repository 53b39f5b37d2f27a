/* A world of triangles for cases of acceleration structures: what is built of it, and what arithmetic in double finds
 * that rays meet in it. Rays that pass so near an edge that rounding decides, or meet two things at nearly one
 * distance, are not compared. */
#ifndef TESTS_VULKAN_RAYS_WORLD_H
#define TESTS_VULKAN_RAYS_WORLD_H

#include "cases/rays/rays_scene.h"

#define RAYS_SENT 256
#define RAYS_MAX_INSTANCES 8

/* A triangle in the object's space. */
struct rays_solid {
    double corners[3][3];
    uint32_t primitive, geometry;
    bool is_active;
};

struct rays_world {
    struct rays_solid *solids;
    unsigned count;
    VkTransformMatrixKHR transforms[RAYS_MAX_INSTANCES];
    bool is_there[RAYS_MAX_INSTANCES]; /* instances that can be met */
    unsigned instances;
    struct rays_ray rays[RAYS_SENT];
    bool any; /* which of several triangles does not matter */
};

/* Freed with the case; skips it where there are no rays. */
struct rays_world *rays_make_world(struct vt *vt, unsigned count, unsigned instances);

/* Triangles about as large as a cube from -1 to 1, each in a cell of its own of a square, so that flat ones do not
 * meet.
 */
void rays_make_solids(struct rays_world *world, uint64_t seed, bool flat);

/* The corners as floats, one after the other; those that are not active have no x. */
struct vt_buffer rays_corners_of(struct vt *vt, struct rays_world *world);

VkAccelerationStructureGeometryKHR rays_triangles_at(VkDeviceAddress address, unsigned count);
/* Instances in a row, or pointers to them; those that are not there have no structure. */
VkAccelerationStructureGeometryKHR rays_instances_of(struct vt *vt, const struct rays_world *world,
                                                     VkDeviceAddress bottom, bool by_pointers);
VkAccelerationStructureBuildGeometryInfoKHR rays_bottom_of(const VkAccelerationStructureGeometryKHR *geometries,
                                                           uint32_t count, VkBuildAccelerationStructureFlagsKHR flags);

/* New ones, or in place. */
struct rays_structure rays_build_solids(struct vt *vt, struct rays_world *world,
                                        VkBuildAccelerationStructureFlagsKHR flags,
                                        const struct rays_structure *update);
struct rays_structure rays_build_top(struct vt *vt, const struct rays_world *world, VkDeviceAddress bottom,
                                     bool by_pointers, const struct rays_structure *update);

/* Sends all rays; at least so many must meet something. */
void rays_look(struct vt *vt, const struct rays_world *world, const struct rays_structure *top,
               enum rays_binding binding, unsigned least_met);

#endif
