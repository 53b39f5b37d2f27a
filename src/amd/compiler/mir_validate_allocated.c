/* The rules of the machine IR between amd_mir_allocate and amd_mir_lower (mir_validate.c: before). Registers are there,
 * of the right file, aligned, and within what the program may use; an instruction reads no more scalars than its
 * encoding can name; and every operand finds its value: the walk follows which temporary is in which register, over the
 * linear graph for scalars and the logical one for vectors, so that a value that was overwritten while it was alive is
 * found where it is read. */
#include "amd/compiler/liveness.h"
#include "amd/compiler/mir_validate.h"
#include "amd/compiler/optimise.h"
#include "util/bits.h"

enum {
    REGS = 512,
    NOTHING = 0,
};
#define ANYTHING UINT32_MAX
#define NEXT 0x80000000u /* of a phi: what its block will find, not what this turn has found */

/* Dword `i` of a temporary, as one number. */
static uint32_t part(mir_temp temp, unsigned i)
{
    return temp << 5 | i;
}

/* A register's content. On two paths into a block it can be two things of which one is undefined on the other path. */
struct content {
    uint32_t is, or ;
};

struct file {
    struct content reg[REGS];
};

struct checker {
    struct mir_program *program;
    struct file *end; /* by block */
    bool *done;       /* by block: `end` is known */
    bool *is_phi;     /* by temporary */
    bool judging;     /* the second walk, with the ends of loops known */
    uint32_t *there;  /* by temporary: the predecessors (by bit) at whose end it is somewhere */
    const char *what;
};

static void report_fault(struct checker *checker, const struct mir_block *block, const struct mir_instr *instr,
                         const char *what)
{
    if (!checker->what)
        checker->what = amd_mir_complaint(checker->program, block, instr, what);
}

/* ---- registers ---- */

static bool is_vector(mir_reg reg)
{
    return reg >= MIR_REG_V0;
}

static bool reg_exists(const struct mir_program *program, mir_reg reg, unsigned dwords)
{
    if (is_vector(reg))
        return reg - MIR_REG_V0 + dwords <= program->num_vgprs;
    if (reg == MIR_REG_SCC || reg == MIR_REG_NULL || reg == MIR_REG_M0)
        return true;
    if (reg >= MIR_REG_EXEC)
        return reg + dwords <= MIR_REG_EXEC + 2;
    return reg + dwords <= MIR_REG_VCC + 2;
}

static bool is_aligned(mir_reg reg, unsigned dwords)
{
    if (is_vector(reg) || reg >= MIR_REG_M0 || dwords < 2)
        return true;
    return reg % (dwords == 2 ? 2 : 4) == 0;
}

static void check_register(struct checker *checker, const struct mir_block *block, const struct mir_instr *instr,
                           mir_reg reg, unsigned dwords)
{
    if (!reg_exists(checker->program, reg, dwords))
        report_fault(checker, block, instr, "a register that the program does not have");
    else if (!is_aligned(reg, dwords) && !mir_is_pseudo(instr))
        report_fault(checker, block, instr, "a tuple of SGPRs that is not aligned");
}

static unsigned kind_of(mir_reg reg)
{
    return is_vector(reg) ? ISA_OPERAND_VGPR : reg < MIR_REG_VCC ? ISA_OPERAND_SGPR : ISA_OPERAND_SPECIAL;
}

static void check_file(struct checker *checker, const struct mir_block *block, const struct mir_instr *instr,
                       unsigned place, mir_reg reg)
{
    enum isa_gfx gfx = checker->program->gfx;
    unsigned allowed = 0;
    bool free = !instr->keep_variant && (instr->variant == ISA_VARIANT_BASE || instr->variant == ISA_VARIANT_E64);
    for (unsigned variant = 0; variant < ISA_VARIANT_COUNT; variant++) {
        bool judged = free ? variant == ISA_VARIANT_BASE || variant == ISA_VARIANT_E64 : variant == instr->variant;
        if (judged && isa_info(instr->op)->variants[gfx] >> variant & 1)
            allowed |= amd_isa_operand_kinds(gfx, instr->op, variant, place);
    }
    if (!(allowed >> kind_of(reg) & 1))
        report_fault(checker, block, instr, "a register of a file that cannot stand there");
}

static void check_instr(struct checker *checker, const struct mir_block *block, const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].reg != MIR_REG_NULL)
            check_register(checker, block, instr, instr->defs[i].reg, instr->defs[i].dwords);
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind == MIR_REG)
            check_register(checker, block, instr, operand->reg, operand->dwords);
        else if (operand->kind == MIR_TEMP && !mir_is_phi(instr))
            report_fault(checker, block, instr, "a temporary without a register");
    }
    if (mir_is_pseudo(instr))
        return;
    struct mir_shape shape = amd_mir_shape_of(instr);
    for (unsigned i = 0; i < isa_info(instr->op)->dst_count && i < instr->num_defs; i++)
        check_file(checker, block, instr, i, instr->defs[i].reg);
    for (unsigned i = 0; i < shape.num_sources && i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_REG)
            check_file(checker, block, instr, shape.source[i], instr->operands[i].reg);
    }
    for (unsigned i = 0; i < instr->num_defs && i < ARRAY_SIZE(shape.tied_operand); i++) {
        int tied = shape.tied_operand[i];
        if (tied >= 0 && instr->operands[tied].kind == MIR_REG && instr->operands[tied].reg != instr->defs[i].reg)
            report_fault(checker, block, instr, "a result is not where the value is that it continues");
    }
    if ((amd_opt_is_vector_alu(instr) || amd_opt_is_scalar_alu(instr)) && !amd_opt_is_legal(checker->program, instr))
        report_fault(checker, block, instr, "operands that have no encoding: kinds, scalars or literals");
}

/* ---- values ---- */

static bool holds_value(const struct file *file, mir_reg reg, uint32_t value)
{
    const struct content *content = &file->reg[reg];
    return content->is == value || content->or == value || content->is == ANYTHING;
}

static void check_values(struct checker *checker, const struct mir_block *block, const struct mir_instr *instr,
                         const struct file *file)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        if (operand->kind != MIR_REG || !operand->temp)
            continue;
        for (unsigned j = 0; j < operand->dwords; j++) {
            if (!holds_value(file, (mir_reg)(operand->reg + j), part(operand->temp, j)))
                report_fault(checker, block, instr, "an operand's register does not hold its value");
        }
    }
}

static void put_value(struct file *file, mir_reg reg, uint32_t value)
{
    if (reg < REGS)
        file->reg[reg] = (struct content){value, NOTHING};
}

/* Registers that a call destroys: all but those that it names after its address. Of lanes that are not active VGPRs
 * stay, but those have other ways through the logical graph. */
static void lose_call_registers(struct file *file, const struct mir_instr *call)
{
    bool stays[REGS] = {false};
    for (unsigned i = 1; i < call->num_operands; i++) {
        for (unsigned j = 0; call->operands[i].kind == MIR_REG && j < call->operands[i].dwords; j++)
            stays[(call->operands[i].reg + j) % REGS] = true;
    }
    for (unsigned reg = 0; reg < REGS; reg++) {
        if (!stays[reg])
            put_value(file, (mir_reg)reg, NOTHING);
    }
}

static void clobber_registers(struct file *file, const struct mir_instr *instr, unsigned lane_dwords)
{
    unsigned states = amd_mir_clobbers(instr);
    if (states & ISA_STATE_SCC)
        put_value(file, MIR_REG_SCC, NOTHING);
    if (states & ISA_STATE_M0)
        put_value(file, MIR_REG_M0, NOTHING);
    for (unsigned i = 0; i < lane_dwords && states & ISA_STATE_VCC; i++)
        put_value(file, (mir_reg)(MIR_REG_VCC + i), NOTHING);
    if (instr->op == MIR_P_CALL)
        lose_call_registers(file, instr);
    bool moves = mir_is_movable_pseudo(instr) && instr->op != MIR_P_CONST_ADDR && instr->op != MIR_P_NEXT_FRAME;
    if (moves && instr->imm2 != MIR_REG_NONE) /* what cycles may go over */
        put_value(file, (mir_reg)instr->imm2, NOTHING);
    for (unsigned i = 0; i < lane_dwords && instr->op == MIR_P_COPY && instr->imm; i++) /* where exec is saved */
        put_value(file, (mir_reg)((instr->imm >> 16) + i), NOTHING);
}

static void write_values(const struct checker *checker, struct file *file, const struct mir_instr *instr)
{
    clobber_registers(file, instr, checker->program->lane_mask.dwords);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const struct mir_def *def = &instr->defs[i];
        mir_temp temp = def->temp;
        /* A copy for one instruction: of a value that stays where it was, too. */
        if (!temp && instr->op == MIR_P_COPY && instr->operands[i].kind == MIR_REG)
            temp = instr->operands[i].temp;
        bool next = instr->op == MIR_P_COPY && checker->is_phi[temp] &&
                    !(instr->operands[i].kind == MIR_REG && instr->operands[i].temp == temp);
        for (unsigned j = 0; j < def->dwords && def->reg != MIR_REG_NULL; j++)
            put_value(file, (mir_reg)(def->reg + j), temp ? part(temp, j) | (next ? NEXT : 0) : NOTHING);
    }
}

/* ---- joins ---- */

static bool is_linear(const struct checker *checker, mir_temp temp)
{
    struct mir_class class = checker->program->temps[temp].class;
    return !class.vector || class.linear;
}

static bool lives_in(const struct checker *checker, const struct mir_block *block, mir_temp temp)
{
    return mir_lives_in(checker->program->live, block, temp);
}

static void add_value(struct content *content, uint32_t value)
{
    if (content->is == value || content->or == value || content->is == ANYTHING)
        return;
    if (content->is == NOTHING)
        content->is = value;
    else if (content->or == NOTHING)
        content->or = value;
    else
        content->is = ANYTHING;
}

static uint32_t value_at(const struct content *content, unsigned which)
{
    uint32_t value = which ? content->or : content->is;
    return value != ANYTHING && value & NEXT ? NOTHING : value;
}

/* A value is in a register at the start of a block when it is there at the end of every predecessor, but for those
 * where it is nowhere: there it is undefined. */
static void merge_preds(struct checker *checker, const struct mir_block *block, const uint32_t *preds, unsigned count,
                        bool linear, struct file *file)
{
    unsigned known = 0;
    for (unsigned p = 0; p < count; p++) {
        if (!checker->done[preds[p]])
            continue;
        known |= 1u << p;
        for (unsigned r = 0; r < REGS * 2; r++) {
            uint32_t value = value_at(&checker->end[preds[p]].reg[r / 2], r % 2);
            if (value != NOTHING && value != ANYTHING)
                checker->there[value >> 5] |= 1u << p;
        }
    }
    bits_foreach (known, p) {
        const struct file *from = &checker->end[preds[p]];
        for (unsigned r = 0; r < REGS * 2; r++) {
            uint32_t value = value_at(&from->reg[r / 2], r % 2), missing;
            if (value == ANYTHING)
                file->reg[r / 2].is = ANYTHING;
            if (value == NOTHING || value == ANYTHING || is_linear(checker, value >> 5) != linear ||
                !lives_in(checker, block, value >> 5))
                continue;
            missing = checker->there[value >> 5];
            bits_foreach (known, q) {
                if (holds_value(&checker->end[preds[q]], (mir_reg)(r / 2), value))
                    missing &= ~(1u << q);
            }
            if (!missing)
                add_value(&file->reg[r / 2], value);
        }
    }
    for (unsigned p = 0; p < count; p++) {
        for (unsigned r = 0; checker->done[preds[p]] && r < REGS * 2; r++) {
            uint32_t value = value_at(&checker->end[preds[p]].reg[r / 2], r % 2);
            if (value != NOTHING && value != ANYTHING)
                checker->there[value >> 5] = 0;
        }
    }
}

/* A phi is in its register when each predecessor has put its operand there. */
static void take_phi(struct checker *checker, const struct mir_block *block, const struct mir_instr *phi,
                     struct file *file)
{
    const struct mir_def *def = &phi->defs[0];
    const uint32_t *preds = phi->op == MIR_P_PHI ? block->logical_preds : block->linear_preds;
    for (unsigned i = 0; i < phi->num_operands && def->temp; i++) {
        if (!checker->judging || phi->operands[i].kind == MIR_UNDEF)
            continue;
        const struct file *from = &checker->end[preds[i]];
        bool somewhere = phi->operands[i].kind != MIR_TEMP;
        for (unsigned r = 0; phi->operands[i].kind == MIR_TEMP && r < REGS; r++)
            somewhere |= holds_value(from, (mir_reg)r, part(phi->operands[i].temp, 0)) && from->reg[r].is != ANYTHING;
        for (unsigned j = 0; j < def->dwords && somewhere; j++) {
            mir_reg reg = (mir_reg)(def->reg + j);
            if (!holds_value(from, reg, part(def->temp, j) | NEXT) &&
                (phi->operands[i].kind != MIR_TEMP || !holds_value(from, reg, part(phi->operands[i].temp, j))))
                report_fault(checker, block, phi, "a predecessor ends without the phi's value in its register");
        }
    }
    for (unsigned j = 0; j < def->dwords && def->temp; j++)
        put_value(file, (mir_reg)(def->reg + j), part(def->temp, j));
}

static void walk_block(struct checker *checker, const struct mir_block *block)
{
    static _Thread_local struct file file;
    file = (struct file){0};
    if (block->num_linear_preds > 32 || block->num_logical_preds > 32) {
        for (unsigned r = 0; r < REGS; r++)
            put_value(&file, (mir_reg)r, ANYTHING);
    } else {
        merge_preds(checker, block, block->linear_preds, block->num_linear_preds, true, &file);
        merge_preds(checker, block, block->logical_preds, block->num_logical_preds, false, &file);
    }
    for (struct list *link = block->instrs.next; link != &block->instrs && !checker->what; link = link->next) {
        const struct mir_instr *instr = container_of(link, struct mir_instr, link);
        if (mir_is_phi(instr)) {
            take_phi(checker, block, instr, &file);
            continue;
        }
        if (checker->judging) {
            check_instr(checker, block, instr);
            check_values(checker, block, instr, &file);
        }
        write_values(checker, &file, instr);
    }
    checker->end[block->index] = file;
    checker->done[block->index] = true;
}

const char *amd_mir_validate_allocated(struct mir_program *program)
{
    struct checker checker = {.program = program};
    checker.end = amd_mir_alloc(program, program->num_blocks * sizeof(*checker.end));
    checker.done = amd_mir_alloc(program, program->num_blocks);
    checker.there = amd_mir_alloc(program, program->num_temps * sizeof(*checker.there));
    checker.is_phi = amd_mir_alloc(program, program->num_temps);
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (mir_is_phi(instr))
                checker.is_phi[instr->defs[0].temp] = instr->defs[0].temp != 0;
        }
    }
    /* Once to know the ends of loops, once to judge. */
    for (unsigned walk = 0; walk < 2; walk++) {
        checker.judging = walk == 1;
        for (uint32_t i = 0; i < program->num_blocks && !checker.what; i++)
            walk_block(&checker, &program->blocks[i]);
    }
    return checker.what;
}
