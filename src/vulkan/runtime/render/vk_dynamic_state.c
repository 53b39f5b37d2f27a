/* The commands that set graphics state and are more than an assignment; the plain ones are generated from
 * dynamic_state.table. And binding: copying a pipeline's static rows. A row becomes dirty when its value changes. */
#include "vulkan/runtime/render/vk_dynamic_state.h"

#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"

/* How many of an array's elements from `first` on there is room for: all, unless a limit was not kept. */
static uint32_t room(uint32_t first, uint32_t count, uint32_t max)
{
    return first >= max ? 0 : MIN2(count, max - first);
}

/* Write an array of plain elements; whether nothing changed. */
static bool replace_array(void *to, const void *from, size_t size_B)
{
    if (memcmp(to, from, size_B) == 0)
        return true;
    memcpy(to, from, size_B);
    return false;
}

void vk_dynamic_state_refuse(VkCommandBuffer handle, const char *command, const char *extension)
{
    LOG_ERROR("vulkan", "%s was called, but %s is not offered", command, extension);
    vk_command_buffer_set_error(vk_command_buffer_from_handle(handle), VK_ERROR_UNKNOWN);
}

/* ---- binding ---- */

static void apply_pending_strides(struct vk_dynamic_graphics_state *dyn)
{
    bool same = true;
    bits_foreach (dyn->pending_stride_mask, i) {
        same &= dyn->vi.strides_B[i] == dyn->pending_strides_B[i];
        dyn->vi.strides_B[i] = dyn->pending_strides_B[i];
    }
    dyn->pending_stride_mask = 0;
    vk_dynamic_row_set(dyn, VK_DYN_BINDING_STRIDES, same);
}

/* The rows of a pipeline besides those that a driver has baked: mostly these alone. */
#define FEW_ROWS (VK_DYN(PRIMITIVE_RESTART) | VK_DYN(SAMPLES))

static inline uint64_t rows_differ(const struct vk_dynamic_graphics_state *a, const struct vk_dynamic_graphics_state *b,
                                   uint64_t rows)
{
    if (rows & ~FEW_ROWS)
        return vk_dynamic_rows_differ(a, b, rows);
    return rows & ((a->ia.primitive_restart != b->ia.primitive_restart ? VK_DYN(PRIMITIVE_RESTART) : 0) |
                   (a->ms.samples != b->ms.samples ? VK_DYN(SAMPLES) : 0));
}

void vk_dynamic_graphics_state_bind(struct vk_dynamic_graphics_state *dst, const struct vk_dynamic_graphics_state *src,
                                    uint64_t left)
{
    uint64_t rows = src->set & ~left, changed = rows & ~dst->set;
    if (rows) {
        changed |= rows_differ(dst, src, rows & ~changed);
        if (changed)
            vk_dynamic_rows_copy(dst, src, changed);
    }
    dst->set = (dst->set | rows) & ~left;
    dst->dirty = (dst->dirty | changed) & ~left;
    dst->fixed = src->fixed;
    if (dst->pending_stride_mask && !(src->fixed & VK_DYN(BINDING_STRIDES)))
        apply_pending_strides(dst);
}

/* ---- vertex input ---- */

void vk_cmd_set_vertex_binding_strides(struct vk_command_buffer *command_buffer, uint32_t first, uint32_t count,
                                       const VkDeviceSize *strides)
{
    struct vk_dynamic_graphics_state *dyn = &command_buffer->rec->dynamic_state;
    if (!strides)
        return;
    count = room(first, count, VK_MAX_VERTEX_BINDINGS);
    for (uint32_t i = 0; i < count; i++)
        dyn->pending_strides_B[first + i] = (uint32_t)strides[i];
    dyn->pending_stride_mask |= (uint32_t)(bits_mask(count) << first);
    if (dyn->pending_stride_mask && !(dyn->fixed & VK_DYN(BINDING_STRIDES)))
        apply_pending_strides(dyn);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetVertexInputEXT(VkCommandBuffer handle, uint32_t binding_count,
                                                          const VkVertexInputBindingDescription2EXT *bindings,
                                                          uint32_t attribute_count,
                                                          const VkVertexInputAttributeDescription2EXT *attributes)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    struct vk_vertex_input_state vi;
    memset(&vi, 0, sizeof(vi));
    for (uint32_t i = 0; i < binding_count; i++) {
        uint32_t binding = bindings[i].binding;
        if (binding >= VK_MAX_VERTEX_BINDINGS)
            continue;
        vi.binding_mask |= 1u << binding;
        vi.bindings[binding].input_rate = (uint8_t)bindings[i].inputRate;
        vi.bindings[binding].divisor = bindings[i].divisor;
        vi.strides_B[binding] = bindings[i].stride;
    }
    for (uint32_t i = 0; i < attribute_count; i++) {
        uint32_t location = attributes[i].location;
        if (location >= VK_MAX_VERTEX_ATTRIBUTES)
            continue;
        vi.attribute_mask |= 1u << location;
        vi.attributes[location].format = attributes[i].format;
        vi.attributes[location].offset_B = attributes[i].offset;
        vi.attributes[location].binding = (uint8_t)attributes[i].binding;
    }
    size_t layout_size_B = offsetof(struct vk_vertex_input_state, strides_B);
    vk_dynamic_row_set(dyn, VK_DYN_VERTEX_INPUT, replace_array(&dyn->vi, &vi, layout_size_B));
    vk_dynamic_row_set(dyn, VK_DYN_BINDING_STRIDES,
                       replace_array(dyn->vi.strides_B, vi.strides_B, sizeof(vi.strides_B)));
    dyn->pending_stride_mask = 0;
}

/* ---- viewports, scissors, discard rectangles ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetViewport(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                    const VkViewport *viewports)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    count = room(first, count, VK_MAX_VIEWPORTS);
    bool same = replace_array(dyn->vp.viewports + first, viewports, count * sizeof(*viewports));
    vk_dynamic_row_set(dyn, VK_DYN_VIEWPORTS, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetViewportWithCount(VkCommandBuffer handle, uint32_t count,
                                                             const VkViewport *viewports)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = dyn->vp.viewport_count == count;
    dyn->vp.viewport_count = (uint8_t)MIN2(count, VK_MAX_VIEWPORTS);
    vk_dynamic_row_set(dyn, VK_DYN_VIEWPORT_COUNT, same);
    vk_common_CmdSetViewport(handle, 0, count, viewports);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetScissor(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                   const VkRect2D *scissors)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    count = room(first, count, VK_MAX_VIEWPORTS);
    bool same = replace_array(dyn->vp.scissors + first, scissors, count * sizeof(*scissors));
    vk_dynamic_row_set(dyn, VK_DYN_SCISSORS, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetScissorWithCount(VkCommandBuffer handle, uint32_t count,
                                                            const VkRect2D *scissors)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = dyn->vp.scissor_count == count;
    dyn->vp.scissor_count = (uint8_t)MIN2(count, VK_MAX_VIEWPORTS);
    vk_dynamic_row_set(dyn, VK_DYN_SCISSOR_COUNT, same);
    vk_common_CmdSetScissor(handle, 0, count, scissors);
}

/* Nothing says how many rectangles there are then: those that no command has set are empty and change nothing. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetDiscardRectangleEnableEXT(VkCommandBuffer handle, VkBool32 enable)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    const uint8_t is_on = enable != VK_FALSE, count = is_on ? VK_MAX_DISCARD_RECTANGLES : 0;
    const bool same = dyn->dr.is_on == is_on && dyn->dr.count == count;
    dyn->dr.is_on = is_on;
    dyn->dr.count = count;
    vk_dynamic_row_set(dyn, VK_DYN_DISCARD_RECTANGLE_ENABLE, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetDiscardRectangleEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                               const VkRect2D *rectangles)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    count = room(first, count, VK_MAX_DISCARD_RECTANGLES);
    /* Of an earlier recording. */
    if (!(dyn->set & VK_DYN(DISCARD_RECTANGLES)))
        memset(dyn->dr.rectangles, 0, sizeof(dyn->dr.rectangles));
    bool same = replace_array(dyn->dr.rectangles + first, rectangles, count * sizeof(*rectangles));
    vk_dynamic_row_set(dyn, VK_DYN_DISCARD_RECTANGLES, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetFragmentShadingRateKHR(VkCommandBuffer handle,
                                                                  const VkExtent2D *fragment_size,
                                                                  const VkFragmentShadingRateCombinerOpKHR combiners[2])
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = replace_array(&dyn->fsr.fragment_size, fragment_size, sizeof(*fragment_size));
    same &= replace_array(dyn->fsr.combiners, combiners, sizeof(dyn->fsr.combiners));
    vk_dynamic_row_set(dyn, VK_DYN_FRAGMENT_SHADING_RATE, same);
}

/* ---- multisampling ---- */

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetSampleMaskEXT(VkCommandBuffer handle, VkSampleCountFlagBits samples,
                                                         const VkSampleMask *mask)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    uint64_t all = mask ? mask[0] | (samples > 32 ? (uint64_t)mask[1] << 32 : 0) : UINT64_MAX;
    bool same = dyn->ms.sample_mask == all;
    dyn->ms.sample_mask = all;
    vk_dynamic_row_set(dyn, VK_DYN_SAMPLE_MASK, same);
}

void vk_sample_locations_set(struct vk_sample_locations *locations, const VkSampleLocationsInfoEXT *info)
{
    locations->samples = info->sampleLocationsPerPixel;
    locations->grid = info->sampleLocationGridSize;
    locations->count = MIN2(info->sampleLocationsCount, VK_MAX_SAMPLE_LOCATIONS);
    memcpy(locations->at, info->pSampleLocations, locations->count * sizeof(locations->at[0]));
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetSampleLocationsEXT(VkCommandBuffer handle,
                                                              const VkSampleLocationsInfoEXT *info)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    struct vk_sample_locations locations;
    memset(&locations, 0, sizeof(locations));
    vk_sample_locations_set(&locations, info);
    bool same = replace_array(&dyn->ms.sample_locations, &locations, sizeof(locations));
    vk_dynamic_row_set(dyn, VK_DYN_SAMPLE_LOCATIONS, same);
}

/* ---- depth and stencil ---- */

/* One value for the faces named; whether nothing changed. */
static bool set_faces(uint8_t pair[2], VkStencilFaceFlags faces, uint32_t value)
{
    uint8_t old[2] = {pair[0], pair[1]};
    if (faces & VK_STENCIL_FACE_FRONT_BIT)
        pair[VK_STENCIL_FRONT] = (uint8_t)value;
    if (faces & VK_STENCIL_FACE_BACK_BIT)
        pair[VK_STENCIL_BACK] = (uint8_t)value;
    return memcmp(old, pair, sizeof(old)) == 0;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetStencilCompareMask(VkCommandBuffer handle, VkStencilFaceFlags faces,
                                                              uint32_t mask)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    vk_dynamic_row_set(dyn, VK_DYN_STENCIL_COMPARE_MASK, set_faces(dyn->ds.stencil_compare_mask, faces, mask));
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetStencilWriteMask(VkCommandBuffer handle, VkStencilFaceFlags faces,
                                                            uint32_t mask)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    vk_dynamic_row_set(dyn, VK_DYN_STENCIL_WRITE_MASK, set_faces(dyn->ds.stencil_write_mask, faces, mask));
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetStencilReference(VkCommandBuffer handle, VkStencilFaceFlags faces,
                                                            uint32_t reference)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    vk_dynamic_row_set(dyn, VK_DYN_STENCIL_REFERENCE, set_faces(dyn->ds.stencil_reference, faces, reference));
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetStencilOp(VkCommandBuffer handle, VkStencilFaceFlags faces, VkStencilOp fail,
                                                     VkStencilOp pass, VkStencilOp depth_fail, VkCompareOp compare)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    struct vk_stencil_ops ops = {(uint8_t)fail, (uint8_t)pass, (uint8_t)depth_fail, (uint8_t)compare};
    bool same = true;
    if (faces & VK_STENCIL_FACE_FRONT_BIT)
        same &= replace_array(&dyn->ds.stencil_ops[VK_STENCIL_FRONT], &ops, sizeof(ops));
    if (faces & VK_STENCIL_FACE_BACK_BIT)
        same &= replace_array(&dyn->ds.stencil_ops[VK_STENCIL_BACK], &ops, sizeof(ops));
    vk_dynamic_row_set(dyn, VK_DYN_STENCIL_OP, same);
}

/* ---- colour ---- */

/* Bits `first` and following of an attachment mask; whether nothing changed. */
static bool set_attachment_bits(uint8_t *mask, uint32_t first, uint32_t count, const VkBool32 *values)
{
    uint8_t old = *mask;
    count = room(first, count, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < count; i++)
        *mask = (uint8_t)bits_set(*mask, first + i, 1, values[i] != VK_FALSE);
    return *mask == old;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetColorWriteEnableEXT(VkCommandBuffer handle, uint32_t count,
                                                               const VkBool32 *enables)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = set_attachment_bits(&dyn->cb.color_write_enables, 0, count, enables);
    vk_dynamic_row_set(dyn, VK_DYN_COLOR_WRITE_ENABLE, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetColorBlendEnableEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                               const VkBool32 *enables)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = set_attachment_bits(&dyn->cb.blend_enables, first, count, enables);
    vk_dynamic_row_set(dyn, VK_DYN_BLEND_ENABLE, same);
}

struct vk_blend_equation vk_blend_equation_of(const VkColorBlendEquationEXT *equation)
{
    return (struct vk_blend_equation){
        .src_color = (uint8_t)equation->srcColorBlendFactor,
        .dst_color = (uint8_t)equation->dstColorBlendFactor,
        .color_op = (uint8_t)equation->colorBlendOp,
        .src_alpha = (uint8_t)equation->srcAlphaBlendFactor,
        .dst_alpha = (uint8_t)equation->dstAlphaBlendFactor,
        .alpha_op = (uint8_t)equation->alphaBlendOp,
    };
}

/* An equation takes the place of an advanced operation and the other way round. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetColorBlendEquationEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                                 const VkColorBlendEquationEXT *equations)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = true, was_advanced = false;
    count = room(first, count, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_blend_equation equation = vk_blend_equation_of(&equations[i]);
        same &= replace_array(&dyn->cb.equations[first + i], &equation, sizeof(equation));
        was_advanced |= dyn->cb.advanced[first + i].op != 0;
        dyn->cb.advanced[first + i].op = 0;
    }
    vk_dynamic_row_set(dyn, VK_DYN_BLEND_EQUATION, same);
    if (was_advanced)
        vk_dynamic_row_set(dyn, VK_DYN_BLEND_ADVANCED, false);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetColorBlendAdvancedEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                                 const VkColorBlendAdvancedEXT *advanced)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = true;
    count = room(first, count, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < count; i++) {
        struct vk_blend_advanced value = {
            .op = advanced[i].advancedBlendOp,
            .overlap = (uint8_t)advanced[i].blendOverlap,
            .src_premultiplied = advanced[i].srcPremultiplied,
            .dst_premultiplied = advanced[i].dstPremultiplied,
            .clamp = advanced[i].clampResults,
        };
        same &= replace_array(&dyn->cb.advanced[first + i], &value, sizeof(value));
    }
    vk_dynamic_row_set(dyn, VK_DYN_BLEND_ADVANCED, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetColorWriteMaskEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                             const VkColorComponentFlags *masks)
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    bool same = true;
    count = room(first, count, VK_MAX_COLOR_ATTACHMENTS);
    for (uint32_t i = 0; i < count; i++) {
        same &= dyn->cb.write_masks[first + i] == masks[i];
        dyn->cb.write_masks[first + i] = (uint8_t)masks[i];
    }
    vk_dynamic_row_set(dyn, VK_DYN_COLOR_WRITE_MASK, same);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetBlendConstants(VkCommandBuffer handle, const float constants[4])
{
    struct vk_dynamic_graphics_state *dyn = vk_command_buffer_dynamic_state(handle);
    vk_dynamic_row_set(dyn, VK_DYN_BLEND_CONSTANTS,
                       replace_array(dyn->cb.constants, constants, sizeof(dyn->cb.constants)));
}
