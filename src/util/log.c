/* A message is formatted into one buffer and written with one call, so that lines of several threads do not mix. */
#include "util/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bits.h"
#include "util/file_limit.h"
#include "util/nearest.h"

static const char *const level_names[] = {"error", "warn", "info", "debug"};
static atomic_int current_level = LOG_LEVEL_WARN;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void log_text(const char *text, size_t length)
{
    struct file_limit limit = file_limit_enter();
    for (ssize_t written; length; text += written, length -= (size_t)written) {
        written = write(STDERR_FILENO, text, length);
        if (written <= 0)
            break; /* there is nowhere left to report it */
    }
    file_limit_leave(limit);
}

bool log_level_from_text(const char *text, enum log_level *level_out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(level_names); i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *level_out = i;
            return true;
        }
    }
    return false;
}

static void report_unknown(const char *text)
{
    char hint[96];
    struct nearest nearest = nearest_begin(text, strlen(text));
    for (unsigned i = 0; i < ARRAY_SIZE(level_names); i++)
        nearest_try(&nearest, level_names[i]);
    log_message(LOG_LEVEL_WARN, "util", "TUFF_LOG=%s is none of error, warn, info, debug%s", text,
                nearest_text(&nearest, hint));
}

static void read_environment(void)
{
    const char *text = secure_getenv("TUFF_LOG");
    enum log_level level;
    if (!text || !*text)
        return;
    if (log_level_from_text(text, &level))
        atomic_store(&current_level, level);
    else
        report_unknown(text);
}

bool log_enabled(enum log_level level)
{
    pthread_once(&once, read_environment);
    return (int)level <= atomic_load_explicit(&current_level, memory_order_relaxed);
}

void log_set_level(enum log_level level)
{
    pthread_once(&once, read_environment);
    atomic_store(&current_level, level);
}

void log_message(enum log_level level, const char *room, const char *format, ...)
{
    /* Reports of a lost context are pages long; everything else fits here. */
    char fixed[2048], *text = fixed;
    va_list args;
    va_start(args, format);
    int body = vsnprintf(NULL, 0, format, args);
    va_end(args);
    int head = snprintf(NULL, 0, "tuff: %s: %s: ", level_names[level], room);
    if (body < 0 || head < 0)
        return;

    size_t size_B = (size_t)head + (size_t)body + 2;
    if (size_B > sizeof(fixed))
        text = malloc(size_B);
    if (!text) { /* better truncated than lost */
        text = fixed;
        size_B = sizeof(fixed);
    }
    snprintf(text, size_B, "tuff: %s: %s: ", level_names[level], room);
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, size_B - used - 1, format, args);
    va_end(args);

    size_t length = strlen(text);
    text[length++] = '\n';
    log_text(text, length);
    if (text != fixed)
        free(text);
}
