/* Conditional rendering: draws and dispatches that the stream goes over. The predicate is read before each of them. */
#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"

/* Scratch registers, which draws and dispatches do not use. */
enum {
    ADDRESS = 12, /* a pair */
    VALUE = 14,
};

static bool is_conditional(const struct mali_cmd_buffer *cmd)
{
    return cmd->predicate.va && !cmd->predicate.is_paused;
}

void mali_predicate_begin(const struct mali_cmd_buffer *cmd, struct mali_stream *s, struct mali_block *block)
{
    if (!is_conditional(cmd))
        return;
    mali_set64(s, mali_scratch_pair(ADDRESS), cmd->predicate.va);
    mali_put_load32(s, mali_scratch(VALUE), mali_scratch_pair(ADDRESS), 0);
    mali_if_begin(s, block, cmd->predicate.is_inverted ? MALI_CS_CONDITION_EQUAL : MALI_CS_CONDITION_NEQUAL,
                  mali_scratch(VALUE));
}

void mali_predicate_end(const struct mali_cmd_buffer *cmd, struct mali_stream *s, struct mali_block *block)
{
    if (is_conditional(cmd))
        mali_if_end(s, block);
}

VKAPI_ATTR void VKAPI_CALL mali_CmdBeginConditionalRenderingEXT(VkCommandBuffer handle,
                                                                const VkConditionalRenderingBeginInfoEXT *info)
{
    struct mali_cmd_buffer *cmd = mali_cmd_buffer_from_handle(handle);
    cmd->predicate.va = vk_buffer_from_handle(info->buffer)->va + info->offset;
    cmd->predicate.is_inverted = info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
}

VKAPI_ATTR void VKAPI_CALL mali_CmdEndConditionalRenderingEXT(VkCommandBuffer handle)
{
    mali_cmd_buffer_from_handle(handle)->predicate.va = 0;
}
