/* The identity of a physical device: its GPU's names, its place on the bus, its nodes, its UUIDs, whether it is a
 * model. The same for every driver, on PCI and on a platform bus. */
#ifndef VULKAN_RUNTIME_VK_IDENTITY_H
#define VULKAN_RUNTIME_VK_IDENTITY_H

#include <sys/types.h>

#include "kernel/kernel.h"
#include "vulkan/runtime/device/vk_driver.h"

struct vk_properties;

struct vk_identity {
    struct kernel_device_info kernel;
    bool is_model;
    bool has_node[2]; /* by enum kernel_node; a model has none */
    dev_t nodes[2];
    uint8_t device_uuid[VK_UUID_SIZE], driver_uuid[VK_UUID_SIZE], cache_uuid[VK_UUID_SIZE];
    uint32_t vendor_id, device_id;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

/* The driver's facts about the GPU. */
struct vk_gpu_name {
    const char *marketing;
    uint32_t vendor_id, device_id;
    /* A GPU that is no model says in its name which it is, as "chip 0x00635000": a word and how many digits. */
    const char *id_word;
    int id_digits;
    /* Conditions of compiled code, beside its key and this build of the driver. */
    uint32_t code_ids[2];
};

/* `driver_name` is the family's, in lower case: drivers of two families must not share a UUID. */
void vk_identity_init(struct vk_identity *identity, const struct kernel_device_info *info, const char *driver_name);

/* Its names, and the UUID of pipeline caches. */
void vk_identity_name(struct vk_identity *identity, const struct vk_gpu_name *gpu);

/* Adds VK_EXT_physical_device_drm where there is a node, and VK_EXT_pci_bus_info on that bus. */
void vk_identity_fill_extensions(const struct vk_identity *identity, struct vk_device_extensions *extensions);

/* The properties of those two, the UUIDs, the names, the driver's version and the device's type. A model is a CPU, for
 * a program that looks for speed should not take it for a card, unless TUFF_DEVICE_TYPE=gpu asks otherwise (`tuff run
 * --as-gpu`). The conformance version is 0.0.0.0, for the driver is not certified, unless TUFF_CLAIM_CONFORMANCE=1 asks
 * for the version of the tests that pass (`tuff run --claim-conformance`). */
void vk_identity_fill_properties(const struct vk_identity *identity, bool is_integrated,
                                 struct vk_properties *properties);

#endif
