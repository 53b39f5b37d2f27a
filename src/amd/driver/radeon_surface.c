/* Register values of colour and depth targets. */
#include "amd/driver/radeon_surface.h"

#include "amd/driver/radeon_image.h"
#include "amd/hw/enums.h"
#include "amd/hw/regs_cb.h"
#include "amd/hw/regs_db.h"
#include "amd/hw/regs_pa.h"

/* ---- colour ---- */

static uint32_t color_info(const struct radeon_image_view *view, const struct radeon_format *format)
{
    const struct radeon_image *image = view->image;
    uint8_t number = format->color.number;
    bool norm = number == AMD_NUMBER_TYPE_UNORM || number == AMD_NUMBER_TYPE_SNORM || number == AMD_NUMBER_TYPE_SRGB;
    return AMD_PACK(RADEON_GFX, CB_COLOR_INFO, .FORMAT = format->color.format, .NUMBER_TYPE = number,
                    .COMP_SWAP = format->color.swap, .BLEND_CLAMP = norm,
                    .BLEND_BYPASS = number == AMD_NUMBER_TYPE_UINT || number == AMD_NUMBER_TYPE_SINT,
                    .SIMPLE_FLOAT = true, .ROUND_MODE = !norm, .COMPRESSION = image->fmask_enabled,
                    .FMASK_COMPRESS_1FRAG_ONLY = image->fmask_enabled, /* shaders of ours read it */
                    .FAST_CLEAR = image->cmask.enabled);
}

/* Small pixels with several samples must not be gathered into blocks that span pixels of other backends. */
static enum amd_DCC_BLOCK max_uncompressed_block(const struct radeon_image *image)
{
    unsigned element_B = image->planes[0].surface.element_B;
    if (image->vk.samples > 1 && element_B == 1)
        return AMD_DCC_BLOCK_64B;
    if (image->vk.samples > 1 && element_B == 2)
        return AMD_DCC_BLOCK_128B;
    return AMD_DCC_BLOCK_256B;
}

static void color_metadata(struct radeon_color_target *target, const struct radeon_image_view *view,
                           const struct radeon_image_view_options *options)
{
    const struct radeon_image *image = view->image;
    if (image->cmask.enabled)
        target->cmask_va = image->vk.memory[0].va + image->cmask.range.offset_B;
    if (image->fmask_enabled)
        target->fmask_va = (image->vk.memory[0].va + image->fmask.offset_B) | (uint64_t)image->fmask.pipe_bank_xor << 8;
    if (!radeon_dcc_enabled(image, view->vk.base_level))
        return;
    uint64_t xor_B = (uint64_t)image->planes[0].surface.pipe_bank_xor << 8 & (image->dcc.range.align_B - 1);
    target->dcc_va = (image->vk.memory[0].va + image->dcc.range.offset_B) | xor_B;
    target->dcc_control =
        AMD_PACK(RADEON_GFX, CB_COLOR_DCC_CONTROL, .MAX_UNCOMPRESSED_BLOCK_SIZE = max_uncompressed_block(image),
                 .MAX_COMPRESSED_BLOCK_SIZE = AMD_DCC_BLOCK_128B, .MIN_COMPRESSED_BLOCK_SIZE = AMD_DCC_MIN_BLOCK_32B,
                 .INDEPENDENT_128B_BLOCKS = true);
    if (!options->no_dcc_target)
        target->info |= AMD_PACK(RADEON_GFX, CB_COLOR_INFO, .DCC_ENABLE = true);
}

/* The last slice that a view reaches, counted in the image. */
static uint32_t last_slice(const struct radeon_image_view *view)
{
    if (view->vk.type == VK_IMAGE_VIEW_TYPE_3D)
        return vk_image_level_extent(&view->image->vk, view->vk.base_level).depth - 1;
    return view->vk.base_layer + view->vk.layer_count - 1;
}

void radeon_color_target_init(struct radeon_color_target *target, const struct radeon_image_view *view,
                              const struct radeon_image_view_options *options)
{
    const struct radeon_image *image = view->image;
    const struct radeon_surface *surface = &image->planes[view->plane].surface;
    const struct radeon_format *format = radeon_format(view->format);
    unsigned samples_log2 = log2_floor(image->vk.samples);
    bool alone = view->alone.valid;
    uint64_t va = image->vk.memory[view->plane].va + surface->offset_B + view->alone.offset_B;
    uint32_t xor_256B = alone ? view->alone.pipe_bank_xor : surface->pipe_bank_xor;
    /* CMASK of FMASK; where there is none, the number must still be one of the Z modes. */
    unsigned fmask_swizzle = image->fmask.size_B ? image->fmask.swizzle : surface->swizzle & ~3u;
    *target = (struct radeon_color_target){
        .base_va = va | (uint64_t)xor_256B << 8,
        .view = AMD_PACK(RADEON_GFX, CB_COLOR_VIEW, .SLICE_START = alone ? 0 : view->vk.base_layer,
                         .SLICE_MAX = alone ? 0 : last_slice(view),
                         .MIP_LEVEL = alone ? view->alone.level : view->vk.base_level),
        .info = color_info(view, format),
        .attrib = AMD_PACK(RADEON_GFX, CB_COLOR_ATTRIB, .NUM_SAMPLES = samples_log2, .NUM_FRAGMENTS = samples_log2,
                           .FORCE_DST_ALPHA_1 = format->color.alpha_is_one),
        .attrib2 = AMD_PACK(RADEON_GFX, CB_COLOR_ATTRIB2, .MIP0_WIDTH = view->extent.width - 1,
                            .MIP0_HEIGHT = view->extent.height - 1,
                            .MAX_MIP = (alone ? view->alone.levels : image->vk.levels) - 1),
        .attrib3 =
            AMD_PACK(RADEON_GFX, CB_COLOR_ATTRIB3,
                     .MIP0_DEPTH = image->vk.type == VK_IMAGE_TYPE_3D ? view->extent.depth - 1
                                   : alone                            ? 0
                                                                      : image->vk.layers - 1,
                     .COLOR_SW_MODE = surface->swizzle, .FMASK_SW_MODE = fmask_swizzle, .RESOURCE_TYPE = surface->dim,
                     .CMASK_PIPE_ALIGNED = true, .RESOURCE_LEVEL = 1, .DCC_PIPE_ALIGNED = image->dcc.range.size_B != 0),
    };
    color_metadata(target, view, options);
}

static void set_base_ext(struct radeon_cs *cs, uint32_t reg, unsigned index, uint64_t va)
{
    radeon_set_context_reg(cs, reg + index * 4, (uint32_t)(va >> 40) & 0xff);
}

void radeon_color_target_emit(struct radeon_cs *cs, unsigned index, const struct radeon_color_target *target,
                              bool compressed)
{
    uint32_t info = target->info;
    if (!compressed) {
        struct amd_CB_COLOR_INFO fields = amd_unpack_CB_COLOR_INFO(RADEON_GFX, info);
        fields.DCC_ENABLE = fields.COMPRESSION = fields.FMASK_COMPRESS_1FRAG_ONLY = fields.FAST_CLEAR = false;
        info = amd_pack_CB_COLOR_INFO(RADEON_GFX, &fields);
    }
    uint64_t fmask_va = target->fmask_va ? target->fmask_va : target->base_va;
    radeon_set_context_reg_seq(cs, AMD_REG_CB_COLOR_BASE + index * AMD_REG_CB_COLOR_BASE_STRIDE, 11);
    radeon_emit(cs, (uint32_t)(target->base_va >> 8));
    radeon_emit(cs, 0); /* pitch and slice of older chips */
    radeon_emit(cs, 0);
    radeon_emit(cs, target->view);
    radeon_emit(cs, info);
    radeon_emit(cs, target->attrib);
    radeon_emit(cs, target->dcc_control);
    radeon_emit(cs, (uint32_t)(target->cmask_va >> 8));
    radeon_emit(cs, 0);
    radeon_emit(cs, (uint32_t)(fmask_va >> 8));
    radeon_emit(cs, 0);
    radeon_set_context_reg(cs, AMD_REG_CB_COLOR_DCC_BASE + index * AMD_REG_CB_COLOR_DCC_BASE_STRIDE,
                           (uint32_t)(target->dcc_va >> 8));
    set_base_ext(cs, AMD_REG_CB_COLOR_BASE_EXT, index, target->base_va);
    set_base_ext(cs, AMD_REG_CB_COLOR_CMASK_BASE_EXT, index, target->cmask_va);
    set_base_ext(cs, AMD_REG_CB_COLOR_FMASK_BASE_EXT, index, fmask_va);
    set_base_ext(cs, AMD_REG_CB_COLOR_DCC_BASE_EXT, index, target->dcc_va);
    radeon_set_context_reg(cs, AMD_REG_CB_COLOR_ATTRIB2 + index * 4, target->attrib2);
    radeon_set_context_reg(cs, AMD_REG_CB_COLOR_ATTRIB3 + index * 4, target->attrib3);
}

void radeon_color_target_emit_none(struct radeon_cs *cs, unsigned index)
{
    radeon_set_context_reg(cs, AMD_REG_CB_COLOR_INFO + index * AMD_REG_CB_COLOR_INFO_STRIDE,
                           AMD_PACK(RADEON_GFX, CB_COLOR_INFO, .FORMAT = AMD_COLOR_FORMAT_INVALID));
}

/* ---- depth and stencil ---- */

/* One step of depth bias: a unit in the last place of the format. */
static uint32_t depth_bias_unit(uint8_t depth)
{
    if (depth == AMD_Z_FORMAT_16)
        return AMD_PACK(RADEON_GFX, PA_SU_POLY_OFFSET_DB_FMT_CNTL, .POLY_OFFSET_NEG_NUM_DB_BITS = -16);
    if (depth == AMD_Z_FORMAT_32_FLOAT)
        return AMD_PACK(RADEON_GFX, PA_SU_POLY_OFFSET_DB_FMT_CNTL, .POLY_OFFSET_NEG_NUM_DB_BITS = -23,
                        .POLY_OFFSET_DB_IS_FLOAT_FMT = true);
    return 0;
}

/* Planes of depth that HTILE may keep for a tile and the texture units still understand, plus one. */
static unsigned decompress_on_planes(const struct radeon_image *image, const struct radeon_format *format)
{
    return (format->depth == AMD_Z_FORMAT_16 && image->vk.samples > 1 ? 2 : 4) + 1;
}

static void depth_metadata(struct radeon_depth_target *target, const struct radeon_image_view *view,
                           const struct radeon_format *format, struct amd_DB_Z_INFO *z,
                           struct amd_DB_STENCIL_INFO *stencil)
{
    const struct radeon_image *image = view->image;
    if (!radeon_htile_enabled(image, view->vk.base_level))
        return;
    z->TILE_SURFACE_ENABLE = true;
    stencil->TILE_STENCIL_DISABLE = !format->is_stencil;
    z->DECOMPRESS_ON_N_ZPLANES = decompress_on_planes(image, format);
    z->ITERATE_FLUSH = stencil->ITERATE_FLUSH = true;
    z->ITERATE_256 = stencil->ITERATE_256 = image->vk.samples > 1;
    target->htile_va = image->vk.memory[0].va + image->htile.range.offset_B;
    target->clear_va = image->vk.memory[0].va + image->clear_value_offset_B + 8ull * view->vk.base_level;
    target->htile_surface = AMD_PACK(RADEON_GFX, DB_HTILE_SURFACE, .FULL_CACHE = true, .PIPE_ALIGNED = true);
}

void radeon_depth_target_init(struct radeon_depth_target *target, const struct radeon_image_view *view)
{
    const struct radeon_image *image = view->image;
    const struct radeon_format *format = radeon_format(image->vk.format);
    uint32_t first = view->vk.base_layer, last = last_slice(view);
    struct amd_DB_Z_INFO z = {
        .FORMAT = format->depth,
        .NUM_SAMPLES = log2_floor(image->vk.samples),
        .SW_MODE = image->planes[0].surface.swizzle,
        .MAXMIP = image->vk.levels - 1,
        .ZRANGE_PRECISION = true,
    };
    struct amd_DB_STENCIL_INFO stencil = {
        .FORMAT = format->is_stencil ? AMD_STENCIL_FORMAT_8 : AMD_STENCIL_FORMAT_INVALID,
        .SW_MODE = format->is_stencil ? image->stencil.swizzle : 0,
    };
    *target = (struct radeon_depth_target){
        .z_va = image->vk.memory[0].va + image->planes[0].surface.offset_B,
        .stencil_va = image->vk.memory[0].va + image->stencil.offset_B,
        .depth_view = AMD_PACK(RADEON_GFX, DB_DEPTH_VIEW, .SLICE_START = first & 0x7ff, .SLICE_START_HI = first >> 11,
                               .SLICE_MAX = last & 0x7ff, .SLICE_MAX_HI = last >> 11, .MIPID = view->vk.base_level),
        .depth_size = AMD_PACK(RADEON_GFX, DB_DEPTH_SIZE_XY, .X_MAX = image->vk.extent.width - 1,
                               .Y_MAX = image->vk.extent.height - 1),
        .poly_offset_db_fmt_cntl = depth_bias_unit(format->depth),
    };
    depth_metadata(target, view, format, &z, &stencil);
    target->z_info = amd_pack_DB_Z_INFO(RADEON_GFX, &z);
    target->stencil_info = amd_pack_DB_STENCIL_INFO(RADEON_GFX, &stencil);
}

void radeon_depth_target_emit(struct radeon_cs *cs, const struct radeon_depth_target *target, bool compressed,
                              bool depth_read_only, bool stencil_read_only)
{
    uint32_t z_info = target->z_info;
    if (!compressed)
        z_info &= ~AMD_PACK(RADEON_GFX, DB_Z_INFO, .TILE_SURFACE_ENABLE = true);
    radeon_set_context_reg(cs, AMD_REG_DB_DEPTH_VIEW,
                           target->depth_view | AMD_PACK(RADEON_GFX, DB_DEPTH_VIEW, .Z_READ_ONLY = depth_read_only,
                                                         .STENCIL_READ_ONLY = stencil_read_only));
    radeon_set_context_reg(cs, AMD_REG_DB_HTILE_SURFACE, target->htile_surface);
    radeon_set_context_reg(cs, AMD_REG_DB_HTILE_DATA_BASE, (uint32_t)(target->htile_va >> 8));
    radeon_set_context_reg(cs, AMD_REG_DB_DEPTH_SIZE_XY, target->depth_size);
    radeon_set_context_reg_seq(cs, AMD_REG_DB_RESERVED_REG_2, 7);
    radeon_emit(cs, AMD_PACK(RADEON_GFX, DB_RESERVED_REG_2, .RESOURCE_LEVEL = 1));
    radeon_emit(cs, z_info);
    radeon_emit(cs, target->stencil_info);
    radeon_emit(cs, (uint32_t)(target->z_va >> 8));
    radeon_emit(cs, (uint32_t)(target->stencil_va >> 8));
    radeon_emit(cs, (uint32_t)(target->z_va >> 8));
    radeon_emit(cs, (uint32_t)(target->stencil_va >> 8));
    radeon_set_context_reg_seq(cs, AMD_REG_DB_Z_READ_BASE_HI, 5);
    radeon_emit(cs, (uint32_t)(target->z_va >> 40) & 0xff);
    radeon_emit(cs, (uint32_t)(target->stencil_va >> 40) & 0xff);
    radeon_emit(cs, (uint32_t)(target->z_va >> 40) & 0xff);
    radeon_emit(cs, (uint32_t)(target->stencil_va >> 40) & 0xff);
    radeon_emit(cs, (uint32_t)(target->htile_va >> 40) & 0xff);
    radeon_set_context_reg(cs, AMD_REG_PA_SU_POLY_OFFSET_DB_FMT_CNTL, target->poly_offset_db_fmt_cntl);
    if (compressed && target->clear_va)
        RADEON_PACKET(cs, LOAD_CONTEXT_REG_INDEX, .ADDR_LO = (uint32_t)target->clear_va >> 2,
                      .ADDR_HI = (uint32_t)(target->clear_va >> 32),
                      .REG_OFFSET = (AMD_REG_DB_STENCIL_CLEAR - RADEON_CONTEXT_BASE) / 4, .NUM_DWORDS = 2);
}

void radeon_depth_target_set_rates(struct radeon_depth_target *target, uint32_t samples, uint64_t htile_va)
{
    struct amd_DB_Z_INFO z = amd_unpack_DB_Z_INFO(RADEON_GFX, target->z_info);
    struct amd_DB_STENCIL_INFO stencil = amd_unpack_DB_STENCIL_INFO(RADEON_GFX, target->stencil_info);
    z.TILE_SURFACE_ENABLE = true;
    stencil.TILE_STENCIL_DISABLE = false;
    z.ITERATE_FLUSH = stencil.ITERATE_FLUSH = true;
    z.ITERATE_256 = stencil.ITERATE_256 = samples > 1;
    target->z_info = amd_pack_DB_Z_INFO(RADEON_GFX, &z);
    target->stencil_info = amd_pack_DB_STENCIL_INFO(RADEON_GFX, &stencil);
    target->htile_va = htile_va;
    target->clear_va = 0;
    target->htile_surface = AMD_PACK(RADEON_GFX, DB_HTILE_SURFACE, .FULL_CACHE = true, .PIPE_ALIGNED = true,
                                     .VRS_HTILE_ENCODING = AMD_VRS_HTILE_4BIT_ENCODING);
}

void radeon_depth_target_emit_none(struct radeon_cs *cs)
{
    radeon_set_context_reg_seq(cs, AMD_REG_DB_Z_INFO_GFX10_3, 2);
    radeon_emit(cs, AMD_PACK(RADEON_GFX, DB_Z_INFO, .FORMAT = AMD_Z_FORMAT_INVALID));
    radeon_emit(cs, AMD_PACK(RADEON_GFX, DB_STENCIL_INFO, .FORMAT = AMD_STENCIL_FORMAT_INVALID));
}
