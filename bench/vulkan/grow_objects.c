/* Objects of Vulkan that bench_grow makes and destroys. */
#include <stddef.h>

#include "grow.h"

#include "bench_variant_comp.h"

#define CHUNK_B (64u << 20) /* of memory that many buffers or images share */
#define MOST_CHUNKS 4096

const struct bench_spirv grow_variant = {bench_variant_comp, sizeof(bench_variant_comp)};

static struct {
    VkDescriptorPool pool;
    VkDescriptorSetLayout set_layout;
    VkDeviceMemory chunks[MOST_CHUNKS];
    uint32_t num_chunks;
    VkDeviceSize used_B; /* of the last chunk */
} shared;

/* ---- memory that many share ---- */

static VkDeviceMemory take_memory(VkMemoryRequirements needs, VkDeviceSize *offset_B)
{
    *offset_B = (shared.used_B + needs.alignment - 1) / needs.alignment * needs.alignment;
    if (!shared.num_chunks || *offset_B + needs.size > CHUNK_B) {
        bench_need(shared.num_chunks < MOST_CHUNKS, "fewer chunks of memory");
        shared.chunks[shared.num_chunks++] =
            bench_memory(&grow.bench, (VkMemoryRequirements){CHUNK_B, needs.alignment, needs.memoryTypeBits},
                         VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        *offset_B = 0;
    }
    shared.used_B = *offset_B + needs.size;
    return shared.chunks[shared.num_chunks - 1];
}

static void free_chunks(void)
{
    while (shared.num_chunks)
        vkFreeMemory(grow.bench.device, shared.chunks[--shared.num_chunks], NULL);
    shared.used_B = 0;
}

/* ---- kinds ---- */

static VkBuffer new_buffer(VkMemoryRequirements *needs_out)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    BENCH_CHECK(vkCreateBuffer(grow.bench.device, &info, NULL, &buffer));
    vkGetBufferMemoryRequirements(grow.bench.device, buffer, needs_out);
    return buffer;
}

static void create_buffer(uint32_t i)
{
    VkMemoryRequirements needs;
    VkDeviceSize offset_B;
    VkBuffer buffer = new_buffer(&needs);
    VkDeviceMemory memory = take_memory(needs, &offset_B);
    BENCH_CHECK(vkBindBufferMemory(grow.bench.device, buffer, memory, offset_B));
    grow.handles[i] = (uint64_t)buffer;
}

static void destroy_buffer(uint32_t i)
{
    vkDestroyBuffer(grow.bench.device, (VkBuffer)grow.handles[i], NULL);
}

/* Each with memory of its own. */
static void create_allocation(uint32_t i)
{
    VkMemoryRequirements needs;
    VkBuffer buffer = new_buffer(&needs);
    VkDeviceMemory memory = bench_memory(&grow.bench, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    BENCH_CHECK(vkBindBufferMemory(grow.bench.device, buffer, memory, 0));
    grow.handles[i] = (uint64_t)buffer;
    grow.others[i] = (uint64_t)memory;
}

static void destroy_allocation(uint32_t i)
{
    destroy_buffer(i);
    vkFreeMemory(grow.bench.device, (VkDeviceMemory)grow.others[i], NULL);
}

static void check_allocations(void)
{
    bench_offer(grow.count <= grow.bench.properties.limits.maxMemoryAllocationCount, "so many memory allocations");
}

static void create_fence(uint32_t i)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    BENCH_CHECK(vkCreateFence(grow.bench.device, &info, NULL, (VkFence *)&grow.handles[i]));
}

static void destroy_fence(uint32_t i)
{
    vkDestroyFence(grow.bench.device, (VkFence)grow.handles[i], NULL);
}

static void prepare_pipelines(void)
{
    grow.buffer = bench_buffer(&grow.bench, 4096, NULL);
    grow.compute = bench_compute(&grow.bench, grow_variant, &grow.buffer, 1, 0);
}

static void create_pipeline(uint32_t i)
{
    grow.handles[i] = (uint64_t)bench_compute_again(&grow.bench, grow.compute.module, grow.compute.layout, i + 1);
}

static void destroy_pipeline(uint32_t i)
{
    vkDestroyPipeline(grow.bench.device, (VkPipeline)grow.handles[i], NULL);
}

static void prepare_sets(void)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    BENCH_CHECK(vkCreateDescriptorSetLayout(grow.bench.device, &layout, NULL, &shared.set_layout));
    grow.buffer = bench_buffer(&grow.bench, 4096, NULL);
}

/* The pool is part of what is measured: it comes with the first set and goes with the last. */
static void create_set(uint32_t i)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, grow.count};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                             .maxSets = grow.count,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    if (!shared.pool)
        BENCH_CHECK(vkCreateDescriptorPool(grow.bench.device, &info, NULL, &shared.pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = shared.pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &shared.set_layout};
    BENCH_CHECK(vkAllocateDescriptorSets(grow.bench.device, &allocate, (VkDescriptorSet *)&grow.handles[i]));
    const VkDescriptorBufferInfo buffer = {grow.buffer.buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = (VkDescriptorSet)grow.handles[i],
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(grow.bench.device, 1, &write, 0, NULL);
}

static void destroy_set(uint32_t i)
{
    BENCH_CHECK(vkFreeDescriptorSets(grow.bench.device, shared.pool, 1, (VkDescriptorSet *)&grow.handles[i]));
}

static void destroy_pool(void)
{
    vkDestroyDescriptorPool(grow.bench.device, shared.pool, NULL);
    shared.pool = VK_NULL_HANDLE;
}

static void create_image(uint32_t i)
{
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {16, 16, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    VkMemoryRequirements needs;
    VkDeviceSize offset_B;
    VkImage image;
    BENCH_CHECK(vkCreateImage(grow.bench.device, &info, NULL, &image));
    vkGetImageMemoryRequirements(grow.bench.device, image, &needs);
    VkDeviceMemory memory = take_memory(needs, &offset_B);
    BENCH_CHECK(vkBindImageMemory(grow.bench.device, image, memory, offset_B));
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = info.format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    BENCH_CHECK(vkCreateImageView(grow.bench.device, &view, NULL, (VkImageView *)&grow.others[i]));
    grow.handles[i] = (uint64_t)image;
}

static void destroy_image(uint32_t i)
{
    vkDestroyImageView(grow.bench.device, (VkImageView)grow.others[i], NULL);
    vkDestroyImage(grow.bench.device, (VkImage)grow.handles[i], NULL);
}

const struct grow_kind grow_objects[] = {
    {"buffers", grow_nothing, create_buffer, destroy_buffer, free_chunks},
    {"allocations", check_allocations, create_allocation, destroy_allocation, grow_nothing},
    {"fences", grow_nothing, create_fence, destroy_fence, grow_nothing},
    {"pipelines", prepare_pipelines, create_pipeline, destroy_pipeline, grow_nothing},
    {"sets", prepare_sets, create_set, destroy_set, destroy_pool},
    {"images", grow_nothing, create_image, destroy_image, free_chunks},
    {NULL},
};
