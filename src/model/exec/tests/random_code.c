/* See random_code.h. */
#include "model/exec/tests/random_code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/tests/host_level_test.h"

#define MOST_DEPTH 2 /* of loops; of ifs one more */

static uint64_t state;
static char program[1 << 16], difference[512];
static size_t length;

uint32_t random_32(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)(z >> 32);
}

uint32_t random_interesting(void)
{
    static const uint32_t some[] = {0,          1,          2,          31,         32,         0xffff,     0x10000,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0x00800000, 0x007fffff, 0x3f800000, 0xbf800000,
                                    0x40490fdb, 0x4f000000, 0xcf000000, 0x4f800000, 0x7f800000, 0x33800000, 0x477fe000};
    if (random_below(3) == 0)
        return some[random_below(sizeof(some) / sizeof(some[0]))];
    const uint32_t word = random_32();
    return word >> random_below(32);
}

void random_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(program + length, sizeof(program) - length, format, arguments);
    va_end(arguments);
    if (length >= sizeof(program))
        abort();
}

const char *random_text(void)
{
    return program;
}

bool random_differs(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(difference, sizeof(difference), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- structure ---- */

static unsigned ids;
static bool has_loops; /* programs without them become host code as a whole */

static void add_block(unsigned ifs, unsigned loops, bool is_top_of_loop, unsigned loop_id);

static void add_if(unsigned ifs, unsigned loops)
{
    const unsigned id = ids++;
    const bool has_other = random_below(2);
    random_isa.open_if(ifs, id);
    add_block(ifs + 1, loops, false, 0);
    if (has_other) {
        random_isa.other(ifs, id);
        add_block(ifs + 1, loops, false, 0);
    }
    random_isa.close_if(ifs, id, has_other);
}

static void add_loop(unsigned ifs, unsigned loops)
{
    const unsigned id = ids++;
    const bool is_own = random_below(3) == 0;
    random_isa.open_loop(loops, id, is_own);
    add_block(ifs, loops + 1, !is_own, id);
    random_isa.close_loop(loops, id, is_own);
}

/* Loops of straight code, with a way out, are what becomes one piece of code: they are made often. */
static void add_block(unsigned ifs, unsigned loops, bool is_top_of_loop, unsigned loop_id)
{
    const unsigned parts = 1 + random_below(loops ? 2 : 4);
    for (unsigned i = 0; i < parts; i++) {
        random_isa.straight(1 + random_below(8));
        switch (random_below(8)) {
        case 0:
            if (ifs <= MOST_DEPTH)
                add_if(ifs, loops);
            break;
        case 1:
        case 2:
            if (has_loops && loops < MOST_DEPTH && random_below(loops + 1) == 0)
                add_loop(ifs, loops);
            else if (!has_loops && ifs <= MOST_DEPTH)
                add_if(ifs, loops);
            break;
        case 3:
            if (!loops || random_below(3) == 0)
                random_isa.memory();
            break;
        case 4:
            if (is_top_of_loop)
                random_isa.leave(loops - 1, loop_id);
            break;
        default:
            break;
        }
    }
}

static void make_code(uint64_t number)
{
    state = number * 0x2545f4914f6cdd1dull + 1;
    length = ids = 0;
    has_loops = !random_isa.has_no_loops && (!random_isa.has_wholes || number % 3);
    random_isa.begin(number);
    add_block(0, 0, false, 0);
    if (has_loops && random_below(4))
        add_loop(0, 0);
    add_block(0, 0, false, 0);
    for (unsigned i = 0; i < 3; i++)
        random_isa.memory();
    random_isa.end();
}

/* ---- all of them ---- */

struct totals {
    uint64_t with_code, with_loop, with_entry, with_miss, with_shuffle, whole, joined;
};

static void add_counts(struct totals *totals, const struct exec_counts *counts)
{
    totals->with_code += counts->runs || counts->loops;
    totals->with_loop += counts->loops != 0;
    totals->with_entry += counts->loop_entries != 0;
    totals->with_miss += counts->misses != 0;
    totals->with_shuffle += counts->shuffles != 0;
    totals->whole += counts->wholes != 0;
    totals->joined += counts->joins != 0;
}

/* Nearly all have code; of those with a loop in it, nearly all go through it. */
static bool is_telling(const struct totals *totals, uint64_t count)
{
    if (!JIT_HOST || count < 100)
        return true;
    return totals->with_code >= count / 10 * 9 && (random_isa.has_no_loops || totals->with_loop >= count / 20) &&
           totals->with_entry >= totals->with_loop / 10 * 8 && (!random_isa.has_misses || totals->with_miss >= 1) &&
           (!random_isa.has_shuffles || count < 1000 || totals->with_shuffle >= 1) &&
           (!random_isa.has_wholes || totals->whole >= count / 8) &&
           (!random_isa.has_joins || totals->joined >= count / 8);
}

static bool run_all(uint64_t seed, uint64_t count, bool prints)
{
    struct totals totals = {0};
    for (uint64_t i = seed; i < seed + count; i++) {
        make_code(i);
        if (prints)
            printf("%s\n", program);
        const bool is_same = random_isa.run();
        add_counts(&totals, random_isa.counts());
        if (!is_same) {
            printf("# program %llu: %s\n# again: random_%s --seed %llu --count 1\n", (unsigned long long)i, difference,
                   random_isa.name, (unsigned long long)i);
            for (char *line = strtok(program, "\n"); line; line = strtok(NULL, "\n"))
                printf("#     %s\n", line);
            return false;
        }
    }
    printf("# %llu programs: %llu with host code, %llu with loops in it, %llu that went through one, %llu with misses, "
           "%llu with shuffles in loops, %llu as a whole, %llu joined\n",
           (unsigned long long)count, (unsigned long long)totals.with_code, (unsigned long long)totals.with_loop,
           (unsigned long long)totals.with_entry, (unsigned long long)totals.with_miss,
           (unsigned long long)totals.with_shuffle, (unsigned long long)totals.whole,
           (unsigned long long)totals.joined);
    if (!is_telling(&totals, count)) {
        printf("# too few of them\n");
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = 1500;
    bool prints = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--print") == 0)
            prints = true;
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[++i], NULL, 0);
        else if (i + 1 < argc && strcmp(argv[i], "--count") == 0)
            count = strtoull(argv[++i], NULL, 0);
        else {
            fprintf(stderr, "usage: random_%s [--count N] [--seed S] [--print]\n", random_isa.name);
            return 2;
        }
    }
    if (!host_level_runs())
        return 0;
    setenv("TUFF_DEBUG", "jitnow", 1);
    printf("1..1\n");
    const bool is_good = random_isa.setup() && run_all(seed, count, prints);
    printf("%sok 1 - random programs of %s\n", is_good ? "" : "not ", random_isa.name);
    random_isa.teardown();
    return !is_good;
}
