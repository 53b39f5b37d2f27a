/* Strict mode's own test: programs are listed as they are decoded, and words of them can be exchanged on the way
 * (docs/strict.md, "Mutations"):
 *
 *     TUFF_STRICT_LIST=FILE                     append a line for every instruction: address, words, text
 *     TUFF_STRICT_PATCH=ADDRESS:WORD[:WORD]...  in hexadecimal, as listed; several are separated by commas
 *
 * So one wait can be removed from the code of any driver, without compiling it anew. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd/model/sq/sq_strict.h"
#include "util/bits.h"
#include "util/file_limit.h"
#include "util/log.h"

#define PATCHES 16

static struct patch {
    uint64_t va;
    uint32_t count;
    uint32_t words[ISA_MAX_DW];
} patches[PATCHES];

static unsigned patch_count;
static int list = -1;
static atomic_bool is_list_cut;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parse_patch(const char *text)
{
    while (*text && patch_count < PATCHES) {
        struct patch *patch = &patches[patch_count];
        char *end;
        patch->va = strtoull(text, &end, 16);
        while (*end == ':' && patch->count < ISA_MAX_DW)
            patch->words[patch->count++] = (uint32_t)strtoul(end + 1, &end, 16);
        if (*end && *end != ',') {
            LOG_ERROR("amd/model", "TUFF_STRICT_PATCH: \"%s\" is no ADDRESS:WORD", text);
            return;
        }
        patch_count += patch->count != 0;
        text = *end ? end + 1 : end;
    }
}

static void read_patches(void)
{
    const char *path = secure_getenv("TUFF_STRICT_LIST"), *text = secure_getenv("TUFF_STRICT_PATCH");
    list = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (text)
        parse_patch(text);
}

void amd_sq_strict_patch(uint64_t va, uint32_t *words, uint32_t count)
{
    pthread_once(&once, read_patches);
    for (unsigned i = 0; i < patch_count; i++) {
        if (patches[i].va == va)
            memcpy(words, patches[i].words, MIN2(count, patches[i].count) * 4);
    }
}

void amd_sq_strict_list(uint64_t va, const uint32_t *words, uint32_t lanes, const struct isa_inst *inst)
{
    char text[ISA_MAX_TEXT], line[2 * ISA_MAX_TEXT + 96];
    if (list < 0)
        return;
    amd_isa_print(ISA_GFX10_3, lanes, inst, text);
    int used = snprintf(line, sizeof(line), "%llx", (unsigned long long)va);
    for (unsigned i = 0; i < inst->size_dw; i++)
        used += snprintf(line + used, sizeof(line) - (size_t)used, " %08x", words[i]);
    used += snprintf(line + used, sizeof(line) - (size_t)used, "\t%s\n", text);
    struct file_limit limit = file_limit_enter();
    ssize_t written = write(list, line, (size_t)used);
    if (written != used && !atomic_exchange(&is_list_cut, true))
        LOG_ERROR("amd/model", "TUFF_STRICT_LIST is not whole: %s", strerror(written < 0 ? errno : EFBIG));
    file_limit_leave(limit);
}
