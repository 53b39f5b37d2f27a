/* The family of the tests. */
#include "vulkan/meta/tests/soft_family.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/ir/ir_interpret.h"
#include "util/bits.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

struct soft_family soft;

/* ---- images ---- */

static unsigned surface_of(const struct soft_image *image, VkImageAspectFlags aspect)
{
    return aspect == VK_IMAGE_ASPECT_STENCIL_BIT && image->vk.aspects & VK_IMAGE_ASPECT_DEPTH_BIT;
}

static const struct format_info *aspect_info(const struct soft_image *image, VkImageAspectFlags aspect)
{
    return format_info((enum format)vk_aspect_format(image->vk.format, aspect));
}

uint32_t soft_element_B(const struct soft_image *image, VkImageAspectFlags aspect)
{
    return aspect_info(image, aspect)->block_size_B;
}

static uint32_t width_of(const struct soft_image *image, uint32_t level)
{
    const struct format_info *info = image->vk.format_info;
    return (uint32_t)div_round_up(vk_image_level_extent(&image->vk, level).width, info->block_width);
}

static uint32_t height_of(const struct soft_image *image, uint32_t level)
{
    const struct format_info *info = image->vk.format_info;
    return (uint32_t)div_round_up(vk_image_level_extent(&image->vk, level).height, info->block_height);
}

static uint32_t depth_of(const struct soft_image *image, uint32_t level)
{
    return image->vk.type == VK_IMAGE_TYPE_3D ? vk_image_level_extent(&image->vk, level).depth : image->vk.layers;
}

uint8_t *soft_texel(struct soft_image *image, VkImageAspectFlags aspect, uint32_t level, uint32_t x, uint32_t y,
                    uint32_t z, uint32_t sample)
{
    uint32_t samples = image->vk.samples;
    if (x >= width_of(image, level) || y >= height_of(image, level) || z >= depth_of(image, level) || sample >= samples)
        return NULL;
    uint64_t index = (((uint64_t)z * samples + sample) * height_of(image, level) + y) * width_of(image, level) + x;
    return image->texels[surface_of(image, aspect)][level] + index * soft_element_B(image, aspect);
}

struct soft_image *soft_image_create(struct vk_device *device, VkFormat format, VkImageType type, VkExtent3D extent,
                                     uint32_t levels, uint32_t layers, uint32_t samples)
{
    struct soft_image *image = calloc(1, sizeof(*image));
    const VkImageCreateInfo info = {.imageType = type,
                                    .format = format,
                                    .extent = extent,
                                    .mipLevels = levels,
                                    .arrayLayers = layers,
                                    .samples = (VkSampleCountFlagBits)samples};
    vk_image_init(device, &image->vk, &info);
    const VkImageAspectFlags first =
        image->vk.aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? VK_IMAGE_ASPECT_DEPTH_BIT : image->vk.aspects;
    for (uint32_t i = 0; i < levels; i++) {
        size_t texels = (size_t)width_of(image, i) * height_of(image, i) * depth_of(image, i) * samples;
        image->texels[0][i] = calloc(texels, soft_element_B(image, first));
        image->texels[1][i] = calloc(texels, 1);
    }
    return image;
}

void soft_image_destroy(struct soft_image *image)
{
    for (uint32_t i = 0; i < SOFT_MAX_LEVELS; i++) {
        free(image->texels[0][i]);
        free(image->texels[1][i]);
    }
    free(image);
}

/* ---- shaders ---- */

struct soft_shader {
    struct vk_shader vk; /* its code is a struct soft_code */
};

struct soft_code {
    struct ir_shader *ir;
    struct vk_meta_shader_info info;
};

static const struct soft_code *code_of(const struct vk_shader *shader)
{
    return (const struct soft_code *)shader->code->bytes;
}

static VkResult compile_shader(struct vk_device *device, struct ir_shader *ir, const struct vk_meta_shader_info *info,
                               struct vk_shader **shader_out)
{
    static const uint8_t key[VK_HASH_SIZE_B];
    soft.compiles++;
    if (soft.compile_result != VK_SUCCESS)
        return soft.compile_result;
    struct vk_code *code = vk_code_create(device, VK_SHADER_STAGE_COMPUTE_BIT, key, sizeof(struct soft_code));
    if (!code)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const struct soft_code content = {ir_shader_clone(ir), *info};
    memcpy(code->bytes, &content, sizeof(content));
    VkResult result = vk_shader_load(device, code, shader_out);
    if (result != VK_SUCCESS) {
        ir_shader_destroy(content.ir);
        vk_code_destroy(device, code);
    }
    return result;
}

static VkResult load_shader(struct vk_device *device, struct vk_shader *shader)
{
    soft.living++;
    return VK_SUCCESS;
}

static void unload_shader(struct vk_device *device, struct vk_shader *shader)
{
    ir_shader_destroy(code_of(shader)->ir);
    soft.living--;
}

static VkResult bake_pipeline(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator)
{
    pipeline->driver_data = vk_alloc(&device->alloc, NULL, 16, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    soft.pipelines += pipeline->driver_data != NULL;
    return pipeline->driver_data ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void release_baked(struct vk_device *device, struct vk_pipeline *pipeline,
                          const VkAllocationCallbacks *allocator)
{
    vk_free(&device->alloc, NULL, pipeline->driver_data);
    soft.pipelines--;
}

const struct vk_codegen soft_codegen = {.shader_size_B = sizeof(struct soft_shader),
                                        .load = load_shader,
                                        .unload = unload_shader,
                                        .bake = bake_pipeline,
                                        .unbake = release_baked};

/* ---- running them ---- */

struct run {
    const struct vk_meta_binding *bindings;
    uint32_t count;
    uint32_t pixel[2]; /* of a fragment shader */
    uint32_t vertex, instance;
};

static const struct vk_meta_binding *binding_of(const struct run *run, const struct ir_value *resource)
{
    uint32_t number = ir_imm(ir_def_instr(resource), IR_IMM_BINDING);
    assert_true(number < run->count);
    return &run->bindings[number];
}

/* x, y unless there is one dimension, a layer, a sample. Layers of a view count from its first one. */
static uint8_t *texel_at(const struct vk_meta_view *view, const uint64_t *coord, uint64_t sample)
{
    struct soft_image *image = (struct soft_image *)view->image;
    bool is_1d = image->vk.type == VK_IMAGE_TYPE_1D, is_3d = image->vk.type == VK_IMAGE_TYPE_3D;
    uint64_t y = is_1d ? 0 : coord[1], z = coord[is_1d ? 1 : 2] + (is_3d ? 0 : view->first_layer);
    return soft_texel(image, view->aspects, view->level, (uint32_t)coord[0], (uint32_t)y, (uint32_t)z,
                      (uint32_t)sample);
}

static void unpack_texel(VkFormat format, const uint8_t *bytes, uint64_t texel[4])
{
    uint32_t words[4] = {0};
    if (format_is_integer(format_info((enum format)format)))
        assert_true(format_unpack_rgba_uint((enum format)format, &words, bytes, 1));
    else
        assert_true(format_unpack_rgba_float((enum format)format, (float(*)[4])words, bytes, 1));
    for (int i = 0; i < 4; i++)
        texel[i] = words[i];
}

static void pack_texel(VkFormat format, uint8_t *bytes, const uint32_t words[4])
{
    if (format_is_integer(format_info((enum format)format)))
        assert_true(format_pack_rgba_uint((enum format)format, bytes, (const uint32_t(*)[4])words, 1));
    else
        assert_true(format_pack_rgba_float((enum format)format, bytes, (const float(*)[4])words, 1));
}

static bool access_image(void *data, const struct ir_instr *instr, const uint64_t coord[4], uint64_t texel[4])
{
    const struct run *run = data;
    bool is_store = instr->op == IR_OP_store_image;
    const struct vk_meta_binding *binding = binding_of(run, ir_src(instr, is_store ? 1 : 0));
    assert_true(binding->kind == VK_META_STORAGE_IMAGE || (!is_store && binding->kind == VK_META_LOADED_IMAGE));
    const struct vk_meta_view *view = &binding->view;
    uint8_t *bytes = texel_at(view, coord, view->image->samples > 1 ? coord[3] : 0);
    assert_non_null(bytes); /* the room stays within the extent */
    uint32_t element_B = format_info((enum format)view->format)->block_size_B;
    assert_int_equal(element_B, soft_element_B((struct soft_image *)view->image, view->aspects));
    if (!is_store) {
        unpack_texel(view->format, bytes, texel);
        return true;
    }
    uint32_t words[4] = {(uint32_t)texel[0], (uint32_t)texel[1], (uint32_t)texel[2], (uint32_t)texel[3]};
    pack_texel(view->format, bytes, words);
    return true;
}

/* Fetches, the sample map, and samples with a linear filter, of which only the nearest texel is given: where its middle
 * is met a filter does nothing. */
static uint64_t texture(const struct run *run, const struct ir_instr *instr, uint32_t comp, const uint64_t *const *srcs)
{
    const struct vk_meta_binding *binding = binding_of(run, ir_src(instr, 0));
    const struct vk_meta_view *view = &binding->view;
    uint64_t coord[3] = {srcs[2][0], srcs[2][1], srcs[2][2]}, texel[4];
    if (binding->kind == VK_META_SAMPLE_MAP) {
        uint64_t map = 0;
        for (uint32_t i = 0; i < view->image->samples; i++)
            map |= (uint64_t)(view->image->samples - 1 - i) << 4 * i;
        return comp ? 0 : map;
    }
    assert_int_equal(binding->kind, VK_META_SAMPLED_IMAGE);
    if (ir_imm(instr, IR_IMM_TEX_KIND) != IR_TEX_KIND_fetch) {
        VkExtent3D extent = vk_image_level_extent(view->image, view->level);
        coord[0] = (uint64_t)(bits_float((uint32_t)coord[0]) * (float)extent.width);
        coord[1] = (uint64_t)(bits_float((uint32_t)coord[1]) * (float)extent.height);
        coord[2] = (uint64_t)bits_float((uint32_t)coord[2]);
    }
    uint64_t sample = view->image->samples > 1 ? srcs[3][0] : 0;
    uint8_t *bytes = texel_at(view, coord, sample);
    assert_non_null(bytes);
    unpack_texel(vk_aspect_format(view->format, view->aspects), bytes, texel);
    return texel[comp];
}

static bool source(void *data, const struct ir_instr *instr, uint32_t lane, uint32_t comp, const uint64_t *const *srcs,
                   uint64_t *out)
{
    const struct run *run = data;
    if (instr->op == IR_OP_tex) {
        *out = texture(run, instr, comp, srcs);
        return true;
    }
    if (instr->op != IR_OP_load_sysval)
        return false;
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_frag_coord:
        *out = float_bits(comp < 2 ? (float)run->pixel[comp] + 0.5f : comp == 2 ? 0.0f : 1.0f);
        return true;
    case IR_SYSVAL_vertex_index:
        *out = run->vertex;
        return true;
    case IR_SYSVAL_instance_index:
        *out = run->instance;
        return true;
    default:
        return false; /* the places of invocations are the interpreter's */
    }
}

static void interpret_shader(const struct vk_shader *base, struct run *run, const void *push, uint32_t push_size_B,
                             const uint32_t group[3], uint32_t lanes, struct ir_interpret_result *result)
{
    const struct ir_interpret_buffer memory = {
        .is_global = true, .address = SOFT_MEMORY_VA, .data = soft.memory, .size_B = SOFT_MEMORY_B};
    struct ir_interpret_options options = {.num_lanes = lanes,
                                           .push = push,
                                           .push_size_B = push_size_B,
                                           .buffers = &memory,
                                           .num_buffers = 1,
                                           .source = source,
                                           .image = access_image,
                                           .source_data = run};
    if (group)
        memcpy(options.workgroup_id, group, sizeof(options.workgroup_id));
    assert_true(push_size_B <= VK_META_PUSH_B);
    if (!ir_interpret(code_of(base)->ir, &options, result))
        fail_msg("%s", result->error);
    assert_false(result->used_undef);
    assert_int_equal(result->misaligned, 0);
}

static void dispatch(struct vk_command_buffer *cmd, const struct vk_shader *shader,
                     const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                     const uint32_t groups[3])
{
    struct run run = {.bindings = bindings, .count = count};
    soft.dispatches++;
    for (uint32_t i = 0; i < groups[0] * groups[1] * groups[2]; i++) {
        const uint32_t group[3] = {i % groups[0], i / groups[0] % groups[1], i / groups[0] / groups[1]};
        struct ir_interpret_result result;
        interpret_shader(shader, &run, push, push_size_B, group, 0, &result);
        ir_interpret_finish(&result);
    }
}

/* ---- draws ---- */

struct saved {
    struct vk_dynamic_graphics_state dynamic;
    struct vk_rendering rendering;
};

static struct {
    struct vk_meta_view target;
    bool has_target; /* else the rendering's */
    struct vk_meta_binding bindings[VK_META_BINDINGS];
    uint32_t count;
} drawing;

static void draw_begin(struct vk_command_buffer *cmd, struct vk_meta_saved *room)
{
    struct saved *saved = (struct saved *)room->bytes;
    saved->dynamic = cmd->rec->dynamic_state;
    saved->rendering = cmd->rec->rendering;
    memset(&drawing, 0, sizeof(drawing));
    assert_int_equal(soft.begun++, 0);
}

static void draw_end(struct vk_command_buffer *cmd, const struct vk_meta_saved *room)
{
    const struct saved *saved = (const struct saved *)room->bytes;
    cmd->rec->dynamic_state = saved->dynamic;
    cmd->rec->rendering = saved->rendering;
    assert_int_equal(--soft.begun, 0);
}

static void set_target(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, const struct vk_meta_view *view,
                       VkImageLayout layout)
{
    assert_int_equal(soft.begun, 1);
    drawing.target = *view;
    drawing.has_target = true;
    soft.last_layout = layout;
    cmd->rec->rendering = (struct vk_rendering){.active = true, .num_colors = 1};
    if (view->aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        cmd->rec->rendering.colors[0].format = view->format;
    if (view->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
        cmd->rec->rendering.depth.format = view->format;
    if (view->aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
        cmd->rec->rendering.stencil.format = view->format;
}

static void bind_resources(struct vk_command_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count)
{
    assert_int_equal(soft.begun, 1);
    memcpy(drawing.bindings, bindings, count * sizeof(*bindings));
    drawing.count = count;
}

static struct vk_meta_view target_of(const struct vk_command_buffer *cmd, const struct vk_meta_shader_info *info,
                                     VkImageAspectFlags aspect)
{
    if (drawing.has_target)
        return drawing.target;
    const struct vk_attachment *attachment = aspect == VK_IMAGE_ASPECT_COLOR_BIT
                                                 ? &cmd->rec->rendering.colors[info->target]
                                             : aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? &cmd->rec->rendering.depth
                                                                                   : &cmd->rec->rendering.stencil;
    return vk_meta_view_of(attachment->view, aspect);
}

/* The vertices' rectangle must be the viewport, whichever way it is drawn. */
static float draw_vertices(const struct vk_shader *vertex, uint32_t layer, const void *push, uint32_t push_size_B)
{
    static const float corners[3][2] = {{-1, -1}, {-1, 1}, {1, -1}}, triangle[3][2] = {{-1, -1}, {-1, 3}, {3, -1}};
    bool is_triangle = soft.ops.rectangle_topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    float depth = 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct run run = {.vertex = i, .instance = layer};
        struct ir_interpret_result result;
        interpret_shader(vertex, &run, push, push_size_B, NULL, 1, &result);
        for (uint32_t axis = 0; axis < 2; axis++)
            assert_true(bits_float((uint32_t)ir_interpret_find_output(&result, 0, IR_LOCATION_position, axis)->value) ==
                        (is_triangle ? triangle : corners)[i][axis]);
        depth = bits_float((uint32_t)ir_interpret_find_output(&result, 0, IR_LOCATION_position, 2)->value);
        assert_int_equal(ir_interpret_find_output(&result, 0, IR_LOCATION_layer, 0)->value, layer);
        ir_interpret_finish(&result);
    }
    return depth;
}

static uint8_t *target_texel(const struct vk_meta_view *view, VkImageAspectFlags aspect, uint32_t x, uint32_t y,
                             uint32_t layer, uint32_t sample)
{
    uint32_t z = layer + (view->image->type == VK_IMAGE_TYPE_3D ? 0 : view->first_layer);
    uint8_t *bytes = soft_texel((struct soft_image *)view->image, aspect, view->level, x, y, z, sample);
    assert_non_null(bytes);
    return bytes;
}

static void draw_pixel(struct vk_command_buffer *cmd, const struct vk_meta_shader_info *info, uint32_t x, uint32_t y,
                       uint32_t layer, float depth, const struct ir_interpret_result *result)
{
    const struct vk_depth_stencil_state *ds = &cmd->rec->dynamic_state.ds;
    if (info->writes_target) {
        struct vk_meta_view view = target_of(cmd, info, VK_IMAGE_ASPECT_COLOR_BIT);
        uint32_t words[4];
        for (uint32_t i = 0; i < 4; i++)
            words[i] = (uint32_t)ir_interpret_find_output(result, 0, IR_LOCATION_VAR0 + info->target, i)->value;
        for (uint32_t i = 0; i < view.image->samples; i++)
            pack_texel(view.format, target_texel(&view, VK_IMAGE_ASPECT_COLOR_BIT, x, y, layer, i), words);
    }
    if (ds->depth_write_enable) {
        struct vk_meta_view view = target_of(cmd, info, VK_IMAGE_ASPECT_DEPTH_BIT);
        const struct ir_interpret_output *out = ir_interpret_find_output(result, 0, IR_LOCATION_frag_depth, 0);
        float value = out ? bits_float((uint32_t)out->value) : depth;
        memcpy(target_texel(&view, VK_IMAGE_ASPECT_DEPTH_BIT, x, y, layer, 0), &value, sizeof(value));
    }
    if (ds->stencil_test_enable) {
        struct vk_meta_view view = target_of(cmd, info, VK_IMAGE_ASPECT_STENCIL_BIT);
        const struct ir_interpret_output *out = ir_interpret_find_output(result, 0, IR_LOCATION_frag_stencil, 0);
        *target_texel(&view, VK_IMAGE_ASPECT_STENCIL_BIT, x, y, layer, 0) =
            out ? (uint8_t)out->value : ds->stencil_reference[0];
    }
}

static void draw(struct vk_command_buffer *cmd, struct vk_graphics_pipeline *pipeline,
                 const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B)
{
    const struct vk_shader *vertex = pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)],
                           *fragment = pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)];
    const VkRect2D *scissor = &cmd->rec->dynamic_state.vp.scissors[0];
    assert_memory_equal(scissor, &rectangle->rect, sizeof(*scissor));
    assert_int_equal(cmd->rec->dynamic_state.ia.topology, soft.ops.rectangle_topology);
    soft.draws++;
    soft.last_predicated = rectangle->predicated;
    for (uint32_t layer = rectangle->first_layer; layer < rectangle->first_layer + rectangle->layers; layer++) {
        float depth = draw_vertices(vertex, layer, push, push_size_B);
        for (uint32_t i = 0; i < scissor->extent.width * scissor->extent.height; i++) {
            struct run run = {.bindings = drawing.bindings, .count = drawing.count};
            struct ir_interpret_result result;
            run.pixel[0] = (uint32_t)scissor->offset.x + i % scissor->extent.width;
            run.pixel[1] = (uint32_t)scissor->offset.y + i / scissor->extent.width;
            interpret_shader(fragment, &run, push, push_size_B, NULL, 1, &result);
            draw_pixel(cmd, &code_of(fragment)->info, run.pixel[0], run.pixel[1], layer, depth, &result);
            ir_interpret_finish(&result);
        }
    }
}

static void barrier(struct vk_command_buffer *cmd, const struct vk_image *image, VkPipelineStageFlags2 src_stages,
                    VkAccessFlags2 src_access, VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    soft.barriers++;
}

static bool can_draw(const struct vk_command_buffer *cmd, VkFormat format)
{
    return format != VK_FORMAT_E5B9G9R9_UFLOAT_PACK32;
}

static VkFormat read_format(const struct vk_command_buffer *cmd, const struct vk_image *image, uint32_t level,
                            VkImageLayout layout)
{
    return soft.read_format;
}

void soft_reset(void)
{
    memset(&soft, 0, sizeof(soft));
    soft.ops = (struct vk_meta_ops){
        .compile = compile_shader,
        .rectangle_topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        .can_draw = can_draw,
        .dispatch = dispatch,
        .draw_begin = draw_begin,
        .draw_end = draw_end,
        .set_target = set_target,
        .bind = bind_resources,
        .draw = draw,
        .barrier = barrier,
        .read_format = read_format,
    };
}
