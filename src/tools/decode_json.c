/* See decode_json.h. A line that begins with an offset is a packet; one that is indented belongs to the packet before
 * it, or goes on with the line before; any other begins a stream. */
#include "tools/decode_json.h"

#include <ctype.h>
#include <stdlib.h>

enum {
    OFFSET_DIGITS = 8,
    GOES_ON_COLUMN = 30, /* hw/text.c's lines that were too long */
};

struct reader {
    struct json *json;
    bool in_stream, in_packet;
    struct strbuf line; /* with those that go on with it */
    unsigned indent;    /* of its first */
};

static void end_packet(struct reader *reader)
{
    if (reader->in_packet) {
        json_end(reader->json); /* details */
        json_end(reader->json);
    }
    reader->in_packet = false;
}

static void end_stream(struct reader *reader)
{
    end_packet(reader);
    if (reader->in_stream) {
        json_end(reader->json); /* packets */
        json_end(reader->json);
    }
    reader->in_stream = false;
}

static void begin_stream(struct reader *reader, const char *title)
{
    end_stream(reader);
    json_object(reader->json, NULL);
    json_string(reader->json, "title", title);
    json_array(reader->json, "packets");
    reader->in_stream = true;
}

/* The offset's digits, and two blanks. */
static bool is_packet(const char *line)
{
    size_t digits = 0;
    while (isxdigit((unsigned char)line[digits]))
        digits++;
    return digits >= OFFSET_DIGITS && line[digits] == ' ' && line[digits + 1] == ' ';
}

static void begin_packet(struct reader *reader, const char *line)
{
    char *text;
    end_packet(reader);
    if (!reader->in_stream)
        begin_stream(reader, NULL);
    json_object(reader->json, NULL);
    json_number(reader->json, "offset", strtoull(line, &text, 16));
    text += strspn(text, " ");
    json_string_n(reader->json, "name", text, strcspn(text, " "));
    json_string(reader->json, "text", text);
    json_array(reader->json, "details");
    reader->in_packet = true;
}

static void end_line(struct reader *reader)
{
    const char *line = reader->line.text;
    if (!reader->line.length)
        return;
    if (reader->indent && reader->in_packet)
        json_string(reader->json, NULL, line);
    else if (is_packet(line))
        begin_packet(reader, line);
    else
        begin_stream(reader, line);
    strbuf_clear(&reader->line);
}

static void read_line(struct reader *reader, const char *line, size_t length)
{
    size_t indent = 0;
    while (indent < length && line[indent] == ' ')
        indent++;
    const bool goes_on = indent >= GOES_ON_COLUMN && reader->line.length;
    if (!goes_on) {
        end_line(reader);
        reader->indent = (unsigned)indent;
    } else {
        strbuf_append(&reader->line, " ");
    }
    strbuf_append_n(&reader->line, line + indent, length - indent);
}

void tool_decode_json(struct json *json, const char *text)
{
    struct reader reader = {.json = json};
    json_array(json, "streams");
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        read_line(&reader, text, length);
    }
    end_line(&reader);
    end_stream(&reader);
    json_end(json);
    json->text.failed |= reader.line.failed;
    strbuf_finish(&reader.line);
}
