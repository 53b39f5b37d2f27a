/* The shared part of sharing with other processes: files, a lock in them, and how long another process is waited
 * for. A peer is not trusted: it may forge what it writes, hold a lock for ever, shrink a file, stop or die. So what
 * is in a shared file is input; a file that could shrink is refused; a lock that is held for too long is taken all
 * the same; a fence of a peer that does not come is given up. See docs/security.md. */
#ifndef MODEL_DRM_PEER_H
#define MODEL_DRM_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* ---- files ---- */

/* A file of memory of that size for good: neither we nor a peer can shrink or grow it. A new fd (close-on-exec) or
 * -errno. */
int drm_peer_file_create(const char *name, uint64_t size_B);

/* A file that such a call has made, in any process, with that name. */
bool drm_peer_file_check(int fd, const char *name, struct stat *status_out);

/* pwrite; where RLIMIT_FSIZE forbids it, by a mapping: the file's pages are memory. */
int drm_file_write(int fd, uint64_t offset_B, const void *data, uint32_t size_B);

/* ---- locks ---- */

/* In shared memory, zeroed. The holder is known by a number, not 0. */
struct drm_peer_lock {
    _Atomic uint32_t word;
};

/* A process's memory of the lock: whether it was ever held too long. */
struct drm_peer_trust {
    bool is_lost;
};

/* Takes the lock, after a third of a second even from its holder; then, and ever after with this `trust`, all that it
 * protects may change at any time. */
void drm_peer_lock(struct drm_peer_lock *lock, uint32_t owner, struct drm_peer_trust *trust);
void drm_peer_unlock(struct drm_peer_lock *lock, uint32_t owner);

/* ---- patience ---- */

/* For a fence of another process: a minute, or TUFF_PEER_TIMEOUT_MS. */
int64_t drm_peer_patience_ns(void);

/* An error that a peer has reported: one that an ioctl may return. */
int drm_peer_error(int32_t error);

#endif
