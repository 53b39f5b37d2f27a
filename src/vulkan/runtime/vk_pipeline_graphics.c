/* Graphics pipelines: complete ones, libraries, and the linking of libraries. */
#include "vulkan/runtime/vk_command_buffer.h"
#include "vulkan/runtime/vk_device.h"
#include "vulkan/runtime/vk_pipeline_internal.h"

void vk_graphics_pipeline_bind_state(struct vk_command_buffer *command_buffer,
                                     const struct vk_graphics_pipeline *pipeline)
{
}

void vk_graphics_pipeline_release(struct vk_graphics_pipeline *pipeline, const VkAllocationCallbacks *allocator)
{
}
