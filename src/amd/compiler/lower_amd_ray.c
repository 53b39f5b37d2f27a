/* Ray queries, and with them traversals of pipelines, on trees that the driver builds (ray_layout.h): what the walk of
 * compiler/lower asks of a machine. Boxes and triangles are tested by one instruction, whichever of the two a lane is
 * at; what lies beside them in a leaf is loaded where it is wanted. A structure is known by the node number of its
 * header, to which references are added. */
#include "amd/compiler/lower_amd_trace.h"
#include "amd/compiler/ray_layout.h"
#include "compiler/lower/lower_rays.h"
#include "util/bits.h"

#define KIND_MASK ((1u << RAY_KIND_BITS) - 1)

static struct ir_value *base(struct ir_builder *b, struct ir_value *structure)
{
    struct ir_value *address = ir_iand(b, structure, ir_const(b, 64, RAY_ADDRESS_MASK));
    return ir_ushr(b, address, ir_const(b, 32, RAY_NUMBER_SHIFT));
}

static struct ir_value *is_kind(struct ir_builder *b, struct ir_value *reference, enum lower_rays_kind kind)
{
    static const uint8_t kinds[] = {
        [LOWER_RAYS_BOXES] = RAY_KIND_BOXES,
        [LOWER_RAYS_TRIANGLE] = RAY_KIND_TRIANGLE,
        [LOWER_RAYS_BOX] = RAY_KIND_AABB,
        [LOWER_RAYS_INSTANCE] = RAY_KIND_INSTANCE,
    };
    return ir_ieq(b, ir_iand(b, reference, ir_const(b, 32, KIND_MASK)), ir_const(b, 32, kinds[kind]));
}

static struct ir_value *number_of(struct ir_builder *b, struct ir_value *start, struct ir_value *reference)
{
    return ir_iadd(b, start, ir_u2u(b, 64, reference));
}

static struct ir_value *test_reference(struct ir_builder *b, struct ir_value *start, struct ir_value *reference,
                                       const struct lower_rays_ray *ray)
{
    return ir_bvh_ray(b, number_of(b, start, reference), ray->t, ir_vec(b, 3, ray->origin),
                      ir_vec(b, 3, ray->direction), ir_vec(b, 3, ray->inverse));
}

/* Distance, weights and side come times one number, which is the second word and has the side's sign. */
static void meeting(struct ir_builder *b, struct ir_value *words, struct lower_rays_meeting *out)
{
    out->side = ir_extract(b, words, 1);
    struct ir_value *inverse = ir_frcp(b, out->side);
    out->t = ir_fdiv(b, ir_extract(b, words, 0), out->side);
    out->u = ir_fmul(b, ir_extract(b, words, 2), inverse);
    out->v = ir_fmul(b, ir_extract(b, words, 3), inverse);
}

/* ---- what lies in a node ---- */

/* Of the node: its number without the kind, as a canonical address. */
static struct ir_value *address_of(struct ir_builder *b, struct ir_value *start, struct ir_value *reference)
{
    struct ir_value *unit = ir_iand(b, reference, ir_const(b, 32, ~KIND_MASK));
    struct ir_value *high =
        ir_ishl(b, number_of(b, start, unit), ir_const(b, 32, 64 - RAY_ADDRESS_BITS + RAY_NUMBER_SHIFT));
    return ir_ishr(b, high, ir_const(b, 32, 64 - RAY_ADDRESS_BITS));
}

static void load_words(struct ir_builder *b, struct ir_value *address, uint32_t offset_B, uint32_t count,
                       struct ir_value **out)
{
    for (uint32_t done = 0; done < count; done += 4) {
        const uint32_t at_B = offset_B + done * 4, now = MIN2(count - done, 4u);
        struct ir_value *words = ir_load_global(b, 32, (uint8_t)now, address, at_B, RAY_NODE_ALIGN,
                                                at_B % RAY_NODE_ALIGN, IR_ACCESS_READONLY);
        for (uint32_t i = 0; i < now; i++)
            out[done + i] = ir_extract(b, words, i);
    }
}

static struct ir_value *low_bits(struct ir_builder *b, struct ir_value *word, uint32_t bits)
{
    return ir_iand(b, word, ir_const(b, 32, bits_mask(bits)));
}

static void leaf(struct ir_builder *b, struct ir_value *start, struct ir_value *reference, struct lower_rays_leaf *out)
{
    struct ir_value *words[2];
    _Static_assert(RAY_LEAF_GEOMETRY == RAY_LEAF_PRIMITIVE + 4, "they are loaded together");
    load_words(b, address_of(b, start, reference), RAY_LEAF_PRIMITIVE, 2, words);
    out->primitive = words[0];
    out->geometry = low_bits(b, words[1], RAY_GEOMETRY_INDEX_BITS);
    out->is_opaque = ir_ilt(b, words[1], ir_const(b, 32, 0));
}

static void instance(struct ir_builder *b, struct ir_value *start, struct ir_value *reference,
                     struct lower_rays_instance *out)
{
    struct ir_value *words[RAY_INSTANCE_OBJECT_TO_WORLD / 4];
    load_words(b, address_of(b, start, reference), 0, ARRAY_SIZE(words), words);
    for (uint32_t i = 0; i < 12; i++)
        out->world_to_object[i] = words[RAY_INSTANCE_WORLD_TO_OBJECT / 4 + i];
    out->structure = ir_pack64(b, words[RAY_INSTANCE_STRUCTURE / 4], words[RAY_INSTANCE_STRUCTURE / 4 + 1]);
    out->mask = ir_ushr(b, words[RAY_INSTANCE_INDEX_MASK / 4], ir_const(b, 32, 24));
    out->flags = ir_ushr(b, words[RAY_INSTANCE_SBT_FLAGS / 4], ir_const(b, 32, 24));
}

void amd_ray_node_value(struct ir_builder *b, struct ir_value *address, enum ir_ray_value what,
                        struct ir_value *out[12])
{
    static const struct {
        uint8_t offset_B, words, bits; /* bits of a word that count; 0: all */
    } rows[] = {
        [IR_RAY_custom_index] = {RAY_INSTANCE_INDEX_MASK, 1, 24},
        [IR_RAY_sbt_offset] = {RAY_INSTANCE_SBT_FLAGS, 1, 24},
        [IR_RAY_instance_id] = {RAY_INSTANCE_ID, 1, 0},
        [IR_RAY_object_to_world] = {RAY_INSTANCE_OBJECT_TO_WORLD, 12, 0},
        [IR_RAY_world_to_object] = {RAY_INSTANCE_WORLD_TO_OBJECT, 12, 0},
        [IR_RAY_vertices] = {RAY_TRIANGLE_VERTICES, 9, 0},
    };
    load_words(b, address, rows[what].offset_B, rows[what].words, out);
    if (rows[what].bits)
        out[0] = low_bits(b, out[0], rows[what].bits);
}

static void value(struct ir_builder *b, struct ir_value *start, struct ir_value *reference, enum ir_ray_value what,
                  struct ir_value *out[12])
{
    struct ir_value *address = address_of(b, start, reference);
    if (what == IR_RAY_instance || what == IR_RAY_leaf) {
        out[0] = ir_lo32(b, address);
        out[1] = ir_hi32(b, address);
        return;
    }
    amd_ray_node_value(b, address, what, out);
}

static const struct lower_rays_machine machine = {
    .root = RAY_ROOT,
    .none = RAY_NONE,
    .max_references = 3 * (RAY_MAX_LEVELS + RAY_MAX_TOP_LEVELS),
    .base = base,
    .is_kind = is_kind,
    .test = test_reference,
    .meeting = meeting,
    .leaf = leaf,
    .instance = instance,
    .value = value,
};

bool amd_lower_amd_ray(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_rays(shader, &machine);
}
