/* See mir_rig.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "amd/compiler/tests/mir_rig.h"
#include "amd/model/sq/sq_code.h"
#include "compiler/ir/ir.h"
#include "util/bits.h"
#include "util/strbuf.h"

#define CODE_VA 0x100000000ull
#define SIZE_B (4u << 20)
#define PRIVATE_VA 0x100300000ull

bool rig_init(struct rig *rig)
{
    rig->fd = memfd_create("mir", 0);
    rig->waves = 1;
    return rig->fd >= 0 && ftruncate(rig->fd, SIZE_B) == 0 &&
           gpu_space_init(&rig->space, &(struct gpu_extent){CODE_VA, SIZE_B}, 1) == 0 &&
           gpu_space_map_file(&rig->space, CODE_VA, SIZE_B, rig->fd, 0, GPU_PERM_RWX) == 0;
}

void rig_finish(struct rig *rig)
{
    gpu_space_finish(&rig->space);
    close(rig->fd);
}

uint32_t *rig_memory(struct rig *rig)
{
    return gpu_space_pointer(&rig->space, RIG_DATA_VA, RIG_DATA_B, GPU_PERM_READ);
}

static void show_program(const struct rig_options *options, const struct mir_program *program, const char *step)
{
    struct strbuf text = {0};
    if (!options->verbose)
        return;
    amd_mir_print(program, &text);
    printf("# ---- %s ----\n%s", step, text.text);
    strbuf_finish(&text);
}

static void show_code(const struct rig_options *options, const struct mir_program *program, const struct mir_code *code)
{
    for (uint32_t at = 0; options->verbose && at < code->code_size_dw;) {
        struct isa_inst inst;
        char text[ISA_MAX_TEXT];
        int size = amd_isa_decode(program->gfx, code->words + at, code->code_size_dw - at, &inst);
        if (size <= 0)
            break;
        amd_isa_print(program->gfx, program->wave_size, &inst, text);
        printf("# %4u  %s\n", at, text);
        at += (uint32_t)size;
    }
}

/* Printed text must read back as the same program. */
static void check_text(struct mir_program *program)
{
    struct mir_program again;
    struct strbuf first = {0}, second = {0};
    amd_mir_print(program, &first);
    amd_mir_init(&again, program->gfx, 32, program->failure);
    const char *what = amd_mir_parse(&again, first.text);
    if (!what)
        amd_mir_print(&again, &second);
    bool same = !what && strcmp(first.text, second.text) == 0;
    char reason[200];
    snprintf(reason, sizeof(reason), "%s", what ? what : "it prints differently");
    strbuf_finish(&first);
    strbuf_finish(&second);
    amd_mir_finish(&again);
    if (!same)
        amd_mir_fail(program, "the printed form does not read back: %s", reason);
}

/* Emitted code must decode, to the last dword, and encode to itself. */
static void check_code(struct mir_program *program, const struct mir_code *code)
{
    for (uint32_t at = 0; at < code->code_size_dw;) {
        struct isa_inst inst;
        uint32_t words[ISA_MAX_DW];
        int size = amd_isa_decode(program->gfx, code->words + at, code->code_size_dw - at, &inst);
        if (size <= 0 || amd_isa_encode(program->gfx, &inst, words, NULL) != size ||
            memcmp(words, code->words + at, (size_t)size * 4) != 0)
            amd_mir_fail(program, "dword %u of the code is not an instruction that encodes to itself", at);
        at += (uint32_t)size;
    }
}

static void compile_program(struct mir_program *program, const char *text, const struct rig_options *options,
                            struct mir_code *code)
{
    const char *what = amd_mir_parse(program, text);
    if (!what)
        what = amd_mir_validate(program);
    if (what)
        amd_mir_fail(program, "%s", what);
    program->const_data = options->const_data;
    program->const_data_size_B = options->const_data_size_B;
    check_text(program);
    if (options->max_sgprs)
        program->max_sgprs = (uint16_t)options->max_sgprs;
    if (options->max_vgprs)
        program->max_vgprs = (uint16_t)options->max_vgprs;
    if (program->num_temps > 4 && program->temps[3].class.dwords == 4 && program->temps[4].class.dwords == 1) {
        program->scratch_rsrc = 3;
        program->scratch_offset = 4;
    }
    show_program(options, program, "parsed");
    amd_mir_split_edges(program);
    if (!options->plain) {
        amd_mir_optimise(program);
        show_program(options, program, "optimised");
    }
    what = amd_mir_validate(program);
    if (what)
        amd_mir_fail(program, "after optimising: %s", what);
    if (!options->plain)
        amd_mir_schedule(program);
    amd_mir_spill(program);
    what = amd_mir_validate(program);
    if (what)
        amd_mir_fail(program, "after spilling: %s", what);
    show_program(options, program, "spilled");
    amd_mir_allocate(program);
    show_program(options, program, "allocated");
    what = amd_mir_validate_allocated(program);
    if (what)
        amd_mir_fail(program, "after allocation: %s", what);
    amd_mir_lower(program);
    if (!options->plain)
        amd_mir_schedule_allocated(program);
    amd_mir_insert_waits(program);
    show_program(options, program, "final");
    amd_mir_emit(program, code);
    check_code(program, code);
    show_code(options, program, code);
}

static void load_registers(struct sq_wave *wave)
{
    static const uint32_t private_memory[] = {(uint32_t)PRIVATE_VA, (PRIVATE_VA >> 32) | 1u << 31, UINT32_MAX,
                                              0x20c00000};
    for (unsigned lane = 0; lane < wave->lanes; lane++)
        wave->vgpr[lane] = wave->wave_in_group * wave->lanes + lane;
    sq_write64(&wave->sgpr[0], RIG_DATA_VA);
    memcpy(&wave->sgpr[4], private_memory, sizeof(private_memory));
    if (wave->lanes == 64)
        wave->sgpr[7] |= 0x00200000;
    wave->sgpr[8] = 0;
}

static void execute_program(struct rig *rig, struct mir_program *program, const struct mir_code *code)
{
    _Atomic bool killed = false;
    struct sq_fault fault = {0};
    struct sq_launch launch = {.program_va = CODE_VA,
                               .lanes = program->wave_size,
                               .vgpr_count = (uint32_t)align_u64(MAX2(program->num_vgprs, 1), 8),
                               .mode = 0xf0,
                               .lds_size_B = 8192,
                               .memory = &rig->space,
                               .killed = &killed};
    if (code->count_dw * 4 > RIG_DATA_VA - CODE_VA)
        amd_mir_fail(program, "%u dwords of code are too many for the rig", code->count_dw);
    memcpy(gpu_space_pointer(&rig->space, CODE_VA, SIZE_B, GPU_PERM_READ), code->words, code->count_dw * 4);
    struct sq_code *cache = amd_sq_code_create(&rig->space);
    struct sq_workgroup *group = amd_sq_workgroup_create(0);
    bool ok = cache && group && amd_sq_workgroup_begin(group, &launch, cache, rig->waves);
    for (unsigned i = 0; ok && i < rig->waves; i++)
        load_registers(group->waves[i]);
    enum sq_turn turn = SQ_TURN_FAULT;
    for (unsigned turns = 0; ok && turns < 20; turns++) {
        turn = amd_sq_workgroup_run(group, &fault);
        if (turn != SQ_TURN_GIVE_UP)
            break;
    }
    if (group)
        amd_sq_workgroup_destroy(group);
    if (cache)
        amd_sq_code_destroy(cache);
    if (turn != SQ_TURN_DONE)
        amd_mir_fail(program, "dword %u: %s", (unsigned)((fault.pc - CODE_VA) / 4),
                     fault.why ? fault.why : "it does not end");
}

struct rig_outcome rig_run(struct rig *rig, const char *text, const struct rig_options *options)
{
    struct rig_outcome outcome = {0};
    struct mir_program program;
    struct ir_failure failure = {0};
    struct mir_code code = {0};
    amd_mir_init(&program, ISA_GFX10_3, 32, &failure);
    if (setjmp(failure.jump)) {
        outcome.error = strdup(failure.text);
    } else {
        compile_program(&program, text, options, &code);
        execute_program(rig, &program, &code);
    }
    outcome.spilled_sgprs = program.spilled_sgprs;
    outcome.spilled_vgprs = program.spilled_vgprs;
    outcome.copies = program.copies;
    outcome.num_sgprs = program.num_sgprs;
    outcome.num_vgprs = program.num_vgprs;
    outcome.code_size_dw = code.code_size_dw;
    if (!outcome.error)
        amd_statistics_of_code(ISA_GFX10_3, program.wave_size, code.words, code.code_size_dw, &outcome.statistics);
    amd_mir_finish(&program);
    return outcome;
}
