/* The registers of the colour backend, unpacked once per draw. */
#include "amd/model/cb/cb.h"

#include <string.h>

#include "amd/hw/regs_spi.h"
#include "amd/model/register_fields.h"
#include "model/pixel/pixel_program.h"
#include "util/bits.h"

/* The bits of an element that the write mask lets through. */
static void set_bits(struct cb_target *target, const struct format_info *info, uint8_t write_mask)
{
    static const uint8_t component_index[] = {[FORMAT_COMPONENT_R] = 0,
                                              [FORMAT_COMPONENT_G] = 1,
                                              [FORMAT_COMPONENT_B] = 2,
                                              [FORMAT_COMPONENT_A] = 3,
                                              [FORMAT_COMPONENT_E] = 4};
    memset(target->bits, 0, sizeof(target->bits));
    target->present = 0;
    for (unsigned c = 0; c < info->channel_count; c++) {
        const struct format_channel *channel = &info->channels[c];
        unsigned index = component_index[channel->component];
        bool written = index == 4 ? write_mask & 7 : write_mask >> target->from[index] & 1;
        if (index < 4)
            target->present |= (uint8_t)(1u << target->from[index]);
        for (unsigned bit = channel->low_bit; written && bit < (unsigned)channel->low_bit + channel->bits; bit++)
            target->bits[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    target->whole = true;
    for (unsigned i = 0; i < info->block_size_B; i++)
        target->whole &= target->bits[i] == 0xff;
}

/* The factors that name both operands at once are Direct3D 8's: they are the source's alpha here. */
static enum pixel_factor factor_of(unsigned factor)
{
    static const uint8_t factors[32] = {
        [AMD_BLEND_FACTOR_ONE] = PIXEL_FACTOR_ONE,
        [AMD_BLEND_FACTOR_SRC_COLOR] = PIXEL_FACTOR_SOURCE,
        [AMD_BLEND_FACTOR_ONE_MINUS_SRC_COLOR] = PIXEL_FACTOR_ONE_MINUS_SOURCE,
        [AMD_BLEND_FACTOR_SRC_ALPHA] = PIXEL_FACTOR_SOURCE_ALPHA,
        [AMD_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA] = PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
        [AMD_BLEND_FACTOR_BOTH_SRC_ALPHA] = PIXEL_FACTOR_SOURCE_ALPHA,
        [AMD_BLEND_FACTOR_BOTH_INV_SRC_ALPHA] = PIXEL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
        [AMD_BLEND_FACTOR_DST_ALPHA] = PIXEL_FACTOR_DESTINATION_ALPHA,
        [AMD_BLEND_FACTOR_ONE_MINUS_DST_ALPHA] = PIXEL_FACTOR_ONE_MINUS_DESTINATION_ALPHA,
        [AMD_BLEND_FACTOR_DST_COLOR] = PIXEL_FACTOR_DESTINATION,
        [AMD_BLEND_FACTOR_ONE_MINUS_DST_COLOR] = PIXEL_FACTOR_ONE_MINUS_DESTINATION,
        [AMD_BLEND_FACTOR_SRC_ALPHA_SATURATE] = PIXEL_FACTOR_SOURCE_ALPHA_SATURATE,
        [AMD_BLEND_FACTOR_CONSTANT_COLOR] = PIXEL_FACTOR_CONSTANT,
        [AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR] = PIXEL_FACTOR_ONE_MINUS_CONSTANT,
        [AMD_BLEND_FACTOR_CONSTANT_ALPHA] = PIXEL_FACTOR_CONSTANT_ALPHA,
        [AMD_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA] = PIXEL_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
        [AMD_BLEND_FACTOR_SRC1_COLOR] = PIXEL_FACTOR_SOURCE1,
        [AMD_BLEND_FACTOR_INV_SRC1_COLOR] = PIXEL_FACTOR_ONE_MINUS_SOURCE1,
        [AMD_BLEND_FACTOR_SRC1_ALPHA] = PIXEL_FACTOR_SOURCE1_ALPHA,
        [AMD_BLEND_FACTOR_INV_SRC1_ALPHA] = PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA,
    };
    return factors[factor & 31];
}

static struct pixel_equation equation_of(unsigned source, unsigned destination, unsigned function)
{
    static const uint8_t functions[8] = {
        [AMD_BLEND_FUNC_DST_PLUS_SRC] = PIXEL_ADD,
        [AMD_BLEND_FUNC_SRC_MINUS_DST] = PIXEL_SUBTRACT,
        [AMD_BLEND_FUNC_MIN_DST_SRC] = PIXEL_MIN,
        [AMD_BLEND_FUNC_MAX_DST_SRC] = PIXEL_MAX,
        [AMD_BLEND_FUNC_DST_MINUS_SRC] = PIXEL_REVERSE_SUBTRACT,
        PIXEL_SOURCE,
        PIXEL_SOURCE,
        PIXEL_SOURCE,
    };
    return (struct pixel_equation){factor_of(source), factor_of(destination), functions[function & 7]};
}

static bool uses_second_source(struct pixel_equation equation)
{
    const uint8_t first = PIXEL_FACTOR_SOURCE1, last = PIXEL_FACTOR_ONE_MINUS_SOURCE1_ALPHA;
    return (equation.source >= first && equation.source <= last) ||
           (equation.destination >= first && equation.destination <= last);
}

static void read_blend(struct cb_target *target, struct amd_CB_COLOR_INFO info, struct amd_CB_BLEND_CONTROL control,
                       struct amd_CB_COLOR_CONTROL color)
{
    struct pixel_blend *blending = &target->blending;
    blending->color = equation_of(control.COLOR_SRCBLEND, control.COLOR_DESTBLEND, control.COLOR_COMB_FCN);
    blending->alpha = control.SEPARATE_ALPHA_BLEND
                          ? equation_of(control.ALPHA_SRCBLEND, control.ALPHA_DESTBLEND, control.ALPHA_COMB_FCN)
                          : blending->color;
    target->blend = control.ENABLE && !info.BLEND_BYPASS && target->numeric == CB_FLOAT;
    blending->is_dual = target->blend && (uses_second_source(blending->color) || uses_second_source(blending->alpha));
    blending->clamp_min = blending->clamp_max = 0;
    if (info.BLEND_CLAMP) {
        blending->clamp_min = info.NUMBER_TYPE == AMD_NUMBER_TYPE_SNORM ? -1 : 0;
        blending->clamp_max = 1;
    }

    /* A logic operation is not for floating-point and sRGB targets, and it replaces blending. */
    target->rop_code = (uint8_t)(color.ROP3 & 15);
    target->rop = !control.DISABLE_ROP3 && color.ROP3 != AMD_ROP3_COPY && info.NUMBER_TYPE != AMD_NUMBER_TYPE_FLOAT &&
                  info.NUMBER_TYPE != AMD_NUMBER_TYPE_SRGB;
    if (target->rop)
        target->blend = blending->is_dual = false;
}

static const char *read_target(struct cb_target *target, struct cb_surface *surface, struct cb_meta *meta, unsigned i,
                               const struct amd_chip *chip, const struct cp_registers *registers, uint8_t write_mask)
{
    enum amd_gfx gfx = chip->gfx;
    struct amd_CB_COLOR_INFO info = GET_AT(CB_COLOR_INFO, i);
    struct amd_CB_COLOR_VIEW view = GET_AT(CB_COLOR_VIEW, i);
    struct amd_CB_COLOR_ATTRIB attrib = GET_AT(CB_COLOR_ATTRIB, i);
    struct amd_CB_COLOR_ATTRIB2 attrib2 = GET_AT(CB_COLOR_ATTRIB2, i);
    struct amd_CB_COLOR_ATTRIB3 attrib3 = GET_AT(CB_COLOR_ATTRIB3, i);
    if (attrib.NUM_SAMPLES != attrib.NUM_FRAGMENTS)
        return "fewer fragments than samples (CB_COLOR_ATTRIB)";
    enum format format = amd_cb_format(info.FORMAT, info.NUMBER_TYPE, info.COMP_SWAP, target->from);
    if (format == FORMAT_UNDEFINED)
        return "a format of a colour target (CB_COLOR_INFO)";
    const struct format_info *description = format_info(format);
    target->output = CB_OUTPUT_ROWS;
    target->format = format;
    target->codec = format_codec(format);
    target->numeric = info.NUMBER_TYPE == AMD_NUMBER_TYPE_UINT   ? CB_UINT
                      : info.NUMBER_TYPE == AMD_NUMBER_TYPE_SINT ? CB_SINT
                                                                 : CB_FLOAT;
    target->element_B = description->block_size_B;
    target->blending.is_alpha_one = attrib.FORCE_DST_ALPHA_1;
    target->slice_start = view.SLICE_START;
    target->slice_max = view.SLICE_MAX;
    target->samples = (uint8_t)(1u << attrib.NUM_FRAGMENTS);
    struct amd_surface_desc desc = {
        .swizzle = (enum amd_swizzle)attrib3.COLOR_SW_MODE,
        .dim = (enum amd_dim)attrib3.RESOURCE_TYPE,
        .width = attrib2.MIP0_WIDTH + 1,
        .height = attrib2.MIP0_HEIGHT + 1,
        .slices = attrib3.MIP0_DEPTH + 1,
        .element_B = description->block_size_B,
        .samples = target->samples,
        .levels = (uint8_t)(attrib2.MAX_MIP + 1),
    };
    set_bits(target, description, write_mask);
    uint64_t va = cb_surface_va(GET_WORD_AT(CB_COLOR_BASE, i), GET_WORD_AT(CB_COLOR_BASE_EXT, i));
    const char *why = amd_cb_surface_set(surface, chip->gb_addr_config, desc, va, view.MIP_LEVEL);
    if (why)
        return why;
    target->surface = surface;
    if (info.DCC_ENABLE || info.FAST_CLEAR || info.COMPRESSION)
        return amd_cb_meta_init(target, meta, i, gfx, registers);
    return NULL;
}

/* The modes that bring cleared and compressed pixels to memory. There is nothing more to them here: what they leave is
 * always expanded. */
static const char *read_expand(struct cb_state *state, struct cb_surfaces *surfaces, const struct amd_chip *chip,
                               const struct cp_registers *registers)
{
    enum amd_gfx gfx = chip->gfx;
    state->expand = true;
    for (unsigned i = 0; i < CB_TARGETS; i++) {
        if (!(GET_WORD(CB_TARGET_MASK) >> i * 4 & 15) || GET_AT(CB_COLOR_INFO, i).FORMAT == AMD_COLOR_FORMAT_INVALID)
            continue;
        const char *why =
            read_target(&state->targets[i], &surfaces->target[i], &surfaces->meta[i], i, chip, registers, 15);
        if (why)
            return why;
        state->used |= (uint8_t)(1u << i);
    }
    return NULL;
}

static const char *read_resolve(struct cb_state *state, struct cb_surfaces *surfaces, const struct amd_chip *chip,
                                const struct cp_registers *registers)
{
    state->resolve = true;
    for (unsigned i = 0; i < 2; i++) {
        const char *why =
            read_target(&state->targets[i], &surfaces->target[i], &surfaces->meta[i], i, chip, registers, 15);
        if (why)
            return why;
        state->used |= (uint8_t)(1u << i);
    }
    if (state->targets[0].numeric != state->targets[1].numeric || state->targets[1].samples != 1)
        return "a resolve between formats, or to several samples (CB_COLOR_CONTROL)";
    return NULL;
}

/* Formats whose elements are exported as they are in memory. */
static bool find_raw(const struct cb_target *target)
{
    static const struct {
        enum format format;
        uint8_t export_format;
    } table[] = {
        {FORMAT_R16G16B16A16_SFLOAT, AMD_EXPORT_FORMAT_FP16_ABGR},
        {FORMAT_R16G16B16A16_UINT, AMD_EXPORT_FORMAT_UINT16_ABGR},
        {FORMAT_R16G16B16A16_SINT, AMD_EXPORT_FORMAT_SINT16_ABGR},
        {FORMAT_R16G16B16A16_UNORM, AMD_EXPORT_FORMAT_UNORM16_ABGR}, /* no code becomes another by way of a float */
        {FORMAT_R16G16_UNORM, AMD_EXPORT_FORMAT_UNORM16_ABGR},
        {FORMAT_R16G16_SFLOAT, AMD_EXPORT_FORMAT_FP16_ABGR},
        {FORMAT_R32_SFLOAT, AMD_EXPORT_FORMAT_32_R},
        {FORMAT_R32_UINT, AMD_EXPORT_FORMAT_32_R},
        {FORMAT_R32_SINT, AMD_EXPORT_FORMAT_32_R},
        {FORMAT_R32G32_SFLOAT, AMD_EXPORT_FORMAT_32_GR},
        {FORMAT_R32G32_UINT, AMD_EXPORT_FORMAT_32_GR},
        {FORMAT_R32G32_SINT, AMD_EXPORT_FORMAT_32_GR},
        {FORMAT_R32G32B32A32_SFLOAT, AMD_EXPORT_FORMAT_32_ABGR},
        {FORMAT_R32G32B32A32_UINT, AMD_EXPORT_FORMAT_32_ABGR},
        {FORMAT_R32G32B32A32_SINT, AMD_EXPORT_FORMAT_32_ABGR},
    };
    static const uint8_t same[4] = {0, 1, 2, 3};
    if (target->blend || target->rop || !target->whole || memcmp(target->from, same, sizeof(same)) != 0)
        return false;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (target->format == table[i].format && target->export_format == table[i].export_format)
            return true;
    }
    return false;
}

/* Exported halves as four unorm or sRGB bytes, by the code of most pixels, or as other fixed-point numbers and unsigned
 * floats; halves that blend. CB_OUTPUT_ROWS: none of these. */
static enum cb_output find_usual_output(const struct cb_target *target)
{
    const struct pixel_blend *blending = &target->blending;
    if (target->export_format != AMD_EXPORT_FORMAT_FP16_ABGR || target->rop)
        return CB_OUTPUT_ROWS;
    if (!target->whole)
        return target->bytes4 && !target->blend && target->samples > 1 ? CB_OUTPUT_CODES : CB_OUTPUT_ROWS;
    if (target->codec == format_codec(FORMAT_R16G16B16A16_SFLOAT) && target->blend && blending->adds &&
        !blending->is_dual && blending->clamp_min == blending->clamp_max)
        return CB_OUTPUT_PAIRS;
    if (!target->blend)
        return target->bytes4 || pixel_program_packs(target->format) ? CB_OUTPUT_CODES : CB_OUTPUT_ROWS;
    const bool is_clamped = blending->clamp_min == 0 && blending->clamp_max == 1,
               is_summed = (target->srgb ? blending->adds && is_clamped : blending->sums) && !blending->is_dual;
    return target->bytes4 && is_summed ? CB_OUTPUT_BLEND : CB_OUTPUT_ROWS;
}

static enum cb_output find_output(const struct cb_target *target)
{
    const enum cb_output usual = find_usual_output(target);
    if (usual != CB_OUTPUT_ROWS || target->is_raw || !amd_cb_lowers_words(target))
        return usual;
    return target->blend || target->rop || !target->whole ? CB_OUTPUT_MIXED : CB_OUTPUT_WORDS;
}

const char *amd_cb_state_init(struct cb_state *state, struct cb_surfaces *surfaces, const struct amd_chip *chip,
                              const struct cp_registers *registers)
{
    enum amd_gfx gfx = chip->gfx;
    struct amd_CB_COLOR_CONTROL control = GET(CB_COLOR_CONTROL);
    uint32_t mask = GET_WORD(CB_TARGET_MASK) & GET_WORD(CB_SHADER_MASK), formats = GET_WORD(SPI_SHADER_COL_FORMAT);
    const float constant[4] = {GET(CB_BLEND_RED).VALUE, GET(CB_BLEND_GREEN).VALUE, GET(CB_BLEND_BLUE).VALUE,
                               GET(CB_BLEND_ALPHA).VALUE};
    state->used = state->exports = 0;
    if (control.MODE == AMD_CB_MODE_DISABLE)
        return NULL;
    if (control.MODE == AMD_CB_MODE_ELIMINATE_FAST_CLEAR || control.MODE == AMD_CB_MODE_FMASK_DECOMPRESS ||
        control.MODE == AMD_CB_MODE_DCC_DECOMPRESS)
        return read_expand(state, surfaces, chip, registers);
    if (control.MODE == AMD_CB_MODE_RESOLVE)
        return read_resolve(state, surfaces, chip, registers);
    if (control.MODE != AMD_CB_MODE_NORMAL)
        return "a colour backend mode (CB_COLOR_CONTROL)";
    uint8_t rank = 0; /* exports and their formats have no gaps: the shader mask says whose they are */
    for (unsigned i = 0; i < CB_TARGETS; i++) {
        struct cb_target *target = &state->targets[i];
        uint8_t write_mask = mask >> i * 4 & 15;
        target->export = rank;
        target->export_format = formats >> rank * 4 & 15;
        rank += (GET_WORD(CB_SHADER_MASK) >> i * 4 & 15) != 0;
        if (!write_mask || GET_AT(CB_COLOR_INFO, i).FORMAT == AMD_COLOR_FORMAT_INVALID)
            continue;
        if (target->export_format == AMD_EXPORT_FORMAT_ZERO)
            continue;
        const char *why = read_target(target, &surfaces->target[i], &surfaces->meta[i], i, chip, registers, write_mask);
        if (why)
            return why;
        read_blend(target, GET_AT(CB_COLOR_INFO, i), GET_AT(CB_BLEND_CONTROL, i), control);
        memcpy(target->blending.constant, constant, sizeof(constant));
        target->srgb = target->codec == format_codec(FORMAT_R8G8B8A8_SRGB);
        target->bytes4 = (target->srgb || target->codec == format_codec(FORMAT_R8G8B8A8_UNORM)) && !target->rop;
        target->blending.is_bytes4 = target->blend && target->bytes4 && !target->srgb;
        memcpy(target->blending.from, target->from, sizeof(target->from));
        pixel_blend_prepare(&target->blending);
        target->is_raw = find_raw(target);
        target->output = find_output(target);
        target->by_pixel = amd_cb_meta_by_pixel(target);
        if (target->blending.is_dual && i != 0)
            return "a second source for a target other than the first (CB_BLEND_CONTROL)";
        state->used |= (uint8_t)(1u << i);
        state->exports |= (uint8_t)(1u << target->export | (target->blending.is_dual ? 2u : 0));
    }
    return NULL;
}
