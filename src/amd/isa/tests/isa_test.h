/* The shared part of this room's tests: words to text and back, with the generation named. */
#ifndef AMD_ISA_TESTS_ISA_TEST_H
#define AMD_ISA_TESTS_ISA_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amd/isa/isa.h"

struct code {
    uint32_t words[ISA_MAX_DW];
    unsigned count_dw;
};

#define CODE(...)                                                                                                      \
    (struct code)                                                                                                      \
    {                                                                                                                  \
        {__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4                                                           \
    }

static inline struct isa_inst decoded(enum isa_gfx gfx, struct code code)
{
    struct isa_inst inst;
    assert_int_equal(amd_isa_decode(gfx, code.words, code.count_dw, &inst), code.count_dw);
    assert_int_equal(inst.size_dw, code.count_dw);
    return inst;
}

/* The words print as the text, for the wave size, and encode to themselves. */
static inline void assert_text(enum isa_gfx gfx, unsigned wave_size, struct code code, const char *expected)
{
    char text[ISA_MAX_TEXT];
    uint32_t words[ISA_MAX_DW];
    const char *what = "";
    struct isa_inst inst = decoded(gfx, code);
    assert_int_equal(amd_isa_print(gfx, wave_size, &inst, text), strlen(expected));
    assert_string_equal(text, expected);
    int size_dw = amd_isa_encode(gfx, &inst, words, &what);
    assert_string_equal(size_dw < 0 ? what : "", "");
    assert_int_equal(size_dw, code.count_dw);
    assert_memory_equal(words, code.words, code.count_dw * 4);
}

static inline void assert_refused(enum isa_gfx gfx, struct code code, int error)
{
    struct isa_inst inst;
    assert_int_equal(amd_isa_decode(gfx, code.words, code.count_dw, &inst), error);
}

#endif
