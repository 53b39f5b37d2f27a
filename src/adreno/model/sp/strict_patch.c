/* Strict mode's own test: programs are listed as they are decoded, and words of them can be exchanged on the way
 * (docs/strict.md, "Mutations"):
 *
 *     TUFF_STRICT_LIST=FILE              append a line for every instruction: address, word, text
 *     TUFF_STRICT_PATCH=ADDRESS:OLD:NEW  in hexadecimal, as listed; several are separated by commas
 *
 * A word is exchanged only where it is OLD: addresses are used again by other programs. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adreno/model/sp/strict.h"
#include "util/file_limit.h"
#include "util/log.h"

#define PATCHES 16

static struct patch {
    uint64_t va, old, word;
} patches[PATCHES];

static unsigned patch_count;
static int list = -1;
static atomic_bool is_list_cut;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parse_patch(const char *text)
{
    while (*text && patch_count < PATCHES) {
        unsigned long long va, old, word;
        int length = 0;
        if (sscanf(text, "%llx:%llx:%llx%n", &va, &old, &word, &length) != 3 || (text[length] && text[length] != ',')) {
            LOG_ERROR("adreno/model", "TUFF_STRICT_PATCH: \"%s\" is no ADDRESS:OLD:WORD", text);
            return;
        }
        patches[patch_count++] = (struct patch){va, old, word};
        text += length + (text[length] == ',');
    }
}

static void read_patches(void)
{
    const char *path = secure_getenv("TUFF_STRICT_LIST"), *text = secure_getenv("TUFF_STRICT_PATCH");
    list = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (text)
        parse_patch(text);
}

uint64_t adreno_sp_strict_patch(uint64_t va, uint64_t word)
{
    pthread_once(&once, read_patches);
    for (unsigned i = 0; i < patch_count; i++) {
        if (patches[i].va == va && patches[i].old == word)
            return patches[i].word;
    }
    return word;
}

void adreno_sp_strict_list(uint64_t va, uint64_t word, const struct adreno_isa_inst *inst)
{
    char text[ADRENO_ISA_MAX_TEXT], line[ADRENO_ISA_MAX_TEXT + 64];
    if (list < 0)
        return;
    adreno_isa_print(inst, text);
    const int size_B =
        snprintf(line, sizeof(line), "%llx %016llx\t%s\n", (unsigned long long)va, (unsigned long long)word, text);
    struct file_limit limit = file_limit_enter();
    const ssize_t written = write(list, line, (size_t)size_B);
    if (written != size_B && !atomic_exchange(&is_list_cut, true))
        LOG_ERROR("adreno/model", "TUFF_STRICT_LIST is not whole: %s", strerror(written < 0 ? errno : EFBIG));
    file_limit_leave(limit);
}
