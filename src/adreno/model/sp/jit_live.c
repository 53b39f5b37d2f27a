/* Which registers a program still looks at: what host code of a run leaves in others need not be stored.
 *
 * Every fiber has registers and a program counter of its own, so this is a question about one fiber: backwards through
 * all ways that its program can take. Shared registers, addresses and predicates always count as looked at; so do
 * registers that some instruction reads of other fibers, and in stages whose registers are outputs all of them at the
 * end. Where all fibers of a wave are at the same place, shared registers are like others: each fiber has then written
 * what it reads. A program with something that is not followed here (calls, words that are no instructions) looks at
 * everything.
 *
 * What an instruction reads and writes is what strict mode knows (strict_facts.c). */
#include <stdlib.h>

#include "adreno/model/sp/code.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/strict.h"

#define MOST_INSTRUCTIONS 4096

struct step {
    bool is_reached, ends, always_goes_on;
    uint32_t target; /* of a branch; UINT32_MAX: none */
    struct sp_jit_live reads, writes, before;
};

struct sp_live_program {
    struct sp_live_program *next;
    uint64_t program_va;
    enum adreno_stage stage;
    uint32_t count; /* 0: everything is looked at */
    struct sp_jit_live *before;
};

static const struct sp_jit_live everything = {
    {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

static void add_register(struct sp_jit_live *live, const struct strict_register *reg)
{
    const unsigned unit = strict_unit_of(reg);
    if (reg->component >= ADRENO_ISA_REG_A0)
        return;
    live->units[unit / 64] |= (reg->is_half ? 1ull : 3ull) << unit % 64;
}

/* ---- one instruction ---- */

static bool has_relative(const struct adreno_isa_inst *inst)
{
    for (unsigned i = 0; i < sizeof(inst->operands) / sizeof(inst->operands[0]); i++) {
        if (inst->operands[i].kind == ADRENO_ISA_OPERAND_GPR_RELATIVE)
            return true;
    }
    return false;
}

/* Whether it looks at registers of other fibers: of a quad or of the wave, whether they run or not. */
static bool reads_others(const struct adreno_isa_inst *inst)
{
    return (inst->op >= ADRENO_ISA_OP_ISAM && inst->op < ADRENO_ISA_OP_LDG && inst->op != ADRENO_ISA_OP_ISAM &&
            inst->op != ADRENO_ISA_OP_ISAML && inst->op != ADRENO_ISA_OP_ISAMM) ||
           inst->op == ADRENO_ISA_OP_SHFL || inst->op == ADRENO_ISA_OP_MOVS;
}

/* Where a fiber goes from here. False: not followed. */
static bool find_ways(const struct adreno_isa_inst *inst, uint32_t pc, struct step *step)
{
    unsigned place = ADRENO_ISA_PLACE_SRC0;
    step->target = UINT32_MAX;
    switch (inst->op) {
    case ADRENO_ISA_OP_END:
        step->ends = true;
        return true;
    case ADRENO_ISA_OP_CALL:
    case ADRENO_ISA_OP_RET:
        return false;
    case ADRENO_ISA_OP_JUMP:
        step->always_goes_on = false;
        break;
    case ADRENO_ISA_OP_GETONE:
    case ADRENO_ISA_OP_GETLAST:
    case ADRENO_ISA_OP_SHPS:
        break;
    case ADRENO_ISA_OP_BR:
    case ADRENO_ISA_OP_BANY:
    case ADRENO_ISA_OP_BALL:
        place = ADRENO_ISA_PLACE_SRC1;
        break;
    case ADRENO_ISA_OP_BRAO:
    case ADRENO_ISA_OP_BRAA:
        place = ADRENO_ISA_PLACE_SRC2;
        break;
    case ADRENO_ISA_OP_NOP:
    case ADRENO_ISA_OP_KILL:
    case ADRENO_ISA_OP_PREDT:
    case ADRENO_ISA_OP_PREDF:
    case ADRENO_ISA_OP_PREDE:
    case ADRENO_ISA_OP_SHPE:
        return true;
    default:
        return inst->op >= ADRENO_ISA_OP_MOV; /* other flow is not followed */
    }
    step->target = pc + (uint32_t)inst->operands[place].value;
    return true;
}

static bool take_step(struct adreno_wave *wave, const struct adreno_isa_inst *inst, uint32_t pc, struct step *step,
                      struct sp_jit_live *sticky)
{
    struct strict_facts facts;
    step->is_reached = step->always_goes_on = true;
    if (!find_ways(inst, pc, step) || has_relative(inst))
        return false;
    adreno_sp_strict_facts(wave, inst, &facts);
    if (facts.read_count == STRICT_REGISTERS || facts.write_count == STRICT_REGISTERS)
        return false;
    for (uint32_t i = 0; i < facts.read_count; i++) {
        add_register(&step->reads, &facts.reads[i]);
        if (reads_others(inst))
            add_register(sticky, &facts.reads[i]);
    }
    for (uint32_t i = 0; i < facts.write_count; i++) {
        /* Fibers that get no value of another keep their own. */
        if (inst->op != ADRENO_ISA_OP_BRCST_ACTIVE)
            add_register(&step->writes, &facts.writes[i]);
    }
    return true;
}

/* ---- all of them ---- */

/* Follow all ways from the beginning. The number of instructions up to the last; 0: not all could be followed. */
static uint32_t follow_paths(struct adreno_wave *wave, struct step *steps, struct sp_jit_live *sticky)
{
    uint32_t *left = malloc(MOST_INSTRUCTIONS * sizeof(*left)), left_count = 1, count = 0;
    bool is_good = left != NULL;
    if (is_good)
        left[0] = 0;
    while (is_good && left_count) {
        for (uint32_t pc = left[--left_count]; is_good && pc < MOST_INSTRUCTIONS && !steps[pc].is_reached; pc++) {
            struct adreno_isa_inst inst;
            uint64_t word;
            is_good = gpu_mem_read64(wave->memory, wave->launch->program_va + pc * 8ull, &word) &&
                      adreno_isa_decode(word, &inst) == 0 && take_step(wave, &inst, pc, &steps[pc], sticky);
            count = pc + 1 > count ? pc + 1 : count;
            if (!is_good)
                break;
            if (steps[pc].target != UINT32_MAX) {
                is_good = steps[pc].target < MOST_INSTRUCTIONS && left_count < MOST_INSTRUCTIONS;
                if (is_good && !steps[steps[pc].target].is_reached)
                    left[left_count++] = steps[pc].target;
            }
            if (steps[pc].ends || !steps[pc].always_goes_on)
                break;
        }
        is_good &= count < MOST_INSTRUCTIONS;
    }
    free(left);
    return is_good ? count : 0;
}

/* Fibers that predication takes out keep their values. */
static void keep_predicated(struct adreno_wave *wave, struct step *steps, uint32_t count)
{
    bool is_predicated = false;
    for (uint32_t pc = 0; pc < count; pc++) {
        struct adreno_isa_inst inst;
        uint64_t word;
        if (!steps[pc].is_reached || !gpu_mem_read64(wave->memory, wave->launch->program_va + pc * 8ull, &word) ||
            adreno_isa_decode(word, &inst) != 0)
            continue;
        if (inst.op == ADRENO_ISA_OP_PREDT || inst.op == ADRENO_ISA_OP_PREDF)
            is_predicated = true;
        else if (inst.op == ADRENO_ISA_OP_PREDE)
            is_predicated = false;
        if (is_predicated)
            steps[pc].writes = (struct sp_jit_live){{0}};
    }
}

static bool look_back(struct step *steps, uint32_t pc, const struct sp_jit_live *at_end)
{
    struct step *step = &steps[pc];
    bool has_changed = false;
    for (unsigned i = 0; i < SP_JIT_LIVE_WORDS; i++) {
        uint64_t after = step->ends ? at_end->units[i] : 0;
        if (step->target != UINT32_MAX)
            after |= steps[step->target].before.units[i];
        if (!step->ends && step->always_goes_on)
            after |= steps[pc + 1].before.units[i];
        const uint64_t before = (after & ~step->writes.units[i]) | step->reads.units[i];
        has_changed |= before != step->before.units[i];
        step->before.units[i] = before;
    }
    return has_changed;
}

static void find_all(struct adreno_wave *wave, struct sp_live_program *program, struct exec_code *code)
{
    struct sp_jit_live sticky = {{0}};
    struct step *steps = calloc(MOST_INSTRUCTIONS + 1, sizeof(*steps));
    const uint32_t count = steps ? follow_paths(wave, steps, &sticky) : 0;
    program->before = count ? exec_code_alloc(code, count * sizeof(program->before[0])) : NULL;
    if (program->before) {
        const struct sp_jit_live at_end = program->stage == ADRENO_STAGE_CS ? (struct sp_jit_live){{0}} : everything;
        keep_predicated(wave, steps, count);
        bool has_changed = true;
        while (has_changed) {
            has_changed = false;
            for (uint32_t pc = count; pc-- > 0;)
                has_changed |= steps[pc].is_reached && look_back(steps, pc, &at_end);
        }
        for (uint32_t pc = 0; pc < count; pc++) {
            for (unsigned i = 0; i < SP_JIT_LIVE_WORDS; i++)
                program->before[pc].units[i] =
                    steps[pc].is_reached ? steps[pc].before.units[i] | sticky.units[i] : UINT64_MAX;
        }
        program->count = count;
    }
    free(steps);
}

static const struct sp_live_program *program_of(const struct adreno_wave *wave)
{
    struct sp_live_program **list = adreno_sp_code_live(wave->code), *program = *list;
    while (program && (program->program_va != wave->launch->program_va || program->stage != wave->launch->stage))
        program = program->next;
    if (program)
        return program;
    struct exec_code *code = adreno_sp_code_exec(wave->code);
    program = exec_code_alloc(code, sizeof(*program));
    if (!program)
        return NULL;
    *program =
        (struct sp_live_program){.next = *list, .program_va = wave->launch->program_va, .stage = wave->launch->stage};
    find_all((struct adreno_wave *)wave, program, code); /* which looks at the wave only */
    *list = program;
    return program;
}

struct sp_jit_live adreno_sp_jit_live(const struct adreno_wave *wave, uint32_t pc, bool is_together)
{
    const struct sp_live_program *program = program_of(wave);
    if (!program || pc >= program->count)
        return everything;
    struct sp_jit_live live = program->before[pc];
    for (unsigned row = is_together ? ADRENO_ISA_REG_A0 : ADRENO_ISA_REG_SHARED; row < ADRENO_WAVE_ROWS; row++)
        live.units[row / 32] |= 3ull << row % 32 * 2;
    return live;
}

bool adreno_sp_jit_is_read(const struct adreno_wave *wave, unsigned row, uint32_t begin_pc, uint32_t end_pc)
{
    const struct sp_live_program *program = program_of(wave);
    for (uint32_t pc = 0; program && pc < program->count; pc++) {
        struct adreno_isa_inst inst;
        struct strict_facts facts;
        uint64_t word;
        if (pc >= begin_pc && pc < end_pc)
            continue;
        if (!gpu_mem_read64(wave->memory, program->program_va + pc * 8ull, &word) ||
            adreno_isa_decode(word, &inst) != 0)
            return true;
        adreno_sp_strict_facts((struct adreno_wave *)wave, &inst, &facts);
        for (uint32_t i = 0; i < facts.read_count; i++) {
            if (facts.reads[i].component < ADRENO_ISA_REG_A0 && strict_unit_of(&facts.reads[i]) / 2 == row)
                return true;
        }
    }
    return !program || !program->count;
}
