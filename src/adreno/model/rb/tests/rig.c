/* See rig.h. */
#include "adreno/model/rb/tests/rig.h"

#include <sys/mman.h>
#include <unistd.h>

char rig_stop[1024];

bool adreno_stop(struct adreno_gpu *gpu, enum adreno_stop_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(rig_stop, sizeof(rig_stop), format, args);
    va_end(args);
    return false;
}

bool adreno_fault(struct adreno_gpu *gpu, const char *client, uint64_t va, uint64_t size_B, bool is_write)
{
    return adreno_stop(gpu, ADRENO_STOP_FAULT, "%s: %s at 0x%llx", client, is_write ? "write" : "read",
                       (unsigned long long)va);
}

bool adreno_stop_register(struct adreno_gpu *gpu, uint32_t reg, const char *why)
{
    return adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, "register 0x%x: %s", reg, why);
}

int rig_setup(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    const struct gpu_extent extent = {MEMORY_VA, 2 * MEMORY_B};
    const int fd = rig->fd = memfd_create("rig", 0);
    rig->gpu = calloc(1, sizeof(*rig->gpu));
    rig->gpu->chip = adreno_chip_find("adreno-635");
    rig->gpu->gmem = calloc(1, rig->gpu->chip->gmem_size_B);
    rig->gpu->space = &rig->space;
    assert_int_equal(ftruncate(fd, MEMORY_B), 0);
    assert_int_equal(gpu_space_init(&rig->space, &extent, 1), 0);
    assert_int_equal(gpu_space_map_file(&rig->space, MEMORY_VA, MEMORY_B, fd, 0, GPU_PERM_READ | GPU_PERM_WRITE), 0);
    rig->memory = mmap(NULL, MEMORY_B, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(rig->memory != MAP_FAILED);
    rig->random = 1;
    rig_stop[0] = 0;
    *state = rig;
    return 0;
}

int rig_teardown(void **state)
{
    struct rig *rig = *state;
    munmap(rig->memory, MEMORY_B);
    close(rig->fd);
    gpu_space_finish(&rig->space);
    free(rig->gpu->gmem);
    free(rig->gpu);
    free(rig);
    return 0;
}

void rig_fill_random(struct rig *rig, void *to, size_t size_B)
{
    for (size_t i = 0; i < size_B; i++)
        ((uint8_t *)to)[i] = (uint8_t)rig_random(rig);
}
