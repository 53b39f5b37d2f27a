/* Machine code from lowered instructions: the encoder's form of each, the short encoding where it fits, distances of
 * branches, the constant data after the code.
 *
 * A branch reaches 32,767 dwords. Beyond, it becomes an inverted short one around s_getpc, s_add, s_addc and s_setpc on
 * a pair of SGPRs that the program leaves free (the two after those it uses, else vcc); a program that needs this and
 * has neither is refused. */
#include <stdio.h>
#include <string.h>

#include "amd/compiler/mir.h"
#include "util/bits.h"

struct emitter {
    struct mir_program *program;
    uint32_t *words;
    uint32_t count, capacity;
};

/* ---- operands ---- */

static const uint32_t inline_f32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                      0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint16_t inline_f16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
static const uint64_t inline_f64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                      0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                      0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static bool is_half(unsigned type)
{
    return type == ISA_TYPE_F16;
}
static bool is_16bit(unsigned type)
{
    return type == ISA_TYPE_F16 || type == ISA_TYPE_U16 || type == ISA_TYPE_I16 || type == ISA_TYPE_B16;
}

bool amd_mir_inline_constant(unsigned type, unsigned dwords, uint64_t value, struct isa_operand *out)
{
    int64_t number = dwords == 2 ? (int64_t)value : is_16bit(type) ? (int16_t)value : (int32_t)value;
    *out = (struct isa_operand){.kind = ISA_OPERAND_INT, .count = (uint8_t)dwords, .value = (uint16_t)number};
    if (number >= -16 && number <= 64)
        return true;
    if (dwords == 2 && type != ISA_TYPE_F64)
        return false; /* what a 64-bit integer makes of a float is not specified */
    for (unsigned i = 0; i < ARRAY_SIZE(inline_f32); i++) {
        bool equal = dwords == 2     ? value == inline_f64[i]
                     : is_half(type) ? (uint16_t)value == inline_f16[i] && value <= 0xffff
                                     : (uint32_t)value == inline_f32[i];
        /* Packed halves and 16-bit integers are read differently: integers only. */
        if (equal && !(is_16bit(type) && !is_half(type)) && type != ISA_TYPE_F16X2 && type != ISA_TYPE_U16X2 &&
            type != ISA_TYPE_I16X2) {
            *out = (struct isa_operand){.kind = ISA_OPERAND_FLOAT, .count = (uint8_t)dwords, .value = (uint16_t)i};
            return true;
        }
    }
    return false;
}

static struct isa_operand register_operand(mir_reg reg, unsigned dwords)
{
    static const struct {
        uint8_t reg, special;
    } specials[] = {
        {106, ISA_SPECIAL_VCC_LO},  {107, ISA_SPECIAL_VCC_HI},  {124, ISA_SPECIAL_M0},      {125, ISA_SPECIAL_NULL},
        {126, ISA_SPECIAL_EXEC_LO}, {127, ISA_SPECIAL_EXEC_HI}, {253, ISA_SPECIAL_SRC_SCC},
    };
    if (reg >= MIR_REG_V0)
        return (struct isa_operand){
            .kind = ISA_OPERAND_VGPR, .count = (uint8_t)dwords, .value = (uint16_t)(reg - MIR_REG_V0)};
    for (unsigned i = 0; i < ARRAY_SIZE(specials); i++) {
        if (specials[i].reg == reg)
            return (struct isa_operand){
                .kind = ISA_OPERAND_SPECIAL, .count = (uint8_t)dwords, .value = specials[i].special};
    }
    return (struct isa_operand){.kind = ISA_OPERAND_SGPR, .count = (uint8_t)dwords, .value = reg};
}

/* The encoder wants a count that is a lane mask's own. */
static unsigned count_of(const struct isa_operand_info *about, unsigned dwords)
{
    return about->type == ISA_TYPE_MASK ? ISA_COUNT_WAVE : about->count ? about->count : dwords;
}

static bool convert_operand(struct mir_program *program, const struct mir_operand *operand,
                            const struct isa_operand_info *about, struct isa_inst *inst, struct isa_operand *out)
{
    switch (operand->kind) {
    case MIR_NONE:
        *out = (struct isa_operand){.kind = ISA_OPERAND_NONE};
        return true;
    case MIR_REG:
        *out = register_operand(operand->reg, count_of(about, operand->dwords));
        return true;
    case MIR_UNDEF:
        /* Whatever is there will do; it must be a register that exists. */
        *out = register_operand(operand->reg, count_of(about, operand->dwords));
        return true;
    case MIR_CONST:
        if (about->name != ISA_NAME_K && about->name != ISA_NAME_IMM32 &&
            amd_mir_inline_constant(about->type, mir_source_dwords(program, about), operand->value, out)) {
            out->count = about->count;
            return true;
        }
        *out = (struct isa_operand){.kind = ISA_OPERAND_LITERAL, .count = about->count};
        inst->literal = (uint32_t)operand->value;
        /* A 64-bit float's literal is its upper half, an integer's is extended. */
        if (about->type == ISA_TYPE_F64)
            inst->literal = (uint32_t)(operand->value >> 32);
        return true;
    default:
        amd_mir_fail(program, "a temporary is left in an instruction that is to be encoded");
    }
}

static void convert_immediate(const struct mir_instr *instr, const struct isa_operand_info *about,
                              struct isa_operand *out)
{
    if (about->type == ISA_TYPE_ATTR)
        *out = (struct isa_operand){.kind = ISA_OPERAND_ATTR, .value = (uint16_t)instr->imm};
    else if (about->type == ISA_TYPE_PARAM)
        *out = (struct isa_operand){.kind = ISA_OPERAND_IMM, .value = (uint16_t)instr->imm2};
    else
        *out = (struct isa_operand){.kind = ISA_OPERAND_IMM, .value = (uint16_t)instr->imm};
}

static void convert_addresses(const struct mir_instr *instr, const struct mir_shape *shape, struct isa_inst *inst)
{
    struct isa_mem *mem = &inst->mem;
    if (shape->num_addresses == 0)
        return;
    unsigned first = 0;
    while (isa_info(instr->op)->operands[shape->source[first]].name != ISA_NAME_VADDR)
        first++;
    unsigned base = instr->operands[first].reg, count = shape->num_addresses + 1u;
    bool consecutive = true;
    for (unsigned i = 1; i < count; i++) {
        unsigned reg = instr->operands[shape->num_sources + i - 1].reg;
        consecutive &= reg == base + i;
        mem->nsa_addr[i - 1] = (uint8_t)(reg - MIR_REG_V0);
    }
    mem->addr_count = (uint8_t)count;
    mem->nsa = (uint8_t)(consecutive && count <= 8 ? 0 : (count - 1 + 3) / 4);
    /* Without the list the registers are one tuple. */
    inst->operands[shape->source[first]].count = (uint8_t)(mem->nsa ? 1 : count);
}

static void convert_instr(struct mir_program *program, const struct mir_instr *instr, struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(instr->op);
    struct mir_shape shape = amd_mir_shape_of(instr);
    /* VOP3's own instructions have one form only. */
    bool exists = info->variants[program->gfx] >> instr->variant & 1;
    *inst = (struct isa_inst){
        .op = instr->op, .variant = exists || instr->variant != ISA_VARIANT_E64 ? instr->variant : ISA_VARIANT_BASE};
    unsigned source = 0;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand_info *about = &info->operands[i];
        if (i < info->dst_count) {
            const struct mir_def *def = i < instr->num_defs ? &instr->defs[i] : NULL;
            inst->operands[i] = def ? register_operand(def->reg, count_of(about, def->dwords))
                                    : (struct isa_operand){.kind = ISA_OPERAND_NONE};
        } else if (source < shape.num_sources && shape.source[source] == i) {
            struct mir_operand none = {0};
            convert_operand(program, source < instr->num_operands ? &instr->operands[source] : &none, about, inst,
                            &inst->operands[i]);
            source++;
        } else {
            convert_immediate(instr, about, &inst->operands[i]);
        }
    }
    if (info->format == ISA_FORMAT_EXP)
        inst->exp = instr->exp;
    else if (info->format == ISA_FORMAT_SMEM || info->format >= ISA_FORMAT_DS)
        inst->mem = instr->mem;
    else
        inst->alu = instr->alu;
    for (unsigned i = 0; info->format == ISA_FORMAT_FLAT && i < info->operand_count; i++) {
        if (info->operands[i].name == ISA_NAME_VADDR && inst->operands[i].kind == ISA_OPERAND_VGPR &&
            amd_mir_has_saddr(instr))
            inst->operands[i].count = 1;
    }
    if (info->format == ISA_FORMAT_MIMG)
        convert_addresses(instr, &shape, inst);
}

/* ---- the shorter form ---- */

static bool try_encode(const struct emitter *emitter, struct isa_inst *inst, unsigned variant,
                       uint32_t words[ISA_MAX_DW], int *size_out)
{
    inst->variant = (uint8_t)variant;
    *size_out = amd_isa_encode(emitter->program->gfx, inst, words, NULL);
    return *size_out > 0;
}

static bool has_vop_forms(unsigned format)
{
    return format == ISA_FORMAT_VOP1 || format == ISA_FORMAT_VOP2 || format == ISA_FORMAT_VOPC;
}

/* The instruction that means the same with its first two sources exchanged: itself if it is commutative; -1 where there
 * is none. */
static int exchanged_op(const struct mir_program *program, unsigned op)
{
    static const char *const words[][2] = {
        {"_lt_", "_gt_"},   {"_gt_", "_lt_"},   {"_le_", "_ge_"},   {"_ge_", "_le_"},      {"_nlt_", "_ngt_"},
        {"_ngt_", "_nlt_"}, {"_nle_", "_nge_"}, {"_nge_", "_nle_"}, {"_sub_", "_subrev_"}, {"_subrev_", "_sub_"}};
    const struct isa_op_info *info = isa_info(op);
    if (info->properties & ISA_PROP_COMMUTATIVE)
        return (int)op;
    bool subtracts = info->format == ISA_FORMAT_VOP2 && info->operand_count == 3;
    if (info->format != ISA_FORMAT_VOPC && !subtracts)
        return -1;
    const char *name = amd_isa_op_name(program->gfx, op);
    for (unsigned i = 0; i < ARRAY_SIZE(words); i++) {
        const char *at = strstr(name, words[i][0]);
        char other[64];
        enum isa_op result;
        if (!at || strlen(name) + 4 > sizeof(other))
            continue;
        int length =
            snprintf(other, sizeof(other), "%.*s%s%s", (int)(at - name), name, words[i][1], at + strlen(words[i][0]));
        return amd_isa_op_from_name(program->gfx, other, (size_t)length, &result) ? (int)result : -1;
    }
    return -1;
}

/* Exchange the sources if that makes the short form possible: it takes scalars and constants in the first place only.
 */
static bool commute_sources(const struct mir_program *program, struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    unsigned a = info->dst_count, b = a + 1;
    if (info->operand_count < b + 1 || inst->operands[a].kind != ISA_OPERAND_VGPR ||
        inst->operands[b].kind == ISA_OPERAND_VGPR)
        return false;
    int op = exchanged_op(program, inst->op);
    if (op < 0)
        return false;
    struct isa_operand first = inst->operands[a];
    inst->operands[a] = inst->operands[b];
    inst->operands[b] = first;
    inst->op = (uint16_t)op;
    return true;
}

static void emit_words(struct emitter *emitter, const uint32_t *words, unsigned count)
{
    if (emitter->count + count > emitter->capacity) {
        emitter->capacity = MAX2(emitter->capacity * 2, emitter->count + count + 256);
        uint32_t *moved = amd_mir_alloc(emitter->program, emitter->capacity * sizeof(uint32_t));
        if (emitter->count)
            memcpy(moved, emitter->words, emitter->count * sizeof(uint32_t));
        emitter->words = moved;
    }
    memcpy(emitter->words + emitter->count, words, count * sizeof(uint32_t));
    emitter->count += count;
}

/* A plain vector instruction has no modifiers that only the long form holds. */
static bool is_plain_alu(const struct isa_inst *inst)
{
    struct mir_instr plain = amd_mir_plain(inst->op);
    return memcmp(&plain.alu, &inst->alu, sizeof(plain.alu)) == 0;
}

static int encode_vector(struct emitter *emitter, const struct mir_instr *instr, struct isa_inst *inst,
                         uint32_t words[ISA_MAX_DW])
{
    int size;
    bool free_choice =
        !instr->keep_variant && (instr->variant == ISA_VARIANT_BASE || instr->variant == ISA_VARIANT_E64);
    if (!free_choice)
        return try_encode(emitter, inst, instr->variant, words, &size) ? size : -1;
    if (is_plain_alu(inst)) {
        struct isa_inst swapped = *inst;
        if (try_encode(emitter, inst, ISA_VARIANT_BASE, words, &size) ||
            (commute_sources(emitter->program, &swapped) &&
             try_encode(emitter, &swapped, ISA_VARIANT_BASE, words, &size)))
            return size;
    }
    if (try_encode(emitter, inst, ISA_VARIANT_E64, words, &size))
        return size;
    return -1;
}

static void emit_instr(struct emitter *emitter, const struct mir_instr *instr)
{
    struct mir_program *program = emitter->program;
    struct isa_inst inst;
    uint32_t words[ISA_MAX_DW];
    convert_instr(program, instr, &inst);
    const char *what = NULL;
    int size = has_vop_forms(isa_info(instr->op)->format) ? encode_vector(emitter, instr, &inst, words) : -1;
    if (size < 0)
        size = amd_isa_encode(program->gfx, &inst, words, &what);
    if (size < 0)
        amd_mir_fail(program, "%s has no encoding of %s", amd_isa_op_name(program->gfx, instr->op),
                     what ? what : "this");
    emit_words(emitter, words, (unsigned)size);
}

/* ---- control flow ---- */

struct fixup {
    struct fixup *next;
    uint32_t at;     /* of the branch, or of the literal */
    uint32_t target; /* block, or byte of the constant data */
    bool is_const;
    uint32_t pc; /* what the constant's distance counts from */
};

static bool is_branch(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return false;
    const struct isa_op_info *info = isa_info(instr->op);
    return info->format == ISA_FORMAT_SOPP && (info->properties & ISA_PROP_BRANCH);
}

/* A jump of any distance, through a pair of registers. `reversed` is the short one around it, 0 for none. */
static void emit_long_branch(struct emitter *emitter, unsigned reversed, mir_reg pair)
{
    struct mir_program *program = emitter->program;
    struct mir_builder nowhere = {.program = program};
    if (reversed) {
        struct mir_instr *around = amd_mir_new_instr(&nowhere, reversed, 0, 0);
        around->imm = 5; /* dwords: getpc, add with its literal, addc, setpc */
        emit_instr(emitter, around);
    }
    struct mir_instr *pc = amd_mir_new_instr(&nowhere, ISA_OP_S_GETPC_B64, 1, 0);
    pc->defs[0] = (struct mir_def){.reg = pair, .dwords = 2};
    emit_instr(emitter, pc);
    struct mir_instr *add = amd_mir_new_instr(&nowhere, ISA_OP_S_ADD_U32, 1, 2);
    add->defs[0] = (struct mir_def){.reg = pair, .dwords = 1};
    add->operands[0] = mir_reg_use(pair, 1);
    add->operands[1] = mir_const(MIR_ANY_LITERAL);
    emit_instr(emitter, add);
    struct mir_instr *addc = amd_mir_new_instr(&nowhere, ISA_OP_S_ADDC_U32, 1, 2);
    addc->defs[0] = (struct mir_def){.reg = (mir_reg)(pair + 1), .dwords = 1};
    addc->operands[0] = mir_reg_use((mir_reg)(pair + 1), 1);
    addc->operands[1] = mir_const(0);
    emit_instr(emitter, addc);
    struct mir_instr *set = amd_mir_new_instr(&nowhere, ISA_OP_S_SETPC_B64, 0, 1);
    set->operands[0] = mir_reg_use(pair, 2);
    emit_instr(emitter, set);
}

static unsigned reverse_of(unsigned op)
{
    static const uint16_t pairs[][2] = {{ISA_OP_S_CBRANCH_SCC0, ISA_OP_S_CBRANCH_SCC1},
                                        {ISA_OP_S_CBRANCH_VCCZ, ISA_OP_S_CBRANCH_VCCNZ},
                                        {ISA_OP_S_CBRANCH_EXECZ, ISA_OP_S_CBRANCH_EXECNZ}};
    for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
        if (op == pairs[i][0])
            return pairs[i][1];
        if (op == pairs[i][1])
            return pairs[i][0];
    }
    return 0;
}

static struct fixup *add_fixup(struct emitter *emitter, struct fixup *next, uint32_t at, uint32_t target)
{
    struct fixup *fixup = amd_mir_alloc(emitter->program, sizeof(*fixup));
    *fixup = (struct fixup){.next = next, .at = at, .target = target};
    return fixup;
}

/* scc is dead at the end of a block (nothing lives there across borders), so the long form may add. */
static struct fixup *emit_code(struct emitter *emitter, bool far, mir_reg pair)
{
    struct mir_program *program = emitter->program;
    struct fixup *fixups = NULL;
    mir_foreach_block(program, block)
    {
        block->code_offset_dw = emitter->count;
        mir_foreach_instr(block, instr)
        {
            if (mir_is_pseudo(instr))
                continue; /* what is left orders memory for the scheduler and emits nothing */
            if (is_branch(instr) && far) {
                emit_long_branch(emitter, reverse_of(instr->op), pair);
                fixups = add_fixup(emitter, fixups, emitter->count - 3, instr->imm);
                fixups->is_const = true;
                fixups->pc = emitter->count - 4;
                fixups->at |= 1u << 31; /* a block, not data */
                continue;
            }
            if (is_branch(instr)) {
                fixups = add_fixup(emitter, fixups, emitter->count, instr->imm);
            } else if (instr->pass_flags & MIR_FLAG_CONST_ADDR) {
                fixups = add_fixup(emitter, fixups, emitter->count + 1, instr->imm);
                fixups->is_const = true;
                fixups->pc = emitter->count;
            }
            emit_instr(emitter, instr);
        }
    }
    return fixups;
}

/* False where a distance does not fit into 16 bits. */
static bool apply_fixups(struct emitter *emitter, const struct fixup *fixups, uint32_t data_dw)
{
    bool fits = true;
    for (const struct fixup *fixup = fixups; fixup; fixup = fixup->next) {
        if (fixup->is_const) {
            bool is_block = fixup->at >> 31;
            uint32_t target_B =
                is_block ? emitter->program->blocks[fixup->target].code_offset_dw * 4 : data_dw * 4 + fixup->target;
            emitter->words[fixup->at & 0x7fffffff] = target_B - fixup->pc * 4;
            /* The carry of a distance backwards is the upper half's minus one. */
            if (is_block && (int32_t)(target_B - fixup->pc * 4) < 0)
                emitter->words[(fixup->at & 0x7fffffff) + 1] =
                    (emitter->words[(fixup->at & 0x7fffffff) + 1] & ~0xff00u) | 193u << 8;
            continue;
        }
        int64_t distance = (int64_t)emitter->program->blocks[fixup->target].code_offset_dw - (int64_t)fixup->at - 1;
        fits &= distance >= INT16_MIN && distance <= INT16_MAX;
        emitter->words[fixup->at] = (emitter->words[fixup->at] & 0xffff0000u) | (uint16_t)distance;
    }
    return fits;
}

/* ---- the end ---- */

#define CACHE_LINE_DW 16
#define PREFETCH_DW (3 * CACHE_LINE_DW) /* the hardware reads ahead: what stands there must be memory, and code */
#define CODE_END 0xbf9f0000u            /* s_code_end */

static void emit_padding(struct emitter *emitter, uint32_t count)
{
    const uint32_t word = CODE_END;
    for (uint32_t i = 0; i < count; i++)
        emit_words(emitter, &word, 1);
}

static void emit_data(struct emitter *emitter)
{
    const struct mir_program *program = emitter->program;
    for (uint32_t i = 0; i < program->const_data_size_B; i += 4) {
        uint32_t word = 0;
        memcpy(&word, program->const_data + i, MIN2(4u, program->const_data_size_B - i));
        emit_words(emitter, &word, 1);
    }
}

static mir_reg long_branch_pair(const struct mir_program *program)
{
    mir_reg pair = (mir_reg)align_u64(program->num_sgprs, 2);
    return pair + 2 <= program->max_sgprs ? pair : MIR_REG_NONE;
}

void amd_mir_emit(struct mir_program *program, struct mir_code *code_out)
{
    bool far = false;
    for (;;) {
        struct emitter emitter = {.program = program};
        mir_reg pair = far ? long_branch_pair(program) : MIR_REG_NONE;
        if (far && pair == MIR_REG_NONE)
            amd_mir_fail(program, "the program is too long for its branches, and no SGPRs are free");
        struct fixup *fixups = emit_code(&emitter, far, pair);
        uint32_t code_dw = emitter.count;
        uint32_t data_dw = code_dw;
        if (program->const_data_size_B) {
            emit_padding(&emitter, (uint32_t)(align_u64(code_dw, CACHE_LINE_DW) - code_dw));
            data_dw = emitter.count;
            emit_data(&emitter);
        }
        if (!apply_fixups(&emitter, fixups, data_dw)) {
            far = true;
            continue;
        }
        if (far)
            program->num_sgprs = (uint16_t)MAX2(program->num_sgprs, pair + 2);
        emit_padding(&emitter, (uint32_t)(align_u64(emitter.count, CACHE_LINE_DW) - emitter.count) + PREFETCH_DW);
        *code_out = (struct mir_code){emitter.words, emitter.count, code_dw};
        return;
    }
}
