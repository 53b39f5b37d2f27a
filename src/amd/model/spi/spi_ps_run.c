/* Waves of joined programs (spi_ps_join.h): which program it is, and from its quads to the targets. */
#include <stdlib.h>
#include <string.h>

#include "amd/model/spi/spi_ps.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_mode.h"
#include "model/stat.h"
#include "util/bits.h"

struct sq_workgroup *amd_spi_ps_joined_create(uint32_t number)
{
    struct sq_workgroup *group = amd_sq_workgroup_create(number);
    if (!group)
        return NULL;
    const size_t size_B =
        sizeof(struct sq_wave) + (size_t)SPI_PS_VGPR_ROWS * LANES_MAX * 4 + sizeof(struct spi_ps_output);
    group->waves[0] = aligned_alloc(64, (size_t)align_u64(size_B, 64));
    if (group->waves[0])
        return group;
    amd_sq_workgroup_destroy(group);
    return NULL;
}

/* ---- finding ---- */

static bool is_join_of(const struct pixel_joined *base, const void *wanted)
{
    const struct spi_ps_joined *joined = (const struct spi_ps_joined *)base;
    const struct spi_ps_key *key = wanted;
    return joined->key.hash == key->hash && !memcmp(&joined->key, key, spi_ps_key_size_B(key));
}

static struct spi_ps_joined *find_joined(const struct spi_ps_key *key, struct sq_code *code)
{
    bool is_new;
    struct spi_ps_joined *joined =
        (struct spi_ps_joined *)pixel_joined_find(amd_sq_code_exec(code), is_join_of, key, sizeof(*joined), &is_new);
    if (joined && is_new)
        joined->key = *key;
    return joined;
}

static bool has_tests(const struct db_state *db)
{
    return db->z_test || db->bounds_test || db->stencil_test || db->count || (db->htile && db->expand);
}

static bool may_take_blocks(const struct spi_ps *ps)
{
    const struct db_state *db = ps->db.state;
    const bool tests = db->z_test || db->bounds_test || db->stencil_test || db->count;
    if ((tests && !(db->early && db_takes_blocks(&ps->db))) || db->z_export || db->stencil_export || db->mask_export ||
        (db->htile && db->expand) || ps->state->alpha_to_mask || ps->sc->samples != 1 || ps->sc->iterations != 1 ||
        ps->sc->spread || ps->state->stage.lanes != LANES_MAX || ps->state->is_ordered ||
        !amd_spi_ps_has_block_inputs(ps->state))
        return false;
    bits_foreach (ps->cb.state->used, t) {
        if (!amd_cb_takes_blocks(&ps->cb.state->targets[t]) || ps->cb.state->targets[t].samples != ps->sc->samples)
            return false;
    }
    return true;
}

/* A launch begins. */
static void enter_launch(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code)
{
    ps->host_env = lane_env_get();
    ps->joined_serial = launch->serial;
    ps->joined_code = code;
    ps->joined_is_begun = false;
    ps->joined_prim = NULL;
    ps->joined = ps->state->key.hash && amd_sq_code_exec(code)->jit ? find_joined(&ps->state->key, code) : NULL;
    ps->joined_takes_blocks = ps->joined && may_take_blocks(ps);
    ps->joined_blends = false;
    for (unsigned i = 0; i < ps->state->key.target_count; i++)
        ps->joined_blends |= cb_output_blends(ps->state->key.targets[i].output);
}

/* ---- the scalar part ---- */

enum scalars {
    SCALARS_RAN,
    SCALARS_ELSEWHERE, /* the program goes another way */
    SCALARS_LATER,     /* there is no code yet */
    SCALARS_FAILED,
};

static enum scalars run_scalars(struct spi_ps *ps, struct sq_wave *wave)
{
    const struct spi_ps_joined *joined = ps->joined;
    const uint64_t host = lane_env_get();
    enum scalars result = SCALARS_RAN;
    uint32_t guard = 0;
    sq_mode_enter(wave);
    for (uint32_t i = 0; result == SCALARS_RAN; i++) {
        for (; guard < joined->guard_count && joined->guards[guard].scalars == i; guard++) {
            if (joined->guards[guard].scc != (wave->scc != 0))
                result = SCALARS_ELSEWHERE;
        }
        if (i == joined->scalar_count || result != SCALARS_RAN)
            break;
        joined->scalars[i]->run(wave, joined->scalars[i]);
        if (wave->state != SQ_RUNNING || sq_exec(wave) != lanes_full_mask(wave->lanes))
            result = SCALARS_FAILED;
    }
    lane_env_set(host);
    return result;
}

/* The next program of the same key, by another way; made when there is none. NULL: no more of them. */
static struct spi_ps_joined *find_other(struct spi_ps_joined *joined, struct sq_code *code)
{
    if (!joined->other) {
        struct spi_ps_joined *made = exec_code_alloc(amd_sq_code_exec(code), sizeof(*made));
        if (!made)
            return NULL;
        memset(made, 0, sizeof(*made));
        made->key = joined->key;
        joined->other = made;
    }
    return joined->other;
}

static bool begin_wave(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code, struct sq_wave *wave)
{
    if (!amd_sq_workgroup_begin(ps->joined_group, launch, code, 1) || !wave->next)
        return false;
    amd_spi_ps_fill_sgprs(ps, wave, ps->scratch_slot);
    return true;
}

/* Code for a variant, if there were waves enough. */
static enum scalars make_variant(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                                 struct sq_wave *wave, bool is_one)
{
    struct pixel_variant *variant = &ps->joined->base.variants[is_one];
    if (!pixel_variant_is_due(variant) || !begin_wave(ps, launch, code, wave))
        return SCALARS_LATER;
    if (ps->joined->base.variants[!is_one].state == PIXEL_JOIN_READY) { /* both go the same way */
        const enum scalars ran = run_scalars(ps, wave);
        if (ran != SCALARS_RAN)
            return ran;
        if (!begin_wave(ps, launch, code, wave))
            return SCALARS_LATER;
    }
    const unsigned before = stat_enter_work(STAT_MAKING);
    amd_spi_ps_join(ps->joined, is_one, ps->cb.state, wave);
    stat_leave(before);
    return SCALARS_RAN;
}

static enum scalars start_scalars(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                                  struct sq_wave *wave, bool is_one)
{
    const struct pixel_variant *variant = &ps->joined->base.variants[is_one];
    if (variant->state == PIXEL_JOIN_WAITS) {
        const enum scalars ran = make_variant(ps, launch, code, wave, is_one);
        if (ran != SCALARS_RAN)
            return ran;
    }
    if (variant->state != PIXEL_JOIN_READY || !begin_wave(ps, launch, code, wave))
        return SCALARS_FAILED;
    return run_scalars(ps, wave);
}

/* The wave of this launch, ready for the vector part; code is made when there were enough. NULL: not by this
 * program. */
static struct sq_wave *begin_vector_part(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                                         bool is_one)
{
    struct sq_wave *wave = ps->joined_group->waves[0];
    if (ps->joined_is_begun && ps->joined->base.variants[is_one].state == PIXEL_JOIN_READY)
        return wave;
    spi_ps_settle(ps);
    for (unsigned path = 0; ps->joined && path < SPI_PS_PATHS; path++) {
        switch (start_scalars(ps, launch, code, wave, is_one)) {
        case SCALARS_RAN:
            ps->joined_is_begun = true;
            ps->joined_finds[0] = ps->joined_finds[1] = false;
            ps->joined_prim = NULL;
            memcpy(ps->joined_sgpr, wave->sgpr, sizeof(ps->joined_sgpr));
            return wave;
        case SCALARS_ELSEWHERE:
            ps->joined = find_other(ps->joined, code);
            break;
        case SCALARS_LATER:
            return NULL;
        case SCALARS_FAILED:
            ps->joined = NULL;
            break;
        }
    }
    ps->joined = NULL; /* until the next launch */
    return NULL;
}

bool amd_spi_ps_is_by_lane(const struct spi_ps *ps, const struct sq_launch *launch)
{
    if (!ps->state->needed)
        return true;
    return ps->joined_serial == launch->serial && ps->joined && ps->joined_is_begun && !ps->joined->looks_at_lanes &&
           ps->joined->base.variants[false].state != PIXEL_JOIN_NEVER;
}

/* ---- the vector part ---- */

static void set_env(struct spi_ps *ps, const struct sq_wave *wave)
{
    if (!ps->has_env && ps->host_env != wave->env_f32) {
        lane_env_set(wave->env_f32);
        ps->has_env = true;
    }
}

static void set_exec(struct sq_wave *wave, uint64_t exec)
{
    sq_write_mask(wave, &wave->sgpr[SQ_EXEC], exec);
    sq_exec_changed(wave);
}

/* Whether a program that must not run twice finds all memory that its code reads. */
static bool finds_memory(struct spi_ps *ps, struct sq_wave *wave, const struct pixel_variant *variant, bool is_one)
{
    for (uint32_t i = 0; i < variant->count && !ps->joined_finds[is_one]; i++) {
        struct sq_jit_inputs *inputs = variant->segments[i].inputs;
        if (inputs && !amd_sq_jit_finds(wave, inputs))
            return false;
    }
    ps->joined_finds[is_one] = true;
    return true;
}

/* False: not by this program. */
static bool run_segments(struct spi_ps *ps, struct sq_wave *wave, const struct pixel_variant *variant)
{
    const bool is_one = ps->prim, is_there = is_one && variant->count == 1 && ps->joined_prim == ps->prim;
    const uint64_t lanes = lanes_full_mask(ps->quad_count * 4);
    if (ps->joined->overwrites)
        memcpy(wave->sgpr, ps->joined_sgpr, sizeof(ps->joined_sgpr)); /* all before exec */
    if (ps->joined->is_of_launched[is_one]) {
        if (!finds_memory(ps, wave, variant, is_one))
            return false;
        sq_write_mask(wave, &wave->sgpr[SQ_EXEC], ps->launched);
    }
    for (uint32_t i = 0; i < variant->count && !ps->joined->steps[is_one][i].targets; i++) {
        const struct pixel_segment *segment = &variant->segments[i];
        struct sq_jit_inputs *inputs = segment->inputs;
        if (inputs && !(is_there && !inputs->view_count) && !amd_sq_jit_bring(wave, inputs, is_one))
            return false;
        const struct spi_ps_step *step = &ps->joined->steps[is_one][i];
        if (step->is_of_host)
            lane_env_set(ps->host_env);
        segment->code(wave);
        if (step->is_of_host && ps->has_env)
            lane_env_set(wave->env_f32);
        if ((segment->first || step->skips_to) && (ps->joined->changes_exec || sq_exec(wave) != lanes))
            set_exec(wave, step->has_exec ? sq_exec(wave) & lanes : lanes);
        if ((step->is_guarded || step->skips_to) && !sq_exec(wave)) {
            i = step->skips_to ? step->skips_to - 1u : i;
            continue;
        }
        for (const struct sq_uop *uop = segment->first; uop != segment->end; uop++) {
            uop->run(wave, uop);
            if (wave->state != SQ_RUNNING)
                return true;
        }
    }
    ps->joined_prim = ps->prim;
    return true;
}

/* The wave is 8 by 8 pixels with all samples of a target. */
static bool is_whole(const struct spi_ps *ps, unsigned target)
{
    const uint32_t all = (uint32_t)bits_mask(ps->cb.state->targets[target].samples) * 0x01010101u;
    return ps->is_block && (ps->common & all) == all;
}

/* Pixels that the program has killed. */
static void cut_quads(struct spi_ps *ps, const struct sq_wave *wave)
{
    const uint64_t valid = sq_exec(wave);
    if ((valid & ps->launched) == ps->launched)
        return;
    for (uint32_t q = 0; q < ps->quad_count; q++) {
        const uint32_t pixels = valid >> q * 4 & 15,
                       bits = (pixels | pixels << 7 | pixels << 14 | pixels << 21) & 0x01010101u;
        ps->quads[q].mask &= bits * 0xff;
    }
    amd_spi_ps_set_wave(ps, ps->quads, ps->quad_count);
}

/* The colour of one sample that a piece blends with. False: a fault or a stop. */
static bool read_sample(struct spi_ps *ps, struct spi_ps_output *output, uint32_t targets, unsigned sample)
{
    bits_foreach (targets, t) {
        if (sample < ps->cb.state->targets[t].samples &&
            !amd_cb_read_raw(&ps->cb, (unsigned)t, sample, output->codes[t], ps->quads, ps->quad_count,
                             is_whole(ps, (unsigned)t)))
            return false;
    }
    return true;
}

static void write_sample(struct spi_ps *ps, const struct spi_ps_output *output, uint32_t targets, unsigned sample)
{
    bits_foreach (targets, t) {
        if (sample < ps->cb.state->targets[t].samples)
            amd_cb_write_sample(&ps->cb, (unsigned)t, sample, (const uint32_t(*)[CB_MAX_LANES])output->codes[t],
                                ps->quads, ps->quad_count, is_whole(ps, (unsigned)t));
    }
}

/* The samples of the wave's pixels that are written, all together. */
static uint32_t find_samples(const struct spi_ps *ps)
{
    uint32_t samples = 0;
    for (uint32_t q = 0; q < ps->quad_count; q++)
        samples |= ps->quads[q].mask;
    samples |= samples >> 16;
    return (samples | samples >> 8) & 0xff;
}

/* Pieces that run for each sample. */
static void blend_samples(struct spi_ps *ps, struct sq_wave *wave, const struct pixel_variant *variant,
                          struct spi_ps_output *output)
{
    const struct spi_ps_step *steps = ps->joined->steps[variant == &ps->joined->base.variants[true]];
    const uint32_t samples = find_samples(ps);
    for (uint32_t i = variant->count; i-- > 0 && steps[i].targets;) {
        if (steps[i].is_of_host)
            spi_ps_settle(ps);
        else
            set_env(ps, wave);
        bits_foreach (samples, s) {
            if (!read_sample(ps, output, steps[i].targets, (unsigned)s))
                return;
            variant->segments[i].code(wave);
            write_sample(ps, output, steps[i].targets, (unsigned)s);
        }
    }
}

static void write_output(struct spi_ps *ps, struct spi_ps_output *output)
{
    const struct spi_ps_key *key = &ps->joined->key;
    for (unsigned i = 0; i < key->target_count; i++) {
        const unsigned t = key->targets[i].target;
        if (!(ps->joined->exports >> key->targets[i].export & 1) || key->targets[i].output == CB_OUTPUT_ROWS ||
            key->targets[i].is_by_sample)
            continue;
        if (ps->cb.state->targets[t].element_B != 4)
            amd_cb_write_raw(&ps->cb, t, (const uint32_t(*)[CB_MAX_LANES])output->codes[t], ps->quads, ps->quad_count,
                             is_whole(ps, t));
        else
            amd_cb_write_codes(&ps->cb, t, output->codes[t][0], ps->quads, ps->quad_count, is_whole(ps, t));
    }
    output->exports.valid = ps->joined->as_rows;
    if (!output->exports.valid)
        return;
    spi_ps_settle(ps);
    amd_cb_write(&ps->cb, &output->exports, ps->quads, ps->quad_count);
}

/* The contents of memory, before the program that blends with it. False: not by this program. */
static bool read_output(struct spi_ps *ps, struct spi_ps_output *output)
{
    const struct spi_ps_key *key = &ps->joined->key;
    for (unsigned i = 0; i < key->target_count; i++) {
        const unsigned t = key->targets[i].target;
        if (!cb_output_blends(key->targets[i].output) || key->targets[i].is_by_sample)
            continue;
        if (!amd_cb_read_raw(&ps->cb, t, 0, output->codes[t], ps->quads, ps->quad_count, is_whole(ps, t)))
            return false;
    }
    return true;
}

/* Late tests, and before them what the program has exported for them. */
static void test_depth(struct spi_ps *ps, const struct spi_ps_output *output)
{
    const struct db_state *db = ps->db.state;
    const bool has_z = ps->joined->has_z && (db->z_export || db->stencil_export || db->mask_export),
               has_alpha = ps->joined->key.keeps_first && ps->joined->exports & 1;
    if (!has_z && !has_alpha && (db->early || !has_tests(db)))
        return;
    spi_ps_settle(ps);
    if (has_z) {
        const bool is_depth_alone = !db->stencil_export && !db->mask_export;
        memcpy(ps->z_rows, output->z, is_depth_alone ? sizeof(output->z[0]) : sizeof(output->z));
        ps->has_z = true;
    }
    if (has_alpha) {
        memcpy(ps->exports.rows[0], output->exports.rows[0], sizeof(ps->exports.rows[0]));
        ps->exports.valid = 1;
    }
    if (has_z || has_alpha)
        amd_spi_ps_cut_masks(ps);
    if (!db->early)
        amd_spi_ps_test_late(ps);
    amd_spi_ps_set_wave(ps, ps->quads, ps->quad_count);
}

bool amd_spi_ps_run_joined(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code,
                           struct raster_quad *quads, uint32_t *quad_count, enum sq_turn *turn_out,
                           struct sq_fault *fault_out)
{
    if (launch->perf)
        return false;
    if (ps->joined_serial != launch->serial || ps->joined_code != code) {
        spi_ps_settle(ps);
        enter_launch(ps, launch, code);
    }
    if (!ps->joined)
        return false;
    const uint32_t count = ps->joined_blends ? amd_cb_count_apart(quads, *quad_count) : *quad_count;
    const bool is_one = raster_is_one_prim(quads, count);
    if (ps->joined->base.variants[is_one].state == PIXEL_JOIN_NEVER)
        return false;
    struct sq_wave *wave = begin_vector_part(ps, launch, code, is_one);
    if (!wave)
        return false;
    const struct pixel_variant *variant = &ps->joined->base.variants[is_one];
    struct spi_ps_output *output = spi_ps_output_of(wave);
    amd_spi_ps_set_wave(ps, quads, count);
    if (!read_output(ps, output))
        return false;
    amd_spi_ps_load_inputs(ps, wave);
    set_env(ps, wave);
    const unsigned before = stat_enter_work(STAT_HOST);
    const bool is_taken = run_segments(ps, wave, variant);
    stat_leave(before);
    if (!is_taken)
        return false;
    stat_count_waves(1);
    *quad_count = count;
    ps->invocations += (unsigned)__builtin_popcountll(ps->launched);
    *turn_out = SQ_TURN_DONE;
    if (wave->state != SQ_RUNNING) {
        *fault_out = wave->fault;
        *turn_out = SQ_TURN_FAULT;
        return true;
    }
    if (ps->joined->kills)
        cut_quads(ps, wave);
    test_depth(ps, output);
    blend_samples(ps, wave, variant, output);
    write_output(ps, output);
    return true;
}

/* ---- blocks ---- */

bool amd_spi_ps_takes_blocks(struct spi_ps *ps, const struct sq_launch *launch, struct sq_code *code)
{
    return !launch->perf && ps->joined_serial == launch->serial && ps->joined_code == code && ps->joined_takes_blocks &&
           ps->joined && ps->joined_is_begun && ps->joined->base.variants[true].state == PIXEL_JOIN_READY;
}

/* The contents of memory of a block, for the targets that blend. */
static void read_block(struct spi_ps *ps, struct spi_ps_output *output, unsigned b)
{
    const struct spi_ps_key *key = &ps->joined->key;
    for (unsigned i = 0; i < key->target_count; i++) {
        const unsigned t = key->targets[i].target;
        if (cb_output_blends(key->targets[i].output))
            amd_cb_read_raw_block(&ps->cb, t, b, output->codes[t]);
    }
}

static void write_block(struct spi_ps *ps, const struct spi_ps_output *output, unsigned b)
{
    const struct spi_ps_key *key = &ps->joined->key;
    for (unsigned i = 0; i < key->target_count; i++) {
        const unsigned t = key->targets[i].target, export = key->targets[i].export;
        if (!(ps->joined->exports >> export & 1))
            continue;
        if (key->targets[i].output == CB_OUTPUT_ROWS)
            amd_cb_write_raw_block(&ps->cb, t, b, (const uint32_t(*)[CB_MAX_LANES])output->exports.rows[export]);
        else if (ps->cb.state->targets[t].element_B != 4)
            amd_cb_write_raw_block(&ps->cb, t, b, (const uint32_t(*)[CB_MAX_LANES])output->codes[t]);
        else
            amd_cb_write_block(&ps->cb, t, b, output->codes[t][0]);
    }
}

/* A block of which some pixels were killed: by quads. */
static void write_rest(struct spi_ps *ps, struct spi_ps_output *output, const struct sq_wave *wave, uint32_t x,
                       uint32_t y)
{
    struct raster_quad quads[SPI_PS_QUADS];
    for (unsigned q = 0; q < SPI_PS_QUADS; q++)
        quads[q] = (struct raster_quad){.prim = ps->prim,
                                        .x = (uint16_t)(x + q % 4 * 2),
                                        .y = (uint16_t)(y + q / 4 * 2),
                                        .mask = 0x01010101u,
                                        .coverage = 0x01010101u};
    amd_spi_ps_set_wave(ps, quads, SPI_PS_QUADS);
    cut_quads(ps, wave);
    write_output(ps, output);
    set_env(ps, wave);
    ps->quads = NULL;
}

static bool reaches_blocks(struct spi_ps *ps, const struct raster_tile *tile)
{
    const struct spi_ps_key *key = &ps->joined->key;
    for (unsigned i = 0; i < key->target_count; i++) {
        if (!amd_cb_reaches_blocks(&ps->cb, key->targets[i].target, tile, ps->prim->layer))
            return false;
    }
    return true;
}

static bool open_blocks(struct spi_ps *ps, const struct raster_tile *tile, uint64_t blocks)
{
    const struct spi_ps_key *key = &ps->joined->key;
    for (unsigned i = 0; i < key->target_count; i++) {
        if (!amd_cb_open_blocks(&ps->cb, key->targets[i].target, tile, ps->prim->layer, blocks, ps->joined->kills))
            return false;
    }
    return true;
}

/* The inputs of a program of one piece are the same for all blocks. False: not by this program. */
static bool bring_inputs(struct spi_ps *ps, struct sq_wave *wave, const struct pixel_variant *variant)
{
    struct sq_jit_inputs *inputs = variant->segments[0].inputs;
    return variant->count != 1 || !inputs || amd_sq_jit_bring(wave, inputs, true);
}

uint64_t amd_spi_ps_run_blocks(struct spi_ps *ps, const struct raster_prim *prim, const struct raster_tile *tile,
                               uint64_t blocks, enum sq_turn *turn_out, struct sq_fault *fault_out)
{
    struct sq_wave *wave = ps->joined_group->waves[0];
    struct spi_ps_output *output = spi_ps_output_of(wave);
    const struct pixel_variant *variant = &ps->joined->base.variants[true];
    ps->prim = prim;
    ps->quad_count = SPI_PS_QUADS;
    ps->attribute = SPI_NO_ATTRIBUTE;
    ps->launched = UINT64_MAX;
    ps->joined_prim = NULL;
    *turn_out = SQ_TURN_DONE;
    if (!reaches_blocks(ps, tile)) {
        ps->joined_takes_blocks = false;
        return blocks;
    }
    if (!open_blocks(ps, tile, blocks))
        return 0; /* a fault, which ps->cb has */
    ps->joined_takes_blocks = bring_inputs(ps, wave, variant);
    set_env(ps, wave);
    stat_count_waves((unsigned)__builtin_popcountll(blocks));
    while (blocks && ps->joined_takes_blocks) {
        const unsigned b = (unsigned)__builtin_ctzll(blocks);
        read_block(ps, output, b);
        amd_spi_ps_load_block(ps, wave, (uint32_t)tile->x + b % 8 * 8, (uint32_t)tile->y + b / 8 * 8);
        if (variant->count == 1 && !ps->joined->is_of_launched[true])
            variant->segments[0].code(wave);
        else
            ps->joined_takes_blocks = run_segments(ps, wave, variant);
        if (wave->state != SQ_RUNNING) {
            *fault_out = wave->fault;
            *turn_out = SQ_TURN_FAULT;
            return 0;
        }
        if (!ps->joined_takes_blocks)
            break;
        if (ps->joined->kills && sq_exec(wave) != UINT64_MAX)
            write_rest(ps, output, wave, (uint32_t)tile->x + b % 8 * 8, (uint32_t)tile->y + b / 8 * 8);
        else
            write_block(ps, output, b);
        ps->invocations += LANES_MAX;
        blocks &= blocks - 1;
    }
    return blocks;
}
