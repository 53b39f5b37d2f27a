/* `tuff dis`: raw machine code to text, one instruction per line. Continues after what it cannot decode, and reports it
 * at the end. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "amd/isa/isa.h"
#include "tools/amd_gpus.h"
#include "util/file.h"

#define MAX_MESSAGES 10 /* per file; a file that is not machine code at all would print one for each dword */

struct options {
    enum isa_gfx gfx;
    unsigned wave_size;
    bool show_offset, show_hex;
};

static bool parse_wave(const char *text, unsigned *wave_out)
{
    *wave_out = strcmp(text, "64") == 0 ? 64 : 32;
    return strcmp(text, "32") == 0 || strcmp(text, "64") == 0;
}

static int set_option(void *data, int option, const char *value)
{
    struct options *options = data;
    switch (option) {
    case 'g':
        return amd_isa_gfx_from_name(value, &options->gfx) ? TOOL_OK : tool_bad_amd_gpu(&tool_dis, value);
    case 'w':
        if (!parse_wave(value, &options->wave_size))
            return tool_usage_error(&tool_dis, "the wave size is 32 or 64, not '%s'", value);
        break;
    case 'o':
        options->show_offset = true;
        break;
    case 'x':
        options->show_hex = true;
        break;
    }
    return TOOL_OK;
}

static const struct option long_options[] = {
    {"gpu", required_argument, NULL, 'g'},
    {"wave", required_argument, NULL, 'w'},
    {"offset", no_argument, NULL, 'o'},
    {"hex", no_argument, NULL, 'x'},
    {0},
};

static void print_line(const struct options *options, size_t offset_B, const uint32_t *words, unsigned count_dw,
                       const char *text)
{
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

/* Returns how many places could not be decoded. */
static size_t print_code(const struct options *options, const char *path, const uint32_t *words, size_t count_dw)
{
    char text[ISA_MAX_TEXT];
    struct isa_inst inst;
    size_t errors = 0;
    for (size_t at = 0; at < count_dw;) {
        int size_dw = amd_isa_decode(options->gfx, words + at, count_dw - at, &inst);
        if (size_dw > 0) {
            amd_isa_print(options->gfx, options->wave_size, &inst, text);
            print_line(options, at * 4, words + at, (unsigned)size_dw, text);
            at += (size_t)size_dw;
            continue;
        }
        if (errors++ < MAX_MESSAGES) {
            tool_error(&tool_dis, "%s: byte offset 0x%zx: %s 0x%08" PRIx32, path, at * 4,
                       size_dw == ISA_ERROR_TRUNCATED ? "the file ends inside the instruction" : "no such instruction",
                       words[at]);
        }
        snprintf(text, sizeof(text), ".long 0x%08" PRIx32, words[at]);
        print_line(options, at * 4, words + at, 1, text);
        at++;
    }
    if (errors > MAX_MESSAGES)
        tool_error(&tool_dis, "%s: %zu more like these", path, errors - MAX_MESSAGES);
    return errors;
}

static int run(int argc, char **argv)
{
    struct options options = {.gfx = ISA_GFX10_3, .wave_size = 32};
    const char *path;
    int result = tool_options(&tool_dis, argc, argv, long_options, set_option, &options, &path);
    if (result != TOOL_OK)
        return result;

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
    /* Machine code is little-endian, as are the machines that this runs on. */
    bool good = print_code(&options, path, (const uint32_t *)data, size_B / 4) == 0;
    if (size_B % 4) {
        tool_error(&tool_dis, "%s: byte offset 0x%zx: %zu bytes left, less than a dword", path, size_B & ~(size_t)3,
                   size_B % 4);
        good = false;
    }
    free(data);
    result = tool_finish_output(&tool_dis);
    return good ? result : TOOL_FAILED;
}

const struct tool_command tool_dis = {
    .name = "dis",
    .summary = "disassemble AMD machine code",
    .usage = "usage: tuff dis [--gpu NAME] [--wave 32|64] [--offset] [--hex] FILE\n"
             "\n"
             "Prints the raw machine code of FILE (\"-\" is standard input) as LLVM's assembler writes it, one "
             "instruction a line.\n"
             "A dword that is no instruction is printed as .long, reported with its byte offset, and makes the exit "
             "code 1.\n"
             "\n"
             "  --gpu NAME    a model, or a GPU by LLVM's name, as far as its generation's table goes\n"
             "  --wave SIZE   lanes of a wave: how lane masks are written (default 32)\n"
             "  --offset      begin each line with the byte offset\n"
             "  --hex         print the words of each instruction in front of it\n",
    .run = run,
    .lists_models = true,
};
