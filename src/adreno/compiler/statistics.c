/* Figures of machine code, of any compiler's: they are read off the words. Time is counted in issue slots of one wave
 * that runs alone, straight through the code. */
#include <string.h>

#include "adreno/compiler/compiler.h"
#include "adreno/isa/isa.h"
#include "util/bits.h"

/* Slots until a result is there, roughly as such chips take: special functions and local memory; the rest of memory. */
#define LATENCY_SS 12
#define LATENCY_SY 40

struct clock {
    uint32_t now, ss_ready, sy_ready;
};

static bool waits_by_ss(const struct adreno_isa_inst *inst)
{
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST];
    const bool is_shared =
        dst->kind == ADRENO_ISA_OPERAND_GPR && dst->value >= ADRENO_ISA_REG_SHARED && dst->value < ADRENO_ISA_REG_A0;
    if (inst->op >= ADRENO_ISA_OP_RCP && inst->op <= ADRENO_ISA_OP_HEXP2)
        return true;
    switch (inst->op) {
    case ADRENO_ISA_OP_LDL:
    case ADRENO_ISA_OP_LDLW:
    case ADRENO_ISA_OP_LDLV:
    case ADRENO_ISA_OP_SHFL:
    case ADRENO_ISA_OP_RESINFO:
    case ADRENO_ISA_OP_RESINFO_B:
    case ADRENO_ISA_OP_STG:
    case ADRENO_ISA_OP_STL:
    case ADRENO_ISA_OP_STP:
    case ADRENO_ISA_OP_STIB_B:
        return true;
    default:
        return (inst->op >= ADRENO_ISA_OP_ATOMIC_ADD && inst->op <= ADRENO_ISA_OP_ATOMIC_XOR) ||
               (is_shared && inst->op < ADRENO_ISA_OP_RCP);
    }
}

static void count_registers(const struct adreno_isa_inst *inst, struct adreno_statistics *s)
{
    for (unsigned i = 0; i < ADRENO_ISA_PLACE_COUNT; i++) {
        const struct adreno_isa_operand *operand = &inst->operands[i];
        if (operand->kind != ADRENO_ISA_OPERAND_GPR || operand->value < 0 || operand->value >= ADRENO_ISA_REG_SHARED)
            continue;
        uint32_t count = 1;
        if (i == ADRENO_ISA_PLACE_DST && inst->op < ADRENO_ISA_OP_RCP)
            count += (uint32_t)inst->field[ADRENO_ISA_FIELD_REPEAT];
        const uint32_t last = (uint32_t)operand->value + count - 1;
        const uint32_t vec4 = operand->flags & ADRENO_ISA_FLAG_HALF ? last / 8 : last / 4;
        s->registers = MAX2(s->registers, vec4 + 1);
    }
}

static void wait_for_cycle(struct clock *clock, uint32_t ready, uint32_t *stall)
{
    if (ready > clock->now) {
        *stall += ready - clock->now;
        clock->now = ready;
    }
}

static void count_inst(const struct adreno_isa_inst *inst, struct clock *clock, struct adreno_statistics *s)
{
    const bool is_alu = inst->op < ADRENO_ISA_OP_RCP, is_nop = inst->op == ADRENO_ISA_OP_NOP;
    const uint32_t repeat = is_alu ? (uint32_t)inst->field[ADRENO_ISA_FIELD_REPEAT] : 0;
    const uint32_t slots = 1 + repeat + inst->nop;
    s->words++;
    s->slots += slots;
    s->nops += inst->nop + (is_nop ? 1 + repeat : 0);
    s->moves += inst->op == ADRENO_ISA_OP_MOV;
    if (inst->field[ADRENO_ISA_FIELD_SS]) {
        s->ss++;
        wait_for_cycle(clock, clock->ss_ready, &s->ss_stall);
    }
    if (inst->field[ADRENO_ISA_FIELD_SY]) {
        s->sy++;
        wait_for_cycle(clock, clock->sy_ready, &s->sy_stall);
    }
    clock->now += slots;
    if (waits_by_ss(inst))
        clock->ss_ready = clock->now + LATENCY_SS;
    else if (inst->op >= ADRENO_ISA_OP_ISAM && inst->op < ADRENO_ISA_OP_BAR)
        clock->sy_ready = clock->now + LATENCY_SY;
    count_registers(inst, s);
}

static bool is_backwards(const struct adreno_isa_inst *inst)
{
    for (unsigned i = 0; i < 3 && inst->op < ADRENO_ISA_OP_MOV; i++) {
        const struct adreno_isa_operand *operand = &inst->operands[ADRENO_ISA_PLACE_SRC0 + i];
        if (operand->kind == ADRENO_ISA_OPERAND_NUMBER && operand->value < 0)
            return true;
    }
    return false;
}

void adreno_statistics_of_code(const uint64_t *words, uint32_t num_words, struct adreno_statistics *statistics_out)
{
    struct clock clock = {0};
    bool is_preamble = false;
    struct adreno_statistics *s = statistics_out;
    memset(s, 0, sizeof(*s));
    for (uint32_t i = 0; i < num_words; i++) {
        struct adreno_isa_inst inst;
        if (adreno_isa_decode(words[i], &inst) != 0)
            continue;
        is_preamble |= inst.op == ADRENO_ISA_OP_SHPS;
        if (is_preamble) { /* it runs once, for all waves */
            is_preamble = inst.op != ADRENO_ISA_OP_SHPE;
            continue;
        }
        count_inst(&inst, &clock, s);
        s->loops += is_backwards(&inst);
        if (inst.op == ADRENO_ISA_OP_END)
            break; /* what follows is never run */
    }
    s->cycles = clock.now;
}
