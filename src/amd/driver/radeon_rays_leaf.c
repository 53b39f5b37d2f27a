/* Leaves of acceleration structures: triangles of vertices in several formats, with indices or without, boxes that the
 * application gives, and instances. One invocation writes a leaf and its box, and adds to what all leaves span. */
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_rays.h"
#include "amd/driver/radeon_rays_shader.h"
#include "util/bits.h"

struct leaf_push {
    uint32_t count, first; /* primitives; the leaf of the first */
    uint32_t geometry;     /* as RAY_LEAF_GEOMETRY */
    uint32_t stride_B;     /* of vertices or boxes */
    uint64_t data_va, indices_va, transform_va;
    uint64_t leaves_va, boxes_va, span_va;
    uint32_t first_vertex, pad;
};
enum {
    PUSH_FIRST = 1,
    PUSH_GEOMETRY = 2,
    PUSH_STRIDE = 3,
    PUSH_DATA = 4,
    PUSH_INDICES = 6,
    PUSH_TRANSFORM = 8,
    PUSH_LEAVES = 10,
    PUSH_BOXES = 12,
    PUSH_SPAN = 14,
    PUSH_FIRST_VERTEX = 16
};

/* The key: what is read. */
enum {
    KEY_KIND_BITS = 3, /* the leaf's */
    KEY_UPDATE = 3,
    KEY_TRANSFORM = 4,
    KEY_POINTERS = 5,
    KEY_INDEX_SHIFT = 6, /* bytes of an index: 0, 1, 2, 4 */
    KEY_FORMAT_SHIFT = 9 /* index into `formats` */
};

/* ---- vertices ---- */

enum encoding {
    FLOATS,
    SNORM,
    UNORM
};

/* Two channels have no z, and it is 0. A fourth one is not looked at. */
static const struct vertex_format {
    VkFormat format;
    uint8_t channels, bits;
    enum encoding encoding;
} formats[] = {
    {VK_FORMAT_R32G32B32_SFLOAT, 3, 32, FLOATS},    {VK_FORMAT_R32G32_SFLOAT, 2, 32, FLOATS},
    {VK_FORMAT_R32G32B32A32_SFLOAT, 3, 32, FLOATS}, {VK_FORMAT_R16G16_SFLOAT, 2, 16, FLOATS},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 3, 16, FLOATS}, {VK_FORMAT_R16G16_SNORM, 2, 16, SNORM},
    {VK_FORMAT_R16G16B16A16_SNORM, 3, 16, SNORM},   {VK_FORMAT_R16G16_UNORM, 2, 16, UNORM},
    {VK_FORMAT_R16G16B16A16_UNORM, 3, 16, UNORM},
};

/* The number of formats where it is none. */
static uint32_t format_index(VkFormat format)
{
    uint32_t i = 0;
    while (i < ARRAY_SIZE(formats) && formats[i].format != format)
        i++;
    return i;
}

bool radeon_rays_reads_format(VkFormat format)
{
    return format_index(format) < ARRAY_SIZE(formats);
}

static struct ir_value *decode_channel(struct ir_builder *b, const struct vertex_format *format,
                                       struct ir_value *channel)
{
    if (format->bits == 32)
        return channel;
    if (format->encoding == FLOATS)
        return ir_f2f(b, 32, channel, 0);
    if (format->encoding == UNORM)
        return ir_fmul(b, ir_u2f(b, 32, ir_u2u(b, 32, channel), 0), ir_const_f(b, 32, 1.0 / 65535));
    struct ir_value *value = ir_i2f(b, 32, ir_i2i(b, 32, channel), 0);
    return ir_fmax(b, ir_fmul(b, value, ir_const_f(b, 32, 1.0 / 32767)), ir_const_f(b, 32, -1));
}

/* Vertices may stand anywhere in more than 4 GiB. */
static void load_vertex(struct ir_builder *b, const struct vertex_format *format, struct ir_value *index,
                        struct ir_value *vertex_out[3])
{
    struct ir_value *stride_B = ir_u2u(b, 64, vk_meta_push(b, PUSH_STRIDE)),
                    *va = ir_iadd(b, vk_meta_push64(b, PUSH_DATA), ir_imul(b, ir_u2u(b, 64, index), stride_B));
    const uint32_t channel_B = format->bits / 8u;
    vertex_out[2] = rays_word(b, 0);
    for (uint32_t i = 0; i < format->channels; i++)
        vertex_out[i] =
            decode_channel(b, format, ir_load_global(b, format->bits, 1, va, i * channel_B, channel_B, 0, 0));
}

static void load_indices(struct ir_builder *b, uint32_t index_B, struct ir_value *primitive,
                         struct ir_value *indices_out[3])
{
    struct ir_value *first = ir_imul(b, primitive, rays_word(b, 3)),
                    *va = index_B ? rays_at(b, vk_meta_push64(b, PUSH_INDICES), first, index_B) : NULL;
    for (uint32_t i = 0; i < 3; i++) {
        indices_out[i] = ir_iadd(b, first, rays_word(b, i));
        if (index_B)
            indices_out[i] =
                ir_u2u(b, 32, ir_load_global(b, (uint8_t)(index_B * 8), 1, va, i * index_B, index_B, 0, 0));
        indices_out[i] = ir_iadd(b, indices_out[i], vk_meta_push(b, PUSH_FIRST_VERTEX));
    }
}

/* Three rows of four, applied to a place. */
static void transform(struct ir_builder *b, struct ir_value *const matrix[12], struct ir_value *place[3])
{
    struct ir_value *out[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *const *row = matrix + 4 * i;
        out[i] = ir_ffma(b, row[0], place[0], ir_ffma(b, row[1], place[1], ir_ffma(b, row[2], place[2], row[3])));
    }
    for (uint32_t i = 0; i < 3; i++)
        place[i] = out[i];
}

/* ---- boxes ---- */

/* Floats as numbers that compare in the same order without sign. */
static struct ir_value *sortable(struct ir_builder *b, struct ir_value *value)
{
    struct ir_value *sign = ir_ishr(b, value, rays_word(b, 31));
    return ir_ixor(b, value, ir_ior(b, sign, rays_word(b, 0x80000000)));
}

static void atomic(struct ir_builder *b, enum ir_atomic op, uint32_t offset_B, struct ir_value *value)
{
    ir_atomic_global(b, vk_meta_push64(b, PUSH_SPAN), value, op, offset_B, 0);
}

/* A wave's span is one lane's to add. */
static void add_to_span(struct ir_builder *b, struct ir_value *const box[6], struct ir_value *is_active)
{
    struct ir_value *least[3], *greatest[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *middle = sortable(b, ir_fadd(b, box[i], box[3 + i]));
        least[i] = ir_reduce(b, ir_select(b, is_active, middle, rays_word(b, UINT32_MAX)), IR_REDUCTION_umin, 0);
        greatest[i] = ir_reduce(b, ir_select(b, is_active, middle, rays_word(b, 0)), IR_REDUCTION_umax, 0);
    }
    ir_builder_push_if(b, ir_elect(b));
    for (uint32_t i = 0; i < 3; i++) {
        atomic(b, IR_ATOMIC_umin, 4 * i, least[i]);
        atomic(b, IR_ATOMIC_umax, 12 + 4 * i, greatest[i]);
    }
    ir_builder_pop_if(b);
}

static void put_box(struct ir_builder *b, uint64_t key, struct ir_value *leaf, struct ir_value *const box[6],
                    struct ir_value *is_active)
{
    struct ir_value *words[6], *va = rays_at(b, vk_meta_push64(b, PUSH_BOXES), leaf, RADEON_RAYS_BOX_B);
    for (uint32_t i = 0; i < 6; i++)
        words[i] = ir_select(b, is_active, box[i], rays_word(b, RAYS_NAN));
    ir_store_global(b, ir_vec(b, 3, words), va, 0, 4, 0, 0);
    ir_store_global(b, ir_vec(b, 3, words + 3), va, 12, 4, 0, 0);
    if (!(key >> KEY_UPDATE & 1))
        add_to_span(b, box, is_active);
}

/* ---- triangles and boxes ---- */

/* Words of which the last seven are the same in both kinds. */
static void put_leaf(struct ir_builder *b, struct ir_value *leaf, struct ir_value *primitive,
                     struct ir_value *words[16], uint32_t rotation)
{
    words[RAY_LEAF_PRIMITIVE / 4] = primitive;
    words[RAY_LEAF_GEOMETRY / 4] = vk_meta_push(b, PUSH_GEOMETRY);
    words[RAY_LEAF_PARENT / 4] = rays_word(b, RAY_NONE); /* its parent says so */
    for (uint32_t i = RAY_LEAF_PARENT / 4 + 1; i < 15; i++)
        words[i] = rays_word(b, 0);
    words[RAY_TRIANGLE_ROTATION / 4] = rays_word(b, rotation);
    rays_store_words(b, rays_at(b, vk_meta_push64(b, PUSH_LEAVES), leaf, RAY_LEAF_SIZE), 0, 16, words);
}

/* A triangle is active where no vertex has a NaN for its x. */
static void build_triangle(struct ir_builder *b, uint64_t key, struct ir_value *primitive, struct ir_value *leaf)
{
    const struct vertex_format *format = &formats[key >> KEY_FORMAT_SHIFT & 15];
    struct ir_value *indices[3], *words[16], *matrix[12], *box[6], *is_active = ir_true(b);
    if (key >> KEY_TRANSFORM & 1) {
        for (uint32_t i = 0; i < 12; i++)
            matrix[i] = rays_load(b, vk_meta_push64(b, PUSH_TRANSFORM), i * 4);
    }
    load_indices(b, key >> KEY_INDEX_SHIFT & 7, primitive, indices);
    for (uint32_t i = 0; i < 3; i++)
        load_vertex(b, format, indices[i], words + 3 * i);
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value **vertex = words + 3 * i;
        is_active = ir_iand(b, is_active, ir_inot(b, rays_is_nan(b, vertex[0])));
        if (key >> KEY_TRANSFORM & 1)
            transform(b, matrix, vertex);
        for (uint32_t axis = 0; axis < 3; axis++) {
            box[axis] = i ? ir_fmin(b, box[axis], vertex[axis]) : vertex[axis];
            box[3 + axis] = i ? ir_fmax(b, box[3 + axis], vertex[axis]) : vertex[axis];
        }
    }
    put_leaf(b, leaf, primitive, words, RAY_ROTATION);
    put_box(b, key, leaf, box, is_active);
}

static void build_aabb(struct ir_builder *b, uint64_t key, struct ir_value *primitive, struct ir_value *leaf)
{
    struct ir_value *words[16],
        *stride_B = ir_u2u(b, 64, vk_meta_push(b, PUSH_STRIDE)),
        *va = ir_iadd(b, vk_meta_push64(b, PUSH_DATA), ir_imul(b, ir_u2u(b, 64, primitive), stride_B));
    rays_load_box(b, va, words);
    for (uint32_t i = 6; i < 9; i++)
        words[i] = rays_word(b, 0);
    put_leaf(b, leaf, primitive, words, 0);
    put_box(b, key, leaf, words, ir_inot(b, rays_is_nan(b, words[0])));
}

/* ---- instances ---- */

static struct ir_value *minor(struct ir_builder *b, struct ir_value *const m[12], uint32_t row, uint32_t column)
{
    uint32_t r[2] = {(row + 1) % 3, (row + 2) % 3}, c[2] = {(column + 1) % 3, (column + 2) % 3};
    return ir_fadd(b, ir_fmul(b, m[4 * r[0] + c[0]], m[4 * r[1] + c[1]]),
                   ir_fneg(b, ir_fmul(b, m[4 * r[0] + c[1]], m[4 * r[1] + c[0]])));
}

/* By minors, whose signs come with the order of rows and columns. */
static void invert_matrix(struct ir_builder *b, struct ir_value *const m[12], struct ir_value *out[12])
{
    struct ir_value *scale = NULL;
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 3; column++)
            out[4 * row + column] = minor(b, m, column, row);
    }
    for (uint32_t i = 0; i < 3; i++) {
        struct ir_value *part = ir_fmul(b, m[i], out[4 * i]);
        scale = i ? ir_fadd(b, scale, part) : part;
    }
    for (uint32_t row = 0; row < 3; row++) {
        struct ir_value *place = NULL;
        for (uint32_t column = 0; column < 3; column++) {
            struct ir_value **entry = &out[4 * row + column];
            *entry = ir_fdiv(b, *entry, scale);
            struct ir_value *part = ir_fmul(b, *entry, m[4 * column + 3]);
            place = column ? ir_fadd(b, place, part) : part;
        }
        out[4 * row + 3] = ir_fneg(b, place);
    }
}

/* Rays meet what is in the box after they were carried into the object's space, and rounding is another there. */
#define GROWTH 0x1p-20

/* The box of a box that is turned: along each axis the least and the greatest that its sides add. */
static void transform_box(struct ir_builder *b, struct ir_value *const m[12], struct ir_value *const in[6],
                          struct ir_value *out[6])
{
    for (uint32_t row = 0; row < 3; row++) {
        struct ir_value *least = m[4 * row + 3], *greatest = least, *growth;
        for (uint32_t column = 0; column < 3; column++) {
            struct ir_value *entry = m[4 * row + column], *zero = rays_word(b, 0),
                            *is_zero = ir_feq(b, entry, zero); /* also of what is without end */
            struct ir_value *x = ir_select(b, is_zero, zero, ir_fmul(b, entry, in[column])),
                            *y = ir_select(b, is_zero, zero, ir_fmul(b, entry, in[3 + column]));
            least = ir_fadd(b, least, ir_fmin(b, x, y));
            greatest = ir_fadd(b, greatest, ir_fmax(b, x, y));
        }
        growth = ir_fmul(b, ir_fmax(b, ir_fabs(b, least), ir_fabs(b, greatest)), ir_const_f(b, 32, GROWTH));
        out[row] = ir_fadd(b, least, ir_fneg(b, growth));
        out[3 + row] = ir_fadd(b, greatest, growth);
    }
}

/* An instance is active where it has a structure that is not empty. Without one there is no header to read: its own
 * bytes are read instead. */
static void build_instance(struct ir_builder *b, uint64_t key, struct ir_value *primitive, struct ir_value *leaf)
{
    struct ir_value *va = vk_meta_push64(b, PUSH_DATA), *in[16], *words[32], *bounds[6], *box[6];
    if (key >> KEY_POINTERS & 1)
        va = ir_load_global(b, 64, 1, rays_at(b, va, primitive, 8), 0, 8, 0, 0);
    else
        va = rays_at(b, va, primitive, sizeof(VkAccelerationStructureInstanceKHR));
    for (uint32_t i = 0; i < 16; i += 4)
        rays_load_words(b, va, i * 4, 4, in + i);
    struct ir_value *structure = ir_pack64(b, in[14], in[15]), *has_one = ir_ine(b, structure, ir_const(b, 64, 0));
    rays_load_box(b, ir_iadd(b, ir_select(b, has_one, structure, va), ir_const(b, 64, RAY_HEADER_BOUNDS)), bounds);
    struct ir_value *is_active = ir_iand(b, has_one, ir_inot(b, rays_is_nan(b, bounds[0])));

    invert_matrix(b, in, words + RAY_INSTANCE_WORLD_TO_OBJECT / 4);
    words[RAY_INSTANCE_STRUCTURE / 4] = in[14];
    words[RAY_INSTANCE_STRUCTURE / 4 + 1] = in[15];
    words[RAY_INSTANCE_INDEX_MASK / 4] = in[12];
    words[RAY_INSTANCE_SBT_FLAGS / 4] = in[13];
    for (uint32_t i = 0; i < 12; i++)
        words[RAY_INSTANCE_OBJECT_TO_WORLD / 4 + i] = in[i];
    words[RAY_INSTANCE_ID / 4] = primitive;
    words[RAY_INSTANCE_PARENT / 4] = rays_word(b, RAY_NONE);
    for (uint32_t i = RAY_INSTANCE_PARENT / 4 + 1; i < 32; i++)
        words[i] = rays_word(b, 0);
    rays_store_words(b, rays_at(b, vk_meta_push64(b, PUSH_LEAVES), leaf, RAY_INSTANCE_SIZE), 0, 32, words);
    transform_box(b, in, bounds, box);
    put_box(b, key, leaf, box, is_active);
}

/* ---- dispatches ---- */

static void build_leaf(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)ops;
    struct ir_value *primitive = rays_begin(b), *leaf = ir_iadd(b, primitive, vk_meta_push(b, PUSH_FIRST));
    switch (key & ((1u << KEY_KIND_BITS) - 1)) {
    case RAY_KIND_TRIANGLE:
        build_triangle(b, key, primitive, leaf);
        break;
    case RAY_KIND_AABB:
        build_aabb(b, key, primitive, leaf);
        break;
    default:
        build_instance(b, key, primitive, leaf);
    }
    rays_end(b);
}

static uint32_t index_B(VkIndexType type)
{
    switch (type) {
    case VK_INDEX_TYPE_UINT32:
        return 4;
    case VK_INDEX_TYPE_UINT16:
        return 2;
    case VK_INDEX_TYPE_UINT8_KHR:
        return 1;
    default:
        return 0;
    }
}

/* Where the primitives of a range are; its offset counts in the indices, or in the vertices where there are none. */
static uint64_t read_triangles(const VkAccelerationStructureGeometryTrianglesDataKHR *triangles,
                               const VkAccelerationStructureBuildRangeInfoKHR *range, struct leaf_push *push)
{
    const uint32_t size_B = index_B(triangles->indexType);
    push->stride_B = (uint32_t)triangles->vertexStride;
    push->first_vertex = range->firstVertex;
    push->data_va = triangles->vertexData.deviceAddress + (size_B ? 0 : range->primitiveOffset);
    push->indices_va = size_B ? triangles->indexData.deviceAddress + range->primitiveOffset : 0;
    push->transform_va =
        triangles->transformData.deviceAddress ? triangles->transformData.deviceAddress + range->transformOffset : 0;
    const uint32_t format = format_index(triangles->vertexFormat);
    return (uint64_t)size_B << KEY_INDEX_SHIFT | (push->transform_va ? 1ull << KEY_TRANSFORM : 0) |
           (uint64_t)MIN2(format, (uint32_t)ARRAY_SIZE(formats) - 1) << KEY_FORMAT_SHIFT;
}

void radeon_rays_write_leaves(struct radeon_cmd_buffer *cmd, const struct radeon_rays_build *build, uint32_t number,
                              uint32_t first)
{
    const VkAccelerationStructureGeometryKHR *geometry = radeon_rays_geometry(build->info, number);
    const VkAccelerationStructureBuildRangeInfoKHR *range = &build->ranges[number];
    const struct radeon_rays_plan *plan = &build->plan;
    uint64_t rest = plan->leaf_kind | (uint64_t)build->is_update << KEY_UPDATE;
    struct leaf_push push = {
        .count = range->primitiveCount,
        .first = first,
        .geometry = number | (geometry->flags & VK_GEOMETRY_OPAQUE_BIT_KHR ? RAY_GEOMETRY_OPAQUE : 0),
        .leaves_va = build->dst_va + plan->leaves_B,
        .boxes_va = build->scratch_va + plan->scratch_boxes_B,
        .span_va = build->scratch_va,
    };
    switch (geometry->geometryType) {
    case VK_GEOMETRY_TYPE_TRIANGLES_KHR:
        rest |= read_triangles(&geometry->geometry.triangles, range, &push);
        break;
    case VK_GEOMETRY_TYPE_AABBS_KHR:
        push.stride_B = (uint32_t)geometry->geometry.aabbs.stride;
        push.data_va = geometry->geometry.aabbs.data.deviceAddress + range->primitiveOffset;
        break;
    default:
        rest |= geometry->geometry.instances.arrayOfPointers ? 1ull << KEY_POINTERS : 0;
        push.data_va = geometry->geometry.instances.data.deviceAddress + range->primitiveOffset;
    }
    const struct vk_shader *shader = vk_meta_shader(&cmd->vk, VK_META_KEY(RADEON_META_RAYS_LEAVES, rest), build_leaf);
    radeon_meta_dispatch(cmd, shader, NULL, 0, &push, sizeof(push),
                         (const uint32_t[3]){(uint32_t)div_round_up(push.count, RADEON_RAYS_GROUP), 1, 1});
}
