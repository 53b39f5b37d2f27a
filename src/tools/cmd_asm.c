/* `tuff asm`: text of shader instructions to words. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/hw/chip.h"
#include "adreno/isa/isa.h"
#include "amd/isa/asm.h"
#include "kernel/model.h"
#include "mali/hw/chip.h"
#include "mali/isa/isa.h"
#include "tools/tool.h"
#include "util/bits.h"
#include "util/file.h"

struct options {
    const char *gpu;
    const char *wave;
    const char *output;
    const char *input;
    bool lines;
};

static int print_errors(const char *path, const struct isa_asm_result *result)
{
    unsigned shown = result->error_count < ISA_ASM_MAX_ERRORS ? result->error_count : ISA_ASM_MAX_ERRORS;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    for (unsigned i = 0; i < shown; i++)
        tool_error(&tool_asm, "%s:%u:%u: %s", name, result->errors[i].line, result->errors[i].column,
                   result->errors[i].message);
    if (result->error_count > shown)
        tool_error(&tool_asm, "%s: %u more errors", name, result->error_count - shown);
    return TOOL_FAILED;
}

static int write_words(const char *path, const uint32_t *words, uint32_t count_dw)
{
    FILE *file = path ? fopen(path, "wb") : stdout;
    if (!file) {
        tool_error(&tool_asm, "%s: %s", path, strerror(errno));
        return TOOL_FAILED;
    }
    bool ok = true;
    for (uint32_t i = 0; i < count_dw && ok; i++) {
        uint32_t word = words[i];
        const unsigned char bytes[4] = {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff, word >> 24};
        ok = fwrite(bytes, sizeof(bytes), 1, file) == 1;
    }
    if (!path)
        return tool_finish_output(&tool_asm);
    ok = fclose(file) == 0 && ok;
    if (!ok)
        tool_error(&tool_asm, "%s: cannot write the output: %s", path, strerror(errno));
    return ok ? TOOL_OK : TOOL_FAILED;
}

/* Every line is assembled on its own: prints its words in hexadecimal, or its error. */
static int print_lines(enum isa_gfx gfx, unsigned wave_size, const char *text, size_t size_B)
{
    int status = TOOL_OK;
    for (const char *line = text, *end = text + size_B; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        struct isa_asm_result result;
        if (amd_isa_assemble(gfx, wave_size, line, length, &result)) {
            for (uint32_t i = 0; i < result.count_dw; i++)
                printf("%s%08x", i ? " " : "", result.words[i]);
        } else {
            printf("error: %u: %s", result.errors[0].column, result.errors[0].message);
            status = TOOL_FAILED;
        }
        putchar('\n');
        amd_isa_asm_finish(&result);
        line += length + 1;
    }
    int written = tool_finish_output(&tool_asm);
    return written != TOOL_OK ? written : status;
}

static bool find_radeon(const char *gpu, unsigned *generation_out)
{
    enum isa_gfx gfx = 0;
    bool is_found = amd_isa_gfx_from_name(gpu, &gfx);
    *generation_out = gfx;
    return is_found;
}

static int assemble_radeon(const struct options *options, unsigned generation, char *text, size_t size_B)
{
    unsigned wave_size = strcmp(options->wave, "64") == 0 ? 64 : 32;
    if (options->lines)
        return print_lines((enum isa_gfx)generation, wave_size, text, size_B);
    struct isa_asm_result result;
    bool ok = amd_isa_assemble((enum isa_gfx)generation, wave_size, text, size_B, &result);
    int status =
        ok ? write_words(options->output, result.words, result.count_dw) : print_errors(options->input, &result);
    amd_isa_asm_finish(&result);
    return status;
}

/* ---- families whose instructions are words of 64 bits ---- */

typedef int (*assemble_line_fn)(const char *text, uint64_t *word_out);
typedef int (*assemble_fn)(const char *source, uint64_t *words_out, unsigned capacity, unsigned *line_out);

static int print_words(char *text, assemble_line_fn assemble_line)
{
    int status = TOOL_OK;
    for (char *line = text, *next; *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        line[length] = '\0';
        uint64_t word;
        if (assemble_line(line, &word) == 0) {
            printf("%016llx\n", (unsigned long long)word);
        } else {
            printf("error: no such instruction\n");
            status = TOOL_FAILED;
        }
    }
    int written = tool_finish_output(&tool_asm);
    return written != TOOL_OK ? written : status;
}

static int assemble_words(const struct options *options, char *text, assemble_line_fn assemble_line,
                          assemble_fn assemble)
{
    if (options->lines)
        return print_words(text, assemble_line);
    unsigned line;
    int count = assemble(text, NULL, 0, &line);
    uint64_t *words = count > 0 ? malloc((size_t)count * sizeof(*words)) : NULL;
    if (count > 0 && words) {
        assemble(text, words, (unsigned)count, &line);
        int status = write_words(options->output, (const uint32_t *)words, (uint32_t)count * 2);
        free(words);
        return status;
    }
    if (count < 0)
        tool_error(&tool_asm, "%s:%u: no such instruction or label", options->input, line);
    else
        tool_error(&tool_asm, "%s: there is no instruction", options->input);
    return TOOL_FAILED;
}

static int assemble_adreno(const struct options *options, unsigned generation, char *text, size_t size_B)
{
    return assemble_words(options, text, adreno_isa_assemble_line, adreno_isa_assemble);
}

static bool find_adreno(const char *gpu, unsigned *generation_out)
{
    *generation_out = 0;
    return adreno_chip_find(gpu) != NULL;
}

static int assemble_mali(const struct options *options, unsigned generation, char *text, size_t size_B)
{
    return assemble_words(options, text, mali_isa_assemble_line, mali_isa_assemble);
}

static bool find_mali(const char *gpu, unsigned *generation_out)
{
    *generation_out = 0;
    return mali_chip_find(gpu) != NULL;
}

/* ---- the families ---- */

/* How a family assembles. `text` ends with a NUL and may be changed. */
static const struct asm_family {
    bool (*find)(const char *gpu, unsigned *generation_out);
    int (*assemble)(const struct options *options, unsigned generation, char *text, size_t size_B);
} families[] = {
    {find_radeon, assemble_radeon},
    {find_adreno, assemble_adreno},
    {find_mali, assemble_mali},
};

static const struct asm_family *family_of(const char *gpu, unsigned *generation_out)
{
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        if (families[i].find(gpu, generation_out))
            return &families[i];
    }
    return NULL;
}

static const char *value_or(const char *value, const char *otherwise)
{
    return value ? value : otherwise;
}

int tool_asm_run(const struct tool_line *line)
{
    const struct options options = {
        .gpu = value_or(line->values[TOOL_ASM_GPU], kernel_model_row(0)->name),
        .wave = value_or(line->values[TOOL_ASM_WAVE], "32"),
        .output = line->values[TOOL_ASM_O],
        .input = line->operands[0],
        .lines = line->values[TOOL_ASM_LINES] != NULL,
    };
    unsigned generation;
    const struct asm_family *family = family_of(options.gpu, &generation);
    if (!family)
        return tool_bad_gpu(&tool_asm, options.gpu);
    char *text;
    size_t size_B;
    int error = file_read(options.input, &text, &size_B);
    if (error) {
        tool_error(&tool_asm, "%s: %s", options.input, strerror(-error));
        return TOOL_FAILED;
    }
    int status = family->assemble(&options, generation, text, size_B);
    free(text);
    return status;
}
