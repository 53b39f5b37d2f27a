/* The registers of the depth backend, unpacked once per draw. */
#include "amd/model/db/db.h"

#include "amd/hw/regs_cb.h"
#include "amd/model/register_fields.h"
#include "util/bits.h"

/* The registers have the shared room's codes. */
_Static_assert((int)AMD_COMPARE_LESS == (int)PIXEL_LESS && (int)AMD_COMPARE_EQUAL == (int)PIXEL_EQUAL &&
                   (int)AMD_COMPARE_GREATER == (int)PIXEL_GREATER && (int)AMD_COMPARE_ALWAYS == (int)PIXEL_ALWAYS,
               "comparisons");
_Static_assert((int)AMD_STENCIL_OP_REPLACE_TEST == (int)PIXEL_STENCIL_REFERENCE &&
                   (int)AMD_STENCIL_OP_REPLACE_OP == (int)PIXEL_STENCIL_OPERAND &&
                   (int)AMD_STENCIL_OP_INVERT == (int)PIXEL_STENCIL_INVERT &&
                   (int)AMD_STENCIL_OP_XNOR == (int)PIXEL_STENCIL_XNOR,
               "stencil operations");

static void read_stencil(struct db_state *state, enum amd_gfx gfx, const struct cp_registers *registers,
                         struct amd_DB_DEPTH_CONTROL control)
{
    struct amd_DB_STENCIL_CONTROL ops = GET(DB_STENCIL_CONTROL);
    struct amd_DB_STENCILREFMASK front = GET(DB_STENCILREFMASK);
    struct amd_DB_STENCILREFMASK_BF back = GET(DB_STENCILREFMASK_BF);
    state->faces[0] = (struct db_stencil_face){
        .function = control.STENCILFUNC,
        .fail = ops.STENCILFAIL,
        .pass = ops.STENCILZPASS,
        .depth_fail = ops.STENCILZFAIL,
        .reference = (uint8_t)front.STENCILTESTVAL,
        .mask = (uint8_t)front.STENCILMASK,
        .write_mask = (uint8_t)front.STENCILWRITEMASK,
        .op_value = (uint8_t)front.STENCILOPVAL,
    };
    state->faces[1] = state->faces[0];
    if (control.BACKFACE_ENABLE)
        state->faces[1] = (struct db_stencil_face){
            .function = control.STENCILFUNC_BF,
            .fail = ops.STENCILFAIL_BF,
            .pass = ops.STENCILZPASS_BF,
            .depth_fail = ops.STENCILZFAIL_BF,
            .reference = (uint8_t)back.STENCILTESTVAL_BF,
            .mask = (uint8_t)back.STENCILMASK_BF,
            .write_mask = (uint8_t)back.STENCILWRITEMASK_BF,
            .op_value = (uint8_t)back.STENCILOPVAL_BF,
        };
}

static const char *read_surfaces(struct db_state *state, struct db_surfaces *surfaces, const struct amd_chip *chip,
                                 const struct cp_registers *registers)
{
    enum amd_gfx gfx = chip->gfx;
    struct amd_DB_Z_INFO z = GET(DB_Z_INFO);
    struct amd_DB_STENCIL_INFO s = GET(DB_STENCIL_INFO);
    struct amd_DB_DEPTH_VIEW view = GET(DB_DEPTH_VIEW);
    struct amd_DB_DEPTH_SIZE_XY size = GET(DB_DEPTH_SIZE_XY);
    state->slice_start = view.SLICE_START | view.SLICE_START_HI << 11;
    state->slice_max = view.SLICE_MAX | view.SLICE_MAX_HI << 11;
    state->z_format = z.FORMAT;
    state->samples_log2 = z.NUM_SAMPLES;
    if (z.PARTIALLY_RESIDENT || s.PARTIALLY_RESIDENT)
        return "partially resident depth (DB_Z_INFO)";
    struct amd_surface_desc desc = {
        .dim = AMD_DIM_2D,
        .width = size.X_MAX + 1,
        .height = size.Y_MAX + 1,
        .slices = state->slice_max + 1,
        .samples = (uint8_t)(1u << z.NUM_SAMPLES),
        .levels = (uint8_t)(z.MAXMIP + 1),
    };
    if (z.FORMAT != AMD_Z_FORMAT_INVALID) {
        uint64_t write = cb_surface_va(GET_WORD(DB_Z_WRITE_BASE), GET_WORD(DB_Z_WRITE_BASE_HI));
        uint64_t read = cb_surface_va(GET_WORD(DB_Z_READ_BASE), GET_WORD(DB_Z_READ_BASE_HI));
        if (write != read)
            return "depth read from another place than it is written to (DB_Z_READ_BASE)";
        desc.swizzle = (enum amd_swizzle)z.SW_MODE;
        desc.element_B = z.FORMAT == AMD_Z_FORMAT_16 ? 2 : 4;
        const char *why = amd_cb_surface_set(&surfaces->z, chip->gb_addr_config, desc, write, view.MIPID);
        if (why)
            return why;
        state->z = &surfaces->z;
    }
    if (s.FORMAT != AMD_STENCIL_FORMAT_INVALID) {
        uint64_t write = cb_surface_va(GET_WORD(DB_STENCIL_WRITE_BASE), GET_WORD(DB_STENCIL_WRITE_BASE_HI));
        uint64_t read = cb_surface_va(GET_WORD(DB_STENCIL_READ_BASE), GET_WORD(DB_STENCIL_READ_BASE_HI));
        if (write != read)
            return "stencil read from another place than it is written to (DB_STENCIL_READ_BASE)";
        desc.swizzle = (enum amd_swizzle)s.SW_MODE;
        desc.element_B = 1;
        const char *why = amd_cb_surface_set(&surfaces->s, chip->gb_addr_config, desc, write, view.MIPID);
        if (why)
            return why;
        state->s = &surfaces->s;
    }
    if (z.TILE_SURFACE_ENABLE) {
        const char *why = amd_db_htile_init(state, surfaces, gfx, registers);
        if (why)
            return why;
    }
    if (view.Z_READ_ONLY)
        state->z_write = false;
    if (view.STENCIL_READ_ONLY)
        state->faces[0].write_mask = state->faces[1].write_mask = 0;
    return NULL;
}

/* Tests stand before the shader unless it changes what is tested, or the registers say so. With a shader that may kill,
 * the hardware tests early and writes late; testing late alone gives the same picture. */
static bool is_early(const struct db_state *state, struct amd_DB_SHADER_CONTROL control)
{
    if (control.DEPTH_BEFORE_SHADER)
        return true;
    return control.Z_ORDER != AMD_Z_ORDER_LATE_Z && !state->z_export && !state->stencil_export && !state->mask_export &&
           !state->kill && !state->coverage_to_mask;
}

const char *amd_db_state_init(struct db_state *state, struct db_surfaces *surfaces, const struct amd_chip *chip,
                              const struct cp_registers *registers)
{
    enum amd_gfx gfx = chip->gfx;
    struct amd_DB_DEPTH_CONTROL control = GET(DB_DEPTH_CONTROL);
    struct amd_DB_SHADER_CONTROL shader = GET(DB_SHADER_CONTROL);
    struct amd_DB_RENDER_CONTROL render = GET(DB_RENDER_CONTROL);
    struct amd_DB_COUNT_CONTROL count = GET(DB_COUNT_CONTROL);
    *state = (struct db_state){
        .z_test = control.Z_ENABLE,
        .z_write = control.Z_ENABLE && control.Z_WRITE_ENABLE,
        .bounds_test = control.DEPTH_BOUNDS_ENABLE,
        .stencil_test = control.STENCIL_ENABLE,
        .z_func = control.ZFUNC,
        .bounds_min = GET(DB_DEPTH_BOUNDS_MIN).VALUE,
        .bounds_max = GET(DB_DEPTH_BOUNDS_MAX).VALUE,
        .clamp = !GET(DB_RENDER_OVERRIDE).DISABLE_VIEWPORT_CLAMP,
        .z_export = shader.Z_EXPORT_ENABLE,
        .stencil_export = shader.STENCIL_TEST_VAL_EXPORT_ENABLE,
        .mask_export = shader.MASK_EXPORT_ENABLE,
        .kill = shader.KILL_ENABLE,
        .coverage_to_mask = shader.COVERAGE_TO_MASK_ENABLE ||
                            (GET(DB_ALPHA_TO_MASK).ALPHA_TO_MASK_ENABLE && !shader.ALPHA_TO_MASK_DISABLE),
        .ps_off = render.PS_INVOKE_DISABLE,
        .expand = render.DEPTH_COMPRESS_DISABLE || render.STENCIL_COMPRESS_DISABLE || render.DECOMPRESS_ENABLE,
        .clear_depth = render.DEPTH_CLEAR_ENABLE,
        .clear_stencil = render.STENCIL_CLEAR_ENABLE,
        .clear_z = GET(DB_DEPTH_CLEAR).VALUE,
        .clear_s = (uint8_t)GET(DB_STENCIL_CLEAR).CLEAR,
        .count = !count.ZPASS_INCREMENT_DISABLE && count.ZPASS_ENABLE,
    };
    read_stencil(state, gfx, registers, control);
    if (shader.STENCIL_OP_VAL_EXPORT_ENABLE)
        return "a stencil operand from the shader (DB_SHADER_CONTROL)";
    const char *why = read_surfaces(state, surfaces, chip, registers);
    if (why)
        return why;
    if (!state->z)
        state->z_test = state->z_write = state->bounds_test = false;
    if (!state->s)
        state->stencil_test = false;
    state->early = is_early(state, shader);
    return NULL;
}
