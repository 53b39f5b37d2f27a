/* Copies of acceleration structures, to bytes and back, and what a structure says of its size. A structure has no
 * address of its own in it, and its header, nodes and leaves are in one piece: a clone and a compact one are the same
 * bytes. Only instances hold addresses, of other structures, which a serialized one lists. */
#include <string.h>

#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_query.h"
#include "amd/driver/radeon_rays.h"
#include "amd/driver/radeon_rays_shader.h"
#include "util/bits.h"

/* ---- between structures ---- */

/* How large the structure is, only the GPU knows: all that both have room for is copied. */
VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyAccelerationStructureKHR(VkCommandBuffer handle,
                                                                  const VkCopyAccelerationStructureInfoKHR *info)
{
    const struct vk_acceleration_structure *src = vk_acceleration_structure_from_handle(info->src),
                                           *dst = vk_acceleration_structure_from_handle(info->dst);
    radeon_cp_copy(radeon_cmd_buffer_from_handle(handle), vk_acceleration_structure_va(dst),
                   vk_acceleration_structure_va(src), MIN2(src->size_B, dst->size_B));
}

/* ---- to bytes and back ---- */

#define PIECE_B 16u /* of an invocation */

/* As the specification has it: */
enum {
    BYTES_UUIDS = 0,
    BYTES_SIZE = 2 * VK_UUID_SIZE,
    BYTES_STRUCTURE_SIZE = BYTES_SIZE + 8,
    BYTES_STRUCTURES = BYTES_STRUCTURE_SIZE + 8,
    BYTES_LIST = BYTES_STRUCTURES + 8
};

struct bytes_push {
    uint32_t count, pad; /* pieces, at most */
    uint64_t src_va, dst_va, list_va;
    uint32_t uuids[2 * VK_UUID_SIZE / 4];
};
enum {
    PUSH_SRC = 2,
    PUSH_DST = 4,
    PUSH_LIST = 6, /* the serialized structure */
    PUSH_UUIDS = 8
};

/* Where the structure follows the list of `structures`: radeon_rays_serialized_list_B. */
static struct ir_value *structure_va(struct ir_builder *b, struct ir_value *bytes_va, struct ir_value *structures)
{
    struct ir_value *list_B = ir_imul(b, structures, rays_word(b, 8)),
                    *end_B = ir_iand(b, ir_iadd(b, list_B, rays_word(b, BYTES_LIST + RAY_NODE_ALIGN - 1)),
                                     rays_word(b, ~(RAY_NODE_ALIGN - 1u)));
    return ir_iadd(b, bytes_va, ir_u2u(b, 64, end_B));
}

/* Whether a piece has an instance's structure in it, and where that is in the list. */
static struct ir_value *is_listed(struct ir_builder *b, struct ir_value *piece, struct ir_value *leaves,
                                  struct ir_value *structures, struct ir_value **list_va_out)
{
    const uint32_t in_leaf = RAY_INSTANCE_STRUCTURE / PIECE_B, leaf_pieces = RAY_INSTANCE_SIZE / PIECE_B;
    struct ir_value *first = ir_imul(b, leaves, rays_word(b, RAY_NODE_ALIGN / PIECE_B)),
                    *in_leaves = ir_isub(b, piece, first), *index = ir_udiv(b, in_leaves, rays_word(b, leaf_pieces)),
                    *is_place = ir_ieq(b, ir_iand(b, in_leaves, rays_word(b, leaf_pieces - 1)), rays_word(b, in_leaf));
    *list_va_out = ir_iadd(b, rays_at(b, vk_meta_push64(b, PUSH_LIST), index, 8), ir_const(b, 64, BYTES_LIST));
    return ir_iand(b, ir_iand(b, is_place, ir_uge(b, piece, first)), ir_ult(b, index, structures));
}
_Static_assert(RAY_INSTANCE_STRUCTURE % PIECE_B == 0, "the address begins a piece");

static void put_bytes_header(struct ir_builder *b, struct ir_value *src, struct ir_value *dst)
{
    static const uint8_t from[] = {RAY_HEADER_SERIALIZED_B, RAY_HEADER_SIZE_B, RAY_HEADER_STRUCTURES};
    for (uint32_t i = 0; i < BYTES_SIZE / 4; i++)
        rays_store(b, dst, BYTES_UUIDS + 4 * i, vk_meta_push(b, PUSH_UUIDS + i));
    for (uint32_t i = 0; i < 2 * ARRAY_SIZE(from); i++)
        rays_store(b, dst, BYTES_SIZE + 4 * i, rays_load(b, src, from[i / 2] + i % 2 * 4u));
}

static void build_serialize(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)key;
    (void)ops;
    struct ir_value *piece = rays_begin(b), *src = vk_meta_push64(b, PUSH_SRC), *dst = vk_meta_push64(b, PUSH_DST),
                    *structures = rays_load(b, src, RAY_HEADER_STRUCTURES),
                    *size_B = rays_load(b, src, RAY_HEADER_SIZE_B),
                    *leaves = rays_load(b, src, RAY_HEADER_LEAVES_OFFSET), *words[4], *list_va;
    ir_builder_push_if(b, ir_ult(b, piece, ir_udiv(b, size_B, rays_word(b, PIECE_B))));
    rays_load_words(b, rays_at(b, src, piece, PIECE_B), 0, 4, words);
    rays_store_words(b, rays_at(b, structure_va(b, dst, structures), piece, PIECE_B), 0, 4, words);
    ir_builder_push_if(b, is_listed(b, piece, leaves, structures, &list_va));
    ir_store_global(b, ir_vec(b, 2, words), list_va, 0, 8, 0, 0);
    ir_builder_pop_if(b);
    ir_builder_push_if(b, ir_ieq(b, piece, rays_word(b, 0)));
    put_bytes_header(b, src, dst);
    ir_builder_pop_if(b);
    ir_builder_pop_if(b);
    rays_end(b);
}

static void build_deserialize(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)key;
    (void)ops;
    struct ir_value *piece = rays_begin(b), *src = vk_meta_push64(b, PUSH_SRC),
                    *structures = rays_load(b, src, BYTES_STRUCTURES),
                    *size_B = rays_load(b, src, BYTES_STRUCTURE_SIZE), *from = structure_va(b, src, structures),
                    *leaves = rays_load(b, from, RAY_HEADER_LEAVES_OFFSET), *words[4], *listed[2], *list_va;
    ir_builder_push_if(b, ir_ult(b, piece, ir_udiv(b, size_B, rays_word(b, PIECE_B))));
    rays_load_words(b, rays_at(b, from, piece, PIECE_B), 0, 4, words);
    struct ir_value *is_place = is_listed(b, piece, leaves, structures, &list_va);
    struct ir_if *node = ir_builder_push_if(b, is_place);
    rays_load_words(b, list_va, 0, 2, listed);
    ir_builder_pop_if(b);
    for (uint32_t i = 0; i < 2; i++)
        words[i] = ir_if_phi(b, node, listed[i], words[i]);
    rays_store_words(b, rays_at(b, vk_meta_push64(b, PUSH_DST), piece, PIECE_B), 0, 4, words);
    ir_builder_pop_if(b);
    rays_end(b);
}

static void copy_bytes(struct radeon_cmd_buffer *cmd, enum radeon_meta_operation operation, vk_meta_build_fn build,
                       uint64_t src_va, uint64_t dst_va, uint64_t list_va, uint64_t size_B)
{
    const struct radeon_physical_device *physical = cmd->device->physical;
    struct bytes_push push = {
        .count = (uint32_t)div_round_up(size_B, PIECE_B), .src_va = src_va, .dst_va = dst_va, .list_va = list_va};
    memcpy(push.uuids, physical->vk.identity.driver_uuid, VK_UUID_SIZE);
    memcpy(push.uuids + VK_UUID_SIZE / 4, physical->vk.identity.cache_uuid, VK_UUID_SIZE);
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, VK_META_KEY(operation, 0), build), NULL, 0, &push, sizeof(push),
                         (const uint32_t[3]){(uint32_t)div_round_up(push.count, RADEON_RAYS_GROUP), 1, 1});
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyAccelerationStructureToMemoryKHR(
    VkCommandBuffer handle, const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
    const struct vk_acceleration_structure *src = vk_acceleration_structure_from_handle(info->src);
    copy_bytes(radeon_cmd_buffer_from_handle(handle), RADEON_META_RAYS_SERIALIZE, build_serialize,
               vk_acceleration_structure_va(src), info->dst.deviceAddress, info->dst.deviceAddress, src->size_B);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdCopyMemoryToAccelerationStructureKHR(
    VkCommandBuffer handle, const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
    const struct vk_acceleration_structure *dst = vk_acceleration_structure_from_handle(info->dst);
    copy_bytes(radeon_cmd_buffer_from_handle(handle), RADEON_META_RAYS_DESERIALIZE, build_deserialize,
               info->src.deviceAddress, vk_acceleration_structure_va(dst), info->src.deviceAddress, dst->size_B);
}

/* Bytes of this driver as it was built, whose layout they have. */
VKAPI_ATTR void VKAPI_CALL radeon_GetDeviceAccelerationStructureCompatibilityKHR(
    VkDevice handle, const VkAccelerationStructureVersionInfoKHR *version,
    VkAccelerationStructureCompatibilityKHR *fits)
{
    const struct radeon_physical_device *physical = radeon_device_from_handle(handle)->physical;
    const bool same = !memcmp(version->pVersionData, physical->vk.identity.driver_uuid, VK_UUID_SIZE) &&
                      !memcmp(version->pVersionData + VK_UUID_SIZE, physical->vk.identity.cache_uuid, VK_UUID_SIZE);
    *fits = same ? VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR
                 : VK_ACCELERATION_STRUCTURE_COMPATIBILITY_INCOMPATIBLE_KHR;
}

/* ---- sizes ---- */

static uint32_t offset_of(VkQueryType type)
{
    switch (type) {
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
        return RAY_HEADER_SERIALIZED_B;
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
        return RAY_HEADER_STRUCTURES;
    default: /* a compact one has the size that this one has */
        return RAY_HEADER_SIZE_B;
    }
}

/* The header's words into queries that are a number each, as timestamps are. */
VKAPI_ATTR void VKAPI_CALL radeon_CmdWriteAccelerationStructuresPropertiesKHR(
    VkCommandBuffer handle, uint32_t count, const VkAccelerationStructureKHR *structures, VkQueryType type,
    VkQueryPool pool_handle, uint32_t first)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const struct radeon_query_pool *pool = radeon_query_pool_from_handle(pool_handle);
    const uint32_t offset_B = offset_of(type);
    /* A reset that is on its way comes first. */
    radeon_cp_writes_wait(cmd);
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_acceleration_structure *structure = vk_acceleration_structure_from_handle(structures[i]);
        radeon_cp_copy(cmd, radeon_query_va(pool, first + i), vk_acceleration_structure_va(structure) + offset_B, 8);
    }
}
