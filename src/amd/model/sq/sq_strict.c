/* See sq_strict.h: the state of waves and workgroups, and where the checks are put. */
#include "amd/model/sq/sq_strict.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "amd/model/sq/sq_strict_internal.h"
#include "util/bits.h"

/* ---- reports ---- */

void amd_sq_strict_name(char *text, size_t size_B, unsigned file, unsigned index)
{
    static const struct {
        uint8_t index;
        const char *name;
    } named[] = {
        {SQ_VCC, "vcc_lo"}, {SQ_VCC + 1, "vcc_hi"}, {SQ_M0, "m0"}, {SQ_EXEC, "exec_lo"}, {SQ_EXEC + 1, "exec_hi"}};
    for (unsigned i = 0; i < ARRAY_SIZE(named) && file == SQ_STRICT_SGPR; i++) {
        if (named[i].index == index) {
            snprintf(text, size_B, "%s", named[i].name);
            return;
        }
    }
    bool is_ttmp = file == SQ_STRICT_SGPR && index >= SQ_TTMP && index < SQ_M0;
    snprintf(text, size_B, "%s%u",
             file == SQ_STRICT_VGPR ? "v"
             : is_ttmp              ? "ttmp"
                                    : "s",
             is_ttmp ? index - SQ_TTMP : index);
}

/* A fault's text outlives the wave that it is about. It costs the context, so that there are never many of them at
 * once. */
#define TEXTS 64
static char texts[TEXTS][224];
static _Atomic unsigned next_text;

void amd_sq_strict_fault(struct sq_wave *wave, const struct sq_uop *uop, const char *format, ...)
{
    if (wave->state == SQ_FAULTED)
        return;
    char *text = texts[atomic_fetch_add(&next_text, 1) % TEXTS];
    int used = snprintf(text, sizeof(texts[0]), "strict mode: ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof(texts[0]) - (size_t)used, format, arguments);
    va_end(arguments);
    amd_sq_fault(wave, uop, SQ_FAULT_STRICT, text);
}

/* ---- workgroups and waves ---- */

struct sq_strict_group *amd_sq_strict_group_create(void)
{
    struct sq_strict_group *group = calloc(1, sizeof(*group));
    if (!group)
        return NULL;
    bool ok = (group->writers = calloc(SQ_LDS_B / 4, sizeof(*group->writers))) != NULL;
    for (unsigned i = 0; i < SQ_STRICT_SHADOWS; i++)
        ok &= (group->lds[i] = aligned_alloc(64, SQ_LDS_B)) != NULL;
    if (ok)
        return group;
    amd_sq_strict_group_destroy(group);
    return NULL;
}

void amd_sq_strict_group_destroy(struct sq_strict_group *group)
{
    if (!group)
        return;
    for (unsigned i = 0; i < SQ_MAX_WAVES; i++) {
        for (unsigned s = 0; s < SQ_STRICT_SHADOWS && group->waves[i]; s++) {
            free(group->waves[i]->shadow[s]);
            map64_finish(&group->waves[i]->private_memory[s]);
        }
        free(group->waves[i]);
    }
    for (unsigned i = 0; i < SQ_STRICT_SHADOWS; i++)
        free(group->lds[i]);
    free(group->writers);
    free(group);
}

static struct sq_strict *create_wave(struct sq_strict_group *group)
{
    struct sq_strict *strict = calloc(1, sizeof(*strict));
    if (!strict)
        return NULL;
    strict->group = group;
    bool ok = true;
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
        size_t size_B = (sizeof(struct sq_wave) + (size_t)SQ_STRICT_ROWS * LANES_MAX * 4 + 63) & ~(size_t)63;
        strict->shadow[s] = aligned_alloc(64, size_B);
        ok &= strict->shadow[s] != NULL;
        if (strict->shadow[s])
            memset(strict->shadow[s], 0, size_B);
    }
    if (ok)
        return strict;
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++)
        free(strict->shadow[s]);
    free(strict);
    return NULL;
}

/* LDS is not cleared between workgroups. The wave's own is zero, which is as good as any garbage. */
static void begin_lds(struct sq_strict_group *group, uint32_t size_B)
{
    memset(group->writers, 0, size_B / 4 * sizeof(*group->writers));
    for (uint32_t i = 0; i < size_B / 4; i++) {
        uint32_t garbage = (i * 0x9e3779b1u ^ 0x7f4a7c15u) | 1;
        ((uint32_t *)group->lds[0])[i] = garbage;
        ((uint32_t *)group->lds[1])[i] = ~garbage;
    }
}

bool amd_sq_strict_begin(struct sq_workgroup *workgroup, struct sq_wave *wave, const struct sq_launch *launch)
{
    struct sq_strict_group *group = workgroup->strict;
    uint32_t index = wave->wave_in_group;
    if (!group->waves[index])
        group->waves[index] = create_wave(group);
    struct sq_strict *strict = wave->strict = group->waves[index];
    if (!strict)
        return false;
    if (index == 0)
        begin_lds(group, wave->lds_size_B);
    group->is_wgp_mode = launch->is_wgp_mode;
    strict->index = index;
    strict->rows = MIN2(wave->vgpr_count + launch->shared_vgprs, 256u);
    strict->begun = strict->has_suspect = strict->wrote_exec = false;
    strict->serial = strict->sent = strict->pending_count = strict->barriers = strict->private_count = 0;
    for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++)
        map64_finish(&strict->private_memory[s]);
    strict->since_fp_atomic = UINT16_MAX;
    memset(strict->busy_vgpr, 0, sizeof(strict->busy_vgpr));
    memset(strict->busy_sgpr, 0, sizeof(strict->busy_sgpr));
    amd_sq_strict_fill_garbage(wave);
    return true;
}

/* ---- the check before an instruction ---- */

/* Remember the last read of what nothing has written, and what is written from here on. */
static void follow_access(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts,
                          const struct sq_strict_access *access, uint32_t first, uint64_t lanes)
{
    struct sq_strict *strict = wave->strict;
    for (unsigned index = first; index < first + access->count; index++) {
        bool is_vector = access->file == SQ_STRICT_VGPR;
        bool unwritten = is_vector ? (strict->unwritten_vgpr[index] & lanes) != 0 : strict->unwritten_sgpr[index];
        if (!unwritten)
            continue;
        if (access->is_read) {
            strict->has_suspect = true;
            strict->suspect = (struct sq_strict_range){(uint16_t)index, 1, access->file};
            strict->suspect_pc = sq_strict_pc(uop);
        }
        if (!access->is_write && !access->is_result)
            continue;
        if (is_vector)
            strict->unwritten_vgpr[index] &= ~lanes;
        else
            strict->unwritten_sgpr[index] = false;
    }
}

static void check_allocation(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_access *access,
                             uint32_t first)
{
    if (access->file != SQ_STRICT_VGPR || first + access->count <= wave->strict->rows)
        return;
    amd_sq_strict_fault(wave, uop, "v%u is beyond the %u VGPRs that the wave was given", first + access->count - 1,
                        wave->strict->rows);
}

static void check_uop(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct sq_strict_facts *facts = (const struct sq_strict_facts *)(uintptr_t)uop->target_va;
    if (!wave->strict->begun)
        amd_sq_strict_begin_shadows(wave);
    amd_sq_strict_check_pending(wave, uop, facts);
    for (unsigned i = 0; i < facts->count; i++) {
        uint32_t first;
        uint64_t lanes;
        if (!amd_sq_strict_resolve(wave, facts, &facts->accesses[i], &first, &lanes))
            continue;
        check_allocation(wave, uop, &facts->accesses[i], first);
        follow_access(wave, uop, facts, &facts->accesses[i], first, lanes);
    }
    amd_sq_strict_check_hazards(wave, uop, facts);
    amd_sq_strict_check_sinks(wave, uop, facts);
    amd_sq_strict_check_lds(wave, uop, facts);
    amd_sq_strict_issue(wave, uop, facts);
}

/* ---- the translator's side ---- */

static sq_run_fn image_run(unsigned image)
{
    return image == SQ_STRICT_MIRROR ? amd_sq_strict_mirror
           : image == SQ_STRICT_COPY ? amd_sq_strict_copy
           : image == SQ_STRICT_FLAT ? amd_sq_strict_flat
                                     : NULL;
}

bool amd_sq_strict_before(struct sq_builder *builder, const struct isa_inst *inst)
{
    struct sq_strict_facts *facts = amd_sq_code_alloc(builder->code, sizeof(*facts));
    if (!facts)
        return false;
    amd_sq_strict_find_facts(facts, inst, builder->exec.lanes);
    amd_sq_build(builder, check_uop, inst)->target_va = (uintptr_t)facts;
    return true;
}

void amd_sq_strict_behind(struct sq_builder *builder, const struct isa_inst *inst, uint32_t first)
{
    uint32_t count = builder->exec.count - first;
    if (!count || builder->exec.failed)
        return;
    uint64_t facts_va = amd_sq_uops(builder)[first - 1].target_va;
    sq_run_fn run = image_run(((const struct sq_strict_facts *)(uintptr_t)facts_va)->image);
    if (!run)
        return;
    struct sq_uop *uop = amd_sq_build(builder, run, inst);
    uop->target_va = facts_va;
    uop->imm = count;
}
