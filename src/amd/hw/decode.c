/* Prints Radeon's command streams from the hardware tables. No register or packet is known here by name but for the few
 * whose meaning is the shape of the stream: NOP's one-dword form and INDIRECT_BUFFER. */
#include "amd/hw/decode.h"

#include <inttypes.h>

#include "amd/hw/pack.h"
#include "amd/hw/packets.h"
#include "amd/hw/table.h"
#include "util/bits.h"
#include "util/map.h"

/* ---- type-3 packets ---- */

static unsigned packet_length_dw(uint32_t header)
{
    if (AMD_PKT3_OPCODE(header) == AMD_PKT_NOP && AMD_PKT_COUNT(header) == 0x3fff)
        return 1;
    return AMD_PKT_COUNT(header) + 2;
}

/* One type-3 packet; returns its length as the header has it. */
static size_t decode_packet(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    unsigned length_dw = packet_length_dw(dw[0]);
    unsigned there_dw = (unsigned)MIN2(length_dw, left_dw);
    const struct hw_packet *packet = amd_packet_find((enum amd_gfx)t->generation, AMD_PKT3_OPCODE(dw[0]), length_dw);
    const char *name = packet ? hw_name(packet) : "it";

    hw_text_line(t);
    strbuf_printf(t->out, "%08" PRIx64 "  ", offset_B);
    if (packet) {
        strbuf_append(t->out, hw_name(packet));
        if (AMD_PKT3_PREDICATE(dw[0]))
            hw_text_word(t, "(predicated)");
        if (AMD_PKT3_COMPUTE(dw[0]))
            hw_text_word(t, "(compute)");
        hw_text_packet(t, packet, dw, there_dw, offset_B);
    } else {
        strbuf_printf(t->out, "? opcode 0x%02" PRIx32 "\n", AMD_PKT3_OPCODE(dw[0]));
        hw_text_data(t, dw + 1, there_dw - 1);
        hw_text_problem(t, offset_B, "opcode 0x%02" PRIx32 " is not in the tables", AMD_PKT3_OPCODE(dw[0]));
    }
    if (there_dw < length_dw)
        hw_text_problem(t, offset_B, "%s is cut off: %u dwords of %u are there", name, there_dw, length_dw);
    else if (packet && length_dw < packet->min_dw[t->generation])
        hw_text_problem(t, offset_B, "%s has %u dwords, it needs %u", name, length_dw, packet->min_dw[t->generation]);
    return length_dw;
}

/* ---- the DMA engine ---- */

/* One packet, or padding; returns its length. */
static size_t decode_sdma_packet(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    size_t fillers = 0;
    while (fillers < left_dw && dw[fillers] == 0)
        fillers++;
    if (fillers) {
        strbuf_printf(t->out, "%08" PRIx64 "  filler (%zu dword%s)\n", offset_B, fillers, fillers == 1 ? "" : "s");
        return fillers;
    }
    return hw_text_self_sized(t, amd_sdma_find((enum amd_gfx)t->generation, dw[0]), dw, left_dw, offset_B);
}

/* ---- buffers ---- */

/* Words that are no header, as one remark: there may be thousands. Returns how many. */
static size_t skip_garbage(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    size_t count = 0;
    while (count < left_dw && AMD_PKT_TYPE(dw[count]) < 2)
        count++;
    strbuf_printf(t->out, "%08" PRIx64 "  ? %zu dword%s of type %" PRIu32 "\n", offset_B, count, count == 1 ? "" : "s",
                  AMD_PKT_TYPE(dw[0]));
    hw_text_problem(t, offset_B, "0x%08" PRIx32 " is not the header of a packet (type %" PRIu32 ")%s", dw[0],
                    AMD_PKT_TYPE(dw[0]), count > 1 ? ", nor are the words after it" : "");
    return count;
}

/* Nothing but padding: a type-2 packet, or a NOP that is its own header. */
static bool is_filler(uint32_t word)
{
    return AMD_PKT_TYPE(word) == 2 || word == AMD_PKT3_NOP_FILLER;
}

static size_t skip_filler(struct hw_text *t, const uint32_t *dw, size_t left_dw, uint64_t offset_B)
{
    size_t count = 0;
    while (count < left_dw && is_filler(dw[count]))
        count++;
    strbuf_printf(t->out, "%08" PRIx64 "  filler (%zu dword%s)\n", offset_B, count, count == 1 ? "" : "s");
    return count;
}

/* Is this an INDIRECT_BUFFER to be followed? */
static bool is_call(const struct hw_text *t, const uint32_t *dw, size_t left_dw, struct amd_pkt_INDIRECT_BUFFER *ib_out)
{
    return t->options->read && t->options->stream == AMD_STREAM_PM4 && AMD_PKT_TYPE(dw[0]) == 3 &&
           AMD_PKT3_OPCODE(dw[0]) == AMD_PKT_INDIRECT_BUFFER && packet_length_dw(dw[0]) == AMD_PKT_INDIRECT_BUFFER_DW &&
           left_dw >= AMD_PKT_INDIRECT_BUFFER_DW &&
           amd_unpack_pkt_INDIRECT_BUFFER((enum amd_gfx)t->generation, dw, AMD_PKT_INDIRECT_BUFFER_DW, ib_out);
}

/* Decode a buffer and those that it calls; continues in those that it chains to, and does not come back from them. */
static void decode_buffer(struct hw_text *t, const struct hw_buffer *outer)
{
    struct hw_buffer buffer = *outer, target;
    struct map64 chained = {0}; /* where this buffer's chain has been: one that comes back never ends */
    t->va = buffer.va;
    for (size_t at = 0; at < buffer.count_dw;) {
        const uint32_t *dw = buffer.dw + at;
        size_t left_dw = buffer.count_dw - at;
        uint64_t offset_B = 4 * (uint64_t)at;
        struct amd_pkt_INDIRECT_BUFFER ib;
        if (t->options->stream == AMD_STREAM_SDMA)
            at += decode_sdma_packet(t, dw, left_dw, offset_B);
        else if (is_filler(dw[0]))
            at += skip_filler(t, dw, left_dw, offset_B);
        else if (AMD_PKT_TYPE(dw[0]) == 3)
            at += decode_packet(t, dw, left_dw, offset_B);
        else
            at += skip_garbage(t, dw, left_dw, offset_B);
        if (is_call(t, dw, left_dw, &ib)) {
            bool found = hw_text_find_buffer(t, ib.IB_BASE & ~3ull, ib.IB_SIZE, offset_B, &target);
            if (ib.CHAIN && found && (map64_get(&chained, target.va) || !map64_set(&chained, target.va, 1))) {
                hw_text_problem(t, offset_B, "the chain comes back to 0x%" PRIx64, target.va);
                found = false;
            }
            if (ib.CHAIN && !found)
                break;
            if (ib.CHAIN) {
                strbuf_printf(t->out, "chain 0x%012" PRIx64 "\n", target.va);
                buffer = target;
                t->va = target.va;
                at = 0;
            } else if (found) {
                hw_text_call(t, &target, decode_buffer);
            }
        }
        hw_text_flush(t);
    }
    map64_finish(&chained);
}

unsigned amd_decode_stream(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                           size_t count_dw)
{
    struct hw_text t = hw_text_begin(out, &amd_hw_tables, options);
    decode_buffer(&t, &(struct hw_buffer){words, count_dw, 0});
    return t.problems;
}

bool amd_decode_register(struct strbuf *out, const struct hw_decode_options *options, uint32_t offset_B, uint32_t value)
{
    struct hw_text t = hw_text_begin(out, &amd_hw_tables, options);
    unsigned index;
    const struct hw_reg *reg = amd_reg_find((enum amd_gfx)options->generation, offset_B, &index);
    if (!reg)
        return false;
    hw_text_line(&t);
    hw_text_register(&t, reg, index, value);
    return true;
}

bool amd_decode_descriptor(struct strbuf *out, const struct hw_decode_options *options, const char *name,
                           const uint32_t *words)
{
    struct hw_text t = hw_text_begin(out, &amd_hw_tables, options);
    return hw_text_descriptor(&t, name, words);
}
