/* A program is a tree of nodes in one array; a list of nodes is a chain of numbers. */
#include "programs.h"

#include "mali/driver/stream_flow.h"
#include "mali/driver/stream_put.h"

#define MAX_DEPTH 4
#define NODES 400
#define COUNTER 64 /* r64 + depth counts the turns of a loop */
#define SCRATCH 80 /* of a match */

enum kind {
    SET32,
    SET64,
    ADD32,
    ADD64,
    UMIN,
    LOAD,
    STORE,
    SIMPLE_KINDS,
    IF = SIMPLE_KINDS,
    IF_ELSE,
    LOOP,
    LEAVE, /* of the innermost loop */
    AGAIN,
    MATCH,
    KINDS,
};

struct node {
    enum kind kind;
    uint32_t a, b, c; /* registers, or as the kind says */
    uint64_t value;
    int next; /* in its list; -1: the last */
    int lists[4];
};

struct program {
    struct node nodes[NODES];
    int count, first;
    uint32_t seed;
};

/* ---- made at random ---- */

static uint32_t draw(struct program *p, uint32_t below)
{
    p->seed = p->seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(p->seed >> 4) * below >> 28);
}

static int make_list(struct program *p, int depth, bool in_loop);

static void make_node(struct program *p, struct node *n, int depth, bool in_loop)
{
    const uint32_t kinds = depth < MAX_DEPTH ? KINDS : SIMPLE_KINDS;
    do
        n->kind = draw(p, 2) ? draw(p, SIMPLE_KINDS) : draw(p, kinds);
    while ((n->kind == LEAVE || n->kind == AGAIN) && !in_loop);
    n->a = draw(p, PROGRAM_REGS);
    n->b = draw(p, PROGRAM_REGS);
    n->c = draw(p, PROGRAM_REGS);
    /* Few values, so that registers are known to have them already. */
    static const uint64_t values[] = {0, 1, 2, UINT32_MAX, 0x80000000, 0x123456789abcull, 0xfedcba9876543210ull};
    n->value = values[draw(p, 7)];
    switch (n->kind) {
    case SET64:
    case ADD64:
        n->a &= ~1u;
        n->b &= ~1u;
        break;
    case LOAD:
    case STORE:
        n->a = draw(p, PROGRAM_REGS - 8);
        n->b = 1 + draw(p, 255);           /* the mask */
        n->c = draw(p, PROGRAM_CELLS - 8); /* the first cell */
        break;
    case IF:
    case IF_ELSE:
        n->b = draw(p, MALI_CS_CONDITION_ALWAYS);
        n->lists[0] = make_list(p, depth + 1, in_loop);
        n->lists[1] = n->kind == IF_ELSE ? make_list(p, depth + 1, in_loop) : -1;
        break;
    case LOOP:
        n->b = 1 + draw(p, 3); /* turns */
        n->c = (uint32_t)depth;
        n->lists[0] = make_list(p, depth + 1, true);
        break;
    case LEAVE:
    case AGAIN:
        n->b = draw(p, MALI_CS_CONDITION_ALWAYS + 1u);
        break;
    case MATCH:
        n->b = draw(p, 2); /* has a default */
        for (int i = 0; i < 4; i++)
            n->lists[i] = i < 3 || n->b ? make_list(p, depth + 1, in_loop) : -1;
        break;
    default:
        break;
    }
}

static int make_list(struct program *p, int depth, bool in_loop)
{
    int first = -1, last = -1;
    for (uint32_t left = draw(p, 10); left && p->count < NODES; left--) {
        const int at = p->count++;
        p->nodes[at] = (struct node){.next = -1, .lists = {-1, -1, -1, -1}};
        make_node(p, &p->nodes[at], depth, in_loop);
        if (last < 0)
            first = at;
        else
            p->nodes[last].next = at;
        last = at;
    }
    return first;
}

struct program *program_make(uint32_t seed)
{
    struct program *p = calloc(1, sizeof(*p));
    if (!p)
        abort();
    p->seed = seed;
    p->first = make_list(p, 0, false);
    return p;
}

void program_free(struct program *program)
{
    free(program);
}

/* ---- run ---- */

enum how {
    GO_ON,
    HAS_LEFT,
    GOES_AGAIN,
};

static bool condition_holds(uint32_t condition, uint32_t value)
{
    const int32_t v = (int32_t)value;
    const bool results[] = {v <= 0, v > 0, v == 0, v != 0, v < 0, v >= 0, true};
    return results[condition];
}

static enum how run_list(const struct program *p, int at, struct program_state *state);

static enum how run_loop(const struct program *p, const struct node *n, struct program_state *state)
{
    uint32_t turns = n->b;
    enum how how;
    do {
        if (!turns--) /* an AGAIN comes by here, too */
            break;
        how = run_list(p, n->lists[0], state);
    } while (how != HAS_LEFT);
    return GO_ON;
}

static enum how run_node(const struct program *p, const struct node *n, struct program_state *state)
{
    uint32_t *r = state->regs;
    uint32_t cell = n->c;
    uint64_t wide;
    switch (n->kind) {
    case SET32:
        r[n->a] = (uint32_t)n->value;
        break;
    case SET64:
        r[n->a] = (uint32_t)n->value;
        r[n->a + 1] = (uint32_t)(n->value >> 32);
        break;
    case ADD32:
        r[n->a] = r[n->b] + (uint32_t)n->value;
        break;
    case ADD64:
        wide = (r[n->b] | (uint64_t)r[n->b + 1] << 32) + (uint64_t)(int64_t)(int32_t)n->value;
        r[n->a] = (uint32_t)wide;
        r[n->a + 1] = (uint32_t)(wide >> 32);
        break;
    case UMIN:
        r[n->a] = r[n->b] < r[n->c] ? r[n->b] : r[n->c];
        break;
    case LOAD:
    case STORE:
        for (uint32_t i = 0; i < 8; i++) {
            if (!(n->b >> i & 1))
                continue;
            if (n->kind == LOAD)
                r[n->a + i] = state->cells[cell++];
            else
                state->cells[cell++] = r[n->a + i];
        }
        break;
    case IF:
    case IF_ELSE:
        return run_list(p, n->lists[condition_holds(n->b, r[n->a]) ? 0 : 1], state);
    case LOOP:
        return run_loop(p, n, state);
    case LEAVE:
        return condition_holds(n->b, r[n->a]) ? HAS_LEFT : GO_ON;
    case AGAIN:
        return condition_holds(n->b, r[n->a]) ? GOES_AGAIN : GO_ON;
    case MATCH:
        return run_list(p, n->lists[r[n->a] < 3 ? r[n->a] : 3], state);
    case KINDS:
        abort();
    }
    return GO_ON;
}

static enum how run_list(const struct program *p, int at, struct program_state *state)
{
    for (; at >= 0; at = p->nodes[at].next) {
        const enum how how = run_node(p, &p->nodes[at], state);
        if (how != GO_ON)
            return how;
    }
    return GO_ON;
}

void program_run(const struct program *program, struct program_state *state)
{
    run_list(program, program->first, state);
}

/* ---- written ---- */

static void write_list(const struct program *p, int at, struct mali_stream *s, struct mali_d cells,
                       struct mali_block *loop);

/* A counter leaves the loop, whatever its body does. */
static void write_loop(const struct program *p, const struct node *n, struct mali_stream *s, struct mali_d cells)
{
    struct mali_block block;
    const struct mali_r counter = mali_r(COUNTER + n->c);
    mali_set32(s, counter, n->b);
    mali_loop_begin(s, &block);
    mali_loop_leave(s, &block, MALI_CS_CONDITION_EQUAL, counter);
    mali_put_add32(s, counter, counter, -1);
    write_list(p, n->lists[0], s, cells, &block);
    mali_loop_end(s, &block, MALI_CS_CONDITION_ALWAYS, counter);
}

static void write_match(const struct program *p, const struct node *n, struct mali_stream *s, struct mali_d cells,
                        struct mali_block *loop)
{
    struct mali_block block;
    mali_match_begin(s, &block, mali_r(n->a), mali_r(SCRATCH));
    for (uint32_t i = 0; i < 3; i++) {
        mali_match_case(s, &block, i);
        write_list(p, n->lists[i], s, cells, loop);
    }
    if (n->b) {
        mali_match_default(s, &block);
        write_list(p, n->lists[3], s, cells, loop);
    }
    mali_match_end(s, &block);
}

static void write_node(const struct program *p, const struct node *n, struct mali_stream *s, struct mali_d cells,
                       struct mali_block *loop)
{
    struct mali_block block;
    switch (n->kind) {
    case SET32:
        mali_set32(s, mali_r(n->a), (uint32_t)n->value);
        break;
    case SET64:
        mali_set64(s, mali_d(n->a), n->value);
        break;
    case ADD32:
        mali_put_add32(s, mali_r(n->a), mali_r(n->b), (int32_t)n->value);
        break;
    case ADD64:
        mali_put_add64(s, mali_d(n->a), mali_d(n->b), (int32_t)n->value);
        break;
    case UMIN:
        mali_put_umin32(s, mali_r(n->a), mali_r(n->b), mali_r(n->c));
        break;
    case LOAD:
        mali_stream_settle(s); /* memory is its user's affair: the cells may have been stored */
        mali_put_load(s, mali_r(n->a), (uint16_t)n->b, cells, (int16_t)(n->c * 4));
        break;
    case STORE:
        mali_put_store(s, mali_r(n->a), (uint16_t)n->b, cells, (int16_t)(n->c * 4));
        break;
    case IF:
    case IF_ELSE:
        mali_if_begin(s, &block, (enum mali_CS_CONDITION)n->b, mali_r(n->a));
        write_list(p, n->lists[0], s, cells, loop);
        if (n->kind == IF_ELSE) {
            mali_if_else(s, &block);
            write_list(p, n->lists[1], s, cells, loop);
        }
        mali_if_end(s, &block);
        break;
    case LOOP:
        write_loop(p, n, s, cells);
        break;
    case LEAVE:
        mali_loop_leave(s, loop, (enum mali_CS_CONDITION)n->b, mali_r(n->a));
        break;
    case AGAIN:
        mali_loop_again(s, loop, (enum mali_CS_CONDITION)n->b, mali_r(n->a));
        break;
    case MATCH:
        write_match(p, n, s, cells, loop);
        break;
    case KINDS:
        abort();
    }
}

static void write_list(const struct program *p, int at, struct mali_stream *s, struct mali_d cells,
                       struct mali_block *loop)
{
    for (; at >= 0; at = p->nodes[at].next)
        write_node(p, &p->nodes[at], s, cells, loop);
}

void program_write(const struct program *program, struct mali_stream *s, struct mali_d cells)
{
    write_list(program, program->first, s, cells, NULL);
}
