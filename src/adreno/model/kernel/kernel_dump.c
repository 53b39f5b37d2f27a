/* The shared part of dumps and captures: the buffers that a job may access, their contents, and the files that are
 * written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/log.h"

#define CONTENTS_MAX_B (64ull << 20) /* of one buffer: more is no stream */

static bool has_stream(const struct adreno_job *job, const struct drm_mapping *mapping)
{
    bool is_inside = false;
    array_foreach (&job->ibs, ib)
        is_inside |= ib->va - mapping->va < mapping->size_B;
    return is_inside;
}

static bool add_buffer(struct adreno_dump *dump, const struct adreno_job *job, const struct drm_mapping *mapping,
                       bool is_whole)
{
    struct adreno_bo *bo = adreno_bo(mapping->gem);
    struct adreno_dump_buffer buffer = {.va = mapping->va,
                                        .size_B = mapping->size_B,
                                        .flags = bo->flags,
                                        .is_whole = is_whole || has_stream(job, mapping)};
    pthread_mutex_lock(&bo->gem.device->lock);
    const struct adreno_bo_blob *blob = bo->gem.blob ? bo->gem.blob : &bo->own_blob;
    memcpy(buffer.name, blob->name, sizeof(buffer.name) - 1); /* others may write it: it ends here */
    pthread_mutex_unlock(&bo->gem.device->lock);
    return array_push(&dump->buffers, buffer);
}

/* Which buffers the list of the submission names, and how: the key is the buffer, and the value its flags. */
static bool index_uses(struct map64 *uses, const struct adreno_job *job)
{
    bool is_good = true;
    array_foreach (&job->job.uses.uses, use)
        is_good = is_good && map64_set(uses, (uintptr_t)use->gem, use->flags);
    return is_good;
}

bool adreno_dump_collect(struct adreno_dump *dump, const struct adreno_job *job)
{
    struct drm_vm *vm = job->job.vm;
    const bool is_vm_bind = ((const struct adreno_vm *)vm)->is_vm_bind;
    struct map64 uses = {0};
    bool is_good = index_uses(&uses, job);
    *dump = (struct adreno_dump){0};
    pthread_mutex_lock(&vm->lock);
    ordered_foreach(&vm->mappings, struct drm_mapping, mapping)
    {
        const uint64_t *named = mapping->gem ? map64_get(&uses, (uintptr_t)mapping->gem) : NULL;
        uint64_t flags = is_vm_bind ? mapping->flags : named ? *named : 0;
        if (is_good && mapping->gem && (is_vm_bind || named))
            is_good = add_buffer(dump, job, mapping, flags & ADRENO_USE_DUMP);
    }
    pthread_mutex_unlock(&vm->lock);
    map64_finish(&uses);
    return is_good;
}

void adreno_dump_finish(struct adreno_dump *dump)
{
    array_finish(&dump->buffers);
}

uint32_t *adreno_dump_read(const struct adreno_job *job, const struct adreno_dump_buffer *buffer)
{
    uint32_t *words = buffer->size_B <= CONTENTS_MAX_B ? malloc(buffer->size_B) : NULL;
    if (words && gpu_space_read(&job->job.vm->space, buffer->va, words, buffer->size_B) == buffer->size_B)
        return words;
    free(words);
    return NULL;
}

int adreno_dump_open(const char *name, int flags)
{
    char path[4096];
    const char *folder = secure_getenv("TUFF_DUMP");
    snprintf(path, sizeof(path), "%s/%s", folder && *folder ? folder : ".", name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        LOG_ERROR("adreno/model", "cannot write '%s': %s", path, strerror(errno));
    return fd;
}
