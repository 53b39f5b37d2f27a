/* The file that TUFF_DEBUG=hang leaves of a lost device: `tuff-hang-PROCESS-NUMBER.txt` in TUFF_DUMP. What stands in it
 * is a driver's. */
#ifndef VULKAN_RUNTIME_VK_LOST_REPORT_H
#define VULKAN_RUNTIME_VK_LOST_REPORT_H

#include <stdio.h>

/* Opens the file, calls `write`, and logs under `family` where it is or why it is not whole. */
void vk_lost_report(const char *family, void (*write)(FILE *file, const void *data), const void *data);

#endif
