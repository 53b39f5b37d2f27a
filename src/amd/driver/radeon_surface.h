/* Colour and depth targets: the register values that make a view one, ready to be written. What depends on the place in
 * the framebuffer or on a layout is filled in when they are written. */
#ifndef AMD_DRIVER_RADEON_SURFACE_H
#define AMD_DRIVER_RADEON_SURFACE_H

#include "amd/driver/radeon_cs.h"
#include "vulkan/runtime/object/vk_api.h"

struct radeon_image_view;
struct radeon_image_view_options;

/* CB_COLOR#_*. */
struct radeon_color_target {
    uint64_t base_va, cmask_va, fmask_va,
        dcc_va; /* multiples of 256 with the pipe/bank bits in 8 and up; absent ones 0 */
    uint32_t view, info, attrib, attrib2, attrib3, dcc_control;
};

/* DB_*. */
struct radeon_depth_target {
    uint64_t z_va, stencil_va, htile_va;
    uint64_t clear_va; /* where the values of the last fast clear are: stencil, depth; 0: there are none */
    uint32_t z_info, stencil_info, depth_view, depth_size, htile_surface;
    uint32_t poly_offset_db_fmt_cntl; /* PA_SU_POLY_OFFSET_DB_FMT_CNTL */
};

void radeon_color_target_init(struct radeon_color_target *target, const struct radeon_image_view *view,
                              const struct radeon_image_view_options *options);
void radeon_depth_target_init(struct radeon_depth_target *target, const struct radeon_image_view *view);

/* Into the stream, at most RADEON_TARGET_MAX_DW dwords each, which the caller has reserved. `compressed`: the layout
 * allows metadata to be used (radeon_layout_*_compressed of radeon_image.h). */
#define RADEON_TARGET_MAX_DW 48
void radeon_color_target_emit(struct radeon_cs *cs, unsigned index, const struct radeon_color_target *target,
                              bool compressed);
/* A place in the framebuffer that has no target. */
void radeon_color_target_emit_none(struct radeon_cs *cs, unsigned index);
/* `read_only` of an aspect lets the hardware skip writes: its layout says so. */
void radeon_depth_target_emit(struct radeon_cs *cs, const struct radeon_depth_target *target, bool compressed,
                              bool depth_read_only, bool stencil_read_only);
/* HTILE of a rendering's own that holds shading rates, in place of the image's: with bits for stencil, whatever there
 * is. */
void radeon_depth_target_set_rates(struct radeon_depth_target *target, uint32_t samples, uint64_t htile_va);
void radeon_depth_target_emit_none(struct radeon_cs *cs);

#endif
