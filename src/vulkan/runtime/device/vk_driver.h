/* A GPU driver's part of the runtime, and the parts of the ICD library. To add a driver "gpu":
 *
 *   1. Generate gpu_entrypoints.{h,c} with gen_entrypoints.py --prefix gpu (the runtime's meson.build shows how) and
 *      define gpu_Foo for every command vkFoo that the driver implements itself; a command it does not define is taken
 *      from the window systems or from vk_common. Link the driver whole: the tables hold weak references.
 *   2. Begin its structs with vk_physical_device, vk_device, vk_queue; queues and command buffers with a
 *      vk_object_base.
 *   3. Define a struct vk_driver; its `open` says what the GPU offers. Its `devices` say how a device is made.
 *   4. Name the driver in src/icd/drivers.c. */
#ifndef VULKAN_RUNTIME_VK_DRIVER_H
#define VULKAN_RUNTIME_VK_DRIVER_H

#include "vulkan/runtime/gen/vk_dispatch.h"
#include "vulkan/runtime/gen/vk_extension_sets.h"

struct kernel_file;
struct vk_device;
struct vk_features;
struct vk_format_ops;
struct vk_instance;
struct vk_layer;
struct vk_physical_device;

/* One source of functions for all three kinds; NULL stands for an empty table. */
struct vk_entrypoints {
    const struct vk_instance_dispatch *instance;
    const struct vk_physical_device_dispatch *physical_device;
    const struct vk_device_dispatch *device;
};

/* A driver's devices, of which the runtime has vkCreateDevice and vkDestroyDevice. */
struct vk_device_driver {
    size_t size_B; /* of the driver's struct, which begins with vk_device and is zeroed but for that */
    const struct vk_device_dispatch *entrypoints;
    /* After vk_device_init: sets what vk_device.h says that the driver sets, and makes the queues. After an error
     * `finish` is called, too. */
    VkResult (*init)(struct vk_device *device, const VkDeviceCreateInfo *info);
    void (*finish)(struct vk_device *device);
};

struct vk_driver {
    const char *name; /* for logs */

    /* The DRM drivers, by the names that DRM_IOCTL_VERSION gives, whose devices this driver is for; ends with NULL. The
     * runtime finds the devices, real and modelled (vk_enumerate.h). */
    const char *const *drm_names;

    size_t physical_device_B; /* of the driver's struct, which begins with vk_physical_device */
    const struct vk_physical_device_dispatch *entrypoints; /* the driver's; they win over the runtime's */
    uint32_t api_version;                                  /* what vkGetPhysicalDeviceProperties will say */
    const struct vk_format_ops *formats;                   /* NULL: the driver answers for formats itself */
    const struct vk_device_driver *devices;                /* NULL: the driver has vkCreateDevice itself */

    /* Fill in a physical device, of which the instance, the driver and the identity's place are there, by an open file
     * on such a device: what it offers, and what vk_physical_device.h says that the driver sets. The file is the
     * driver's from here on, and on failure it has closed it. A device that the driver has no support for is left
     * alone, with a message and VK_ERROR_INCOMPATIBLE_DRIVER; another error ends the enumeration of all devices. Called
     * with the instance's lock held. */
    VkResult (*open)(struct vk_physical_device *physical, struct kernel_file *file);
    void (*close)(struct vk_physical_device *physical);

    /* The bytes of a heap that this process has, and those that it may have in all; NULL: that is not known. */
    void (*heap_use)(struct vk_physical_device *physical, uint32_t heap, uint64_t *own_B_out, uint64_t *budget_B_out);

    /* Commands of shared rooms that the driver's devices use where it has none of its own (vulkan/meta); NULL: none. */
    const struct vk_device_dispatch *shared;
};

/* The parts of the library of the loader's entry points: fixed when it is linked. */
struct vk_icd {
    const struct vk_driver *const *drivers; /* ends with NULL */
    /* Extensions that instances can have enabled; only those of which every function works. */
    const struct vk_instance_extensions *instance_extensions;
    /* The window systems' functions: after a driver's, before the runtime's common ones. */
    struct vk_entrypoints wsi;
    /* Adds what the window systems give to every device by themselves to what its driver claims; NULL: nothing. */
    void (*wsi_offer)(struct vk_device_extensions *extensions, struct vk_features *features);
    /* Stands in front of devices that have VK_KHR_swapchain enabled; may be NULL. */
    const struct vk_layer *wsi_layer;
};

/* The instance extensions that the runtime itself implements completely. */
extern const struct vk_instance_extensions vk_common_instance_extensions;

/* The version of the instance-level API that the runtime implements. */
#define VK_RUNTIME_API_VERSION VK_MAKE_API_VERSION(0, 1, 4, VK_RUNTIME_PATCH)

#endif
