/* Debian's RADV as a judge of the tables: whatever it writes must decode, every packet and register by name, no bit
 * left over; and what our model says that it can do must not stop at any of it. Prints TAP. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/chip.h"
#include "capture.h"

static unsigned cases, failures;

static bool report_scene(bool ok, const char *what, const char *scene, const char *detail)
{
    printf("%s %u - %s: %s\n", ok ? "ok" : "not ok", ++cases, scene, what);
    for (const char *line = ok ? "" : detail; *line;) {
        size_t length = strcspn(line, "\n");
        printf("# %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    failures += !ok;
    return ok;
}

/* Lines of `text` that contain `mark`. */
static void grep_lines(struct strbuf *out, const char *text, const char *mark)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *found = strstr(text, mark);
        if (found && found < text + length) {
            strbuf_append_n(out, text, length);
            strbuf_append(out, "\n");
        }
        text += length + (text[length] == '\n');
    }
}

static void judge_scene(struct scene *scene, bool verbose)
{
    struct strbuf unknown = {0}, stops = {0};
    strbuf_append(&scene->text, "");
    strbuf_append(&scene->problems, "");
    strbuf_append(&unknown, "");
    strbuf_append(&stops, "");
    if (verbose)
        printf("# ---- %s\n%s", scene->name, scene->text.text);
    grep_lines(&unknown, scene->text.text, " ?=0x");
    grep_lines(&stops, scene->text.text, "[stop: ");
    report_scene(scene->text.length > 0, "RADV submitted something", scene->name, "no stream was seen");
    report_scene(scene->problems.length == 0, "every packet and register is known", scene->name, scene->problems.text);
    report_scene(unknown.length == 0, "every bit has a name", scene->name, unknown.text);
    report_scene(stops.length == 0, "a model need not stop", scene->name, stops.text);
    strbuf_finish(&unknown);
    strbuf_finish(&stops);
}

/* How much of the table RADV has touched, as figures: a judge that sees little judges little. */
static void judge_coverage(void)
{
    static bool written[0x40000 / 4];
    unsigned registers = 0, streams = 0;
    for (unsigned i = 0; i < scene_count; i++) {
        streams += scenes[i].streams;
        /* a register's line: twelve blanks, five digits, a name */
        for (const char *line = scenes[i].text.text; *line; line += strcspn(line, "\n") + 1) {
            unsigned offset_B;
            if (strncmp(line, "            ", 12) == 0 && line[12] != ' ' && sscanf(line + 12, "%5x", &offset_B) == 1 &&
                line[17] == ' ' && line[18] >= 'A' && offset_B < 0x40000 && !written[offset_B / 4]) {
                written[offset_B / 4] = true;
                registers++;
            }
        }
    }
    printf("# %u streams, %u distinct registers\n", streams, registers);
    report_scene(registers >= 250, "at least 250 distinct registers were judged", "all scenes", "fewer");
}

int main(int argc, char **argv)
{
    bool verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    if (argc < 3 || !amd_chip_find(argv[2])) {
        fprintf(stderr, "usage: %s LIBRARY CHIP [-v]\n", argv[0]);
        return 2;
    }
    capture_chip = argv[2];
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    const char *error = record_scenes(argv[1]);
    if (error) {
        printf("Bail out! %s\n", error);
        return 1;
    }
    for (unsigned i = 0; i < scene_count; i++)
        judge_scene(&scenes[i], verbose);
    judge_coverage();
    printf("1..%u\n", cases);
    for (unsigned i = 0; i < scene_count; i++) {
        strbuf_finish(&scenes[i].text);
        strbuf_finish(&scenes[i].problems);
    }
    return failures ? 1 : 0;
}
