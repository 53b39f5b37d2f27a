/* tuff info: the GPUs that the driver offers, real and modelled, by what it answers to an application: for people, or
 * as JSON for programs. */
#include <stdlib.h>
#include <string.h>

#include "kernel/model.h"
#include "tools/driver.h"
#include "util/bits.h"
#include "util/json.h"

struct gpu {
    const char *word; /* what --gpu takes */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features vulkan11;
    VkPhysicalDeviceVulkan12Features vulkan12;
    VkPhysicalDeviceVulkan13Features vulkan13;
    VkPhysicalDeviceVulkan14Features vulkan14;
    VkQueueFamilyProperties queues[16];
    uint32_t queue_count;
    VkExtensionProperties *extensions;
    uint32_t extension_count;
};

static const struct {
    const char *name;
    unsigned chain;
    size_t offset_B;
} features[] = {
#define FEATURE(chain, type, name) {#name, chain, offsetof(type, name)},
#include "tools/core_features.h"
#undef FEATURE
};

/* Extensions that decide whether a program can run. */
static const char *const best_known[] = {
    "geometryShader",
    "tessellationShader",
    "samplerAnisotropy",
    "sampleRateShading",
    "multiDrawIndirect",
    "textureCompressionBC",
    "textureCompressionASTC_LDR",
    "shaderFloat64",
    "shaderInt64",
    "shaderInt16",
    "shaderFloat16",
    "descriptorIndexing",
    "bufferDeviceAddress",
    "timelineSemaphore",
    "dynamicRendering",
    "synchronization2",
    "sparseBinding",
};

static bool has_feature(const struct gpu *gpu, unsigned index)
{
    const void *const chain[] = {&gpu->core.features, &gpu->vulkan11, &gpu->vulkan12, &gpu->vulkan13, &gpu->vulkan14};
    return *(const VkBool32 *)((const char *)chain[features[index].chain] + features[index].offset_B);
}

static bool is_best_known(const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(best_known); i++) {
        if (strcmp(best_known[i], name) == 0)
            return true;
    }
    return false;
}

static bool ask_device(struct tool_driver *driver, VkPhysicalDevice device, const char *word, struct gpu *gpu)
{
    *gpu = (struct gpu){.word = word};
    gpu->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &gpu->driver};
    DRIVER_GET(driver, vkGetPhysicalDeviceProperties2)(device, &properties);
    gpu->properties = properties.properties;
    DRIVER_GET(driver, vkGetPhysicalDeviceMemoryProperties)(device, &gpu->memory);
    gpu->vulkan14.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES;
    gpu->vulkan13.pNext = &gpu->vulkan14;
    gpu->vulkan13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    gpu->vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    gpu->vulkan12.pNext = &gpu->vulkan13;
    gpu->vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    gpu->vulkan11.pNext = &gpu->vulkan12;
    gpu->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    gpu->core.pNext = &gpu->vulkan11;
    DRIVER_GET(driver, vkGetPhysicalDeviceFeatures2)(device, &gpu->core);
    gpu->queue_count = ARRAY_SIZE(gpu->queues);
    DRIVER_GET(driver, vkGetPhysicalDeviceQueueFamilyProperties)(device, &gpu->queue_count, gpu->queues);
    PFN_vkEnumerateDeviceExtensionProperties extensions = DRIVER_GET(driver, vkEnumerateDeviceExtensionProperties);
    if (extensions(device, NULL, &gpu->extension_count, NULL) != VK_SUCCESS)
        return false;
    gpu->extensions = calloc(gpu->extension_count + 1, sizeof(*gpu->extensions));
    return gpu->extensions && extensions(device, NULL, &gpu->extension_count, gpu->extensions) == VK_SUCCESS;
}

static const char *type_name(VkPhysicalDeviceType type)
{
    static const char *const names[] = {"other", "integrated", "discrete", "virtual", "cpu"};
    return (unsigned)type < ARRAY_SIZE(names) ? names[type] : "?";
}

/* ---- for people ---- */

struct choice {
    const char *gpus; /* NULL: all */
    bool features, extensions, is_json;
    struct json json;
};

static void print_heaps(const struct gpu *gpu)
{
    printf("  memory      ");
    for (uint32_t i = 0; i < gpu->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &gpu->memory.memoryHeaps[i];
        printf("%s%.1f GiB%s", i ? ", " : "", (double)heap->size / (1 << 30),
               heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? " of its own" : " of the host");
    }
    printf("\n  queues      ");
    for (uint32_t i = 0; i < gpu->queue_count; i++) {
        VkQueueFlags flags = gpu->queues[i].queueFlags;
        printf("%s%u for %s", i ? ", " : "", gpu->queues[i].queueCount,
               flags & VK_QUEUE_GRAPHICS_BIT  ? "graphics and compute"
               : flags & VK_QUEUE_COMPUTE_BIT ? "compute"
                                              : "transfers");
    }
    printf("\n");
}

static void print_features(const struct gpu *gpu, bool all)
{
    for (int wanted = 1; wanted >= 0; wanted--) {
        int column = printf("  %-11s", wanted ? "features" : "but not");
        for (unsigned i = 0; i < ARRAY_SIZE(features); i++) {
            if (has_feature(gpu, i) != wanted || !(all || is_best_known(features[i].name)))
                continue;
            if (column + 1 + strlen(features[i].name) > 120)
                column = printf("\n%13s", "");
            column += printf(" %s", features[i].name);
        }
        printf("\n");
    }
}

static void print_gpu(const struct gpu *gpu, const struct choice *choice)
{
    uint32_t version = gpu->properties.apiVersion;
    printf("%s: %s\n", gpu->word, gpu->properties.deviceName);
    printf("  Vulkan      %u.%u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
           VK_API_VERSION_PATCH(version));
    print_heaps(gpu);
    print_features(gpu, choice->features);
    printf("  extensions  %u\n", gpu->extension_count);
    for (uint32_t i = 0; i < gpu->extension_count && choice->extensions; i++)
        printf("              %s\n", gpu->extensions[i].extensionName);
}

/* ---- for programs ---- */

static void add_version(struct json *json, const char *key, uint32_t version)
{
    char text[32];
    snprintf(text, sizeof(text), "%u.%u.%u", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
             VK_API_VERSION_PATCH(version));
    json_string(json, key, text);
}

static void add_resources(struct json *json, const struct gpu *gpu)
{
    json_array(json, "heaps");
    for (uint32_t i = 0; i < gpu->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &gpu->memory.memoryHeaps[i];
        json_object(json, NULL);
        json_number(json, "bytes", heap->size);
        json_bool(json, "local", heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT);
        json_end(json);
    }
    json_end(json);
    json_array(json, "queues");
    for (uint32_t i = 0; i < gpu->queue_count; i++) {
        json_object(json, NULL);
        json_number(json, "count", gpu->queues[i].queueCount);
        json_bool(json, "graphics", gpu->queues[i].queueFlags & VK_QUEUE_GRAPHICS_BIT);
        json_bool(json, "compute", gpu->queues[i].queueFlags & VK_QUEUE_COMPUTE_BIT);
        json_end(json);
    }
    json_end(json);
}

static void add_gpu(struct json *json, const struct gpu *gpu)
{
    const VkPhysicalDeviceProperties *p = &gpu->properties;
    json_object(json, NULL);
    json_string(json, "gpu", gpu->word);
    json_string(json, "name", p->deviceName);
    json_bool(json, "model", strcmp(gpu->word, "real") != 0);
    json_string(json, "type", type_name(p->deviceType));
    json_number(json, "vendor", p->vendorID);
    json_number(json, "device", p->deviceID);
    json_string(json, "driver", gpu->driver.driverName);
    add_version(json, "vulkan", p->apiVersion);
    add_resources(json, gpu);
    json_object(json, "features");
    for (unsigned i = 0; i < ARRAY_SIZE(features); i++)
        json_bool(json, features[i].name, has_feature(gpu, i));
    json_end(json);
    json_object(json, "extensions");
    for (uint32_t i = 0; i < gpu->extension_count; i++)
        json_number(json, gpu->extensions[i].extensionName, gpu->extensions[i].specVersion);
    json_end(json);
    json_end(json);
}

/* ---- the command ---- */

/* The GPUs that one word stands for. Returns how many, or -1. */
static int print_some(struct tool_driver *driver, const char *word, struct choice *choice)
{
    if (!tool_driver_open(driver, word))
        return -1;
    bool good = true;
    for (uint32_t i = 0; i < driver->gpu_count && good; i++) {
        struct gpu gpu;
        good = ask_device(driver, driver->gpus[i], word, &gpu);
        if (good && choice->is_json)
            add_gpu(&choice->json, &gpu);
        else if (good)
            print_gpu(&gpu, choice);
        free(gpu.extensions);
    }
    int count = (int)driver->gpu_count;
    tool_driver_close(driver);
    return good ? count : -1;
}

static bool print_real(struct tool_driver *driver, struct choice *choice)
{
    int real = print_some(driver, "real", choice);
    if (real < 0)
        tool_error(&tool_info, "the driver does not answer");
    else if (real == 0 && !choice->is_json)
        printf("real: no GPU of this machine is one that the driver knows\n");
    return real >= 0;
}

/* A model that only other people's drivers run on. */
static void print_without_driver(const struct kernel_model_row *model, struct choice *choice)
{
    struct json *json = &choice->json;
    if (!choice->is_json) {
        printf("%s: %s\n", model->name, model->gpu);
        printf("  no driver   of Tuff's own is for it; `tuff shim %s -- PROGRAM` runs others' for %s\n", model->name,
               model->driver);
        return;
    }
    json_object(json, NULL);
    json_string(json, "gpu", model->name);
    json_string(json, "name", model->gpu);
    json_bool(json, "model", true);
    json_string(json, "driver", NULL);
    json_end(json);
}

static bool print_models(struct tool_driver *driver, struct choice *choice)
{
    bool good = true;
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++) {
        bool is_wanted =
            !choice->gpus || tool_gpus_name(choice->gpus, model->name) || tool_gpus_name(choice->gpus, "all");
        if (is_wanted && !model->has_driver) {
            print_without_driver(model, choice);
        } else if (is_wanted && print_some(driver, model->name, choice) < 1) {
            tool_error(&tool_info, "the model %s does not answer", model->name);
            good = false;
        }
    }
    return good;
}

int tool_info_run(const struct tool_line *line)
{
    struct choice choice = {.gpus = line->values[TOOL_INFO_GPU],
                            .features = line->values[TOOL_INFO_FEATURES],
                            .extensions = line->values[TOOL_INFO_EXTENSIONS],
                            .is_json = line->values[TOOL_INFO_JSON]};
    struct tool_driver driver;
    if (!tool_driver_load(&driver, &tool_info))
        return TOOL_FAILED;
    bool good = true;
    json_array(&choice.json, NULL);
    if (!choice.gpus || tool_gpus_name(choice.gpus, "real"))
        good = print_real(&driver, &choice);
    good = print_models(&driver, &choice) && good;
    json_end(&choice.json);
    int output = choice.is_json ? tool_print_json(&tool_info, &choice.json) : tool_finish_output(&tool_info);
    return good ? output : TOOL_FAILED;
}
