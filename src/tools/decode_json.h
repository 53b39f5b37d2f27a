/* `tuff decode --json`: the text of a decoded stream as JSON. */
#ifndef TOOLS_DECODE_JSON_H
#define TOOLS_DECODE_JSON_H

#include "util/json.h"

/* "streams": each with its title, null for a file that is one stream, and its packets: offset, name, the whole text,
 * and in "details" the registers and words below it. `text` is what the families' decoders write (hw/text.h). */
void tool_decode_json(struct json *json, const char *text);

#endif
