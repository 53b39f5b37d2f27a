/* Attributes of vertices: descriptors in the driver's own table of the vertex stage, and the buffers that they read. */
#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/descriptor.h"
#include "util/bits.h"

/* An element for each `divisor` instances: the number is shifted, or multiplied by a fraction of 32 bits, whose upper
 * one is set and not stored, and shifted. Where the fraction is rounded down, the number is one more. */
static void set_divisor(struct mali_desc_ATTRIBUTE *d, uint32_t divisor)
{
    if (divisor == 0) { /* the same element for all */
        d->STRIDE = 0;
        return;
    }
    const uint32_t shift = 31u - (uint32_t)__builtin_clz(divisor);
    d->DIVISOR_R = shift;
    if ((divisor & (divisor - 1)) == 0) {
        d->ATTRIBUTE_TYPE = divisor == 1 ? MALI_ATTRIBUTE_TYPE_1D : MALI_ATTRIBUTE_TYPE_1D_POT_DIVISOR;
        return;
    }
    const uint64_t one = 1ull << (32 + shift);
    const uint64_t error = divisor - one % divisor; /* of the fraction that is rounded up, times the divisor */
    d->ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_1D_NPOT_DIVISOR;
    d->DIVISOR_E = error > 1ull << shift;
    d->DIVISOR_D = (uint32_t)(one / divisor + !d->DIVISOR_E) & 0x7fffffffu;
}

/* Attributes of unused locations stay null: they read as zero. */
static void pack_attribute(const struct mali_cmd_buffer *cmd, unsigned location, uint32_t buffer_index,
                           uint32_t out[MALI_DESCRIPTOR_DW])
{
    const struct vk_vertex_input_state *vi = &cmd->vk.rec->dynamic_state.vi;
    const struct vk_vertex_attribute *attribute = &vi->attributes[location];
    const struct vk_vertex_binding *binding = &vi->bindings[attribute->binding];
    const struct mali_pixel_format format = mali_vkformat((VkFormat)attribute->format)->attribute;
    const bool by_instance = binding->input_rate == VK_VERTEX_INPUT_RATE_INSTANCE;
    struct mali_desc_ATTRIBUTE d = {
        .TYPE = MALI_DESCRIPTOR_TYPE_ATTRIBUTE,
        .ATTRIBUTE_TYPE = MALI_ATTRIBUTE_TYPE_1D,
        .OFFSET_ENABLE = false, /* numbers have the draw's bases */
        .ORDER = (enum mali_RGB_ORDER)format.order,
        .FORMAT = format.number,
        .TABLE = MALI_DRIVER_TABLE,
        .FREQUENCY = by_instance ? MALI_ATTRIBUTE_FREQUENCY_INSTANCE : MALI_ATTRIBUTE_FREQUENCY_VERTEX,
        .OFFSET = (int32_t)attribute->offset_B,
        .BUFFER_INDEX = buffer_index,
        .STRIDE = vi->strides_B[attribute->binding],
    };
    if (by_instance)
        set_divisor(&d, binding->divisor);
    mali_pack_desc_ATTRIBUTE(out, &d);
}

/* Null where nothing is bound: it reads as zero. */
static void pack_buffer(const struct mali_graphics *graphics, unsigned binding, uint32_t out[MALI_DESCRIPTOR_DW])
{
    if (graphics->vertex_buffers[binding].va)
        mali_buffer_words(graphics->vertex_buffers[binding].va, graphics->vertex_buffers[binding].size_B, out);
    else
        memset(out, 0, 4 * MALI_DESCRIPTOR_DW);
}

struct mali_own_table mali_make_vertex_table(struct mali_cmd_buffer *cmd)
{
    const struct mali_graphics *graphics = &cmd->graphics;
    const struct mali_shader_config *config = &graphics->baked->vertex->binary.config;
    const struct vk_vertex_input_state *vi = &cmd->vk.rec->dynamic_state.vi;
    const uint32_t read = config->vs.attributes_read & vi->attribute_mask;
    uint32_t words[MALI_MAX_ATTRIBUTES][MALI_DESCRIPTOR_DW], bindings = 0;
    uint32_t rest[VK_MAX_VERTEX_BINDINGS][MALI_DESCRIPTOR_DW], rest_count = 0;
    bits_foreach (read, i)
        bindings |= 1u << vi->attributes[i].binding;
    /* Buffers have the places of locations that nothing reads, and where all are read those at the table's end. */
    const uint32_t all = config->vs.attributes_read;
    uint32_t places = ~all, count = all ? 32u - (uint32_t)__builtin_clz(all) : 0;
    const uint32_t first_rest = MALI_DRIVER_FREE + cmd->vk.rec->bindings[VK_BIND_GRAPHICS].num_dynamic;
    uint32_t index[VK_MAX_VERTEX_BINDINGS] = {0};
    memset(words, 0, count * sizeof(words[0]));
    bits_foreach (bindings, i) {
        if (!places) {
            index[i] = first_rest + rest_count;
            pack_buffer(graphics, i, rest[rest_count++]);
            continue;
        }
        index[i] = (uint32_t)__builtin_ctz(places);
        places &= places - 1;
        if (index[i] >= count) {
            memset(words[count], 0, (index[i] + 1u - count) * sizeof(words[0]));
            count = index[i] + 1u;
        }
        pack_buffer(graphics, i, words[index[i]]);
    }
    bits_foreach (read, i)
        pack_attribute(cmd, i, index[vi->attributes[i].binding], words[i]);
    return mali_upload_own_table(
        cmd, VK_BIND_GRAPHICS, config,
        &(const struct mali_own_entries){
            .first = words[0], .first_count = count, .last = rest[0], .last_count = rest_count});
}
