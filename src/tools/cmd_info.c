/* tuff info: the GPUs that the driver offers, real and modelled, by what it answers to an application. Asks the
 * driver's library itself, without a loader. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/model.h"
#include "tools/tool.h"
#include "util/bits.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

static const char usage[] =
    "usage: tuff info [--extensions]\n"
    "\n"
    "Lists the GPUs that Tuff's Vulkan driver can use: the machine's own and the models. `tuff run "
    "--gpu NAME` takes one.\n"
    "\n"
    "  --extensions  name them all\n";

static PFN_vkGetInstanceProcAddr get_proc;
static VkInstance instance;

#define GET(name) ((PFN_##name)get_proc(instance, #name))

static void print_memory(VkPhysicalDevice gpu)
{
    VkPhysicalDeviceMemoryProperties memory;
    GET(vkGetPhysicalDeviceMemoryProperties)(gpu, &memory);
    printf("  memory      ");
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        printf("%s%.1f GiB%s", i ? ", " : "", (double)memory.memoryHeaps[i].size / (1 << 30),
               memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? " of its own" : " of the host");
    printf("\n");
}

static void print_queues(VkPhysicalDevice gpu)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = ARRAY_SIZE(families);
    GET(vkGetPhysicalDeviceQueueFamilyProperties)(gpu, &count, families);
    printf("  queues      ");
    for (uint32_t i = 0; i < count; i++) {
        VkQueueFlags flags = families[i].queueFlags;
        printf("%s%u for %s", i ? ", " : "", families[i].queueCount,
               flags & VK_QUEUE_GRAPHICS_BIT  ? "graphics and compute"
               : flags & VK_QUEUE_COMPUTE_BIT ? "compute"
                                              : "transfers");
    }
    printf("\n");
}

static const struct {
    const char *name;
    size_t offset_B;
} shown_features[] = {
#define FEATURE(name)                                                                                                  \
    {                                                                                                                  \
#name, offsetof(VkPhysicalDeviceFeatures, name)                                                                \
    }
    FEATURE(geometryShader),
    FEATURE(tessellationShader),
    FEATURE(samplerAnisotropy),
    FEATURE(sampleRateShading),
    FEATURE(multiDrawIndirect),
    FEATURE(textureCompressionBC),
    FEATURE(textureCompressionASTC_LDR),
    FEATURE(shaderFloat64),
    FEATURE(shaderInt64),
    FEATURE(shaderInt16),
    FEATURE(sparseBinding),
#undef FEATURE
};

static void print_features(VkPhysicalDevice gpu)
{
    VkPhysicalDeviceFeatures features;
    GET(vkGetPhysicalDeviceFeatures)(gpu, &features);
    for (int wanted = 1; wanted >= 0; wanted--) {
        printf("  %-12s", wanted ? "features" : "but not");
        for (unsigned i = 0; i < ARRAY_SIZE(shown_features); i++) {
            VkBool32 has = *(const VkBool32 *)((const char *)&features + shown_features[i].offset_B);
            if ((int)has == wanted)
                printf("%s ", shown_features[i].name);
        }
        printf("\n");
    }
}

static void print_extensions(VkPhysicalDevice gpu, bool all)
{
    uint32_t count = 0;
    GET(vkEnumerateDeviceExtensionProperties)(gpu, NULL, &count, NULL);
    printf("  extensions  %u\n", count);
    VkExtensionProperties *extensions = all ? calloc(count, sizeof(*extensions)) : NULL;
    if (!extensions)
        return;
    GET(vkEnumerateDeviceExtensionProperties)(gpu, NULL, &count, extensions);
    for (uint32_t i = 0; i < count; i++)
        printf("              %s\n", extensions[i].extensionName);
    free(extensions);
}

static void print_gpu(const char *word, VkPhysicalDevice gpu, bool all)
{
    VkPhysicalDeviceProperties properties;
    GET(vkGetPhysicalDeviceProperties)(gpu, &properties);
    uint32_t version = properties.apiVersion;
    printf("%s: %s\n", word, properties.deviceName);
    printf("  Vulkan      %u.%u.%u\n", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
           VK_API_VERSION_PATCH(version));
    print_memory(gpu);
    print_queues(gpu);
    print_features(gpu);
    print_extensions(gpu, all);
}

/* The GPUs of one instance; the driver reads TUFF_GPU when it enumerates. Answers how many, or -1. */
static int print_some(const char *word, const char *environment, bool all)
{
    setenv("TUFF_GPU", environment, 1);
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    instance = NULL;
    PFN_vkCreateInstance create = GET(vkCreateInstance);
    if (!create || create(&info, NULL, &instance) != VK_SUCCESS)
        return -1;
    VkPhysicalDevice gpus[16];
    uint32_t count = ARRAY_SIZE(gpus);
    VkResult result = GET(vkEnumeratePhysicalDevices)(instance, &count, gpus);
    for (uint32_t i = 0; i < count && result >= 0; i++)
        print_gpu(word, gpus[i], all);
    GET(vkDestroyInstance)(instance, NULL);
    return result < 0 ? -1 : (int)count;
}

static int run(int argc, char **argv)
{
    static const char *const libraries[] = {"../icd/libvulkan_tuff.so", "../" TUFF_LIBDIR "/libvulkan_tuff.so", NULL};
    bool all = argc == 2 && strcmp(argv[1], "--extensions") == 0;
    if (argc > 1 + all)
        return tool_usage_error(&tool_info, "what is '%s'?", argv[1]);
    char library[PATH_MAX];
    void *handle = tool_find(libraries, library) ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (handle)
        *(void **)&get_proc = dlsym(handle, "vk_icdGetInstanceProcAddr");
    if (!get_proc) {
        const char *reason = handle ? "it is another library" : dlerror();
        tool_error(&tool_info, "libvulkan_tuff.so: %s", reason ? reason : "not where it should be");
        return TOOL_FAILED;
    }
    int real = print_some("real", "none", all);
    if (real == 0)
        printf("real: no GPU of this machine is one that the driver knows\n");
    const char *name;
    int failed = real < 0;
    for (unsigned i = 0; (name = kernel_model_name(i)); i++) {
        if (print_some(name, name, all) < 1) {
            tool_error(&tool_info, "the model %s does not answer", name);
            failed = 1;
        }
    }
    int output = tool_finish_output(&tool_info);
    return failed ? TOOL_FAILED : output;
}

const struct tool_command tool_info = {
    .name = "info",
    .summary = "list the GPUs, real and modelled, with what they can do",
    .usage = usage,
    .run = run,
};
