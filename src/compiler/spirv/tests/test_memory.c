/* Where things lie: buffers of every layout, physical addresses, push constants, workgroup memory and variables. In the
 * shader's world every float is the number of its word, so that the value read says which word it was. */
#include "spirv_test.h"

#include "util/half.h"

#define WORDS 512

static float world[7][WORDS];
static float nodes[3][16];
static float out[WORDS];
static uint8_t narrow[64];

static void fill_memory(void)
{
    for (uint32_t b = 0; b < 7; b++)
        for (uint32_t i = 0; i < WORDS; i++)
            world[b][i] = (float)i;
    static const int32_t index[8] = {1, 2};
    memcpy(world[5], index, sizeof(index));
    for (uint32_t i = 0; i < 64; i++)
        narrow[i] = (uint8_t)i;
    uint16_t half = float_to_half_rtne(2.5f);
    double wide = 0.375;
    uint64_t word = 123456;
    memcpy(narrow + 14, &half, 2);
    memcpy(narrow + 16, &word, 8);
    memcpy(narrow + 24, &wide, 8);
}

/* Nodes lie at 0x10000, 0x20000, 0x30000. */
static uint64_t node_va(uint32_t i)
{
    return 0x10000ull * (i + 1);
}

static void run_program(void)
{
    uint32_t push[32] = {0};
    struct ir_interpret_buffer buffers[12] = {0};
    uint32_t count = 0;
    fill_memory();
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 16; k++)
            nodes[i][k] = (float)(1000 * (i + 1) + k);
        uint64_t next = node_va((i + 1) % 3);
        memcpy(&nodes[i][4], &next, 8);
        buffers[count++] = (struct ir_interpret_buffer){
            .is_global = true, .address = node_va(i), .data = nodes[i], .size_B = sizeof(nodes[i])};
    }
    for (uint32_t i = 0; i < 32; i++) {
        float x = (float)i;
        memcpy(&push[i], &x, 4);
    }
    uint64_t head = node_va(0);
    memcpy(&push[8], &head, 8); /* after the vec3 at 16 */
    for (uint32_t b = 0; b < 6; b++)
        buffers[count++] = (struct ir_interpret_buffer){.binding = b, .data = world[b], .size_B = sizeof(world[b])};
    buffers[count - 3] = (struct ir_interpret_buffer){.binding = 3, .data = out, .size_B = sizeof(out)};
    buffers[count - 2] = (struct ir_interpret_buffer){.binding = 4, .data = narrow, .size_B = sizeof(narrow)};
    for (uint32_t i = 0; i < 3; i++)
        buffers[count++] =
            (struct ir_interpret_buffer){.binding = 6, .index = i, .data = world[6] + 100 * i, .size_B = 400 - 4 * i};
    struct spirv_options options = {.stage = IR_STAGE_compute};
    struct ir_shader *shader = translate_words("layouts", &options);
    struct ir_interpret_options how = {.num_workgroups = {1, 1, 1},
                                       .push = push,
                                       .push_size_B = sizeof(push),
                                       .buffers = buffers,
                                       .num_buffers = count};
    struct ir_interpret_result result = run_shader(shader, &how);
    ir_interpret_finish(&result);
    assert_int_equal(shader->push_size_B, 72);
    ir_shader_destroy(shader);
}

static void reads(void **state)
{
    static const float expected[] = {
        /* std140: a, b, c */
        0,
        4,
        5,
        6,
        8,
        9,
        10,
        12,
        13,
        14,
        16,
        17,
        18,
        /* the columns of a row-major matrix; elements 16 bytes apart */
        20,
        24,
        28,
        32,
        21,
        25,
        29,
        33,
        36,
        44,
        /* two structs of 80 bytes */
        48,
        49,
        50,
        51,
        52,
        53,
        54,
        56,
        57,
        58,
        60,
        61,
        62,
        64,
        65,
        66,
        68,
        69,
        70,
        71,
        72,
        73,
        74,
        76,
        77,
        78,
        80,
        81,
        82,
        84,
        85,
        86,
        88,
        92,
        98,
        102,
        29,
        104,
        105,
        17,
        /* std430 */
        0,
        4,
        5,
        6,
        8,
        9,
        10,
        12,
        13,
        14,
        16,
        17,
        18,
        21,
        23,
        25,
        27,
        30,
        70,
        106,
        112,
        113,
        114,
        115,
        118,
        119,
        101,
        /* scalar */
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        29,
        30,
        31,
        32,
        33,
        34,
        35,
        36,
        37,
        38,
        39,
        40,
        41,
        42,
        43,
        44,
        51,
        52,
        53,
        155,
        /* an array of buffers; push constants; physical addresses */
        202,
        98,
        4,
        5,
        6,
        16,
        17,
        12,
        1000,
        1001,
        1002,
        1003,
        2001,
        2007,
        3000,
        3001,
        3002,
        3003,
        /* narrow and wide */
        1,
        0x0d0c,
        2.5f,
        123456,
        0.375f,
        35,
        /* workgroup memory */
        2,
        30,
        300,
        -1,
        -1,
        1,
        4,
        7,
        2,
        5,
        8,
        3,
        60,
        9,
        1,
        /* variables */
        81,
        49,
        -1,
        60,
        30,
        40,
        6,
        10,
        11,
        12,
        11,
        7,
    };
    (void)state;
    run_program();
    for (uint32_t i = 0; i < ARRAY_SIZE(expected); i++)
        if (out[i] != expected[i])
            fail_msg("value %u is %g instead of %g", i, (double)out[i], (double)expected[i]);
}

static void writes(void **state)
{
    static const struct {
        uint32_t buffer, word;
        float value;
    } expected[] = {
        {1, 21, -1}, {1, 23, -2},  {1, 25, -3},   {1, 27, -4},  {1, 56, -5}, {1, 57, -6}, {1, 58, -7}, {1, 60, -8},
        {1, 61, -9}, {1, 62, -10}, {1, 101, -11}, {2, 49, -12}, {1, 52, 64}, {1, 53, 66}, {1, 54, 68},
    };
    (void)state;
    run_program();
    for (uint32_t b = 1; b < 3; b++)
        for (uint32_t i = 0; i < WORDS; i++) {
            float want = (float)i;
            for (uint32_t k = 0; k < ARRAY_SIZE(expected); k++)
                if (expected[k].buffer == b && expected[k].word == i)
                    want = expected[k].value;
            if (world[b][i] != want)
                fail_msg("word %u of buffer %u is %g instead of %g", i, b, (double)world[b][i], (double)want);
        }
    uint16_t half;
    uint64_t word;
    memcpy(&half, narrow + 10, 2);
    memcpy(&word, narrow + 16, 8);
    assert_int_equal(narrow[2], 200);
    assert_int_equal(narrow[3], 3);
    assert_int_equal(half, 60000);
    assert_int_equal(word, 0x123456789abcdef0ull);
    assert_int_equal(narrow[34], 0xfb);
    assert_true(nodes[2][3] == -13 && nodes[1][8] == -14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(writes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
