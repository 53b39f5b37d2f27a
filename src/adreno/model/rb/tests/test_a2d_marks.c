/* Fills, copies and averages of surfaces with flags, whose macrotiles may be marked, beside the same of surfaces that
 * have none (ubwc/ubwc.h): what is read is the same after any of them. */
#include "adreno/model/rb/tests/rig.h"

#define PIXELS_X 256u
#define PIXELS_Y 128u
#define RGBA8 48u /* FMT6_8_8_8_8_UNORM */
#define SURFACES 2u
#define SURFACE_B (PIXELS_X * PIXELS_Y * 16u)
#define FLAGS_B (64u * PIXELS_Y)
#define LINEAR_AT (2 * SURFACES * (SURFACE_B + FLAGS_B)) /* random data; then what is read of both, and averages */
#define READ_AT (LINEAR_AT + SURFACE_B)

/* Surface `number` of those with flags, or of those without. */
struct surface {
    unsigned number;
    bool has_flags;
};

static uint32_t flags_at(struct surface surface)
{
    return (surface.number * 2 + surface.has_flags) * (SURFACE_B + FLAGS_B);
}

static uint32_t pitch_of(unsigned samples_log2)
{
    return PIXELS_X * 4 << samples_log2;
}

static void set_tiled_destination(struct rig *rig, struct surface to, unsigned samples_log2)
{
    SET(rig, RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = RGBA8, .COLOR_SWAP = ADRENO_COLOR_SWAP_WZYX,
        .TILE_MODE = ADRENO_TILE_MODE_TILE6_3, .FLAGS = to.has_flags, .SAMPLES = samples_log2);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + flags_at(to) + FLAGS_B);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_FLAG_BUFFER_BASE, MEMORY_VA + flags_at(to));
    SET(rig, RB_A2D_DEST_FLAG_BUFFER_PITCH, .PITCH = 64);
    SET(rig, RB_A2D_DEST_BUFFER_PITCH, .VALUE = pitch_of(samples_log2));
}

static void set_linear_destination(struct rig *rig, uint32_t at, unsigned samples_log2)
{
    SET(rig, RB_A2D_DEST_BUFFER_INFO, .COLOR_FORMAT = RGBA8, .COLOR_SWAP = ADRENO_COLOR_SWAP_WZYX,
        .SAMPLES = samples_log2);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + at);
    SET(rig, RB_A2D_DEST_BUFFER_PITCH, .VALUE = pitch_of(samples_log2));
}

/* NULL: the random data. */
static void set_source(struct rig *rig, const struct surface *from, unsigned samples_log2, bool is_averaged)
{
    SET(rig, TPL1_A2D_SRC_TEXTURE_INFO, .COLOR_FORMAT = RGBA8, .COLOR_SWAP = ADRENO_COLOR_SWAP_WZYX,
        .TILE_MODE = from ? ADRENO_TILE_MODE_TILE6_3 : ADRENO_TILE_MODE_LINEAR, .FLAGS = from && from->has_flags,
        .SAMPLES = samples_log2, .SAMPLES_AVERAGE = is_averaged);
    SET(rig, TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = PIXELS_X, .HEIGHT = PIXELS_Y);
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA + (from ? flags_at(*from) + FLAGS_B : LINEAR_AT));
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_FLAG_BASE, MEMORY_VA + (from ? flags_at(*from) : 0));
    SET(rig, TPL1_A2D_SRC_TEXTURE_FLAG_PITCH, .VALUE = 64);
    SET(rig, TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = pitch_of(samples_log2));
}

struct rectangle {
    uint32_t x, y, width, height;
};

static void run_blit(struct rig *rig, struct rectangle to, uint32_t src_x, uint32_t src_y, bool is_fill)
{
    SET(rig, GRAS_A2D_SRC_XMIN, .VALUE = (int32_t)src_x);
    SET(rig, GRAS_A2D_SRC_YMIN, .VALUE = (int32_t)src_y);
    SET(rig, GRAS_A2D_SRC_XMAX, .VALUE = (int32_t)(src_x + to.width - 1));
    SET(rig, GRAS_A2D_SRC_YMAX, .VALUE = (int32_t)(src_y + to.height - 1));
    SET(rig, GRAS_A2D_DEST_TL, .X = to.x, .Y = to.y);
    SET(rig, GRAS_A2D_DEST_BR, .X = to.x + to.width - 1, .Y = to.y + to.height - 1);
    SET(rig, RB_A2D_BLT_CNTL, .SOLID_COLOR = is_fill, .MASK = 15, .IFMT = ADRENO_IFMT_2D_UNORM8);
    assert_true(adreno_rb_2d(rig->gpu));
    assert_true(adreno_rb_2d_finish(rig->gpu));
}

/* Of macrotiles, of blocks, or of any pixels. */
static struct rectangle any_rectangle(struct rig *rig)
{
    static const uint32_t steps[] = {32, 16, 4, 1};
    const uint32_t step = steps[rig_random(rig) % 4];
    const uint32_t x = rig_random(rig) % PIXELS_X / step * step, y = rig_random(rig) % PIXELS_Y / step * step,
                   width = (1 + rig_random(rig) % PIXELS_X / step) * step,
                   height = (1 + rig_random(rig) % PIXELS_Y / step) * step;
    return (struct rectangle){x, y, MIN2(width, PIXELS_X - x), MIN2(height, PIXELS_Y - y)};
}

static void check_result(struct rig *rig, unsigned samples_log2, bool is_averaged)
{
    const unsigned to_log2 = is_averaged ? 0 : samples_log2;
    for (unsigned number = 0; number < SURFACES; number++) {
        for (unsigned has_flags = 0; has_flags < 2; has_flags++) {
            const struct surface from = {number, has_flags};
            set_source(rig, &from, samples_log2, is_averaged);
            set_linear_destination(rig, READ_AT + has_flags * SURFACE_B, to_log2);
            run_blit(rig, (struct rectangle){0, 0, PIXELS_X, PIXELS_Y}, 0, 0, false);
        }
        assert_memory_equal(rig->memory + READ_AT, rig->memory + READ_AT + SURFACE_B, pitch_of(to_log2) * PIXELS_Y);
    }
}

/* One step, of both kinds of surfaces. */
static void check_step(struct rig *rig, unsigned samples_log2)
{
    const unsigned kind = rig_random(rig) % 4, number = rig_random(rig) % SURFACES;
    const struct rectangle to = any_rectangle(rig), from = any_rectangle(rig);
    const uint32_t color = rig_random(rig), src_x = MIN2(from.x, PIXELS_X - to.width),
                   src_y = MIN2(from.y, PIXELS_Y - to.height);
    for (unsigned has_flags = 0; has_flags < 2; has_flags++) {
        const struct surface source = {1 - number, has_flags};
        set_tiled_destination(rig, (struct surface){number, has_flags}, samples_log2);
        if (kind >= 2)
            set_source(rig, kind == 2 ? NULL : &source, samples_log2, false);
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = color >> 5 * c & 255;
        run_blit(rig, to, src_x, src_y, kind < 2);
    }
}

static void test_steps(void **state)
{
    struct rig *rig = *state;
    unsigned marked = 0;
    for (unsigned round = 0; round < 60; round++) {
        const unsigned samples_log2 = round % 3;
        memset(rig->memory, 0, LINEAR_AT);
        rig_fill_random(rig, rig->memory + LINEAR_AT, SURFACE_B);
        for (unsigned i = 0; i < 1 + round; i++)
            check_step(rig, samples_log2);
        for (unsigned number = 0; number < SURFACES; number++)
            marked +=
                memchr(rig->memory + flags_at((struct surface){number, true}), ADRENO_UBWC_SOLID, FLAGS_B) != NULL;
        check_result(rig, samples_log2, samples_log2 && round % 2);
    }
    assert_true(marked > 30);
}

/* Draws and blits find the colour, too: by pixels. */
static void test_elements(void **state)
{
    struct rig *rig = *state;
    const struct surface at = {0, true};
    struct adreno_rb_fault fault = {0};
    for (unsigned is_write = 0; is_write < 2; is_write++) {
        struct adreno_rb_surface surface;
        struct adreno_rb_access access;
        set_tiled_destination(rig, at, 0);
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = 0x11 * (c + 1 + is_write);
        run_blit(rig, (struct rectangle){0, 0, PIXELS_X, PIXELS_Y}, 0, 0, true);
        assert_int_equal(rig->memory[flags_at(at)], ADRENO_UBWC_SOLID);
        assert_null(adreno_rb_surface_memory(&surface, rig->gpu->chip, ADRENO_TILE_MODE_TILE6_3,
                                             MEMORY_VA + flags_at(at) + FLAGS_B, pitch_of(0), 0, 4, 0));
        adreno_rb_surface_flags(&surface, MEMORY_VA + flags_at(at), 64, 0, false);
        adreno_rb_access_init(&access, &surface, &rig->space, &fault, is_write);
        for (uint32_t i = 0; i < 1000; i++) {
            const uint8_t *element = adreno_rb_element(&access, (int32_t)(rig_random(rig) % PIXELS_X),
                                                       (int32_t)(rig_random(rig) % PIXELS_Y), 0);
            for (unsigned c = 0; c < 4; c++)
                assert_int_equal(element[c], 0x11 * (c + 1 + is_write));
        }
    }
}

/* Flags that may be anything, among them many that are plain: those of blocks that are written become plain, and no
 * others, also where blocks of a macrotile are looked up together. */
static void test_flags_of_elements(void **state)
{
    struct rig *rig = *state;
    const struct surface at = {0, true};
    struct adreno_rb_fault fault = {0};
    uint8_t *flags = rig->memory + flags_at(at), expected[64 * PIXELS_Y / 4];
    for (unsigned round = 0; round < 50; round++) {
        struct adreno_rb_surface surface;
        struct adreno_rb_access access;
        for (uint32_t i = 0; i < sizeof(expected); i++)
            expected[i] = flags[i] = rig_random(rig) % 8 ? ADRENO_UBWC_PLAIN : (uint8_t)(16 + rig_random(rig) % 200);
        assert_null(adreno_rb_surface_memory(&surface, rig->gpu->chip, ADRENO_TILE_MODE_TILE6_3,
                                             MEMORY_VA + flags_at(at) + FLAGS_B, pitch_of(0), 0, 4, 0));
        adreno_rb_surface_flags(&surface, MEMORY_VA + flags_at(at), 64, 0, false);
        adreno_rb_access_init(&access, &surface, &rig->space, &fault, true);
        for (uint32_t i = 0; i < 200; i++) {
            const uint32_t x = rig_random(rig) % PIXELS_X, y = rig_random(rig) % PIXELS_Y;
            assert_non_null(adreno_rb_element(&access, (int32_t)x, (int32_t)y, 0));
            expected[y / 4 * 64 + x / 16] = ADRENO_UBWC_PLAIN;
        }
        assert_memory_equal(flags, expected, sizeof(expected));
    }
}

/* The source of a copy that the GPU may only read, to a buffer and to a surface, by whole macrotiles and by pixels. */
static void test_read_only(void **state)
{
    struct rig *rig = *state;
    const struct surface at = {0, true}, other = {1, false};
    const struct rectangle whole = {0, 0, PIXELS_X, PIXELS_Y};
    assert_int_equal(gpu_space_map_file(&rig->space, MEMORY_VA + MEMORY_B, MEMORY_B, rig->fd, 0, GPU_PERM_READ), 0);
    for (unsigned i = 0; i < 4; i++) {
        const struct rectangle part = i & 1 ? (struct rectangle){3, 5, PIXELS_X - 7, 1} : whole;
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = 0x21 + i;
        set_tiled_destination(rig, at, 0);
        run_blit(rig, whole, 0, 0, true);
        assert_int_equal(rig->memory[flags_at(at)], ADRENO_UBWC_SOLID);
        set_source(rig, &at, 0, false);
        rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA + MEMORY_B + flags_at(at) + FLAGS_B);
        rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_FLAG_BASE, MEMORY_VA + MEMORY_B + flags_at(at));
        if (i >= 2) {
            set_tiled_destination(rig, other, 0);
            run_blit(rig, part, part.x, part.y, false);
            set_source(rig, &other, 0, false);
        }
        set_linear_destination(rig, READ_AT, 0);
        run_blit(rig, part, part.x, part.y, false);
        /* Rows are written from the mark; surfaces and pixels need texels. */
        assert_int_equal(rig->memory[flags_at(at)], i ? ADRENO_UBWC_PLAIN : ADRENO_UBWC_SOLID);
        for (uint32_t y = part.y; y < part.y + part.height; y++) {
            for (uint32_t x = part.x * 4; x < (part.x + part.width) * 4; x++)
                assert_int_equal(rig->memory[READ_AT + y * pitch_of(0) + x], 0x21 + i);
        }
    }
}

/* A copy of more than a megabyte is one range of memory, but for the last rows: what is marked on either side is opened
 * or forgotten. */
#define WIDE_X 1024u
#define WIDE_Y 300u
#define WIDE_B (2u << 20) /* with flags */

static struct adreno_rb_surface wide_surface(const struct rig *rig, unsigned number)
{
    struct adreno_rb_surface surface;
    assert_null(adreno_rb_surface_memory(&surface, rig->gpu->chip, ADRENO_TILE_MODE_TILE6_3,
                                         MEMORY_VA + number * WIDE_B + FLAGS_B, WIDE_X * 4, 0, 4, 0));
    adreno_rb_surface_flags(&surface, MEMORY_VA + number * WIDE_B, 64, 0, false);
    return surface;
}

static void set_wide(struct rig *rig, unsigned from, unsigned to)
{
    set_tiled_destination(rig, (struct surface){0, true}, 0);
    set_source(rig, &(struct surface){0, true}, 0, false);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_BUFFER_BASE, MEMORY_VA + to * WIDE_B + FLAGS_B);
    rig_set_va(rig, ADRENO_REG_RB_A2D_DEST_FLAG_BUFFER_BASE, MEMORY_VA + to * WIDE_B);
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_BASE, MEMORY_VA + from * WIDE_B + FLAGS_B);
    rig_set_va(rig, ADRENO_REG_TPL1_A2D_SRC_TEXTURE_FLAG_BASE, MEMORY_VA + from * WIDE_B);
    SET(rig, RB_A2D_DEST_BUFFER_PITCH, .VALUE = WIDE_X * 4);
    SET(rig, TPL1_A2D_SRC_TEXTURE_PITCH, .PITCH = WIDE_X * 4);
    SET(rig, TPL1_A2D_SRC_TEXTURE_SIZE, .WIDTH = WIDE_X, .HEIGHT = WIDE_Y);
}

static void test_whole(void **state)
{
    struct rig *rig = *state;
    const struct rectangle whole = {0, 0, WIDE_X, WIDE_Y}, part = {256, 32, 500, 128};
    struct adreno_rb_fault fault = {0};
    uint32_t *before = malloc(WIDE_X * WIDE_Y * sizeof(*before));
    rig_fill_random(rig, rig->memory + FLAGS_B, WIDE_B - FLAGS_B);
    memset(rig->memory, ADRENO_UBWC_PLAIN, FLAGS_B);
    for (unsigned number = 0; number < 2; number++) {
        for (unsigned c = 0; c < 4; c++)
            rig->gpu->regs[ADRENO_REG_RB_A2D_CLEAR_COLOR_DW0 + c] = 0x31 + number;
        set_wide(rig, 1, number);
        run_blit(rig, number ? whole : part, 0, 0, true);
    }
    const struct adreno_rb_surface from = wide_surface(rig, 0), to = wide_surface(rig, 1);
    for (uint32_t i = 0; i < WIDE_X * WIDE_Y; i++) {
        const uint32_t x = i % WIDE_X, y = i / WIDE_X;
        const bool is_filled = x - part.x < part.width && y - part.y < part.height;
        memcpy(&before[i], rig->memory + FLAGS_B + adreno_tile_offset_B(&from.tile, x, y), sizeof(before[i]));
        before[i] = is_filled ? 0x31313131 : before[i];
    }
    set_wide(rig, 0, 1);
    run_blit(rig, whole, 0, 0, false);
    assert_null(memchr(rig->memory + WIDE_B, ADRENO_UBWC_SOLID, 64 * WIDE_Y / 4));
    for (unsigned number = 0; number < 2; number++) {
        struct adreno_rb_access access;
        adreno_rb_access_init(&access, number ? &to : &from, &rig->space, &fault, false);
        for (uint32_t i = 0; i < WIDE_X * WIDE_Y; i++)
            assert_memory_equal(adreno_rb_element(&access, (int32_t)(i % WIDE_X), (int32_t)(i / WIDE_X), 0), &before[i],
                                sizeof(before[i]));
    }
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_steps, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_elements, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_flags_of_elements, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_read_only, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(test_whole, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
