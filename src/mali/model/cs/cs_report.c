/* The report of a lost job: where in the streams the queue was, the instructions around that place, registers, and
 * the operations that were still pending. Nothing here is called while all goes well. */
#include <inttypes.h>

#include "hw/text.h"
#include "mali/hw/table.h"
#include "mali/model/cs/cs_machine.h"
#include "util/bits.h"

#define WORDS_AROUND 8

static void describe_word(struct strbuf *out, uint64_t va, uint64_t word, bool is_culprit)
{
    const struct hw_decode_options options = {.generation = MALI_V10};
    const uint32_t dw[2] = {(uint32_t)word, (uint32_t)(word >> 32)};
    const struct hw_packet *packet = mali_instr_find(word);
    strbuf_printf(out, "  %s 0x%" PRIx64 "  %016" PRIx64 "  ", is_culprit ? "->" : "  ", va, word);
    if (packet) {
        struct hw_text text = hw_text_begin(out, &mali_hw_tables, &options);
        hw_text_line(&text);
        hw_text_word(&text, "%s", hw_name(packet));
        hw_text_fields(&text, hw_fields(packet), 0, packet->field_count, dw, 2, false);
    } else {
        strbuf_append(out, "no instruction");
    }
    strbuf_append(out, "\n");
}

void mali_cs_describe_word(struct strbuf *out, uint64_t va, uint64_t word)
{
    describe_word(out, va, word, false);
}

static void describe_stream(const struct mali_cs *m, struct strbuf *out, const struct cs_frame *frame)
{
    uint64_t before = MIN2(m->at_va - frame->start_va, 8 * WORDS_AROUND), after = 8 * (WORDS_AROUND + 1);
    for (uint64_t va = m->at_va - before; va < frame->end_va && va < m->at_va + after; va += 8) {
        uint64_t word;
        if (!gpu_mem_read64(m->queue->space, va, &word))
            break;
        describe_word(out, va, word, va == m->at_va);
    }
}

/* The frame that the instruction in hand is of; an operation that was pending may be of a stream that has ended. */
static const struct cs_frame *find_frame(const struct mali_cs *m)
{
    for (unsigned i = m->depth; i-- > 0;) {
        if (m->at_va - m->frames[i].start_va < m->frames[i].end_va - m->frames[i].start_va)
            return &m->frames[i];
    }
    return NULL;
}

static void describe_place(const struct mali_cs *m, struct strbuf *out)
{
    strbuf_printf(out, "queue %u at 0x%" PRIx64, m->queue->number, m->at_va);
    for (unsigned i = 0; i < m->depth; i++) {
        const struct cs_frame *frame = &m->frames[i];
        strbuf_printf(out, "%s 0x%" PRIx64 "+0x%" PRIx64 " (%" PRIu64 " instructions)",
                      i == 0 ? ", ring buffer" : ", in the call of", frame->start_va, frame->at_va - frame->start_va,
                      (frame->end_va - frame->start_va) / 8);
    }
    strbuf_printf(out, "%s: ", m->is_handling ? ", in an exception handler" : "");
}

static void describe_registers(const struct mali_cs *m, struct strbuf *out)
{
    strbuf_append(out, "  registers that are not zero:");
    for (unsigned i = 0, count = 0; i < MALI_CS_REGS; i++) {
        if (m->regs[i])
            strbuf_printf(out, "%sr%u=0x%x", count++ % 8 ? " " : "\n    ", i, m->regs[i]);
    }
    strbuf_append(out, "\n");
}

static void describe_ops(const struct mali_cs *m, struct strbuf *out)
{
    list_foreach (&m->ops, struct cs_op, op, node) {
        strbuf_printf(out, "  %s in slot %u:\n", op->is_running ? "running" : "pending", op->slot);
        describe_word(out, op->at_va, op->run.word, false);
    }
}

void mali_cs_describe_stop(struct mali_cs *m)
{
    struct strbuf *text = &m->queue->stop.text, report = {0};
    describe_place(m, &report);
    if (text->text)
        strbuf_append(&report, text->text);
    const struct cs_frame *frame = find_frame(m);
    uint64_t word;
    if (frame)
        describe_stream(m, &report, frame);
    else if (gpu_mem_read64(m->queue->space, m->at_va, &word))
        describe_word(&report, m->at_va, word, true);
    describe_registers(m, &report);
    describe_ops(m, &report);
    struct strbuf old = *text;
    *text = report;
    strbuf_finish(&old);
}
