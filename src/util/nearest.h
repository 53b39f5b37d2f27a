/* "Did you mean ...?": which of some words a word that is none of them was probably meant to be. */
#ifndef UTIL_NEAREST_H
#define UTIL_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *word; /* of `length` bytes, unknown */
    size_t length;
    const char *best; /* NULL: nothing is near enough */
    unsigned distance;
};

struct nearest nearest_begin(const char *word, size_t length);
void nearest_try(struct nearest *nearest, const char *candidate);

/* "; did you mean 'candidate'?", or nothing, for the end of a message. */
const char *nearest_text(const struct nearest *nearest, char text[static 96]);

#endif
