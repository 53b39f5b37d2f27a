/* Control flow: each program of shaders/control_programs.h gives in the interpreter what it gives as C. */
#include "spirv_test.h"

#include "control_list.h"

typedef uint32_t uint;
#define ARRAY(type, name, n) type name[n]
#define int(x) ((int)(x))
#define OUT_CALL(f, a, b, q, r) f(a, b, &q, &r)

static void divide(uint a, uint b, uint *quotient, uint *remainder)
{
    *remainder = a % b;
    if (b == 9u) {
        *quotient = 1u;
        return;
    }
    *quotient = a / b;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wparentheses"
#include "shaders/control_programs.h"
#pragma GCC diagnostic pop

#define ROW(name) {#name, p_##name},
static const struct {
    const char *name;
    uint (*function)(uint x);
} programs[] = {CONTROL_PROGRAMS(ROW)};

#define LANES 64

static void every_program_is_what_it_is_in_c(const char *module)
{
    uint32_t in[LANES], out[LANES * ARRAY_SIZE(programs)] = {0};
    for (uint32_t i = 0; i < LANES; i++)
        in[i] = i;
    struct ir_interpret_buffer buffers[] = {{.data = in, .size_B = sizeof(in)}, {.data = out, .size_B = sizeof(out)}};
    run_compute(module, buffers, 2);
    for (uint32_t p = 0; p < ARRAY_SIZE(programs); p++)
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t expected = programs[p].function(i), got = out[i * ARRAY_SIZE(programs) + p];
            if (got != expected)
                fail_msg("%s(%u) is %u instead of %u", programs[p].name, i, got, expected);
        }
}

static void plain(void **state)
{
    (void)state;
    every_program_is_what_it_is_in_c("control");
}

/* Programs after spirv-opt: other block orders, phis instead of variables, returns merged. */
static void optimised(void **state)
{
    (void)state;
    every_program_is_what_it_is_in_c("control_opt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain), cmocka_unit_test(optimised)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
