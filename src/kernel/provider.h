/* Between the files of this room: what the two providers offer. */
#ifndef KERNEL_PROVIDER_H
#define KERNEL_PROVIDER_H

#include "kernel/kernel.h"

/* An ARRAY of util/array.h with a name. */
struct kernel_device_list {
    struct kernel_device_info *data;
    uint32_t count;
    uint32_t capacity;
};

/* Append the machine's devices. A machine without any is no error. */
int kernel_real_list(struct kernel_device_list *list);
int kernel_real_open(const struct kernel_device_info *info, enum kernel_node node, struct kernel_file **file_out);

#endif
