/* Prints Adreno's command streams from the hardware tables. No packet is known here by name but for those whose meaning
 * is the shape of the stream: buffers that are called or chained to, groups of state and ambles. */
#include "adreno/hw/decode.h"

#include <inttypes.h>

#include "adreno/hw/packets.h"
#include "adreno/hw/table.h"
#include "util/bits.h"
#include "util/map.h"

static void decode_buffer(struct hw_text *t, const struct hw_buffer *outer);

const char *adreno_format_name(unsigned generation, unsigned number)
{
    const struct adreno_format *format = adreno_format_find(number);
    (void)generation;
    return format ? format->name : NULL;
}

/* ---- packets ---- */

static bool is_header(uint32_t word)
{
    return adreno_is_pkt4(word) || adreno_is_pkt7(word);
}

/* A run of registers; returns its length as the header has it. */
static size_t decode_pkt4(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    unsigned count = ADRENO_PKT4_COUNT(dw[0]), there = (unsigned)MIN2(count, left_dw - 1);
    strbuf_printf(t->out, "%08" PRIx64 "  registers\n", offset_B);
    hw_text_registers(t, ADRENO_PKT4_REG(dw[0]), dw + 1, there, offset_B + 4);
    if (there < count)
        hw_text_problem(t, offset_B, "registers are cut off: %u of %u are there", there, count);
    return 1 + (size_t)count;
}

static size_t decode_pkt7(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    unsigned opcode = ADRENO_PKT7_OPCODE(dw[0]), length_dw = 1 + ADRENO_PKT7_COUNT(dw[0]);
    unsigned there_dw = (unsigned)MIN2(length_dw, left_dw);
    const struct hw_packet *packet = adreno_packet_find(opcode, length_dw);
    hw_text_line(t);
    strbuf_printf(t->out, "%08" PRIx64 "  ", offset_B);
    if (packet) {
        strbuf_append(t->out, hw_name(packet));
        hw_text_packet(t, packet, dw, there_dw, offset_B);
    } else {
        strbuf_printf(t->out, "? opcode 0x%02x\n", opcode);
        hw_text_data(t, dw + 1, there_dw - 1);
        hw_text_problem(t, offset_B, "opcode 0x%02x is not in the tables", opcode);
    }
    const char *name = packet ? hw_name(packet) : "it";
    if (there_dw < length_dw)
        hw_text_problem(t, offset_B, "%s is cut off: %u dwords of %u are there", name, there_dw, length_dw);
    else if (packet && length_dw < packet->min_dw[t->generation])
        hw_text_problem(t, offset_B, "%s has %u dwords, it needs %u", name, length_dw, packet->min_dw[t->generation]);
    return length_dw;
}

/* Words that are no header, as one remark: there may be thousands. Returns how many. */
static size_t skip_garbage(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    size_t count = 1;
    while (count < left_dw && !is_header(dw[count]))
        count++;
    strbuf_printf(t->out, "%08" PRIx64 "  ? %zu dword%s\n", offset_B, count, count == 1 ? "" : "s");
    hw_text_problem(t, offset_B, "0x%08" PRIx32 " is not the header of a packet%s", dw[0],
                    count > 1 ? ", nor are the words after it" : "");
    return count;
}

/* ---- buffers ---- */

static void enter_buffer(struct hw_text *t, uint64_t va, uint32_t count_dw, uint64_t offset_B)
{
    struct hw_buffer target;
    if (count_dw && hw_text_find_buffer(t, va, count_dw, offset_B, &target))
        hw_text_call(t, &target, decode_buffer);
}

/* Groups of CP_SET_DRAW_STATE, each a buffer. */
static void enter_groups(struct hw_text *t, const uint32_t *dw, unsigned length_dw, uint64_t offset_B)
{
    for (unsigned at = 1; at + 3 <= length_dw; at += 3) {
        const uint32_t group[4] = {dw[0], dw[at], dw[at + 1], dw[at + 2]};
        struct adreno_pkt_CP_SET_DRAW_STATE f;
        adreno_unpack_pkt_CP_SET_DRAW_STATE(group, 4, &f);
        if (f.COUNT && !f.DISABLE && !f.DISABLE_ALL_GROUPS) {
            strbuf_printf(t->out, "group %" PRIu32 ": ", f.GROUP_ID);
            enter_buffer(t, f.ADDR, f.COUNT, offset_B);
        }
    }
}

/* Enters what a packet calls. True when the stream continues elsewhere: at *target_out. */
static bool follow_packet(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B,
                          struct hw_buffer *target_out)
{
    unsigned length_dw = 1 + ADRENO_PKT7_COUNT(dw[0]);
    struct adreno_pkt_CP_INDIRECT_BUFFER ib;
    struct adreno_pkt_CP_SET_AMBLE amble;
    if (!t->options->read || !adreno_is_pkt7(dw[0]) || length_dw > left_dw)
        return false;
    switch (ADRENO_PKT7_OPCODE(dw[0])) {
    case ADRENO_PKT_CP_INDIRECT_BUFFER:
    case ADRENO_PKT_CP_INDIRECT_BUFFER_PFD:
        if (adreno_unpack_pkt_CP_INDIRECT_BUFFER(dw, length_dw, &ib))
            enter_buffer(t, ib.IB_BASE, ib.IB_SIZE, offset_B);
        return false;
    case ADRENO_PKT_CP_INDIRECT_BUFFER_CHAIN:
        return adreno_unpack_pkt_CP_INDIRECT_BUFFER(dw, length_dw, &ib) &&
               hw_text_find_buffer(t, ib.IB_BASE, ib.IB_SIZE, offset_B, target_out);
    case ADRENO_PKT_CP_SET_DRAW_STATE:
        enter_groups(t, dw, length_dw, offset_B);
        return false;
    case ADRENO_PKT_CP_SET_AMBLE:
        if (adreno_unpack_pkt_CP_SET_AMBLE(dw, length_dw, &amble))
            enter_buffer(t, amble.ADDR, amble.DWORDS, offset_B);
        return false;
    default:
        return false;
    }
}

/* Decode a buffer and those that it calls; continues in those that it chains to, and does not come back from them. */
static void decode_buffer(struct hw_text *t, const struct hw_buffer *outer)
{
    struct map64 chained = {0}; /* where this buffer's chain has been: one that comes back never ends */
    struct hw_buffer buffer = *outer, target;
    t->va = buffer.va;
    for (size_t at = 0; at < buffer.count_dw;) {
        const uint32_t *dw = buffer.dw + at;
        size_t left_dw = buffer.count_dw - at;
        uint64_t offset_B = 4 * (uint64_t)at;
        if (adreno_is_pkt4(dw[0]))
            at += decode_pkt4(t, dw, left_dw, offset_B);
        else if (adreno_is_pkt7(dw[0]))
            at += decode_pkt7(t, dw, left_dw, offset_B);
        else
            at += skip_garbage(t, dw, left_dw, offset_B);
        if (follow_packet(t, dw, left_dw, offset_B, &target)) {
            if (map64_get(&chained, target.va) || !map64_set(&chained, target.va, 1)) {
                hw_text_problem(t, offset_B, "the chain comes back to 0x%" PRIx64, target.va);
                break;
            }
            strbuf_printf(t->out, "chain 0x%012" PRIx64 "\n", target.va);
            buffer = target;
            t->va = target.va;
            at = 0;
        }
        hw_text_flush(t);
    }
    map64_finish(&chained);
}

unsigned adreno_decode_stream(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                              size_t count_dw)
{
    struct hw_text t = hw_text_begin(out, &adreno_hw_tables, options);
    decode_buffer(&t, &(struct hw_buffer){words, count_dw, 0});
    return t.problems;
}

bool adreno_decode_register(struct strbuf *out, const struct hw_decode_options *options, uint32_t reg, uint32_t value)
{
    struct hw_text t = hw_text_begin(out, &adreno_hw_tables, options);
    unsigned index;
    const struct hw_reg *row = adreno_reg_find(reg, &index);
    if (!row)
        return false;
    hw_text_line(&t);
    hw_text_register(&t, row, index, value);
    return true;
}

bool adreno_decode_descriptor(struct strbuf *out, const struct hw_decode_options *options, const char *name,
                              const uint32_t *words)
{
    struct hw_text t = hw_text_begin(out, &adreno_hw_tables, options);
    return hw_text_descriptor(&t, name, words);
}
