/* Memory, image and export instructions as text. */
#include "amd/isa/print_internal.h"
#include "util/bits.h"

static void put_signed_hex(struct printer *p, int32_t value)
{
    if (value < 0)
        put_char(p, '-');
    put_hex(p, value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

void amd_isa_print_smem(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        put_separator(p);
        if (p->info->operands[i].name == ISA_NAME_SOFFSET) {
            if (operand->kind == ISA_OPERAND_NONE) {
                put_signed_hex(p, mem->offset);
                continue;
            }
            amd_isa_put_operand(p, operand, p->info->operands[i].type);
            /* The hardware adds both. LLVM 14 does not print the number; later versions do. */
            if (mem->offset) {
                put_text(p, " offset:");
                put_signed_hex(p, mem->offset);
            }
        } else if (operand->kind == ISA_OPERAND_IMM) {
            amd_isa_put_immediate(p, operand->value, p->info->operands[i].type);
        } else {
            amd_isa_put_operand(p, operand, p->info->operands[i].type);
        }
    }
    if (p->info->memory == ISA_MEMORY_LOAD) {
        put_flag(p, mem->glc, "glc");
        put_flag(p, mem->dlc, "dlc");
    }
}

static void put_swizzle(struct printer *p, unsigned imm)
{
    enum {
        QUAD_PERM = 0x8000,
        QUAD_PERM_RESERVED = 0x7f00
    };
    put_text(p, " offset:");
    if (imm & QUAD_PERM) {
        if (imm & QUAD_PERM_RESERVED) {
            put_unsigned(p, imm);
            return;
        }
        put_text(p, "swizzle(QUAD_PERM");
        for (unsigned i = 0; i < 4; i++) {
            put_char(p, ',');
            put_unsigned(p, imm >> (2 * i) & 3);
        }
        put_char(p, ')');
        return;
    }
    unsigned and = imm & 31, or = imm >> 5 & 31, xor = imm >> 10 & 31;
    put_text(p, "swizzle(");
    if (and == 31 && or == 0 && is_power_of_two(xor)) {
        put_text(p, "SWAP,");
        put_unsigned(p, xor);
    } else if (and == 31 && or == 0 && xor > 0 && is_power_of_two(xor+1)) {
        put_text(p, "REVERSE,");
        put_unsigned(p, xor+1);
    } else {
        unsigned group = 32 - and;
        if (group > 1 && is_power_of_two(group) && or < group && xor == 0) {
            put_text(p, "BROADCAST,");
            put_unsigned(p, group);
            put_char(p, ',');
            put_unsigned(p, or);
        } else {
            /* The fate of each bit of a lane's number: 0, 1, preserved or inverted. */
            put_text(p, "BITMASK_PERM,\"");
            for (unsigned bit = 16; bit; bit >>= 1) {
                unsigned zero = ((0 & and) | or) ^ xor, one = ((bit & and) | or) ^ xor;
                bool from_zero = zero & bit, from_one = one & bit;
                put_char(p, from_zero == from_one ? (from_zero ? '1' : '0') : from_one ? 'p' : 'i');
            }
            put_char(p, '"');
        }
    }
    put_char(p, ')');
}

void amd_isa_print_ds(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    amd_isa_print_plain(p);
    if (p->info->properties & ISA_PROP_SWIZZLE) {
        if (mem->offset)
            put_swizzle(p, (unsigned)mem->offset);
    } else if (p->info->properties & ISA_PROP_OFFSET2) {
        if (mem->offset & 0xff) {
            put_text(p, " offset0:");
            put_unsigned(p, mem->offset & 0xff);
        }
        if (mem->offset >> 8) {
            put_text(p, " offset1:");
            put_unsigned(p, (uint32_t)mem->offset >> 8);
        }
    } else if (mem->offset) {
        put_text(p, " offset:");
        put_unsigned(p, (uint32_t)mem->offset);
    }
    put_flag(p, mem->gds || (p->info->properties & ISA_PROP_GDS_ONLY), "gds");
}

static void put_offset(struct printer *p)
{
    if (p->inst->mem.offset) {
        put_text(p, " offset:");
        put_signed(p, p->inst->mem.offset);
    }
}

void amd_isa_print_buffer(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    if (p->info->operand_count == 0)
        return;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        put_separator(p);
        amd_isa_put_operand(p, &p->inst->operands[i], p->info->operands[i].type);
    }
    if (p->info->format == ISA_FORMAT_MTBUF && mem->format != 1) {
        put_text(p, " format:");
        if (amd_isa_format_names[mem->format]) {
            put_char(p, '[');
            put_text(p, amd_isa_format_names[mem->format]);
            put_char(p, ']');
        } else {
            put_unsigned(p, mem->format);
        }
    }
    put_flag(p, mem->idxen, "idxen");
    put_flag(p, mem->offen, "offen");
    put_offset(p);
    put_flag(p, mem->glc, "glc");
    put_flag(p, mem->slc, "slc");
    put_flag(p, mem->dlc, "dlc");
    put_flag(p, mem->tfe, "tfe");
    put_flag(p, mem->lds, "lds");
}

static void put_image_address(struct printer *p, const struct isa_operand *operand)
{
    const struct isa_mem *mem = &p->inst->mem;
    if (!mem->nsa) {
        amd_isa_put_operand(p, operand, ISA_TYPE_B32);
        return;
    }
    put_char(p, '[');
    amd_isa_put_operand(p, operand, ISA_TYPE_B32);
    for (unsigned i = 0; i + 1 < mem->addr_count; i++) {
        put_text(p, ", v");
        put_unsigned(p, mem->nsa_addr[i]);
    }
    put_char(p, ']');
}

void amd_isa_print_image(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    bool ray = p->info->properties & (ISA_PROP_BVH | ISA_PROP_BVH64);
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        put_separator(p);
        if (p->info->operands[i].name == ISA_NAME_VADDR)
            put_image_address(p, &p->inst->operands[i]);
        else
            amd_isa_put_operand(p, &p->inst->operands[i], ISA_TYPE_B32);
    }
    if (!ray) {
        if (mem->dmask) {
            put_text(p, " dmask:");
            put_hex(p, mem->dmask);
        }
        put_text(p, " dim:");
        put_text(p, amd_isa_dim_names[mem->dim]);
        put_flag(p, mem->unorm, "unorm");
    }
    put_flag(p, mem->glc, "glc");
    put_flag(p, mem->slc, "slc");
    put_flag(p, mem->dlc, "dlc");
    put_flag(p, mem->r128 && !ray, "r128");
    put_flag(p, mem->a16, "a16");
    put_flag(p, mem->tfe, "tfe");
    put_flag(p, mem->lwe, "lwe");
    put_flag(p, mem->d16, "d16");
}

void amd_isa_print_flat(struct printer *p)
{
    const struct isa_mem *mem = &p->inst->mem;
    for (unsigned i = 0; i < p->info->operand_count; i++) {
        const struct isa_operand *operand = &p->inst->operands[i];
        if (operand->kind == ISA_OPERAND_NONE && p->info->operands[i].name == ISA_NAME_VDST)
            continue;
        put_separator(p);
        amd_isa_put_operand(p, operand, p->info->operands[i].type);
    }
    put_offset(p);
    put_flag(p, mem->glc, "glc");
    put_flag(p, mem->slc, "slc");
    put_flag(p, mem->dlc, "dlc");
    put_flag(p, mem->lds, "lds");
}

void amd_isa_print_export(struct printer *p)
{
    const struct isa_export *exp = &p->inst->exp;
    put_char(p, ' ');
    if (amd_isa_target_names[exp->target]) {
        put_text(p, amd_isa_target_names[exp->target]);
    } else {
        put_text(p, "invalid_target_");
        put_unsigned(p, exp->target);
    }
    p->first = true;
    for (unsigned i = 0; i < 4; i++) {
        put_separator(p);
        if (exp->en >> i & 1)
            amd_isa_put_operand(p, &p->inst->operands[exp->compr ? i / 2 : i], ISA_TYPE_B32);
        else
            put_text(p, "off");
    }
    put_flag(p, exp->done, "done");
    put_flag(p, exp->compr, "compr");
    put_flag(p, exp->vm, "vm");
}
