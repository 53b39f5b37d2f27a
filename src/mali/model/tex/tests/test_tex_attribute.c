/* LD_ATTR and LEA_ATTR: formats, frequencies, divisors, bounds. */
#include "rig.h"

#include <string.h>

#define BUFFER 2

static void bind_buffer(struct rig *rig, uint64_t at, uint32_t size_B)
{
    mali_pack_desc_BUFFER(rig->table[BUFFER], &(struct mali_desc_BUFFER){.TYPE = MALI_DESCRIPTOR_TYPE_BUFFER,
                                                                         .BUFFER_TYPE = MALI_BUFFER_TYPE_SIMPLE,
                                                                         .SIZE = size_B,
                                                                         .ADDRESS = RIG_VA + at});
}

static void bind_attribute(struct rig *rig, struct mali_desc_ATTRIBUTE attribute)
{
    attribute.TYPE = MALI_DESCRIPTOR_TYPE_ATTRIBUTE;
    attribute.BUFFER_INDEX = BUFFER;
    if (!attribute.ATTRIBUTE_TYPE)
        attribute.ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_1D;
    mali_pack_desc_ATTRIBUTE(rig->table[0], &attribute);
}

static struct mali_tex_access access_of(struct rig *rig, unsigned regfmt, unsigned components)
{
    for (unsigned i = 0; i < LANES; i++) {
        rig->source[0][i] = i;
        rig->source[1][i] = 3 * i;
    }
    memset(rig->result, 0xee, sizeof(rig->result));
    return (struct mali_tex_access){
        .regfmt = (uint8_t)regfmt,
        .components = (uint8_t)components,
        .lanes = UINT64_MAX,
        .source = {rig->source[0], rig->source[1]},
        .result = rig->result[0],
    };
}

static void vertices_have_strides_and_offsets(void **state)
{
    struct rig *rig = *state;
    float(*vertices)[5] = (float(*)[5])(rig->host + 8);
    for (unsigned i = 0; i < 80; i++) {
        for (unsigned n = 0; n < 5; n++)
            vertices[i][n] = (float)(10 * i + n);
    }
    bind_buffer(rig, 8, 60 * 20);
    bind_attribute(rig,
                   (struct mali_desc_ATTRIBUTE){
                       .FORMAT = 183, .ORDER = MALI_RGB_ORDER_RGB1, .STRIDE = 20, .OFFSET = 8, .OFFSET_ENABLE = true});
    struct mali_tex_access access = access_of(rig, MALI_TEX_REGFMT_F32, 4);
    access.attribute_offset = 1;
    assert_true(mali_tex_load_attribute(rig->tex, &rig->resources, &access));
    for (unsigned i = 0; i < 59; i++) {
        assert_true(result_at(rig, 0, i) == vertices[i + 1][2]);
        assert_true(result_at(rig, 2, i) == vertices[i + 1][4]);
        assert_true(result_at(rig, 3, i) == 1);
    }
    assert_true(result_at(rig, 0, 59) == 0 && result_at(rig, 3, 59) == 1); /* outside of the buffer */
    assert_true(mali_tex_attribute_address(rig->tex, &rig->resources, &access));
    assert_int_equal(rig->result[0][2], (uint32_t)(RIG_VA + 8 + 3 * 20 + 8));
    assert_int_equal(rig->result[1][2], RIG_VA >> 32);
    assert_int_equal(rig->result[2][2], 183 << 12 | MALI_RGB_ORDER_RGB1);
    assert_int_equal(rig->result[1][59], MALI_TEX_NOWHERE >> 32);
}

/* Divisors as drivers make them: m = ceil(2^(32 + r) / d), or one less with the addend. */
static void instances_are_divided(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 256; i++)
        ((uint16_t *)rig->host)[i] = (uint16_t)(i * 7);
    bind_buffer(rig, 0, 512);
    for (uint32_t divisor = 1; divisor < 40; divisor++) {
        struct mali_desc_ATTRIBUTE attribute = {
            .FORMAT = 132, .ORDER = MALI_RGB_ORDER_RGB1, .STRIDE = 2, .FREQUENCY = MALI_ATTRIBUTE_FREQUENCY_INSTANCE};
        unsigned log2 = log2_floor(divisor);
        if (divisor > 1 && is_power_of_two(divisor)) {
            attribute.ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR;
            attribute.DIVISOR_R = log2;
        } else if (divisor > 1) {
            uint64_t power = 1ull << (32 + log2), up = (power + divisor - 1) / divisor;
            attribute.ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR;
            attribute.DIVISOR_R = log2;
            attribute.DIVISOR_E = power % divisor <= 1u << log2;
            attribute.DIVISOR_D = (uint32_t)(up - attribute.DIVISOR_E) & 0x7fffffff;
        }
        bind_attribute(rig, attribute);
        struct mali_tex_access access = access_of(rig, MALI_TEX_REGFMT_AUTO, 1);
        assert_true(mali_tex_load_attribute(rig->tex, &rig->resources, &access));
        for (unsigned i = 0; i < LANES; i++)
            assert_int_equal(rig->result[0][i], 3 * i / divisor * 7);
    }
}

static void numbers_are_converted(void **state)
{
    struct rig *rig = *state;
    memcpy(rig->host, (uint8_t[]){0x80, 0x7f, 0xff, 0x01}, 4);
    bind_buffer(rig, 0, 4);
    static const struct {
        unsigned number, regfmt;
        uint32_t expected[4];
    } cases[] = {
        {219, MALI_TEX_REGFMT_F32, {0xc3000000, 0x42fe0000, 0xbf800000, 0x3f800000}}, /* -128, 127, -1, 1 */
        {219, MALI_TEX_REGFMT_S32, {0xffffff80, 0x7f, 0xffffffff, 1}},
        {155, MALI_TEX_REGFMT_AUTO, {0x80, 0x7f, 0xff, 1}},
        {219, MALI_TEX_REGFMT_S16, {0x007fff80, 0x0001ffff}},
        {219, MALI_TEX_REGFMT_U32, {0, 0x7f, 0, 1}},
    };
    for (unsigned c = 0; c < ARRAY_SIZE(cases); c++) {
        bind_attribute(rig, (struct mali_desc_ATTRIBUTE){.FORMAT = cases[c].number, .ORDER = MALI_RGB_ORDER_RGBA});
        struct mali_tex_access access = access_of(rig, cases[c].regfmt, 4);
        assert_true(mali_tex_load_attribute(rig->tex, &rig->resources, &access));
        for (unsigned n = 0; n < (cases[c].regfmt & 1 ? 2u : 4u); n++)
            assert_int_equal(rig->result[n][5], cases[c].expected[n]);
    }
}

static void nothing_is_there(void **state)
{
    struct rig *rig = *state;
    struct mali_tex_access access = access_of(rig, MALI_TEX_REGFMT_F32, 4);
    access.handle = 12; /* words of zero */
    assert_true(mali_tex_load_attribute(rig->tex, &rig->resources, &access));
    assert_int_equal(rig->result[0][0], 0);
    uint64_t va;
    bind_buffer(rig, RIG_SIZE_B, 64); /* not mapped */
    bind_attribute(rig, (struct mali_desc_ATTRIBUTE){.FORMAT = 133, .ORDER = MALI_RGB_ORDER_RGB1});
    access.handle = 0;
    assert_false(mali_tex_load_attribute(rig->tex, &rig->resources, &access));
    assert_true(mali_tex_fault(rig->tex, &va));
    assert_true(va == RIG_VA + RIG_SIZE_B);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vertices_have_strides_and_offsets, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(instances_are_divided, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(numbers_are_converted, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(nothing_is_there, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
