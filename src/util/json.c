/* See json.h. */
#include "util/json.h"

#include <math.h>

static void begin_value(struct json *json, const char *key)
{
    struct strbuf *out = &json->text;
    if (json->is_begun)
        strbuf_append(out, json->is_line ? ", " : ",");
    if (json->depth && !json->is_line)
        strbuf_printf(out, "\n%*s", (int)(2 * json->depth), "");
    if (key)
        strbuf_printf(out, "\"%s\": ", key);
    json->is_begun = true;
}

static void begin_group(struct json *json, const char *key, bool is_array)
{
    begin_value(json, key);
    strbuf_append(&json->text, is_array ? "[" : "{");
    json->depth++;
    json->arrays = (json->arrays & ~(1ull << json->depth)) | (uint64_t)is_array << json->depth;
    json->is_begun = false;
}

void json_object(struct json *json, const char *key)
{
    begin_group(json, key, false);
}

void json_array(struct json *json, const char *key)
{
    begin_group(json, key, true);
}

void json_end(struct json *json)
{
    const bool is_array = json->arrays >> json->depth & 1;
    json->depth--;
    if (json->is_begun && !json->is_line)
        strbuf_printf(&json->text, "\n%*s", (int)(2 * json->depth), "");
    strbuf_append(&json->text, is_array ? "]" : "}");
    json->is_begun = true;
    if (json->depth == 0)
        strbuf_append(&json->text, "\n");
}

/* The bytes of the character of UTF-8 at `text`; 0: there is none. */
static unsigned utf8_bytes(const unsigned char *text, size_t length)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned count = text[0] < 0x80       ? 1
                           : text[0] >> 5 == 6  ? 2
                           : text[0] >> 4 == 14 ? 3
                           : text[0] >> 3 == 30 ? 4
                                                : 0;
    if (count <= 1 || count > length)
        return count <= 1 ? count : 0;
    uint32_t code = text[0] & (0x7fu >> count);
    for (unsigned i = 1; i < count; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    return code >= least[count] && code <= 0x10ffff && code >> 11 != 0x1b ? count : 0;
}

void json_string_n(struct json *json, const char *key, const char *text, size_t length)
{
    struct strbuf *out = &json->text;
    begin_value(json, key);
    strbuf_append(out, "\"");
    for (size_t at = 0, count; at < length; at += count ? count : 1) {
        const unsigned char *byte = (const unsigned char *)text + at;
        count = utf8_bytes(byte, length - at);
        if (!count)
            strbuf_append(out, "\\ufffd"); /* the mark for what is no character */
        else if (*byte < 0x20 || *byte == 0x7f)
            strbuf_printf(out, "\\u%04x", *byte);
        else if (*byte == '"' || *byte == '\\')
            strbuf_printf(out, "\\%c", *byte);
        else
            strbuf_append_n(out, (const char *)byte, count);
    }
    strbuf_append(out, "\"");
}

void json_string(struct json *json, const char *key, const char *text)
{
    if (text) {
        json_string_n(json, key, text, strlen(text));
        return;
    }
    begin_value(json, key);
    strbuf_append(&json->text, "null");
}

void json_number(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    strbuf_printf(&json->text, "%llu", (unsigned long long)value);
}

/* To the sixth place, without printf's %f: an application may have chosen a language that has a comma there. */
void json_real(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    if (!(fabs(value) < 1e12)) {
        strbuf_append(&json->text, "null");
        return;
    }
    const long long millionths = llround(fabs(value) * 1e6);
    strbuf_printf(&json->text, "%s%lld.%06lld", value < 0 && millionths ? "-" : "", millionths / 1000000,
                  millionths % 1000000);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    strbuf_append(&json->text, value ? "true" : "false");
}
