/* Between the files of the shim: the next definition of an interposed function, the files that are open on the model,
 * and the guard that keeps the model's own calls out of the interposers.
 *
 * A model's file is known by the inode of the memfd that the program got for it: duplicates, however made, are the same
 * file. It is closed when the last fd of this process is. */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "kernel/model.h"

#define SHIM_EXPORT __attribute__((visibility("default")))

/* The function that the program would call without us. */
void *shim_next(const char *name, void **cache);
#define NEXT(type, name)                                                                                               \
    ({                                                                                                                 \
        static void *cache_##name;                                                                                     \
        (type) shim_next(#name, &cache_##name);                                                                        \
    })

/* Not zero while this thread is inside the shim or the model: calls go to the next function at once. */
extern __thread int shim_inside __attribute__((tls_model("initial-exec")));

/* The model that TUFF_SHIM names, loaded on first use. False: not asked for, or not available (reported once). */
bool shim_ready(void);
extern const struct kernel_model_ops *shim_model;
extern struct kernel_model_device *shim_device;

struct shim_file {
    struct kernel_model_file *file;
    enum kernel_node node;
};

/* Open a file on the model: an fd, or -errno. `flags` are open's. */
int shim_open_node(enum kernel_node node, int flags);

/* The file of an fd, kept alive until shim_put_file; NULL when it is not ours. Cheap when no file is open. */
struct shim_file *shim_get_file(int fd);
void shim_put_file(struct shim_file *file);

/* The file of an fd that may also have come from another process, which has opened the node there: it becomes a file
 * of our own on that node. A kernel would share the handles and contexts of the two; a program that passes such an
 * fd on means the device (DRI3 does so). */
struct shim_file *shim_get_any_file(int fd);

/* The file for ioctls, which are frequent: it remembers each fd's file and does not ask the system each time. Every
 * function that may give the number to another file calls shim_forget_fd. */
struct shim_file *shim_get_file_fast(int fd);
void shim_forget_fd(int fd);

/* `fd` was of this file and is closed now: close the file if it was the last. */
void shim_fd_closed(struct shim_file *file);

/* errno and -1, or the value. */
static inline int shim_return(int result)
{
    if (result >= 0)
        return result;
    errno = -result;
    return -1;
}

#endif
