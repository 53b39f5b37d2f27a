/* See frag_join.h: how a draw's program is joined with what its outputs become. */
#include "mali/model/frag/frag_join.h"

#include <stddef.h>
#include <string.h>

#include "model/pixel/pixel_program.h"
#include "util/hash.h"

/* ---- keys ---- */

static void set_terms(struct frag_join_term *out, const struct pixel_term *terms)
{
    for (unsigned c = 0; c < 4; c++)
        out[c] = (struct frag_join_term){terms[c].base, terms[c].scale, terms[c].operand};
}

static size_t key_size_B(const struct frag_join_key *key)
{
    return offsetof(struct frag_join_key, targets) + key->target_count * sizeof(key->targets[0]);
}

static void make_key(const struct frag_draw *draw, const struct frag_fb *fb, struct frag_join_key *key)
{
    memset(key, 0, offsetof(struct frag_join_key, targets) + fb->target_count * sizeof(key->targets[0]));
    key->code_va = draw->launch.code_va;
    key->samples = fb->samples;
    key->has_ftz = draw->launch.has_ftz;
    key->covers_by_alpha = draw->dcd.ALPHA_TO_COVERAGE;
    key->target_mask = (uint16_t)draw->dcd.RENDER_TARGET_MASK;
    key->target_count = fb->target_count;
    for (unsigned t = 0; t < fb->target_count; t++) {
        const struct frag_blend *blend = &draw->blends[t];
        struct frag_join_target *target = &key->targets[t];
        target->internal = fb->targets[t].internal;
        target->is_srgb = blend->is_srgb;
        target->has_alpha_one = blend->has_alpha_one;
        target->is_replacing = blend->is_replacing;
        target->mask = blend->mask;
        target->sums = blend->terms.sums;
        target->is_alpha_one = blend->terms.is_alpha_one;
        set_terms(target->source, blend->terms.source_term);
        set_terms(target->destination, blend->terms.destination_term);
    }
    key->hash = hash_bytes(&key->code_va, key_size_B(key) - offsetof(struct frag_join_key, code_va));
}

struct wanted {
    const struct mali_core *core;
    const struct frag_join_key *key;
};

static bool is_join_of(const struct pixel_joined *base, const void *context)
{
    const struct frag_joined *joined = (const struct frag_joined *)base;
    const struct wanted *wanted = context;
    return joined->key.hash == wanted->key->hash && memcmp(&joined->key, wanted->key, key_size_B(wanted->key)) == 0 &&
           mali_sc_join_holds(wanted->core, joined->facts, joined->fact_count);
}

struct frag_joined *mali_frag_join_find(struct frag_worker *w, const struct frag_draw *draw)
{
    struct exec_code *code = mali_sc_join_code(w->core);
    struct frag_join_key key;
    bool is_new;
    if (!code)
        return NULL;
    make_key(draw, w->fb, &key);
    const struct wanted wanted = {w->core, &key};
    struct frag_joined *joined =
        (struct frag_joined *)pixel_joined_find(code, is_join_of, &wanted, sizeof(*joined), &is_new);
    if (joined && is_new)
        memcpy(&joined->key, &key, key_size_B(&key));
    return joined;
}

/* ---- what the program asks for ---- */

struct making {
    struct frag_worker *w;
    struct mali_warp *warp;
    struct frag_join_variant *variant;
    bool is_one;
};

static uint32_t offset_of(const struct making *m, const void *place)
{
    return (uint32_t)((const char *)place - (const char *)m->warp);
}

static jit_value row_at(const struct making *m, struct lane_program *program, const void *row)
{
    return lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offset_of(m, row));
}

static jit_value scalar_at(const struct making *m, struct lane_program *program, const void *word)
{
    return lane_program_emit(program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, offset_of(m, word));
}

/* Floats at the middles of pixels, or what a vertex has, of one primitive: numbers of the primitive. */
static bool is_by_values(const struct making *m, const struct mali_varying_load *load)
{
    return m->is_one && mali_frag_is_plain_load(load);
}

static bool take_varying(void *user, struct lane_program *program, const struct mali_varying_load *load,
                         jit_value registers_out[4])
{
    struct making *m = user;
    struct frag_join_variant *variant = m->variant;
    struct frag_join_rows *rows = mali_frag_join_rows(m->warp);
    const unsigned number = variant->varying_count;
    if (number == FRAG_JOIN_VARYINGS)
        return false;
    variant->varyings[variant->varying_count++] = *load;
    if (!is_by_values(m, load)) {
        variant->as_rows |= (uint16_t)(1u << number);
        variant->needs_quads = true;
        for (unsigned i = 0; i < 4; i++)
            registers_out[i] = row_at(m, program, rows->varyings[number][i]);
        return !program->failed;
    }
    for (unsigned c = 0; c < load->components; c++) {
        const uint32_t *values = m->warp->values + 12 * number + 3 * c;
        registers_out[c] = scalar_at(m, program, &values[0]);
        if (load->source == MALI_SOURCE_FLAT32)
            continue;
        variant->has_weights = true;
        registers_out[c] = pixel_program_interpolate(
            program, registers_out[c], row_at(m, program, rows->weight_i), scalar_at(m, program, &values[1]),
            row_at(m, program, rows->weight_j), scalar_at(m, program, &values[2]));
    }
    return !program->failed;
}

static bool has_output(const struct frag_join_variant *variant, unsigned target)
{
    bool has = false;
    for (unsigned i = 0; i < variant->output_count; i++)
        has |= variant->outputs[i].target == target;
    return has;
}

/* Cells are read before the program: not where one of its colours has changed them, nor sample by sample. */
static unsigned take_tile(void *user, struct lane_program *program, const struct sc_join_tile *tile,
                          jit_value registers_out[4])
{
    struct making *m = user;
    struct frag_join_variant *variant = m->variant;
    const struct frag_fb *fb = m->w->fb;
    const unsigned sample = tile->pixel & 0xff, number = tile->pixel >> 8 & 0xff;
    struct frag_join_rows *rows = mali_frag_join_rows(m->warp);
    struct frag_conversion conversion;
    jit_value stored[4];
    if (tile->pixel >> 24 != FRAG_OWN_PIXEL || sample || fb->samples > 1 || number >= fb->target_count ||
        has_output(variant, number) || variant->tile_count == FRAG_JOIN_TILES ||
        !mali_frag_conversion(fb->queue, &fb->targets[number], tile->conversion, &conversion))
        return 0;
    const unsigned place = variant->tile_count++;
    variant->tiles[place] = (uint8_t)number;
    for (unsigned k = 0; k < 4; k++)
        stored[k] =
            4 * k < conversion.cell_B ? row_at(m, program, rows->tiles[place][k]) : lane_program_const(program, 0);
    return mali_frag_make_registers(program, &conversion, mali_frag_register_format(tile->regfmt, tile->conversion),
                                    tile->components, stored, registers_out);
}

static enum mali_blend_result take_blend(void *user, const struct sc_join_blend *blend)
{
    struct making *m = user;
    const unsigned mode = blend->descriptor[0] & 3, number = blend->descriptor[0] >> 16 & 15;
    if (mode == MALI_BLEND_MODE_SHADER)
        return MALI_BLEND_SHADER;
    if (mode == MALI_BLEND_MODE_OFF || number >= m->w->fb->target_count ||
        !(m->w->draw->dcd.RENDER_TARGET_MASK >> number & 1))
        return MALI_BLEND_DONE;
    if (m->variant->output_count == FRAG_TARGETS ||
        has_output(m->variant, number)) /* cells are read before the program */
        return MALI_BLEND_FAULT;
    if (mode != MALI_BLEND_MODE_OPAQUE && !m->w->draw->blends[number].mask)
        return MALI_BLEND_DONE; /* no channel is written */
    struct frag_join_output *output = &m->variant->outputs[m->variant->output_count++];
    *output = (struct frag_join_output){
        .target = (uint8_t)number,
        .is_opaque = mode == MALI_BLEND_MODE_OPAQUE,
        .request = {.descriptor = {blend->descriptor[0], blend->descriptor[1]},
                    .regfmt = blend->regfmt,
                    .components = blend->components},
    };
    memcpy(output->colour, blend->colour, sizeof(output->colour));
    output->coverage = blend->coverage;
    output->has_cover = blend->coverage != JIT_NONE;
    if (!mali_frag_conversion(m->w->fb->queue, &m->w->fb->targets[number], blend->descriptor[1], &output->conversion))
        return MALI_BLEND_FAULT;
    mali_frag_choose_output(m->w, output);
    return MALI_BLEND_DONE;
}

static void store_row(const struct making *m, struct lane_program *program, jit_value value, const void *row)
{
    lane_program_emit(program, JIT_STORE, value, JIT_NONE, JIT_NONE, offset_of(m, row));
}

static void finish_output(const struct making *m, struct lane_program *program, unsigned i)
{
    struct frag_join_rows *rows = mali_frag_join_rows(m->warp);
    struct frag_join_output *output = &m->variant->outputs[i];
    const unsigned count = mali_regfmt_registers(output->request.regfmt, output->request.components);
    jit_value stored[4], codes[4];
    if (output->is_made)
        return;
    output->is_made = true;
    if (output->has_cover)
        store_row(m, program, output->coverage, rows->covers[i]);
    for (unsigned k = 0; k < 4; k++) {
        const bool is_read = output->is_read && 4 * k < output->cell_B;
        stored[k] = is_read ? row_at(m, program, rows->codes[i][k]) : JIT_NONE;
        codes[k] = k < count ? output->colour[k] : JIT_NONE;
    }
    if (output->is_codes)
        mali_frag_make_codes(m->w, output, program, stored, codes);
    for (unsigned k = 0; k < 4; k++) {
        if (codes[k] != JIT_NONE)
            store_row(m, program, codes[k], rows->codes[i][k]);
    }
}

/* Micro-operations come: colours of so far must not wait for the end. */
static void pause_colors(void *user, struct lane_program *program)
{
    const struct making *m = user;
    for (unsigned i = 0; i < m->variant->output_count; i++)
        finish_output(m, program, i);
}

/* Programs of uniforms alone. */
static bool is_solid(const struct making *m, const struct lane_program *program)
{
    bool is_same[JIT_MAX_INSTS], all = m->variant->varying_count == 0;
    jit_find_same(program->insts, program->count, is_same);
    for (uint32_t i = 0; i < program->count; i++)
        all &= program->insts[i].op != JIT_STORE || is_same[program->insts[i].a];
    return all;
}

/* Varyings and outputs that pixels by themselves can have. */
static bool is_apart(const struct frag_join_variant *variant)
{
    bool all = !variant->has_zs;
    for (unsigned i = 0; i < variant->varying_count; i++)
        all &= mali_frag_is_plain_load(&variant->varyings[i]);
    for (unsigned i = 0; i < variant->output_count; i++)
        all &= variant->outputs[i].is_codes;
    return all;
}

static bool finish_program(void *user, struct lane_program *program, const struct sc_join_end *end)
{
    struct making *m = user;
    struct frag_join_rows *rows = mali_frag_join_rows(m->warp);
    for (unsigned i = 0; i < m->variant->output_count; i++)
        finish_output(m, program, i);
    m->variant->is_solid = !program->failed && is_solid(m, program);
    m->variant->has_coverage = end->coverage != JIT_NONE;
    m->variant->has_discard = end->killed != JIT_NONE;
    m->variant->has_alpha = m->w->draw->dcd.ALPHA_TO_COVERAGE && end->alpha != JIT_NONE;
    m->variant->has_zs = end->has_zs;
    m->variant->has_depth = end->depth != JIT_NONE;
    m->variant->has_stencil = end->stencil != JIT_NONE;
    if (m->variant->has_coverage)
        store_row(m, program, end->coverage, rows->coverage);
    if (m->variant->has_alpha)
        store_row(m, program, end->alpha, rows->alpha);
    if (m->variant->has_depth)
        store_row(m, program, end->depth, rows->depth);
    if (m->variant->has_stencil)
        store_row(m, program, end->stencil, rows->stencil);
    if (m->variant->has_discard)
        lane_program_emit(program, JIT_STORE_BITS, end->killed, JIT_NONE, JIT_NONE, offset_of(m, &rows->killed));
    return !program->failed;
}

void mali_frag_join(struct frag_worker *w, struct frag_joined *joined, bool is_one, struct mali_warp *warp)
{
    static const struct sc_join_hooks hooks = {take_varying, take_blend, take_tile, pause_colors, finish_program};
    struct frag_join_variant *variant = &joined->variants[is_one];
    struct making making = {w, warp, variant, is_one};
    struct sc_join join = {
        .warp = warp,
        .variant = &joined->base.variants[is_one],
        .frame_B = sizeof(struct mali_warp) + sizeof(struct frag_join_rows),
        .hooks = &hooks,
        .user = &making,
    };
    memset(variant, 0, sizeof(*variant));
    mali_sc_join(&join);
    variant->preloaded = join.preloaded;
    variant->between = join.between;
    variant->is_apart = join.is_apart && is_apart(variant);
    variant->area = is_one && !variant->varying_count && join.variant->state == PIXEL_JOIN_READY ? join.area : NULL;
    if (is_one && variant->output_count == 1 && variant->outputs[0].is_codes && !variant->outputs[0].is_read &&
        variant->outputs[0].cell_B == 4 && !variant->varying_count)
        variant->move = join.move;
    if (join.fact_count <= joined->fact_count) /* the other variant has found them */
        return;
    joined->fact_count = join.fact_count;
    memcpy(joined->facts, join.facts, sizeof(joined->facts));
}

/* ---- numbers of a primitive ---- */

bool mali_frag_join_values(struct frag_worker *w, const struct frag_join_variant *variant,
                           const struct mali_bin_prim *prim, struct mali_warp *warp)
{
    for (unsigned i = 0; i < variant->varying_count; i++) {
        const struct mali_varying_load *load = &variant->varyings[i];
        if (!(variant->as_rows >> i & 1) && !mali_frag_varying_values(w, prim, load, warp->values + 12 * i))
            return false;
    }
    return true;
}
