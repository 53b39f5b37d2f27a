/* See driver.h. */
#include "tools/driver.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "tools/architecture.h"

static void print_load_error(const struct tool_command *command, const char *library, const char *reason)
{
    tool_error(command, "the driver, libvulkan_tuff.so, cannot be loaded from %s: %s; install or build it anew",
               library, reason);
}

bool tool_driver_find(char library[PATH_MAX], const struct tool_command *command)
{
    static const char *const libraries[] = {"../icd/libvulkan_tuff.so", TUFF_LIBDIR "/libvulkan_tuff.so", NULL};
    if (tool_find(libraries, library))
        return tool_check_architecture(command, library);
    print_load_error(command, TUFF_LIBDIR " beside this command", "it is not there");
    return false;
}

bool tool_driver_load(struct tool_driver *driver, const struct tool_command *command)
{
    char library[PATH_MAX];
    *driver = (struct tool_driver){0};
    if (!tool_driver_find(library, command))
        return false;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        *(void **)&driver->get_proc = dlsym(handle, "vk_icdGetInstanceProcAddr");
    if (!driver->get_proc)
        print_load_error(command, library, handle ? "it is another library" : dlerror());
    return driver->get_proc != NULL;
}

bool tool_driver_open(struct tool_driver *driver, const char *gpu)
{
    setenv("TUFF_GPU", gpu, 1); /* the driver reads it when it enumerates */
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_4};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    driver->instance = NULL;
    driver->gpu_count = 0;
    PFN_vkCreateInstance create = DRIVER_GET(driver, vkCreateInstance);
    if (!create || create(&info, NULL, &driver->instance) != VK_SUCCESS)
        return false;
    uint32_t count = DRIVER_GPUS_MAX;
    VkResult result = DRIVER_GET(driver, vkEnumeratePhysicalDevices)(driver->instance, &count, driver->gpus);
    driver->gpu_count = result < 0 ? 0 : count;
    if (result < 0)
        tool_driver_close(driver);
    return result >= 0;
}

void tool_driver_close(struct tool_driver *driver)
{
    if (driver->instance)
        DRIVER_GET(driver, vkDestroyInstance)(driver->instance, NULL);
    driver->instance = NULL;
}
