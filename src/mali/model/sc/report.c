/* The report of a warp that was stopped: why, the code around the instruction, and the registers of one of its
 * lanes. The command-stream machine puts the place in the stream after it. */
#include <inttypes.h>
#include <string.h>

#include "mali/model/blocks.h"
#include "mali/model/sc/core.h"
#include "util/bits.h"
#include "util/strbuf.h"

#define CODE_BEFORE 6 /* instructions */
#define CODE_AFTER 3
#define REGISTERS_A_LINE 8

static void describe_code(const struct mali_warp *warp, struct strbuf *text)
{
    const uint64_t program_va = warp->launch->code_va, pc = warp->fault.pc;
    strbuf_printf(text, "  code: (program at 0x%" PRIx64 ")\n", program_va);
    for (int i = -CODE_BEFORE; i <= CODE_AFTER; i++) {
        const uint64_t va = pc + (uint64_t)((int64_t)i * 8);
        char line[MALI_ISA_MAX_TEXT] = "(no instruction)";
        struct mali_isa_inst inst;
        uint64_t word;
        if ((i < 0 && va < program_va && pc >= program_va) || !gpu_mem_read64(warp->memory, va, &word))
            continue;
        if (mali_isa_decode(word, &inst) == 0)
            mali_isa_print(&inst, line);
        const int64_t offset = (int64_t)(va - program_va);
        strbuf_printf(text, "  %s %c%04" PRIx64 "  %s\n", i == 0 ? "->" : "  ", offset < 0 ? '-' : '+',
                      (uint64_t)(offset < 0 ? -offset : offset), line);
    }
}

static void describe_registers(const struct mali_warp *warp, struct strbuf *text)
{
    const uint64_t lanes = warp->active ? warp->active : warp->launched;
    const unsigned lane = lanes ? (unsigned)__builtin_ctzll(lanes) : 0;
    unsigned count = 0;
    strbuf_printf(text, "  %d lanes run; registers of lane %u that are not zero:", __builtin_popcountll(warp->active),
                  lane);
    for (unsigned r = 0; r < MALI_WARP_REGISTERS; r++) {
        const uint32_t value = warp->rows[(size_t)r * MALI_ROW_LANES + lane];
        if (value)
            strbuf_printf(text, "%sr%u=0x%x", count++ % REGISTERS_A_LINE ? " " : "\n    ", r, value);
    }
}

static void describe_warp(const struct mali_warp *warp, struct strbuf *text)
{
    describe_code(warp, text);
    describe_registers(warp, text);
}

/* Another block has stopped it, which knows no programs. */
static void add_to_stop(struct gpu_stop *stop, const char *stage, const struct strbuf *text)
{
    pthread_mutex_lock(&stop->lock);
    if (gpu_stop_is_set(stop) && !strstr(gpu_stop_text(stop), "  code:"))
        strbuf_printf(&stop->text, "  in a %s shader:\n%s\n", stage, text->text);
    pthread_mutex_unlock(&stop->lock);
}

void mali_sc_report(const struct mali_warp *warp)
{
    static const char *const stages[] = {"vertex", "fragment", "compute"};
    const struct mali_warp_fault *fault = &warp->fault;
    struct mali_queue *queue = warp->launch->queue;
    const char *stage = stages[warp->launch->stage];
    struct strbuf text = {0};
    describe_warp(warp, &text);
    switch (fault->kind) {
    case MALI_FAULT_NONE:
        add_to_stop(&queue->stop, stage, &text);
        break;
    case MALI_FAULT_MEMORY:
        mali_stop_fault(queue, fault->va, fault->is_write, "%s shader: a %s of 0x%" PRIx64 ", %s\n%s", stage,
                        fault->is_write ? "write" : "read", fault->va, fault->why, text.text);
        break;
    case MALI_FAULT_KILLED:
        mali_stop(queue, GPU_STOP_KILLED, "%s shader: %s\n%s", stage, fault->why, text.text);
        break;
    default:
        mali_stop(queue, fault->kind == MALI_FAULT_STRICT ? GPU_STOP_STRICT : GPU_STOP_UNIMPLEMENTED,
                  "%s shader: %s%s\n%s", stage, fault->kind == MALI_FAULT_STRICT ? "strict mode: " : "", fault->why,
                  text.text);
        break;
    }
    strbuf_finish(&text);
}
