/* Outputs of fragment shaders by attachments. */
#include "vulkan/runtime/vk_output_locations.h"

#include "compiler/ir/ir_builder.h"
#include "vulkan/runtime/vk_debug_utils.h"

#define UNWRITTEN UINT32_MAX

/* Of a colour the attachment's, of depth and its like itself. */
static uint32_t target_of(const struct vk_rendering_formats *formats, uint32_t location)
{
    if (location < IR_LOCATION_VAR0)
        return location;
    for (uint32_t i = 0; i < formats->color_count; i++) {
        if (formats->locations[i] == location - IR_LOCATION_VAR0)
            return IR_LOCATION_VAR0 + i;
    }
    return UNWRITTEN;
}

static void rename_stores(struct ir_shader *ir, const struct vk_rendering_formats *formats)
{
    ir_foreach_block (ir, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            uint32_t target = target_of(formats, ir_imm(instr, IR_IMM_LOCATION));
            if (target == UNWRITTEN)
                ir_remove(instr);
            else
                ir_set_imm(instr, IR_IMM_LOCATION, target);
        }
    }
}

/* Elements of an array go to attachments that need not be neighbours. */
static void rename_list(struct ir_shader *ir, const struct vk_rendering_formats *formats)
{
    uint32_t count = 0, used = 0;
    for (uint32_t i = 0; i < ir->num_outputs; i++)
        count += ir->outputs[i].num_locations ? ir->outputs[i].num_locations : 1;
    if (!count)
        return;
    struct ir_io_var *renamed = ir_alloc(ir, count * sizeof(*renamed));
    for (uint32_t i = 0; i < ir->num_outputs; i++) {
        struct ir_io_var output = ir->outputs[i];
        const uint32_t first = output.location, elements = output.num_locations ? output.num_locations : 1;
        output.num_locations = 1;
        for (uint32_t n = 0; n < elements; n++) {
            uint32_t target = target_of(formats, first + n);
            output.location = (uint16_t)target;
            if (target != UNWRITTEN)
                renamed[used++] = output;
        }
    }
    ir->outputs = renamed;
    ir->num_outputs = used;
}

VkResult vk_outputs_to_attachments(struct vk_device *device, struct ir_shader *ir,
                                   const struct vk_rendering_formats *formats)
{
    struct ir_failure failure;
    VkResult result = VK_SUCCESS;
    if (ir_guard(ir, &failure)) {
        vk_device_error(device, NULL, "a shader's outputs cannot be renamed: %s", failure.text);
        result = failure.out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
    } else {
        rename_stores(ir, formats);
        rename_list(ir, formats);
    }
    ir->failure = NULL;
    return result;
}
