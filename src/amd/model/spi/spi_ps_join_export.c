/* Exports of joined programs (spi_ps_join.h): rows for the targets and the late tests, and the use of colours. */
#include "amd/model/spi/spi_ps_joining.h"
#include "model/pixel/pixel_program.h"
#include "util/bits.h"

/* Targets of exports besides colours. */
enum {
    EXPORT_Z = 8,
    EXPORT_NULL = 9,
};

/* One channel of an export; what is not enabled is 0. */
static jit_value export_row(struct joining *j, const struct sq_uop *uop, unsigned c)
{
    const struct isa_export *exp = &uop->inst->exp;
    const sq_place places[4] = {uop->s[0], uop->s[1], uop->s[2], uop->sd};
    const bool is_there = exp->compr ? c < 2 && (exp->en >> c * 2 & 3) : exp->en >> c & 1;
    return is_there ? amd_sq_jit_read_row(j->builder, places[c]) : lane_program_const(&j->builder->exec.program, 0);
}

bool amd_spi_join_export(struct joining *j, const struct sq_uop *uop)
{
    const struct isa_export *exp = &uop->inst->exp;
    j->is_exported_here = true;
    for (uint32_t i = 0; i < j->region_count; i++) {
        if (j->regions[i].is_open)
            return false;
    }
    if (exp->vm)
        j->valid = amd_spi_join_exec(j);
    if (exp->target == EXPORT_NULL)
        return true;
    if (exp->target == EXPORT_Z) {
        for (unsigned c = 0; c < (exp->compr ? 2 : 4); c++)
            j->z[c] = export_row(j, uop, c);
        j->has_z = true;
        return !j->builder->exec.program.failed;
    }
    if (exp->target >= CB_TARGETS)
        return false;
    if (!(j->cb->exports >> exp->target & 1))
        return true;
    for (unsigned c = 0; c < 4; c++)
        j->rows[exp->target][c] = export_row(j, uop, c);
    j->exports |= 1u << exp->target;
    return !j->builder->exec.program.failed;
}

/* ---- the end ---- */

static uint32_t offset_of(const struct joining *j, const void *place)
{
    return (uint32_t)((const char *)place - (const char *)j->wave);
}

static void store_row(struct joining *j, jit_value value, const uint32_t *row)
{
    lane_program_emit(&j->builder->exec.program, JIT_STORE, value, JIT_NONE, JIT_NONE, offset_of(j, row));
}

static void store_export(struct joining *j, unsigned export)
{
    if (!(j->exports >> export & 1))
        return;
    for (unsigned c = 0; c < 4; c++)
        store_row(j, j->rows[export][c], spi_ps_output_of(j->wave)->exports.rows[export][c]);
    j->as_rows |= 1u << export;
}

static void store_z(struct joining *j)
{
    for (unsigned c = 0; c < 4; c++) {
        if (j->z[c] != JIT_NONE)
            store_row(j, j->z[c], spi_ps_output_of(j->wave)->z[c]);
    }
}

/* Lanes that were killed are not in exec any more. */
static void store_valid(struct joining *j)
{
    struct lane_program *program = &j->builder->exec.program;
    uint32_t bits;
    if (j->valid == JIT_NONE || (lane_program_is_const(program, j->valid, &bits) && bits))
        return;
    lane_program_emit(program, JIT_STORE_BITS, j->valid, JIT_NONE, JIT_NONE, amd_sq_jit_register(SQ_EXEC));
    j->kills = true;
}

static void make_codes(struct joining *j, unsigned t, const jit_value *rows)
{
    struct lane_program *program = &j->builder->exec.program;
    const struct cb_target *target = &j->cb->targets[t];
    const bool are_words = target->output == CB_OUTPUT_WORDS || target->output == CB_OUTPUT_MIXED;
    uint32_t(*const codes)[CB_MAX_LANES] = spi_ps_output_of(j->wave)->codes[t];
    jit_value stored[4], made[4], second[4];
    for (unsigned i = 0; i < 4; i++) {
        made[i] = JIT_NONE;
        second[i] = are_words && j->exports & 2 ? j->rows[1][i] : lane_program_const(program, 0);
        stored[i] = i < cb_word_count(target) && cb_output_blends(target->output)
                        ? lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offset_of(j, codes[i]))
                        : JIT_NONE;
    }
    if (are_words)
        amd_cb_lower_words(program, target, rows, target->blending.is_dual ? second : NULL, stored, made);
    else if (target->output == CB_OUTPUT_PAIRS)
        amd_cb_lower_pairs(program, target, rows, stored, made);
    else
        made[0] = amd_cb_lower(program, target, rows, stored[0]);
    for (unsigned i = 0; i < 4; i++) {
        if (made[i] != JIT_NONE)
            store_row(j, made[i], codes[i]);
    }
}

/* The rows of an export, for a piece after this one. */
static void leave_export(struct joining *j, unsigned export)
{
    for (unsigned c = 0; c < 4; c++)
        store_row(j, j->rows[export][c], spi_ps_output_of(j->wave)->exports.rows[export][c]);
}

static void take_export_back(struct joining *j, unsigned export)
{
    for (unsigned c = 0; c < 4; c++)
        j->rows[export][c] = lane_program_emit(&j->builder->exec.program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                                               offset_of(j, spi_ps_output_of(j->wave)->exports.rows[export][c]));
}

/* Targets in a piece of their own, after what makes the exports. Floats of 32 bits blend with nothing flushed. */
static bool blend_apart(struct joining *j, uint32_t targets, bool is_wide, bool by_sample)
{
    struct lane_program *program = &j->builder->exec.program;
    const struct lane_mode mode = {.keep_in_f32 = UINT32_MAX, .keep_out_f32 = UINT32_MAX};
    amd_sq_jit_begin(j->builder);
    const struct lane_mode before = program->mode;
    if (is_wide)
        program->mode = lane_mode_complete(mode);
    if (j->exports & 2)
        take_export_back(j, 1);
    bits_foreach (targets, t) {
        const unsigned export = j->cb->targets[t].export;
        if (export != 1)
            take_export_back(j, export);
        make_codes(j, (unsigned)t, j->rows[export]);
    }
    const bool is_good = amd_spi_join_end_segment(j, NULL, NULL);
    program->mode = before;
    if (!is_good)
        return false;
    struct spi_ps_step *step = &j->steps[j->variant->count - 1];
    step->is_of_host = is_wide;
    step->targets = by_sample ? (uint8_t)targets : 0;
    return true;
}

/* The exports that are wanted after the piece at hand. */
static uint32_t find_left(const struct joining *j, uint32_t apart)
{
    uint32_t left = j->joined->key.keeps_first ? 1 : 0;
    bits_foreach (apart, t)
        left |= 1u << j->cb->targets[t].export;
    left |= apart ? 2 : 0; /* a second source */
    return left & j->exports & ~j->as_rows;
}

bool amd_spi_join_end(struct joining *j)
{
    uint32_t apart[2][2] = {{0}}; /* targets: by sample, with nothing flushed */
    struct lane_program *program = &j->builder->exec.program;
    pixel_join_drop_stores(program);
    store_valid(j);
    store_z(j);
    for (unsigned i = 0; i < j->joined->key.target_count; i++) {
        const unsigned t = j->joined->key.targets[i].target;
        const struct cb_target *target = &j->cb->targets[t];
        const jit_value *rows = j->rows[target->export];
        if (!(j->exports >> target->export & 1))
            continue;
        if (target->output == CB_OUTPUT_ROWS) {
            store_export(j, target->export);
            if (target->blending.is_dual)
                store_export(j, 1);
            continue;
        }
        const bool is_wide = amd_cb_keeps_denormals(target), by_sample = cb_blends_by_sample(target);
        if (is_wide || by_sample)
            apart[by_sample][is_wide] |= 1u << t;
        else
            make_codes(j, t, rows);
    }
    bits_foreach (find_left(j, apart[0][0] | apart[0][1] | apart[1][0] | apart[1][1]), export)
        leave_export(j, (unsigned)export);
    bool is_good = amd_spi_join_end_segment(j, NULL, NULL);
    for (unsigned kind = 0; kind < 4 && is_good; kind++) { /* those of all samples come last */
        const uint32_t targets = apart[kind / 2][kind % 2];
        if (targets)
            is_good = blend_apart(j, targets, kind % 2, kind / 2);
    }
    return is_good;
}
