/* The corpus through a Vulkan driver: every compute shader of a list, and what it left in memory. On lavapipe it is the
 * judge of our compiler.
 *
 *     run_vulkan LIST DIRECTORY SUFFIX        runs lines of "NAME KIND X Y Z FILE.spv" (world.h), writes NAME.SUFFIX
 *                                             for each; CORPUS_SUBGROUP_SIZE asks for a size, CORPUS_PLAIN for
 *                                             pipelines that are not optimised
 *     run_vulkan --code LIST DIRECTORY        writes what VK_KHR_pipeline_executable_properties says: NAME.statistics,
 *                                             NAME.assembly
 *     run_vulkan --time LIST ROUNDS           prints the best time of making the pipeline, in microseconds */
#include <stdio.h>
#include <time.h>

#include "corpus_vulkan.h"

VkPhysicalDevice physical;
VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static VkDescriptorSetLayout set_layout, image_set_layout;
static VkPipelineLayout layout, image_layout;
static VkDescriptorSet set, image_set;
static struct buffer input, output, block, second, addressed;

void check(VkResult result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "run_vulkan: %s: VkResult %d\n", what, result);
        exit(2);
    }
}

/* ---- the device and its buffers ---- */

static bool has_extension(const char *name)
{
    static VkExtensionProperties found[512];
    uint32_t count = COUNT_OF(found);
    CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, found));
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(found[i].extensionName, name) == 0)
            return true;
    }
    return false;
}

/* Extensions that have no feature bit. */
static const char *const plain_extensions[] = {"VK_AMD_shader_ballot",          "VK_AMD_shader_trinary_minmax",
                                               "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote",
                                               "VK_EXT_shader_stencil_export",  "VK_EXT_shader_viewport_index_layer"};

/* With everything that it can do. */
static void open_device(bool executables)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "tuff shaders",
                                     .apiVersion = VK_API_VERSION_1_3};
    VkInstance instance;
    CHECK(vkCreateInstance(
        &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application},
        NULL, &instance));
    uint32_t count = 1;
    CHECK(vkEnumeratePhysicalDevices(instance, &count, &physical));
    if (count == 0)
        check(VK_ERROR_INITIALIZATION_FAILED, "no Vulkan device");
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features features13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features features12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                                   .pNext = &features13};
    VkPhysicalDeviceVulkan11Features features11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                                   .pNext = &features12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features11};
    const char *names[COUNT_OF(plain_extensions) + 2];
    uint32_t used = 0;
    if (has_extension(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) {
        names[used++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
        features13.pNext = &atomics;
    }
    for (uint32_t i = 0; i < COUNT_OF(plain_extensions); i++) {
        if (has_extension(plain_extensions[i]))
            names[used++] = plain_extensions[i];
    }
    if (executables) {
        names[used++] = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
        properties.pNext = features13.pNext;
        features13.pNext = &properties;
    }
    vkGetPhysicalDeviceFeatures2(physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    features13.robustImageAccess = VK_FALSE;
    const float priority = 1;
    VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queues,
                               .enabledExtensionCount = used,
                               .ppEnabledExtensionNames = names};
    CHECK(vkCreateDevice(physical, &info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    CHECK(vkCreateCommandPool(device, &commands, NULL, &pool));
}

VkDeviceMemory allocate_memory(const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted, bool address)
{
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    uint32_t type = 0;
    while (type < memory.memoryTypeCount &&
           (!(needs->memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .pNext = address ? &flags : NULL,
                                     .allocationSize = needs->size,
                                     .memoryTypeIndex = type};
    VkDeviceMemory made;
    CHECK(vkAllocateMemory(device, &allocate, NULL, &made));
    return made;
}

struct buffer make_buffer(VkDeviceSize size_B)
{
    struct buffer made;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = size_B,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                        VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                        VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT};
    CHECK(vkCreateBuffer(device, &info, NULL, &made.buffer));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    made.memory =
        allocate_memory(&needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, true);
    CHECK(vkBindBufferMemory(device, made.buffer, made.memory, 0));
    CHECK(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.map));
    made.address = vkGetBufferDeviceAddress(
        device,
        &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = made.buffer});
    return made;
}

#define STAGES (VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

static VkPipelineLayout make_layout(uint32_t num_sets)
{
    VkPipelineLayout made;
    VkDescriptorSetLayout sets[] = {set_layout, image_set_layout};
    VkPushConstantRange range = {num_sets > 1 ? VK_SHADER_STAGE_ALL : VK_SHADER_STAGE_COMPUTE_BIT, 0, PUSH_B};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = num_sets,
                                       .pSetLayouts = sets,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    CHECK(vkCreatePipelineLayout(device, &info, NULL, &made));
    return made;
}

/* Only shaders that want images pay for them. */
static void need_images(const struct job *job)
{
    if (image_set || job->kind == JOB_BUFFERS)
        return;
    char modules[512];
    snprintf(modules, sizeof(modules), "%s", job->path);
    *strrchr(modules, '/') = 0;
    image_set_layout = make_image_layout();
    image_layout = make_layout(2);
    image_set = make_image_set(image_set_layout, &input, &second, modules);
}

static void make_set(void)
{
    const struct buffer *buffers[] = {&input, &output, &block, &second};
    VkDescriptorSetLayoutBinding bindings[4];
    VkDescriptorBufferInfo infos[4];
    VkWriteDescriptorSet writes[4];
    for (uint32_t i = 0; i < 4; i++) {
        VkDescriptorType type = i == 2 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i] = (VkDescriptorSetLayoutBinding){i, type, 1, STAGES, NULL};
        infos[i] = (VkDescriptorBufferInfo){buffers[i]->buffer, 0, VK_WHOLE_SIZE};
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = type,
                                           .pBufferInfo = &infos[i]};
    }
    VkDescriptorSetLayoutCreateInfo sets = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 4, .pBindings = bindings};
    CHECK(vkCreateDescriptorSetLayout(device, &sets, NULL, &set_layout));
    layout = make_layout(1);
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
    VkDescriptorPool set_pool;
    CHECK(vkCreateDescriptorPool(device, &info, NULL, &set_pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = set_pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &set_layout};
    CHECK(vkAllocateDescriptorSets(device, &allocate, &set));
    for (uint32_t i = 0; i < 4; i++)
        writes[i].dstSet = set;
    vkUpdateDescriptorSets(device, 4, writes, 0, NULL);
}

VkShaderModule make_module(const char *path)
{
    static uint32_t words[1 << 18];
    FILE *file = fopen(path, "rb");
    size_t size_B = file ? fread(words, 1, sizeof(words), file) : 0;
    if (!size_B)
        check(VK_ERROR_UNKNOWN, path);
    fclose(file);
    VkShaderModule module;
    CHECK(vkCreateShaderModule(device,
                               &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                           .codeSize = size_B,
                                                           .pCode = words},
                               NULL, &module));
    return module;
}

static VkPipeline make_pipeline(VkShaderModule module, const struct job *job, VkPipelineCreateFlags flags)
{
    VkPipeline pipeline;
    const char *size = getenv("CORPUS_SUBGROUP_SIZE");
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = size ? (uint32_t)strtoul(size, NULL, 10) : 0};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags | (getenv("CORPUS_PLAIN") ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0),
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = size ? &subgroup : NULL,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = job->kind == JOB_BUFFERS ? layout : image_layout};
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

/* ---- running ---- */

VkCommandBuffer begin_commands(void)
{
    VkCommandBuffer commands;
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    CHECK(vkAllocateCommandBuffers(device, &allocate, &commands));
    CHECK(vkBeginCommandBuffer(commands,
                               &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    return commands;
}

void end_commands(VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(commands));
    CHECK(vkQueueSubmit(
        queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands},
        VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
    vkFreeCommandBuffers(device, pool, 1, &commands);
}

static void dispatch(VkPipeline pipeline, const struct job *job, const struct world *world)
{
    bool buffers = job->kind == JOB_BUFFERS;
    VkPipelineLayout used = buffers ? layout : image_layout;
    VkDescriptorSet sets[] = {set, image_set};
    VkCommandBuffer commands = begin_commands();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, used, 0, buffers ? 1 : 2, sets, 0, NULL);
    vkCmdPushConstants(commands, used, buffers ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_ALL, 0, PUSH_B,
                       world->push);
    vkCmdDispatch(commands, job->groups[0], job->groups[1], job->groups[2]);
    end_commands(commands);
}

static void run_compute(const struct job *job, const struct world *world)
{
    VkShaderModule module = make_module(job->path);
    VkPipeline pipeline = make_pipeline(module, job, 0);
    dispatch(pipeline, job, world);
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyShaderModule(device, module, NULL);
}

/* After the world: the storage images. */
static void dump_images(const struct job *job, const char *directory, const char *suffix)
{
    char path[1024];
    const void *data;
    size_t size_B = read_storage_images(&data);
    snprintf(path, sizeof(path), "%s/%s.%s", directory, job->name, suffix);
    FILE *file = fopen(path, "ab");
    if (!file || fwrite(data, 1, size_B, file) != size_B || fclose(file) != 0)
        check(VK_ERROR_UNKNOWN, "the dump");
}

static void run_one(const struct job *job, const char *directory, const char *suffix)
{
    static struct world world;
    need_images(job);
    world_fill(&world, addressed.address);
    memcpy(input.map, world.input, INPUT_B);
    memcpy(output.map, world.output, OUTPUT_B);
    memcpy(block.map, world.block, BLOCK_B);
    memcpy(second.map, world.second, SECOND_B);
    memcpy(addressed.map, world.addressed, ADDRESSED_B);
    if (job->kind != JOB_BUFFERS)
        fill_storage_images();
    if (job->kind >= JOB_DRAW) {
        struct draw draw = {.layout = image_layout,
                            .sets = {set, image_set},
                            .num_sets = 2,
                            .vertices = input.buffer,
                            .push = world.push,
                            .plain = getenv("CORPUS_PLAIN")};
        draw_job(job, &draw, &world);
    } else {
        run_compute(job, &world);
        memcpy(world.output, output.map, OUTPUT_B);
        memcpy(world.addressed, addressed.map, ADDRESSED_B);
    }
    memcpy(world.second, second.map, SECOND_B);
    if (!world_dump(&world, directory, job->name, suffix))
        check(VK_ERROR_UNKNOWN, "the dump");
    if (job->kind != JOB_BUFFERS)
        dump_images(job, directory, suffix);
    printf("ran %s\n", job->name);
    fflush(stdout);
}

/* ---- what the driver's compiler made ---- */

static FILE *open_out(const char *directory, const char *name, const char *suffix)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s.%s", directory, name, suffix);
    FILE *file = fopen(path, "w");
    if (!file)
        check(VK_ERROR_UNKNOWN, path);
    return file;
}

static void write_code(const struct job *job, const char *directory)
{
    PFN_vkGetPipelineExecutableStatisticsKHR get_statistics =
        (PFN_vkGetPipelineExecutableStatisticsKHR)(void *)vkGetDeviceProcAddr(device,
                                                                              "vkGetPipelineExecutableStatisticsKHR");
    PFN_vkGetPipelineExecutableInternalRepresentationsKHR get_texts =
        (PFN_vkGetPipelineExecutableInternalRepresentationsKHR)(void *)vkGetDeviceProcAddr(
            device, "vkGetPipelineExecutableInternalRepresentationsKHR");
    VkShaderModule module = make_module(job->path);
    VkPipeline pipeline = make_pipeline(module, job,
                                        VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                                            VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR);
    VkPipelineExecutableInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, .pipeline = pipeline};
    static VkPipelineExecutableStatisticKHR statistics[64];
    static VkPipelineExecutableInternalRepresentationKHR texts[8];
    uint32_t count = COUNT_OF(statistics), text_count = COUNT_OF(texts);
    for (uint32_t i = 0; i < count; i++)
        statistics[i] =
            (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    CHECK(get_statistics(device, &info, &count, statistics));
    FILE *file = open_out(directory, job->name, "statistics");
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "%s\t%llu\n", statistics[i].name, (unsigned long long)statistics[i].value.u64);
    fclose(file);
    for (uint32_t i = 0; i < text_count; i++)
        texts[i] = (VkPipelineExecutableInternalRepresentationKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    CHECK(get_texts(device, &info, &text_count, texts));
    for (uint32_t i = 0; i < text_count; i++)
        texts[i].pData = texts[i].dataSize ? malloc(texts[i].dataSize) : NULL;
    CHECK(get_texts(device, &info, &text_count, texts));
    for (uint32_t i = 0; i < text_count; i++) {
        if (strstr(texts[i].name, "ssembly")) {
            file = open_out(directory, job->name, "assembly");
            fwrite(texts[i].pData, 1, strnlen(texts[i].pData, texts[i].dataSize), file);
            fclose(file);
        }
        free(texts[i].pData);
    }
    vkDestroyPipeline(device, pipeline, NULL);
    vkDestroyShaderModule(device, module, NULL);
    printf("ran %s\n", job->name);
    fflush(stdout);
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void time_one(const struct job *job, unsigned rounds)
{
    VkShaderModule module = make_module(job->path);
    double best = 0;
    for (unsigned i = 0; i < rounds; i++) {
        double begin = now_us();
        VkPipeline pipeline = make_pipeline(module, job, 0);
        double taken = now_us() - begin;
        vkDestroyPipeline(device, pipeline, NULL);
        best = i && best < taken ? best : taken;
    }
    vkDestroyShaderModule(device, module, NULL);
    printf("time %s %.1f\n", job->name, best);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    bool code = argc == 4 && strcmp(argv[1], "--code") == 0, timed = argc == 4 && strcmp(argv[1], "--time") == 0;
    if (argc != 4) {
        fprintf(stderr, "usage: run_vulkan LIST DIRECTORY SUFFIX, or --code LIST DIRECTORY, or --time LIST ROUNDS\n");
        return 2;
    }
    FILE *list = fopen(argv[code || timed ? 2 : 1], "r");
    if (!list)
        check(VK_ERROR_UNKNOWN, "the list");
    open_device(code);
    input = make_buffer(INPUT_B);
    output = make_buffer(OUTPUT_B);
    block = make_buffer(BLOCK_B);
    second = make_buffer(SECOND_B);
    addressed = make_buffer(ADDRESSED_B);
    make_set();
    struct job job;
    while (world_next_job(list, &job)) {
        if (code)
            write_code(&job, argv[3]);
        else if (timed)
            time_one(&job, (unsigned)strtoul(argv[3], NULL, 10));
        else
            run_one(&job, argv[2], argv[3]);
    }
    fclose(list);
    return 0;
}
