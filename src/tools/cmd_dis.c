/* `tuff dis`: raw machine code to text, one instruction per line. Continues after what it cannot decode, and reports it
 * at the end. The text comes from the family's isa room. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/chip.h"
#include "adreno/isa/isa.h"
#include "amd/isa/isa.h"
#include "kernel/model.h"
#include "mali/hw/chip.h"
#include "mali/isa/isa.h"
#include "tools/tool.h"
#include "util/file.h"
#include "util/json.h"

#define MAX_MESSAGES 10 /* per file; a file that is not machine code at all would print one for each dword */

#define MAX_TEXT 320
_Static_assert(MAX_TEXT >= ISA_MAX_TEXT && MAX_TEXT >= ADRENO_ISA_MAX_TEXT && MAX_TEXT >= MALI_ISA_MAX_TEXT,
               "every family's text fits");

enum dis_error {
    DIS_TRUNCATED = -1, /* the words end before the instruction */
    DIS_INVALID = -2,   /* no such instruction */
};

struct options;

/* How a family disassembles. */
struct dis_family {
    bool (*find)(struct options *options, const char *gpu);
    /* The text of the instruction at words[0]; returns its size in dwords or a dis_error. */
    int (*print)(const struct options *options, const uint32_t *words, size_t count_dw, char text_out[MAX_TEXT]);
    unsigned unit_dw; /* instructions begin at multiples of it */
};

struct options {
    const struct dis_family *family;
    enum isa_gfx gfx; /* of Radeon */
    unsigned wave_size;
    bool show_offset, show_hex;
    struct json *json; /* NULL: text */
};

static bool find_radeon(struct options *options, const char *gpu)
{
    return amd_isa_gfx_from_name(gpu, &options->gfx);
}

static int print_radeon(const struct options *options, const uint32_t *words, size_t count_dw, char text_out[MAX_TEXT])
{
    struct isa_inst inst;
    int size_dw = amd_isa_decode(options->gfx, words, count_dw, &inst);
    if (size_dw <= 0)
        return size_dw == ISA_ERROR_TRUNCATED ? DIS_TRUNCATED : DIS_INVALID;
    amd_isa_print(options->gfx, options->wave_size, &inst, text_out);
    return size_dw;
}

static bool find_adreno(struct options *options, const char *gpu)
{
    (void)options;
    return adreno_chip_find(gpu) != NULL;
}

static int print_adreno(const struct options *options, const uint32_t *words, size_t count_dw, char text_out[MAX_TEXT])
{
    (void)options;
    if (count_dw < 2)
        return DIS_TRUNCATED;
    struct adreno_isa_inst inst;
    if (adreno_isa_decode(words[0] | (uint64_t)words[1] << 32, &inst) != 0)
        return DIS_INVALID;
    adreno_isa_print(&inst, text_out);
    return 2;
}

static bool find_mali(struct options *options, const char *gpu)
{
    (void)options;
    return mali_chip_find(gpu) != NULL;
}

static int print_mali(const struct options *options, const uint32_t *words, size_t count_dw, char text_out[MAX_TEXT])
{
    (void)options;
    if (count_dw < 2)
        return DIS_TRUNCATED;
    struct mali_isa_inst inst;
    if (mali_isa_decode(words[0] | (uint64_t)words[1] << 32, &inst) != 0)
        return DIS_INVALID;
    mali_isa_print(&inst, text_out);
    return 2;
}

static const struct dis_family families[] = {
    {find_radeon, print_radeon, 1},
    {find_adreno, print_adreno, 2},
    {find_mali, print_mali, 2},
};

static bool choose_gpu(struct options *options, const char *gpu)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        if (families[i].find(options, gpu)) {
            options->family = &families[i];
            return true;
        }
    }
    return false;
}

static void add_instruction(struct json *json, size_t offset_B, const uint32_t *words, unsigned count_dw,
                            const char *text, bool is_known)
{
    json_object(json, NULL);
    json_number(json, "offset", offset_B);
    json_array(json, "words");
    for (unsigned i = 0; i < count_dw; i++)
        json_number(json, NULL, words[i]);
    json_end(json);
    json_string(json, "text", text);
    json_bool(json, "known", is_known);
    json_end(json);
}

static void print_line(const struct options *options, size_t offset_B, const uint32_t *words, unsigned count_dw,
                       const char *text, bool is_known)
{
    if (options->json) {
        add_instruction(options->json, offset_B, words, count_dw, text, is_known);
        return;
    }
    if (options->show_offset)
        printf("%08zx: ", offset_B);
    if (options->show_hex) {
        for (unsigned i = 0; i < count_dw; i++)
            printf("%08" PRIx32 " ", words[i]);
        printf("%*s", count_dw < 3 ? (int)(3 - count_dw) * 9 : 0, "");
    }
    fputs(text, stdout);
    putc('\n', stdout);
}

/* Prints dwords that are no instruction, as numbers. Returns how many they are. */
static size_t print_raw(const struct options *options, size_t at, const uint32_t *words, size_t count_dw)
{
    size_t unit_dw = options->family->unit_dw < count_dw - at ? options->family->unit_dw : count_dw - at;
    for (size_t i = at; i < at + unit_dw; i++) {
        char text[MAX_TEXT];
        snprintf(text, sizeof(text), ".long 0x%08" PRIx32, words[i]);
        print_line(options, i * 4, words + i, 1, text, false);
    }
    return unit_dw;
}

/* Returns how many places could not be decoded. */
static size_t print_code(const struct options *options, const char *path, const uint32_t *words, size_t count_dw)
{
    char text[MAX_TEXT];
    size_t errors = 0;
    for (size_t at = 0; at < count_dw;) {
        int size_dw = options->family->print(options, words + at, count_dw - at, text);
        if (size_dw > 0) {
            print_line(options, at * 4, words + at, (unsigned)size_dw, text, true);
            at += (size_t)size_dw;
            continue;
        }
        if (errors++ < MAX_MESSAGES) {
            tool_error(&tool_dis, "%s: byte offset 0x%zx: %s 0x%08" PRIx32, path, at * 4,
                       size_dw == DIS_TRUNCATED ? "the file ends inside the instruction" : "no such instruction",
                       words[at]);
        }
        at += print_raw(options, at, words, count_dw);
    }
    if (errors > MAX_MESSAGES)
        tool_error(&tool_dis, "%s: %zu more like these", path, errors - MAX_MESSAGES);
    return errors;
}

/* Returns whether all of it is instructions. */
static bool print_file(const struct options *options, const char *path, const char *data, size_t size_B)
{
    /* Machine code is little-endian, as are the machines that this runs on. */
    bool good = print_code(options, path, (const uint32_t *)data, size_B / 4) == 0;
    if (size_B % 4) {
        tool_error(&tool_dis, "%s: byte offset 0x%zx: %zu bytes left, less than a dword", path, size_B & ~(size_t)3,
                   size_B % 4);
        good = false;
    }
    return good;
}

static bool print_json(struct options *options, const char *gpu, const char *path, const char *data, size_t size_B)
{
    struct json json = {.is_line = false};
    options->json = &json;
    json_object(&json, NULL);
    json_string(&json, "file", path);
    json_string(&json, "gpu", gpu);
    json_array(&json, "instructions");
    bool good = print_file(options, path, data, size_B);
    json_end(&json);
    json_end(&json);
    return tool_print_json(&tool_dis, &json) == TOOL_OK && good;
}

int tool_dis_run(const struct tool_line *line)
{
    const char *gpu = line->values[TOOL_DIS_GPU] ? line->values[TOOL_DIS_GPU] : kernel_model_row(0)->name;
    const char *wave = line->values[TOOL_DIS_WAVE], *path = line->operands[0];
    struct options options = {.wave_size = wave && strcmp(wave, "64") == 0 ? 64 : 32,
                              .show_offset = line->values[TOOL_DIS_OFFSET],
                              .show_hex = line->values[TOOL_DIS_HEX]};
    if (!choose_gpu(&options, gpu))
        return tool_bad_gpu(&tool_dis, gpu);

    char *data;
    size_t size_B;
    int error = file_read(path, &data, &size_B);
    if (error) {
        tool_error(&tool_dis, "%s: %s", path, strerror(-error));
        return TOOL_FAILED;
    }
    if (size_B == 0) {
        tool_error(&tool_dis, "%s: byte offset 0x0: the file is empty", path);
        free(data);
        return TOOL_FAILED;
    }
    bool good = line->values[TOOL_DIS_JSON] ? print_json(&options, gpu, path, data, size_B)
                                            : print_file(&options, path, data, size_B);
    free(data);
    int result = tool_finish_output(&tool_dis);
    return good ? result : TOOL_FAILED;
}
