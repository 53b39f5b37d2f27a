/* The machine IR as text. mir_parse.c reads the same back.
 *
 *     wave 32
 *     block 1 top loop_header -> 2 5 / 2
 *         %7:v1 = v_add_f32.e64 %3, 0x3f800000 | neg=1 clamp=1
 *         %8:s1@scc = s_cmp_lg_u32 %2@m0, 0x0
 *
 * After `->` stand the linear successors, after `/` the logical ones. A register is s5, v3, vcc, exec, m0, scc or
 * null; @ says that a temporary must be there. `_` is no temporary or no operand, `?2` two dwords of whatever. A 64-bit
 * constant ends in `L`. */
#include <inttypes.h>

#include "amd/compiler/mir.h"
#include "amd/compiler/mir_text.h"
#include "util/bits.h"
#include "util/strbuf.h"

const char *const amd_mir_pseudo_names[MIR_PSEUDO_END - MIR_P_START] = {
    [MIR_P_START - MIR_P_START] = "p_start",
    [MIR_P_PHI - MIR_P_START] = "p_phi",
    [MIR_P_LINEAR_PHI - MIR_P_START] = "p_linear_phi",
    [MIR_P_COPY - MIR_P_START] = "p_copy",
    [MIR_P_VECTOR - MIR_P_START] = "p_vector",
    [MIR_P_SPLIT - MIR_P_START] = "p_split",
    [MIR_P_EXTRACT - MIR_P_START] = "p_extract",
    [MIR_P_LOGICAL_START - MIR_P_START] = "p_logical_start",
    [MIR_P_LOGICAL_END - MIR_P_START] = "p_logical_end",
    [MIR_P_BRANCH - MIR_P_START] = "p_branch",
    [MIR_P_CBRANCH - MIR_P_START] = "p_cbranch",
    [MIR_P_SPILL - MIR_P_START] = "p_spill",
    [MIR_P_RELOAD - MIR_P_START] = "p_reload",
    [MIR_P_BARRIER - MIR_P_START] = "p_barrier",
    [MIR_P_CONST_ADDR - MIR_P_START] = "p_const_addr",
    [MIR_P_NEXT_FRAME - MIR_P_START] = "p_next_frame",
    [MIR_P_CALL - MIR_P_START] = "p_call",
};

const char *const amd_mir_variant_names[ISA_VARIANT_COUNT] = {"", ".e64", ".dpp", ".dpp8", ".sdwa"};
const char *const amd_mir_cond_names[6] = {"scc0", "scc1", "vccz", "vccnz", "execz", "execnz"};

const struct mir_named_bit amd_mir_kind_names[] = {
    {"top", MIR_BLOCK_TOP},
    {"loop_header", MIR_BLOCK_LOOP_HEADER},
    {"loop_exit", MIR_BLOCK_LOOP_EXIT},
    {"merge", MIR_BLOCK_MERGE},
    {"uniform", MIR_BLOCK_UNIFORM},
    {"invert", MIR_BLOCK_INVERT},
    {NULL, 0},
};

#define ALU(field)                                                                                                     \
    {                                                                                                                  \
#field, MIR_FIELD_ALU, offsetof(struct mir_instr, alu.field), sizeof(((struct mir_instr *)0)->alu.field)       \
    }
#define MEM(field)                                                                                                     \
    {                                                                                                                  \
#field, MIR_FIELD_MEM, offsetof(struct mir_instr, mem.field), sizeof(((struct mir_instr *)0)->mem.field)       \
    }
#define EXP(field)                                                                                                     \
    {                                                                                                                  \
#field, MIR_FIELD_EXP, offsetof(struct mir_instr, exp.field), sizeof(((struct mir_instr *)0)->exp.field)       \
    }
#define ALL(field)                                                                                                     \
    {                                                                                                                  \
#field, MIR_FIELD_ALL, offsetof(struct mir_instr, field), sizeof(((struct mir_instr *)0)->field)               \
    }
const struct mir_field amd_mir_fields[] = {
    ALU(abs),        ALU(neg),      ALU(neg_hi),   ALU(op_sel),     ALU(op_sel_hi),  ALU(sext),       ALU(clamp),
    ALU(omod),       ALU(high),     ALU(row_mask), ALU(bank_mask),  ALU(bound_ctrl), ALU(fi),         ALU(dst_sel),
    ALU(dst_unused), ALU(src0_sel), ALU(src1_sel), ALU(dpp_ctrl),   ALU(dpp8),       MEM(offset),     MEM(format),
    MEM(dmask),      MEM(dim),      MEM(nsa),      MEM(addr_count), EXP(target),     EXP(en),         EXP(done),
    EXP(compr),      EXP(vm),       ALL(imm),      ALL(imm2),       ALL(sync),       {NULL, 0, 0, 0},
};

/* The single bits of struct isa_mem have no address: a getter and a setter by name. */
#define MEM_FLAGS(X)                                                                                                   \
    X(glc)                                                                                                             \
    X(slc) X(dlc) X(lds) X(offen) X(idxen) X(tfe) X(lwe) X(r128) X(a16) X(d16) X(unorm) X(gds) X(imm) X(soffset_en)

unsigned amd_mir_mem_flags(const struct isa_mem *mem)
{
    unsigned flags = 0, bit = 0;
#define GET(name) flags |= (unsigned)mem->name << bit++;
    MEM_FLAGS(GET)
    return flags;
}

void amd_mir_set_mem_flags(struct isa_mem *mem, unsigned flags)
{
    unsigned bit = 0;
#define SET(name) mem->name = flags >> bit++ & 1;
    MEM_FLAGS(SET)
}

#define NAME(name) #name,
const char *const amd_mir_mem_flag_names[] = {MEM_FLAGS(NAME) NULL};

enum mir_field_kind amd_mir_field_kind_of(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return MIR_FIELD_ALL;
    unsigned format = isa_info(instr->op)->format;
    return format == ISA_FORMAT_EXP                               ? MIR_FIELD_EXP
           : format == ISA_FORMAT_SMEM || format >= ISA_FORMAT_DS ? MIR_FIELD_MEM
           : format >= ISA_FORMAT_VOP1                            ? MIR_FIELD_ALU
                                                                  : MIR_FIELD_ALL;
}

static int64_t amd_mir_get_field(const struct mir_instr *instr, const struct mir_field *field)
{
    const char *at = (const char *)instr + field->offset;
    return field->size == 1 ? *(const uint8_t *)at : field->size == 2 ? *(const uint16_t *)at : *(const uint32_t *)at;
}

void amd_mir_set_field(struct mir_instr *instr, const struct mir_field *field, int64_t value)
{
    char *at = (char *)instr + field->offset;
    if (field->size == 1)
        *(uint8_t *)at = (uint8_t)value;
    else if (field->size == 2)
        *(uint16_t *)at = (uint16_t)value;
    else
        *(uint32_t *)at = (uint32_t)value;
}

static void print_reg(struct strbuf *out, mir_reg reg)
{
    switch (reg) {
    case MIR_REG_VCC:
        strbuf_append(out, "vcc");
        return;
    case MIR_REG_M0:
        strbuf_append(out, "m0");
        return;
    case MIR_REG_NULL:
        strbuf_append(out, "null");
        return;
    case MIR_REG_EXEC:
        strbuf_append(out, "exec");
        return;
    case MIR_REG_SCC:
        strbuf_append(out, "scc");
        return;
    default:
        if (reg >= MIR_REG_V0)
            strbuf_printf(out, "v%u", reg - MIR_REG_V0);
        else
            strbuf_printf(out, "s%u", reg);
    }
}

static void print_def(const struct mir_program *program, struct strbuf *out, const struct mir_def *def)
{
    if (def->temp) {
        struct mir_class class = program->temps[def->temp].class;
        strbuf_printf(out, "%%%u:%c%u", def->temp, class.linear ? 'l' : class.vector ? 'v' : 's', class.dwords);
    } else {
        strbuf_append(out, "_");
    }
    if (def->fixed || def->dwords) {
        strbuf_append(out, "@");
        print_reg(out, def->reg);
        if (!def->temp && def->dwords > 1)
            strbuf_printf(out, "*%u", def->dwords);
    }
}

static void print_operand(struct strbuf *out, const struct mir_operand *operand)
{
    switch (operand->kind) {
    case MIR_TEMP:
        strbuf_printf(out, "%%%u", operand->temp);
        if (operand->fixed) {
            strbuf_append(out, "@");
            print_reg(out, operand->reg);
        }
        if (operand->late)
            strbuf_append(out, "!");
        break;
    case MIR_REG:
        print_reg(out, operand->reg);
        if (operand->dwords > 1)
            strbuf_printf(out, "*%u", operand->dwords);
        break;
    case MIR_CONST:
        strbuf_printf(out, "0x%" PRIx64 "%s", operand->value, operand->dwords == 2 ? "L" : "");
        break;
    case MIR_UNDEF:
        strbuf_printf(out, "?%u", operand->dwords);
        break;
    default:
        strbuf_append(out, "_");
    }
}

static void print_fields(struct strbuf *out, const struct mir_instr *instr)
{
    enum mir_field_kind kind = amd_mir_field_kind_of(instr);
    struct mir_instr plain = amd_mir_plain(instr->op);
    const char *separator = " | ";
    for (const struct mir_field *field = amd_mir_fields; field->name; field++) {
        if (field->kind != MIR_FIELD_ALL && field->kind != kind)
            continue;
        int64_t value = amd_mir_get_field(instr, field);
        if (value == amd_mir_get_field(&plain, field))
            continue;
        strbuf_printf(out, "%s%s=%" PRId64, separator, field->name, value);
        separator = " ";
    }
    unsigned flags = kind == MIR_FIELD_MEM ? amd_mir_mem_flags(&instr->mem) : 0;
    for (unsigned i = 0; amd_mir_mem_flag_names[i]; i++) {
        if (flags >> i & 1) {
            strbuf_printf(out, "%s%s=1", separator, amd_mir_mem_flag_names[i]);
            separator = " ";
        }
    }
}

void amd_mir_print_instr(const struct mir_program *program, const struct mir_instr *instr, struct strbuf *out)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        strbuf_append(out, i ? ", " : "");
        print_def(program, out, &instr->defs[i]);
    }
    const char *name =
        mir_is_pseudo(instr) ? amd_mir_pseudo_names[instr->op - MIR_P_START] : amd_isa_op_name(program->gfx, instr->op);
    strbuf_printf(out, "%s%s%s", instr->num_defs ? " = " : "", name ? name : "?",
                  amd_mir_variant_names[instr->variant]);
    if (instr->op == MIR_P_CBRANCH)
        strbuf_printf(out, ".%s", amd_mir_cond_names[instr->cond]);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        strbuf_append(out, i ? ", " : " ");
        print_operand(out, &instr->operands[i]);
    }
    print_fields(out, instr);
}

void amd_mir_print(const struct mir_program *program, struct strbuf *out)
{
    strbuf_printf(out, "wave %u\n", program->wave_size);
    mir_foreach_block(program, block)
    {
        strbuf_printf(out, "block %u", block->index);
        for (const struct mir_named_bit *bit = amd_mir_kind_names; bit->name; bit++) {
            if (block->kind & bit->bit)
                strbuf_printf(out, " %s", bit->name);
        }
        strbuf_append(out, " ->");
        for (unsigned i = 0; i < block->num_linear_succs; i++)
            strbuf_printf(out, " %u", block->linear_succs[i]);
        strbuf_append(out, " /");
        for (unsigned i = 0; i < block->num_logical_succs; i++)
            strbuf_printf(out, " %u", block->logical_succs[i]);
        strbuf_append(out, "\n");
        mir_foreach_instr(block, instr)
        {
            strbuf_append(out, "    ");
            amd_mir_print_instr(program, instr, out);
            strbuf_append(out, "\n");
        }
    }
}
