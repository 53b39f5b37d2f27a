/* See sq_hook.h. */
#include "amd/model/sq/sq_hook.h"

#include <stddef.h>

#include "amd/model/sq/sq_alu.h"

void amd_sq_hook_message(struct sq_wave *wave, const struct sq_uop *uop)
{
    if (!wave->hooks || !wave->hooks->message)
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "a message that nothing receives at this stage");
    else
        wave->hooks->message(wave, uop, uop->imm, wave->sgpr[SQ_M0]);
}

void amd_sq_uop_attribute(struct sq_wave *wave, const struct sq_uop *uop)
{
    if (!wave->hooks || !wave->hooks->attribute) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "interpolation outside of a pixel shader");
        return;
    }
    wave->hooks->attribute(wave, uop, uop->imm / 4, uop->imm % 4, sq_interpolant(wave, SQ_P0),
                           sq_interpolant(wave, SQ_P10), sq_interpolant(wave, SQ_P20));
}

static void run_export(struct sq_wave *wave, const struct sq_uop *uop)
{
    if (!wave->hooks || !wave->hooks->export) {
        amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION, "an export that nothing receives at this stage");
        return;
    }
    const uint32_t *const rows[4] = {sq_at(wave, uop->s[0]), sq_at(wave, uop->s[1]), sq_at(wave, uop->s[2]),
                                     sq_at(wave, uop->sd)};
    wave->hooks->export(wave, uop, &uop->inst->exp, rows);
}

static sq_place source(const struct sq_builder *builder, const struct isa_operand *operand)
{
    unsigned index = operand->kind == ISA_OPERAND_VGPR ? operand->value : 0; /* a disabled channel is not looked at */
    return (sq_place)(offsetof(struct sq_wave, vgpr) + index * builder->exec.lanes * 4);
}

bool amd_sq_translate_export(struct sq_builder *builder, const struct isa_inst *inst)
{
    struct sq_uop *uop = amd_sq_build(builder, run_export, inst);
    for (unsigned i = 0; i < 3; i++)
        uop->s[i] = source(builder, &inst->operands[i]);
    uop->sd = source(builder, &inst->operands[3]);
    return true;
}
