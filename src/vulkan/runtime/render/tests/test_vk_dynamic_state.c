/* Dynamic graphics state: every row of the table by its command, binding as copying, strides of
 * vkCmdBindVertexBuffers2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_enum.h"
#include "vulkan/runtime/render/vk_dynamic_state.h"

static struct vk_command_buffer buffer;
static struct vk_command_pool pool;
static struct vk_recording recording;
static struct vk_dynamic_graphics_state *const dyn = &recording.dynamic_state;

static VkCommandBuffer begin_commands(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    list_init(&pool.recordings);
    list_push_back(&pool.recordings, &recording.link);
    buffer.pool = &pool;
    buffer.state = VK_COMMAND_BUFFER_INITIAL; /* no device to reset anything else for */
    assert_int_equal(vk_command_buffer_begin(&buffer, &info), VK_SUCCESS);
    return vk_command_buffer_to_handle(&buffer);
}

/* ---- rows by command ---- */

/* A command with one of two values (v is 0 or 1), the rows it sets, and what must then be there. */
struct row_case {
    const char *command;
    uint64_t rows;
    void (*set)(VkCommandBuffer cmd, uint32_t v);
    bool (*is)(uint32_t v);
};

#define CASE(command, rows, arguments, condition)                                                                      \
    static void set_##command(VkCommandBuffer cmd, uint32_t v)                                                         \
    {                                                                                                                  \
        vk_common_##command arguments;                                                                                 \
    }                                                                                                                  \
    static bool is_##command(uint32_t v)                                                                               \
    {                                                                                                                  \
        return condition;                                                                                              \
    }
#define ENTRY(command, rows, ...) {#command, rows, set_##command, is_##command},

#define BOOL_CASES(X)                                                                                                  \
    X(CmdSetPrimitiveRestartEnable, VK_DYN(PRIMITIVE_RESTART), (cmd, v), dyn->ia.primitive_restart == v)               \
    X(CmdSetDepthClipNegativeOneToOneEXT, VK_DYN(NEGATIVE_ONE_TO_ONE), (cmd, v), dyn->vp.negative_one_to_one == v)     \
    X(CmdSetRasterizerDiscardEnable, VK_DYN(RASTERIZER_DISCARD), (cmd, v), dyn->rs.discard_enable == v)                \
    X(CmdSetDepthClampEnableEXT, VK_DYN(DEPTH_CLAMP), (cmd, v), dyn->rs.depth_clamp_enable == v)                       \
    X(CmdSetDepthClipEnableEXT, VK_DYN(DEPTH_CLIP), (cmd, v), vk_depth_clip_enable(&dyn->rs) == v)                     \
    X(CmdSetDepthBiasEnable, VK_DYN(DEPTH_BIAS_ENABLE), (cmd, v), dyn->rs.depth_bias_enable == v)                      \
    X(CmdSetLineStippleEnableEXT, VK_DYN(LINE_STIPPLE_ENABLE), (cmd, v), dyn->rs.line_stipple_enable == v)             \
    X(CmdSetAlphaToCoverageEnableEXT, VK_DYN(ALPHA_TO_COVERAGE), (cmd, v), dyn->ms.alpha_to_coverage == v)             \
    X(CmdSetAlphaToOneEnableEXT, VK_DYN(ALPHA_TO_ONE), (cmd, v), dyn->ms.alpha_to_one == v)                            \
    X(CmdSetSampleLocationsEnableEXT, VK_DYN(SAMPLE_LOCATIONS_ENABLE), (cmd, v), dyn->ms.sample_locations_enable == v) \
    X(CmdSetDepthTestEnable, VK_DYN(DEPTH_TEST), (cmd, v), dyn->ds.depth_test_enable == v)                             \
    X(CmdSetDepthWriteEnable, VK_DYN(DEPTH_WRITE), (cmd, v), dyn->ds.depth_write_enable == v)                          \
    X(CmdSetDepthBoundsTestEnable, VK_DYN(DEPTH_BOUNDS_TEST), (cmd, v), dyn->ds.depth_bounds_test_enable == v)         \
    X(CmdSetStencilTestEnable, VK_DYN(STENCIL_TEST), (cmd, v), dyn->ds.stencil_test_enable == v)                       \
    X(CmdSetLogicOpEnableEXT, VK_DYN(LOGIC_OP_ENABLE), (cmd, v), dyn->cb.logic_op_enable == v)

#define NUMBER_CASES(X)                                                                                                \
    X(CmdSetPrimitiveTopology, VK_DYN(TOPOLOGY), (cmd, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP + v),                          \
      dyn->ia.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP + v)                                                        \
    X(CmdSetPatchControlPointsEXT, VK_DYN(PATCH_CONTROL_POINTS), (cmd, 3 + v), dyn->ts.patch_control_points == 3 + v)  \
    X(CmdSetTessellationDomainOriginEXT, VK_DYN(DOMAIN_ORIGIN), (cmd, v), dyn->ts.domain_origin == v)                  \
    X(CmdSetPolygonModeEXT, VK_DYN(POLYGON_MODE), (cmd, VK_POLYGON_MODE_LINE + v), dyn->rs.polygon_mode == 1 + v)      \
    X(CmdSetCullMode, VK_DYN(CULL_MODE), (cmd, VK_CULL_MODE_BACK_BIT + v),                                             \
      dyn->rs.cull_mode == VK_CULL_MODE_BACK_BIT + v)                                                                  \
    X(CmdSetFrontFace, VK_DYN(FRONT_FACE), (cmd, v), dyn->rs.front_face == v)                                          \
    X(CmdSetConservativeRasterizationModeEXT, VK_DYN(CONSERVATIVE_MODE), (cmd, 1 + v),                                 \
      dyn->rs.conservative_mode == 1 + v)                                                                              \
    X(CmdSetExtraPrimitiveOverestimationSizeEXT, VK_DYN(EXTRA_OVERESTIMATION), (cmd, 0.25f + (float)v),                \
      dyn->rs.extra_overestimation == 0.25f + (float)v)                                                                \
    X(CmdSetProvokingVertexModeEXT, VK_DYN(PROVOKING_VERTEX), (cmd, v), dyn->rs.provoking_vertex == v)                 \
    X(CmdSetRasterizationStreamEXT, VK_DYN(STREAM), (cmd, 1 + v), dyn->rs.stream == 1 + v)                             \
    X(CmdSetDepthBias, VK_DYN(DEPTH_BIAS), (cmd, 1.0f, 2.0f, 3.0f + (float)v),                                         \
      dyn->rs.depth_bias.constant == 1.0f && dyn->rs.depth_bias.clamp == 2.0f &&                                       \
          dyn->rs.depth_bias.slope == 3.0f + (float)v)                                                                 \
    X(CmdSetLineWidth, VK_DYN(LINE_WIDTH), (cmd, 1.5f + (float)v), dyn->rs.line_width == 1.5f + (float)v)              \
    X(CmdSetLineRasterizationModeEXT, VK_DYN(LINE_MODE), (cmd, 1 + v), dyn->rs.line_mode == 1 + v)                     \
    X(CmdSetLineStippleKHR, VK_DYN(LINE_STIPPLE), (cmd, 256, (uint16_t)(0xf00f + v)),                                  \
      dyn->rs.line_stipple.factor == 256 && dyn->rs.line_stipple.pattern == 0xf00f + v)                                \
    X(CmdSetRasterizationSamplesEXT, VK_DYN(SAMPLES), (cmd, VK_SAMPLE_COUNT_4_BIT << v), dyn->ms.samples == 4u << v)   \
    X(CmdSetDepthCompareOp, VK_DYN(DEPTH_COMPARE_OP), (cmd, VK_COMPARE_OP_GREATER + v),                                \
      dyn->ds.depth_compare_op == VK_COMPARE_OP_GREATER + v)                                                           \
    X(CmdSetDepthBounds, VK_DYN(DEPTH_BOUNDS), (cmd, 0.25f, 0.5f + 0.5f * (float)v),                                   \
      dyn->ds.depth_bounds.min == 0.25f && dyn->ds.depth_bounds.max == 0.5f + 0.5f * (float)v)                         \
    X(CmdSetLogicOpEXT, VK_DYN(LOGIC_OP), (cmd, VK_LOGIC_OP_XOR + v), dyn->cb.logic_op == VK_LOGIC_OP_XOR + v)

#define STENCIL_CASES(X)                                                                                               \
    X(CmdSetStencilCompareMask, VK_DYN(STENCIL_COMPARE_MASK), (cmd, VK_STENCIL_FACE_BACK_BIT, 0x10 + v),               \
      dyn->ds.stencil_compare_mask[VK_STENCIL_BACK] == 0x10 + v &&                                                     \
          dyn->ds.stencil_compare_mask[VK_STENCIL_FRONT] == 0)                                                         \
    X(CmdSetStencilWriteMask, VK_DYN(STENCIL_WRITE_MASK), (cmd, VK_STENCIL_FACE_FRONT_BIT, 0x20 + v),                  \
      dyn->ds.stencil_write_mask[VK_STENCIL_FRONT] == 0x20 + v && dyn->ds.stencil_write_mask[VK_STENCIL_BACK] == 0)    \
    X(CmdSetStencilReference, VK_DYN(STENCIL_REFERENCE), (cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0x1ff - v),             \
      dyn->ds.stencil_reference[0] == 0xff - v && dyn->ds.stencil_reference[1] == 0xff - v)                            \
    X(CmdSetStencilOp, VK_DYN(STENCIL_OP),                                                                             \
      (cmd, VK_STENCIL_FACE_BACK_BIT, VK_STENCIL_OP_ZERO, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_INVERT + v,             \
       VK_COMPARE_OP_EQUAL),                                                                                           \
      dyn->ds.stencil_ops[VK_STENCIL_BACK].fail == VK_STENCIL_OP_ZERO &&                                               \
          dyn->ds.stencil_ops[VK_STENCIL_BACK].pass == VK_STENCIL_OP_REPLACE &&                                        \
          dyn->ds.stencil_ops[VK_STENCIL_BACK].depth_fail == VK_STENCIL_OP_INVERT + v &&                               \
          dyn->ds.stencil_ops[VK_STENCIL_BACK].compare == VK_COMPARE_OP_EQUAL &&                                       \
          dyn->ds.stencil_ops[VK_STENCIL_FRONT].fail == 0 && dyn->ds.stencil_ops[VK_STENCIL_FRONT].compare == 0)

#define VIEWPORT(v) ((VkViewport){1, 2, 3, 4, 0.0f, 0.5f + 0.5f * (float)(v)})
#define RECT(v) ((VkRect2D){{1, 2}, {3, 4 + (v)}})
#define RECTS(v) ((VkRect2D[2]){RECT(0), RECT(v)})
#define RECTS_ARE(rects, v) (memcmp(rects, RECTS(v), 2 * sizeof(VkRect2D)) == 0)

#define VIEWPORT_CASES(X)                                                                                              \
    X(CmdSetViewport, VK_DYN(VIEWPORTS), (cmd, 3, 1, &VIEWPORT(v)),                                                    \
      memcmp(&dyn->vp.viewports[3], &VIEWPORT(v), sizeof(VkViewport)) == 0)                                            \
    X(CmdSetViewportWithCount, VK_DYN(VIEWPORT_COUNT) | VK_DYN(VIEWPORTS),                                             \
      (cmd, 1 + v, ((VkViewport[2]){VIEWPORT(v), VIEWPORT(1)})),                                                       \
      dyn->vp.viewport_count == 1 + v && memcmp(&dyn->vp.viewports[0], &VIEWPORT(v), sizeof(VkViewport)) == 0)         \
    X(CmdSetScissor, VK_DYN(SCISSORS), (cmd, 14, 2, RECTS(v)), RECTS_ARE(&dyn->vp.scissors[14], v))                    \
    X(CmdSetScissorWithCount, VK_DYN(SCISSOR_COUNT) | VK_DYN(SCISSORS),                                                \
      (cmd, 1 + v, ((VkRect2D[2]){RECT(v), RECT(1)})),                                                                 \
      dyn->vp.scissor_count == 1 + v && memcmp(&dyn->vp.scissors[0], &RECT(v), sizeof(VkRect2D)) == 0)                 \
    X(CmdSetDiscardRectangleEnableEXT, VK_DYN(DISCARD_RECTANGLE_ENABLE), (cmd, v),                                     \
      dyn->dr.is_on == v && dyn->dr.count == (v ? VK_MAX_DISCARD_RECTANGLES : 0))                                      \
    X(CmdSetDiscardRectangleModeEXT, VK_DYN(DISCARD_RECTANGLE_MODE), (cmd, v), dyn->dr.mode == v)                      \
    X(CmdSetDiscardRectangleEXT, VK_DYN(DISCARD_RECTANGLES), (cmd, 2, 2, RECTS(v)),                                    \
      RECTS_ARE(&dyn->dr.rectangles[2], v))                                                                            \
    X(CmdSetFragmentShadingRateKHR, VK_DYN(FRAGMENT_SHADING_RATE),                                                     \
      (cmd, &(VkExtent2D){2, 1 + v},                                                                                   \
       (VkFragmentShadingRateCombinerOpKHR[2]){VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR,                           \
                                               VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR}),                         \
      dyn->fsr.fragment_size.width == 2 && dyn->fsr.fragment_size.height == 1 + v &&                                   \
          dyn->fsr.combiners[0] == VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR &&                                     \
          dyn->fsr.combiners[1] == VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MAX_KHR)

#define EQUATION(v)                                                                                                    \
    ((VkColorBlendEquationEXT){VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_OP_MAX,                        \
                               VK_BLEND_FACTOR_SRC1_ALPHA, VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_OP_SUBTRACT + (v)})
#define LOCATIONS(v)                                                                                                   \
    (&(VkSampleLocationsInfoEXT){.sType = VK_STRUCTURE_TYPE_SAMPLE_LOCATIONS_INFO_EXT,                                 \
                                 .sampleLocationsPerPixel = VK_SAMPLE_COUNT_2_BIT,                                     \
                                 .sampleLocationGridSize = {1, 1},                                                     \
                                 .sampleLocationsCount = 2,                                                            \
                                 .pSampleLocations = (VkSampleLocationEXT[2]){{0.25f, 0.5f}, {0.75f, (float)(v)}}})

#define COLOR_CASES(X)                                                                                                 \
    X(CmdSetSampleMaskEXT, VK_DYN(SAMPLE_MASK),                                                                        \
      (cmd, VK_SAMPLE_COUNT_64_BIT, (VkSampleMask[2]){0xffff0000u, 0x80000000u + v}),                                  \
      dyn->ms.sample_mask == ((0x80000000ull + v) << 32 | 0xffff0000u))                                                \
    X(CmdSetSampleLocationsEXT, VK_DYN(SAMPLE_LOCATIONS), (cmd, LOCATIONS(v)),                                         \
      dyn->ms.sample_locations.samples == 2 && dyn->ms.sample_locations.count == 2 &&                                  \
          dyn->ms.sample_locations.grid.width == 1 && dyn->ms.sample_locations.at[1].y == (float)v)                    \
    X(CmdSetColorWriteEnableEXT, VK_DYN(COLOR_WRITE_ENABLE), (cmd, 3, (VkBool32[3]){v, VK_TRUE, VK_FALSE}),            \
      (dyn->cb.color_write_enables & 7) == 2 + v)                                                                      \
    X(CmdSetColorBlendEnableEXT, VK_DYN(BLEND_ENABLE), (cmd, 6, 2, (VkBool32[2]){VK_TRUE, v}),                         \
      dyn->cb.blend_enables == 0x40 + 0x80 * v)                                                                        \
    X(CmdSetColorBlendEquationEXT, VK_DYN(BLEND_EQUATION), (cmd, 7, 1, &EQUATION(v)),                                  \
      dyn->cb.equations[7].src_color == VK_BLEND_FACTOR_ONE &&                                                         \
          dyn->cb.equations[7].dst_color == VK_BLEND_FACTOR_SRC_ALPHA &&                                               \
          dyn->cb.equations[7].color_op == VK_BLEND_OP_MAX &&                                                          \
          dyn->cb.equations[7].src_alpha == VK_BLEND_FACTOR_SRC1_ALPHA &&                                              \
          dyn->cb.equations[7].dst_alpha == VK_BLEND_FACTOR_DST_ALPHA &&                                               \
          dyn->cb.equations[7].alpha_op == VK_BLEND_OP_SUBTRACT + v)                                                   \
    X(CmdSetColorWriteMaskEXT, VK_DYN(COLOR_WRITE_MASK), (cmd, 1, 2, (VkColorComponentFlags[2]){0xf, 4 + v}),          \
      dyn->cb.write_masks[0] == 0 && dyn->cb.write_masks[1] == 0xf && dyn->cb.write_masks[2] == 4 + v)                 \
    X(CmdSetBlendConstants, VK_DYN(BLEND_CONSTANTS), (cmd, (float[4]){1, 2, 3, 4 + (float)v}),                         \
      dyn->cb.constants[0] == 1 && dyn->cb.constants[3] == 4 + (float)v)                                               \
    X(CmdSetColorBlendAdvancedEXT, VK_DYN(BLEND_ADVANCED),                                                             \
      (cmd, 1, 1,                                                                                                      \
       &(VkColorBlendAdvancedEXT){VK_BLEND_OP_MULTIPLY_EXT, VK_TRUE, VK_FALSE, VK_BLEND_OVERLAP_CONJOINT_EXT, v}),     \
      dyn->cb.advanced[1].op == VK_BLEND_OP_MULTIPLY_EXT && dyn->cb.advanced[1].src_premultiplied &&                   \
          !dyn->cb.advanced[1].dst_premultiplied && dyn->cb.advanced[1].overlap == VK_BLEND_OVERLAP_CONJOINT_EXT &&    \
          dyn->cb.advanced[1].clamp == v)

#define INPUT_BINDINGS(v)                                                                                              \
    ((VkVertexInputBindingDescription2EXT[2]){                                                                         \
        {.binding = 1, .stride = 16 + 4 * (v), .inputRate = VK_VERTEX_INPUT_RATE_VERTEX, .divisor = 1},                \
        {.binding = 31, .stride = 8, .inputRate = VK_VERTEX_INPUT_RATE_INSTANCE, .divisor = 2 + (v)}})
#define INPUT_ATTRIBUTES                                                                                               \
    (&(VkVertexInputAttributeDescription2EXT){.location = 5, .binding = 31, .format = VK_FORMAT_R32_UINT, .offset = 4})

#define INPUT_CASES(X)                                                                                                 \
    X(CmdSetVertexInputEXT, VK_DYN(VERTEX_INPUT) | VK_DYN(BINDING_STRIDES),                                            \
      (cmd, 2, INPUT_BINDINGS(v), 1, INPUT_ATTRIBUTES),                                                                \
      dyn->vi.binding_mask == 0x80000002u && dyn->vi.attribute_mask == 0x20 && dyn->vi.strides_B[1] == 16 + 4 * v &&   \
          dyn->vi.strides_B[31] == 8 && dyn->vi.bindings[31].divisor == 2 + v &&                                       \
          dyn->vi.bindings[31].input_rate == VK_VERTEX_INPUT_RATE_INSTANCE && dyn->vi.attributes[5].binding == 31 &&   \
          dyn->vi.attributes[5].offset_B == 4 && dyn->vi.attributes[5].format == VK_FORMAT_R32_UINT)

#define ALL_CASES(X) BOOL_CASES(X) NUMBER_CASES(X) STENCIL_CASES(X) VIEWPORT_CASES(X) COLOR_CASES(X) INPUT_CASES(X)

ALL_CASES(CASE)
static const struct row_case row_cases[] = {ALL_CASES(ENTRY)};

static void a_command_sets_its_rows_and_dirties_what_changes(void **state)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(row_cases); i++) {
        const struct row_case *c = &row_cases[i];
        memset(&buffer, 0, sizeof(buffer));
        VkCommandBuffer cmd = begin_commands();
        print_message("# %s\n", c->command);
        c->set(cmd, 0);
        assert_true(c->is(0));
        assert_int_equal(dyn->set, c->rows);
        assert_int_equal(dyn->dirty, c->rows);
        dyn->dirty = 0;
        c->set(cmd, 0);
        assert_int_equal(dyn->dirty, 0);
        c->set(cmd, 1);
        assert_true(c->is(1));
        assert_false(c->is(0));
        assert_int_equal(dyn->dirty, c->rows);
        assert_int_equal(dyn->set, c->rows);
        assert_int_equal(buffer.result, VK_SUCCESS);
    }
}

static void a_value_of_the_last_recording_is_no_value_of_this_one(void **state)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(row_cases); i++) {
        row_cases[i].set(begin_commands(), 0);
        VkCommandBuffer cmd = begin_commands();
        assert_int_equal(dyn->set | dyn->dirty, 0);
        row_cases[i].set(cmd, 0);
        assert_int_equal(dyn->dirty, row_cases[i].rows);
    }
}

static void every_row_has_a_command_here(void **state)
{
    uint64_t tested = 0, settable = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(row_cases); i++)
        tested |= row_cases[i].rows;
    const struct vk_enum *states = &vk_enums[vk_enum_find("VkDynamicState")];
    for (uint32_t i = 0; i < states->count; i++)
        settable |= vk_dynamic_state_rows((VkDynamicState)vk_enum_values[states->first + i].value);
    assert_int_equal(settable & ~tested, 0);
    assert_int_equal(VK_DYN_ALL & ~settable, VK_DYN(COLOR_ATTACHMENT_COUNT));
}

static void every_dynamic_state_is_a_row_or_left_out_on_purpose(void **state)
{
    const struct vk_enum *states = &vk_enums[vk_enum_find("VkDynamicState")];
    assert_in_range(states->count, 60, 100);
    for (uint32_t i = 0; i < states->count; i++) {
        const struct vk_enum_value *value = &vk_enum_values[states->first + i];
        bool left_out = false;
        for (uint32_t j = 0; j < vk_dynamic_states_left_out_count; j++)
            left_out |= vk_dynamic_states_left_out[j] == value->value;
        if (left_out == (vk_dynamic_state_rows((VkDynamicState)value->value) != 0))
            fail_msg("%s", vk_enum_strings + value->name);
    }
    assert_int_equal(vk_dynamic_state_rows((VkDynamicState)4711), 0);
}

/* Members of the groups that no row covers would never be copied; padding is shorter than eight bytes. */
static void rows_do_not_overlap_and_leave_nothing_out(void **state)
{
    static uint8_t owner[sizeof(struct vk_dynamic_graphics_state)];
    for (uint32_t i = 0; i < VK_DYN_COUNT; i++) {
        const struct vk_dynamic_row *row = &vk_dynamic_rows[i];
        assert_in_range(row->field_count, 1, VK_DYNAMIC_ROW_MAX_FIELDS);
        for (uint32_t f = 0; f < row->field_count; f++) {
            for (uint32_t b = 0; b < row->fields[f].size_B; b++) {
                assert_int_equal(owner[row->fields[f].offset_B + b], 0);
                owner[row->fields[f].offset_B + b] = (uint8_t)(i + 1);
            }
        }
    }
    uint32_t gap = 0;
    for (size_t b = offsetof(struct vk_dynamic_graphics_state, ia);
         b < offsetof(struct vk_dynamic_graphics_state, fixed); b++) {
        gap = owner[b] ? 0 : gap + 1;
        assert_in_range(gap, 0, 7);
    }
}

static void a_command_for_what_is_not_offered_fails_the_recording(void **state)
{
    log_set_level(LOG_LEVEL_ERROR);
    memset(&buffer, 0, sizeof(buffer));
    vk_common_CmdSetViewportWScalingEnableNV(begin_commands(), VK_TRUE);
    assert_int_equal(dyn->set, 0);
    assert_int_equal(vk_command_buffer_end(&buffer), VK_ERROR_UNKNOWN);
}

static void discard_rectangles_of_an_earlier_recording_are_gone(void **state)
{
    memset(&buffer, 0, sizeof(buffer));
    const VkRect2D four[4] = {{{1, 1}, {1, 1}}, {{2, 2}, {2, 2}}, {{3, 3}, {3, 3}}, {{4, 4}, {4, 4}}};
    vk_common_CmdSetDiscardRectangleEXT(begin_commands(), 0, 4, four);
    VkCommandBuffer cmd = begin_commands();
    vk_common_CmdSetDiscardRectangleEXT(cmd, 1, 1, four);
    vk_common_CmdSetDiscardRectangleEXT(cmd, 2, 1, four);
    assert_int_equal(dyn->dr.rectangles[0].extent.width, 0);
    assert_int_equal(dyn->dr.rectangles[1].extent.width, 1);
    assert_int_equal(dyn->dr.rectangles[3].extent.width, 0);
}

static void an_equation_ends_an_advanced_operation(void **state)
{
    memset(&buffer, 0, sizeof(buffer));
    VkCommandBuffer cmd = begin_commands();
    vk_common_CmdSetColorBlendAdvancedEXT(cmd, 0, 1, &(VkColorBlendAdvancedEXT){VK_BLEND_OP_SCREEN_EXT});
    dyn->dirty = 0;
    vk_common_CmdSetColorBlendEquationEXT(cmd, 0, 1, &EQUATION(0));
    assert_int_equal(dyn->cb.advanced[0].op, 0);
    assert_int_equal(dyn->dirty, VK_DYN(BLEND_EQUATION) | VK_DYN(BLEND_ADVANCED));
}

/* ---- binding ---- */

/* Two equal states whose arrays are in full use. */
static void make_pair(struct vk_dynamic_graphics_state *pipeline)
{
    memset(pipeline, 0, sizeof(*pipeline));
    pipeline->vi.binding_mask = pipeline->vi.attribute_mask = UINT32_MAX;
    pipeline->vp.viewport_count = pipeline->vp.scissor_count = VK_MAX_VIEWPORTS;
    pipeline->dr.count = VK_MAX_DISCARD_RECTANGLES;
    pipeline->cb.attachment_count = VK_MAX_COLOR_ATTACHMENTS;
    pipeline->ms.sample_locations.count = VK_MAX_SAMPLE_LOCATIONS;
    pipeline->set = pipeline->fixed = VK_DYN_ALL;
    memset(&buffer, 0, sizeof(buffer));
    begin_commands();
}

static void binding_again_dirties_nothing(void **state)
{
    struct vk_dynamic_graphics_state pipeline;
    make_pair(&pipeline);
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    assert_int_equal(dyn->set, VK_DYN_ALL);
    assert_int_equal(dyn->dirty, VK_DYN_ALL);
    dyn->dirty = 0;
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    assert_int_equal(dyn->dirty, 0);
    vk_dynamic_graphics_state_dirty_all(dyn);
    assert_int_equal(dyn->dirty, VK_DYN_ALL);
}

static void binding_sees_the_first_and_the_last_byte_of_each_field(void **state)
{
    struct vk_dynamic_graphics_state pipeline;
    for (uint32_t i = 0; i < VK_DYN_COUNT; i++) {
        const struct vk_dynamic_row *row = &vk_dynamic_rows[i];
        for (uint32_t f = 0; f < 2 * row->field_count; f++) {
            make_pair(&pipeline);
            vk_dynamic_graphics_state_copy(dyn, &pipeline);
            dyn->dirty = 0;
            size_t at = row->fields[f / 2].offset_B + (f % 2 ? row->fields[f / 2].size_B - 1 : 0);
            uint8_t *byte = (uint8_t *)&pipeline + at;
            *byte = (uint8_t)(*byte ? *byte - 1 : 1); /* a count must not grow beyond its array */
            vk_dynamic_graphics_state_copy(dyn, &pipeline);
            if (dyn->dirty != UINT64_C(1) << i)
                fail_msg("%s, field %u: dirty is %#llx", row->name, f / 2, (unsigned long long)dyn->dirty);
            assert_int_equal(((uint8_t *)dyn)[at], *byte);
        }
    }
}

static void binding_leaves_dynamic_rows_alone(void **state)
{
    struct vk_dynamic_graphics_state pipeline;
    make_pair(&pipeline);
    VkCommandBuffer cmd = vk_command_buffer_to_handle(&buffer);
    vk_common_CmdSetCullMode(cmd, VK_CULL_MODE_FRONT_BIT);
    vk_common_CmdSetBlendConstants(cmd, (float[4]){1, 2, 3, 4});
    pipeline.set = VK_DYN(LINE_WIDTH) | VK_DYN(BLEND_CONSTANTS);
    pipeline.rs.line_width = 3.0f;
    dyn->dirty = 0;
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    assert_int_equal(dyn->rs.cull_mode, VK_CULL_MODE_FRONT_BIT);
    assert_true(dyn->rs.line_width == 3.0f && dyn->cb.constants[3] == 0.0f);
    assert_int_equal(dyn->dirty, VK_DYN(LINE_WIDTH) | VK_DYN(BLEND_CONSTANTS));
    assert_int_equal(dyn->set, VK_DYN(LINE_WIDTH) | VK_DYN(BLEND_CONSTANTS) | VK_DYN(CULL_MODE));
}

/* The value is the driver's: whatever a command gives next is new. */
static void binding_knows_nothing_of_rows_that_are_left(void **state)
{
    struct vk_dynamic_graphics_state pipeline;
    make_pair(&pipeline);
    VkCommandBuffer cmd = vk_command_buffer_to_handle(&buffer);
    vk_common_CmdSetCullMode(cmd, VK_CULL_MODE_FRONT_BIT);
    vk_common_CmdSetLineWidth(cmd, 2.0f);
    pipeline.rs.line_width = 3.0f;
    vk_dynamic_graphics_state_bind(dyn, &pipeline, VK_DYN(CULL_MODE) | VK_DYN(DEPTH_BIAS));
    uint64_t taken = VK_DYN_ALL & ~(VK_DYN(CULL_MODE) | VK_DYN(DEPTH_BIAS));
    assert_int_equal(dyn->set, taken);
    assert_int_equal(dyn->dirty, taken);
    assert_int_equal(dyn->fixed, VK_DYN_ALL);
    assert_true(dyn->rs.line_width == 3.0f);
    dyn->dirty = 0;
    vk_common_CmdSetCullMode(cmd, VK_CULL_MODE_FRONT_BIT);
    assert_int_equal(dyn->dirty, VK_DYN(CULL_MODE));
    vk_dynamic_graphics_state_bind(dyn, &pipeline, VK_DYN(CULL_MODE) | VK_DYN(DEPTH_BIAS));
    assert_int_equal(dyn->dirty, 0);
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    assert_int_equal(dyn->dirty, VK_DYN(CULL_MODE) | VK_DYN(DEPTH_BIAS));
}

static void binding_ignores_array_elements_that_are_not_used(void **state)
{
    struct vk_dynamic_graphics_state pipeline;
    make_pair(&pipeline);
    pipeline.vp.viewport_count = 1;
    pipeline.vi.binding_mask = 5;
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    dyn->dirty = 0;
    pipeline.vp.viewports[1].width = 7;
    pipeline.vi.strides_B[3] = 7;
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    assert_int_equal(dyn->dirty, 0);
    pipeline.vi.strides_B[2] = 7;
    vk_dynamic_graphics_state_copy(dyn, &pipeline);
    assert_int_equal(dyn->dirty, VK_DYN(BINDING_STRIDES));
}

/* ---- strides of vkCmdBindVertexBuffers2 ---- */

static void strides_are_set_where_the_pipeline_leaves_them(void **state)
{
    memset(&buffer, 0, sizeof(buffer));
    begin_commands();
    vk_cmd_set_vertex_binding_strides(&buffer, 30, 2, (VkDeviceSize[2]){12, 20});
    assert_int_equal(dyn->vi.strides_B[30], 12);
    assert_int_equal(dyn->vi.strides_B[31], 20);
    assert_int_equal(dyn->dirty, VK_DYN(BINDING_STRIDES));
    dyn->dirty = 0;
    vk_cmd_set_vertex_binding_strides(&buffer, 31, 1, (VkDeviceSize[1]){20});
    vk_cmd_set_vertex_binding_strides(&buffer, 0, 4, NULL);
    assert_int_equal(dyn->dirty, 0);
}

static void strides_wait_while_a_pipeline_fixes_them(void **state)
{
    struct vk_dynamic_graphics_state fixed, open;
    make_pair(&fixed);
    fixed.vi.strides_B[0] = 4;
    memset(&open, 0, sizeof(open));
    vk_dynamic_graphics_state_copy(dyn, &fixed);
    dyn->dirty = 0;
    vk_cmd_set_vertex_binding_strides(&buffer, 0, 1, (VkDeviceSize[1]){64});
    assert_int_equal(dyn->vi.strides_B[0], 4);
    assert_int_equal(dyn->dirty, 0);
    vk_dynamic_graphics_state_copy(dyn, &fixed);
    assert_int_equal(dyn->vi.strides_B[0], 4);
    vk_dynamic_graphics_state_copy(dyn, &open);
    assert_int_equal(dyn->vi.strides_B[0], 64);
    assert_int_equal(dyn->dirty, VK_DYN(BINDING_STRIDES));
}

static void strides_of_a_vertex_input_command_come_last(void **state)
{
    struct vk_dynamic_graphics_state by_input;
    make_pair(&by_input);
    by_input.set = 0;
    by_input.fixed = VK_DYN(BINDING_STRIDES); /* VERTEX_INPUT_EXT without VERTEX_INPUT_BINDING_STRIDE */
    vk_dynamic_graphics_state_copy(dyn, &by_input);
    vk_cmd_set_vertex_binding_strides(&buffer, 1, 1, (VkDeviceSize[1]){64});
    vk_common_CmdSetVertexInputEXT(vk_command_buffer_to_handle(&buffer), 2, INPUT_BINDINGS(0), 1, INPUT_ATTRIBUTES);
    assert_int_equal(dyn->vi.strides_B[1], 16);
    by_input.fixed = 0;
    vk_dynamic_graphics_state_copy(dyn, &by_input);
    assert_int_equal(dyn->vi.strides_B[1], 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_sets_its_rows_and_dirties_what_changes),
        cmocka_unit_test(a_value_of_the_last_recording_is_no_value_of_this_one),
        cmocka_unit_test(every_row_has_a_command_here),
        cmocka_unit_test(every_dynamic_state_is_a_row_or_left_out_on_purpose),
        cmocka_unit_test(rows_do_not_overlap_and_leave_nothing_out),
        cmocka_unit_test(a_command_for_what_is_not_offered_fails_the_recording),
        cmocka_unit_test(discard_rectangles_of_an_earlier_recording_are_gone),
        cmocka_unit_test(an_equation_ends_an_advanced_operation),
        cmocka_unit_test(binding_again_dirties_nothing),
        cmocka_unit_test(binding_sees_the_first_and_the_last_byte_of_each_field),
        cmocka_unit_test(binding_leaves_dynamic_rows_alone),
        cmocka_unit_test(binding_knows_nothing_of_rows_that_are_left),
        cmocka_unit_test(binding_ignores_array_elements_that_are_not_used),
        cmocka_unit_test(strides_are_set_where_the_pipeline_leaves_them),
        cmocka_unit_test(strides_wait_while_a_pipeline_fixes_them),
        cmocka_unit_test(strides_of_a_vertex_input_command_come_last),
    };
    return cmocka_run_group_tests_name("dynamic graphics state", tests, NULL, NULL);
}
