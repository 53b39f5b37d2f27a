/* See code_object.h. The facts of the descriptor are LLVM's documentation of the AMDHSA code object, version 3 and
 * later. */
#include "code_object.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/workers.h"
#include "util/bits.h"
#include "util/file.h"

#define BASE_VA 0x100000000ull
#define SIZE_B ((uint64_t)256 << 20)
#define SCRATCH_WAVES 4096

struct kernel_descriptor {
    uint32_t group_segment_B;
    uint32_t private_segment_B;
    uint32_t kernarg_B;
    uint32_t reserved0;
    int64_t entry_offset_B;
    uint8_t reserved1[20];
    uint32_t rsrc3;
    uint32_t rsrc1;
    uint32_t rsrc2;
    uint16_t properties;
    uint8_t reserved2[6];
};
_Static_assert(sizeof(struct kernel_descriptor) == 64, "the descriptor is 64 bytes");

enum {
    PROPERTY_PRIVATE_SEGMENT_BUFFER = 1 << 0,
    PROPERTY_DISPATCH_PTR = 1 << 1,
    PROPERTY_QUEUE_PTR = 1 << 2,
    PROPERTY_KERNARG_PTR = 1 << 3,
    PROPERTY_DISPATCH_ID = 1 << 4,
    PROPERTY_FLAT_SCRATCH_INIT = 1 << 5,
    PROPERTY_PRIVATE_SEGMENT_SIZE = 1 << 6,
    PROPERTY_WAVE32 = 1 << 10,
};

static void die_because(const char *why)
{
    printf("Bail out! %s\n", why);
    exit(1);
}

static uint8_t *host(struct machine *machine, uint64_t va)
{
    return gpu_space_pointer(&machine->space, va, 1, GPU_PERM_READ | GPU_PERM_WRITE);
}

void *machine_alloc(struct machine *machine, size_t size_B, uint64_t *va_out)
{
    *va_out = BASE_VA + machine->used_B;
    machine->used_B = align_u64(machine->used_B + size_B, 256);
    if (machine->used_B > SIZE_B)
        die_because("the test's memory is too small");
    return host(machine, *va_out);
}

static void load_segments(struct machine *machine)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)machine->elf;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(machine->elf + header->e_phoff);
    uint64_t end_B = 0;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD)
            end_B = MAX2(end_B, segments[i].p_vaddr + segments[i].p_memsz);
    }
    machine->used_B = align_u64(end_B, 4096);
    machine->code_va = BASE_VA;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD)
            memcpy(host(machine, BASE_VA + segments[i].p_vaddr), machine->elf + segments[i].p_offset,
                   segments[i].p_filesz);
    }
}

void machine_begin(struct machine *machine, const char *path, unsigned workers)
{
    memset(machine, 0, sizeof(*machine));
    char *data;
    if (file_read(path, &data, &machine->elf_size_B) != 0 || machine->elf_size_B < sizeof(Elf64_Ehdr))
        die_because("the code object cannot be read");
    machine->elf = (uint8_t *)data;
    machine->memory_fd = memfd_create("kernels", 0);
    if (machine->memory_fd < 0 || ftruncate(machine->memory_fd, SIZE_B) != 0 ||
        gpu_space_init(&machine->space, &(struct gpu_extent){BASE_VA, SIZE_B}, 1) != 0 ||
        gpu_space_map_file(&machine->space, BASE_VA, SIZE_B, machine->memory_fd, 0, GPU_PERM_RWX) != 0)
        die_because("no memory");
    load_segments(machine);
    machine->workers = workers_create(workers);
    machine->spi = machine->workers ? amd_spi_create(machine->workers) : NULL;
    if (!machine->spi)
        die_because("no workers");
}

void machine_end(struct machine *machine)
{
    amd_spi_destroy(machine->spi);
    workers_destroy(machine->workers);
    gpu_space_finish(&machine->space);
    close(machine->memory_fd);
    free(machine->elf);
}

void machine_reset(struct machine *machine)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)machine->elf;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(machine->elf + header->e_phoff);
    uint64_t end_B = 0;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD)
            end_B = MAX2(end_B, segments[i].p_vaddr + segments[i].p_memsz);
    }
    machine->used_B = align_u64(end_B, 4096);
}

static uint64_t find_descriptor(struct machine *machine, const char *kernel)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)machine->elf;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(machine->elf + header->e_shoff);
    size_t length = strlen(kernel);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_DYNSYM)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(machine->elf + sections[i].sh_offset);
        const char *names = (const char *)machine->elf + sections[sections[i].sh_link].sh_offset;
        for (size_t n = 0; n < sections[i].sh_size / sizeof(*symbols); n++) {
            const char *name = names + symbols[n].st_name;
            if (strncmp(name, kernel, length) == 0 && strcmp(name + length, ".kd") == 0)
                return machine->code_va + symbols[n].st_value;
        }
    }
    die_because(kernel);
    return 0;
}

static void push_va(struct spi_compute_state *state, unsigned *at, uint64_t value)
{
    state->user_data[(*at)++] = (uint32_t)value;
    state->user_data[(*at)++] = (uint32_t)(value >> 32);
}

bool machine_launch(struct machine *machine, const char *kernel, const void *arguments, size_t size_B, uint32_t groups,
                    uint32_t threads, struct sq_fault *fault_out)
{
    struct kernel_descriptor kd;
    uint64_t kd_va = find_descriptor(machine, kernel), arguments_va, scratch_va = 0;
    memcpy(&kd, host(machine, kd_va), sizeof(kd));
    memcpy(machine_alloc(machine, MAX2(size_B, kd.kernarg_B), &arguments_va), arguments, size_B);

    uint32_t lanes = kd.properties & PROPERTY_WAVE32 ? 32 : 64;
    uint32_t wave_scratch_B = (uint32_t)align_u64((uint64_t)kd.private_segment_B * lanes, 1024);
    if (wave_scratch_B)
        machine_alloc(machine, (size_t)wave_scratch_B * SCRATCH_WAVES, &scratch_va);

    struct spi_compute_state state = {
        .program_va = kd_va + (uint64_t)kd.entry_offset_B,
        .rsrc1 = kd.rsrc1,
        .rsrc2 = (kd.rsrc2 & ~(0x1ffu << 15)) | (uint32_t)div_round_up(kd.group_segment_B, 512) << 15,
        .rsrc3 = kd.rsrc3,
        .num_thread = {threads, 1, 1},
        .dim = {groups, 1, 1},
        .tmpring_size = wave_scratch_B / 1024 << 12 | SCRATCH_WAVES % 4096,
        .initiator = 1 | 1 << 2 | (lanes == 32 ? 1u << 15 : 0),
    };
    unsigned at = 0;
    if (kd.properties & PROPERTY_PRIVATE_SEGMENT_BUFFER) {
        push_va(&state, &at, scratch_va | 1ull << 63);
        push_va(&state, &at, UINT32_MAX | (uint64_t)((lanes == 32 ? 2u : 3u) << 21 | 1u << 23 | 2u << 28) << 32);
    }
    if (kd.properties &
        (PROPERTY_DISPATCH_PTR | PROPERTY_QUEUE_PTR | PROPERTY_DISPATCH_ID | PROPERTY_PRIVATE_SEGMENT_SIZE))
        die_because("a kernel that wants to know its queue");
    if (kd.properties & PROPERTY_KERNARG_PTR)
        push_va(&state, &at, arguments_va);
    if (kd.properties & PROPERTY_FLAT_SCRATCH_INIT)
        push_va(&state, &at, scratch_va);

    _Atomic bool killed = false;
    return amd_spi_run_compute(machine->spi, &machine->space, &state, &killed, fault_out);
}
