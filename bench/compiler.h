/* A family's compiler on the corpus of tests/shaders, for compiler.py. What is the same for all of them: */
#ifndef BENCH_COMPILER_H
#define BENCH_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_compiler {
    const char *name;
    /* From SPIR-V to code: words of 64 bits that the caller frees. False with a reason. */
    bool (*compile)(const uint32_t *spirv, size_t size_B, uint64_t **words_out, uint32_t *count_out,
                    char error_out[256]);
    /* Lines of assembly, as Mesa's driver gives them, to words: how many, or less than zero with the line. */
    int (*assemble)(const char *text, uint64_t *words_out, unsigned capacity, unsigned *line_out);
    /* Prints " NAME VALUE" for each figure of the code. */
    void (*print_figures)(const uint64_t *words, uint32_t count);
};

/* --code LIST DIRECTORY: writes the code of each compute shader of LIST, NAME.code
 * --time LIST ROUNDS: prints the best time from SPIR-V to code, in microseconds of the thread's processor time
 * --figures FILE...: figures of code: words (FILE.code), or lines of assembly */
int bench_compiler_main(int argc, char **argv, const struct bench_compiler *compiler);

#endif
