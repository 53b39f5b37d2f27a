/* See rows.h. */
#include "model/exec/rows.h"

#include <string.h>

void exec_rows_begin(struct exec_rows *rows, uint32_t first_B, uint32_t kept_B, uint32_t row_B, uint32_t count)
{
    rows->first_B = first_B;
    rows->kept_B = kept_B;
    rows->row_B = row_B;
    rows->count = count < EXEC_ROWS_MAX ? count : EXEC_ROWS_MAX;
    rows->in_loop = false;
    memset(rows->values, 0xff, sizeof(rows->values)); /* JIT_NONE everywhere */
    memset(rows->stores, 0xff, sizeof(rows->stores));
    memset(rows->fates, EXEC_ROW_STORED, sizeof(rows->fates));
}

static bool number_of(const struct exec_rows *rows, struct lane_program *program, uint32_t offset_B,
                      uint32_t *number_out)
{
    const uint32_t from_B = offset_B - rows->first_B;
    *number_out = from_B / rows->row_B;
    if (offset_B >= rows->first_B && from_B % rows->row_B == 0 && *number_out < rows->count)
        return true;
    program->failed = true;
    return false;
}

jit_value exec_rows_read(struct exec_rows *rows, struct lane_program *program, uint32_t offset_B)
{
    uint32_t row;
    if (!number_of(rows, program, offset_B, &row))
        return lane_program_const(program, 0);
    if (rows->values[row] == JIT_NONE)
        rows->values[row] = lane_program_emit(program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offset_B);
    return rows->values[row];
}

void exec_rows_write(struct exec_rows *rows, struct lane_program *program, uint32_t offset_B, jit_value value)
{
    uint32_t row;
    if (!number_of(rows, program, offset_B, &row))
        return;
    const bool is_new = rows->stores[row] == JIT_NONE && rows->fates[row] != EXEC_ROW_LOCAL;
    rows->values[row] = value;
    if (rows->in_loop && offset_B >= rows->kept_B)
        rows->stores[row] = is_new ? 0 : rows->stores[row];
    else if (offset_B >= rows->kept_B)
        rows->stores[row] = lane_program_emit(program, JIT_STORE, value, JIT_NONE, JIT_NONE, offset_B);
}

bool exec_rows_changes(const struct exec_rows *rows, uint32_t offset_B)
{
    return rows->stores[(offset_B - rows->first_B) / rows->row_B] != JIT_NONE;
}

void exec_rows_forget(struct exec_rows *rows, uint32_t offset_B)
{
    rows->stores[(offset_B - rows->first_B) / rows->row_B] = JIT_NONE;
}

static uint32_t offset_of(const struct exec_rows *rows, uint32_t row)
{
    return rows->first_B + row * rows->row_B;
}

void exec_rows_end_with_loop(struct exec_rows *found, const struct lane_program *program, uint32_t offset_B)
{
    const uint32_t row = (offset_B - found->first_B) / found->row_B;
    if (row >= found->count || found->stores[row] == JIT_NONE)
        return;
    bool is_read_first = false;
    for (uint32_t i = 0; i < program->count; i++)
        is_read_first |= program->insts[i].op == JIT_ROW && program->insts[i].imm == offset_B;
    found->fates[row] = is_read_first ? EXEC_ROW_HANDED_ON : EXEC_ROW_LOCAL;
    if (!is_read_first)
        found->values[row] = found->stores[row] = JIT_NONE;
}

static const uint32_t *row_at(const void *wave, uint32_t offset_B)
{
    return (const uint32_t *)(const void *)((const char *)wave + offset_B);
}

static bool grows_by(const uint32_t *row, uint32_t row_B, uint32_t step)
{
    uint32_t other = 0;
    for (uint32_t i = 0; i < row_B / 4; i++)
        other |= row[i] ^ (row[0] + i * step);
    return !other;
}

bool exec_rows_bring(const struct exec_uniforms *uniforms, void *wave, uint32_t row_B)
{
    uint32_t *scalars = (uint32_t *)(void *)((char *)wave + uniforms->scalars_B);
    for (uint32_t i = 0; i < uniforms->count; i++) {
        const uint32_t *row = row_at(wave, uniforms->rows_B[i]);
        if (!grows_by(row, row_B, uniforms->steps[i]))
            return false;
        scalars[i] = row[0];
    }
    return true;
}

/* Rows that grow by `step`, as far as there is room for them. */
static void read_scalars(struct exec_rows *rows, struct lane_program *program, const struct exec_rows *found,
                         struct exec_uniforms *uniforms, const void *wave, uint8_t step)
{
    for (uint32_t row = 0; row < found->count && uniforms->count < EXEC_UNIFORMS_MAX; row++) {
        const uint32_t offset_B = offset_of(found, row);
        if (offset_B < found->kept_B || found->values[row] == JIT_NONE || rows->values[row] != JIT_NONE ||
            (step && found->stores[row] != JIT_NONE) || !grows_by(row_at(wave, offset_B), found->row_B, step))
            continue;
        rows->values[row] = lane_program_emit(program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                              uniforms->scalars_B + uniforms->count * 4);
        if (step)
            rows->values[row] = lane_program_add(program, rows->values[row],
                                                 lane_program_emit(program, JIT_LANE, JIT_NONE, JIT_NONE, JIT_NONE, 0));
        uniforms->steps[uniforms->count] = step;
        uniforms->rows_B[uniforms->count++] = offset_B;
    }
}

void exec_rows_before_loop(struct exec_rows *rows, struct lane_program *program, const struct exec_rows *found,
                           struct exec_uniforms *uniforms, const void *wave)
{
    for (uint8_t step = 0; wave && step < 2; step++)
        read_scalars(rows, program, found, uniforms, wave, step);
    for (uint32_t row = 0; row < found->count; row++) {
        const uint32_t offset_B = offset_of(found, row);
        if (offset_B >= found->kept_B && found->values[row] != JIT_NONE && rows->values[row] == JIT_NONE)
            exec_rows_read(rows, program, offset_B);
    }
}

void exec_rows_phis(struct exec_rows *rows, struct lane_program *program, const struct exec_rows *found)
{
    rows->in_loop = true;
    memcpy(rows->fates, found->fates, sizeof(rows->fates));
    for (uint32_t row = 0; row < found->count; row++) {
        if (found->stores[row] != JIT_NONE)
            rows->values[row] = rows->stores[row] =
                lane_program_emit(program, JIT_PHI, rows->values[row], JIT_NONE, JIT_NONE, 0);
    }
}

void exec_rows_results(const struct exec_rows *rows, struct lane_program *program)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        if (rows->stores[row] != JIT_NONE && rows->fates[row] == EXEC_ROW_STORED)
            lane_program_emit(program, JIT_STORE, rows->values[row], JIT_NONE, JIT_NONE, offset_of(rows, row));
    }
}

void exec_rows_next_round(const struct exec_rows *rows, struct lane_program *program)
{
    for (uint32_t row = 0; row < rows->count; row++) {
        if (rows->stores[row] != JIT_NONE)
            program->insts[rows->stores[row]].b = rows->values[row];
    }
}

/* Lanes that miss have stored nothing: results come after the last JIT_MISS. */
void exec_rows_end(const struct exec_rows *rows, struct lane_program *program)
{
    const uint32_t count = program->count;
    uint32_t misses_end = 0;
    for (uint32_t i = 0; i < count; i++)
        misses_end = program->insts[i].op == JIT_MISS ? i : misses_end;
    for (uint32_t i = 0; i < count; i++) {
        const struct jit_inst inst = program->insts[i];
        const bool is_last = inst.op == JIT_STORE && rows->stores[(inst.imm - rows->first_B) / rows->row_B] == i;
        if (inst.op == JIT_STORE && (!is_last || i < misses_end))
            program->insts[i].op = JIT_CONST;
        if (is_last && i < misses_end)
            lane_program_emit(program, JIT_STORE, inst.a, JIT_NONE, JIT_NONE, inst.imm);
    }
}
