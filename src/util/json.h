/* Writes JSON into a text: always well-formed, whatever bytes a string has. Not for: reading. */
#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"

struct json {
    struct strbuf text;
    bool is_line;  /* all in one line */
    bool is_begun; /* the innermost object or array has a member */
    unsigned depth;
    uint64_t arrays; /* a bit for each depth */
};

/* `key` is NULL in an array and at the outermost level. What is begun is ended by json_end. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end(struct json *json);

void json_string(struct json *json, const char *key, const char *text); /* NULL becomes null */
void json_string_n(struct json *json, const char *key, const char *text, size_t length);
void json_number(struct json *json, const char *key, uint64_t value);
void json_real(struct json *json, const char *key, double value); /* what is no number below 10^12 becomes null */
void json_bool(struct json *json, const char *key, bool value);

#endif
