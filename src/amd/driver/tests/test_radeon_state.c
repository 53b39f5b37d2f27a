/* State as register words: what the atoms write for a given dynamic state. The expected words are those that Debian's
 * RADV writes for the same state on the same chip, read from its streams with `tuff decode`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_pa.h"
#include "amd/hw/regs_sc.h"

static struct radeon_device device;
static struct radeon_cmd_buffer cmd;
static struct radeon_recording recording;
static struct radeon_graphics_pipeline baked;
static uint32_t stream[1024];

/* A triangle pipeline's state: everything off, one sample. */
static int set_up(void **state)
{
    (void)state;
    memset(&cmd, 0, sizeof(cmd));
    memset(&recording, 0, sizeof(recording));
    radeon_take_recording(&cmd, &recording.vk);
    memset(&baked, 0, sizeof(baked));
    memset(stream, 0, sizeof(stream));
    cmd.device = &device;
    cmd.cs.dw = stream;
    cmd.cs.end = stream + 1024;
    cmd.graphics->baked = &baked;
    struct vk_dynamic_graphics_state *dyn = &cmd.vk.rec->dynamic_state;
    dyn->ia.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    dyn->rs.depth_clip = VK_DEPTH_CLIP_UNLESS_CLAMP;
    dyn->rs.line_width = 1.0f;
    dyn->ms.samples = 1;
    dyn->ms.sample_mask = UINT64_MAX;
    dyn->vp.viewport_count = dyn->vp.scissor_count = 1;
    dyn->vp.viewports[0] = (VkViewport){0, 0, 64, 64, 0, 1};
    dyn->vp.scissors[0] = (VkRect2D){{0, 0}, {64, 64}};
    dyn->cb.color_write_enables = 0xff;
    return 0;
}

/* The last value that the stream gives a register; fails where it gives none. */
static uint32_t written(uint32_t reg)
{
    bool found = false;
    uint32_t value = 0;
    for (const uint32_t *dw = stream; dw < cmd.cs.dw;) {
        uint32_t opcode = AMD_PKT3_OPCODE(dw[0]), count = AMD_PKT_COUNT(dw[0]);
        uint32_t base = opcode == AMD_PKT_SET_CONTEXT_REG ? RADEON_CONTEXT_BASE : RADEON_UCONFIG_BASE;
        for (uint32_t i = 0; i < count; i++) {
            if (base + ((dw[1] & 0xffff) + i) * 4 == reg) {
                value = dw[2 + i];
                found = true;
            }
        }
        dw += 2 + count;
    }
    if (!found)
        fail_msg("register 0x%x is not written", reg);
    return value;
}

#define EXPECT(reg, word) assert_int_equal(written(reg), (word))

/* ---- viewports ---- */

static void test_viewport(void **state)
{
    (void)state;
    radeon_emit_viewports(&cmd);
    radeon_emit_scissors(&cmd);
    radeon_emit_guard_band(&cmd);
    EXPECT(AMD_REG_PA_CL_VPORT_XSCALE, 0x42000000);
    EXPECT(AMD_REG_PA_CL_VPORT_XOFFSET, 0x42000000);
    EXPECT(AMD_REG_PA_CL_VPORT_ZSCALE, 0x3f800000);
    EXPECT(AMD_REG_PA_CL_VPORT_ZOFFSET, 0);
    EXPECT(AMD_REG_PA_SC_VPORT_ZMIN, 0);
    EXPECT(AMD_REG_PA_SC_VPORT_ZMAX, 0x3f800000);
    EXPECT(AMD_REG_PA_SC_VPORT_SCISSOR_TL, 0x80000000);
    EXPECT(AMD_REG_PA_SC_VPORT_SCISSOR_BR, 0x00400040);
    EXPECT(AMD_REG_PA_CL_GB_VERT_CLIP_ADJ, 0x447fbe00);
    EXPECT(AMD_REG_PA_CL_GB_VERT_DISC_ADJ, 0x3f800000);
    EXPECT(AMD_REG_PA_CL_GB_HORZ_CLIP_ADJ, 0x447fbe00);
}

static void test_viewport_limits_scissor(void **state)
{
    (void)state;
    struct vk_viewport_state *vp = &cmd.vk.rec->dynamic_state.vp;
    vp->viewports[0] = (VkViewport){8.5f, 48, 16, -32, 0, 1}; /* upside down, from 16 to 48 */
    vp->scissors[0] = (VkRect2D){{-5, 20}, {UINT32_MAX, UINT32_MAX}};
    radeon_emit_scissors(&cmd);
    EXPECT(AMD_REG_PA_SC_VPORT_SCISSOR_TL, 0x80000000 | 20 << 16 | 8);
    EXPECT(AMD_REG_PA_SC_VPORT_SCISSOR_BR, 48 << 16 | 25);
}

static void test_empty_scissor(void **state)
{
    (void)state;
    cmd.vk.rec->dynamic_state.vp.scissors[0] = (VkRect2D){{70, 3}, {10, 10}}; /* beyond the viewport */
    radeon_emit_scissors(&cmd);
    uint32_t tl = written(AMD_REG_PA_SC_VPORT_SCISSOR_TL), br = written(AMD_REG_PA_SC_VPORT_SCISSOR_BR);
    assert_true((br & 0x7fff) <= (tl & 0x7fff));
}

static void test_depth_range(void **state)
{
    (void)state;
    struct vk_dynamic_graphics_state *dyn = &cmd.vk.rec->dynamic_state;
    dyn->rs.depth_clamp_enable = true;
    dyn->vp.viewports[0].minDepth = 0.75f;
    dyn->vp.viewports[0].maxDepth = 0.25f;
    radeon_emit_viewports(&cmd);
    radeon_emit_clipping(&cmd);
    EXPECT(AMD_REG_PA_SC_VPORT_ZMIN, 0x3e800000);
    EXPECT(AMD_REG_PA_SC_VPORT_ZMAX, 0x3f400000);
    /* Clamping turns clipping at the near and far planes off. */
    EXPECT(AMD_REG_PA_CL_CLIP_CNTL, 0x01080000 | 3 << 26);
}

static void test_wide_points_stay(void **state)
{
    (void)state;
    cmd.vk.rec->dynamic_state.ia.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    radeon_emit_guard_band(&cmd);
    /* The widest point whose middle is outside still reaches in. */
    EXPECT(AMD_REG_PA_CL_GB_VERT_DISC_ADJ, (uint32_t)hw_put_float(1.0f + 8191.875f / 64.0f));
}

/* ---- rasterisation ---- */

static void test_discard_rectangles(void **state)
{
    (void)state;
    static const struct {
        uint8_t count;
        bool exclusive;
        uint32_t rule;
    } rows[] = {{1, false, 0xaaaa}, {1, true, 0x5555}, {3, true, 0x0101},
                {4, false, 0xfffe}, {4, true, 0x0001}, {0, true, 0xffff}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cmd.vk.rec->dynamic_state.dr.count = rows[i].count;
        cmd.vk.rec->dynamic_state.dr.is_on = rows[i].count != 0;
        cmd.vk.rec->dynamic_state.dr.mode =
            rows[i].exclusive ? VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT : VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT;
        radeon_emit_discard_rectangles(&cmd);
        EXPECT(AMD_REG_PA_SC_CLIPRECT_RULE, rows[i].rule);
    }
}

static void test_polygons(void **state)
{
    (void)state;
    struct vk_rasterization_state *rs = &cmd.vk.rec->dynamic_state.rs;
    radeon_emit_polygons(&cmd);
    EXPECT(AMD_REG_PA_SU_SC_MODE_CNTL, 0x00000240);
    rs->depth_bias_enable = true;
    rs->depth_bias.constant = -200;
    rs->depth_bias.slope = 2;
    radeon_emit_polygons(&cmd);
    radeon_emit_depth_bias(&cmd);
    EXPECT(AMD_REG_PA_SU_SC_MODE_CNTL, 0x00003a40);
    EXPECT(AMD_REG_PA_SU_POLY_OFFSET_FRONT_SCALE, 0x42000000);
    EXPECT(AMD_REG_PA_SU_POLY_OFFSET_FRONT_OFFSET, 0xc3480000);
    EXPECT(AMD_REG_PA_SU_POLY_OFFSET_BACK_OFFSET, 0xc3480000);
}

static void test_lines(void **state)
{
    (void)state;
    struct vk_dynamic_graphics_state *dyn = &cmd.vk.rec->dynamic_state;
    dyn->ia.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    dyn->rs.line_mode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
    dyn->rs.line_stipple_enable = true;
    dyn->rs.line_stipple.pattern = 0x0f35;
    dyn->rs.line_stipple.factor = 2;
    dyn->ms.samples = 4;
    radeon_emit_lines(&cmd);
    radeon_emit_samples(&cmd);
    radeon_emit_topology(&cmd);
    EXPECT(AMD_REG_PA_SU_LINE_CNTL, 8);
    EXPECT(AMD_REG_PA_SC_LINE_CNTL, 0);
    EXPECT(AMD_REG_PA_SC_LINE_STIPPLE, 0x40010f35);
    /* Bresenham's lines know no samples. */
    EXPECT(AMD_REG_PA_SC_MODE_CNTL_0, 0x00000026);
    EXPECT(AMD_REG_PA_SC_AA_CONFIG, 0);
    EXPECT(AMD_REG_VGT_PRIMITIVE_TYPE, 3);
    EXPECT(AMD_REG_VGT_GS_OUT_PRIM_TYPE, 1);
}

static void test_conservative(void **state)
{
    (void)state;
    cmd.vk.rec->dynamic_state.rs.conservative_mode = VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT;
    radeon_emit_conservative(&cmd);
    radeon_emit_samples(&cmd);
    EXPECT(AMD_REG_PA_SC_CONSERVATIVE_RASTERIZATION_CNTL, 0x01c00441);
    EXPECT(AMD_REG_DB_EQAA, 0x0c170000);
    EXPECT(AMD_REG_PA_SC_AA_CONFIG, 0x00000010);
}

/* ---- samples ---- */

static void test_samples(void **state)
{
    (void)state;
    cmd.vk.rec->dynamic_state.ms.samples = 4;
    radeon_emit_samples(&cmd);
    radeon_emit_sample_locations(&cmd);
    EXPECT(AMD_REG_DB_EQAA, 0x00172202);
    EXPECT(AMD_REG_PA_SC_AA_CONFIG, 0x2020c002);
    EXPECT(AMD_REG_PA_SC_MODE_CNTL_0, 0x00000023);
    EXPECT(AMD_REG_PA_SC_MODE_CNTL_1, 0x760201bc);
    EXPECT(AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, 0x622ae6ae);
    EXPECT(AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_0, 0x622ae6ae);
    EXPECT(AMD_REG_PA_SC_CENTROID_PRIORITY_0, 0x32103210);
    baked.sample_shading = true;
    radeon_emit_samples(&cmd);
    EXPECT(AMD_REG_DB_EQAA, 0x00172222);
    EXPECT(AMD_REG_PA_SC_MODE_CNTL_1, 0x760301bc);
}

/* The nearest to the middle comes first among the samples that a centroid may take. */
static void test_own_locations(void **state)
{
    (void)state;
    struct vk_multisample_state *ms = &cmd.vk.rec->dynamic_state.ms;
    ms->samples = 2;
    ms->sample_locations_enable = true;
    ms->sample_locations.samples = 2;
    ms->sample_locations.grid = (VkExtent2D){1, 1};
    ms->sample_locations.count = 2;
    ms->sample_locations.at[0] = (VkSampleLocationEXT){0.0f, 0.9375f};
    ms->sample_locations.at[1] = (VkSampleLocationEXT){0.5f, 0.5625f};
    radeon_emit_sample_locations(&cmd);
    EXPECT(AMD_REG_PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_0, 0x00001078); /* (-8, 7) and (0, 1) */
    EXPECT(AMD_REG_PA_SC_CENTROID_PRIORITY_0, 0x01010101);
}

/* ---- tests and blending ---- */

static void test_depth_and_stencil(void **state)
{
    (void)state;
    struct vk_depth_stencil_state *ds = &cmd.vk.rec->dynamic_state.ds;
    ds->depth_test_enable = ds->depth_write_enable = ds->stencil_test_enable = true;
    ds->depth_compare_op = VK_COMPARE_OP_LESS;
    radeon_emit_depth_control(&cmd);
    EXPECT(AMD_REG_DB_DEPTH_CONTROL, 0); /* there is nothing to test against */
    cmd.graphics->traits = radeon_depth_traits(VK_FORMAT_UNDEFINED, VK_FORMAT_S8_UINT);
    for (int face = 0; face < 2; face++) {
        ds->stencil_ops[face] = (struct vk_stencil_ops){VK_STENCIL_OP_INVERT, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP,
                                                        VK_COMPARE_OP_ALWAYS};
        ds->stencil_reference[face] = 90;
        ds->stencil_compare_mask[face] = ds->stencil_write_mask[face] = 0xff;
    }
    radeon_emit_depth_control(&cmd);
    radeon_emit_stencil(&cmd);
    EXPECT(AMD_REG_DB_DEPTH_CONTROL, 0x00700781);
    EXPECT(AMD_REG_DB_STENCIL_CONTROL, 0x00037037);
    EXPECT(AMD_REG_DB_STENCILREFMASK, 0x01ffff5a);
    EXPECT(AMD_REG_DB_STENCILREFMASK_BF, 0x01ffff5a);
}

static void test_blending(void **state)
{
    (void)state;
    struct vk_color_blend_state *cb = &cmd.vk.rec->dynamic_state.cb;
    cmd.graphics->traits = radeon_color_traits(0, VK_FORMAT_R8G8B8A8_UNORM);
    cb->blend_enables = 1;
    cb->write_masks[0] = 0xf;
    cb->equations[0] = (struct vk_blend_equation){VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE,  VK_BLEND_OP_ADD,
                                                  VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD};
    radeon_emit_blend(&cmd);
    radeon_emit_color_control(&cmd);
    EXPECT(AMD_REG_CB_BLEND_CONTROL, 0x60040104);
    EXPECT(AMD_REG_CB_TARGET_MASK, 0xf);
    cb->equations[0].color_op = cb->equations[0].alpha_op = VK_BLEND_OP_MIN;
    cb->equations[0].dst_alpha = VK_BLEND_FACTOR_ONE;
    radeon_emit_blend(&cmd);
    EXPECT(AMD_REG_CB_BLEND_CONTROL, 0x40000141); /* factors of a minimum are one */
    cmd.graphics->traits = radeon_color_traits(0, VK_FORMAT_R8G8B8A8_UINT);
    radeon_emit_blend(&cmd);
    EXPECT(AMD_REG_CB_BLEND_CONTROL, 0); /* integers do not blend */
}

static void test_logic(void **state)
{
    (void)state;
    struct vk_color_blend_state *cb = &cmd.vk.rec->dynamic_state.cb;
    cmd.graphics->traits =
        radeon_color_traits(0, VK_FORMAT_R8G8B8A8_UNORM) | radeon_color_traits(1, VK_FORMAT_R16G16B16A16_SFLOAT);
    cb->logic_op_enable = true;
    cb->logic_op = VK_LOGIC_OP_XOR;
    cb->blend_enables = 3;
    cb->write_masks[0] = cb->write_masks[1] = 0xf;
    radeon_emit_blend(&cmd);
    radeon_emit_color_control(&cmd);
    EXPECT(AMD_REG_CB_BLEND_CONTROL, 0);            /* instead of blending */
    EXPECT(AMD_REG_CB_BLEND_CONTROL + 4, 1u << 31); /* and never on floats */
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_CONTROL, ROP3, written(AMD_REG_CB_COLOR_CONTROL)), AMD_ROP3_XOR);
}

static void test_nothing_to_write(void **state)
{
    (void)state;
    struct vk_color_blend_state *cb = &cmd.vk.rec->dynamic_state.cb;
    cmd.graphics->traits = radeon_color_traits(0, VK_FORMAT_R8G8B8A8_UNORM);
    cb->write_masks[0] = 0xf;
    cb->color_write_enables = 0;
    radeon_emit_color_control(&cmd);
    EXPECT(AMD_REG_CB_TARGET_MASK, 0);
    assert_int_equal(AMD_GET(RADEON_GFX, CB_COLOR_CONTROL, MODE, written(AMD_REG_CB_COLOR_CONTROL)),
                     AMD_CB_MODE_DISABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_viewport, set_up),
        cmocka_unit_test_setup(test_viewport_limits_scissor, set_up),
        cmocka_unit_test_setup(test_empty_scissor, set_up),
        cmocka_unit_test_setup(test_depth_range, set_up),
        cmocka_unit_test_setup(test_wide_points_stay, set_up),
        cmocka_unit_test_setup(test_discard_rectangles, set_up),
        cmocka_unit_test_setup(test_polygons, set_up),
        cmocka_unit_test_setup(test_lines, set_up),
        cmocka_unit_test_setup(test_conservative, set_up),
        cmocka_unit_test_setup(test_samples, set_up),
        cmocka_unit_test_setup(test_own_locations, set_up),
        cmocka_unit_test_setup(test_depth_and_stencil, set_up),
        cmocka_unit_test_setup(test_blending, set_up),
        cmocka_unit_test_setup(test_logic, set_up),
        cmocka_unit_test_setup(test_nothing_to_write, set_up),
    };
    return cmocka_run_group_tests_name("radeon state", tests, NULL, NULL);
}
