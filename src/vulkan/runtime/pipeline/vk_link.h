/* Stages of a pipeline before they are compiled: finding one, and linking those that follow each other. */
#ifndef VULKAN_RUNTIME_VK_LINK_H
#define VULKAN_RUNTIME_VK_LINK_H

#include "vulkan/runtime/pipeline/vk_shader.h"

struct ir_shader;
struct ir_target;
struct vk_graphics_state;

/* NULL: the pipeline does not have it. */
struct ir_shader *vk_find_stage(uint32_t count, const struct vk_stage_job *jobs, VkShaderStageFlagBits stage);

/* Optimises the stages, which are in the order of the pipeline and NULL where there is none, and links each with the
 * next: outputs that the next stage does not read and inputs that the one before does not write are removed, constants
 * are passed on. `turns`: how often; with a stage between the first and the last a second turn finds what became of no
 * use in the first. */
VkResult vk_link_stages(struct ir_shader *const stages[], unsigned count, unsigned turns,
                        const struct ir_target *target);

/* Whether the fragment shader runs for at least the asked fraction of samples: all of them, where it is more than
 * one. */
bool vk_is_per_sample(const struct vk_graphics_state *state);

#endif
