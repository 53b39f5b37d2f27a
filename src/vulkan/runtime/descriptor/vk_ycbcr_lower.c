/* Y'CbCr conversion in shaders. */
#include "vulkan/runtime/descriptor/vk_ycbcr_lower.h"

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/runtime/descriptor/vk_ycbcr_conversion.h"
#include "vulkan/runtime/object/vk_debug_utils.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

#define COORDINATE 2 /* the operand of a tex */
#define MAX_OPERANDS 12

enum {
    R,
    G,
    B,
    A
};

/* The planes that one `tex` reads. */
struct source {
    const struct vk_ycbcr_ops *ops;
    const struct vk_ycbcr_conversion *conversion;
    struct vk_ycbcr_element element;
    unsigned planes; /* images: one where the hardware knows the format */
};

static bool samples(const struct ir_instr *instr)
{
    if (instr->op != IR_OP_tex)
        return false;
    uint32_t kind = ir_imm(instr, IR_IMM_TEX_KIND);
    return kind == IR_TEX_KIND_sample || kind == IR_TEX_KIND_sample_lod || kind == IR_TEX_KIND_sample_grad;
}

/* Arrays of such samplers are indexed by constants, the specification says. */
static bool find_source(const struct ir_instr *instr, const struct vk_stage_job *job, struct source *source)
{
    const struct ir_instr *resource = ir_def_instr(ir_src(instr, 0));
    if (resource->op != IR_OP_resource || !ir_is_const(ir_src(resource, 0)))
        return false;
    uint32_t set = ir_imm(resource, IR_IMM_SET), binding = ir_imm(resource, IR_IMM_BINDING);
    const struct vk_descriptor_set_layout *layout = set < job->set_layout_count ? job->set_layouts[set] : NULL;
    if (!layout || !layout->has_conversions || binding >= layout->num_bindings)
        return false;
    const struct vk_descriptor_binding *at = &layout->bindings[binding];
    uint32_t index = (uint32_t)ir_const_u64(ir_src(resource, 0));
    if (at->sampler_index == VK_NO_SAMPLER || index >= at->count)
        return false;
    source->conversion = layout->conversions[at->sampler_index + index];
    source->element = (struct vk_ycbcr_element){layout, at, set, index};
    if (!source->conversion || !source->conversion->format_info)
        return false;
    source->planes = vk_descriptor_planes(layout->ops, source->conversion);
    return true;
}

/* ---- sampling ---- */

/* Chroma at half the density that is sited with the even samples of luma lies a quarter of its own step before the
 * middle: the coordinate moves by half a step of luma. The nearest sample is that of the pair, wherever it is sited. */
static struct ir_value *chroma_coordinate(struct ir_builder *b, const struct source *source,
                                          const struct ir_instr *instr, const struct format_plane *plane)
{
    const struct vk_ycbcr_conversion *conversion = source->conversion;
    const uint8_t divisors[2] = {plane->width_divisor, plane->height_divisor};
    struct ir_value *coordinate = ir_src(instr, COORDINATE), *parts[4];
    bool moved = false;
    if (conversion->chroma_filter == VK_FILTER_NEAREST)
        return coordinate;
    for (unsigned i = 0; i < coordinate->comps; i++)
        parts[i] = ir_extract(b, coordinate, i);
    for (unsigned i = 0; i < MIN2(coordinate->comps, 2u); i++) {
        if (divisors[i] < 2 || conversion->chroma_offset[i] != VK_CHROMA_LOCATION_COSITED_EVEN)
            continue;
        uint32_t dim = ir_imm(instr, IR_IMM_DIM), array = ir_imm(instr, IR_IMM_ARRAY);
        uint8_t comps = (uint8_t)((dim == IR_DIM_1d ? 1 : 2) + (array ? 1 : 0));
        struct ir_value *size = ir_extract(
            b, ir_image_size(b, comps, source->ops->image(b, &source->element, 0), ir_const(b, 32, 0), dim, array), i);
        struct ir_value *half = ir_fdiv(b, ir_const_f(b, 32, 1.0 / divisors[i]), ir_i2f(b, 32, size, IR_ROUNDING_any));
        parts[i] = ir_fadd(b, parts[i], half);
        moved = true;
    }
    return moved ? ir_vec(b, coordinate->comps, parts) : coordinate;
}

static struct ir_value *sample_plane(struct ir_builder *b, const struct source *source, const struct ir_instr *instr,
                                     unsigned plane)
{
    const struct format_info *info = source->conversion->format_info;
    struct ir_value *srcs[MAX_OPERANDS];
    for (unsigned i = 0; i < instr->num_srcs; i++)
        srcs[i] = ir_src(instr, i);
    srcs[0] = source->ops->image(b, &source->element, plane);
    srcs[1] = source->ops->sampler(b, &source->element);
    if (plane)
        srcs[COORDINATE] = chroma_coordinate(b, source, instr, &info->planes[plane]);
    b->flags = instr->flags;
    struct ir_instr *made = ir_build(b, IR_OP_tex, 32, 4, instr->num_srcs, srcs, 0, NULL, instr->imm);
    b->flags = 0;
    return &made->def;
}

/* A channel in the upper bits of a 16-bit word was read as the word: by how much that is too little. */
static double word_scale(const struct format_info *info, const struct format_channel *channel)
{
    const struct format_info *plane = format_info(info->planes[channel->plane].format);
    if (plane->layout != FORMAT_LAYOUT_WORDS16)
        return 1.0;
    double words = 65535.0, codes = (double)((1u << channel->bits) - 1), step = (double)(1u << (16 - channel->bits));
    return words / (codes * step);
}

/* Every component from the plane and the place that the format has it in. */
static void gather_components(struct ir_builder *b, const struct source *source, const struct ir_instr *instr,
                              struct ir_value *color[4])
{
    const struct format_info *info = source->conversion->format_info;
    struct ir_value *planes[3] = {NULL};
    for (unsigned i = 0; i < source->planes; i++)
        planes[i] = sample_plane(b, source, instr, i);
    if (source->planes == 1) { /* the descriptor has them in order */
        for (unsigned i = 0; i < 4; i++)
            color[i] = ir_extract(b, planes[0], i);
        return;
    }
    color[R] = color[G] = color[B] = ir_const_f(b, 32, 0.0);
    color[A] = ir_const_f(b, 32, 1.0);
    unsigned used[3] = {0};
    for (unsigned i = 0; i < info->channel_count; i++) {
        const struct format_channel *channel = &info->channels[i];
        struct ir_value *value = ir_extract(b, planes[channel->plane], used[channel->plane]++);
        color[channel->component] = ir_fmul(b, value, ir_const_f(b, 32, word_scale(info, channel)));
    }
}

/* ---- converting ---- */

static struct ir_value *mapped(struct ir_builder *b, VkComponentSwizzle from, struct ir_value *const color[4])
{
    if (from == VK_COMPONENT_SWIZZLE_ZERO || from == VK_COMPONENT_SWIZZLE_ONE)
        return ir_const_f(b, 32, from == VK_COMPONENT_SWIZZLE_ONE ? 1.0 : 0.0);
    return color[from - VK_COMPONENT_SWIZZLE_R];
}

static void swizzle(struct ir_builder *b, const VkComponentMapping *mapping, struct ir_value *color[4])
{
    struct ir_value *old[4] = {color[0], color[1], color[2], color[3]};
    color[R] = mapped(b, mapping->r, old);
    color[G] = mapped(b, mapping->g, old);
    color[B] = mapped(b, mapping->b, old);
    color[A] = mapped(b, mapping->a, old);
}

static struct ir_value *scale_and_add(struct ir_builder *b, struct ir_value *x, double scale, double add)
{
    return ir_ffma(b, x, ir_const_f(b, 32, scale), ir_const_f(b, 32, add));
}

/* Codes of `bits` bits, read as unorm, to Y' from 0 to 1 and chroma around 0. */
static void expand_range(struct ir_builder *b, VkSamplerYcbcrRange range, unsigned bits, struct ir_value *color[4])
{
    double most = (double)((1ull << bits) - 1), unit = (double)(1ull << (bits - 8));
    if (range == VK_SAMPLER_YCBCR_RANGE_ITU_FULL) {
        double middle = (double)(1ull << (bits - 1)) / most;
        color[R] = scale_and_add(b, color[R], 1.0, -middle);
        color[B] = scale_and_add(b, color[B], 1.0, -middle);
        return;
    }
    color[G] = scale_and_add(b, color[G], most / (219.0 * unit), -16.0 / 219.0);
    color[R] = scale_and_add(b, color[R], most / (224.0 * unit), -128.0 / 224.0);
    color[B] = scale_and_add(b, color[B], most / (224.0 * unit), -128.0 / 224.0);
}

/* By the weights of red and blue in luma. */
static void to_rgb(struct ir_builder *b, double kr, double kb, struct ir_value *color[4])
{
    double kg = 1.0 - kr - kb;
    struct ir_value *cr = color[R], *y = color[G], *cb = color[B];
    color[R] = ir_ffma(b, cr, ir_const_f(b, 32, 2.0 * (1.0 - kr)), y);
    color[B] = ir_ffma(b, cb, ir_const_f(b, 32, 2.0 * (1.0 - kb)), y);
    color[G] = ir_ffma(b, cr, ir_const_f(b, 32, -2.0 * (1.0 - kr) * kr / kg),
                       ir_ffma(b, cb, ir_const_f(b, 32, -2.0 * (1.0 - kb) * kb / kg), y));
}

static void convert_color(struct ir_builder *b, const struct vk_ycbcr_conversion *conversion, struct ir_value *color[4])
{
    swizzle(b, &conversion->components, color);
    if (conversion->model == VK_SAMPLER_YCBCR_MODEL_CONVERSION_RGB_IDENTITY)
        return;
    expand_range(b, conversion->range, conversion->format_info->channels[0].bits, color);
    switch (conversion->model) {
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_709:
        to_rgb(b, 0.2126, 0.0722, color);
        break;
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_601:
        to_rgb(b, 0.299, 0.114, color);
        break;
    case VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020:
        to_rgb(b, 0.2627, 0.0593, color);
        break;
    default: /* the components as they are, in their range */
        break;
    }
}

static void lower_instr(struct ir_shader *shader, const struct source *source, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(shader, instr);
    struct ir_value *color[4];
    gather_components(&b, source, instr, color);
    convert_color(&b, source->conversion, color);
    for (unsigned i = 0; i < 4 && instr->def.bits != 32; i++)
        color[i] = ir_f2f(&b, instr->def.bits, color[i], IR_ROUNDING_any);
    ir_replace_uses(&instr->def, ir_vec(&b, instr->def.comps, color));
    ir_remove(instr);
}

static void lower_all(const struct vk_stage_job *job, const struct vk_ycbcr_ops *ops)
{
    ir_foreach_block (job->ir, block) {
        ir_foreach_instr (block, instr) {
            struct source source = {.ops = ops};
            if (samples(instr) && find_source(instr, job, &source))
                lower_instr(job->ir, &source, instr);
        }
    }
}

VkResult vk_lower_ycbcr(struct vk_device *device, const struct vk_stage_job *job, const struct vk_ycbcr_ops *ops)
{
    struct ir_failure failure;
    VkResult result = VK_SUCCESS;
    bool has_any = false;
    for (uint32_t i = 0; i < job->set_layout_count; i++)
        has_any |= job->set_layouts[i] && job->set_layouts[i]->has_conversions;
    if (!has_any)
        return VK_SUCCESS;
    if (ir_guard(job->ir, &failure)) {
        vk_device_error(device, NULL, "a sampler's conversion cannot be written into a shader: %s", failure.text);
        result = failure.out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
    } else {
        lower_all(job, ops);
    }
    job->ir->failure = NULL;
    return result;
}
