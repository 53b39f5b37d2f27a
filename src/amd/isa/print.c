/* struct isa_inst to text, in the words and the order of LLVM's assembler. Writes into a caller's buffer without
 * printf: text is made at the speed of decoding. Not for: choosing what is valid (decode.c). */
#include "amd/isa/print_internal.h"

/* Instructions that have only one encoding, or no operands that distinguish encodings, have no suffix. */
static void put_suffix(struct printer *p)
{
    static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_dpp", "_sdwa"};
    unsigned variants = p->info->variants[p->gfx];
    if (p->inst->variant == ISA_VARIANT_BASE && variants == 1 && p->info->format != ISA_FORMAT_VINTRP)
        return;
    if (p->info->operand_count == 0)
        return;
    put_text(p, suffixes[p->inst->variant]);
}

unsigned amd_isa_print(enum isa_gfx gfx, unsigned wave_size, const struct isa_inst *inst, char text_out[ISA_MAX_TEXT])
{
    struct printer p = {text_out, gfx, wave_size, inst, isa_info(inst->op), true};
    put_n(&p, amd_isa_generations[gfx].names[inst->op], amd_isa_generations[gfx].name_lengths[inst->op]);
    switch ((enum isa_format)p.info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPK:
    case ISA_FORMAT_SOPC:
    case ISA_FORMAT_SOPP:
        amd_isa_print_plain(&p);
        break;
    case ISA_FORMAT_VOP1:
    case ISA_FORMAT_VOP2:
    case ISA_FORMAT_VOPC:
    case ISA_FORMAT_VINTRP:
        put_suffix(&p);
        amd_isa_print_vector(&p);
        break;
    case ISA_FORMAT_VOP3:
    case ISA_FORMAT_VOP3P:
        amd_isa_print_vector(&p);
        break;
    case ISA_FORMAT_SMEM:
        amd_isa_print_smem(&p);
        break;
    case ISA_FORMAT_DS:
        amd_isa_print_ds(&p);
        break;
    case ISA_FORMAT_MUBUF:
    case ISA_FORMAT_MTBUF:
        amd_isa_print_buffer(&p);
        break;
    case ISA_FORMAT_MIMG:
        amd_isa_print_image(&p);
        break;
    case ISA_FORMAT_FLAT:
        amd_isa_print_flat(&p);
        break;
    case ISA_FORMAT_EXP:
        amd_isa_print_export(&p);
        break;
    case ISA_FORMAT_COUNT:
        break;
    }
    *p.at = '\0';
    return (unsigned)(p.at - text_out);
}
