/* VK_KHR_pipeline_executable_properties: one pass over the drivers' descriptions for each question, with the
 * specification's rules of arrays in one place. */
#include "vulkan/runtime/pipeline/vk_shader_report.h"

#include <stdio.h>
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"

/* The answer to one question: at most one of the arrays. */
struct vk_shader_report {
    VkPipelineExecutablePropertiesKHR *properties;
    VkPipelineExecutableStatisticKHR *figures;
    VkPipelineExecutableInternalRepresentationKHR *texts;
    enum {
        ASKED_FOR_EXECUTABLES,
        ASKED_FOR_FIGURES,
        ASKED_FOR_TEXTS,
    } asked;
    uint32_t asked_executable;
    uint32_t executables; /* that were named */
    uint32_t room, total; /* elements that the array has, and that there are */
    bool is_cut;          /* a text did not fit */
};

/* The element's place in the array; -1: there is none, or it was not asked for. */
static int64_t take_element(struct vk_shader_report *report, unsigned kind)
{
    if (report->asked != kind || (kind != ASKED_FOR_EXECUTABLES && report->executables != report->asked_executable + 1))
        return -1;
    return report->total++ < report->room ? (int64_t)report->total - 1 : -1;
}

static void copy_word(char out[VK_MAX_DESCRIPTION_SIZE], const char *text)
{
    snprintf(out, VK_MAX_DESCRIPTION_SIZE, "%s", text);
}

void vk_report_executable(struct vk_shader_report *report, VkShaderStageFlags stages, uint32_t subgroup_size,
                          const char *name, const char *description)
{
    report->executables++;
    int64_t at = take_element(report, ASKED_FOR_EXECUTABLES);
    if (at < 0)
        return;
    VkPipelineExecutablePropertiesKHR *out = &report->properties[at];
    out->stages = stages;
    out->subgroupSize = subgroup_size;
    copy_word(out->name, name);
    copy_word(out->description, description);
}

void vk_report_figure(struct vk_shader_report *report, const char *name, const char *description, uint64_t value)
{
    int64_t at = take_element(report, ASKED_FOR_FIGURES);
    if (at < 0)
        return;
    VkPipelineExecutableStatisticKHR *out = &report->figures[at];
    copy_word(out->name, name);
    copy_word(out->description, description);
    out->format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
    out->value.u64 = value;
}

/* Without memory the element says how much it needs; too little gets what fits, ended properly. */
void vk_report_text(struct vk_shader_report *report, const char *name, const char *text)
{
    int64_t at = text ? take_element(report, ASKED_FOR_TEXTS) : -1;
    if (at < 0)
        return;
    VkPipelineExecutableInternalRepresentationKHR *out = &report->texts[at];
    size_t needed_B = strlen(text) + 1;
    copy_word(out->name, name);
    copy_word(out->description, name);
    out->isText = VK_TRUE;
    if (!out->pData) {
        out->dataSize = needed_B;
        return;
    }
    report->is_cut |= out->dataSize < needed_B;
    out->dataSize = MIN2(out->dataSize, needed_B);
    if (out->dataSize) {
        memcpy(out->pData, text, out->dataSize - 1);
        ((char *)out->pData)[out->dataSize - 1] = 0;
    }
}

static VkResult answer_query(VkPipeline handle, struct vk_shader_report *report, bool has_array, uint32_t *count)
{
    const struct vk_pipeline *pipeline = vk_pipeline_from_handle(handle);
    const struct vk_codegen *codegen = pipeline->base.device->codegen;
    report->room = has_array ? *count : 0;
    const struct vk_ray_pipeline *rays =
        pipeline->bind_point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR ? (const struct vk_ray_pipeline *)pipeline : NULL;
    struct vk_shader *const *shaders = rays ? rays->shaders : pipeline->shaders;
    const uint32_t num_shaders = rays ? rays->shader_count : VK_PIPELINE_MAX_STAGES;
    for (uint32_t i = 0; i < num_shaders; i++) {
        if (shaders[i] && codegen->describe)
            codegen->describe(shaders[i], report);
    }
    *count = has_array ? MIN2(report->room, report->total) : report->total;
    return has_array && (report->room < report->total || report->is_cut) ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPipelineExecutablePropertiesKHR(
    VkDevice handle, const VkPipelineInfoKHR *info, uint32_t *count, VkPipelineExecutablePropertiesKHR *properties)
{
    struct vk_shader_report report = {.asked = ASKED_FOR_EXECUTABLES, .properties = properties};
    return answer_query(info->pipeline, &report, properties, count);
}

VKAPI_ATTR VkResult VKAPI_CALL
vk_common_GetPipelineExecutableStatisticsKHR(VkDevice handle, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
                                             VkPipelineExecutableStatisticKHR *statistics)
{
    struct vk_shader_report report = {
        .asked = ASKED_FOR_FIGURES, .asked_executable = info->executableIndex, .figures = statistics};
    return answer_query(info->pipeline, &report, statistics, count);
}

VKAPI_ATTR VkResult VKAPI_CALL vk_common_GetPipelineExecutableInternalRepresentationsKHR(
    VkDevice handle, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
    VkPipelineExecutableInternalRepresentationKHR *representations)
{
    struct vk_shader_report report = {
        .asked = ASKED_FOR_TEXTS, .asked_executable = info->executableIndex, .texts = representations};
    return answer_query(info->pipeline, &report, representations, count);
}
