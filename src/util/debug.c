/* Reads TUFF_DEBUG once. An unknown word is named and ignored: a typing error must not look like a quiet success. */
#include "util/debug.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/log.h"
#include "util/nearest.h"

static const struct {
    const char *word;
    const char *text;
} flags[] = {
#define DEBUG_ROW(name, word, text) {word, text},
    DEBUG_FLAGS(DEBUG_ROW)
#undef DEBUG_ROW
};

static uint64_t enabled;
static pthread_once_t once = PTHREAD_ONCE_INIT;

_Static_assert(DEBUG_FLAG_COUNT <= 64, "debug flags are bits of one word");

static void append_word(char *text, uint32_t size_B, const char *word, size_t length)
{
    size_t used = strlen(text);
    if (used + length + 2 > size_B)
        return;
    if (used)
        text[used++] = ',';
    memcpy(text + used, word, length);
    text[used + length] = '\0';
}

uint64_t debug_parse(const char *text, bool *help_out, char *unknown_out, uint32_t unknown_size_B)
{
    uint64_t set = 0;
    *help_out = false;
    unknown_out[0] = '\0';

    while (*text) {
        size_t length = strcspn(text, ", ");
        bool known = length == 0;
        if (length == 4 && strncmp(text, "help", 4) == 0)
            known = *help_out = true;
        for (unsigned i = 0; i < ARRAY_SIZE(flags) && !known; i++) {
            if (strlen(flags[i].word) == length && strncmp(flags[i].word, text, length) == 0) {
                set |= 1ull << i;
                known = true;
            }
        }
        if (!known)
            append_word(unknown_out, unknown_size_B, text, length);
        text += length;
        text += *text != '\0';
    }
    return set;
}

void debug_print_help(FILE *file)
{
    fprintf(file, "TUFF_DEBUG takes these words, separated by commas:\n");
    fprintf(file, "  %-14s %s\n", "help", "print this list");
    for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
        fprintf(file, "  %-14s %s\n", flags[i].word, flags[i].text);
}

/* Each on a line of its own, with the word that was probably meant. */
static void report_unknown(const char *words)
{
    for (size_t length; *words; words += length + (words[length] == ',')) {
        char hint[96];
        length = strcspn(words, ",");
        struct nearest nearest = nearest_begin(words, length);
        for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
            nearest_try(&nearest, flags[i].word);
        LOG_WARN("util", "TUFF_DEBUG: unknown word '%.*s'; TUFF_DEBUG=help lists them%s", (int)length, words,
                 nearest_text(&nearest, hint));
    }
}

static void read_environment(void)
{
    const char *text = secure_getenv("TUFF_DEBUG");
    if (!text)
        return;
    bool help;
    char unknown[256];
    enabled = debug_parse(text, &help, unknown, sizeof(unknown));
    if (help)
        debug_print_help(stderr);
    report_unknown(unknown);
}

bool debug_enabled(enum debug_flag flag)
{
    pthread_once(&once, read_environment);
    return enabled >> flag & 1;
}
