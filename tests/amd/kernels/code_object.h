/* Loads a code object that clang linked for amdgcn-amd-amdhsa and launches its kernels on the model's shader cores,
 * without a kernel driver and without a command processor: what is judged here is the executor alone. */
#ifndef TESTS_KERNELS_CODE_OBJECT_H
#define TESTS_KERNELS_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/model/spi/spi_compute.h"
#include "model/memory.h"

struct machine {
    struct gpu_space space;
    struct workers *workers;
    struct spi *spi;
    int memory_fd;
    uint64_t used_B; /* of the one buffer that everything lies in */
    uint8_t *elf;
    size_t elf_size_B;
    uint64_t code_va;
};

/* A machine with one code object loaded; says why and exits where that fails. */
void machine_begin(struct machine *machine, const char *path, unsigned workers);
void machine_end(struct machine *machine);

/* Memory that both sides see. */
void *machine_alloc(struct machine *machine, size_t size_B, uint64_t *va_out);

/* Forget all allocations after the code. */
void machine_reset(struct machine *machine);

/* Launch `groups` workgroups of `threads` work-items; the arguments are the kernel's, laid out as C would. False: the
 * wave faulted. */
bool machine_launch(struct machine *machine, const char *kernel, const void *arguments, size_t size_B, uint32_t groups,
                    uint32_t threads, struct sq_fault *fault_out);

#endif
