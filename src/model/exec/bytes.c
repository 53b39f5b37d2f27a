/* See bytes.h. */
#include "model/exec/bytes.h"

#include <string.h>

#define OTHER 0x80 /* what is none of the four bytes */

/* The bytes that a word looks at: bit n of by[i]: byte i of it at byte n. `most` is its highest value; is_known: its
 * only one. */
struct view {
    uint8_t by[4];
    uint32_t most;
    bool is_known;
};

static uint8_t all_of(const struct view *v)
{
    return v->by[0] | v->by[1] | v->by[2] | v->by[3];
}

static struct view flat(uint32_t word)
{
    return (struct view){.most = word, .is_known = true};
}

/* Bytes that are always zero look at nothing. */
static struct view bounded(struct view v)
{
    for (unsigned i = 0; i < 4; i++)
        v.by[i] = v.most >> 8 * i ? v.by[i] : 0;
    return v;
}

static struct view of_row(const struct exec_bytes *bytes, uint32_t row_B)
{
    for (uint32_t i = 0; i < bytes->row_count; i++) {
        if (bytes->row_B[i] == row_B)
            return bytes->row_count == 1 ? (struct view){.by = {1, 2, 4, 8}, .most = UINT32_MAX}
                                         : (struct view){.by = {(uint8_t)(1u << i)}, .most = 0xff};
    }
    return (struct view){.by = {OTHER, OTHER, OTHER, OTHER}, .most = UINT32_MAX};
}

static uint32_t bits_up_to(uint32_t most)
{
    return most ? UINT32_MAX >> __builtin_clz(most) : 0;
}

static struct view shifted(const struct view *v, uint32_t by, bool is_left)
{
    struct view out = {.most = is_left ? UINT32_MAX << by : v->most >> by};
    if (is_left && v->most <= UINT32_MAX >> by)
        out.most = bits_up_to(v->most) << by;
    for (unsigned i = 0; i < 4; i++) {
        const int low = is_left ? (int)i * 8 - (int)by : (int)(i * 8 + by); /* the bit that comes first */
        const int first = low >> 3, last = (low + 7) >> 3;
        for (int n = first; n <= last; n++)
            out.by[i] |= n >= 0 && n < 4 ? v->by[n] : 0;
    }
    return bounded(out);
}

static struct view logic(enum jit_op op, const struct view *v, const struct view *w)
{
    struct view out = {.most = bits_up_to(v->most | w->most)};
    if (op == JIT_AND)
        out.most = v->most < w->most ? v->most : w->most;
    for (unsigned i = 0; i < 4; i++) {
        const bool drops = op == JIT_AND &&
                           ((v->is_known && !(v->most >> 8 * i & 0xff)) || (w->is_known && !(w->most >> 8 * i & 0xff)));
        out.by[i] = drops ? 0 : v->by[i] | w->by[i];
    }
    return bounded(out);
}

static struct view choice(const struct view *is, const struct view *v, const struct view *w)
{
    struct view out = {.most = v->most > w->most ? v->most : w->most};
    for (unsigned i = 0; i < 4; i++)
        out.by[i] = v->by[i] | w->by[i] | all_of(is);
    return bounded(out);
}

/* Anything that looks at no lane and no memory. */
static bool is_pure(enum jit_op op)
{
    switch (op) {
    case JIT_BITS:
    case JIT_LANE:
    case JIT_QUAD:
    case JIT_TABLE:
    case JIT_LOAD:
    case JIT_CALL:
        return false;
    default:
        return true;
    }
}

static struct view look_at_inst(const struct jit_inst *inst, const void *frame, const struct exec_bytes *bytes,
                                const struct view *views)
{
    static const struct view nothing;
    const uint32_t operands = jit_operand_count(inst->op);
    const struct view *a = operands > 0 ? &views[inst->a] : &nothing, *b = operands > 1 ? &views[inst->b] : &nothing,
                      *c = operands > 2 ? &views[inst->c] : &nothing;
    uint32_t word;
    switch ((enum jit_op)inst->op) {
    case JIT_CONST:
        return flat(inst->imm);
    case JIT_SPLAT:
        memcpy(&word, (const char *)frame + inst->imm, sizeof(word));
        return flat(word);
    case JIT_ROW:
        return of_row(bytes, inst->imm);
    case JIT_SHL_IMM:
    case JIT_SHR_IMM:
        return shifted(a, inst->imm, inst->op == JIT_SHL_IMM);
    case JIT_AND:
    case JIT_OR:
    case JIT_XOR:
        return logic(inst->op, a, b);
    case JIT_SELECT:
        return choice(a, b, c);
    default:
        word = is_pure(inst->op) ? (uint32_t)(all_of(a) | all_of(b) | all_of(c)) : OTHER;
        return (struct view){.by = {(uint8_t)word, (uint8_t)word, (uint8_t)word, (uint8_t)word}, .most = UINT32_MAX};
    }
}

/* Either all of it is put together by JIT_OR, or all of it by sums. In both cases, if each byte alone gives itself
 * where the others are zero, and all of them zero give zero, the parts of any bytes come to these bytes. */
static bool are_parts_apart(const struct jit_inst *insts, const struct view *views, jit_value value, bool is_sum)
{
    const uint8_t all = all_of(&views[value]);
    const enum jit_op op = insts[value].op;
    if (!(all & (all - 1)))
        return all != OTHER;
    return (is_sum ? op == JIT_ADD || op == JIT_SUB : op == JIT_OR) &&
           are_parts_apart(insts, views, insts[value].a, is_sum) &&
           are_parts_apart(insts, views, insts[value].b, is_sum);
}

bool exec_bytes_are_apart(const struct jit_inst *insts, uint32_t count, const void *frame,
                          const struct exec_bytes *bytes, jit_value value)
{
    struct view views[EXEC_BYTES_MAX];
    if (count > EXEC_BYTES_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        views[i] = look_at_inst(&insts[i], frame, bytes, views);
    return are_parts_apart(insts, views, value, false) || are_parts_apart(insts, views, value, true);
}

bool exec_bytes_stay(jit_code code, void *frame, uint32_t lanes, const struct exec_bytes *bytes, uint32_t result_B)
{
    for (unsigned n = 0; n < 4; n++) {
        for (uint32_t first = 0; first < 256; first += lanes) {
            for (uint32_t row = 0; row < bytes->row_count; row++) {
                uint32_t *words = (uint32_t *)(void *)((char *)frame + bytes->row_B[row]);
                const bool is_it = bytes->row_count == 1 || row == n;
                for (uint32_t i = 0; i < lanes; i++)
                    words[i] = is_it ? ((first + i) & 0xff) << (bytes->row_count == 1 ? 8 * n : 0) : 0;
            }
            if (code(frame))
                return false;
            const uint32_t *result = (const uint32_t *)(const void *)((const char *)frame + result_B);
            for (uint32_t i = 0; i < lanes; i++) {
                if (result[i] != ((first + i) & 0xff) << 8 * n)
                    return false;
            }
        }
    }
    return true;
}
