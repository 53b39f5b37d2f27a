/* For tests: an address space with one piece of memory, which the test sees, too. */
#ifndef MODEL_TESTS_FILE_SPACE_H
#define MODEL_TESTS_FILE_SPACE_H

#include <sys/mman.h>
#include <unistd.h>

#include "model/memory.h"

#define FILE_SPACE_EXTENT_B (1 << 24)

/* `size_B` bytes from `va` on, to be read, written and executed. NULL: it cannot be made. */
static inline uint8_t *file_space_begin(struct gpu_space *space, uint64_t va, uint32_t size_B)
{
    const struct gpu_extent extent = {va, FILE_SPACE_EXTENT_B};
    const int fd = memfd_create("space", 0);
    if (fd < 0 || ftruncate(fd, size_B) != 0)
        return NULL;
    uint8_t *memory = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const bool is_mapped = memory != MAP_FAILED && gpu_space_init(space, &extent, 1) == 0 &&
                           gpu_space_map_file(space, va, size_B, fd, 0, GPU_PERM_RWX) == 0;
    close(fd);
    return is_mapped ? memory : NULL;
}

static inline void file_space_end(struct gpu_space *space, uint8_t *memory, uint32_t size_B)
{
    gpu_space_finish(space);
    munmap(memory, size_B);
}

#endif
