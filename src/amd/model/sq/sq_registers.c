/* See sq_registers.h. */
#include "amd/model/sq/sq_registers.h"

#include "amd/model/sq/sq_alu.h"
#include "amd/model/sq/sq_memory.h"
#include "util/bits.h"

bool amd_sq_registers_add_operand(struct sq_registers *set, const struct isa_operand *operand, unsigned lanes)
{
    const unsigned count = operand->count == ISA_COUNT_WAVE ? lanes / 32 : operand->count;
    if (operand->kind == ISA_OPERAND_SGPR)
        sq_registers_add(set, operand->value, count);
    if (operand->kind != ISA_OPERAND_SPECIAL)
        return operand->kind != ISA_OPERAND_TTMP;
    switch ((enum isa_special)operand->value) {
    case ISA_SPECIAL_VCC_LO:
        sq_registers_add(set, SQ_VCC, MAX2(count, 1));
        return true;
    case ISA_SPECIAL_VCC_HI: /* a scalar of its own where a mask is one register */
        sq_registers_add(set, SQ_VCC + 1, 1);
        return true;
    case ISA_SPECIAL_SRC_VCCZ:
        sq_registers_add(set, SQ_VCC, lanes / 32);
        return true;
    case ISA_SPECIAL_EXEC_LO:
    case ISA_SPECIAL_EXEC_HI:
    case ISA_SPECIAL_SRC_EXECZ:
        sq_registers_add(set, SQ_EXEC, 2);
        return true;
    case ISA_SPECIAL_M0:
        sq_registers_add(set, SQ_M0, 1);
        return true;
    case ISA_SPECIAL_SRC_SCC:
        sq_registers_add(set, SQ_REGISTER_SCC, 1);
        return true;
    default:
        return operand->value == ISA_SPECIAL_NULL;
    }
}

static void add_state(struct sq_registers *set, uint32_t state, unsigned lanes)
{
    if (state & ISA_STATE_SCC)
        sq_registers_add(set, SQ_REGISTER_SCC, 1);
    if (state & ISA_STATE_VCC)
        sq_registers_add(set, SQ_VCC, lanes / 32);
    if (state & ISA_STATE_M0)
        sq_registers_add(set, SQ_M0, 1);
}

bool amd_sq_registers_of(const struct isa_inst *inst, unsigned lanes, struct sq_registers *reads,
                         struct sq_registers *writes)
{
    const struct isa_op_info *info = isa_info(inst->op);
    *reads = *writes = (struct sq_registers){{0}};
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand_info *about = &info->operands[i];
        if ((!about->is_dst || about->is_read) && !amd_sq_registers_add_operand(reads, &inst->operands[i], lanes))
            return false;
        if ((about->is_dst || about->is_written) && !amd_sq_registers_add_operand(writes, &inst->operands[i], lanes))
            return false;
    }
    add_state(reads, info->reads, lanes);
    add_state(writes, info->writes, lanes);
    if (info->writes & ISA_STATE_EXEC)
        sq_registers_add(writes, SQ_EXEC, 2);
    return !(info->writes & (ISA_STATE_MODE | ISA_STATE_PC | ISA_STATE_HWREG));
}

bool amd_sq_is_scalar(const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    if (uop->run == amd_sq_smem_load || uop->run == amd_sq_smem_buffer_load)
        return true;
    return info->helper == ISA_HELPER_NONE && uop->run == amd_sq_alu_kernels[uop->inst->op] &&
           (info->format == ISA_FORMAT_SOP1 || info->format == ISA_FORMAT_SOP2 || info->format == ISA_FORMAT_SOPC ||
            info->format == ISA_FORMAT_SOPK);
}
