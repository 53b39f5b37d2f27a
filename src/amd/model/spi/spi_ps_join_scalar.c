/* The scalar part of joined programs (spi_ps_join.h): which instructions run before the vector part, once for a draw,
 * and what that needs to be known of registers. */
#include <string.h>

#include "amd/model/spi/spi_ps_joining.h"
#include "amd/model/sq/sq_code.h"
#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_uops.h"
#include "util/bits.h"

/* A scalar load before all of the vector part, into registers that still have something else for that. Both variants of
 * a joined program have the same ones. */
struct spi_ps_aside {
    struct spi_ps_aside *next;
    const struct sq_uop *uop;
    uint32_t first, count; /* its registers */
    uint32_t values[16];
};

static struct spi_ps_aside *aside_of(const struct sq_uop *uop)
{
    return (struct spi_ps_aside *)(uintptr_t)uop->target_va;
}

static void run_aside(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct spi_ps_aside *aside = aside_of(uop);
    uint32_t *registers = &wave->sgpr[aside->first], before[ARRAY_SIZE(aside->values)];
    memcpy(before, registers, aside->count * 4);
    aside->uop->run(wave, aside->uop);
    memcpy(aside->values, registers, aside->count * 4);
    memcpy(registers, before, aside->count * 4);
}

static void bring_aside(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct spi_ps_aside *aside = aside_of(uop);
    memcpy(&wave->sgpr[aside->first], aside->values, aside->count * 4);
}

bool amd_spi_join_is_scalar(const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    if (uop->run == bring_aside)
        return true;
    if (uop->run == amd_sq_smem_load || uop->run == amd_sq_smem_buffer_load || uop->run == amd_sq_uop_exec_changed)
        return true;
    return info->helper == ISA_HELPER_NONE && uop->run == amd_sq_alu_kernels[uop->inst->op] &&
           (info->format == ISA_FORMAT_SOP1 || info->format == ISA_FORMAT_SOP2 || info->format == ISA_FORMAT_SOPC ||
            info->format == ISA_FORMAT_SOPK);
}

/* Registers whose mask only some waves have. */
static bool reads_lost(const struct joining *j, const struct sq_registers *reads)
{
    for (unsigned r = 0; r < SQ_EXEC; r++) {
        const bool is_lost = j->mask_kind[r] == JOIN_MASK_LOST && !amd_spi_join_has_mask(j, r);
        if (is_lost && (reads->bits[r / 64] >> r % 64 & 1))
            return true;
    }
    return sq_registers_meet(reads, &j->leaked);
}

/* Registers that were copied from m0 and not changed since: it need not be copied back, as is done before each
 * interpolation. */
static void forget_m0(struct joining *j, const struct sq_registers *writes)
{
    const struct sq_registers m0 = sq_registers_only(SQ_M0, 1);
    if (sq_registers_meet(writes, &m0))
        j->of_m0 = (struct sq_registers){{0}};
    sq_registers_remove(&j->of_m0, writes);
}

bool amd_spi_join_is_m0_again(const struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes, m0 = sq_registers_only(SQ_M0, 1);
    return inst->op == ISA_OP_S_MOV_B32 && amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes) &&
           sq_registers_meet(&writes, &m0) && sq_registers_meet(&reads, &j->of_m0);
}

void amd_spi_join_find_m0(struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes, m0 = sq_registers_only(SQ_M0, 1);
    if (inst->op == ISA_OP_S_MOV_B32 && amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes) &&
        sq_registers_meet(&reads, &m0) && !sq_registers_meet(&writes, &m0) && !j->masks.open)
        sq_registers_unite(&j->of_m0, &writes);
}

bool amd_spi_join_take_registers(struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes, not_read = sq_registers_only(SQ_REGISTER_SCC, 1), kept;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2), scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    sq_registers_unite(&not_read, &j->of_exec);
    if (!amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes))
        return false;
    sq_registers_remove(&reads, &exec);
    sq_registers_remove(&writes, &exec);
    const bool is_good = !sq_registers_meet(&reads, &not_read) && !reads_lost(j, &reads);
    j->is_scc_lost |= sq_registers_meet(&writes, &scc);
    sq_registers_remove(&writes, &scc);
    for (unsigned r = 0; r < SQ_EXEC; r++) { /* known again */
        if (writes.bits[r / 64] >> r % 64 & 1 && j->mask_kind[r] == JOIN_MASK_LOST)
            j->mask_kind[r] = JOIN_MASK_ELSEWHERE;
    }
    kept = reads;
    sq_registers_remove(&kept, &j->written);
    sq_registers_unite(&j->kept, &kept);
    sq_registers_unite(&j->read, &reads);
    sq_registers_unite(&j->written, &writes);
    sq_registers_remove(&j->of_exec, &writes);
    sq_registers_remove(&j->uniform, &writes);
    sq_registers_remove(&j->narrow, &writes);
    forget_m0(j, &writes);
    if (!j->masks.open)
        sq_registers_remove(&j->leaked, &writes);
    return is_good;
}

bool amd_spi_join_names_exec(const struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers reads, writes;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    return !amd_sq_registers_of(inst, j->wave->lanes, &reads, &writes) || sq_registers_meet(&reads, &exec);
}

/* Scalars that only waves that run the open regions find. */
void amd_spi_join_write_in_regions(struct joining *j, const struct sq_registers *writes)
{
    for (uint32_t i = 0; i < j->region_count; i++) {
        if (j->regions[i].is_open)
            sq_registers_unite(&j->regions[i].writes, writes);
    }
    sq_registers_remove(&j->leaked, writes); /* of those that were closed; within these it is known */
}

/* Registers of masks that are the same in all lanes. */
bool amd_spi_join_is_uniform(const struct joining *j, struct sq_registers registers)
{
    const bool has_some = sq_registers_meet(&registers, &j->uniform);
    sq_registers_remove(&registers, &j->uniform);
    return has_some && !registers.bits[0] && !registers.bits[1] && !registers.bits[2];
}

/* Whether the instruction says by scc if a mask that is the same in all lanes has some of exec's. */
static bool is_any_of_uniform(const struct joining *j, const struct isa_inst *inst)
{
    struct sq_registers sources[2] = {{{0}}, {{0}}}, exec = sq_registers_only(SQ_EXEC, 2), other;
    if (inst->op != ISA_OP_S_AND_B64 && inst->op != ISA_OP_S_AND_B32)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (!amd_sq_registers_add_operand(&sources[i], &inst->operands[1 + i], j->wave->lanes))
            return false;
    }
    other = sources[sq_registers_meet(&sources[0], &exec)];
    return sq_registers_meet(&sources[0], &exec) != sq_registers_meet(&sources[1], &exec) &&
           amd_spi_join_is_uniform(j, other);
}

/* It runs before all of the vector part: nothing of that may come between what it reads or writes. */
bool amd_spi_join_hoist(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    const struct sq_registers scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    struct sq_registers reads, writes, exec = sq_registers_only(SQ_EXEC, 2), on_exec = j->of_exec;
    if (!amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) ||
        (j->is_scc_lost && sq_registers_meet(&reads, &scc)) || j->scalar_count + (end - uop) > SPI_PS_SCALARS ||
        reads_lost(j, &reads) || sq_registers_meet(&writes, &exec) ||
        (j->has_stored && isa_info(uop->inst->op)->format == ISA_FORMAT_SMEM))
        return false;
    if (isa_info(uop->inst->op)->reads & ISA_STATE_EXEC)
        sq_registers_unite(&reads, &exec);
    sq_registers_unite(&on_exec, &exec);
    if (sq_registers_meet(&reads, &j->written) || sq_registers_meet(&writes, &j->written) ||
        sq_registers_meet(&writes, &j->read))
        return false;
    const bool depends = sq_registers_meet(&reads, &on_exec);
    sq_registers_remove(&writes, &exec);
    if (depends)
        sq_registers_unite(&j->of_exec, &writes);
    else
        sq_registers_remove(&j->of_exec, &writes);
    sq_registers_remove(&j->uniform, &writes);
    j->is_scc_lost &= !sq_registers_meet(&writes, &scc);
    struct sq_registers registers = writes;
    sq_registers_remove(&registers, &scc);
    amd_spi_join_write_in_regions(j, &registers);
    forget_m0(j, &registers);
    amd_spi_join_find_masks(j, &registers);
    for (; uop < end && j->wave->state == SQ_RUNNING; uop++) {
        uop->run(j->wave, uop); /* branches may ask for it */
        j->joined->scalars[j->scalar_count++] = uop;
    }
    return j->wave->state == SQ_RUNNING;
}

/* Registers side by side; 0: not so. */
static uint32_t count_registers(const struct sq_registers *set, uint32_t *first_out)
{
    uint32_t first = 0, count = 0;
    while (first < SQ_EXEC && !(set->bits[first / 64] >> first % 64 & 1))
        first++;
    while (first + count < SQ_EXEC && set->bits[(first + count) / 64] >> (first + count) % 64 & 1)
        count++;
    struct sq_registers rest = *set, these = sq_registers_only(first, count);
    sq_registers_remove(&rest, &these);
    *first_out = first;
    return rest.bits[0] || rest.bits[1] || rest.bits[2] ? 0 : count;
}

static struct spi_ps_aside *find_aside(struct joining *j, const struct sq_uop *uop)
{
    struct spi_ps_aside *aside = j->joined->asides;
    while (aside && aside->uop->inst != uop->inst)
        aside = aside->next;
    if (aside)
        return aside;
    aside = amd_sq_code_alloc(j->wave->code, sizeof(*aside));
    if (!aside)
        return NULL;
    *aside = (struct spi_ps_aside){.next = j->joined->asides, .uop = uop};
    return j->joined->asides = aside;
}

/* One of the two micro-operations of such a load; those that bring what was loaded lie side by side, as the loads
 * did. */
static struct sq_uop *make_aside(struct joining *j, const struct sq_uop *uop, struct spi_ps_aside *aside)
{
    if (!j->asides)
        j->asides = amd_sq_code_alloc(j->wave->code, (SPI_PS_SCALARS + 1) * sizeof(*j->asides));
    struct sq_uop *run = amd_sq_code_alloc(j->wave->code, sizeof(*run));
    if (!j->asides || !run)
        return NULL;
    struct sq_uop *bring = &j->asides[j->aside_count++];
    *run = *bring = *uop;
    run->run = run_aside;
    bring->run = bring_aside;
    run->target_va = bring->target_va = (uintptr_t)aside;
    j->joined->scalars[j->scalar_count++] = run;
    run->run(j->wave, run);
    return bring;
}

const struct sq_uop *amd_spi_join_aside(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_registers reads, writes, others = j->written;
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2);
    uint32_t first, count;
    sq_registers_unite(&others, &exec);
    sq_registers_unite(&others, &j->of_exec);
    if (isa_info(uop->inst->op)->format != ISA_FORMAT_SMEM || end != uop + 1 || j->has_stored ||
        j->scalar_count == SPI_PS_SCALARS || !amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) ||
        sq_registers_meet(&reads, &others) || reads_lost(j, &reads))
        return NULL;
    count = count_registers(&writes, &first);
    struct spi_ps_aside *aside = count && count <= ARRAY_SIZE(aside->values) ? find_aside(j, uop) : NULL;
    if (!aside)
        return NULL;
    aside->first = first;
    aside->count = count;
    return make_aside(j, uop, aside);
}

/* Only scc is wanted of it, before the vector part. Its mask is not known from here on. */
bool amd_spi_join_any_of_uniform(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    const struct sq_registers exec = sq_registers_only(SQ_EXEC, 2), scc = sq_registers_only(SQ_REGISTER_SCC, 1);
    struct sq_registers reads, writes;
    struct sq_uop *any =
        end == uop + 1 && uop->run == amd_sq_alu_kernels[uop->inst->op] && is_any_of_uniform(j, uop->inst)
            ? amd_sq_code_alloc(j->wave->code, sizeof(*any))
            : NULL;
    if (!any || j->scalar_count == SPI_PS_SCALARS || !amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes))
        return false;
    sq_registers_remove(&reads, &exec);
    if (sq_registers_meet(&reads, &j->written) || sq_registers_meet(&writes, &exec))
        return false;
    *any = *uop;
    any->d = amd_sq_jit_register(SQ_TRASH);
    any->run(j->wave, any);
    j->joined->scalars[j->scalar_count++] = any;
    j->is_scc_lost = false;
    sq_registers_remove(&j->of_exec, &scc);
    sq_registers_remove(&writes, &scc);
    sq_registers_remove(&j->uniform, &writes);
    amd_spi_join_lose_masks(j, &writes);
    return true;
}

/* ---- arithmetic of what all lanes have in common ---- */

/* The VGPRs of a source or of a destination. */
static struct sq_rows rows_of(const struct isa_inst *inst, bool is_read)
{
    const struct isa_op_info *info = isa_info(inst->op);
    struct sq_rows rows = {{0}};
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand_info *about = &info->operands[i];
        const bool is_wanted = is_read ? !about->is_dst || about->is_read : about->is_dst || about->is_written;
        const unsigned count = inst->operands[i].count > 1 ? inst->operands[i].count : 1;
        for (unsigned v = inst->operands[i].value; is_wanted && v < inst->operands[i].value + count && v < 256; v++) {
            if (inst->operands[i].kind == ISA_OPERAND_VGPR)
                rows.bits[v / 64] |= 1ull << v % 64;
        }
    }
    return rows;
}

/* Arithmetic of scalars, which have none of floats of their own: of nothing but scalars and what was made so. */
static bool is_uniform_arithmetic(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    const struct isa_inst *inst = uop->inst;
    const struct isa_op_info *info = isa_info(inst->op);
    const struct sq_rows reads = rows_of(inst, true);
    const bool is_alu = info->format == ISA_FORMAT_VOP1 || info->format == ISA_FORMAT_VOP2 ||
                        info->format == ISA_FORMAT_VOP3 || info->format == ISA_FORMAT_VOPC;
    if (!is_alu || info->writes & ISA_STATE_EXEC || info->reads & (ISA_STATE_VCC | ISA_STATE_M0))
        return false;
    for (unsigned n = 0; n < 4; n++) {
        if (reads.bits[n] & ~j->uniform_rows.bits[n])
            return false;
    }
    for (; uop < end; uop++) {
        if (!amd_sq_jit_knows(uop) || uop->run == amd_sq_uop_dpp16)
            return false;
    }
    return true;
}

/* All lanes' mask, or none's, whichever lanes are active. */
bool amd_spi_join_uniform_compare(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    struct sq_registers reads, writes;
    if (isa_info(uop->inst->op)->format != ISA_FORMAT_VOPC || !is_uniform_arithmetic(j, uop, end) ||
        !amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &writes) || !amd_spi_join_hoist(j, uop, end))
        return false;
    sq_registers_unite(&j->uniform, &writes);
    sq_registers_remove(&j->of_exec, &writes);
    if (!amd_spi_join_exec_is_full(j))
        amd_spi_join_mask_of_active(j, &writes);
    return true;
}

/* Before it is taken as any other: branches may ask for it. */
void amd_spi_join_look_at_rows(struct joining *j, const struct sq_uop *uop, const struct sq_uop *end)
{
    const struct sq_rows writes = rows_of(uop->inst, false);
    struct sq_registers reads, written;
    const bool is_uniform = amd_spi_join_exec_is_full(j) && is_uniform_arithmetic(j, uop, end) &&
                            amd_sq_registers_of(uop->inst, j->wave->lanes, &reads, &written) && !written.bits[0] &&
                            !written.bits[1] && !written.bits[2] && amd_spi_join_hoist(j, uop, end);
    for (unsigned n = 0; n < 4; n++)
        j->uniform_rows.bits[n] =
            is_uniform ? j->uniform_rows.bits[n] | writes.bits[n] : j->uniform_rows.bits[n] & ~writes.bits[n];
}
