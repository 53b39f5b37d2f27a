/* See gras_join.h: how a draw's program is joined with what its outputs become. */
#include "adreno/model/gras/gras_join.h"

#include <stddef.h>
#include <string.h>

#include "model/pixel/pixel_program.h"
#include "model/pixel/pixel_target.h"
#include "util/bits.h"
#include "util/hash.h"

/* ---- keys ---- */

static void set_terms(struct gras_join_term *out, const struct pixel_term *terms)
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = (struct gras_join_term){terms[c].base, terms[c].scale, terms[c].operand};
}

static bool is_read(const struct gras_state *state, unsigned output, uint8_t numeric)
{
    return (state->output_mask >> output & 1) && state->outputs[output].numeric == numeric;
}

/* Does the target become codes in the program? */
static bool is_codes(const struct gras_shading *shading, unsigned t)
{
    const struct adreno_rb_target *target = &shading->rb.draw->targets[t];
    const struct gras_state *state = shading->state;
    return target->code_dw && is_read(state, t, target->format.numeric) &&
           (!target->blend.is_dual || is_read(state, 1, ADRENO_RB_FLOAT)) &&
           !(target->reads_codes && shading->rb.draw->samples_log2);
}

static void set_target(const struct adreno_rb_target *from, struct gras_join_target *target)
{
    const struct pixel_blend *blend = &from->blend;
    target->is_blended = from->is_blended;
    target->is_encoded = from->is_encoded;
    target->code_dw = from->code_dw;
    target->reads = from->reads_codes;
    target->is_packed = from->is_packed;
    target->is_words = from->is_words;
    target->is_alpha_one = blend->is_alpha_one;
    memcpy(target->from, from->format.from, sizeof(target->from));
    if (from->is_packed || from->is_words)
        target->format = (uint16_t)from->format.format;
    if (from->is_blended) {
        set_terms(target->source, blend->source_term);
        set_terms(target->destination, blend->destination_term);
    }
    if (!from->is_words)
        return;
    target->is_bytes4 = from->is_bytes4;
    target->has_logic = from->has_rop;
    target->logic = from->has_rop ? from->rop : 0;
    memcpy(target->bits, from->bits, sizeof(target->bits));
    if (from->is_blended) {
        target->color = blend->color;
        target->alpha = blend->alpha;
    }
}

static size_t key_size_B(const struct gras_join_key *key)
{
    return offsetof(struct gras_join_key, targets) + key->target_count * sizeof(key->targets[0]);
}

static void make_key(const struct gras_shading *shading, struct gras_join_key *key)
{
    const struct adreno_rb_draw *draw = shading->rb.draw;
    memset(key, 0, offsetof(struct gras_join_key, targets));
    key->program_va = shading->launch->program_va;
    key->has_alpha_to_one = draw->has_alpha_to_one;
    key->output_mask = shading->state->output_mask;
    key->is_codes = 1;
    bits_foreach (key->output_mask, o) {
        key->regids[o] = shading->state->outputs[o].regid;
        key->halves |= (uint8_t)(shading->state->outputs[o].is_half << o);
    }
    memcpy(key->sources, shading->state->vpc->sources, sizeof(key->sources));
    bits_foreach (draw->used, t) {
        const struct adreno_rb_target *from = &draw->targets[t];
        const struct gras_output *output = &shading->state->outputs[t];
        struct gras_join_target *target = &key->targets[key->target_count++];
        memset(target, 0, sizeof(*target));
        target->number = (uint8_t)t;
        target->regid = output->regid;
        target->is_half = output->is_half;
        target->numeric = output->numeric;
        target->is_codes = is_codes(shading, (unsigned)t);
        key->is_codes &= target->is_codes;
        if (!target->is_codes)
            continue;
        set_target(from, target);
        key->reads |= target->reads;
    }
    key->hash = hash_bytes(&key->program_va, key_size_B(key) - offsetof(struct gras_join_key, program_va));
}

static bool is_join_of(const struct pixel_joined *base, const void *wanted)
{
    const struct gras_joined *joined = (const struct gras_joined *)base;
    const struct gras_join_key *key = wanted;
    return joined->key.hash == key->hash && memcmp(&joined->key, key, key_size_B(key)) == 0;
}

struct gras_joined *adreno_gras_join_find(const struct gras_shading *shading, const struct adreno_sp *sp)
{
    const struct gras_state *state = shading->state;
    struct exec_code *code = adreno_sp_join_code(sp);
    struct gras_join_key key;
    bool is_new;
    if (!code || !state->has_shader || shading->rb.draw->has_alpha_to_coverage || state->depth_reg != ADRENO_NO_REG ||
        state->mask_reg != ADRENO_NO_REG || state->stencil_reg != ADRENO_NO_REG)
        return NULL;
    make_key(shading, &key);
    struct gras_joined *joined =
        (struct gras_joined *)pixel_joined_find(code, is_join_of, &key, sizeof(*joined), &is_new);
    if (joined && is_new)
        memcpy(&joined->key, &key, key_size_B(&key));
    return joined;
}

/* ---- what the program asks for ---- */

struct making {
    const struct gras_shading *shading;
    struct adreno_wave *wave;
    struct gras_joined *joined;
    struct gras_join_variant *variant;
    bool is_one;
};

static uint32_t offset_of(const struct making *m, const void *place)
{
    return (uint32_t)((const char *)place - (const char *)m->wave);
}

/* One number of a varying: the primitive's, or by lane. */
static jit_value number_at(const struct making *m, struct lane_program *program, uint32_t slot, unsigned n)
{
    const struct gras_join_rows *rows = adreno_sp_join_after(m->wave);
    return lane_program_emit(program, m->is_one ? JIT_SPLAT : JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                             m->is_one ? offset_of(m, &m->wave->values[3 * slot + n])
                                       : offset_of(m, rows->varyings[slot][n]));
}

static bool take_varying(void *user, struct lane_program *program, uint32_t location, jit_value i, jit_value j,
                         jit_value *value_out)
{
    struct making *m = user;
    struct gras_join_variant *variant = m->variant;
    const bool is_flat = i == JIT_NONE;
    uint32_t slot = 0;
    if (location > UINT8_MAX)
        return false;
    while (slot < variant->location_count &&
           (variant->locations[slot] != location || (variant->is_flat >> slot & 1) != is_flat))
        slot++;
    if (slot == GRAS_JOIN_LOCATIONS)
        return false;
    if (slot == variant->location_count) {
        variant->locations[variant->location_count++] = (uint8_t)location;
        variant->is_flat |= (uint32_t)is_flat << slot;
    }
    *value_out = number_at(m, program, slot, 0);
    if (!is_flat && !adreno_gras_is_constant(m->joined->key.sources, location))
        *value_out = pixel_program_interpolate(program, *value_out, i, number_at(m, program, slot, 1), j,
                                               number_at(m, program, slot, 2));
    return !program->failed;
}

static void store_row(const struct making *m, struct lane_program *program, jit_value value, const void *row)
{
    lane_program_emit(program, JIT_STORE, value, JIT_NONE, JIT_NONE, offset_of(m, row));
}

/* Where a shader's output is. */
struct output {
    unsigned regid;
    bool is_half;
};

static struct output output_of(const struct gras_join_target *target)
{
    return (struct output){target->regid, target->is_half};
}

static unsigned row_of(struct output output, unsigned c)
{
    const unsigned component = output.regid + c;
    return output.is_half ? adreno_half_row(component) : component % ADRENO_WAVE_ROWS;
}

/* A component between 0 and 1; halves without what stands beside them. */
static jit_value read_unit(const struct gras_join_target *target, struct lane_program *program,
                           struct sp_jit_builder *builder, unsigned c)
{
    jit_value value = adreno_sp_join_row(builder, row_of(output_of(target), c));
    if (!target->is_half)
        return pixel_program_unit(program, value);
    const unsigned shift = adreno_half_shift(target->regid + c);
    value =
        shift ? lane_program_shift_by(program, JIT_SHR, value, shift) : lane_program_zero_extend(program, value, 16);
    return pixel_program_unit_of_half(program, value);
}

/* A component as a float, or as a half with zeros above it. */
static jit_value read_number(const struct gras_join_target *target, struct lane_program *program,
                             struct sp_jit_builder *builder, unsigned c, bool is_half_wanted)
{
    const jit_value row = adreno_sp_join_row(builder, row_of(output_of(target), c));
    if (!target->is_half)
        return is_half_wanted ? lane_program_unary(program, JIT_HALF_ROUNDED, row) : row;
    const unsigned shift = adreno_half_shift(target->regid + c);
    const jit_value half =
        shift ? lane_program_shift_by(program, JIT_SHR, row, shift) : lane_program_zero_extend(program, row, 16);
    return is_half_wanted ? half : lane_program_unary(program, JIT_F32_OF_HALF, half);
}

/* Four halves. */
static void finish_wide_codes(const struct making *m, struct lane_program *program, struct sp_jit_builder *builder,
                              const struct gras_join_target *target)
{
    const struct adreno_rb_target *to = &m->shading->rb.draw->targets[target->number];
    struct gras_join_rows *rows = adreno_sp_join_after(m->wave);
    jit_value numbers[4], stored[2], made[2];
    for (unsigned c = 0; c < 4; c++)
        numbers[c] = c == 3 && m->joined->key.has_alpha_to_one
                         ? lane_program_const(program, target->is_blended ? 0x3f800000 : 0x3c00)
                         : read_number(target, program, builder, c, !target->is_blended);
    for (unsigned i = 0; i < 2; i++) {
        if (target->is_blended)
            stored[i] = lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                                          offset_of(m, rows->codes[target->number][i]));
        else
            made[i] = lane_program_or(program, numbers[to->format.from[2 * i]],
                                      lane_program_shift_by(program, JIT_SHL, numbers[to->format.from[2 * i + 1]], 16));
    }
    if (target->is_blended)
        pixel_program_blend_halves4(program, &to->blend, numbers, stored, made);
    for (unsigned i = 0; i < 2; i++)
        store_row(m, program, made[i], rows->codes[target->number][i]);
}

/* A component as it comes: a float, or an integer of 32 bits. */
static jit_value read_word(struct output output, uint8_t numeric, struct lane_program *program,
                           struct sp_jit_builder *builder, unsigned c)
{
    const jit_value row = adreno_sp_join_row(builder, row_of(output, c));
    if (!output.is_half)
        return row;
    const unsigned shift = adreno_half_shift(output.regid + c);
    if (numeric == ADRENO_RB_FLOAT)
        return lane_program_unary(program, JIT_F32_OF_HALF,
                                  shift ? lane_program_shift_by(program, JIT_SHR, row, shift)
                                        : lane_program_zero_extend(program, row, 16));
    const jit_value half = lane_program_shift_by(program, JIT_SHL, row, 16 - shift);
    return lane_program_shift_by(program, numeric == ADRENO_RB_SINT ? JIT_SAR : JIT_SHR, half, 16);
}

static void read_words(const struct making *m, struct lane_program *program, struct sp_jit_builder *builder,
                       struct output output, uint8_t numeric, jit_value words[4])
{
    for (unsigned c = 0; c < 4; c++)
        words[c] = c == 3 && m->joined->key.has_alpha_to_one
                       ? lane_program_const(program, numeric == ADRENO_RB_FLOAT ? 0x3f800000 : 1)
                       : read_word(output, numeric, program, builder, c);
}

static jit_value pack_target(const struct making *m, struct lane_program *program, struct sp_jit_builder *builder,
                             const struct gras_join_target *target)
{
    jit_value words[4], ordered[4];
    read_words(m, program, builder, output_of(target), target->numeric, words);
    for (unsigned k = 0; k < 4; k++)
        ordered[k] = words[target->from[k]];
    return pixel_program_pack_words(program, target->format, ordered);
}

/* Any other target. */
static void finish_words(const struct making *m, struct lane_program *program, struct sp_jit_builder *builder,
                         const struct gras_join_target *target)
{
    const struct gras_join_key *key = &m->joined->key;
    const struct adreno_rb_target *from = &m->shading->rb.draw->targets[target->number];
    const struct gras_join_rows *rows = adreno_sp_join_after(m->wave);
    const struct output output1 = {key->regids[1], key->halves >> 1 & 1};
    const bool is_dual = target->is_blended && from->blend.is_dual;
    struct pixel_target to = {.format = target->format,
                              .is_fused = !(target->is_bytes4 && target->is_blended),
                              .blend = target->is_blended ? &from->blend : NULL,
                              .has_logic = target->has_logic,
                              .logic = target->logic,
                              .bits = target->bits};
    jit_value colors[4], second[4], stored[4], made[4];
    memcpy(to.from, target->from, sizeof(to.from));
    read_words(m, program, builder, output_of(target), target->numeric, colors);
    if (is_dual)
        read_words(m, program, builder, output1, ADRENO_RB_FLOAT, second);
    for (unsigned i = 0; i < 4; i++)
        stored[i] = target->reads && i < target->code_dw
                        ? lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                                            offset_of(m, rows->codes[target->number][i]))
                        : JIT_NONE;
    pixel_target_pack(program, &to, colors, is_dual ? second : NULL, stored, made);
    if (target->reads)
        pixel_target_mix(program, &to, stored, made);
    for (unsigned i = 0; i < target->code_dw; i++)
        store_row(m, program, made[i], rows->codes[target->number][i]);
}

static void finish_codes(const struct making *m, struct lane_program *program, struct sp_jit_builder *builder,
                         const struct gras_join_target *target)
{
    const struct adreno_rb_target *to = &m->shading->rb.draw->targets[target->number];
    const struct gras_join_rows *rows = adreno_sp_join_after(m->wave);
    const uint32_t *codes = rows->codes[target->number][0];
    jit_value unit[4], stored = JIT_NONE;
    if (target->is_words) {
        finish_words(m, program, builder, target);
        return;
    }
    if (target->code_dw == 2) {
        finish_wide_codes(m, program, builder, target);
        return;
    }
    if (target->is_packed) {
        store_row(m, program, pack_target(m, program, builder, target), codes);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        unit[c] = c == 3 && m->joined->key.has_alpha_to_one ? lane_program_const(program, 0x3f800000)
                                                            : read_unit(target, program, builder, c);
    if (target->is_blended)
        stored = lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offset_of(m, codes));
    if (target->is_encoded && target->is_blended) {
        store_row(m, program, pixel_program_blend_srgb4(program, &to->blend, unit, stored, true), codes);
        return;
    }
    if (target->is_encoded) {
        const uint8_t *from = to->format.from;
        const jit_value ordered[4] = {unit[from[0]], unit[from[1]], unit[from[2]], unit[from[3]]};
        store_row(m, program, pixel_program_pack_srgb4(program, ordered, target->is_half, true), codes);
        return;
    }
    store_row(m, program, pixel_program_units4(program, &to->blend, to->format.from, target->is_blended, unit, stored),
              codes);
}

/* Registers of an output stay there. */
static void finish_rows(const struct making *m, struct lane_program *program, struct sp_jit_builder *builder,
                        unsigned o)
{
    const struct gras_output *output = &m->shading->state->outputs[o];
    for (unsigned c = 0; c < 4; c++) {
        const unsigned row = row_of((struct output){output->regid, output->is_half}, c);
        store_row(m, program, adreno_sp_join_row(builder, row), adreno_wave_row(m->wave, row));
    }
}

static bool finish_program(void *user, struct lane_program *program, struct sp_jit_builder *builder,
                           jit_value is_killed)
{
    struct making *m = user;
    const struct gras_join_key *key = &m->joined->key;
    for (unsigned i = 0; i < key->target_count && key->is_codes; i++)
        finish_codes(m, program, builder, &key->targets[i]);
    bits_foreach (key->is_codes ? 0 : key->output_mask, o)
        finish_rows(m, program, builder, (unsigned)o);
    m->variant->has_kill = is_killed != JIT_NONE;
    if (is_killed != JIT_NONE)
        lane_program_emit(program, JIT_STORE_BITS, is_killed, JIT_NONE, JIT_NONE,
                          offset_of(m, &((struct gras_join_rows *)adreno_sp_join_after(m->wave))->killed));
    return !program->failed;
}

void adreno_gras_join(const struct gras_shading *shading, struct gras_joined *joined, bool is_one,
                      struct adreno_wave *wave)
{
    static const struct sp_join_hooks hooks = {take_varying, finish_program};
    struct gras_join_variant *variant = &joined->variants[is_one];
    struct making making = {shading, wave, joined, variant, is_one};
    struct sp_join join = {
        .wave = wave,
        .variant = &joined->base.variants[is_one],
        .frame_B = (uint32_t)(ADRENO_JOIN_AFTER_B + sizeof(struct gras_join_rows)),
        .hooks = &hooks,
        .user = &making,
    };
    memset(variant, 0, sizeof(*variant));
    adreno_sp_join(&join);
    variant->between = join.between;
    variant->has_preamble = join.has_preamble;
}
