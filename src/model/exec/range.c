/* See range.h. */
#include "model/exec/range.h"

#include <string.h>

#include "model/bulk.h"
#include "model/exec/apart.h"

#define MOST_INSTS 512
#define MOST_WRITES 32
#define MOST_FILL_B 65536     /* that a fill copies at a time */
#define BESIDE_B (512u << 10) /* from here on a fill is a part of what workers share */

/* ---- making ---- */

static bool is_known(enum jit_op op)
{
    switch (op) {
    case JIT_CONST:
    case JIT_SPLAT:
    case JIT_LANE:
    case JIT_ADD:
    case JIT_SUB:
    case JIT_MUL:
    case JIT_AND:
    case JIT_ANDN:
    case JIT_OR:
    case JIT_XOR:
    case JIT_NOT:
    case JIT_SHL_IMM:
    case JIT_SHR_IMM:
    case JIT_EQ:
    case JIT_LT_U:
    case JIT_LE_U:
    case JIT_SELECT:
    case JIT_LOAD:
    case JIT_WRITE:
    case JIT_MISS:
        return true;
    default:
        return false;
    }
}

/* The operations that writes and misses are made of, and how much of it there is. False: something else is among it. */
static bool find_live(const struct lane_program *p, bool *is_live, uint32_t *count_out)
{
    uint32_t writes = 0;
    *count_out = 0;
    exec_apart_find_live(p, is_live);
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_live[i] && !is_known(p->insts[i].op))
            return false;
        writes += p->insts[i].op == JIT_WRITE;
        *count_out += is_live[i];
    }
    return writes && writes <= MOST_WRITES && *count_out <= MOST_INSTS;
}

struct exec_range *exec_range_make(struct exec_code *code, const struct lane_program *program)
{
    bool is_live[JIT_MAX_INSTS];
    jit_value names[JIT_MAX_INSTS];
    uint32_t count;
    if (!find_live(program, is_live, &count))
        return NULL;
    struct exec_range *range = exec_code_alloc(code, sizeof(*range));
    struct jit_inst *insts = exec_code_alloc(code, count * sizeof(*insts));
    if (!range || !insts)
        return NULL;
    *range = (struct exec_range){.insts = insts};
    for (uint32_t i = 0; i < program->count; i++) {
        if (!is_live[i])
            continue;
        struct jit_inst inst = program->insts[i];
        const uint32_t operands = jit_operand_count(inst.op);
        inst.a = operands > 0 ? names[inst.a] : JIT_NONE;
        inst.b = operands > 1 ? names[inst.b] : JIT_NONE;
        inst.c = operands > 2 ? names[inst.c] : JIT_NONE;
        names[i] = (jit_value)range->count;
        insts[range->count++] = inst;
    }
    return range;
}

bool exec_range_reads(const struct exec_range *range, uint32_t scalar_B)
{
    bool any = false;
    for (uint32_t i = 0; i < range->count; i++)
        any |= range->insts[i].op == JIT_SPLAT && range->insts[i].imm == scalar_B;
    return any;
}

/* ---- values ---- */

enum kind {
    NOTHING, /* that is known */
    LINE,    /* base + i * step in lane i, modulo 2^32 */
    LOADED,  /* the dword at host, and step bytes further from lane to lane */
};

struct value {
    enum kind kind;
    uint32_t base, step;
    const uint8_t *host;
};

struct write {
    uint8_t *host;
    uint32_t step;
    struct value value;
};

struct state {
    char *frame;
    uint32_t first; /* the first lane */
    uint32_t lanes; /* for which values are what they are: fewer and fewer */
    uint32_t write_count;
    struct value values[MOST_INSTS];
    struct write writes[MOST_WRITES];
};

static struct value constant(uint32_t word)
{
    return (struct value){.kind = LINE, .base = word};
}

static bool is_constant(const struct value *v)
{
    return v->kind == LINE && !v->step;
}

static void limit_to(struct state *s, uint64_t lanes)
{
    if (lanes < s->lanes)
        s->lanes = (uint32_t)lanes;
}

/* Only lanes up to the first one whose value is not as that of integers without end. */
static void unwrap_value(struct state *s, const struct value *v)
{
    const int64_t step = (int32_t)v->step;
    if (step > 0)
        limit_to(s, (uint64_t)(UINT32_MAX - v->base) / (uint64_t)step + 1);
    else if (step < 0)
        limit_to(s, (uint64_t)v->base / (uint64_t)-step + 1);
}

/* Whether `first` + i * step is above zero in lane 0, and as long as it stays so. */
static struct value is_above(struct state *s, int64_t first, int64_t step)
{
    const bool is = first > 0;
    if (is && step < 0)
        limit_to(s, (uint64_t)((first - step - 1) / -step));
    else if (!is && step > 0)
        limit_to(s, (uint64_t)(-first / step) + 1);
    return constant(is ? UINT32_MAX : 0);
}

static struct value compare_values(struct state *s, enum jit_op op, const struct value *x, const struct value *y)
{
    if (x->kind != LINE || y->kind != LINE)
        return (struct value){NOTHING};
    if (op == JIT_EQ && x->step == y->step)
        return constant(x->base == y->base ? UINT32_MAX : 0);
    unwrap_value(s, x);
    unwrap_value(s, y);
    const int64_t first = (int64_t)y->base - x->base, step = (int64_t)(int32_t)y->step - (int32_t)x->step;
    if (op != JIT_EQ)
        return is_above(s, first + (op == JIT_LE_U), step);
    if (first == 0)
        limit_to(s, 1);
    else if (first % step == 0 && -first / step > 0)
        limit_to(s, (uint64_t)(-first / step));
    return constant(first == 0 ? UINT32_MAX : 0);
}

static struct value shift_right(struct state *s, const struct value *x, uint32_t by)
{
    const int64_t step = (int32_t)x->step;
    const uint64_t result = x->base >> by, begin = result << by, end = (result + 1) << by;
    if (x->kind != LINE)
        return (struct value){NOTHING};
    if (step > 0)
        limit_to(s, (end - x->base + (uint64_t)step - 1) / (uint64_t)step);
    else if (step < 0)
        limit_to(s, (x->base - begin) / (uint64_t)-step + 1);
    return constant((uint32_t)result);
}

/* Of a line and a constant: all of it, nothing of it, or what its lower bits leave as it is. */
static struct value masked(struct state *s, const struct value *x, uint32_t mask)
{
    if (mask == 0)
        return constant(0);
    if (mask == UINT32_MAX)
        return *x;
    if (x->kind != LINE || mask & (mask + 1) || x->base > mask)
        return (struct value){NOTHING};
    unwrap_value(s, x);
    if ((int32_t)x->step > 0)
        limit_to(s, (uint64_t)(mask - x->base) / x->step + 1);
    return *x;
}

static struct value logic(struct state *s, enum jit_op op, struct value x, struct value y)
{
    if (op == JIT_ANDN && is_constant(&y)) {
        y.base = ~y.base;
        op = JIT_AND;
    }
    if (is_constant(&x) && is_constant(&y))
        return constant(op == JIT_AND ? x.base & y.base : op == JIT_OR ? x.base | y.base : x.base ^ y.base);
    if (op == JIT_AND && (is_constant(&x) || is_constant(&y)))
        return is_constant(&y) ? masked(s, &x, y.base) : masked(s, &y, x.base);
    if (op != JIT_ANDN && is_constant(&y) && y.base == 0)
        return x;
    if (op != JIT_ANDN && is_constant(&x) && x.base == 0)
        return y;
    return (struct value){NOTHING};
}

static struct value arithmetic(enum jit_op op, const struct value *x, const struct value *y)
{
    struct value v = {.kind = x->kind == LINE && y->kind == LINE ? LINE : NOTHING};
    if (op == JIT_MUL) {
        v.kind = is_constant(x) || is_constant(y) ? v.kind : NOTHING;
        v.base = x->base * y->base;
        v.step = x->step * y->base + x->base * y->step;
    } else {
        v.base = op == JIT_ADD ? x->base + y->base : x->base - y->base;
        v.step = op == JIT_ADD ? x->step + y->step : x->step - y->step;
    }
    return v;
}

static uint8_t *host_of(const struct state *s, const struct jit_inst *inst, const struct value *at)
{
    uint8_t *host;
    memcpy(&host, s->frame + (inst->imm & 0xffff), sizeof(host));
    return host + at->base + (inst->imm >> 16);
}

static struct value load_value(struct state *s, const struct jit_inst *inst, const struct value *at)
{
    struct value v = {.kind = LOADED, .step = at->step};
    if (at->kind != LINE)
        return (struct value){NOTHING};
    unwrap_value(s, at);
    v.host = host_of(s, inst, at);
    if (at->step)
        return v;
    memcpy(&v.base, v.host, 4);
    return constant(v.base);
}

static struct value evaluate_inst(struct state *s, const struct jit_inst *inst)
{
    static const struct value none;
    const uint32_t operands = jit_operand_count(inst->op);
    const struct value *x = operands > 0 ? &s->values[inst->a] : &none, *y = operands > 1 ? &s->values[inst->b] : &none;
    uint32_t word;
    switch ((enum jit_op)inst->op) {
    case JIT_CONST:
        return constant(inst->imm);
    case JIT_SPLAT:
        memcpy(&word, s->frame + inst->imm, 4);
        return constant(word);
    case JIT_LANE:
        return (struct value){.kind = LINE, .base = s->first, .step = 1};
    case JIT_ADD:
    case JIT_SUB:
    case JIT_MUL:
        return arithmetic(inst->op, x, y);
    case JIT_NOT:
        return (struct value){.kind = x->kind == LINE ? LINE : NOTHING, .base = ~x->base, .step = 0 - x->step};
    case JIT_SHL_IMM:
        return (struct value){
            .kind = x->kind == LINE ? LINE : NOTHING, .base = x->base << inst->imm, .step = x->step << inst->imm};
    case JIT_SHR_IMM:
        return shift_right(s, x, inst->imm);
    case JIT_EQ:
    case JIT_LT_U:
    case JIT_LE_U:
        return compare_values(s, inst->op, x, y);
    case JIT_SELECT:
        if (is_constant(x) && (x->base == 0 || x->base == UINT32_MAX))
            return s->values[x->base ? inst->b : inst->c];
        return none;
    case JIT_LOAD:
        return load_value(s, inst, x);
    default:
        return logic(s, inst->op, *x, *y);
    }
}

/* ---- stores ---- */

static bool note_write(struct state *s, const struct jit_inst *inst)
{
    const struct value *at = &s->values[inst->a], *value = &s->values[inst->b], *lanes = &s->values[inst->c];
    if (!is_constant(lanes) || (lanes->base && lanes->base != UINT32_MAX))
        return false;
    if (!lanes->base)
        return true;
    if (at->kind != LINE || (!is_constant(value) && value->kind != LOADED) || (int32_t)at->step <= 0)
        return false;
    unwrap_value(s, at);
    s->writes[s->write_count++] = (struct write){host_of(s, inst, at), at->step, *value};
    return true;
}

/* Values of all lanes that something can be done with, and what is written. */
static bool look_at_range(struct state *s, const struct exec_range *range)
{
    s->write_count = 0;
    for (uint32_t i = 0; i < range->count; i++) {
        const struct jit_inst *inst = &range->insts[i];
        if (inst->op == JIT_WRITE) {
            if (!note_write(s, inst))
                return false;
        } else if (inst->op == JIT_MISS) {
            if (!is_constant(&s->values[inst->a]) || s->values[inst->a].base)
                return false;
        } else {
            s->values[i] = evaluate_inst(s, inst);
        }
    }
    return true;
}

/* The writes from `first` on that leave no gap between lanes: all are loaded so, or none is. 0: there is one. */
static uint32_t whole_step(const struct state *s, uint32_t first)
{
    const struct write *from = &s->writes[first];
    uint32_t n = 0;
    for (; first + n < s->write_count && n * 4 < from->step; n++) {
        const struct write *write = from + n;
        const bool is_next =
            write->host == from->host + n * 4 && write->step == from->step && write->value.kind == from->value.kind;
        const bool is_copy = from->value.kind == LOADED;
        if (!is_next || (is_copy && (write->value.host != from->value.host + n * 4 || write->value.step != from->step)))
            return 0;
    }
    return n * 4 == from->step ? n : 0;
}

static bool is_apart(const uint8_t *a, uint64_t a_B, const uint8_t *b, uint64_t b_B)
{
    return (uintptr_t)a + a_B <= (uintptr_t)b || (uintptr_t)b + b_B <= (uintptr_t)a;
}

/* Nothing that is stored is read, or stored twice. */
static bool are_apart(const struct state *s)
{
    for (uint32_t i = 0; i < s->write_count; i++) {
        const struct write *a = &s->writes[i];
        const uint64_t a_B = (uint64_t)a->step * (s->lanes - 1) + 4;
        for (uint32_t j = 0; j < s->write_count; j++) {
            const struct write *b = &s->writes[j];
            const uint64_t b_B = (uint64_t)b->step * (s->lanes - 1) + 4;
            /* Dwords of one step lie between each other. */
            const bool is_beside = b->step == a->step &&
                                   (uintptr_t)b->host - (uintptr_t)a->host + a->step - 4 <= 2ull * (a->step - 4) &&
                                   b->host != a->host;
            if (i != j && !is_beside && !is_apart(a->host, a_B, b->host, b_B))
                return false;
            if (b->value.kind == LOADED && !is_apart(a->host, a_B, b->value.host, b_B))
                return false;
        }
    }
    return true;
}

static void fill_bytes(uint8_t *to, const struct write *writes, uint32_t count, uint64_t size_B)
{
    uint64_t done_B = count * 4ull;
    if (count == 1) {
        (size_B >= BESIDE_B ? bulk_fill_beside : bulk_fill_here)(to, writes->value.base, size_B);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        memcpy(to + i * 4, &writes[i].value.base, 4);
    while (done_B < size_B) {
        uint64_t next_B = done_B < MOST_FILL_B ? done_B : MOST_FILL_B / (count * 4) * (count * 4);
        next_B = next_B < size_B - done_B ? next_B : size_B - done_B;
        memcpy(to + done_B, to, next_B);
        done_B += next_B;
    }
}

static bool store_writes(const struct state *s)
{
    for (uint32_t i = 0, n; i < s->write_count; i += n) {
        n = whole_step(s, i);
        if (!n)
            return false;
    }
    if (!are_apart(s))
        return false;
    for (uint32_t i = 0, n; i < s->write_count; i += n) {
        const struct write *write = &s->writes[i];
        const uint64_t size_B = (uint64_t)write->step * s->lanes;
        n = write->step / 4;
        if (write->value.kind == LOADED)
            bulk_copy_here(write->host, write->value.host, size_B);
        else
            fill_bytes(write->host, write, n, size_B);
    }
    return true;
}

uint32_t exec_range_run(const struct exec_range *range, void *frame, uint32_t lanes)
{
    struct state s = {.frame = frame};
    while (s.first < lanes) {
        s.lanes = lanes - s.first;
        if (!look_at_range(&s, range) || !store_writes(&s))
            break;
        s.first += s.lanes;
    }
    return s.first;
}
