/* Files as a hostile peer makes them: the name, the size and the seals of ours, with any bytes in them. The layouts are
 * written down a second time on purpose: a peer need not use our headers. */
#ifndef MODEL_DRM_TESTS_PEER_FILES_H
#define MODEL_DRM_TESTS_PEER_FILES_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PEER_SYNCOBJ_B 65536u
#define PEER_SYNCOBJ_MAGIC 0x53464654u
#define PEER_DMABUF_MAGIC 0x42464654u
#define PEER_RESV_MAGIC 0x52464654u
#define PEER_PAGE_B 4096u
#define PEER_RESV_OFFSET_B 1024u
#define PEER_RESV_SLOTS 64u

struct peer_entry {
    uint64_t point, serial;
    uint32_t owner, done;
};

struct peer_syncobj {
    uint32_t magic, lock, changed, pad;
    uint64_t next_serial, signaled_point, last_point, chain_serial;
    uint32_t has_fence, is_chain, count, next_owner;
    struct peer_entry entries[2048];
};

struct peer_trailer {
    uint32_t magic, blob_B;
    char driver[16];
    uint64_t size_B, align_B, pad;
    uint8_t blob[512];
};

struct peer_resv {
    uint32_t magic, last_owner, changed, pad, lock;
    struct {
        uint32_t owner, pad;
        uint64_t counts[2][2]; /* added and done, of writes and of reads */
    } slots[PEER_RESV_SLOTS];
};

/* A new fd; the bytes are mapped at *bytes_out. */
static inline int peer_file(const char *name, uint64_t size_B, int seals, void **bytes_out)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)size_B))
        abort();
    void *bytes = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED || (seals && fcntl(fd, F_ADD_SEALS, seals)))
        abort();
    *bytes_out = bytes;
    return fd;
}

static inline int peer_syncobj_file(struct peer_syncobj **object_out)
{
    void *bytes;
    int fd = peer_file("tuff-syncobj", PEER_SYNCOBJ_B, F_SEAL_SHRINK, &bytes);
    *object_out = bytes;
    (*object_out)->magic = PEER_SYNCOBJ_MAGIC;
    return fd;
}

/* A buffer of `size_B` bytes, and its trailer. */
static inline int peer_dmabuf_file(uint64_t size_B, struct peer_trailer **trailer_out, struct peer_resv **resv_out)
{
    void *bytes;
    int fd = peer_file("tuff-dmabuf", size_B + PEER_PAGE_B, F_SEAL_SHRINK, &bytes);
    *trailer_out = (struct peer_trailer *)((char *)bytes + size_B);
    *resv_out = (struct peer_resv *)((char *)bytes + size_B + PEER_RESV_OFFSET_B);
    (*trailer_out)->magic = PEER_DMABUF_MAGIC;
    (*trailer_out)->size_B = size_B;
    (*resv_out)->magic = PEER_RESV_MAGIC;
    return fd;
}

#endif
