/* See vk_enumerate.h. */
#include "vulkan/runtime/device/vk_enumerate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/model.h"
#include "util/log.h"
#include "util/nearest.h"
#include "util/strbuf.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/object/vk_enum.h"

static const struct vk_driver *driver_for(const struct vk_instance *instance, const char *drm_name)
{
    for (const struct vk_driver *const *driver = instance->icd->drivers; *driver; driver++) {
        for (const char *const *name = (*driver)->drm_names; name && *name; name++) {
            if (strcmp(*name, drm_name) == 0)
                return *driver;
        }
    }
    return NULL;
}

static VkResult open_device(struct vk_physical_device *physical, struct vk_instance *instance,
                            const struct vk_driver *driver, struct kernel_file *file)
{
    physical->instance = instance;
    physical->driver = driver;
    vk_identity_init(&physical->identity, &file->info, driver->name);
    VkResult result = driver->open(physical, file);
    if (result != VK_SUCCESS)
        return result;
    if (driver->api_version >= VK_API_VERSION_1_1)
        vk_identity_fill_extensions(&physical->identity, &physical->supported_extensions);
    result = vk_physical_device_init(physical, instance,
                                     &(const struct vk_physical_device_info){
                                         .driver = driver,
                                         .entrypoints = driver->entrypoints,
                                         .api_version = driver->api_version,
                                         .supported_extensions = &physical->supported_extensions,
                                         .supported_features = &physical->supported_features,
                                         .formats = driver->formats,
                                     });
    if (result != VK_SUCCESS)
        driver->close(physical);
    return result;
}

/* Hands the file over. A device that the driver has no support for is no error. */
static VkResult add_device(struct vk_instance *instance, const struct vk_driver *driver, struct kernel_file *file)
{
    struct vk_physical_device *physical =
        vk_zalloc(&instance->alloc, NULL, driver->physical_device_B, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!physical) {
        kernel_close(file);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    VkResult result = open_device(physical, instance, driver, file);
    if (result == VK_SUCCESS) {
        list_push_back(&instance->physical_devices, &physical->link);
        instance->physical_device_count++;
        return VK_SUCCESS;
    }
    vk_free(&instance->alloc, NULL, physical);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return VK_SUCCESS;
    LOG_WARN("vulkan", "driver %s cannot use its device: %s", driver->name, vk_VkResult_name(result));
    return result;
}

static VkResult add_real_devices(struct vk_instance *instance)
{
    struct kernel_device_info *devices;
    uint32_t count;
    int error = kernel_list_devices(&devices, &count);
    if (error) {
        LOG_WARN("vulkan", "the machine's devices cannot be listed: %s", strerror(-error));
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    }
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        const struct vk_driver *driver = driver_for(instance, devices[i].driver);
        struct kernel_file *file;
        if (!driver)
            continue;
        error = kernel_open(&devices[i], KERNEL_NODE_RENDER, &file);
        if (error)
            LOG_WARN("vulkan", "%s cannot be opened: %s", devices[i].render_path, strerror(-error));
        else
            result = add_device(instance, driver, file);
    }
    free(devices);
    return result;
}

static VkResult add_model(struct vk_instance *instance, const struct kernel_model_row *model)
{
    const struct vk_driver *driver = driver_for(instance, model->driver);
    if (!driver) {
        LOG_ERROR("vulkan", "no driver of this library is for the model %s (%s)", model->name, model->driver);
        return VK_SUCCESS;
    }
    struct kernel_file *file;
    int error = kernel_open_model(model->name, KERNEL_NODE_RENDER, &file);
    if (error) {
        LOG_ERROR("vulkan", "the model %s cannot be opened: %s", model->name, strerror(-error));
        return error == -ENOMEM ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
    }
    return add_device(instance, driver, file);
}

/* ---- the words of TUFF_GPU ---- */

/* Devices that were taken already: a word may stand in the list twice, or `all` beside a name. */
struct choice {
    struct vk_instance *instance;
    bool has_real;
    uint64_t models; /* by row; gen_models.py lets the table have no more */
};

static VkResult choose_model(struct choice *choice, unsigned index)
{
    if (choice->models & 1ull << index)
        return VK_SUCCESS;
    choice->models |= 1ull << index;
    return add_model(choice->instance, kernel_model_row(index));
}

static VkResult choose_all(struct choice *choice)
{
    VkResult result = VK_SUCCESS;
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)) && result == VK_SUCCESS; i++) {
        if (driver_for(choice->instance, model->driver))
            result = choose_model(choice, i);
    }
    return result;
}

static void report_unknown(const char *word, size_t length)
{
    struct strbuf known = {0};
    struct nearest nearest = nearest_begin(word, length);
    char hint[96];
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++) {
        strbuf_printf(&known, "%s, ", model->name);
        nearest_try(&nearest, model->name);
    }
    LOG_ERROR("vulkan", "TUFF_GPU: no GPU '%.*s'; known are %sall and real%s", (int)length, word,
              known.text ? known.text : "", nearest_text(&nearest, hint));
    strbuf_finish(&known);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static VkResult choose_devices(struct choice *choice, const char *word, size_t length)
{
    if (is_word(word, length, "all"))
        return choose_all(choice);
    if (is_word(word, length, "real") || is_word(word, length, "none")) {
        bool is_again = choice->has_real;
        choice->has_real = true;
        return is_again ? VK_SUCCESS : add_real_devices(choice->instance);
    }
    const struct kernel_model_row *model;
    for (unsigned i = 0; (model = kernel_model_row(i)); i++) {
        if (is_word(word, length, model->name))
            return choose_model(choice, i);
    }
    report_unknown(word, length);
    return VK_SUCCESS;
}

VkResult vk_enumerate_devices(struct vk_instance *instance)
{
    struct choice choice = {.instance = instance};
    const char *words = secure_getenv("TUFF_GPU");
    VkResult result = VK_SUCCESS;
    if (!words || !*words) {
        result = choose_devices(&choice, "real", 4);
        if (result == VK_SUCCESS && instance->physical_device_count == 0)
            result = choose_model(&choice, 0);
        return result;
    }
    while (*words && result == VK_SUCCESS) {
        size_t length = strcspn(words, ",");
        result = choose_devices(&choice, words, length);
        words += length + (words[length] == ',');
    }
    return result;
}
