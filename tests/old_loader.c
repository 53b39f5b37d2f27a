/* A Vulkan loader as old as Debian 11's, as far as `tuff run` asks one: for tests/first_run.py. */
#include <vulkan/vulkan.h>

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL vkEnumerateInstanceVersion(uint32_t *version)
{
    *version = VK_MAKE_API_VERSION(0, 1, 2, 162);
    return VK_SUCCESS;
}
