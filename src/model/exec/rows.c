/* See rows.h. */
#include "model/exec/rows.h"

#include <string.h>

void exec_rows_begin(struct exec_rows *rows, uint32_t first_B, uint32_t kept_B, uint32_t row_B, uint32_t count)
{
    rows->first_B = first_B;
    rows->kept_B = kept_B;
    rows->row_B = row_B;
    rows->count = count < EXEC_ROWS_MAX ? count : EXEC_ROWS_MAX;
    memset(rows->values, 0xff, sizeof(rows->values)); /* JIT_NONE everywhere */
    memset(rows->stores, 0xff, sizeof(rows->stores));
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
    rows->values[row] = value;
    if (offset_B >= rows->kept_B)
        rows->stores[row] = lane_program_emit(program, JIT_STORE, value, JIT_NONE, JIT_NONE, offset_B);
}

void exec_rows_forget(struct exec_rows *rows, uint32_t offset_B)
{
    rows->stores[(offset_B - rows->first_B) / rows->row_B] = JIT_NONE;
}

void exec_rows_end(const struct exec_rows *rows, struct lane_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        struct jit_inst *inst = &program->insts[i];
        if (inst->op == JIT_STORE && rows->stores[(inst->imm - rows->first_B) / rows->row_B] != i)
            inst->op = JIT_CONST;
    }
}
