/* How a driver's time and memory grow: many objects of a kind, which are made, destroyed in another order, and whose
 * memory must be there again; or one module, compiled. bench/growth.py runs it with several numbers on several drivers.
 *
 *     bench_grow KIND COUNT      `create_s C destroy_s D base_kB B peak_kB P left_kB L`
 *     bench_grow module FILE     `create_s C use_s U peak_kB P`: until the pipeline is there, and until its first result
 *
 * Seconds are those of the processor, of all threads together. Ends with 77 where the device does not offer so many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "bench_variant_comp.h"

#define CHUNK_B (64u << 20) /* of memory that many buffers or images share */
#define MOST_CHUNKS 4096

static struct {
    struct bench bench;
    uint64_t *handles, *others; /* by object; a memory or a view that belongs to it */
    uint32_t count;
    VkDescriptorPool pool;
    VkDescriptorSetLayout set_layout;
    struct bench_buffer buffer;
    struct bench_compute compute;
    VkDeviceMemory chunks[MOST_CHUNKS];
    uint32_t num_chunks;
    VkDeviceSize used_B; /* of the last chunk */
} all;

/* ---- memory that many share ---- */

static VkDeviceMemory take_memory(VkMemoryRequirements needs, VkDeviceSize *offset_B)
{
    *offset_B = (all.used_B + needs.alignment - 1) / needs.alignment * needs.alignment;
    if (!all.num_chunks || *offset_B + needs.size > CHUNK_B) {
        bench_need(all.num_chunks < MOST_CHUNKS, "fewer chunks of memory");
        all.chunks[all.num_chunks++] =
            bench_memory(&all.bench, (VkMemoryRequirements){CHUNK_B, needs.alignment, needs.memoryTypeBits},
                         VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        *offset_B = 0;
    }
    all.used_B = *offset_B + needs.size;
    return all.chunks[all.num_chunks - 1];
}

static void free_chunks(void)
{
    while (all.num_chunks)
        vkFreeMemory(all.bench.device, all.chunks[--all.num_chunks], NULL);
    all.used_B = 0;
}

/* ---- kinds ---- */

static void nothing(void)
{
}

static VkBuffer new_buffer(VkMemoryRequirements *needs_out)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 256, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkBuffer buffer;
    BENCH_CHECK(vkCreateBuffer(all.bench.device, &info, NULL, &buffer));
    vkGetBufferMemoryRequirements(all.bench.device, buffer, needs_out);
    return buffer;
}

static void create_buffer(uint32_t i)
{
    VkMemoryRequirements needs;
    VkDeviceSize offset_B;
    VkBuffer buffer = new_buffer(&needs);
    VkDeviceMemory memory = take_memory(needs, &offset_B);
    BENCH_CHECK(vkBindBufferMemory(all.bench.device, buffer, memory, offset_B));
    all.handles[i] = (uint64_t)buffer;
}

static void destroy_buffer(uint32_t i)
{
    vkDestroyBuffer(all.bench.device, (VkBuffer)all.handles[i], NULL);
}

/* Each with memory of its own. */
static void create_allocation(uint32_t i)
{
    VkMemoryRequirements needs;
    VkBuffer buffer = new_buffer(&needs);
    VkDeviceMemory memory = bench_memory(&all.bench, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    BENCH_CHECK(vkBindBufferMemory(all.bench.device, buffer, memory, 0));
    all.handles[i] = (uint64_t)buffer;
    all.others[i] = (uint64_t)memory;
}

static void destroy_allocation(uint32_t i)
{
    destroy_buffer(i);
    vkFreeMemory(all.bench.device, (VkDeviceMemory)all.others[i], NULL);
}

static void check_allocations(void)
{
    bench_offer(all.count <= all.bench.properties.limits.maxMemoryAllocationCount, "so many memory allocations");
}

static void create_fence(uint32_t i)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    BENCH_CHECK(vkCreateFence(all.bench.device, &info, NULL, (VkFence *)&all.handles[i]));
}

static void destroy_fence(uint32_t i)
{
    vkDestroyFence(all.bench.device, (VkFence)all.handles[i], NULL);
}

static void prepare_pipelines(void)
{
    all.buffer = bench_buffer(&all.bench, 4096, NULL);
    all.compute = bench_compute(&all.bench, BENCH_SPIRV(bench_variant_comp), &all.buffer, 1, 0);
}

static void create_pipeline(uint32_t i)
{
    all.handles[i] = (uint64_t)bench_compute_again(&all.bench, all.compute.module, all.compute.layout, i + 1);
}

static void destroy_pipeline(uint32_t i)
{
    vkDestroyPipeline(all.bench.device, (VkPipeline)all.handles[i], NULL);
}

static void prepare_sets(void)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
    BENCH_CHECK(vkCreateDescriptorSetLayout(all.bench.device, &layout, NULL, &all.set_layout));
    all.buffer = bench_buffer(&all.bench, 4096, NULL);
}

/* The pool is part of what is measured: it comes with the first set and goes with the last. */
static void create_set(uint32_t i)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, all.count};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT,
                                             .maxSets = all.count,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    if (!all.pool)
        BENCH_CHECK(vkCreateDescriptorPool(all.bench.device, &info, NULL, &all.pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = all.pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &all.set_layout};
    BENCH_CHECK(vkAllocateDescriptorSets(all.bench.device, &allocate, (VkDescriptorSet *)&all.handles[i]));
    const VkDescriptorBufferInfo buffer = {all.buffer.buffer, 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = (VkDescriptorSet)all.handles[i],
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(all.bench.device, 1, &write, 0, NULL);
}

static void destroy_set(uint32_t i)
{
    BENCH_CHECK(vkFreeDescriptorSets(all.bench.device, all.pool, 1, (VkDescriptorSet *)&all.handles[i]));
}

static void destroy_pool(void)
{
    vkDestroyDescriptorPool(all.bench.device, all.pool, NULL);
    all.pool = VK_NULL_HANDLE;
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
    BENCH_CHECK(vkCreateImage(all.bench.device, &info, NULL, &image));
    vkGetImageMemoryRequirements(all.bench.device, image, &needs);
    VkDeviceMemory memory = take_memory(needs, &offset_B);
    BENCH_CHECK(vkBindImageMemory(all.bench.device, image, memory, offset_B));
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = info.format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    BENCH_CHECK(vkCreateImageView(all.bench.device, &view, NULL, (VkImageView *)&all.others[i]));
    all.handles[i] = (uint64_t)image;
}

static void destroy_image(uint32_t i)
{
    vkDestroyImageView(all.bench.device, (VkImageView)all.others[i], NULL);
    vkDestroyImage(all.bench.device, (VkImage)all.handles[i], NULL);
}

static const struct kind {
    const char *name;
    void (*prepare)(void); /* not measured */
    void (*create)(uint32_t i);
    void (*destroy)(uint32_t i);
    void (*finish)(void); /* what all of them shared goes, too; measured */
} kinds[] = {
    {"buffers", nothing, create_buffer, destroy_buffer, free_chunks},
    {"allocations", check_allocations, create_allocation, destroy_allocation, nothing},
    {"fences", nothing, create_fence, destroy_fence, nothing},
    {"pipelines", prepare_pipelines, create_pipeline, destroy_pipeline, nothing},
    {"sets", prepare_sets, create_set, destroy_set, destroy_pool},
    {"images", nothing, create_image, destroy_image, free_chunks},
};

/* ---- measuring ---- */

static long resident_kB(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident = 0;
    bench_need(file && fscanf(file, "%ld %ld", &size, &resident) == 2, "/proc/self/statm");
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A permutation that is the same everywhere: what goes in another order than it came finds the squares of lists. */
static uint32_t *shuffled(uint32_t count)
{
    uint32_t *order = malloc(count * sizeof(*order));
    uint64_t state = 1;
    bench_need(order != NULL, "memory");
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t other = bench_random(&state) % (i + 1), swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
    return order;
}

static void make_all(const struct kind *kind, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kind->create(i);
}

static void destroy_all(const struct kind *kind, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kind->destroy(order[i]);
    kind->finish();
}

static int measure_objects(const struct kind *kind, uint32_t count)
{
    all.handles = malloc(count * sizeof(uint64_t));
    all.others = malloc(count * sizeof(uint64_t));
    all.count = count;
    bench_need(all.handles && all.others, "memory");
    /* Their pages are there before the first look. */
    memset(all.handles, 1, count * sizeof(uint64_t));
    memset(all.others, 1, count * sizeof(uint64_t));
    uint32_t *order = shuffled(count), one = 0;
    kind->prepare();
    make_all(kind, 1); /* what a driver makes once */
    destroy_all(kind, &one, 1);
    long base_kB = resident_kB();
    struct bench_took start = bench_now();
    make_all(kind, count);
    double create_s = bench_since(start).cpu_s;
    long peak_kB = resident_kB();
    start = bench_now();
    destroy_all(kind, order, count);
    double destroy_s = bench_since(start).cpu_s;
    printf("create_s %.6f destroy_s %.6f base_kB %ld peak_kB %ld left_kB %ld\n", create_s, destroy_s, base_kB, peak_kB,
           resident_kB());
    return 0;
}

static struct bench_spirv read_module(const char *path)
{
    FILE *file = fopen(path, "rb");
    bench_need(file && fseek(file, 0, SEEK_END) == 0, path);
    long size_B = ftell(file);
    bench_need(size_B > 0, path);
    rewind(file);
    uint32_t *words = malloc((size_t)size_B);
    bench_need(words && fread(words, 1, (size_t)size_B, file) == (size_t)size_B, path);
    fclose(file);
    return (struct bench_spirv){words, (size_t)size_B};
}

/* Some drivers compile when the first dispatch comes. */
static int measure_module(const char *path)
{
    struct bench *b = &all.bench;
    struct bench_spirv code = read_module(path);
    all.buffer = bench_buffer(b, 1 << 20, NULL);
    struct bench_took start = bench_now();
    all.compute = bench_compute(b, code, &all.buffer, 1, 0);
    double create_s = bench_since(start).cpu_s;
    bench_begin(b);
    bench_dispatch(b, &all.compute, NULL, 0, 1, 1, 1);
    bench_end(b);
    bench_submit(b, b->commands);
    double use_s = bench_since(start).cpu_s;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("create_s %.6f use_s %.6f peak_kB %ld\n", create_s, use_s, used.ru_maxrss);
    return 0;
}

int main(int argc, char **argv)
{
    const struct kind *kind = NULL;
    for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        kind = strcmp(kinds[i].name, argv[1]) == 0 ? &kinds[i] : kind;
    long count = kind ? strtol(argv[2], NULL, 10) : 1;
    if (argc != 3 || (!kind && strcmp(argv[1], "module") != 0) || count < 1 || count > 100000000) {
        fprintf(stderr, "usage: bench_grow buffers|allocations|fences|pipelines|sets|images COUNT | module FILE\n");
        return 2;
    }
    bench_open(&all.bench);
    return kind ? measure_objects(kind, (uint32_t)count) : measure_module(argv[2]);
}
