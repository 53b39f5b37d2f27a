/* Growth by doubling; printf formats in place and retries once with the length it asked for. */
#include "util/strbuf.h"

#include <stdio.h>
#include <stdlib.h>

bool strbuf_reserve(struct strbuf *buf, size_t more)
{
    if (buf->failed)
        return false;
    if (buf->capacity_B - buf->length > more)
        return true;

    size_t capacity_B = buf->capacity_B ? buf->capacity_B * 2 : 256;
    if (capacity_B <= buf->length + more)
        capacity_B = buf->length + more + 1;
    char *text = realloc(buf->text, capacity_B);
    if (!text) {
        buf->failed = true;
        return false;
    }
    buf->text = text;
    buf->capacity_B = capacity_B;
    buf->text[buf->length] = '\0';
    return true;
}

void strbuf_vprintf(struct strbuf *buf, const char *format, va_list args)
{
    if (!strbuf_reserve(buf, 64))
        return;

    va_list again;
    va_copy(again, args);
    size_t room = buf->capacity_B - buf->length;
    int length = vsnprintf(buf->text + buf->length, room, format, args);
    if (length >= 0 && (size_t)length >= room) {
        if (strbuf_reserve(buf, (size_t)length))
            vsnprintf(buf->text + buf->length, (size_t)length + 1, format, again);
        else
            length = 0;
    }
    va_end(again);
    if (length > 0)
        buf->length += (size_t)length;
    buf->text[buf->length] = '\0';
}

void strbuf_printf(struct strbuf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    strbuf_vprintf(buf, format, args);
    va_end(args);
}

void strbuf_finish(struct strbuf *buf)
{
    free(buf->text);
    *buf = (struct strbuf){0};
}
