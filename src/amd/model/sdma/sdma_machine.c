/* Fetch of the DMA engine's packets and the choice of their handlers. What they do stands in sdma_copy.c and
 * sdma_tiled.c. */
#include "amd/model/sdma/sdma.h"

#include <string.h>

#include "util/bits.h"

#define FIXED_MAX_DW 32 /* no packet's fixed part is longer */

cp_handler amd_sdma_handler_find(const struct hw_packet *packet)
{
    static const struct {
        const char *name;
        cp_handler handler;
    } handlers[] = {
#define ROW(packet, handler) {#packet, handler},
        SDMA_HANDLERS(ROW)
#undef ROW
    };
    for (unsigned i = 0; i < ARRAY_SIZE(handlers); i++) {
        if (strcmp(handlers[i].name, hw_name(packet)) == 0)
            return handlers[i].handler;
    }
    return NULL;
}

uint32_t amd_sdma_packet_length(const struct cp_machine *m, uint64_t va)
{
    uint32_t dw[FIXED_MAX_DW];
    if (gpu_space_read(m->space, va, dw, 4) != 4)
        return 0;
    const struct hw_packet *packet = amd_sdma_find(m->gfx, dw[0]);
    if (!packet)
        return UINT32_MAX;
    uint64_t fixed_B = 4ull * packet->min_dw[m->gfx];
    return gpu_space_read(m->space, va, dw, fixed_B) == fixed_B ? hw_packet_length_dw(packet, m->gfx, dw) : 0;
}

static bool read_words(struct cp_machine *m, uint64_t va, uint32_t first, uint32_t end)
{
    uint64_t size_B = 4ull * (end - first), got_B = gpu_space_read(m->space, va + 4ull * first, m->dw + first, size_B);
    return got_B == size_B || amd_cp_fault(m, va + 4ull * first + got_B, 4, false);
}

/* The next packet of the buffer without its tail into m->dw. */
static bool fetch_packet(struct cp_machine *m, const struct hw_packet **packet_out)
{
    struct cp_buffer *buffer = &m->stack[m->depth - 1];
    uint64_t va = buffer->va + 4ull * buffer->at_dw;
    uint32_t left_dw = buffer->size_dw - buffer->at_dw;
    m->length_dw = 1;
    if (!read_words(m, va, 0, 1))
        return false;
    const struct hw_packet *packet = amd_sdma_find(m->gfx, m->dw[0]);
    if (!packet)
        return amd_cp_stop(m, "header 0x%08x is not in the tables", m->dw[0]);
    uint32_t fixed_dw = packet->min_dw[m->gfx];
    if (fixed_dw > left_dw)
        return amd_cp_broken(m, "%s of %u dwords, but the buffer has only %u more", hw_name(packet), fixed_dw, left_dw);
    if (!read_words(m, va, 1, fixed_dw))
        return false;
    m->length_dw = hw_packet_length_dw(packet, m->gfx, m->dw);
    if (m->length_dw > left_dw)
        return amd_cp_broken(m, "%s of %u dwords, but the buffer has only %u more", hw_name(packet), m->length_dw,
                             left_dw);
    if (packet->tail == HW_TAIL_NONE && !read_words(m, va, fixed_dw, m->length_dw))
        return false;
    buffer->at_dw += m->length_dw;
    *packet_out = packet;
    return true;
}

bool amd_sdma_step(struct cp_machine *m)
{
    const struct hw_packet *packet = NULL;
    if (!fetch_packet(m, &packet))
        return false;
    if (packet->policy == HW_POLICY_STOP)
        return amd_cp_stop(m, "%s: %s", hw_name(packet), hw_reason(packet));
    uint32_t there_dw = MIN2(m->length_dw, packet->length_dw[m->gfx]);
    const struct hw_field *field = hw_packet_stop_field(packet, m->gfx, m->dw, there_dw);
    if (field)
        return amd_cp_stop(m, "%s.%s: %s", hw_name(packet), hw_name(field), hw_reason(field));
    if (m->actor)
        amd_cp_coherence_packet(m);
    cp_handler handler = amd_sdma_handler_find(packet);
    if (!handler)
        return amd_cp_stop(m, "%s has no handler", hw_name(packet));
    return handler(m);
}
