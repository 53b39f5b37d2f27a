/* Waves: begin, run, report. */
#include "adreno/model/sp/sp.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "adreno/model/gpu.h"
#include "adreno/model/sp/alu.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/strict.h"
#include "isa/lane_env.h"
#include "model/stat.h"

/* ---- faults ---- */

void adreno_sp_fault(struct adreno_wave *wave, const struct sp_uop *uop, enum adreno_wave_fault_kind kind,
                     const char *format, ...)
{
    if (wave->state == ADRENO_WAVE_FAULTED)
        return;
    wave->state = ADRENO_WAVE_FAULTED;
    wave->fault = (struct adreno_wave_fault){.kind = kind, .pc = wave->launch->program_va + uop->pc * 8ull};
    va_list args;
    va_start(args, format);
    vsnprintf(wave->fault.why, sizeof(wave->fault.why), format, args);
    va_end(args);
}

void adreno_sp_memory_fault(struct adreno_wave *wave, const struct sp_uop *uop, uint64_t va, bool is_write)
{
    if (wave->state == ADRENO_WAVE_FAULTED)
        return;
    adreno_sp_fault(wave, uop, ADRENO_FAULT_MEMORY, "an access to memory that is not mapped so");
    wave->fault.va = va;
    wave->fault.is_write = is_write;
}

void adreno_sp_report(struct adreno_gpu *gpu, const struct adreno_wave *wave)
{
    static const char *const stages[] = {"vertex", "hull", "domain", "geometry", "fragment", "compute"};
    const struct adreno_wave_fault *fault = &wave->fault;
    char text[ADRENO_ISA_MAX_TEXT] = "";
    uint64_t word = 0;
    struct adreno_isa_inst inst;
    if (gpu_mem_read64(wave->memory, fault->pc, &word) && adreno_isa_decode(word, &inst) == 0)
        adreno_isa_print(&inst, text);
    const char *stage = stages[wave->launch->stage];
    const unsigned long long pc = fault->pc, start = wave->launch->program_va;
    switch (fault->kind) {
    case ADRENO_FAULT_MEMORY:
        adreno_stop_fault(
            gpu, fault->va, fault->is_write, "%s shader: %s: %s of 0x%llx\n  at 0x%llx (instruction %llu): %s", stage,
            fault->why, fault->is_write ? "write" : "read", (unsigned long long)fault->va, pc, (pc - start) / 8, text);
        break;
    case ADRENO_FAULT_KILLED:
        adreno_stop(gpu, ADRENO_STOP_KILLED, "%s shader: %s\n  at 0x%llx (instruction %llu): %s", stage, fault->why, pc,
                    (pc - start) / 8, text);
        break;
    default:
        adreno_stop(gpu, fault->kind == ADRENO_FAULT_STRICT ? ADRENO_STOP_STRICT : ADRENO_STOP_UNIMPLEMENTED,
                    "%s shader: %s%s\n  at 0x%llx (instruction %llu): %016llx %s", stage,
                    fault->kind == ADRENO_FAULT_STRICT ? "strict mode: " : "", fault->why, pc, (pc - start) / 8,
                    (unsigned long long)word, text);
        break;
    }
}

/* ---- a worker ---- */

struct adreno_sp *adreno_sp_create(const struct gpu_space *memory, const _Atomic bool *stop_flag)
{
    struct adreno_sp *sp = calloc(1, sizeof(*sp));
    if (!sp)
        return NULL;
    sp->memory = memory;
    sp->stop_flag = stop_flag;
    sp->code = adreno_sp_code_create(memory);
    sp->tpl1 = adreno_tpl1_create();
    if (!sp->code || !sp->tpl1) {
        adreno_sp_destroy(sp);
        return NULL;
    }
    return sp;
}

void adreno_sp_count_progress(struct adreno_sp *sp, _Atomic uint64_t *progress)
{
    adreno_sp_code_exec(sp->code)->progress = progress;
}

void adreno_sp_destroy(struct adreno_sp *sp)
{
    if (!sp)
        return;
    adreno_sp_code_destroy(sp->code);
    adreno_tpl1_destroy(sp->tpl1);
    free(sp->single);
    free(sp->joined);
    free(sp->whole);
    free(sp);
}

bool adreno_sp_enter(struct adreno_sp *sp, const struct adreno_launch *launch)
{
    if (sp->serial == launch->serial)
        return true;
    sp->serial = launch->serial;
    if (sp->stages[launch->stage].serial != launch->serial) {
        sp->stages[launch->stage].serial = launch->serial;
        memcpy(sp->stages[launch->stage].constants, launch->constants, sizeof(sp->stages[0].constants));
    }
    if (launch->gpu) {
        adreno_tpl1_state_init(&sp->tpl1_state, launch->gpu->chip, launch->gpu->regs, launch->stage == ADRENO_STAGE_CS);
        sp->tpl1_state.space = sp->memory;
        sp->tpl1_state.gmem = launch->gpu->gmem;
        sp->tpl1_state.ubwc_changes = launch->gpu->ubwc_changes;
        sp->tpl1_state.coherence = sp->coherence = launch->gpu->coherence;
        sp->tpl1_state.gmem_written = launch->gpu->gmem_written;
        sp->stop_flag = launch->gpu->killed;
        uint64_t epoch = atomic_load_explicit(&launch->gpu->code_epoch, memory_order_relaxed);
        if (sp->code_epoch != epoch) {
            sp->code_epoch = epoch;
            adreno_sp_code_validate(sp->code);
        }
        adreno_sp_code_trim(sp->code);
    }
    return true;
}

/* ---- a wave ---- */

struct adreno_wave *adreno_sp_wave_create(void)
{
    const size_t rows_B =
        sizeof(struct adreno_wave) + (size_t)(ADRENO_WAVE_ROWS + ADRENO_WAVE_SPARE_ROWS) * ADRENO_WAVE_LANES_MAX * 4;
    const size_t strict_at_B = (rows_B + 63) & ~(size_t)63, strict_B = adreno_sp_strict_size_B();
    const size_t size_B = (strict_at_B + strict_B + 63) & ~(size_t)63;
    struct adreno_wave *wave = aligned_alloc(64, size_B);
    if (!wave)
        return NULL;
    memset(wave, 0, size_B);
    if (strict_B)
        wave->strict = (struct sp_strict *)((char *)wave + strict_at_B);
    return wave;
}

struct lane_mode adreno_sp_float_mode;

__attribute__((constructor)) static void complete_mode(void)
{
    adreno_sp_float_mode = lane_mode_complete((struct lane_mode){.clamps_nan = true});
}

bool adreno_sp_wave_begin(struct adreno_sp *sp, struct adreno_wave *wave, const struct adreno_launch *launch)
{
    stat_count_waves(1);
    memset(wave, 0, offsetof(struct adreno_wave, parked));
    if (wave->strict)
        adreno_sp_strict_begin(wave->strict);
    wave->base[SP_BASE_WAVE] = (const char *)wave;
    wave->base[SP_BASE_CONSTANTS] = adreno_sp_code_constants(sp->code);
    wave->lanes = launch->lanes;
    wave->launch = launch;
    wave->memory = sp->memory;
    wave->sp = sp;
    wave->code = sp->code;
    wave->constants = sp->stages[launch->stage].constants;
    wave->preamble_serial = &sp->stages[launch->stage].preamble_serial;
    static const _Atomic bool never = false;
    wave->stop_flag = sp->stop_flag ? sp->stop_flag : &never;
    wave->turn = ADRENO_SP_TURN;
    wave->lane_mode = adreno_sp_float_mode;
    wave->env = lane_env_of(&wave->lane_mode, LANE_FP_F32);
    wave->launched = wave->covered = adreno_wave_all(wave);
    wave->state = ADRENO_WAVE_RUNNING;
    return launch->program_va != 0;
}

struct adreno_wave *adreno_sp_begin(struct adreno_sp *sp, const struct adreno_launch *launch)
{
    if (!adreno_sp_enter(sp, launch))
        return NULL;
    if (!sp->single)
        sp->single = adreno_sp_wave_create();
    if (!sp->single || !adreno_sp_wave_begin(sp, sp->single, launch))
        return NULL;
    return sp->single;
}

static void run_uops(struct adreno_wave *wave)
{
    if (!wave->next && wave->state == ADRENO_WAVE_RUNNING) {
        adreno_wave_run_lanes(wave, wave->launched);
        wave->next = adreno_sp_code_enter(wave, 0);
    }
    while (__builtin_expect(wave->state == ADRENO_WAVE_RUNNING, 1)) {
        const struct sp_uop *uop = wave->next++;
        uop->run(wave, uop);
    }
}

/* The loop of micro-operations with a look at where the time goes. */
static void run_uops_counted(struct adreno_wave *wave)
{
    const unsigned before = stat_switch_work(STAT_WAVES);
    if (!wave->next && wave->state == ADRENO_WAVE_RUNNING) {
        adreno_wave_run_lanes(wave, wave->launched);
        wave->next = adreno_sp_code_enter(wave, 0);
    }
    while (wave->state == ADRENO_WAVE_RUNNING) {
        const struct sp_uop *uop = wave->next++;
        if (adreno_sp_jit_is_head(uop) || adreno_sp_loop_is_head(uop)) {
            const unsigned waves = stat_switch_work(STAT_HOST);
            uop->run(wave, uop);
            stat_switch(waves);
        } else {
            uop->run(wave, uop);
        }
    }
    stat_switch(before);
}

void adreno_sp_wave_turn(struct adreno_wave *wave)
{
    if (STAT_ON)
        run_uops_counted(wave);
    else
        run_uops(wave);
}

/* Run until it ends, waits, or has used up its turn. */
static void adreno_sp_wave_run(struct adreno_wave *wave)
{
    uint64_t host = lane_env_get();
    lane_env_set(wave->env);
    adreno_sp_wave_turn(wave);
    lane_env_set(host);
}

bool adreno_sp_run(struct adreno_wave *wave)
{
    if (!lane_mask_any(wave->launched))
        return true;
    uint8_t *private = NULL;
    if (wave->launch->private_size_B && !wave->private) {
        private = calloc(wave->lanes, wave->launch->private_size_B);
        wave->private = private;
    }
    do {
        adreno_sp_wave_run(wave);
        if (wave->state == ADRENO_WAVE_YIELDED) { /* nothing else runs on this worker meanwhile */
            wave->state = ADRENO_WAVE_RUNNING;
            wave->turn = ADRENO_SP_TURN;
        }
    } while (wave->state == ADRENO_WAVE_RUNNING);
    if (private) {
        free(private);
        wave->private = NULL;
    }
    return wave->state == ADRENO_WAVE_ENDED;
}
