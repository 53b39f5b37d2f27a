/* Messages for people. One environment variable, TUFF_LOG=error|warn|info|debug, chooses what is printed (default:
 * warn). The room comes first in a message, so that a reader knows where to look. Everything goes to standard error. */
#ifndef UTIL_LOG_H
#define UTIL_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level {
    LOG_LEVEL_ERROR, /* something was refused or lost */
    LOG_LEVEL_WARN,  /* it went on, but not as asked */
    LOG_LEVEL_INFO,  /* what was chosen: device, mode, path */
    LOG_LEVEL_DEBUG, /* what happens, step by step */
};

bool log_enabled(enum log_level level);
void log_message(enum log_level level, const char *room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Text that is no message, to the same place. */
void log_text(const char *text, size_t length);

/* For a caller that has read the level itself; log_level_from_text returns false for an unknown word. */
bool log_level_from_text(const char *text, enum log_level *level_out);
void log_set_level(enum log_level level);

#define LOG_AT(level, room, ...)                                                                                       \
    do {                                                                                                               \
        if (log_enabled(level))                                                                                        \
            log_message(level, room, __VA_ARGS__);                                                                     \
    } while (0)
#define LOG_ERROR(room, ...) LOG_AT(LOG_LEVEL_ERROR, room, __VA_ARGS__)
#define LOG_WARN(room, ...) LOG_AT(LOG_LEVEL_WARN, room, __VA_ARGS__)
#define LOG_INFO(room, ...) LOG_AT(LOG_LEVEL_INFO, room, __VA_ARGS__)
#define LOG_DEBUG(room, ...) LOG_AT(LOG_LEVEL_DEBUG, room, __VA_ARGS__)

#endif
