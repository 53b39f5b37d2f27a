/* See pixel_join.h. */
#include "model/pixel/pixel_join.h"

#include <string.h>

#include "util/debug.h"

/* How many waves of a state there are before it gets code of its own, which costs what about a hundred waves gain by
 * it. */
#define WORTH_IT 128
#define MOST 256 /* states of all programs of a cache */

struct pixel_joined *pixel_joined_find(struct exec_code *code, bool (*is)(const struct pixel_joined *, const void *),
                                       const void *key, size_t size_B, bool *is_new_out)
{
    struct pixel_joined *joined = code->joined;
    unsigned count = 0;
    for (; joined && !is(joined, key); joined = joined->next)
        count++;
    *is_new_out = !joined;
    if (joined || count == MOST)
        return joined;
    joined = exec_code_alloc(code, size_B);
    if (!joined)
        return NULL;
    memset(joined, 0, size_B);
    joined->next = code->joined;
    code->joined = joined;
    return joined;
}

bool pixel_variant_is_due(struct pixel_variant *variant)
{
    return variant->state == PIXEL_JOIN_WAITS && (++variant->waited >= WORTH_IT || debug_enabled(DEBUG_JITNOW));
}

bool pixel_variant_add(struct pixel_variant *variant, struct exec_code *code, const struct lane_program *program,
                       const struct jit_frame *frame, const void *inputs, size_t inputs_B, const void *first,
                       const void *end)
{
    if (variant->count == PIXEL_SEGMENTS || program->failed)
        return false;
    struct pixel_segment *segment = &variant->segments[variant->count++];
    *segment = (struct pixel_segment){.first = first, .end = end};
    if (inputs) {
        segment->inputs = exec_code_alloc(code, inputs_B);
        if (!segment->inputs)
            return false;
        memcpy(segment->inputs, inputs, inputs_B);
    }
    segment->code = exec_code_compile(code, program, frame, true);
    return segment->code != NULL;
}

void pixel_join_drop_stores(struct lane_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->insts[i].op == JIT_STORE || program->insts[i].op == JIT_STORE_BITS)
            program->insts[i].op = JIT_CONST;
    }
}
