/* Hosts, or levels of one (util/host_level.h), without a code maker: programs are never compiled, and callers run them
 * by other means. */
#include "model/jit_host.h"

#if !JIT_HOST

const uint32_t jit_host_registers = 1, jit_host_kept = 0, jit_host_strands = 1, jit_host_straight_strands = 1,
               jit_host_excess = 0;
const bool jit_host_adds_in_place = false;

bool jit_host_result_in(enum jit_op op, unsigned n)
{
    return true;
}

bool jit_host_reads(enum jit_op op, unsigned n, enum jit_memory_kind kind)
{
    return false;
}

void jit_host_begin(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    buffer->full = true;
}

void jit_host_end(struct jit_buffer *buffer, const struct jit_shape *shape)
{
}

void jit_host_link(struct jit_buffer *buffer, const uint8_t *pool)
{
}

void jit_host_emit(struct jit_buffer *buffer, const struct jit_shape *shape, const struct jit_inst *inst, unsigned d,
                   unsigned a, unsigned b, unsigned c, unsigned mask)
{
}

bool jit_has_fma_half(void)
{
    return false;
}

void jit_host_round(struct jit_buffer *buffer)
{
}

uint8_t *jit_host_leave(struct jit_buffer *buffer, bool is_same, unsigned a)
{
    return buffer->at;
}

void jit_host_stay(struct jit_buffer *buffer, uint8_t *leave, uint32_t number)
{
}

void jit_host_miss(struct jit_buffer *buffer, bool is_same, unsigned a, uint32_t number)
{
}

void jit_host_settle(struct jit_buffer *buffer, uint32_t registers)
{
}

void jit_host_again(struct jit_buffer *buffer, const struct jit_shape *shape)
{
}

void jit_host_move(struct jit_buffer *buffer, unsigned d, unsigned a)
{
}

void jit_host_spill(struct jit_buffer *buffer, uint32_t slot, unsigned a)
{
}

void jit_host_reload(struct jit_buffer *buffer, uint32_t slot, unsigned d)
{
}

#endif
