/* Which build of the driver this is: what files of another build must not be mixed up with. */
#ifndef VULKAN_RUNTIME_VK_BUILD_ID_H
#define VULKAN_RUNTIME_VK_BUILD_ID_H

#include "vulkan/runtime/object/vk_api.h"

/* The linker's build id of the object that holds this function; without one, the file's size and time. */
void vk_build_id(uint8_t id_out[VK_UUID_SIZE]);

#endif
