/* Stands in, weakly, for the parts of the driver that are being written; goes when they are there. */
#include "amd/driver/radeon_meta.h"
#include "amd/driver/radeon_preamble.h"
#define W __attribute__((weak))
W void radeon_graphics_reset(struct radeon_cmd_buffer *cmd) {}
W void radeon_inherit_rendering(struct radeon_cmd_buffer *cmd, const VkCommandBufferBeginInfo *info) {}
W void radeon_graphics_before_execute(struct radeon_cmd_buffer *cmd) {}
W void radeon_graphics_after_execute(struct radeon_cmd_buffer *cmd) {}
W void radeon_emit_graphics_preamble(struct radeon_device *device, struct radeon_cs *cs) {}
W VkResult radeon_meta_init(struct radeon_device *d) { return VK_SUCCESS; }
W void radeon_meta_finish(struct radeon_device *d) {}
W void radeon_meta_transition(struct radeon_cmd_buffer *cmd, const VkImageMemoryBarrier2 *b) {}
W VkResult radeon_graphics_compile(struct radeon_device *device, uint32_t count, const struct vk_shader_compile_info *infos, const struct vk_graphics_state *state, struct vk_shader **o) { return VK_ERROR_UNKNOWN; }
W void radeon_graphics_hash_state(struct vk_device *device, const struct vk_graphics_state *state, VkShaderStageFlags stages, struct vk_hasher *hasher) {}
W VkResult radeon_graphics_pipeline_init(struct vk_device *device, struct vk_pipeline *pipeline, const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator) { return VK_ERROR_UNKNOWN; }
W void radeon_graphics_pipeline_finish(struct vk_device *device, struct vk_pipeline *pipeline, const VkAllocationCallbacks *allocator) {}
W void radeon_graphics_bind_shaders(struct vk_command_buffer *c, uint32_t count, const VkShaderStageFlagBits *stages, struct vk_shader *const *shaders) {}
W void radeon_graphics_bind_pipeline(struct vk_command_buffer *c, struct vk_pipeline *pipeline) {}
W void radeon_graphics_cache_destroy(struct radeon_device *d) {}
