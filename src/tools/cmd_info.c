/* tuff info: the GPUs that the driver offers, real and modelled, by what it answers to an application: for people, or
 * as JSON for programs. */
#include <stdlib.h>
#include <string.h>

#include "kernel/model.h"
#include "tools/driver.h"
#include "util/bits.h"

struct gpu {
    const char *word; /* what --gpu takes */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features vulkan11;
    VkPhysicalDeviceVulkan12Features vulkan12;
    VkPhysicalDeviceVulkan13Features vulkan13;
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

/* Those that decide what a program can run. */
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
    const void *const chain[] = {&gpu->core.features, &gpu->vulkan11, &gpu->vulkan12, &gpu->vulkan13};
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

static bool ask(struct tool_driver *driver, VkPhysicalDevice device, const char *word, struct gpu *gpu)
{
    *gpu = (struct gpu){.word = word};
    gpu->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &gpu->driver};
    DRIVER_GET(driver, vkGetPhysicalDeviceProperties2)(device, &properties);
    gpu->properties = properties.properties;
    DRIVER_GET(driver, vkGetPhysicalDeviceMemoryProperties)(device, &gpu->memory);
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
    bool features, extensions, json;
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

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text < 0x20)
            printf("\\u%04x", *text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void print_json(const struct gpu *gpu)
{
    const VkPhysicalDeviceProperties *p = &gpu->properties;
    printf("  {\n    \"gpu\": \"%s\",\n    \"name\": ", gpu->word);
    print_string(p->deviceName);
    printf(",\n    \"model\": %s,\n    \"type\": \"%s\",\n", strcmp(gpu->word, "real") ? "true" : "false",
           type_name(p->deviceType));
    printf("    \"vendor\": %u,\n    \"device\": %u,\n    \"driver\": ", p->vendorID, p->deviceID);
    print_string(gpu->driver.driverName);
    printf(",\n    \"vulkan\": \"%u.%u.%u\",\n    \"heaps\": [", VK_API_VERSION_MAJOR(p->apiVersion),
           VK_API_VERSION_MINOR(p->apiVersion), VK_API_VERSION_PATCH(p->apiVersion));
    for (uint32_t i = 0; i < gpu->memory.memoryHeapCount; i++)
        printf("%s{\"bytes\": %llu, \"local\": %s}", i ? ", " : "", (unsigned long long)gpu->memory.memoryHeaps[i].size,
               gpu->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? "true" : "false");
    printf("],\n    \"queues\": [");
    for (uint32_t i = 0; i < gpu->queue_count; i++)
        printf("%s{\"count\": %u, \"graphics\": %s, \"compute\": %s}", i ? ", " : "", gpu->queues[i].queueCount,
               gpu->queues[i].queueFlags & VK_QUEUE_GRAPHICS_BIT ? "true" : "false",
               gpu->queues[i].queueFlags & VK_QUEUE_COMPUTE_BIT ? "true" : "false");
    printf("],\n    \"features\": {");
    for (unsigned i = 0; i < ARRAY_SIZE(features); i++)
        printf("%s\n      \"%s\": %s", i ? "," : "", features[i].name, has_feature(gpu, i) ? "true" : "false");
    printf("\n    },\n    \"extensions\": {");
    for (uint32_t i = 0; i < gpu->extension_count; i++)
        printf("%s\n      \"%s\": %u", i ? "," : "", gpu->extensions[i].extensionName, gpu->extensions[i].specVersion);
    printf("\n    }\n  }");
}

/* ---- the command ---- */

/* The GPUs that one word stands for. Returns how many, or -1; *shown is the total over all words. */
static int print_some(struct tool_driver *driver, const char *word, const struct choice *choice, unsigned *shown)
{
    if (!tool_driver_open(driver, word))
        return -1;
    bool good = true;
    for (uint32_t i = 0; i < driver->gpu_count && good; i++) {
        struct gpu gpu;
        good = ask(driver, driver->gpus[i], word, &gpu);
        if (good && choice->json) {
            printf("%s\n", *shown ? "," : "");
            print_json(&gpu);
        } else if (good) {
            print_gpu(&gpu, choice);
        }
        *shown += good;
        free(gpu.extensions);
    }
    int count = (int)driver->gpu_count;
    tool_driver_close(driver);
    return good ? count : -1;
}

static bool print_real(struct tool_driver *driver, const struct choice *choice, unsigned *shown)
{
    int real = print_some(driver, "real", choice, shown);
    if (real < 0)
        tool_error(&tool_info, "the driver does not answer");
    else if (real == 0 && !choice->json)
        printf("real: no GPU of this machine is one that the driver knows\n");
    return real >= 0;
}

/* A model that only other people's drivers run on. */
static void print_without_driver(const struct kernel_model_row *model, const struct choice *choice, unsigned *shown)
{
    if (choice->json) {
        printf("%s\n  {\n    \"gpu\": \"%s\",\n    \"name\": ", *shown ? "," : "", model->name);
        print_string(model->gpu);
        printf(",\n    \"model\": true,\n    \"driver\": null\n  }");
    } else {
        printf("%s: %s\n", model->name, model->gpu);
        printf("  no driver   of Tuff's own is for it; `tuff shim %s -- PROGRAM` runs others' for %s\n", model->name,
               model->driver);
    }
    ++*shown;
}

static bool print_models(struct tool_driver *driver, const struct choice *choice, unsigned *shown)
{
    bool good = true;
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++) {
        bool is_wanted =
            !choice->gpus || tool_gpus_name(choice->gpus, model->name) || tool_gpus_name(choice->gpus, "all");
        if (is_wanted && !model->has_driver) {
            print_without_driver(model, choice, shown);
        } else if (is_wanted && print_some(driver, model->name, choice, shown) < 1) {
            tool_error(&tool_info, "the model %s does not answer", model->name);
            good = false;
        }
    }
    return good;
}

int tool_info_run(const struct tool_line *line)
{
    const struct choice choice = {.gpus = line->values[TOOL_INFO_GPU],
                                  .features = line->values[TOOL_INFO_FEATURES],
                                  .extensions = line->values[TOOL_INFO_EXTENSIONS],
                                  .json = line->values[TOOL_INFO_JSON]};
    struct tool_driver driver;
    if (!tool_driver_load(&driver, &tool_info))
        return TOOL_FAILED;
    unsigned shown = 0;
    bool good = true;
    if (choice.json)
        printf("[");
    if (!choice.gpus || tool_gpus_name(choice.gpus, "real"))
        good = print_real(&driver, &choice, &shown);
    good = print_models(&driver, &choice, &shown) && good;
    if (choice.json)
        printf("\n]\n");
    int output = tool_finish_output(&tool_info);
    return good ? output : TOOL_FAILED;
}
