/* The tree over the leaves of an acceleration structure: where each leaf lies on a space-filling curve, and boxes of
 * four, level by level. */
#include "amd/driver/radeon_cp_dma.h"
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_rays.h"
#include "amd/driver/radeon_rays_shader.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_sort.h"

/* ---- what all leaves span ---- */

void radeon_rays_clear_span(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build)
{
    static const uint32_t nothing[RADEON_RAYS_SPAN_B / 4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    radeon_cp_write(cmd, build->scratch_va, nothing, ARRAY_SIZE(nothing));
}

/* ---- keys ---- */

struct key_push {
    uint32_t count, pad;
    uint64_t boxes_va, span_va, keys_va;
};
enum {
    KEYS_BOXES = 2,
    KEYS_SPAN = 4,
    KEYS_OUT = 6
};

#define AXIS_BITS 10

/* Back from the number that compares without sign. */
static struct ir_value *unsortable(struct ir_builder *b, struct ir_value *value)
{
    struct ir_value *top = rays_word(b, 0x80000000);
    return ir_select(b, ir_uge(b, value, top), ir_ixor(b, value, top), ir_inot(b, value));
}

/* Ten bits, each third one. */
static struct ir_value *spread_bits(struct ir_builder *b, struct ir_value *value)
{
    static const struct {
        uint8_t shift;
        uint32_t mask;
    } steps[] = {{16, 0x030000ff}, {8, 0x0300f00f}, {4, 0x030c30c3}, {2, 0x09249249}};
    for (uint32_t i = 0; i < ARRAY_SIZE(steps); i++)
        value =
            ir_iand(b, ir_ior(b, value, ir_ishl(b, value, rays_word(b, steps[i].shift))), rays_word(b, steps[i].mask));
    return value;
}

/* Where the middle of a box is between the least and the greatest of all, in cells; where all are the same, or so far
 * apart that floats do not tell, the first. */
static struct ir_value *cell_of(struct ir_builder *b, struct ir_value *middle, struct ir_value *least,
                                struct ir_value *greatest)
{
    struct ir_value *zero = rays_word(b, 0), *extent = ir_fadd(b, greatest, ir_fneg(b, least)),
                    *scale = ir_fdiv(b, ir_const_f(b, 32, 1 << AXIS_BITS), extent),
                    *cell = ir_f2u(b, 32, ir_fmul(b, ir_fadd(b, middle, ir_fneg(b, least)), scale));
    cell = ir_umin(b, cell, rays_word(b, (1 << AXIS_BITS) - 1));
    return ir_select(b, ir_flt(b, zero, extent), cell, zero);
}

/* Leaves that are not active come last. */
static void build_keys(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)key;
    (void)ops;
    struct ir_value *leaf = rays_begin(b), *box[6], *span_va = vk_meta_push64(b, KEYS_SPAN), *place = rays_word(b, 0);
    rays_load_box(b, rays_at(b, vk_meta_push64(b, KEYS_BOXES), leaf, RADEON_RAYS_BOX_B), box);
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *least = unsortable(b, rays_load(b, span_va, 4 * i)),
                        *greatest = unsortable(b, rays_load(b, span_va, 12 + 4 * i)),
                        *cell = cell_of(b, ir_fadd(b, box[i], box[3 + i]), least, greatest);
        place = ir_ior(b, place, ir_ishl(b, spread_bits(b, cell), rays_word(b, 2 - i)));
    }
    place = ir_select(b, rays_is_nan(b, box[0]), rays_word(b, UINT32_MAX), place);
    ir_store_global(b, ir_pack64(b, leaf, place), rays_at(b, vk_meta_push64(b, KEYS_OUT), leaf, RADEON_RAYS_KEY_B), 0,
                    RADEON_RAYS_KEY_B, 0, 0);
    rays_end(b);
}

void radeon_rays_write_keys(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build)
{
    const struct radeon_rays_plan *plan = &build->plan;
    const struct key_push push = {
        .count = plan->leaves,
        .boxes_va = build->scratch_va + plan->scratch_boxes_B,
        .span_va = build->scratch_va,
        .keys_va = build->scratch_va + plan->scratch_keys_B[0],
    };
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_RAYS_KEYS, 0), build_keys), NULL, 0,
                         &push, sizeof(push),
                         (const uint32_t[3]){(uint32_t)div_round_up(plan->leaves, RADEON_RAYS_GROUP), 1, 1});
}

/* ---- boxes ---- */

struct level_push {
    uint32_t count, children;        /* nodes of the level; of the level below, or leaves */
    uint32_t first_child;            /* reference */
    uint32_t first_own, first_above; /* references of the level's first node and of the one above */
    uint32_t pad;
    uint64_t nodes_va;
    uint64_t below_va;  /* boxes of leaves, or the nodes below */
    uint64_t order_va;  /* of leaves' parents: keys, or the nodes of what is updated */
    uint64_t leaves_va; /* of them, too */
    /* Of the root: */
    uint64_t header_va;
    uint32_t header[(RAY_HEADER_LEAF_KIND + 4 - RAY_HEADER_TYPE) / 4];
};
enum {
    LEVEL_CHILDREN = 1,
    LEVEL_FIRST_CHILD = 2,
    LEVEL_FIRST_OWN = 3,
    LEVEL_FIRST_ABOVE = 4,
    LEVEL_NODES = 6,
    LEVEL_BELOW = 8,
    LEVEL_ORDER = 10,
    LEVEL_LEAVES = 12,
    LEVEL_HEADER = 14,
    LEVEL_HEADER_WORDS = 16
};

/* The key. */
enum {
    KEY_KIND_BITS = 3, /* the leaf's, of leaves' parents */
    KEY_ABOVE_LEAVES = 3,
    KEY_UPDATE = 4,
    KEY_ROOT = 5,
    KEY_EMPTY = 6, /* there are no leaves */
};
static const uint32_t boxes_step = RAY_BOXES_SIZE / RAY_NODE_ALIGN << RAY_KIND_BITS; /* from reference to reference */

static uint32_t leaf_B(uint64_t key)
{
    return (key & ((1u << KEY_KIND_BITS) - 1)) == RAY_KIND_INSTANCE ? RAY_INSTANCE_SIZE : RAY_LEAF_SIZE;
}

struct child {
    struct ir_value *exists, *reference, *box[6];
};

/* By its place in the order of keys. */
static void find_leaf(struct ir_builder *b, uint64_t key, struct ir_value *place, struct child *child,
                      struct ir_value **leaf_out)
{
    struct ir_value *count = vk_meta_push(b, LEVEL_CHILDREN),
                    *inside = ir_umin(b, place, ir_isub(b, count, rays_word(b, 1)));
    *leaf_out = rays_load(b, rays_at(b, vk_meta_push64(b, LEVEL_ORDER), inside, RADEON_RAYS_KEY_B), 0);
    child->exists = ir_ult(b, place, count);
    child->reference = ir_iadd(b, vk_meta_push(b, LEVEL_FIRST_CHILD),
                               ir_imul(b, *leaf_out, rays_word(b, leaf_B(key) / RAY_NODE_ALIGN << RAY_KIND_BITS)));
}

/* As it was before the update. */
static void find_leaf_again(struct ir_builder *b, uint64_t key, struct ir_value *old, uint32_t i, struct child *child,
                            struct ir_value **leaf_out)
{
    const uint32_t step_log2 = (uint32_t)__builtin_ctz(leaf_B(key) / RAY_NODE_ALIGN) + RAY_KIND_BITS;
    child->reference = rays_load(b, old, RAY_BOXES_CHILDREN + 4 * i);
    child->exists = ir_ine(b, child->reference, rays_word(b, RAY_NONE));
    struct ir_value *leaf =
        ir_ushr(b, ir_isub(b, child->reference, vk_meta_push(b, LEVEL_FIRST_CHILD)), rays_word(b, step_log2));
    *leaf_out = ir_select(b, child->exists, leaf, rays_word(b, 0));
}

static void take_leaf(struct ir_builder *b, uint64_t key, struct ir_value *node, struct ir_value *own, uint32_t i,
                      struct child *child)
{
    struct ir_value *leaf;
    if (key >> KEY_UPDATE & 1)
        find_leaf_again(b, key, rays_at(b, vk_meta_push64(b, LEVEL_ORDER), node, RAY_BOXES_SIZE), i, child, &leaf);
    else
        find_leaf(b, key, ir_iadd(b, ir_imul(b, node, rays_word(b, 4)), rays_word(b, i)), child, &leaf);
    rays_load_box(b, rays_at(b, vk_meta_push64(b, LEVEL_BELOW), leaf, RADEON_RAYS_BOX_B), child->box);
    child->exists = ir_iand(b, child->exists, ir_inot(b, rays_is_nan(b, child->box[0])));
    ir_builder_push_if(b, child->exists);
    rays_store(b, rays_at(b, vk_meta_push64(b, LEVEL_LEAVES), leaf, leaf_B(key)),
               leaf_B(key) == RAY_INSTANCE_SIZE ? RAY_INSTANCE_PARENT : RAY_LEAF_PARENT, own);
    ir_builder_pop_if(b);
}

/* Its box is that of its own four. */
static void take_boxes(struct ir_builder *b, struct ir_value *node, uint32_t i, struct child *child)
{
    struct ir_value *count = vk_meta_push(b, LEVEL_CHILDREN),
                    *place = ir_iadd(b, ir_imul(b, node, rays_word(b, 4)), rays_word(b, i)),
                    *inside = ir_umin(b, place, ir_isub(b, count, rays_word(b, 1))),
                    *va = rays_at(b, vk_meta_push64(b, LEVEL_BELOW), inside, RAY_BOXES_SIZE), *words[24];
    for (uint32_t n = 0; n < 24; n += 4)
        rays_load_words(b, va, RAY_BOXES_BOUNDS + 4 * n, 4, words + n);
    for (uint32_t n = 0; n < 6; n++)
        child->box[n] = words[n];
    for (uint32_t n = 1; n < 4; n++)
        rays_join(b, child->box, words + 6 * n);
    child->exists = ir_iand(b, ir_ult(b, place, count), ir_inot(b, rays_is_nan(b, child->box[0])));
    child->reference = ir_iadd(b, vk_meta_push(b, LEVEL_FIRST_CHILD), ir_imul(b, place, rays_word(b, boxes_step)));
}

static void put_header(struct ir_builder *b, struct ir_value *const box[6])
{
    struct ir_value *words[RAY_HEADER_LEAF_KIND / 4 + 1];
    for (uint32_t i = 0; i < 6; i++)
        words[RAY_HEADER_BOUNDS / 4 + i] = box[i];
    for (uint32_t i = RAY_HEADER_TYPE / 4; i < ARRAY_SIZE(words); i++)
        words[i] = vk_meta_push(b, LEVEL_HEADER_WORDS + i - RAY_HEADER_TYPE / 4);
    rays_store_words(b, vk_meta_push64(b, LEVEL_HEADER), 0, ARRAY_SIZE(words), words);
}

static void build_level(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct ir_value *node = rays_begin(b), *words[32], *all[6],
                    *own = ir_iadd(b, vk_meta_push(b, LEVEL_FIRST_OWN), ir_imul(b, node, rays_word(b, boxes_step)));
    for (uint32_t i = 0; i < 4; i++) {
        struct child child = {.exists = ir_false(b)};
        if (key >> KEY_EMPTY & 1) {
            child.reference = rays_word(b, RAY_NONE);
            for (uint32_t n = 0; n < 6; n++)
                child.box[n] = rays_word(b, RAYS_NAN);
        } else if (key >> KEY_ABOVE_LEAVES & 1) {
            take_leaf(b, key, node, own, i, &child);
        } else {
            take_boxes(b, node, i, &child);
        }
        words[RAY_BOXES_CHILDREN / 4 + i] = ir_select(b, child.exists, child.reference, rays_word(b, RAY_NONE));
        struct ir_value **box = words + RAY_BOXES_BOUNDS / 4 + 6 * i;
        for (uint32_t n = 0; n < 6; n++) {
            box[n] = ir_select(b, child.exists, child.box[n], rays_word(b, RAYS_NAN));
            all[n] = i ? all[n] : box[n];
        }
        rays_join(b, all, box);
    }
    for (uint32_t i = RAY_BOXES_PARENT / 4; i < ARRAY_SIZE(words); i++)
        words[i] = rays_word(b, 0);
    words[RAY_BOXES_PARENT / 4] =
        key >> KEY_ROOT & 1 ? rays_word(b, RAY_NONE)
                            : ir_iadd(b, vk_meta_push(b, LEVEL_FIRST_ABOVE),
                                      ir_imul(b, ir_ushr(b, node, rays_word(b, 2)), rays_word(b, boxes_step)));
    rays_store_words(b, rays_at(b, vk_meta_push64(b, LEVEL_NODES), node, RAY_BOXES_SIZE), 0, ARRAY_SIZE(words), words);
    if (key >> KEY_ROOT & 1)
        put_header(b, all);
    rays_end(b);
}

static void fill_header(struct level_push *push, const struct radeon_rays_plan *plan)
{
    const struct {
        uint32_t offset_B;
        uint32_t value;
    } words[] = {
        {RAY_HEADER_TYPE, plan->type},
        {RAY_HEADER_LEAVES, plan->leaves},
        {RAY_HEADER_SIZE_B, (uint32_t)plan->size_B},
        {RAY_HEADER_SIZE_B + 4, (uint32_t)(plan->size_B >> 32)},
        {RAY_HEADER_SERIALIZED_B, (uint32_t)plan->serialized_B},
        {RAY_HEADER_SERIALIZED_B + 4, (uint32_t)(plan->serialized_B >> 32)},
        {RAY_HEADER_STRUCTURES, (uint32_t)plan->num_structures},
        {RAY_HEADER_LEAVES_OFFSET, (uint32_t)(plan->leaves_B / RAY_NODE_ALIGN)},
        {RAY_HEADER_LEAF_KIND, plan->leaf_kind},
    };
    for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
        push->header[(words[i].offset_B - RAY_HEADER_TYPE) / 4] = words[i].value;
}

void radeon_rays_write_level(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build, uint32_t number)
{
    const struct radeon_rays_plan *plan = &build->plan;
    const struct radeon_rays_level *level = &plan->levels[number], *below = number ? level - 1 : NULL;
    const bool is_root = number + 1 == plan->num_levels;
    struct level_push push = {
        .count = level->count,
        .children = below ? below->count : plan->leaves,
        .first_child =
            below ? RAY_REFERENCE(below->offset_B, RAY_KIND_BOXES) : RAY_REFERENCE(plan->leaves_B, plan->leaf_kind),
        .first_own = RAY_REFERENCE(level->offset_B, RAY_KIND_BOXES),
        .first_above = is_root ? 0 : RAY_REFERENCE(level[1].offset_B, RAY_KIND_BOXES),
        .nodes_va = build->dst_va + level->offset_B,
        .below_va = below ? build->dst_va + below->offset_B : build->scratch_va + plan->scratch_boxes_B,
        .order_va = build->is_update ? build->src_va + level->offset_B
                                     : build->scratch_va + plan->scratch_keys_B[vk_meta_sort_place(plan->leaves)],
        .leaves_va = build->dst_va + plan->leaves_B,
        .header_va = build->dst_va,
    };
    fill_header(&push, plan);
    uint64_t rest = (uint64_t)is_root << KEY_ROOT | (uint64_t)!plan->leaves << KEY_EMPTY;
    if (!below)
        rest |= plan->leaf_kind | 1u << KEY_ABOVE_LEAVES | (uint64_t)build->is_update << KEY_UPDATE;
    radeon_meta_dispatch(cmd, vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_RAYS_LEVEL, rest), build_level), NULL, 0,
                         &push, sizeof(push),
                         (const uint32_t[3]){(uint32_t)div_round_up(level->count, RADEON_RAYS_GROUP), 1, 1});
}
