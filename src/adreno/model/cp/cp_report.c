/* The report of a lost job: the buffer, the packet with the stream around it. Nothing here is called while all goes
 * well. */
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/decode.h"
#include "adreno/model/cp/cp_machine.h"
#include "adreno/model/engine.h"
#include "util/bits.h"

#define PACKETS_AROUND 8

/* The length of the packet at `at_dw`, cut at the buffer's end; 0 when it cannot be read. */
static uint32_t packet_length(const struct adreno_cp *m, const struct cp_buffer *buffer, uint32_t at_dw)
{
    uint32_t header, length_dw = 1;
    if (gpu_space_read(m->gpu->space, buffer->va + 4ull * at_dw, &header, 4) != 4)
        return 0;
    if (adreno_is_pkt4(header))
        length_dw += ADRENO_PKT4_COUNT(header);
    else if (adreno_is_pkt7(header))
        length_dw += ADRENO_PKT7_COUNT(header);
    return MIN2(length_dw, buffer->size_dw - at_dw);
}

static void describe_packet(struct adreno_cp *m, const struct cp_buffer *buffer, uint32_t at_dw, uint32_t length_dw,
                            bool is_culprit)
{
    uint32_t *words = malloc(4ull * length_dw);
    if (!words ||
        gpu_space_read(m->gpu->space, buffer->va + 4ull * at_dw, words, 4ull * length_dw) != 4ull * length_dw) {
        free(words);
        return;
    }
    struct strbuf decoded = {0};
    const struct hw_decode_options options = {0};
    adreno_decode_stream(&decoded, &options, words, length_dw);
    free(words);
    /* The decoder counts from the words that it gets: its offset column gives way to one that counts from the
     * buffer. */
    bool is_first = true;
    for (char *line = decoded.text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (is_first && strlen(line) > 8)
            strbuf_printf(&m->report, "  %s +%06x%s\n", is_culprit ? "->" : "  ", 4 * at_dw, line + 8);
        else
            strbuf_printf(&m->report, "            %s\n", line);
        is_first = false;
    }
    strbuf_finish(&decoded);
}

/* The packets before the culprit are found from the buffer's first one. */
static void describe_stream(struct adreno_cp *m)
{
    const struct cp_buffer *buffer = &m->stack[m->depth - 1];
    uint32_t starts[PACKETS_AROUND], count = 0, length_dw;
    for (uint32_t at = 0; at < m->packet_at_dw && (length_dw = packet_length(m, buffer, at)); at += length_dw)
        starts[count++ % PACKETS_AROUND] = at;
    strbuf_append(&m->report, "  stream:\n");
    for (uint32_t i = count > PACKETS_AROUND ? count - PACKETS_AROUND : 0; i < count; i++) {
        uint32_t at = starts[i % PACKETS_AROUND];
        describe_packet(m, buffer, at, packet_length(m, buffer, at), false);
    }
    uint32_t at = m->packet_at_dw;
    for (uint32_t i = 0; i <= PACKETS_AROUND && at < buffer->size_dw && (length_dw = packet_length(m, buffer, at));
         i++) {
        describe_packet(m, buffer, at, length_dw, i == 0);
        at += length_dw;
    }
}

static void describe_place(struct adreno_cp *m)
{
    static const char *const passes[] = {
        [ADRENO_PASS_SYSMEM] = "system memory", [ADRENO_PASS_BINNING] = "binning", [ADRENO_PASS_GMEM] = "GMEM"};
    strbuf_printf(&m->report, "buffer %u of %u", m->ib + 1, m->work->ib_count);
    for (uint32_t i = 0; i < m->depth; i++) {
        const struct cp_buffer *buffer = &m->stack[i];
        uint32_t at_dw = i + 1 == m->depth ? m->packet_at_dw : buffer->at_dw;
        strbuf_printf(&m->report, "%s 0x%llx+0x%x (%u dwords)",
                      i == 0             ? " at"
                      : buffer->is_group ? ", in the group of state"
                                         : ", in the call of",
                      (unsigned long long)buffer->va, 4 * at_dw, buffer->size_dw);
    }
    strbuf_printf(&m->report, ", pass for %s: ", passes[m->pass]);
}

void adreno_cp_describe_stop(struct adreno_cp *m)
{
    struct strbuf *text = &m->gpu->stop.text;
    strbuf_clear(&m->report);
    describe_place(m);
    if (text->text)
        strbuf_append(&m->report, text->text);
    describe_stream(m);
    struct strbuf swap = *text;
    *text = m->report;
    m->report = swap;
}

void adreno_cp_crash_place(const struct adreno_gpu *gpu, struct adreno_crash *crash)
{
    const struct adreno_cp *m = gpu->cp;
    crash->ib = m->ib - 1; /* the loop over them has gone on */
    for (uint32_t i = 0; i < MIN2(m->depth, ARRAY_SIZE(crash->places)); i++) {
        const struct cp_buffer *buffer = &m->stack[i];
        uint32_t at_dw = i + 1 == m->depth ? m->packet_at_dw : buffer->at_dw;
        crash->places[i] = (struct adreno_crash_place){buffer->va, buffer->size_dw, at_dw};
    }
}
