/* Cells that joined programs make (frag_join_output.c) are those that BLEND makes pixel by pixel (frag_blend.c): any
 * equation and mask of channels in every format of the tile buffer, from colours that are numbers, edges and NaN. So
 * are registers that LD_TILE fills. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/lane_env.h"
#include "mali/hw/enums.h"
#include "mali/model/frag/frag_join.h"
#include "mali/model/frag/tests/rig.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define ROUNDS 400 /* of each format */
#define FORMATS                                                                                                        \
    X(R8G8B8A8, 237)                                                                                                   \
    X(R10G10B10A2, 238)                                                                                                \
    X(R8G8B8A2, 241)                                                                                                   \
    X(R8G8B8A2, 242)                                                                                                   \
    X(R4G4B4A4, 232)                                                                                                   \
    X(R4G4B4A4, 233)                                                                                                   \
    X(R5G6B5A0, 226)                                                                                                   \
    X(R5G6B5A0, 227)                                                                                                   \
    X(R5G5B5A1, 224)                                                                                                   \
    X(R5G5B5A1, 225)                                                                                                   \
    X(R16F, 199)                                                                                                       \
    X(RG16F, 207)                                                                                                      \
    X(RGBA16F, 223)                                                                                                    \
    X(RG11F_B10F, 89)                                                                                                  \
    X(RAW8, RAW)                                                                                                       \
    X(RAW16, RAW)                                                                                                      \
    X(RAW32, RAW)                                                                                                      \
    X(RAW64, RAW)                                                                                                      \
    X(RAW128, RAW)
#define RAW 0x400 /* as bit 22 of the word */

/* The program's inputs and outputs. */
struct frame {
    uint32_t exec[MALI_ROW_LANES];
    uint32_t colour[4][MALI_ROW_LANES];
    uint32_t stored[4][MALI_ROW_LANES];
    uint32_t codes[4][MALI_ROW_LANES];
} __attribute__((aligned(64)));

static struct frame frame;
static struct lane_program program;
static struct jit *jit;
static struct frag_fb fb;
static struct frag_worker *worker;
static struct frag_draw draw;
static uint8_t cells[MALI_ROW_LANES][FRAG_CELL_B];
static unsigned read_count, made_count;
static uint64_t seed = 1;

static uint32_t random32(void)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 32);
}

static uint32_t random_colour(void)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x3f800000, 0x3f7fffff,
                                     0x3f800001, 0x7f800000, 0xff800000, 0x7fc00000, 0x38800000,
                                     0x33800000, 0xbf800000, 0x477fe000, 0x47800000};
    switch (random32() % 4) {
    case 0:
        return edges[random32() % ARRAY_SIZE(edges)];
    case 1: /* near the ties between codes */
        return float_bits(((float)(random32() % 1024) + 0.5f) / (float)((1u << (1 + random32() % 10)) - 1));
    default:
        return float_bits((float)random32() * 0x1p-32f);
    }
}

/* Half of the equations are the usual ones. */
static struct mali_desc_BLEND random_equation(void)
{
    struct mali_desc_BLEND d = random32() % 4 == 0 ? rig_opaque() : rig_by_alpha();
    if (random32() % 2) {
        d.RGB_A = 1 + random32() % 3;
        d.RGB_B = random32() % 4;
        d.RGB_C = 1 + random32() % 7;
        d.RGB_NEGATE_A = random32() & 1;
        d.RGB_NEGATE_B = random32() & 1;
        d.RGB_INVERT_C = random32() & 1;
        d.ALPHA_A = 1 + random32() % 3;
        d.ALPHA_B = random32() % 4;
        d.ALPHA_C = 1 + random32() % 7;
        d.ALPHA_INVERT_C = random32() & 1;
        d.CONSTANT = random32() & 0xffff;
    }
    d.COLOR_MASK = random32() % 2 ? 15 : 1 + random32() % 15;
    d.ALPHA_TO_ONE = random32() % 8 == 0;
    return d;
}

static void fill_tile(unsigned cell_B)
{
    memset(frame.stored, 0, sizeof(frame.stored));
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        frame.exec[i] = UINT32_MAX;
        for (unsigned c = 0; c < 4; c++) {
            const uint32_t word = random32();
            frame.colour[c][i] = random_colour();
            memcpy(cells[i] + 4 * c, &word, 4);
        }
        for (unsigned k = 0; k < cell_B; k++)
            frame.stored[k / 4][i] |= (uint32_t)cells[i][k] << 8 * (k % 4);
    }
}

static jit_value row_of(const void *at)
{
    return lane_program_emit(&program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                             (uint32_t)((const char *)at - (const char *)&frame));
}

static void begin_program(void)
{
    program.mode = lane_mode_complete((struct lane_mode){
        .keep_in_f32 = UINT32_MAX, .keep_out_f32 = UINT32_MAX, .keep_in_f16 = UINT32_MAX, .keep_out_f16 = UINT32_MAX});
    program.count = 0;
    program.failed = false;
}

static void store_codes(const jit_value codes[4])
{
    for (unsigned k = 0; k < 4; k++) {
        if (codes[k] != JIT_NONE)
            lane_program_emit(&program, JIT_STORE, codes[k], JIT_NONE, JIT_NONE,
                              (uint32_t)offsetof(struct frame, codes[k]));
    }
}

static void finish_program(void)
{
    const struct jit_frame shape = {MALI_ROW_LANES, offsetof(struct frame, exec), sizeof(frame)};
    assert_false(program.failed);
    jit_reset(jit);
    const jit_code code = jit_compile(jit, program.insts, program.count, &shape, true);
    assert_non_null(code);
    const uint64_t host = lane_env_get();
    lane_env_set(lane_env_of(&program.mode, LANE_FP_F32));
    code(&frame);
    lane_env_set(host);
}

static void run_program(struct frag_join_output *output)
{
    jit_value stored[4], codes[4];
    begin_program();
    for (unsigned k = 0; k < 4; k++) {
        output->colour[k] = row_of(frame.colour[k]);
        stored[k] = output->is_read && 4 * k < output->cell_B ? row_of(frame.stored[k]) : JIT_NONE;
    }
    mali_frag_make_codes(worker, output, &program, stored, codes);
    store_codes(codes);
    finish_program();
}

/* LD_TILE of the cells that are stored; how many registers. */
static unsigned run_load(const struct frag_conversion *conversion, enum mali_regfmt format, unsigned components)
{
    jit_value stored[4], registers[4];
    begin_program();
    for (unsigned k = 0; k < 4; k++)
        stored[k] = 4 * k < conversion->cell_B ? row_of(frame.stored[k]) : lane_program_const(&program, 0);
    const unsigned count = mali_frag_make_registers(&program, conversion, format, components, stored, registers);
    for (unsigned k = count; k < 4; k++)
        registers[k] = JIT_NONE;
    store_codes(registers);
    if (count)
        finish_program();
    return count;
}

/* Which NaN is not said: this says where floats have one, as bits of a word of the cell. */
static uint32_t nan_bits(const struct frag_target *target, uint32_t word)
{
    static const uint8_t halves[] = {0, 16, 16, 16, 32}, small[] = {0, 11, 11, 11, 22, 10, 32};
    const bool is_small = target->internal == MALI_INTERNAL_FORMAT_RG11F_B10F;
    const uint8_t *fields = is_small ? small : halves;
    uint32_t bits = 0;
    for (unsigned i = 0; target->is_float && fields[i] < 32; i += 2) {
        const unsigned size = fields[i + 1], fraction = is_small ? size - 5 : 10;
        const uint32_t field = word >> fields[i] & ((1u << size) - 1) & (is_small ? UINT32_MAX : 0x7fff);
        if (field > 31u << fraction)
            bits |= ((1u << size) - 1) << fields[i];
    }
    return bits;
}

static void expect_cells(const struct frag_target *target, unsigned round)
{
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        uint32_t expected[4] = {0};
        memcpy(expected, cells[i], target->cell_B);
        for (unsigned k = 0; 4 * k < target->cell_B; k++) {
            const uint32_t own = target->cell_B < 4 ? (1u << 8 * target->cell_B) - 1 : UINT32_MAX;
            const uint32_t made = frame.codes[k][i] & own;
            const uint32_t counts = ~(nan_bits(target, made) & nan_bits(target, expected[k]));
            if ((made ^ expected[k]) & counts)
                fail_msg("round %u, internal format %u, lane %u, word %u: %08x, and pixel by pixel %08x; before %08x, "
                         "colours %08x %08x %08x %08x",
                         round, target->internal, i, k, made, expected[k], frame.stored[k][i], frame.colour[0][i],
                         frame.colour[1][i], frame.colour[2][i], frame.colour[3][i]);
        }
    }
}

static void make_target(struct frag_target *target, unsigned internal)
{
    *target = (struct frag_target){.internal = (uint8_t)internal, .channels = mali_frag_channels(internal)};
    target->is_float = mali_frag_floats(internal, &target->pixel);
    target->cell_B = target->is_float   ? target->pixel.size_B
                     : target->channels ? 4
                                        : (uint8_t)(1u << (internal - MALI_INTERNAL_FORMAT_RAW8));
}

static void one(struct rig *rig, unsigned internal, uint32_t number, unsigned round)
{
    struct frag_target *target = &fb.targets[0];
    struct frag_join_output output = {.request = {.regfmt = MALI_REGFMT_F32, .components = 4}};
    const uint32_t word = number == RAW ? 1u << 22 : mali_pixel_pack((struct mali_pixel_bits){.format = number});
    struct mali_desc_BLEND d = number == RAW ? rig_opaque() : random_equation();
    if (number == RAW)
        d.COLOR_MASK = 1 + random32() % 15;
    make_target(target, internal);
    mali_frag_prepare_blend(&draw, 0, target, &d);
    assert_true(mali_frag_conversion(&rig->group.queues[0], target, word, &output.conversion));
    mali_frag_choose_output(worker, &output);
    assert_true(output.is_codes);
    read_count += output.is_read;
    made_count++;
    fill_tile(target->cell_B);
    run_program(&output);
    struct frag_span span = {.count = MALI_ROW_LANES};
    union pixel_colors colors;
    memcpy(&colors, frame.colour, sizeof(colors));
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        span.lane[i] = (uint8_t)i;
        span.cell[i] = cells[i];
    }
    assert_true(mali_frag_blend(worker, target, &draw.blends[0], &output.conversion, &span, &colors));
    expect_cells(target, round);
}

static void cells_are_the_same(void **state)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
#define X(name, number) one(*state, MALI_INTERNAL_FORMAT_##name, number, round);
        FORMATS
#undef X
    }
    assert_in_range(read_count, made_count / 2, made_count - 1);
}

/* ---- LD_TILE ---- */

static const enum mali_regfmt register_formats[] = {MALI_REGFMT_F32, MALI_REGFMT_F16, MALI_REGFMT_U32,
                                                    MALI_REGFMT_S32, MALI_REGFMT_U16, MALI_REGFMT_S16};

/* A register of the lane, from its texel. */
static uint32_t register_of(enum mali_regfmt format, const union tex_texel *texel, unsigned number)
{
    if (!mali_regfmt_is_half(format))
        return texel->u[number];
    if (format == MALI_REGFMT_F16)
        return float_to_half_rtne(texel->f[2 * number]) | (uint32_t)float_to_half_rtne(texel->f[2 * number + 1]) << 16;
    return (texel->u[2 * number] & 0xffff) | texel->u[2 * number + 1] << 16;
}

static bool is_nan_half(uint32_t half)
{
    return (half & 0x7fff) > 0x7c00;
}

/* Which NaN is not said here, either. */
static bool is_same(enum mali_regfmt format, uint32_t made, uint32_t expected)
{
    if (format == MALI_REGFMT_F16)
        return ((made & 0xffff) == (expected & 0xffff) || (is_nan_half(made) && is_nan_half(expected))) &&
               (made >> 16 == expected >> 16 || (is_nan_half(made >> 16) && is_nan_half(expected >> 16)));
    return made == expected || (fb.targets[0].is_float && isnan(bits_float(made)) && isnan(bits_float(expected)));
}

static void expect_registers(const struct frag_conversion *conversion, enum mali_regfmt format, unsigned count)
{
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        struct frag_span span = {.count = 1, .lane = {(uint8_t)i}, .cell = {cells[i]}};
        union tex_texel texel;
        mali_frag_fetch(conversion, &span, &texel);
        for (unsigned k = 0; k < count; k++) {
            const uint32_t expected = register_of(format, &texel, k);
            if (!is_same(format, frame.codes[k][i], expected))
                fail_msg("register format %u, lane %u, register %u: %08x, and pixel by pixel %08x; the cell %08x %08x",
                         format, i, k, frame.codes[k][i], expected, frame.stored[0][i], frame.stored[1][i]);
        }
    }
}

static void load_pixels(struct rig *rig, unsigned internal, uint32_t number, unsigned round)
{
    struct frag_target *target = &fb.targets[0];
    const uint32_t word = number == RAW ? 1u << 22 : mali_pixel_pack((struct mali_pixel_bits){.format = number});
    const enum mali_regfmt format = register_formats[round % ARRAY_SIZE(register_formats)];
    const unsigned components = 1 + round / 8 % 4;
    struct frag_conversion conversion;
    make_target(target, internal);
    assert_true(mali_frag_conversion(&rig->group.queues[0], target, word, &conversion));
    fill_tile(target->cell_B);
    const unsigned count = run_load(&conversion, format, components);
    assert_int_equal(count,
                     mali_regfmt_is_half(format) && components % 2 ? 0 : mali_regfmt_registers(format, components));
    expect_registers(&conversion, format, count);
}

static void loads_are_the_same(void **state)
{
    for (unsigned round = 0; round < ROUNDS / 4; round++) {
#define X(name, number) load_pixels(*state, MALI_INTERNAL_FORMAT_##name, number, round);
        FORMATS
#undef X
    }
}

/* Draws that a program cannot have: cells that differ between samples, and stops. */
static void others_are_not_joined(void **state)
{
    struct rig *rig = *state;
    struct frag_join_output output = {.request = {.regfmt = MALI_REGFMT_F32, .components = 4}};
    struct mali_desc_BLEND d = rig_by_alpha();
    fb.targets[0] = (struct frag_target){.internal = MALI_INTERNAL_FORMAT_RAW32, .cell_B = 4};
    mali_frag_prepare_blend(&draw, 0, &fb.targets[0], &d);
    assert_true(mali_frag_conversion(&rig->group.queues[0], &fb.targets[0], 1u << 22, &output.conversion));
    mali_frag_choose_output(worker, &output);
    assert_false(output.is_codes); /* fixed-function blending of a raw format */
    d = rig_opaque();
    d.COLOR_MASK = 7;
    mali_frag_prepare_blend(&draw, 0, &fb.targets[0], &d);
    mali_frag_choose_output(worker, &output);
    assert_true(output.is_codes && output.is_read);
    fb.samples = 4;
    mali_frag_choose_output(worker, &output);
    assert_false(output.is_codes || output.is_read);
}

static int setup(void **state)
{
    if (rig_setup(state) != 0)
        return -1;
    jit = jit_create();
    worker = calloc(1, sizeof(*worker));
    if (!jit || !worker)
        return -1;
    memset(&fb, 0, sizeof(fb));
    fb.samples = 1;
    fb.queue = &((struct rig *)*state)->group.queues[0];
    worker->fb = &fb;
    worker->draw = &draw;
    return 0;
}

static int teardown(void **state)
{
    free(worker);
    jit_destroy(jit);
    return rig_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cells_are_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(loads_are_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(others_are_not_joined, setup, teardown),
    };
    return host_level_runs() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
