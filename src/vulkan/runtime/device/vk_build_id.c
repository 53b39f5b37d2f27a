/* The identity of the shared object that this code is linked into. */
#include "vulkan/runtime/device/vk_build_id.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "vulkan/runtime/pipeline/vk_shader_module.h"

struct search {
    uintptr_t address; /* of something in the object that is looked for */
    uint8_t *id_out;
    bool found;
};

/* Notes are a header, a name and a description, both padded to four bytes. */
static bool read_notes(const uint8_t *at, size_t size_B, uint8_t id_out[VK_UUID_SIZE])
{
    const uint8_t *end = at + size_B;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)at;
        const uint8_t *name = at + sizeof(*note), *description = name + ((note->n_namesz + 3) & ~3u);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
            vk_hash_bytes(description, note->n_descsz, id_out);
            return true;
        }
        at = description + ((note->n_descsz + 3) & ~3u);
    }
    return false;
}

static int look_at_object(struct dl_phdr_info *object, size_t size_B, void *data)
{
    struct search *search = data;
    bool is_ours = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        is_ours |= part->p_type == PT_LOAD && search->address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz;
    }
    for (int i = 0; is_ours && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_NOTE && !search->found)
            search->found = read_notes((const uint8_t *)(object->dlpi_addr + part->p_vaddr), part->p_memsz, search->id_out);
    }
    return is_ours;
}

void vk_build_id(uint8_t id_out[VK_UUID_SIZE])
{
    struct search search = {.address = (uintptr_t)&vk_build_id, .id_out = id_out};
    dl_iterate_phdr(look_at_object, &search);
    if (search.found)
        return;
    struct {
        int64_t size_B, seconds, nanoseconds;
    } file = {0};
    Dl_info info;
    struct stat status;
    if (dladdr((void *)search.address, &info) && info.dli_fname && stat(info.dli_fname, &status) == 0) {
        file.size_B = status.st_size;
        file.seconds = status.st_mtim.tv_sec;
        file.nanoseconds = status.st_mtim.tv_nsec;
    }
    vk_hash_bytes(&file, sizeof(file), id_out);
}
