/* An acceleration structure in memory: the driver's shaders write it, code for ray queries reads it. Numbers alone, in
 * bytes unless a name says otherwise; both sides compute with them.
 *
 * A structure begins with a header at a multiple of 256 bytes, its tree follows: nodes that image_bvh64_intersect_ray
 * reads, each at a multiple of 64 bytes. A reference to a node is 32 bits, relative to the header, so that a structure
 * can be copied to any place:
 *
 *     reference   offset from the header / 64 in bits 31:3, kind of the node in bits 2:0
 *     node number (header's address, bits 47:0) / 8 + reference, 64 bits, for the instruction: the instruction wants an
 *                 address / 64 above the kind, and a header's address / 8 has no bits where the kind is. The BVH
 *                 descriptor that fits is the same for all structures: BASE_ADDRESS 0, SIZE 2^42 - 1, TYPE 8.
 *
 * An address is a canonical one of 48 bits: those of the upper half have bits 63:48 set, which a node number must lack
 * (RAY_ADDRESS_MASK) and a load must have.
 *
 * A descriptor of a structure, and the bottom structure in an instance, are the 64-bit address of the header; 0 is a
 * structure in which nothing is met. */
#ifndef AMD_COMPILER_RAY_LAYOUT_H
#define AMD_COMPILER_RAY_LAYOUT_H

#include <stdint.h>

#define RAY_STRUCTURE_ALIGN 256
#define RAY_NODE_ALIGN 64
#define RAY_ADDRESS_BITS 48
#define RAY_ADDRESS_MASK ((UINT64_C(1) << RAY_ADDRESS_BITS) - 1)
#define RAY_NUMBER_SHIFT 3 /* of a header's address, to add a reference to it */
#define RAY_BVH_SIZE ((UINT64_C(1) << 42) - 1)

/* ---- references ---- */

#define RAY_KIND_BITS 3
#define RAY_KIND_TRIANGLE 0 /* of the hardware's two triangles in a node the first */
#define RAY_KIND_BOXES 5    /* four boxes in floats */
#define RAY_KIND_INSTANCE 6 /* the hardware reads nothing for 6 and 7 */
#define RAY_KIND_AABB 7
#define RAY_REFERENCE(offset, kind) ((uint32_t)(offset) / RAY_NODE_ALIGN << RAY_KIND_BITS | (kind))

/* In place of a child that there is none of; it is also what the instruction returns for one that the ray misses. Its
 * box is not a number, which no ray meets. */
#define RAY_NONE UINT32_MAX

/* The root is always four boxes and always at the same place, also with one primitive and with none: where to begin
 * needs no load. */
#define RAY_ROOT_OFFSET 128
#define RAY_ROOT RAY_REFERENCE(RAY_ROOT_OFFSET, RAY_KIND_BOXES)

/* Levels of boxes from the root down to the leaves, at most: all leaves are at one depth, and four to the power of this
 * is more than maxPrimitiveCount (2^29 - 1) or maxInstanceCount (2^24 - 1). A walk that keeps what it has yet to visit
 * keeps at most three references a level. */
#define RAY_MAX_LEVELS 15
#define RAY_MAX_TOP_LEVELS 12

/* ---- boxes: 128 bytes ---- */

#define RAY_BOXES_SIZE 128
#define RAY_BOXES_CHILDREN 0 /* four references */
#define RAY_BOXES_BOUNDS 16  /* four times the least x, y, z and the greatest x, y, z */
#define RAY_BOXES_BOX_SIZE 24
#define RAY_BOXES_PARENT 112 /* reference of the boxes above, RAY_NONE in the root; for walks with a short stack */

/* ---- leaves of triangles and of AABBs: 64 bytes ----
 *
 * Words after the first three vertices are those of the second triangle, which we do not use. Which primitive it is
 * stands in both kinds at the same place. */

#define RAY_LEAF_SIZE 64
#define RAY_TRIANGLE_VERTICES 0 /* three times x, y, z; after the geometry's transform */
#define RAY_AABB_BOUNDS 0       /* the least x, y, z and the greatest x, y, z */
#define RAY_LEAF_PRIMITIVE 36
#define RAY_LEAF_GEOMETRY 40 /* the index in RAY_GEOMETRY_INDEX_BITS low bits; RAY_GEOMETRY_OPAQUE */
#define RAY_LEAF_PARENT 44
/* The weights that the instruction returns (TRIANGLE_RETURN_MODE 1): of the second and of the third vertex, which are
 * Vulkan's two barycentrics; corner numbers of two bits. */
#define RAY_TRIANGLE_ROTATION 60
#define RAY_ROTATION (1u | 2u << 2)

#define RAY_GEOMETRY_INDEX_BITS 24
#define RAY_GEOMETRY_OPAQUE (1u << 31) /* the sign: one comparison tells */

/* ---- leaves of instances: 128 bytes ----
 *
 * What every visit needs is in the first 64 bytes. Matrices have three rows of four, as VkTransformMatrixKHR. */

#define RAY_INSTANCE_SIZE 128
#define RAY_INSTANCE_WORLD_TO_OBJECT 0
#define RAY_INSTANCE_STRUCTURE 48  /* 64-bit address of the bottom structure's header, never 0 */
#define RAY_INSTANCE_INDEX_MASK 56 /* custom index in bits 23:0, mask in bits 31:24 */
#define RAY_INSTANCE_SBT_FLAGS 60  /* offset into the binding table in bits 23:0, VkGeometryInstanceFlagsKHR in 31:24 */
#define RAY_INSTANCE_OBJECT_TO_WORLD 64
#define RAY_INSTANCE_ID 112 /* its place among those that were built from */
#define RAY_INSTANCE_PARENT 116

/* ---- the header ---- */

#define RAY_HEADER_BOUNDS 0         /* the least x, y, z and the greatest x, y, z; not numbers where there is nothing */
#define RAY_HEADER_TYPE 24          /* VkAccelerationStructureTypeKHR */
#define RAY_HEADER_LEAVES 28        /* their number, with those that are never met */
#define RAY_HEADER_SIZE_B 32        /* 64 bits: header and nodes, what a copy takes */
#define RAY_HEADER_SERIALIZED_B 40  /* 64 bits */
#define RAY_HEADER_STRUCTURES 48    /* 64 bits: how many addresses of bottom structures a serialized one lists */
#define RAY_HEADER_LEAVES_OFFSET 56 /* of the first leaf from the header, in units of RAY_NODE_ALIGN */
#define RAY_HEADER_LEAF_KIND 60

#endif
