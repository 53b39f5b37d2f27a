/* Prints Mali's command streams from the hardware tables, and keeps their registers. Instructions are known here by
 * name where they change a register or the way through the stream. */
#include "mali/hw/decode_internal.h"

#include <inttypes.h>
#include <string.h>

#include "mali/hw/instructions.h"
#include "util/bits.h"

static void decode_buffer(struct hw_text *t, const struct hw_buffer *outer);

/* ---- registers ---- */

static void set32(struct mali_decoder *d, unsigned reg, bool is_known, uint32_t value)
{
    if (reg >= MALI_DECODE_REGS)
        return;
    d->queue->regs[reg] = is_known ? value : 0;
    d->queue->is_unknown[reg] = !is_known;
}

static void set64(struct mali_decoder *d, unsigned reg, bool is_known, uint64_t value)
{
    set32(d, reg, is_known, (uint32_t)value);
    set32(d, reg + 1, is_known, (uint32_t)(value >> 32));
}

/* The memory's contents now, where it can be read. The registers of the mask have no gaps in memory. */
static void load_registers(struct mali_decoder *d, uint64_t word)
{
    struct mali_cs_LOAD_MULTIPLE f = mali_unpack_cs_LOAD_MULTIPLE(word);
    unsigned count = (unsigned)__builtin_popcount(f.MASK), at = 0;
    const uint32_t *dw = NULL;
    if (count && d->t.options->read && mali_decode_known(d, f.ADDRESS, 2))
        dw = d->t.options->read(d->t.options->data, mali_decode_reg64(d, f.ADDRESS) + (uint64_t)(int64_t)f.OFFSET,
                                count);
    bits_foreach (f.MASK, i)
        set32(d, f.BASE_REGISTER + i, dw != NULL, dw ? dw[at++] : 0);
}

static void add_immediate(struct mali_decoder *d, uint64_t word, bool is_64)
{
    struct mali_cs_ADD_IMMEDIATE64 f = mali_unpack_cs_ADD_IMMEDIATE64(word);
    bool is_known = mali_decode_known(d, f.SOURCE, is_64 ? 2 : 1);
    if (is_64)
        set64(d, f.DESTINATION, is_known,
              is_known ? mali_decode_reg64(d, f.SOURCE) + (uint64_t)(int64_t)f.IMMEDIATE : 0);
    else
        set32(d, f.DESTINATION, is_known, is_known ? d->queue->regs[f.SOURCE] + (uint32_t)f.IMMEDIATE : 0);
}

static void umin(struct mali_decoder *d, uint64_t word)
{
    struct mali_cs_UMIN32 f = mali_unpack_cs_UMIN32(word);
    bool is_known = mali_decode_known(d, f.SOURCE_1, 1) && mali_decode_known(d, f.SOURCE_2, 1);
    set32(d, f.DESTINATION, is_known, is_known ? MIN2(d->queue->regs[f.SOURCE_1], d->queue->regs[f.SOURCE_2]) : 0);
}

static void execute_word(struct mali_decoder *d, uint64_t word)
{
    switch (MALI_CS_OPCODE(word)) {
    case MALI_CS_MOVE:
        set64(d, mali_unpack_cs_MOVE(word).DESTINATION, true, mali_unpack_cs_MOVE(word).IMMEDIATE);
        break;
    case MALI_CS_MOVE32:
        set32(d, mali_unpack_cs_MOVE32(word).DESTINATION, true, (uint32_t)word);
        break;
    case MALI_CS_ADD_IMMEDIATE32:
        add_immediate(d, word, false);
        break;
    case MALI_CS_ADD_IMMEDIATE64:
        add_immediate(d, word, true);
        break;
    case MALI_CS_UMIN32:
        umin(d, word);
        break;
    case MALI_CS_LOAD_MULTIPLE:
        load_registers(d, word);
        break;
    case MALI_CS_PROGRESS_LOAD:
        set64(d, mali_unpack_cs_PROGRESS_LOAD(word).DESTINATION, false, 0);
        break;
    default:
        break;
    }
}

/* ---- instructions ---- */

/* CALL, JUMP and SET_EXCEPTION_HANDLER have the same fields: an address in a pair, a length in a register. False: not
 * known, or nothing. */
static bool find_target(struct mali_decoder *d, uint64_t word, struct hw_buffer *target_out)
{
    struct mali_cs_CALL f = mali_unpack_cs_CALL(word);
    if (!d->t.options->read || !mali_decode_known(d, f.ADDRESS, 2) || !mali_decode_known(d, f.LENGTH, 1))
        return false;
    uint64_t va = mali_decode_reg64(d, f.ADDRESS);
    uint32_t size_B = d->queue->regs[f.LENGTH];
    if (!va || !size_B)
        return false;
    if (size_B % 8) {
        hw_text_problem(&d->t, d->offset_B, "a stream of %" PRIu32 " bytes, which are no whole instructions", size_B);
        return false;
    }
    return hw_text_find_buffer(&d->t, va, size_B / 4, d->offset_B, target_out);
}

/* A handler runs whenever its exception comes, with registers of that time. */
static void decode_handler(struct mali_decoder *d, const struct hw_buffer *target)
{
    struct mali_decode_queue *queue = d->queue, unknown;
    memset(unknown.regs, 0, sizeof(unknown.regs));
    memset(unknown.is_unknown, true, sizeof(unknown.is_unknown));
    d->queue = &unknown;
    strbuf_append(d->t.out, "handler: ");
    hw_text_call(&d->t, target, decode_buffer);
    d->queue = queue;
}

/* True when the stream continues elsewhere: at *target_out. */
static bool follow_call(struct mali_decoder *d, uint64_t word, struct hw_buffer *target_out)
{
    struct hw_buffer target;
    if (d->is_flat)
        return false;
    switch (MALI_CS_OPCODE(word)) {
    case MALI_CS_CALL:
        if (find_target(d, word, &target))
            hw_text_call(&d->t, &target, decode_buffer);
        return false;
    case MALI_CS_SET_EXCEPTION_HANDLER:
        if (find_target(d, word, &target))
            decode_handler(d, &target);
        return false;
    case MALI_CS_JUMP:
        return find_target(d, word, target_out);
    default:
        return false;
    }
}

static void print_instruction(struct mali_decoder *d, const uint32_t dw[2], uint64_t word)
{
    const struct hw_packet *row = mali_instr_find(word);
    if (row) {
        hw_text_self_sized(&d->t, row, dw, 2, d->offset_B);
    } else {
        strbuf_printf(d->t.out, "%08" PRIx64 "  ? 0x%016" PRIx64 "\n", d->offset_B, word);
        hw_text_problem(&d->t, d->offset_B, "opcode 0x%02x is not in the tables", MALI_CS_OPCODE(word));
    }
}

/* Decode a buffer and those that it calls; continues in those that it jumps to, and does not come back from them. */
static void decode_buffer(struct hw_text *t, const struct hw_buffer *outer)
{
    struct mali_decoder *d = (struct mali_decoder *)t;
    struct hw_buffer buffer = *outer;
    size_t at = 0;
    t->va = buffer.va;
    while (at + 2 <= buffer.count_dw) {
        const uint32_t *dw = buffer.dw + at;
        uint64_t word = dw[0] | (uint64_t)dw[1] << 32;
        struct hw_buffer target;
        d->offset_B = 4 * (uint64_t)at;
        print_instruction(d, dw, word);
        execute_word(d, word);
        mali_decode_work(d, word);
        hw_text_flush(t);
        at += 2;
        if (follow_call(d, word, &target)) {
            strbuf_printf(t->out, "jump 0x%012" PRIx64 "\n", target.va);
            buffer = target;
            t->va = buffer.va;
            at = 0;
        }
    }
    if (at < buffer.count_dw)
        hw_text_problem(t, 4 * (uint64_t)at, "an instruction is cut off");
}

/* ---- entry points ---- */

static unsigned decode_stream(struct strbuf *out, const struct hw_decode_options *options,
                              struct mali_decode_queue *queue, const struct hw_buffer *buffer)
{
    struct mali_decoder d = {.t = hw_text_begin(out, &mali_hw_tables, options), .queue = queue};
    decode_buffer(&d.t, buffer);
    return d.t.problems;
}

unsigned mali_decode_stream(struct strbuf *out, const struct hw_decode_options *options, const uint32_t *words,
                            size_t count_dw)
{
    struct mali_decode_queue queue = {{0}, {0}};
    memset(queue.is_unknown, true, sizeof(queue.is_unknown));
    return decode_stream(out, options, &queue, &(struct hw_buffer){words, count_dw, 0});
}

unsigned mali_decode_submit(struct strbuf *out, const struct hw_decode_options *options,
                            struct mali_decode_queue *queue, uint64_t stream_va, uint32_t size_B)
{
    struct mali_decoder d = {.t = hw_text_begin(out, &mali_hw_tables, options), .queue = queue};
    struct hw_buffer buffer;
    if (!hw_text_find_buffer(&d.t, stream_va, size_B / 4, 0, &buffer))
        return d.t.problems;
    return decode_stream(out, options, queue, &buffer);
}

unsigned mali_decode_flat(struct strbuf *out, const struct hw_decode_options *options, struct mali_decode_queue *queue,
                          const uint32_t *words, size_t count_dw)
{
    struct mali_decoder d = {
        .t = hw_text_begin(out, &mali_hw_tables, options),
        .queue = queue,
        .is_flat = true,
    };
    decode_buffer(&d.t, &(struct hw_buffer){words, count_dw, 0});
    return d.t.problems;
}

bool mali_decode_descriptor(struct strbuf *out, const struct hw_decode_options *options, const char *name,
                            const uint32_t *words)
{
    struct hw_text t = hw_text_begin(out, &mali_hw_tables, options);
    return hw_text_descriptor(&t, name, words);
}
