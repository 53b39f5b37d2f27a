/* The code of a pipeline's shaders, as VK_KHR_pipeline_executable_properties gives it: one file for each stage, for
 * programs that compare compilers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vt/vt.h"

#define MAX_EXECUTABLES 8
#define MAX_TEXTS 16

static void write_text(const struct vt *vt, const char *stage, const char *text, size_t size_B)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s_%02u_%s.assembly", vt->code_prefix, vt->num_codes, stage);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fwrite(text, 1, strnlen(text, size_B), file);
    fclose(file);
}

/* Of the texts of an executable, the one that is assembly. */
static void write_executable(struct vt *vt, VkPipeline pipeline, uint32_t index, const char *stage)
{
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR get_texts =
        (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)(void *)vkGetDeviceProcAddr(
            vt->device, "vkGetPipelineExecutableInternalRepresentationsKHR");
    const VkPipelineExecutableInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline, .executableIndex = index};
    VkPipelineExecutableInternalRepresentationKHR texts[MAX_TEXTS];
    uint32_t count = COUNT_OF(texts);
    for (uint32_t i = 0; i < COUNT_OF(texts); i++)
        texts[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    VT_CHECK(vt, get_texts(vt->device, &info, &count, texts));
    for (uint32_t i = 0; i < count; i++)
        texts[i].pData = texts[i].dataSize ? calloc(1, texts[i].dataSize) : NULL;
    VT_CHECK(vt, get_texts(vt->device, &info, &count, texts));
    for (uint32_t i = 0; i < count; i++) {
        if (strstr(texts[i].name, "ssembly") && texts[i].pData)
            write_text(vt, stage, texts[i].pData, texts[i].dataSize);
        free(texts[i].pData);
    }
}

void vt_write_code(struct vt *vt, VkPipeline pipeline)
{
    PFN_vkGetPipelineExecutablePropertiesKHR get_executables =
        (PFN_vkGetPipelineExecutablePropertiesKHR)(void *)vkGetDeviceProcAddr(vt->device,
                                                                              "vkGetPipelineExecutablePropertiesKHR");
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR executables[MAX_EXECUTABLES];
    uint32_t count = COUNT_OF(executables);
    for (uint32_t i = 0; i < COUNT_OF(executables); i++)
        executables[i] =
            (VkPipelineExecutablePropertiesKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    VT_CHECK(vt, get_executables(vt->device, &info, &count, executables));
    for (uint32_t i = 0; i < count; i++) {
        if (strstr(executables[i].name, "inning"))
            continue; /* the same vertex shader without what places no primitives */
        if (executables[i].stages == VK_SHADER_STAGE_VERTEX_BIT)
            write_executable(vt, pipeline, i, "vertex");
        else if (executables[i].stages == VK_SHADER_STAGE_FRAGMENT_BIT)
            write_executable(vt, pipeline, i, "fragment");
    }
    vt->num_codes++;
}
