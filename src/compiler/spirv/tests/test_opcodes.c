/* The instructions of shaders/opcodes.spvasm, which GLSL does not reach. */
#include "spirv_test.h"

static void results(void **state)
{
    (void)state;
    /* Bytes 1, -2, 3, 100 and 5, 6, -7, 8; then 1, and numbers to point at. */
    int32_t in[16] = {0x6403fe01, 0x08f90605, 1, 333, 444, 555}, out[64] = {0};
    const int32_t a[] = {1, -2, 3, 100}, b[] = {5, 6, -7, 8};
    int32_t signed_dot = 0, unsigned_dot = 0, mixed_dot = 0;
    for (int i = 0; i < 4; i++) {
        signed_dot += a[i] * b[i];
        unsigned_dot += (a[i] & 255) * (b[i] & 255);
        mixed_dot += a[i] * (b[i] & 255);
    }
    int32_t halves = (int16_t)in[0] * (int16_t)in[1] + (in[0] >> 16) * (in[1] >> 16);
    const int32_t expected[] = {
        signed_dot,
        unsigned_dot,
        mixed_dot,
        INT32_MAX,
        signed_dot,
        halves,
        (int16_t)signed_dot, /* dot products */
        in[0],
        1,
        5,
        9,
        2,
        444,
        7, /* pointers */
        7,
        1, /* copies */
        2,
        21, /* components and products */
        1,
        in[0],
        1, /* lanes */
        6, /* expected */
    };
    struct ir_interpret_buffer buffers[] = {{.data = in, .size_B = sizeof(in)}, {.data = out, .size_B = sizeof(out)}};
    run_compute("opcodes", buffers, 2);
    for (uint32_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (out[i] != expected[i])
            fail_msg("value %u is %d instead of %d", i, out[i], expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
