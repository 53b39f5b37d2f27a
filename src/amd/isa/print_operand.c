/* Operands and immediates as text. */
#include "amd/isa/print_internal.h"
#include "util/bits.h"

static inline __attribute__((always_inline)) void put_registers(struct printer *p, const char *file, unsigned first,
                                                                unsigned count)
{
    put_text(p, file);
    if (count == 1) {
        put_unsigned(p, first);
        return;
    }
    put_char(p, '[');
    put_unsigned(p, first);
    put_char(p, ':');
    put_unsigned(p, first + count - 1);
    put_char(p, ']');
}

static void put_float(struct printer *p, unsigned index, unsigned type)
{
    static const char *const texts[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
    if (index < ARRAY_SIZE(texts))
        put_text(p, texts[index]);
    else if (type == ISA_TYPE_F64 || type == ISA_TYPE_B64 || type == ISA_TYPE_U64 || type == ISA_TYPE_I64)
        put_text(p, "0.15915494309189532");
    else
        put_text(p, "0.15915494");
}

/* A literal in a place without inline constants is printed as an inline constant where it has the value of one. */
static void put_fixed_literal(struct printer *p, uint32_t value)
{
    static const uint32_t floats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                      0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    if ((int32_t)value >= -16 && (int32_t)value <= 64) {
        put_signed(p, (int32_t)value);
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(floats); i++) {
        if (floats[i] == value) {
            put_float(p, i, ISA_TYPE_F32);
            return;
        }
    }
    put_hex(p, value);
}

static void put_special(struct printer *p, unsigned special, unsigned count)
{
    const char *pair = amd_isa_special_pair_names[special];
    put_text(p, count == 2 && pair ? pair : amd_isa_special_names[special]);
}

void amd_isa_put_operand(struct printer *p, const struct isa_operand *operand, unsigned type)
{
    unsigned count = operand->count == ISA_COUNT_WAVE ? p->wave_size / 32 : operand->count;
    switch ((enum isa_operand_kind)operand->kind) {
    case ISA_OPERAND_NONE:
        put_text(p, "off");
        break;
    case ISA_OPERAND_VGPR:
        put_registers(p, "v", operand->value, count);
        break;
    case ISA_OPERAND_SGPR:
        put_registers(p, "s", operand->value, count);
        break;
    case ISA_OPERAND_TTMP:
        put_registers(p, "ttmp", operand->value, count);
        break;
    case ISA_OPERAND_SPECIAL:
        put_special(p, operand->value, count);
        break;
    case ISA_OPERAND_INT:
        put_signed(p, (int16_t)operand->value);
        break;
    case ISA_OPERAND_FLOAT:
        put_float(p, operand->value, type);
        break;
    case ISA_OPERAND_LITERAL:
        if (p->info->format == ISA_FORMAT_SOPK)
            put_fixed_literal(p, p->inst->literal);
        else
            put_hex(p, p->inst->literal);
        break;
    case ISA_OPERAND_IMM:
        put_unsigned(p, operand->value);
        break;
    case ISA_OPERAND_ATTR:
        put_text(p, "attr");
        put_unsigned(p, operand->value >> 2);
        put_char(p, '.');
        put_char(p, "xyzw"[operand->value & 3]);
        break;
    }
}

static void put_waitcnt(struct printer *p, unsigned imm)
{
    /* A counter at its largest value is not waited for and not written, unless all are. */
    struct isa_waitcnt wait = amd_isa_waitcnt_unpack(p->gfx, (uint16_t)imm), max = amd_isa_waitcnt_max(p->gfx);
    bool all = wait.vmcnt == max.vmcnt && wait.expcnt == max.expcnt && wait.lgkmcnt == max.lgkmcnt, space = false;
    const struct {
        const char *name;
        unsigned value, max;
    } counters[] = {{"vmcnt(", wait.vmcnt, max.vmcnt},
                    {"expcnt(", wait.expcnt, max.expcnt},
                    {"lgkmcnt(", wait.lgkmcnt, max.lgkmcnt}};
    for (unsigned i = 0; i < ARRAY_SIZE(counters); i++) {
        if (counters[i].value == counters[i].max && !all)
            continue;
        if (space)
            put_char(p, ' ');
        put_text(p, counters[i].name);
        put_unsigned(p, counters[i].value);
        put_char(p, ')');
        space = true;
    }
}

static void put_sendmsg(struct printer *p, unsigned imm)
{
    enum {
        GS = 2,
        GS_DONE = 3,
        SYSMSG = 15
    };
    unsigned id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
    bool gs = id == GS || id == GS_DONE;
    const char *op_name = gs ? amd_isa_gs_op_names[op] : id == SYSMSG ? amd_isa_sysmsg_op_names[op] : NULL;
    bool needs_op = gs || id == SYSMSG, has_stream = gs && op != 0;
    bool known = amd_isa_message_names[id] && (needs_op ? op_name && !(id == GS && op == 0) : op == 0) &&
                 (has_stream || stream == 0);
    if (imm & ~0x37fu) {
        put_unsigned(p, imm);
        return;
    }
    put_text(p, "sendmsg(");
    if (known) {
        put_text(p, amd_isa_message_names[id]);
    } else {
        put_unsigned(p, id);
        has_stream = true;
    }
    if (!known || needs_op) {
        put_text(p, ", ");
        if (known)
            put_text(p, op_name);
        else
            put_unsigned(p, op);
        if (has_stream) {
            put_text(p, ", ");
            put_unsigned(p, stream);
        }
    }
    put_char(p, ')');
}

static void put_hwreg(struct printer *p, unsigned imm)
{
    unsigned id = imm & 63, offset = imm >> 6 & 31, size = (imm >> 11 & 31) + 1;
    put_text(p, "hwreg(");
    put_named(p, amd_isa_hwreg_names, id);
    if (offset != 0 || size != 32) {
        put_text(p, ", ");
        put_unsigned(p, offset);
        put_text(p, ", ");
        put_unsigned(p, size);
    }
    put_char(p, ')');
}

void amd_isa_put_immediate(struct printer *p, unsigned imm, unsigned type)
{
    switch (type) {
    case ISA_TYPE_WAITCNT:
        put_waitcnt(p, imm);
        break;
    case ISA_TYPE_SENDMSG:
        put_sendmsg(p, imm);
        break;
    case ISA_TYPE_HWREG:
        put_hwreg(p, imm);
        break;
    case ISA_TYPE_X16:
        put_hex(p, imm);
        break;
    case ISA_TYPE_PARAM:
        put_named(p, amd_isa_param_names, imm & 3);
        break;
    case ISA_TYPE_LABEL:
        put_unsigned(p, imm);
        break;
    default:
        /* A number with an inline constant is written as one; s_endpgm and SOPK differ. */
        if (p->info->format != ISA_FORMAT_SOPK && (imm <= 64 || (p->info->properties & ISA_PROP_DEFAULT_ZERO)))
            put_unsigned(p, imm);
        else
            put_hex(p, imm);
    }
}

void amd_isa_print_plain(struct printer *p)
{
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        unsigned type = p->info->operands[i].type;
        if (operand->kind == ISA_OPERAND_IMM) {
            if (operand->value == 0 && (p->info->properties & ISA_PROP_DEFAULT_ZERO))
                continue;
            put_separator(p);
            amd_isa_put_immediate(p, operand->value, type);
        } else {
            put_separator(p);
            amd_isa_put_operand(p, operand, type);
        }
    }
}
