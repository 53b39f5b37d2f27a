/* Runs programs of machine IR and compares what they write: the other half of tests/mir_fuzz.py, and a tool for
 * programs by hand.
 *
 *     mir_run [-v] [-p] FILE        `-` for standard input; -v prints every step, -p leaves out optimising and
 *                                   scheduling
 *
 * A file holds cases: `case NAME [sgprs=N] [vgprs=N]`, the program, `expect` with the dwords that the lanes write in
 * hex, `end`. Prints TAP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/compiler/tests/mir_rig.h"
#include "util/strbuf.h"

#define MAX_EXPECTED 16384

struct test_case {
    char name[128];
    struct rig_options options;
    struct strbuf text;
    uint32_t expected[MAX_EXPECTED];
    unsigned num_expected;
};

struct totals {
    unsigned number, failed;
    uint64_t spilled_sgprs, spilled_vgprs, copies, code_size_dw, instructions, latency, inverse;
};

static bool run_once(struct rig *rig, struct test_case *test, bool plain, struct totals *totals, char *why,
                     size_t why_B)
{
    struct rig_options options = test->options;
    uint32_t *memory = rig_memory(rig);
    options.plain |= plain;
    for (unsigned i = 0; i < RIG_DATA_B / 4; i++)
        memory[i] = i * 0x9e3779b1u;
    struct rig_outcome outcome = rig_run(rig, test->text.text, &options);
    const uint32_t *result = memory + RIG_RESULT_B / 4;
    bool ok = !outcome.error;
    if (!ok)
        snprintf(why, why_B, "%s", outcome.error);
    for (unsigned i = 0; ok && i < test->num_expected; i++) {
        if (result[i] != test->expected[i]) {
            snprintf(why, why_B, "dword %u is 0x%08x, not 0x%08x", i, result[i], test->expected[i]);
            ok = false;
        }
    }
    if (!plain) {
        totals->spilled_sgprs += outcome.spilled_sgprs;
        totals->spilled_vgprs += outcome.spilled_vgprs;
        totals->copies += outcome.copies;
        totals->code_size_dw += outcome.code_size_dw;
        totals->instructions += outcome.statistics.instructions;
        totals->latency += outcome.statistics.latency;
        totals->inverse += outcome.statistics.inverse_throughput;
    }
    free((void *)outcome.error);
    return ok;
}

static void run_case(struct rig *rig, struct test_case *test, struct totals *totals)
{
    char why[512] = "";
    bool ok = run_once(rig, test, false, totals, why, sizeof(why));
    if (ok && !test->options.plain && !test->options.verbose)
        ok = run_once(rig, test, true, totals, why, sizeof(why));
    totals->number++;
    totals->failed += !ok;
    printf("%sok %u - %s\n", ok ? "" : "not ", totals->number, test->name);
    if (!ok)
        printf("# %s\n", why);
    fflush(stdout);
}

static void read_header(struct test_case *test, const char *line, const struct rig_options *options)
{
    strbuf_clear(&test->text);
    test->num_expected = 0;
    test->options = *options;
    snprintf(test->name, sizeof(test->name), "%.*s", (int)strcspn(line + 5, "\n"), line + 5);
    const char *sgprs = strstr(line, "sgprs="), *vgprs = strstr(line, "vgprs=");
    if (sgprs)
        test->options.max_sgprs = (unsigned)atoi(sgprs + 6);
    if (vgprs)
        test->options.max_vgprs = (unsigned)atoi(vgprs + 6);
}

static void read_expected(struct test_case *test, const char *line)
{
    char *end;
    for (const char *at = line; test->num_expected < MAX_EXPECTED; at = end) {
        uint32_t value = (uint32_t)strtoul(at, &end, 16);
        if (end == at)
            return;
        test->expected[test->num_expected++] = value;
    }
}

int main(int argc, char **argv)
{
    struct rig_options options = {0};
    const char *path = "-";
    for (int i = 1; i < argc; i++) {
        options.verbose |= strcmp(argv[i], "-v") == 0;
        options.plain |= strcmp(argv[i], "-p") == 0;
        if (strcmp(argv[i], "-v") != 0 && strcmp(argv[i], "-p") != 0)
            path = argv[i];
    }
    setenv("TUFF_DEBUG", "strict", 0);
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    struct rig rig;
    if (!file || !rig_init(&rig)) {
        fprintf(stderr, "cannot read %s or make a GPU\n", path);
        return 2;
    }
    static struct test_case test;
    struct totals totals = {0};
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        if (strncmp(line, "case ", 5) == 0)
            read_header(&test, line, &options);
        else if (strncmp(line, "expect", 6) == 0)
            read_expected(&test, line + 6);
        else if (strncmp(line, "end", 3) == 0)
            run_case(&rig, &test, &totals);
        else
            strbuf_append(&test.text, line);
    }
    printf("1..%u\n# spilled %llu SGPRs and %llu VGPRs, %llu copies, %llu instructions in %llu dwords, latency %llu, "
           "inverse throughput %llu\n",
           totals.number, (unsigned long long)totals.spilled_sgprs, (unsigned long long)totals.spilled_vgprs,
           (unsigned long long)totals.copies, (unsigned long long)totals.instructions,
           (unsigned long long)totals.code_size_dw, (unsigned long long)totals.latency,
           (unsigned long long)totals.inverse);
    free(line);
    strbuf_finish(&test.text);
    rig_finish(&rig);
    if (file != stdin)
        fclose(file);
    return totals.failed != 0;
}
