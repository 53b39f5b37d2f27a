/* TUFF_DEBUG=rd: submissions in the form that the kernel's debugfs file `rd` has, for `tuff decode` and for other
 * people's decoders and replayers: sections of a type, a size and that many bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/model/kernel/kernel_types.h"
#include "util/bits.h"
#include "util/log.h"

enum section {
    SECTION_COMMAND = 2, /* the program's name */
    SECTION_BUFFER = 3,  /* address and size */
    SECTION_STREAM = 6,  /* address and length */
    SECTION_CONTENTS = 12,
    SECTION_GPU_ID = 13,
    SECTION_CHIP_ID = 14,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a job's sections stand together */

static bool write_all(int fd, const void *data, size_t size_B)
{
    const char *bytes = data;
    while (size_B) {
        ssize_t some_B = write(fd, bytes, size_B);
        if (some_B <= 0)
            return false;
        bytes += some_B;
        size_B -= (size_t)some_B;
    }
    return true;
}

static bool put_section(int fd, enum section type, const void *data, uint32_t size_B)
{
    const uint32_t header[2] = {type, size_B};
    return write_all(fd, header, sizeof(header)) && write_all(fd, data, size_B);
}

/* An address and a number, as sections have them. */
static bool put_place(int fd, enum section type, uint64_t va, uint32_t number)
{
    const uint32_t words[3] = {(uint32_t)va, number, (uint32_t)(va >> 32)};
    return put_section(fd, type, words, sizeof(words));
}

static bool put_buffer(int fd, const struct adreno_job *job, const struct adreno_dump_buffer *buffer)
{
    if (!put_place(fd, SECTION_BUFFER, buffer->va, (uint32_t)buffer->size_B))
        return false;
    uint32_t *words = buffer->is_whole ? adreno_dump_read(job, buffer) : NULL;
    bool is_good = !words || put_section(fd, SECTION_CONTENTS, words, (uint32_t)buffer->size_B);
    free(words);
    return is_good;
}

static bool put_job(int fd, const struct adreno_job *job, const struct adreno_dump *dump)
{
    const struct adreno_chip *chip = ((const struct adreno_device *)job->job.context->device)->chip;
    const struct adreno_context *context = (const struct adreno_context *)job->job.context;
    const uint64_t chip_id = chip->chip_id;
    const uint32_t gpu_id = chip->gpu_id;
    char command[64] = {0};
    snprintf(command, sizeof(command), "%s/%d: fence=%u", context->comm ? context->comm : "tuff", (int)getpid(),
             (unsigned)job->job.seq);
    bool is_good = put_section(fd, SECTION_COMMAND, command, (uint32_t)align_u64(strlen(command) + 1, 4)) &&
                   put_section(fd, SECTION_GPU_ID, &gpu_id, sizeof(gpu_id)) &&
                   put_section(fd, SECTION_CHIP_ID, &chip_id, sizeof(chip_id));
    array_foreach (&dump->buffers, buffer)
        is_good = is_good && put_buffer(fd, job, buffer);
    array_foreach (&job->ibs, ib)
        is_good = is_good && put_place(fd, SECTION_STREAM, ib->va, ib->size_dw);
    return is_good;
}

void adreno_capture_job(const struct adreno_job *job)
{
    char name[64];
    struct adreno_dump dump;
    snprintf(name, sizeof(name), "tuff-%d.rd", (int)getpid());
    pthread_mutex_lock(&lock);
    bool is_good = adreno_dump_collect(&dump, job);
    int fd = is_good && job->ibs.count ? adreno_dump_open(name, O_APPEND) : -1;
    if (fd >= 0) {
        if (!put_job(fd, job, &dump))
            LOG_ERROR("adreno/model", "the capture of a job is not whole");
        close(fd);
    }
    pthread_mutex_unlock(&lock);
    adreno_dump_finish(&dump);
}
