/* Signs of life between processes that share a file: a process that puts unfinished work into it is an owner, a number
 * that counts up and is never used again, and holds a lock on a byte of the file while it lives. The lock goes with the
 * process, however that ends. */
#ifndef MODEL_DRM_OWNER_H
#define MODEL_DRM_OWNER_H

#include <stdbool.h>
#include <stdint.h>

/* A description of the same file that is this process's alone (close-on-exec), for the two functions below; or -errno.
 * A child of fork must close it: it would keep its parent's sign of life. */
int drm_owner_open(int file_fd);

#define DRM_OWNER_MASK 0x7fffffffu /* of numbers; 0 is no owner */

/* False: another one holds that number's lock. */
bool drm_owner_enter(int own_fd, uint32_t owner);
bool drm_owner_is_alive(int own_fd, uint32_t owner); /* of another process than this */

#endif
