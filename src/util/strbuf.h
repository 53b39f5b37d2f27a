/* A text that grows: what printers write into. The first failure to allocate is kept; writing goes on without effect,
 * so that a printer need not check every call: it checks once, at the end. */
#ifndef UTIL_STRBUF_H
#define UTIL_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A zeroed struct strbuf is an empty text. */
struct strbuf {
    char *text; /* NUL-terminated once anything was written; NULL before */
    size_t length;
    size_t capacity_B;
    bool failed;
};

/* Room for `more` further characters and the NUL; false once an allocation has failed. */
bool strbuf_reserve(struct strbuf *buf, size_t more);

void strbuf_printf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args);
void strbuf_finish(struct strbuf *buf);

static inline void strbuf_append_n(struct strbuf *buf, const char *text, size_t length)
{
    if (!strbuf_reserve(buf, length))
        return;
    memcpy(buf->text + buf->length, text, length);
    buf->length += length;
    buf->text[buf->length] = '\0';
}

static inline void strbuf_append(struct strbuf *buf, const char *text)
{
    strbuf_append_n(buf, text, strlen(text));
}

static inline void strbuf_clear(struct strbuf *buf)
{
    buf->length = 0;
    if (buf->text)
        buf->text[0] = '\0';
}

#endif
