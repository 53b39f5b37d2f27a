/* Strict mode: what depends on registers and LDS words that nothing has written.
 *
 * Compilers read such registers all the time: an operand that does not matter, a lane that is switched off, the other
 * half of a pair, a whole register that is spilled. What counts is whether it has an effect. So a wave is executed
 * beside two shadows, with the same micro-operations; the three begin with different garbage where the hardware
 * initialises nothing, and with the same values everywhere else. Addresses, data for memory that others see, exports,
 * exec and branches must be the same in all three. A difference proves that the program depends on garbage; that it
 * makes no difference for three patterns, of which two are each other's complement and one is zero, is a good guess
 * that it does not.
 *
 * The shadows touch no memory but LDS, of which each has its own: what the wave loads is copied to them. */
#include <stddef.h>
#include <stdio.h>

#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_strict_internal.h"

/* ---- launch ---- */

/* Shadow 0 has the complement, shadow 1 zero. */
static uint32_t garbage_of(unsigned shadow, uint32_t garbage)
{
    return shadow == 0 ? ~garbage : 0;
}

static uint32_t register_garbage(unsigned file, unsigned index, unsigned lane)
{
    uint32_t x = (file * 0x9e3779b9u) ^ (index * 0x85ebca6bu) ^ (lane * 0xc2b2ae35u) ^ 0x5bd1e995u;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 12;
    x *= 0x297a2d39u;
    return (x ^ x >> 15) | 1; /* odd: not 0, and its complement is not */
}

static bool is_garbage_register(unsigned index)
{
    return index < SQ_TTMP || index == SQ_M0;
}

void amd_sq_strict_fill_garbage(struct sq_wave *wave)
{
    for (unsigned i = 0; i < SQ_SHARED_BASE; i++) {
        if (is_garbage_register(i))
            wave->sgpr[i] = register_garbage(SQ_STRICT_SGPR, i, 0);
    }
    for (unsigned row = 0; row < wave->strict->rows; row++) {
        for (unsigned lane = 0; lane < wave->lanes; lane++)
            wave->vgpr[row * wave->lanes + lane] = register_garbage(SQ_STRICT_VGPR, row, lane);
    }
}

/* Registers that are still garbage have not been initialised by the hardware. */
void amd_sq_strict_begin_shadows(struct sq_wave *wave)
{
    struct sq_strict *strict = wave->strict;
    for (unsigned i = 0; i < SQ_REGISTERS; i++)
        strict->unwritten_sgpr[i] = is_garbage_register(i) && wave->sgpr[i] == register_garbage(SQ_STRICT_SGPR, i, 0);
    memset(strict->unwritten_vgpr, 0, sizeof(strict->unwritten_vgpr));
    for (unsigned row = 0; row < strict->rows; row++) {
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            bool unwritten = wave->vgpr[row * wave->lanes + lane] == register_garbage(SQ_STRICT_VGPR, row, lane);
            strict->unwritten_vgpr[row] |= (uint64_t)unwritten << lane;
        }
    }
    for (unsigned n = 0; n < SQ_STRICT_SHADOWS; n++) {
        struct sq_wave *shadow = strict->shadow[n];
        memcpy(shadow, wave, offsetof(struct sq_wave, temp));
        memset(shadow->temp, 0, sizeof(shadow->temp));
        memcpy(shadow->vgpr, wave->vgpr, (size_t)strict->rows * wave->lanes * 4);
        shadow->base[SQ_BASE_WAVE] = (const char *)shadow;
        shadow->lds = strict->group->lds[n];
        shadow->scc = n == 0;
        for (unsigned i = 0; i < SQ_REGISTERS; i++) {
            if (strict->unwritten_sgpr[i])
                shadow->sgpr[i] = garbage_of(n, wave->sgpr[i]);
        }
        for (unsigned i = 0; i < strict->rows * wave->lanes; i++) {
            if (strict->unwritten_vgpr[i / wave->lanes] >> i % wave->lanes & 1)
                shadow->vgpr[i] = garbage_of(n, wave->vgpr[i]);
        }
    }
    strict->begun = true;
}

/* ---- sinks ---- */

static const char *const sink_names[] = {
    [SQ_STRICT_ADDRESS] = "in an address",
    [SQ_STRICT_DESCRIPTOR] = "in a descriptor",
    [SQ_STRICT_DATA] = "as data for memory",
    [SQ_STRICT_EXPORT] = "as an export",
    [SQ_STRICT_TARGET] = "as the target of a jump",
    [SQ_STRICT_MESSAGE] = "as a message",
    [SQ_STRICT_MODE] = "as a hardware register's value",
};

static void report_register(struct sq_wave *wave, const struct sq_uop *uop, const char *what, const char *where)
{
    const struct sq_strict *strict = wave->strict;
    char suspect[16];
    if (strict->has_suspect) {
        amd_sq_strict_name(suspect, sizeof(suspect), strict->suspect.file, strict->suspect.first);
        amd_sq_strict_fault(
            wave, uop, "%s %s depends on something uninitialised: %s, which nothing has written, was read at pc 0x%llx",
            what, where, suspect, (unsigned long long)strict->suspect_pc);
    } else {
        amd_sq_strict_fault(wave, uop,
                            "%s %s depends on something uninitialised: an LDS word or scc that nothing has written",
                            what, where);
    }
}

/* The active lanes whose flat address is in LDS; in private memory, too, if asked for. */
static uint64_t flat_lanes(const struct sq_wave *wave, const struct sq_strict_facts *facts, bool with_private)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < facts->info->operand_count; i++) {
        if (facts->info->operands[i].name != ISA_NAME_VADDR)
            continue;
        const uint32_t *high = wave->vgpr + (facts->inst->operands[i].value + 1u) * wave->lanes;
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            bool is_lds = high[lane] == wave->sgpr[SQ_SHARED_BASE + 1],
                 is_private = high[lane] == wave->sgpr[SQ_PRIVATE_BASE + 1];
            result |= (uint64_t)(is_lds || (with_private && is_private)) << lane;
        }
    }
    return result & sq_exec(wave);
}

static void check_sink(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_access *access,
                       unsigned first, uint64_t lanes)
{
    struct sq_strict *strict = wave->strict;
    char name[16], what[40];
    for (unsigned n = 0; n < access->count; n++) {
        uint32_t bits = n + 1 == access->count ? access->last_bits : access->bits;
        for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
            const struct sq_wave *shadow = strict->shadow[s];
            amd_sq_strict_name(name, sizeof(name), access->file, first + n);
            if (access->file == SQ_STRICT_SGPR) {
                if ((wave->sgpr[first + n] ^ shadow->sgpr[first + n]) & bits) {
                    report_register(wave, uop, name, sink_names[access->sink]);
                    return;
                }
                continue;
            }
            for (unsigned lane = 0; lane < wave->lanes; lane++) {
                unsigned at = (first + n) * wave->lanes + lane;
                if ((lanes >> lane & 1) && ((wave->vgpr[at] ^ shadow->vgpr[at]) & bits)) {
                    snprintf(what, sizeof(what), "%s (lane %u)", name, lane);
                    report_register(wave, uop, what, sink_names[access->sink]);
                    return;
                }
            }
        }
    }
}

/* Whether the branch is taken must not depend on garbage. */
static void check_branch(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    bool on_scc = facts->info->reads & ISA_STATE_SCC, on_vcc = facts->info->reads & ISA_STATE_VCC;
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
        const struct sq_wave *shadow = wave->strict->shadow[s];
        if (on_scc && wave->scc != shadow->scc)
            report_register(wave, uop, "scc", "in a branch");
        if (on_vcc && !sq_read_mask(wave, &wave->sgpr[SQ_VCC]) != !sq_read_mask(shadow, &shadow->sgpr[SQ_VCC]))
            report_register(wave, uop, "vccz", "in a branch");
    }
}

/* A call writes its return address and leaves the block: nothing can be checked after it. */
static void mirror_call(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    const struct sq_strict_access *d = &facts->accesses[0];
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++)
        sq_write64(&wave->strict->shadow[s]->sgpr[d->first], uop->next_va);
}

void amd_sq_strict_check_sinks(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    uint64_t exec = sq_exec(wave);
    bool is_private = amd_sq_strict_is_private(wave, facts);
    bool is_scalar = facts->info->format < ISA_FORMAT_VOP1 || facts->info->format == ISA_FORMAT_SMEM;
    for (unsigned i = 0; i < facts->count; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        uint32_t first;
        uint64_t lanes;
        if (!access->sink || !(exec || is_scalar) || !amd_sq_strict_resolve(wave, facts, access, &first, &lanes))
            continue;
        if (access->sink == SQ_STRICT_DATA) {
            if (is_private)
                continue;
            if (facts->image == SQ_STRICT_FLAT)
                lanes &= ~flat_lanes(wave, facts, true);
        }
        check_sink(wave, uop, access, first, lanes);
    }
    if (is_private && facts->info->memory == ISA_MEMORY_STORE && exec && wave->state == SQ_RUNNING)
        amd_sq_strict_store_private(wave, uop + 1, facts);
    bool uses_base =
        facts->info->properties & ISA_PROP_SCRATCH ||
        (facts->image == SQ_STRICT_FLAT && flat_lanes(wave, facts, true) != flat_lanes(wave, facts, false));
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS && uses_base && exec; s++) {
        if (wave->flat_scratch_va != wave->strict->shadow[s]->flat_scratch_va)
            report_register(wave, uop, "flat_scratch", "in an address");
    }
    if (facts->info->properties & ISA_PROP_BRANCH)
        check_branch(wave, uop, facts);
    if (facts->inst->op == ISA_OP_S_SWAPPC_B64 || facts->inst->op == ISA_OP_S_CALL_B64)
        mirror_call(wave, uop, facts);
}

/* ---- images of an instruction ---- */

static const struct sq_strict_facts *facts_of(const struct sq_uop *uop)
{
    return (const struct sq_strict_facts *)(uintptr_t)uop->target_va;
}

void amd_sq_strict_mirror(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_strict *strict = wave->strict;
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
        for (const struct sq_uop *at = uop - uop->imm; at < uop; at++)
            at->run(strict->shadow[s], at);
    }
    if (!facts_of(uop)->writes_exec)
        return;
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
        if (sq_exec(strict->shadow[s]) != sq_exec(wave)) {
            report_register(wave, uop, "exec", "as it is now");
            return;
        }
    }
}

/* Lanes of a result, and in a register that both halves of a wave64 share, the other half's. */
static void copy_results(struct sq_wave *wave, const struct sq_strict_facts *facts, uint64_t lanes)
{
    struct sq_strict *strict = wave->strict;
    for (unsigned i = 0; i < facts->count; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        if (!access->is_result && !access->is_write)
            continue;
        for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
            struct sq_wave *shadow = strict->shadow[s];
            if (access->file == SQ_STRICT_SGPR) {
                memcpy(&shadow->sgpr[access->first], &wave->sgpr[access->first], access->count * 4u);
                continue;
            }
            for (unsigned row = access->first; row < access->first + access->count; row++) {
                uint64_t here =
                    wave->shared_vgpr && row >= wave->shared_vgpr ? lanes | lanes >> 32 | lanes << 32 : lanes;
                for (unsigned lane = 0; lane < wave->lanes; lane++) {
                    if (here >> lane & 1)
                        shadow->vgpr[row * wave->lanes + lane] = wave->vgpr[row * wave->lanes + lane];
                }
            }
        }
    }
}

static void copy_private(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    struct sq_strict *strict = wave->strict;
    uint32_t differs[SQ_STRICT_SHADOWS][SQ_STRICT_LOADED];
    amd_sq_strict_load_private(wave, uop - uop->imm, facts, differs);
    copy_results(wave, facts, sq_exec(wave));
    const struct sq_strict_access *result = &facts->accesses[0]; /* the destination is the first operand of a load */
    for (unsigned n = 0; n < result->count * wave->lanes && n < SQ_STRICT_LOADED; n++) {
        for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++)
            strict->shadow[s]->vgpr[result->first * wave->lanes + n] ^= differs[s][n];
    }
}

void amd_sq_strict_copy(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct sq_strict_facts *facts = facts_of(uop);
    if (wave->strict->private_count && facts->info->memory == ISA_MEMORY_LOAD && amd_sq_strict_is_private(wave, facts))
        copy_private(wave, uop, facts);
    else
        copy_results(wave, facts, sq_exec(wave));
}

/* The lanes in LDS are executed on each shadow's own. The address may have been overwritten by the result: the wave's
 * own is lost by now, the shadows' are not, and are the same. */
void amd_sq_strict_flat(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_strict *strict = wave->strict;
    const struct sq_strict_facts *facts = facts_of(uop);
    uint64_t exec = sq_exec(wave), in_lds = flat_lanes(strict->shadow[0], facts, false);
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS && in_lds; s++) {
        struct sq_wave *shadow = strict->shadow[s];
        sq_write_mask(shadow, &shadow->sgpr[SQ_EXEC], in_lds);
        sq_exec_changed(shadow);
        for (const struct sq_uop *at = uop - uop->imm; at < uop; at++)
            at->run(shadow, at);
        sq_write_mask(shadow, &shadow->sgpr[SQ_EXEC], exec);
        sq_exec_changed(shadow);
    }
    copy_results(wave, facts, exec & ~in_lds);
}
