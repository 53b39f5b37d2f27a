/* See vk_identity.h. */
#include "vulkan/runtime/device/vk_identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_build_id.h"
#include "vulkan/runtime/gen/vk_properties.h"
#include "vulkan/runtime/pipeline/vk_shader_module.h"
#include "vulkan/runtime/vk_version.h"

/* Interoperation asks that the same device has the same UUID in another process and in another driver's instance: it is
 * the device's place. On PCI that is four numbers, which other drivers use as they are; in a device tree it is a path.
 */
static void init_device_uuid(struct vk_identity *identity)
{
    const struct kernel_device_info *info = &identity->kernel;
    if (info->bus == KERNEL_BUS_PCI) {
        uint32_t place[4] = {info->pci.domain, info->pci.bus, info->pci.device, info->pci.function};
        _Static_assert(sizeof(place) == VK_UUID_SIZE, "four numbers fill a UUID");
        memcpy(identity->device_uuid, place, sizeof(place));
        return;
    }
    uint8_t hash[VK_HASH_SIZE_B];
    const char *path = info->bus == KERNEL_BUS_PLATFORM ? info->platform.of_fullname : info->render_path;
    vk_hash_bytes(path, strlen(path), hash);
    _Static_assert(sizeof(hash) >= VK_UUID_SIZE, "a hash fills a UUID");
    memcpy(identity->device_uuid, hash, VK_UUID_SIZE);
}

void vk_identity_init(struct vk_identity *identity, const struct kernel_device_info *info, const char *driver_name)
{
    *identity = (struct vk_identity){.kernel = *info, .is_model = info->model[0]};
    init_device_uuid(identity);
    snprintf((char *)identity->driver_uuid, sizeof(identity->driver_uuid), "tuff-%s", driver_name);
    const char *const paths[] = {[KERNEL_NODE_PRIMARY] = info->primary_path, [KERNEL_NODE_RENDER] = info->render_path};
    for (unsigned i = 0; i < ARRAY_SIZE(paths); i++) {
        struct stat status;
        identity->has_node[i] = paths[i][0] && stat(paths[i], &status) == 0 && S_ISCHR(status.st_mode);
        identity->nodes[i] = identity->has_node[i] ? status.st_rdev : 0;
    }
}

/* Words alone: programs make lists in JSON and names of files of it, and take commas and brackets for their own. */
void vk_identity_name(struct vk_identity *identity, const struct vk_gpu_name *gpu)
{
    identity->vendor_id = gpu->vendor_id;
    identity->device_id = gpu->device_id;
    if (identity->is_model)
        snprintf(identity->name, sizeof(identity->name), "%s by Tuff on model %s", gpu->marketing,
                 identity->kernel.model);
    else
        snprintf(identity->name, sizeof(identity->name), "%s by Tuff on %s 0x%0*x", gpu->marketing, gpu->id_word,
                 gpu->id_digits, gpu->device_id);
    struct {
        uint32_t ids[2];
        uint8_t build[VK_UUID_SIZE];
    } code = {.ids = {gpu->code_ids[0], gpu->code_ids[1]}};
    vk_build_id(code.build);
    vk_hash_bytes(&code, sizeof(code), identity->cache_uuid);
}

void vk_identity_fill_extensions(const struct vk_identity *identity, struct vk_device_extensions *extensions)
{
    extensions->EXT_physical_device_drm =
        identity->has_node[KERNEL_NODE_PRIMARY] || identity->has_node[KERNEL_NODE_RENDER];
    extensions->EXT_pci_bus_info = identity->kernel.bus == KERNEL_BUS_PCI;
}

static bool poses_as_gpu(void)
{
    const char *type = secure_getenv("TUFF_DEVICE_TYPE");
    return type && strcmp(type, "gpu") == 0;
}

/* The driver is not certified: the version is that of the dEQP-VK whose samples pass (docs/cts.md). */
static VkConformanceVersion claimed_conformance(void)
{
    const char *claim = secure_getenv("TUFF_CLAIM_CONFORMANCE");
    bool is_claimed = claim && strcmp(claim, "1") == 0;
    return is_claimed ? (VkConformanceVersion){.major = 1, .minor = 3, .subminor = 5, .patch = 2}
                      : (VkConformanceVersion){0};
}

static void fill_place(const struct vk_identity *identity, struct vk_properties *p)
{
    p->hasPrimary = identity->has_node[KERNEL_NODE_PRIMARY];
    p->primaryMajor = major(identity->nodes[KERNEL_NODE_PRIMARY]);
    p->primaryMinor = minor(identity->nodes[KERNEL_NODE_PRIMARY]);
    p->hasRender = identity->has_node[KERNEL_NODE_RENDER];
    p->renderMajor = major(identity->nodes[KERNEL_NODE_RENDER]);
    p->renderMinor = minor(identity->nodes[KERNEL_NODE_RENDER]);
    if (identity->kernel.bus == KERNEL_BUS_PCI) {
        p->pciDomain = identity->kernel.pci.domain;
        p->pciBus = identity->kernel.pci.bus;
        p->pciDevice = identity->kernel.pci.device;
        p->pciFunction = identity->kernel.pci.function;
    }
}

void vk_identity_fill_properties(const struct vk_identity *identity, bool is_integrated, struct vk_properties *p)
{
    if (identity->is_model && !poses_as_gpu())
        p->core.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
    else
        p->core.deviceType =
            is_integrated ? VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    p->core.driverVersion = VK_DRIVER_VERSION;
    p->core.vendorID = identity->vendor_id;
    p->core.deviceID = identity->device_id;
    memcpy(p->core.deviceName, identity->name, sizeof(p->core.deviceName));
    memcpy(p->core.pipelineCacheUUID, identity->cache_uuid, VK_UUID_SIZE);
    memcpy(p->deviceUUID, identity->device_uuid, VK_UUID_SIZE);
    memcpy(p->driverUUID, identity->driver_uuid, VK_UUID_SIZE);
    memcpy(p->shaderModuleIdentifierAlgorithmUUID, identity->driver_uuid, VK_UUID_SIZE);
    p->deviceNodeMask = 1;
    p->driverID = (VkDriverId)0; /* the registry has no number for us (docs/vulkan-runtime.md) */
    p->conformanceVersion = claimed_conformance();
    snprintf(p->driverName, sizeof(p->driverName), "tuff");
    if (identity->is_model)
        snprintf(p->driverInfo, sizeof(p->driverInfo), "on a functional model");
    else
        snprintf(p->driverInfo, sizeof(p->driverInfo), "on %s", identity->kernel.driver);
    fill_place(identity, p);
}
