/* The shared part of the cases of rays: making, building and copying acceleration structures, and a program that
 * sends rays (shaders/rays.comp). */
#ifndef TESTS_VULKAN_RAYS_SCENE_H
#define TESTS_VULKAN_RAYS_SCENE_H

#include "vt/vt.h"

#define RAYS_LOAD(vt, name) ((PFN_vk##name)vkGetDeviceProcAddr((vt)->device, "vk" #name))

struct rays_structure {
    VkAccelerationStructureKHR handle;
    struct vt_buffer storage;
    VkDeviceAddress address;
};

struct rays_ray {
    float origin[3], least, direction[3], most;
};

struct rays_hit {
    uint32_t kind, primitive, geometry, instance; /* kind: 0 nothing, 1 a triangle, 2 a sphere */
    float distance, u, v;
    uint32_t front;
};

/* Skips the case. */
void rays_need(struct vt *vt);
/* Everything that follows in the case is on a queue without graphics; skips it where there is none. */
void rays_on_compute(struct vt *vt);
/* Commands for that queue or the general one; ended, submitted and waited for. */
VkCommandBuffer rays_begin(struct vt *vt);
void rays_finish(struct vt *vt, VkCommandBuffer commands);

float rays_uniform(uint64_t *seed, float low, float high);

struct rays_structure rays_make(struct vt *vt, VkAccelerationStructureTypeKHR type, VkDeviceSize size_B);

/* A build of all geometries, with `most` primitives of each that the sizes are asked for (NULL: as many as there are),
 * or an update of a structure, in place or into one of its own. Waits for it. */
struct rays_structure rays_build(struct vt *vt, VkAccelerationStructureBuildGeometryInfoKHR *info,
                                 const VkAccelerationStructureBuildRangeInfoKHR *ranges, const uint32_t *most,
                                 const struct rays_structure *update, bool in_place);

VkDeviceSize rays_ask_size(struct vt *vt, const struct rays_structure *of, VkQueryType type);
struct rays_structure rays_copy(struct vt *vt, const struct rays_structure *from, VkAccelerationStructureTypeKHR type,
                                VkDeviceSize size_B, VkCopyAccelerationStructureModeKHR mode);
/* To bytes and back. A top structure's list must have `structures` addresses, each of them `below`, and is given
 * `instead`. */
struct rays_structure rays_copy_by_bytes(struct vt *vt, const struct rays_structure *from,
                                         VkAccelerationStructureTypeKHR type, unsigned structures,
                                         VkDeviceAddress below, VkDeviceAddress instead);

/* How the structure comes into its descriptor. */
enum rays_binding {
    RAYS_BY_WRITE,
    RAYS_BY_TEMPLATE,
    RAYS_AFTER_BIND,
    RAYS_IN_BUFFER, /* a descriptor buffer */
    RAYS_FOR_CORNERS, /* by write; in place of the distance and the weights a corner, the first, second or third by turns */
};

/* Sends `count` rays, a multiple of 64, and waits. `push` has the flags, the mask and which candidates are accepted;
 * spheres are four floats each. */
const struct rays_hit *rays_send(struct vt *vt, const struct rays_structure *top, enum rays_binding binding,
                                 const struct rays_ray *rays, unsigned count, const uint32_t push[3],
                                 const float (*spheres)[4], unsigned num_spheres);

#endif
