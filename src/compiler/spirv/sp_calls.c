/* The cost of a module's calls when they are expanded, before any is: functions of which each calls the next twice
 * are small in the module and 2^depth in the shader. A module that cannot be expanded is refused at once and for its
 * own reason, not after seconds and gigabytes. */
#include "compiler/spirv/sp.h"

#include <inttypes.h>
#include <string.h>

#define MOST_WORDS (1ull << 60) /* whatever is more: the sum of two does not overflow */

void sp_note_call(struct sp *s, struct sp_function *function, uint32_t callee)
{
    if (is_power_of_two(function->num_calls) || function->num_calls == 0) { /* full at every power of two */
        uint32_t *grown = sp_new_array(s, uint32_t, function->num_calls ? function->num_calls * 2 : 1);
        if (function->num_calls)
            memcpy(grown, function->calls, function->num_calls * sizeof(*grown));
        function->calls = grown;
    }
    function->calls[function->num_calls++] = callee;
}

/* A walk over the calls without recursion: how far each function is. */
struct visit {
    struct sp_function *function;
    uint32_t next; /* call */
};

static struct sp_function *callee_of(struct sp *s, uint32_t id)
{
    struct sp_id *def = sp_id(s, id);
    return def->what == SP_FUNCTION_ID ? def->function : NULL;
}

/* Words that the entry point becomes; recursion counts once and is refused where it is met. */
static uint64_t expanded_words(struct sp *s)
{
    struct visit *stack = sp_new_array(s, struct visit, s->num_functions);
    uint32_t depth = 0;
    stack[depth++] = (struct visit){.function = s->entry};
    s->entry->active = true;
    while (depth) {
        struct visit *top = &stack[depth - 1];
        struct sp_function *function = top->function;
        if (top->next < function->num_calls) {
            struct sp_function *callee = callee_of(s, function->calls[top->next++]);
            if (callee && !callee->active && !callee->expanded_words) {
                callee->active = true;
                stack[depth++] = (struct visit){.function = callee};
            }
            continue;
        }
        uint64_t words = function->end - function->at;
        for (uint32_t i = 0; i < function->num_calls; i++) {
            const struct sp_function *callee = callee_of(s, function->calls[i]);
            words = MIN2(words + (callee && !callee->active ? callee->expanded_words : 0), MOST_WORDS);
        }
        function->expanded_words = words;
        function->active = false;
        depth--;
    }
    return s->entry->expanded_words;
}

void sp_check_calls(struct sp *s)
{
    uint64_t words = expanded_words(s);
    s->at = s->entry->at;
    if (words > s->budget)
        sp_fail(s,
                "with its calls expanded, the shader has %" PRIu64 " words; %u are the most for a module of its size",
                words, s->budget);
}
