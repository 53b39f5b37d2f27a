/* Instructions of many fields by a text of theirs: the assembler fills in what a form is made of, and selection changes
 * the numbers that vary. */
#include "adreno/compiler/air.h"

static const char *const texts[AIR_FORMS] = {
    [AIR_FORM_LDG] = "ldg.u32 r0.x, g[r0.x], 1",
    [AIR_FORM_STG] = "stg.u32 g[r0.x], r0.x, 1",
    [AIR_FORM_LDL] = "ldl.u32 r0.x, l[r0.x], 1",
    [AIR_FORM_STL] = "stl.u32 l[r0.x], r0.x, 1",
    [AIR_FORM_LDLW] = "ldlw.u32 r0.x, l[r0.x], 1",
    [AIR_FORM_STLW] = "stlw.u32 l[r0.x], r0.x, 1",
    [AIR_FORM_LDP] = "ldp.u32 r0.x, p[r0.x], 1",
    [AIR_FORM_STP] = "stp.u32 p[r0.x], r0.x, 1",
    [AIR_FORM_LDC] = "ldc.offset0.1.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_STC] = "stc.u32 c[0], r0.x, 1",
    [AIR_FORM_LDIB] = "ldib.b.untyped.1d.u32.1.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_STIB] = "stib.b.untyped.1d.u32.1.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_RESINFO] = "resinfo.b.untyped.1d.u32.1.imm.base0 r0.x, 0",
    [AIR_FORM_ATOMIC_B] = "atomic.b.add.untyped.1d.u32.1.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_ATOMIC_G] = "atomic.g.add.untyped.1d.u32.1.g r0.x, r0.x, r0.x",
    [AIR_FORM_ATOMIC_L] = "atomic.add.untyped.1d.u32.1.l r0.x, l[r0.x], r0.x",
    [AIR_FORM_IMAGE_LOAD] = "ldib.b.typed.2d.u32.4.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_IMAGE_STORE] = "stib.b.typed.2d.u32.4.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_IMAGE_SIZE] = "resinfo.b.typed.2d.u32.1.imm.base0 r0.x, 0",
    [AIR_FORM_IMAGE_ATOMIC] = "atomic.b.add.typed.2d.u32.1.imm.base0 r0.x, r0.x, 0",
    [AIR_FORM_MOVA1] = "mova1 a1.x, 0",
    [AIR_FORM_BAR] = "bar.g.l.r.w",
    [AIR_FORM_FENCE] = "fence.g.l.r.w",
    [AIR_FORM_SHFL] = "shfl.xor.u32 r0.x, r0.x, r0.x",
    [AIR_FORM_BRCST] = "brcst.active.w2 (u32)(x)r0.x, r0.x",
    [AIR_FORM_QUAD_READ] = "quad_shuffle.brcst (u32)(x)r0.x, r0.x, r0.x",
    [AIR_FORM_QUAD_SWAP] = "quad_shuffle.horiz (u32)(x)r0.x, r0.x",
    [AIR_FORM_FIBER] = "getfiberid.u32 r0.x",
    [AIR_FORM_DP4] = "dp4acc.unsigned.low r0.x, r0.x, r0.x, r0.x",
};

struct mach_instr *adreno_air_form(struct mach_builder *builder, enum air_form form, mach_temp result,
                                   unsigned num_operands)
{
    struct mach_program *program = builder->program;
    struct air_own *own = air_own(program);
    if (!own->has_form[form]) {
        uint64_t word;
        if (adreno_isa_assemble_line(texts[form], &word) != 0 || adreno_isa_decode(word, &own->forms[form]) != 0)
            mach_fail(program, "internal: no such instruction: %s", texts[form]);
        own->has_form[form] = true;
    }
    struct mach_instr *instr = mach_new_instr(builder, own->forms[form].op, result ? 1 : 0, num_operands);
    *air_isa(instr) = own->forms[form];
    if (result)
        instr->defs[0].temp = result;
    return instr;
}
