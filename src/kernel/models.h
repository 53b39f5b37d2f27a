/* Between the registry and what gen_models.py makes of models.table: the rows, each with what the registry keeps of it.
 */
#ifndef KERNEL_MODELS_H
#define KERNEL_MODELS_H

#include "kernel/model.h"

struct kernel_family {
    const char *name;
    const char *library;
    const char *build_dir;              /* from the folder of another room's object, in a build tree */
    const struct kernel_model_ops *ops; /* once its library is loaded */
};

struct kernel_model {
    struct kernel_model_row row;
    struct kernel_family *family;
    struct kernel_model_device *device;
    pid_t device_pid; /* whose device it is: a child of fork opens its own */
};

extern struct kernel_model kernel_models[];
extern const unsigned kernel_model_count;

#endif
