/* A device without the loader, with what little work needs: a buffer, a picture, layouts and a module of each stage.
 * The shaders are forged.*, for caches of theirs are what is forged. */
#ifndef TESTS_VULKAN_HOSTILE_WORLD_H
#define TESTS_VULKAN_HOSTILE_WORLD_H

#include <stdbool.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#define WORLD_COMMANDS(X)                                                                                              \
    X(GetDeviceQueue)                                                                                                  \
    X(DestroyDevice)                                                                                                   \
    X(CreateBuffer)                                                                                                    \
    X(DestroyBuffer)                                                                                                   \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(BindBufferMemory)                                                                                                \
    X(AllocateMemory)                                                                                                  \
    X(FreeMemory)                                                                                                      \
    X(CreateImage)                                                                                                     \
    X(DestroyImage)                                                                                                    \
    X(GetImageMemoryRequirements)                                                                                      \
    X(BindImageMemory)                                                                                                 \
    X(CreateImageView)                                                                                                 \
    X(DestroyImageView)                                                                                                \
    X(CreateDescriptorSetLayout)                                                                                       \
    X(DestroyDescriptorSetLayout)                                                                                      \
    X(CreateDescriptorPool)                                                                                            \
    X(DestroyDescriptorPool)                                                                                           \
    X(AllocateDescriptorSets)                                                                                          \
    X(UpdateDescriptorSets)                                                                                            \
    X(CreatePipelineLayout)                                                                                            \
    X(DestroyPipelineLayout)                                                                                           \
    X(CreateShaderModule)                                                                                              \
    X(DestroyShaderModule)                                                                                             \
    X(CreatePipelineCache)                                                                                             \
    X(DestroyPipelineCache)                                                                                            \
    X(GetPipelineCacheData)                                                                                            \
    X(CreateComputePipelines)                                                                                          \
    X(CreateGraphicsPipelines)                                                                                         \
    X(DestroyPipeline)                                                                                                 \
    X(CreateCommandPool)                                                                                               \
    X(DestroyCommandPool)                                                                                              \
    X(ResetCommandPool)                                                                                                \
    X(AllocateCommandBuffers)                                                                                          \
    X(BeginCommandBuffer)                                                                                              \
    X(EndCommandBuffer)                                                                                                \
    X(CmdBeginRendering)                                                                                               \
    X(CmdEndRendering)                                                                                                 \
    X(CmdPipelineBarrier)                                                                                              \
    X(CmdBindPipeline)                                                                                                 \
    X(CmdBindDescriptorSets)                                                                                           \
    X(CmdBindVertexBuffers)                                                                                            \
    X(CmdPushConstants)                                                                                                \
    X(CmdDraw)                                                                                                         \
    X(CmdDrawIndexed)                                                                                                  \
    X(CmdDrawIndirect)                                                                                                 \
    X(CmdDrawIndexedIndirect)                                                                                          \
    X(CmdDrawIndirectCount)                                                                                            \
    X(CmdBindIndexBuffer)                                                                                              \
    X(CmdFillBuffer)                                                                                                   \
    X(CmdUpdateBuffer)                                                                                                 \
    X(CmdDispatchIndirect)                                                                                             \
    X(CmdDispatch)                                                                                                     \
    X(QueueSubmit)                                                                                                     \
    X(QueueWaitIdle)

extern struct world_functions {
    PFN_vkGetInstanceProcAddr get;
    PFN_vkCreateInstance CreateInstance;
    PFN_vkDestroyInstance DestroyInstance;
    PFN_vkCreateDevice CreateDevice;
#define DECLARE(name) PFN_vk##name name;
    WORLD_COMMANDS(DECLARE)
#undef DECLARE
} vk;

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        VkResult try_result = (call);                                                                                  \
        if (try_result != VK_SUCCESS)                                                                                  \
            return try_result;                                                                                         \
    } while (0)

enum {
    SIZE = 16, /* pixels a side */
    BUFFER_B = 4096,
    MODULES = 6,
};
enum module {
    VERTEX,
    CONTROL,
    EVALUATION,
    GEOMETRY,
    FRAGMENT,
    COMPUTE
};

struct world {
    VkInstance instance;
    VkPhysicalDevice gpu;
    VkDevice device;
    VkQueue queue;
    bool has_tessellation, has_geometry, has_indirect_count, has_many_indirect;
    VkBuffer buffer;
    VkImage image;
    VkDeviceMemory buffer_memory, image_memory;
    VkImageView view;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool sets;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkShaderModule modules[MODULES];
    VkCommandPool pool;
    VkCommandBuffer commands;
};

bool world_load(const char *library); /* before all else */
VkResult world_create(struct world *w);
void world_destroy(struct world *w);

VkResult world_create_draw(const struct world *w, VkPipelineCache cache, bool is_tessellated, bool has_geometry,
                           VkPipeline *out);
VkResult world_create_dispatch(const struct world *w, VkPipelineCache cache, VkPipeline *out);

/* A recording: begun, with the picture ready to be drawn to; between, what there is to do; run until it ends. */
VkResult world_begin(const struct world *w);
void world_begin_rendering(const struct world *w);
void world_bind(const struct world *w, VkPipelineBindPoint point, VkPipeline pipeline);
VkResult world_submit(const struct world *w);
VkResult world_run(const struct world *w); /* submits and waits */

#endif
