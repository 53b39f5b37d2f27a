/* Building the machine IR: temporaries, instructions, blocks, edges, and what stands where in an instruction.
 * Not for: text (mir_print.c, mir_parse.c) or rules (mir_validate.c). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "amd/compiler/mir.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"

void amd_mir_init(struct mir_program *program, enum isa_gfx gfx, unsigned wave_size, struct ir_failure *failure)
{
    *program = (struct mir_program){.gfx = gfx,
                                    .wave_size = (uint8_t)wave_size,
                                    .lane_mask = MIR_S((uint8_t)(wave_size / 32)),
                                    .failure = failure,
                                    .num_temps = 1, /* 0 is none */
                                    .max_sgprs = MIR_REG_VCC,
                                    .max_vgprs = 256};
}

void amd_mir_finish(struct mir_program *program)
{
    arena_finish(&program->live_arena);
    arena_finish(&program->arena);
}

void amd_mir_fail(struct mir_program *program, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(program->failure->text, sizeof(program->failure->text), format, args);
    va_end(args);
    longjmp(program->failure->jump, 1);
}

void amd_mir_fail_memory(struct mir_program *program)
{
    program->failure->out_of_memory = true;
    amd_mir_fail(program, "out of memory");
}

void *amd_mir_alloc(struct mir_program *program, size_t size_B)
{
    void *memory = arena_zalloc(&program->arena, size_B ? size_B : 1);
    if (!memory)
        amd_mir_fail_memory(program);
    return memory;
}

/* Twice as many elements, with the old ones at their start. */
static void *grow_array(struct mir_program *program, const void *old, uint32_t count, uint32_t capacity,
                        size_t element_B)
{
    void *moved = amd_mir_alloc(program, capacity * element_B);
    if (count)
        memcpy(moved, old, count * element_B);
    return moved;
}

mir_temp amd_mir_new_temp(struct mir_program *program, struct mir_class class)
{
    if (program->num_temps >= program->capacity_temps) {
        program->capacity_temps = MAX2(64u, program->capacity_temps * 2);
        uint32_t count = program->temps ? program->num_temps : 0;
        program->temps = grow_array(program, program->temps, count, program->capacity_temps, sizeof(*program->temps));
    }
    program->temps[program->num_temps] = (struct mir_temp_info){.class = class, .reg = MIR_REG_NONE};
    return program->num_temps++;
}

/* Modifiers that mean nothing special: what an instruction without them has. */
static void set_defaults(struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return;
    unsigned format = isa_info(instr->op)->format;
    if (format >= ISA_FORMAT_VOP1 && format <= ISA_FORMAT_VINTRP) {
        instr->alu.row_mask = instr->alu.bank_mask = 0xf;
        instr->alu.dst_sel = instr->alu.src0_sel = instr->alu.src1_sel = ISA_SDWA_DWORD;
        if (format == ISA_FORMAT_VOP3P && !(isa_info(instr->op)->properties & ISA_PROP_MIX))
            instr->alu.op_sel_hi = 7;
    }
}

struct mir_instr amd_mir_plain(unsigned op)
{
    struct mir_instr instr = {.op = (uint16_t)op};
    set_defaults(&instr);
    return instr;
}

struct mir_instr *amd_mir_new_instr(struct mir_builder *builder, unsigned op, unsigned num_defs, unsigned num_operands)
{
    size_t defs_B = num_defs * sizeof(struct mir_def), operands_B = num_operands * sizeof(struct mir_operand);
    struct mir_instr *instr = amd_mir_alloc(builder->program, sizeof(*instr) + operands_B + defs_B);
    instr->op = (uint16_t)op;
    instr->num_defs = (uint16_t)num_defs;
    instr->num_operands = num_operands;
    instr->operands = (struct mir_operand *)(instr + 1);
    instr->defs = (struct mir_def *)(instr->operands + num_operands);
    set_defaults(instr);
    if (builder->before)
        list_insert_after(builder->before->prev, &instr->link);
    else
        list_init(&instr->link);
    return instr;
}

/* Lists of instructions point back at their block: when the blocks move, the lists must be linked again. */
static void move_list(struct list *to, struct list *from)
{
    struct list moved = *from;
    bool empty = moved.next == from;
    list_init(to);
    if (empty)
        return;
    *to = moved;
    to->next->prev = to;
    to->prev->next = to;
}

struct mir_block *amd_mir_new_block(struct mir_program *program)
{
    if (program->num_blocks == program->capacity_blocks) {
        program->capacity_blocks = MAX2(16u, program->capacity_blocks * 2);
        struct mir_block *old = program->blocks;
        program->blocks = grow_array(program, old, program->num_blocks, program->capacity_blocks, sizeof(*old));
        for (uint32_t i = 0; i < program->num_blocks; i++)
            move_list(&program->blocks[i].instrs, &old[i].instrs);
    }
    struct mir_block *block = &program->blocks[program->num_blocks];
    *block = (struct mir_block){.index = program->num_blocks++};
    list_init(&block->instrs);
    return block;
}

/* Arrays of edges grow by powers of two: the capacity follows from the count. */
static uint32_t *append_edge(struct mir_program *program, uint32_t *edges, uint32_t count, uint32_t value)
{
    if (count == 0 || (is_power_of_two(count) && count >= 2))
        edges = grow_array(program, edges, count, MAX2(2u, count * 2), sizeof(*edges));
    edges[count] = value;
    return edges;
}

void amd_mir_add_linear_edge(struct mir_program *program, uint32_t from, uint32_t to)
{
    struct mir_block *source = &program->blocks[from], *target = &program->blocks[to];
    source->linear_succs = append_edge(program, source->linear_succs, source->num_linear_succs, to);
    source->num_linear_succs++;
    target->linear_preds = append_edge(program, target->linear_preds, target->num_linear_preds, from);
    target->num_linear_preds++;
}

void amd_mir_add_logical_edge(struct mir_program *program, uint32_t from, uint32_t to)
{
    struct mir_block *source = &program->blocks[from], *target = &program->blocks[to];
    source->logical_succs = append_edge(program, source->logical_succs, source->num_logical_succs, to);
    source->num_logical_succs++;
    target->logical_preds = append_edge(program, target->logical_preds, target->num_logical_preds, from);
    target->num_logical_preds++;
}

/* ---- what stands where ---- */

static bool is_operand(const struct isa_operand_info *about)
{
    switch (about->type) {
    case ISA_TYPE_ATTR:
    case ISA_TYPE_PARAM:
    case ISA_TYPE_IMM:
    case ISA_TYPE_X16:
    case ISA_TYPE_HWREG:
    case ISA_TYPE_LABEL:
    case ISA_TYPE_SENDMSG:
    case ISA_TYPE_WAITCNT:
        return false;
    default:
        return about->name != ISA_NAME_IMM;
    }
}

static bool returns_in_data(const struct mir_instr *instr, const struct isa_op_info *info)
{
    return info->memory == ISA_MEMORY_ATOMIC && info->dst_count == 0 && instr->mem.glc &&
           (info->format == ISA_FORMAT_MUBUF || info->format == ISA_FORMAT_MIMG);
}

struct mir_shape amd_mir_shape_of(const struct mir_instr *instr)
{
    const struct isa_op_info *info = isa_info(instr->op);
    struct mir_shape shape = {.num_defs = info->dst_count, .tied_operand = {-1, -1, -1}};
    for (unsigned i = info->dst_count; i < info->operand_count; i++) {
        if (is_operand(&info->operands[i]))
            shape.source[shape.num_sources++] = (uint8_t)i;
    }
    if (info->format == ISA_FORMAT_MIMG && instr->mem.nsa)
        shape.num_addresses = (uint8_t)(instr->mem.addr_count - 1);
    unsigned next = shape.num_sources + shape.num_addresses;
    for (unsigned i = 0; i < info->dst_count && i < ARRAY_SIZE(shape.tied_operand); i++) {
        if (info->operands[i].is_read)
            shape.tied_operand[i] = (int8_t)(next + shape.num_tied++);
    }
    bool keeps = instr->variant == ISA_VARIANT_DPP16 || instr->variant == ISA_VARIANT_DPP8 ||
                 instr->variant == ISA_VARIANT_SDWA || (info->format == ISA_FORMAT_MIMG && instr->mem.tfe);
    if (keeps && shape.num_tied == 0 && info->dst_count && next < instr->num_operands &&
        instr->operands[next].kind != MIR_REG && !instr->operands[next].fixed)
        shape.tied_operand[0] = (int8_t)(next + shape.num_tied++);
    if (returns_in_data(instr, info))
        shape.tied_operand[shape.num_defs++] = 0;
    for (unsigned i = info->dst_count; i < info->operand_count; i++) {
        /* v_swap: the other one of both */
        if (info->operands[i].is_written && shape.num_defs < 3)
            shape.tied_operand[shape.num_defs++] = (int8_t)(i - info->dst_count);
    }
    return shape;
}

bool amd_mir_has_saddr(const struct mir_instr *instr)
{
    const struct isa_op_info *info = isa_info(instr->op);
    struct mir_shape shape = amd_mir_shape_of(instr);
    for (unsigned i = 0; i < shape.num_sources && i < instr->num_operands; i++) {
        if (info->operands[shape.source[i]].name == ISA_NAME_SADDR)
            return instr->operands[i].kind != MIR_NONE;
    }
    return false;
}

unsigned amd_mir_clobbers(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return instr->op == MIR_P_CALL ? ISA_STATE_SCC | ISA_STATE_VCC | ISA_STATE_M0
               : instr->op == MIR_P_CONST_ADDR || instr->op == MIR_P_NEXT_FRAME ? ISA_STATE_SCC
                                                                                : 0;
    const struct isa_op_info *info = isa_info(instr->op);
    return info->writes & (ISA_STATE_SCC | ISA_STATE_VCC | ISA_STATE_EXEC | ISA_STATE_M0);
}
