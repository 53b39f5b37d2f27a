/* x86-64: memory that is not the frame's. Operations in jit_x64.c's order of operands; the pointer is at an offset of
 * the frame. */
#include "model/jit_host.h"

#if JIT_HOST_X64

#include "model/jit_x64.h"

/* The first lane to a general register, one that VEX's form reaches. */
static void jit_x64_first(struct jit_buffer *buffer, unsigned general, unsigned a)
{
    const unsigned from = a < 16 ? a : 0;
    uint8_t bytes[16];
    jit_host_move(buffer, from, a);
    put_bytes(buffer, bytes, write_vex(bytes, VMOVD_STORE, from, 0, in(general)));
}

/* A short jump, by the byte before `after`, goes here. */
static void jit_x64_jump_here(struct jit_buffer *buffer, uint8_t *after)
{
    const int32_t distance = (int32_t)(buffer->at - after);
    if (distance > 127)
        buffer->full = true;
    if (!buffer->full)
        after[-1] = (uint8_t)distance;
}

static uint8_t *jump_over(struct jit_buffer *buffer)
{
    PUT(buffer, 0xeb, 0); /* jmp */
    return buffer->at;
}

/* Lanes that lie side by side are one load, and so is one place for all: most loads are of one kind or the other, which
 * the host's prediction knows after a while. A gather is as many loads as there are lanes. */
void jit_x64_load(struct jit_buffer *buffer, unsigned d, unsigned a, uint32_t pointer, uint32_t further_B, bool is_same)
{
    const struct place first = {true, RDI, RAX, 0, (int32_t)further_B, false};
    uint32_t steps[JIT_VECTOR_LANES];
    for (uint32_t i = 0; i < JIT_VECTOR_LANES; i++)
        steps[i] = i * 4;
    put_general(buffer, MOV_LOAD, true, RDI, at(FRAME, pointer));
    jit_x64_first(buffer, RAX, a);
    if (is_same) {
        put(buffer, VBROADCASTSS, d, 0, first);
        return;
    }
    put(buffer, VPBROADCASTD, 1, 0, in(a));
    put(buffer, VPADDD, 0, 1, pool_at(jit_pool_vector(buffer, steps)));
    uint8_t *const not_near = jit_x64_jump_if_other(buffer, 0, a);
    put(buffer, VMOVUPS, d, 0, first);
    uint8_t *const near_done = jump_over(buffer);
    jit_x64_jump_here(buffer, not_near);
    uint8_t *const not_same = jit_x64_jump_if_other(buffer, 1, a);
    put(buffer, VBROADCASTSS, d, 0, first);
    uint8_t *const same_done = jump_over(buffer);
    jit_x64_jump_here(buffer, not_same);
    jit_x64_gather(buffer, d, a, further_B);
    jit_x64_jump_here(buffer, near_done);
    jit_x64_jump_here(buffer, same_done);
}

/* One load, if the last lane is below the limit and, with that, all of them; else lane by lane. */
void jit_x64_load_near(struct jit_buffer *buffer, unsigned d, unsigned a, unsigned b, uint32_t pointer,
                       uint32_t further_B)
{
    jit_x64_first(buffer, RAX, a);
    jit_x64_first(buffer, RCX, b);
    put_general(buffer, LEA, true, RDI, at(RAX, VECTOR_B - 4));
    put_general(buffer, CMP, true, RDI, in(RCX));
    PUT(buffer, 0x73, 0); /* jae */
    uint8_t *const slow = buffer->at;
    put_general(buffer, MOV_LOAD, true, RDI, at(FRAME, pointer));
    put(buffer, VMOVUPS, d, 0, (struct place){true, RDI, RAX, 0, (int32_t)further_B, false});
    uint8_t *const done = jump_over(buffer);
    jit_x64_jump_here(buffer, slow);
    jit_x64_load_below(buffer, d, a, b, pointer, further_B);
    jit_x64_jump_here(buffer, done);
}

/* By way of the stack, lane after lane. */
void jit_x64_write(struct jit_buffer *buffer, unsigned a, unsigned b, unsigned c, uint32_t pointer, uint32_t further_B)
{
    const struct place lane[JIT_HOST_SLOTS] = {{true, SP, RAX, 2, SLOTS_B, false},
                                               {true, SP, RAX, 2, SLOTS_B + VECTOR_B, false},
                                               {true, SP, RAX, 2, SLOTS_B + 2 * VECTOR_B, false}};
    put(buffer, VMOVUPS_STORE, a, 0, at(SP, SLOTS_B));
    put(buffer, VMOVUPS_STORE, b, 0, at(SP, SLOTS_B + VECTOR_B));
    put(buffer, VMOVUPS_STORE, c, 0, at(SP, SLOTS_B + 2 * VECTOR_B));
    put_general(buffer, MOV_LOAD, true, RDI, at(FRAME, pointer));
    PUT(buffer, 0x31, 0xc0); /* xor eax, eax */
    uint8_t *const next = buffer->at;
    put_general(buffer, MOV_LOAD, false, RCX, lane[2]);
    PUT(buffer, 0x85, 0xc9, 0x74, 0); /* test ecx, ecx; jz */
    uint8_t *const skip = buffer->at;
    put_general(buffer, MOV_LOAD, false, RCX, lane[0]);
    put_general(buffer, MOV_LOAD, false, RSI, lane[1]);
    put_general(buffer, MOV_STORE, false, RSI, (struct place){true, RDI, RCX, 0, (int32_t)further_B, false});
    jit_x64_jump_here(buffer, skip);
    PUT(buffer, 0xff, 0xc0, 0x83, 0xf8, JIT_VECTOR_LANES, 0x75, 0); /* inc eax; cmp eax, lanes; jne */
    if (!buffer->full)
        buffer->at[-1] = (uint8_t)(next - buffer->at);
}

/* One store, if all lanes are wanted. */
void jit_x64_write_near(struct jit_buffer *buffer, unsigned a, unsigned b, unsigned c, uint32_t pointer,
                        uint32_t further_B)
{
    jit_x64_not(buffer, 1, c);
    jit_x64_test(buffer, 1);
    PUT(buffer, 0x75, 0); /* jnz */
    uint8_t *const slow = buffer->at;
    jit_x64_first(buffer, RAX, a);
    put_general(buffer, MOV_LOAD, true, RDI, at(FRAME, pointer));
    put(buffer, VMOVUPS_STORE, b, 0, (struct place){true, RDI, RAX, 0, (int32_t)further_B, false});
    uint8_t *const done = jump_over(buffer);
    jit_x64_jump_here(buffer, slow);
    jit_x64_write(buffer, a, b, c, pointer, further_B);
    jit_x64_jump_here(buffer, done);
}

#endif
