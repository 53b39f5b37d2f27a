/* See area.h. */
#include "model/exec/area.h"

#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#define MOST_HALVES (1 << 23) /* that floats have all of */

static const struct exec_plane none;

static struct exec_plane flat(uint32_t word)
{
    return exec_plane_of(word, 0, 0);
}

struct bounds {
    int64_t least, most;
};

/* Of the plane's numbers, which may leave the words. */
static struct bounds bounds_by(const struct exec_area *area, int64_t base, int64_t dx, int64_t dy)
{
    const int64_t x = dx * (area->width - 1), y = dy * (area->height - 1);
    return (struct bounds){base + MIN2(x, 0) + MIN2(y, 0), base + MAX2(x, 0) + MAX2(y, 0)};
}

static struct bounds bounds_of(const struct exec_area *area, int64_t base, uint32_t dx, uint32_t dy)
{
    return bounds_by(area, base, (int32_t)dx, (int32_t)dy);
}

/* Whether no lane's number is beyond `most`, or below zero. */
static bool is_within(const struct exec_area *area, const struct exec_plane *p, uint32_t most)
{
    const struct bounds bounds = bounds_of(area, p->base, p->dx, p->dy);
    return p->kind == EXEC_PLANE_WORD && bounds.least >= 0 && bounds.most <= (int64_t)most;
}

/* ---- words ---- */

static struct exec_plane arithmetic(enum jit_op op, const struct exec_plane *p, const struct exec_plane *q)
{
    if (p->kind != EXEC_PLANE_WORD || q->kind != EXEC_PLANE_WORD)
        return none;
    if (op == JIT_ADD)
        return exec_plane_of(p->base + q->base, p->dx + q->dx, p->dy + q->dy);
    if (op == JIT_SUB)
        return exec_plane_of(p->base - q->base, p->dx - q->dx, p->dy - q->dy);
    if (!exec_plane_is_flat(p) && !exec_plane_is_flat(q))
        return none;
    return exec_plane_of(p->base * q->base, p->dx * q->base + p->base * q->dx, p->dy * q->base + p->base * q->dy);
}

/* The step of least size that is the same modulo 2^n, `mask` being 2^n - 1. */
static uint32_t low_step(uint32_t step, uint32_t mask)
{
    return (step & mask) > mask / 2 ? (step & mask) - mask - 1 : step & mask;
}

/* The lower bits. */
static struct exec_plane low_bits(const struct exec_area *area, const struct exec_plane *p, uint32_t mask)
{
    const struct exec_plane low = {p->kind, p->base & mask, low_step(p->dx, mask), low_step(p->dy, mask)};
    return is_within(area, &low, mask) ? low : none;
}

/* Whether no bit of q is among those that p may have. */
static bool is_above(const struct exec_area *area, const struct exec_plane *q, const struct exec_plane *p)
{
    const uint32_t bits = q->base | q->dx | q->dy, step = bits & (0 - bits);
    return step && is_within(area, p, step - 1);
}

static struct exec_plane without(const struct exec_plane *p, const struct exec_plane *low)
{
    return low->kind == EXEC_PLANE_WORD ? exec_plane_of(p->base - low->base, p->dx - low->dx, p->dy - low->dy) : none;
}

static struct exec_plane shift_right(const struct exec_area *area, const struct exec_plane *p, uint32_t by)
{
    const struct exec_plane low = low_bits(area, p, (1u << by) - 1), high = without(p, &low);
    if (high.kind != EXEC_PLANE_WORD || !is_within(area, p, UINT32_MAX))
        return none;
    return exec_plane_of(high.base >> by, (uint32_t)((int32_t)high.dx >> by), (uint32_t)((int32_t)high.dy >> by));
}

static struct exec_plane masked(const struct exec_area *area, const struct exec_plane *p, uint32_t mask)
{
    if (mask == 0 || mask == UINT32_MAX)
        return mask ? *p : flat(0);
    if (!(mask & (mask + 1)))
        return low_bits(area, p, mask);
    if (~mask & (~mask + 1))
        return none;
    const struct exec_plane low = low_bits(area, p, ~mask);
    return without(p, &low);
}

static struct exec_plane logic(const struct exec_area *area, enum jit_op op, struct exec_plane p, struct exec_plane q)
{
    if (op == JIT_ANDN && exec_plane_is_flat(&q)) {
        q.base = ~q.base;
        op = JIT_AND;
    }
    if (p.kind != EXEC_PLANE_WORD || q.kind != EXEC_PLANE_WORD || op == JIT_ANDN)
        return none;
    if (exec_plane_is_flat(&p)) {
        const struct exec_plane other = p;
        p = q;
        q = other;
    }
    if (op != JIT_AND && (is_above(area, &p, &q) || is_above(area, &q, &p)))
        return arithmetic(JIT_ADD, &p, &q);
    if (!exec_plane_is_flat(&q))
        return none;
    if (exec_plane_is_flat(&p))
        return flat(op == JIT_AND ? p.base & q.base : op == JIT_OR ? p.base | q.base : p.base ^ q.base);
    if (op == JIT_AND)
        return masked(area, &p, q.base);
    return q.base ? none : p;
}

static struct exec_plane compare_planes(const struct exec_area *area, enum jit_op op, const struct exec_plane *p,
                                        const struct exec_plane *q)
{
    if (!is_within(area, p, UINT32_MAX) || !is_within(area, q, UINT32_MAX))
        return none;
    /* The difference of two steps may be more than a step can be. */
    const struct bounds more = bounds_by(area, (int64_t)q->base - p->base, (int64_t)(int32_t)q->dx - (int32_t)p->dx,
                                         (int64_t)(int32_t)q->dy - (int32_t)p->dy);
    bool is_true, is_false;
    if (op == JIT_EQ) {
        is_true = more.least == 0 && more.most == 0;
        is_false = more.least > 0 || more.most < 0;
    } else {
        is_true = more.least >= (op == JIT_LT_U);
        is_false = more.most < (op == JIT_LT_U);
    }
    return is_true || is_false ? flat(is_true ? UINT32_MAX : 0) : none;
}

/* ---- floats ---- */

static struct exec_plane small(const struct exec_area *area, struct exec_plane p)
{
    const struct bounds bounds = bounds_of(area, (int32_t)p.base, p.dx, p.dy);
    p.kind = EXEC_PLANE_HALVES;
    return bounds.least > -MOST_HALVES && bounds.most < MOST_HALVES ? p : none;
}

/* A float that all lanes have is a word so far. */
static struct exec_plane as_halves(const struct exec_area *area, const struct exec_plane *p)
{
    if (!exec_plane_is_flat(p))
        return p->kind == EXEC_PLANE_HALVES ? *p : none;
    const float twice = bits_float(p->base) * 2;
    if (!(twice > -MOST_HALVES && twice < MOST_HALVES) || (float)(int32_t)twice != twice || p->base == 0x80000000u)
        return none;
    return small(area, flat((uint32_t)(int32_t)twice));
}

static struct exec_plane add_floats(const struct exec_area *area, enum jit_op op, const struct exec_plane *x,
                                    const struct exec_plane *y)
{
    struct exec_plane p = as_halves(area, x), q = as_halves(area, y);
    if (p.kind == EXEC_PLANE_NONE || q.kind == EXEC_PLANE_NONE)
        return none;
    p.kind = q.kind = EXEC_PLANE_WORD;
    return small(area, arithmetic(op == JIT_FADD ? JIT_ADD : JIT_SUB, &p, &q));
}

static struct exec_plane to_float(const struct exec_area *area, const struct exec_plane *p)
{
    if (!is_within(area, p, MOST_HALVES / 2 - 1))
        return none;
    return small(area, exec_plane_of(p->base * 2, p->dx * 2, p->dy * 2));
}

/* Toward zero, which is down: there is none below zero. */
static struct exec_plane from_float(const struct exec_area *area, const struct exec_plane *x)
{
    const struct exec_plane p = as_halves(area, x);
    if (p.kind == EXEC_PLANE_NONE || ((p.dx | p.dy) & 1) || bounds_of(area, (int32_t)p.base, p.dx, p.dy).least < 0)
        return none;
    return exec_plane_of(p.base >> 1, (uint32_t)((int32_t)p.dx / 2), (uint32_t)((int32_t)p.dy / 2));
}

/* ---- operations ---- */

/* Of two numbers alone. */
static struct exec_plane compare_floats(enum jit_op op, const struct exec_plane *p, const struct exec_plane *q)
{
    if (!exec_plane_is_flat(p) || !exec_plane_is_flat(q))
        return none;
    const float x = bits_float(p->base), y = bits_float(q->base);
    return flat((op == JIT_FEQ ? x == y : op == JIT_FLT ? x < y : x <= y) ? UINT32_MAX : 0);
}

static struct exec_plane evaluate_inst(const struct exec_area *area, const struct jit_inst *inst,
                                       const struct exec_plane *planes)
{
    const uint32_t operands = jit_operand_count(inst->op);
    const struct exec_plane *p = operands > 0 ? &planes[inst->a] : &none, *q = operands > 1 ? &planes[inst->b] : &none;
    uint32_t word;
    switch ((enum jit_op)inst->op) {
    case JIT_CONST:
        return flat(inst->imm);
    case JIT_SPLAT:
        memcpy(&word, (const char *)area->frame + inst->imm, sizeof(word));
        return flat(word);
    case JIT_ROW:
        return area->row(area->user, inst->imm);
    case JIT_ADD:
    case JIT_SUB:
    case JIT_MUL:
        return arithmetic(inst->op, p, q);
    case JIT_NOT:
        return p->kind == EXEC_PLANE_WORD ? exec_plane_of(~p->base, 0 - p->dx, 0 - p->dy) : none;
    case JIT_SHL_IMM:
        return p->kind == EXEC_PLANE_WORD ? exec_plane_of(p->base << inst->imm, p->dx << inst->imm, p->dy << inst->imm)
                                          : none;
    case JIT_SHR_IMM:
        return shift_right(area, p, inst->imm);
    case JIT_EQ:
    case JIT_LT_U:
    case JIT_LE_U:
        return compare_planes(area, inst->op, p, q);
    case JIT_FEQ:
    case JIT_FLT:
    case JIT_FLE:
        return compare_floats(inst->op, p, q);
    case JIT_SELECT:
        if (exec_plane_is_flat(p) && (p->base == 0 || p->base == UINT32_MAX))
            return planes[p->base ? inst->b : inst->c];
        return none;
    case JIT_AND:
    case JIT_ANDN:
    case JIT_OR:
    case JIT_XOR:
        return logic(area, inst->op, *p, *q);
    case JIT_FADD:
    case JIT_FSUB:
        return add_floats(area, inst->op, p, q);
    case JIT_F32_OF_U32:
    case JIT_F32_OF_I32:
        return to_float(area, p);
    case JIT_U32_OF_F32:
    case JIT_I32_OF_F32:
        return from_float(area, p);
    default:
        return none;
    }
}

void exec_area_look(const struct exec_area *area, const struct jit_inst *insts, uint32_t count,
                    struct exec_plane *planes_out)
{
    for (uint32_t i = 0; i < count; i++)
        planes_out[i] = evaluate_inst(area, &insts[i], planes_out);
}
