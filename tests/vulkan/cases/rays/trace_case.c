/* Hits and inputs of the rays of trace_case.h's cases, and running them. */
#include "cases/rays/trace_case.h"

#include <math.h>
#include <string.h>

/* ---- what a ray meets ---- */

uint32_t trace_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

int trace_meet(const struct ray_case *test, unsigned x, unsigned y)
{
    const uint32_t *layers = test->layers;
    const bool given = layers[0] | layers[1] | layers[2] | layers[3];
    uint32_t met = 7 & (given ? layers[y / 4 * 2 + (y & 1)] : test->setup.push.mask);
    for (unsigned n = 0; n < TRACE_LAYERS; n++) {
        if (trace_distance(n) < test->setup.push.least || trace_distance(n) > test->setup.push.most)
            met &= ~(1u << n);
    }
    return x % 4 == 3 || !met ? -1 : __builtin_ctz(met);
}

const struct trace_record *trace_hit_record(const struct ray_case *test, int layer, unsigned y, unsigned offset)
{
    const struct trace_setup *setup = &test->setup;
    const unsigned at =
        setup->first_record[TRACE_HIT] + offset + setup->push.stride * (y / 4) + setup->record_offsets[layer];
    return &setup->records[TRACE_HIT][at];
}

const struct trace_record *trace_miss_record(const struct ray_case *test, unsigned number)
{
    return &test->setup.records[TRACE_MISS][test->setup.first_record[TRACE_MISS] + number];
}

static bool calls(const struct ray_case *test, const struct trace_record *record)
{
    const struct trace_group *group = record->group ? &test->setup.groups[record->group - 1] : NULL;
    return group && (group->general || group->closest);
}

/* ---- what it is told ---- */

void trace_clear(uint32_t want[TRACE_WORDS])
{
    for (uint32_t n = 0; n < TRACE_WORDS; n++)
        want[n] = 0xdead0000 + n;
}

void trace_tell_flat(const struct ray_case *test, int layer, const struct trace_record *record,
                     uint32_t want[TRACE_WORDS])
{
    if (!calls(test, record))
        return;
    want[0] = layer < 0 ? 7 : 5;
    want[1] = record->number;
    if (layer >= 0)
        want[2] = (uint32_t)layer + 1;
}

void trace_expect_flat(const struct ray_case *test, unsigned x, unsigned y, uint32_t want[TRACE_WORDS])
{
    const int layer = trace_meet(test, x, y);
    trace_clear(want);
    if (layer < 0)
        trace_tell_flat(test, layer, trace_miss_record(test, test->setup.push.miss), want);
    else if (!(test->setup.push.flags & RAY_SKIP_CLOSEST))
        trace_tell_flat(test, layer, trace_hit_record(test, layer, y, test->setup.push.offset), want);
}

/* ---- running ---- */

static bool is_same(const struct ray_case *test, unsigned word, uint32_t got, uint32_t want)
{
    float a, b;
    if (got == want || test->any >> word & 1)
        return true;
    if (!(test->near >> word & 1))
        return false;
    memcpy(&a, &got, sizeof(a));
    memcpy(&b, &want, sizeof(b));
    return fabsf(a - b) < 1e-5f * (1 + fabsf(b));
}

void trace_run_case(struct vt *vt, const void *argument)
{
    const struct ray_case *test = argument;
    struct trace trace;
    trace_run(&trace, vt, &test->setup);
    const uint32_t(*answers)[TRACE_WORDS] = trace.answers.map, *counts = trace.counts.map;
    for (unsigned n = 0; n < TRACE_RAYS; n++) {
        const unsigned x = n % TRACE_WIDTH, y = n / TRACE_WIDTH;
        uint32_t want[TRACE_WORDS];
        test->expect(test, x, y, want);
        for (unsigned i = 0; i < TRACE_WORDS; i++) {
            if (!is_same(test, i, answers[n][i], want[i]))
                vt_fail(vt, "ray (%u, %u), word %u: 0x%08x, not 0x%08x", x, y, i, answers[n][i], want[i]);
        }
        if (test->count && counts[n] != test->count(test, x, y))
            vt_fail(vt, "ray (%u, %u) counts 0x%x, not 0x%x", x, y, counts[n], test->count(test, x, y));
    }
}
