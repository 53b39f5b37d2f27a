/* Colours of all formats with random blending, logic operations and write masks, from the registers on: as lane
 * operations of a program that is joined with its targets, in blocks and by quads, of one sample and of four, beside
 * the way of waves that are not, which is the format's codec. Bits are the same but for which NaN comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "amd/hw/regs_spi.h"
#include "amd/model/cb/cb.h"
#include "isa/lane_env.h"
#include "model/pixel/pixel_program.h"
#include "util/bits.h"
#include "util/half.h"
#include "util/tests/host_level_test.h"

#define BASE_VA 0x100000000ull
#define SIDE 64
#define SAMPLES_LOG2 2 /* of half of the targets */
#define SIZE_B (SIDE * SIDE * (16u << SAMPLES_LOG2))
#define SET(name, ...) cp_reg_set(&registers, AMD_REG_##name##_GFX10_3, AMD_PACK(AMD_GFX10_3, name, __VA_ARGS__))

struct frame {
    uint32_t exec[CB_MAX_LANES];
    uint32_t rows[2][4][CB_MAX_LANES];
    uint32_t codes[4][CB_MAX_LANES];
} __attribute__((aligned(64)));

/* One side alone is joined. */
struct side {
    struct gpu_space space;
    int fd;
    uint8_t *memory;
    struct cb_surfaces surfaces;
    struct cb_state state;
    struct cb_blocks blocks[CB_TARGETS];
    struct cb cb;
};

static struct side sides[2];
static struct cp_registers registers;
static struct lane_program program;
static struct frame frame;
static struct jit *jit;
static uint64_t seed = 3;

static uint32_t random_below(uint32_t end)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((seed >> 32) % end);
}

static uint32_t random_word(void)
{
    return random_below(0x10000) | random_below(0x10000) << 16;
}

/* ---- registers ---- */

static enum amd_EXPORT_FORMAT choose_export(enum amd_NUMBER_TYPE type)
{
    static const uint8_t floats[] = {AMD_EXPORT_FORMAT_FP16_ABGR, AMD_EXPORT_FORMAT_FP16_ABGR,
                                     AMD_EXPORT_FORMAT_32_ABGR,   AMD_EXPORT_FORMAT_UNORM16_ABGR,
                                     AMD_EXPORT_FORMAT_32_AR,     AMD_EXPORT_FORMAT_SNORM16_ABGR},
                         wide[] = {AMD_EXPORT_FORMAT_32_R, AMD_EXPORT_FORMAT_32_GR, AMD_EXPORT_FORMAT_32_ABGR};
    if (type == AMD_NUMBER_TYPE_UINT && random_below(2))
        return AMD_EXPORT_FORMAT_UINT16_ABGR;
    if (type == AMD_NUMBER_TYPE_SINT && random_below(2))
        return AMD_EXPORT_FORMAT_SINT16_ABGR;
    if (type == AMD_NUMBER_TYPE_UINT || type == AMD_NUMBER_TYPE_SINT)
        return wide[random_below(3)];
    return floats[random_below(sizeof(floats))];
}

static void set_blending(void)
{
    SET(CB_BLEND_CONTROL, .ENABLE = random_below(4) != 0, .DISABLE_ROP3 = random_below(4) != 0,
        .SEPARATE_ALPHA_BLEND = random_below(2), .COLOR_SRCBLEND = random_below(21),
        .COLOR_DESTBLEND = random_below(21), .COLOR_COMB_FCN = random_below(5), .ALPHA_SRCBLEND = random_below(21),
        .ALPHA_DESTBLEND = random_below(21), .ALPHA_COMB_FCN = random_below(5));
    SET(CB_COLOR_CONTROL, .MODE = AMD_CB_MODE_NORMAL, .ROP3 = random_below(16) * 0x11);
    cp_reg_set(&registers, AMD_REG_CB_BLEND_RED_GFX10_3, float_bits((float)random_below(100) / 80));
    cp_reg_set(&registers, AMD_REG_CB_BLEND_GREEN_GFX10_3, float_bits((float)random_below(100) / 80));
    cp_reg_set(&registers, AMD_REG_CB_BLEND_BLUE_GFX10_3, float_bits((float)random_below(100) / 80));
    cp_reg_set(&registers, AMD_REG_CB_BLEND_ALPHA_GFX10_3, float_bits((float)random_below(100) / 80));
}

static void set_registers(enum amd_COLOR_FORMAT format, enum amd_NUMBER_TYPE type, enum amd_SW_MODE swizzle)
{
    const bool is_number =
        type != AMD_NUMBER_TYPE_FLOAT && type != AMD_NUMBER_TYPE_UINT && type != AMD_NUMBER_TYPE_SINT;
    SET(CB_COLOR_INFO, .FORMAT = format, .NUMBER_TYPE = type, .COMP_SWAP = random_below(4), .BLEND_CLAMP = is_number);
    const unsigned samples_log2 = swizzle == AMD_SW_MODE_LINEAR ? 0 : random_below(2) * SAMPLES_LOG2;
    SET(CB_COLOR_ATTRIB, .FORCE_DST_ALPHA_1 = random_below(4) == 0, .NUM_SAMPLES = samples_log2,
        .NUM_FRAGMENTS = samples_log2);
    SET(CB_COLOR_ATTRIB2, .MIP0_WIDTH = SIDE - 1, .MIP0_HEIGHT = SIDE - 1);
    SET(CB_COLOR_ATTRIB3, .COLOR_SW_MODE = swizzle, .RESOURCE_TYPE = AMD_RESOURCE_TYPE_2D);
    cp_reg_set(&registers, AMD_REG_CB_COLOR_BASE_GFX10_3, (uint32_t)(BASE_VA >> 8));
    SET(SPI_SHADER_COL_FORMAT, .COL0_EXPORT_FORMAT = choose_export(type));
    SET(CB_TARGET_MASK, .TARGET0_ENABLE = random_below(2) ? 15 : 1 + random_below(15));
    SET(CB_SHADER_MASK, .OUTPUT0_ENABLE = 15);
    set_blending();
}

/* ---- both sides ---- */

static void init_side(struct side *side)
{
    const struct amd_chip chip = {.gfx = AMD_GFX10_3, .gb_addr_config = 0x444};
    assert_null(amd_cb_state_init(&side->state, &side->surfaces, &chip, &registers));
    side->cb =
        (struct cb){.state = &side->state, .memory = &side->space, .draw = side->cb.draw + 1, .blocks = side->blocks};
}

/* A number that is neither NaN nor denormal, as halves or as a word. */
static uint32_t random_half(void)
{
    static const uint16_t edges[] = {0, 0x8000, 0x3c00, 0xbc00, 0x3bff, 0x0001, 0x7bff, 0x7c00, 0xfc00};
    if (random_below(8) == 0)
        return edges[random_below(sizeof(edges) / sizeof(edges[0]))];
    return random_below(2) ? random_below(0x3c01) : (random_below(0x7c00) | random_below(2) << 15);
}

static uint32_t random_source(unsigned export_format)
{
    switch ((enum amd_EXPORT_FORMAT)export_format) {
    case AMD_EXPORT_FORMAT_FP16_ABGR:
        return random_half() | random_half() << 16;
    case AMD_EXPORT_FORMAT_UNORM16_ABGR:
    case AMD_EXPORT_FORMAT_SNORM16_ABGR:
    case AMD_EXPORT_FORMAT_UINT16_ABGR:
    case AMD_EXPORT_FORMAT_SINT16_ABGR:
        return random_word();
    default:
        return random_below(4) ? float_bits((float)random_below(3000) / 2000 - 0.25f)
                               : float_bits(half_to_float((uint16_t)random_half()));
    }
}

static void fill_memory(void)
{
    const struct cb_target *target = &sides[0].state.targets[0];
    const bool are_halves = format_info(target->format)->channels[0].numeric == FORMAT_NUMERIC_SFLOAT;
    for (uint32_t i = 0; i < SIZE_B / 4; i++) {
        const uint32_t word = are_halves ? random_half() | random_half() << 16 : random_word();
        memcpy(sides[0].memory + i * 4, &word, 4);
    }
    memcpy(sides[1].memory, sides[0].memory, SIZE_B);
    for (unsigned i = 0; i < 8 * CB_MAX_LANES; i++)
        (&frame.rows[0][0][0])[i] = random_source(target->export_format);
}

static jit_value row_at(const void *row)
{
    return lane_program_emit(&program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE,
                             (uint32_t)((const char *)row - (const char *)&frame));
}

static void run_words(const struct cb_target *target)
{
    const struct jit_frame shape = {CB_MAX_LANES, offsetof(struct frame, exec), sizeof(frame)};
    const uint32_t keep = amd_cb_keeps_denormals(target) ? UINT32_MAX : 0;
    const struct lane_mode mode = {.keep_in_f32 = keep, .keep_out_f32 = keep};
    jit_value rows[4], second[4], stored[4], made[4];
    program.mode = lane_mode_complete(mode);
    program.count = 0;
    program.failed = false;
    for (unsigned i = 0; i < 4; i++) {
        rows[i] = row_at(frame.rows[0][i]);
        second[i] = row_at(frame.rows[1][i]);
        stored[i] = row_at(frame.codes[i]);
    }
    amd_cb_lower_words(&program, target, rows, target->blending.is_dual ? second : NULL, stored, made);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(made[i] != JIT_NONE, i < cb_word_count(target));
        if (made[i] != JIT_NONE)
            lane_program_emit(&program, JIT_STORE, made[i], JIT_NONE, JIT_NONE,
                              (uint32_t)(offsetof(struct frame, codes) + i * sizeof(frame.codes[0])));
    }
    assert_false(program.failed);
    jit_reset(jit);
    const jit_code code = jit_compile(jit, program.insts, program.count, &shape, true);
    assert_non_null(code);
    const uint64_t host = lane_env_get();
    lane_env_set(lane_env_of(&program.mode, LANE_FP_F32));
    code(&frame);
    lane_env_set(host);
}

static void write_joined(struct side *side, const struct raster_quad *quads, bool is_block)
{
    const struct cb_target *target = &side->state.targets[0];
    struct cb *cb = &side->cb;
    const bool by_tile = is_block && target->samples == 1 && amd_cb_takes_blocks(target) && random_below(2);
    const struct raster_tile tile = sc_tile(0, 0);
    const unsigned b = quads->y / 8u * 8 + quads->x / 8u;
    if (by_tile && amd_cb_reaches_blocks(cb, 0, &tile, 0)) {
        assert_true(amd_cb_open_blocks(cb, 0, &tile, 0, 1ull << b, false));
        if (cb_output_blends(target->output))
            amd_cb_read_raw_block(cb, 0, b, frame.codes);
        run_words(target);
        amd_cb_write_raw_block(cb, 0, b, (const uint32_t(*)[CB_MAX_LANES])frame.codes);
        return;
    }
    for (unsigned s = 0; cb_blends_by_sample(target) && s < target->samples; s++) {
        assert_true(amd_cb_read_raw(cb, 0, s, frame.codes, quads, 16, is_block));
        run_words(target);
        amd_cb_write_sample(cb, 0, s, (const uint32_t(*)[CB_MAX_LANES])frame.codes, quads, 16, is_block);
    }
    if (cb_blends_by_sample(target))
        return;
    if (cb_output_blends(target->output))
        assert_true(amd_cb_read_raw(cb, 0, 0, frame.codes, quads, 16, is_block));
    run_words(target);
    if (target->element_B == 4)
        amd_cb_write_codes(cb, 0, frame.codes[0], quads, 16, is_block);
    else
        amd_cb_write_raw(cb, 0, (const uint32_t(*)[CB_MAX_LANES])frame.codes, quads, 16, is_block);
}

static void write_plain(struct side *side, const struct raster_quad *quads)
{
    static struct cb_exports exports;
    side->state.targets[0].output = CB_OUTPUT_ROWS;
    side->state.targets[0].is_raw = false;
    exports.valid = 3;
    memcpy(exports.rows, frame.rows, sizeof(frame.rows));
    amd_cb_write(&side->cb, &exports, quads, 16);
}

/* ---- comparing ---- */

static bool is_nan_code(const struct format_channel *channel, const uint8_t *element)
{
    uint32_t word;
    memcpy(&word, element + channel->low_bit / 32 * 4, sizeof(word));
    const uint32_t code = channel->bits == 32 ? word : word >> channel->low_bit % 32 & ((1u << channel->bits) - 1);
    if (channel->numeric == FORMAT_NUMERIC_UFLOAT)
        return code > 31u << (channel->bits - 5);
    return channel->numeric == FORMAT_NUMERIC_SFLOAT &&
           (channel->bits == 16 ? (code & 0x7fff) > 0x7c00 : (code & 0x7fffffff) > 0x7f800000);
}

static void clear_channel(const struct format_channel *channel, uint8_t *element)
{
    uint32_t word;
    memcpy(&word, element + channel->low_bit / 32 * 4, sizeof(word));
    word &= channel->bits == 32 ? 0 : ~(((1u << channel->bits) - 1) << channel->low_bit % 32);
    memcpy(element + channel->low_bit / 32 * 4, &word, sizeof(word));
}

static void print_state(uint32_t at)
{
    const struct cb_target *target = &sides[0].state.targets[0];
    const struct pixel_blend *blend = &target->blending;
    print_message("format %u, export %u, from %u%u%u%u, at %u: logic %d of %x, blending %d of %u %u %u and %u %u %u\n",
                  (unsigned)target->format, target->export_format, target->from[0], target->from[1], target->from[2],
                  target->from[3], at, target->rop, target->rop_code, target->blend, blend->color.source,
                  blend->color.destination, blend->color.function, blend->alpha.source, blend->alpha.destination,
                  blend->alpha.function);
}

static void compare_results(void)
{
    const struct format_info *info = format_info(sides[0].state.targets[0].format);
    if (!memcmp(sides[0].memory, sides[1].memory, SIZE_B))
        return;
    for (uint32_t at = 0; at + 16 <= SIZE_B; at += info->block_size_B) {
        uint8_t *a = sides[0].memory + at, *b = sides[1].memory + at;
        for (unsigned i = 0; i < info->channel_count; i++) {
            if (is_nan_code(&info->channels[i], a) && is_nan_code(&info->channels[i], b)) {
                clear_channel(&info->channels[i], a);
                clear_channel(&info->channels[i], b);
            }
        }
        if (memcmp(a, b, info->block_size_B) != 0)
            print_state(at);
        assert_memory_equal(a, b, info->block_size_B);
    }
}

static void make_quads(struct raster_quad quads[16], const struct raster_prim *prim, unsigned samples, bool is_block)
{
    const uint32_t all = (uint32_t)bits_mask(samples) * 0x01010101u;
    const uint32_t left = random_below(SIDE / 8) * 8, top = random_below(SIDE / 8) * 8;
    for (unsigned q = 0; q < 16; q++)
        quads[q] = (struct raster_quad){.prim = prim,
                                        .x = (uint16_t)(left + q % 4 * 2),
                                        .y = (uint16_t)(top + q / 4 * 2),
                                        .mask = is_block ? all : random_word() & all};
}

static bool check_result(void)
{
    const struct raster_prim prim = {.layer = 0};
    struct raster_quad quads[16];
    for (unsigned i = 0; i < 2; i++)
        init_side(&sides[i]);
    const uint8_t output = sides[0].state.targets[0].output;
    if (output != CB_OUTPUT_WORDS && output != CB_OUTPUT_MIXED)
        return false;
    for (unsigned round = 0; round < 4; round++) {
        make_quads(quads, &prim, sides[0].state.targets[0].samples, round & 1);
        fill_memory();
        write_joined(&sides[0], quads, round & 1);
        write_plain(&sides[1], quads);
        assert_true(!sides[0].cb.why && !sides[1].cb.why && !sides[0].cb.fault_va && !sides[1].cb.fault_va);
        compare_results();
    }
    return true;
}

static void test_words(void **state)
{
    unsigned count = 0;
    for (unsigned n = 0; n < 200; n++) {
        for (unsigned format = 0; format <= AMD_COLOR_FORMAT_5_9_9_9; format++) {
            const enum amd_NUMBER_TYPE type = random_below(8);
            uint8_t from[4];
            if (amd_cb_format(format, type, AMD_COMP_SWAP_STD, from) == FORMAT_UNDEFINED)
                continue;
            set_registers(format, type, random_below(2) ? AMD_SW_MODE_64KB_R_X : AMD_SW_MODE_LINEAR);
            count += check_result();
        }
    }
    assert_in_range(count, 500, 200 * 32);
}

/* ---- */

static int begin_test(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &sides[i];
        side->fd = memfd_create("colors", MFD_CLOEXEC);
        if (side->fd < 0 || ftruncate(side->fd, SIZE_B) != 0 ||
            gpu_space_init(&side->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1) != 0 ||
            gpu_space_map_file(&side->space, BASE_VA, SIZE_B, side->fd, 0, GPU_PERM_READ | GPU_PERM_WRITE) != 0)
            return -1;
        side->memory = mmap(NULL, SIZE_B, PROT_READ | PROT_WRITE, MAP_SHARED, side->fd, 0);
    }
    memset(frame.exec, 0xff, sizeof(frame.exec));
    jit = jit_create();
    return jit ? 0 : -1;
}

static int end_test(void **state)
{
    jit_destroy(jit);
    for (unsigned i = 0; i < 2; i++) {
        munmap(sides[i].memory, SIZE_B);
        gpu_space_finish(&sides[i].space);
        close(sides[i].fd);
    }
    return 0;
}

int main(void)
{
    if (!host_level_runs())
        return 0;
    if (!JIT_HOST) {
        printf("1..0 # SKIP no code is made for " HOST_LEVEL "\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, begin_test, end_test);
}
