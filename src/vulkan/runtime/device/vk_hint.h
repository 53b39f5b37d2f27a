/* A word to the user of `tuff run` whose program does not take our GPUs: it asked for them, made no device of any, and
 * ended. Some programs hide processors, as which models report themselves, and some drivers without a conformance
 * version; neither says so. */
#ifndef VULKAN_RUNTIME_VK_HINT_H
#define VULKAN_RUNTIME_VK_HINT_H

void vk_hint_gpus_seen(void);
void vk_hint_gpu_taken(void);

#endif
