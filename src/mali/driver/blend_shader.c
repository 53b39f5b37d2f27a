/* Blending by code: what the fixed function cannot do. A blend shader is compiled when a draw first needs it, and kept
 * as long as the device. */
#include <string.h>

#include "mali/driver/blend.h"
#include "mali/driver/cmd.h"
#include "util/log.h"
#include "vulkan/runtime/pipeline/vk_shader.h"

/* The descriptor has the lower half of the address: code is within 4 GiB of the program that calls it. */
#define PC_MASK 0xffffffffull

static uint64_t find_shader(const struct mali_device *device, const struct mali_blend_key *key, uint16_t constants_word)
{
    array_foreach (&device->blend_shaders, shader) {
        if (shader->constants_word == constants_word && memcmp(&shader->key, key, sizeof(*key)) == 0)
            return shader->place.va;
    }
    return 0;
}

static VkResult make_shader(struct mali_device *device, const struct mali_blend_key *key, uint16_t constants_word,
                            uint64_t *va_out)
{
    struct mali_blend_shader shader = {.key = *key, .constants_word = constants_word};
    struct mali_binary binary;
    char error[256] = "";
    void *map;
    if (!mali_compile_blend(key, constants_word, &binary, error)) {
        LOG_ERROR("mali", "a blend shader cannot be compiled: %s", error);
        return vk_compile_error(error);
    }
    VkResult result = vk_code_memory_alloc(&device->code_memory, binary.size_B, &shader.place, &map);
    if (result == VK_SUCCESS) {
        memcpy(map, binary.words, binary.size_B);
        *va_out = shader.place.va + binary.config.main.offset_B;
        shader.place.va = *va_out;
        if (!array_push(&device->blend_shaders, shader)) {
            vk_code_memory_free(&device->code_memory, &shader.place);
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    mali_binary_finish(&binary);
    return result;
}

uint32_t mali_blend_shader_pc(struct mali_cmd_buffer *cmd, const struct mali_blend_key *key, uint16_t constants_word)
{
    struct mali_device *device = cmd->device;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->storage_lock);
    uint64_t va = find_shader(device, key, constants_word);
    if (!va)
        result = make_shader(device, key, constants_word, &va);
    pthread_mutex_unlock(&device->storage_lock);
    vk_command_buffer_set_error(&cmd->vk, result);
    return result == VK_SUCCESS ? (uint32_t)(va & PC_MASK) : 0;
}

void mali_blend_shaders_finish(struct mali_device *device)
{
    array_foreach (&device->blend_shaders, shader)
        vk_code_memory_free(&device->code_memory, &shader->place);
    array_finish(&device->blend_shaders);
}

/* ---- which targets may need one ---- */

#define BLEND_ROWS                                                                                                     \
    (VK_DYN(LOGIC_OP_ENABLE) | VK_DYN(BLEND_ENABLE) | VK_DYN(BLEND_EQUATION) | VK_DYN(COLOR_WRITE_MASK) |              \
     VK_DYN(ALPHA_TO_ONE))

uint8_t mali_blend_shader_targets(const struct vk_graphics_state *state)
{
    const struct vk_color_blend_state *cb = &state->dyn.cb;
    const bool may_be_any = state->dynamic & BLEND_ROWS || cb->logic_op_enable || state->dyn.ms.alpha_to_one;
    const struct vk_color_slots slots = vk_color_slots_of(&state->rendering);
    uint8_t targets = 0;
    for (uint32_t i = 0; i < state->rendering.color_count; i++) {
        const struct mali_color_format *color = &mali_vkformat(state->rendering.color_formats[i])->color;
        const bool is_blending = cb->blend_enables >> i & 1;
        if (color->cell_B &&
            (may_be_any || !mali_blend_is_fixed(color, &cb->equations[i], is_blending, cb->write_masks[i], NULL)))
            targets |= (uint8_t)(1u << vk_color_slot(&slots, i));
    }
    return targets;
}
