/* How a driver describes a compiled shader for VK_KHR_pipeline_executable_properties: it names its executables one
 * after the other, each with its figures and texts, and the runtime picks what was asked for and writes the
 * application's arrays. */
#ifndef VULKAN_RUNTIME_VK_SHADER_REPORT_H
#define VULKAN_RUNTIME_VK_SHADER_REPORT_H

#include <stdint.h>

#include "vulkan/runtime/object/vk_api.h"

struct vk_shader_report;

/* Entries after this belong to this executable. */
void vk_report_executable(struct vk_shader_report *report, VkShaderStageFlags stages, uint32_t subgroup_size,
                          const char *name, const char *description);
void vk_report_figure(struct vk_shader_report *report, const char *name, const char *description, uint64_t value);
/* `text` may be NULL: there is none. */
void vk_report_text(struct vk_shader_report *report, const char *name, const char *text);

#endif
