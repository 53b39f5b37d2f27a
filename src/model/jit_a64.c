/* AArch64: four lanes to a vector, NEON's instructions.
 *
 * x19 is the frame, x20 the same plus the bytes of the lanes that are done, x21 that plus REACH_B, for rows that one
 * offset does not reach, and x16 for those beyond; x22 the pool, x23 counts lanes down, x24 to x28 are masks, shifted
 * as lanes are done. v0 to v2 are the emitter's own: arguments, results and intermediate values. */
#include "model/jit_host.h"

#if defined(__aarch64__)

#include <string.h>

#include "model/jit_a64.h"

const uint32_t jit_host_registers = 0xfffffff8; /* v3 to v31 */
const uint32_t jit_host_kept = 0x00ffff00;      /* v8 to v23, by the vector call standard */
const uint32_t jit_host_strands = 8, jit_host_straight_strands = 4;
const uint32_t jit_host_excess = 32;
const bool jit_host_adds_in_place = true;

/* ---- moves ---- */

void jit_host_move(struct jit_buffer *buffer, unsigned d, unsigned a)
{
    if (d != a)
        put(buffer, 0x4ea01c00u, d, a, a);
}

void jit_host_spill(struct jit_buffer *buffer, uint32_t slot, unsigned a)
{
    store_vector(buffer, a, SP, slot * 16);
}

void jit_host_reload(struct jit_buffer *buffer, uint32_t slot, unsigned d)
{
    load_vector(buffer, d, SP, slot * 16);
}

/* ---- the loop ---- */

void jit_host_begin(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    jit_put32(buffer, 0xa9b67bfdu);  /* stp x29, x30, [sp, #-160]! */
    jit_put32(buffer, 0x910003fdu);  /* mov x29, sp */
    for (unsigned i = 0; i < 5; i++) /* stp x19 + 2i, x20 + 2i, [sp, #16 + 16i] */
        jit_put32(buffer, 0xa9000000u | (2 + 2 * i) << 15 | (20 + 2 * i) << 10 | SP << 5 | (19 + 2 * i));
    for (unsigned i = 0; i < 4; i++) /* stp d8 + 2i, d9 + 2i, [sp, #96 + 16i] */
        jit_put32(buffer, 0x6d000000u | (12 + 2 * i) << 15 | (9 + 2 * i) << 10 | SP << 5 | (8 + 2 * i));
    buffer->frame_patch = buffer->at;
    put(buffer, 0xd1000000u, SP, SP, 0); /* sub sp, sp, #slots */
    put(buffer, 0xd1400000u, SP, SP, 0);
    jit_put32(buffer, 0xaa0003e0u | FRAME); /* mov x19, x0 */
    put(buffer, 0x91000000u, LANES, FRAME, 0);
    add_offset(buffer, FAR_LANES, FRAME, REACH_B);
    buffer->pool_patch = buffer->at;
    jit_put32(buffer, 0);                                              /* adr x22, pool */
    jit_put32(buffer, 0x52800000u | shape->frame->lanes << 5 | COUNT); /* mov w23, #lanes */
    bool wide = shape->frame->lanes == 64;
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (shape->masks[i].is_result) {
            jit_put32(buffer, 0xd2800000u | (MASK + i)); /* mov x, #0 */
            continue;
        }
        add_offset(buffer, X16, FRAME, shape->masks[i].offset);
        put(buffer, wide ? 0xf9400000u : 0xb9400000u, MASK + i, X16, 0);
    }
}

/* ---- rounds of a program's loop ---- */

void jit_host_round(struct jit_buffer *buffer)
{
}

void jit_host_settle(struct jit_buffer *buffer, uint32_t registers)
{
}

void jit_a64_jump_here(struct jit_buffer *buffer, uint8_t *jump)
{
    uint32_t word, distance = (uint32_t)(buffer->at - jump) / 4;
    if (buffer->full)
        return;
    memcpy(&word, jump, 4);
    word |= word >> 26 == 5 ? distance : distance << 5; /* b, or b.cond, cbz and cbnz */
    memcpy(jump, &word, 4);
}

/* w16 = lane 0, or the largest of all. */
uint8_t *jit_host_leave(struct jit_buffer *buffer, bool is_same, unsigned a)
{
    if (!is_same)
        put(buffer, 0x6eb0a800u, 0, a, 0);             /* umaxv s0, v */
    put(buffer, 0x1e260000u, X16, is_same ? a : 0, 0); /* fmov w16, s */
    jit_put32(buffer, 0x35000000u | X16);              /* cbnz w16 */
    return buffer->at - 4;
}

void jit_host_stay(struct jit_buffer *buffer, uint8_t *leave, uint32_t number)
{
    jit_put32(buffer, 0x52800000u | number << 5); /* mov w0, #number */
    jit_put32(buffer, 0x14000000u);               /* b */
    buffer->leaves[buffer->leave_count++] = buffer->at - 4;
    jit_a64_jump_here(buffer, leave);
}

void jit_host_miss(struct jit_buffer *buffer, bool is_same, unsigned a, uint32_t number)
{
    if (!is_same)
        put(buffer, 0x6eb0a800u, 0, a, 0);             /* umaxv s0, v */
    put(buffer, 0x1e260000u, X16, is_same ? a : 0, 0); /* fmov w16, s */
    jit_put32(buffer, 0x34000000u | 3 << 5 | X16);     /* cbz w16, over this */
    jit_put32(buffer, 0x52800000u | number << 13);     /* mov w0, #number << 8 */
    jit_put32(buffer, 0x14000000u);                    /* b */
    buffer->misses[buffer->miss_count++] = buffer->at - 4;
}

/* w0 gets the lanes that are done, too. */
static void end_misses(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    jit_put32(buffer, 0x14000004u); /* b over this */
    for (uint32_t i = 0; i < buffer->miss_count; i++)
        jit_a64_jump_here(buffer, buffer->misses[i]);
    jit_put32(buffer, 0x72b00000u);                                /* movk w0, #0x8000, lsl #16 */
    put(buffer, 0x11000000u | shape->frame->lanes << 10, 0, 0, 0); /* add w0, w0, #lanes */
    put(buffer, 0x4b000000u, 0, 0, COUNT);                         /* sub w0, w0, w23 */
}

void jit_host_again(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    if (shape->frame->stop % 8 || shape->frame->stop > 0xfff * 8)
        buffer->full = true;
    put(buffer, 0xf9400000u | (shape->frame->stop / 8) << 10, X16, FRAME, 0); /* ldr x16, [frame, #stop] */
    put(buffer, 0x39400000u, X16, X16, 0);                                    /* ldrb w16, [x16] */
    const int32_t back = (int32_t)(buffer->round - buffer->at) / 4;
    if (back < -(1 << 18))
        buffer->full = true;
    jit_put32(buffer, 0x34000000u | ((uint32_t)back & 0x7ffff) << 5 | X16); /* cbz w16, round */
    jit_put32(buffer, 0x12800000u);                                         /* mov w0, #-1 */
    buffer->stop = buffer->at;
    jit_put32(buffer, 0x14000000u); /* b */
}

void jit_host_end(struct jit_buffer *buffer, const struct jit_shape *shape)
{
    bool wide = shape->frame->lanes == 64;
    for (uint32_t i = 0; i < buffer->leave_count; i++)
        jit_a64_jump_here(buffer, buffer->leaves[i]);
    if (!shape->has_loop)
        jit_put32(buffer, 0x52800000u); /* mov w0, #0 */
    put(buffer, 0x91000000u | shape->strands * 16 << 10, LANES, LANES, 0);
    put(buffer, 0x91000000u | shape->strands * 16 << 10, FAR_LANES, FAR_LANES, 0);
    put(buffer, 0x71000000u | shape->strands * JIT_VECTOR_LANES << 10, COUNT, COUNT, 0); /* subs w23, w23, #lanes */
    int32_t back = (int32_t)(buffer->loop - buffer->at) / 4;
    if (back < -(1 << 18))
        buffer->full = true;
    jit_put32(buffer, 0x54000001u | ((uint32_t)back & 0x7ffff) << 5); /* b.ne loop */
    for (uint32_t i = 0; i < shape->mask_count; i++) {
        if (!shape->masks[i].is_result)
            continue;
        add_offset(buffer, X16, FRAME, shape->masks[i].offset);
        if (shape->frame->lanes == 16)
            jit_put32(buffer, 0x53107c00u | (MASK + i) << 5 | (MASK + i)); /* lsr w, w, #16 */
        put(buffer, wide ? 0xf9000000u : 0xb9000000u, MASK + i, X16, 0);
    }
    if (buffer->miss_count)
        end_misses(buffer, shape);
    if (buffer->stop)
        jit_a64_jump_here(buffer, buffer->stop);
    uint32_t slots_B = shape->slot_count * 16;
    if (shape->slot_count > 0xfff)
        buffer->full = true;
    for (unsigned i = 0; i < 2 && !buffer->full; i++) {
        uint32_t word;
        memcpy(&word, buffer->frame_patch + 4 * i, 4);
        word |= (i ? slots_B >> 12 : slots_B & 0xfff) << 10;
        memcpy(buffer->frame_patch + 4 * i, &word, 4);
    }
    jit_put32(buffer, 0x910003bfu); /* mov sp, x29 */
    for (unsigned i = 0; i < 4; i++)
        jit_put32(buffer, 0x6d400000u | (12 + 2 * i) << 15 | (9 + 2 * i) << 10 | SP << 5 | (8 + 2 * i));
    for (unsigned i = 0; i < 5; i++)
        jit_put32(buffer, 0xa9400000u | (2 + 2 * i) << 15 | (20 + 2 * i) << 10 | SP << 5 | (19 + 2 * i));
    jit_put32(buffer, 0xa8ca7bfdu); /* ldp x29, x30, [sp], #160 */
    jit_put32(buffer, 0xd65f03c0u); /* ret */
}

void jit_host_link(struct jit_buffer *buffer, const uint8_t *pool)
{
    uint32_t distance = (uint32_t)(pool - buffer->pool_patch);
    uint32_t word = 0x10000000u | (distance & 3) << 29 | (distance >> 2 & 0x7ffff) << 5 | POOL; /* adr x22, pool */
    memcpy(buffer->pool_patch, &word, 4);
}

#endif
