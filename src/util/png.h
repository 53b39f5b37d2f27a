/* Writes a picture as a PNG file: eight bits for each of red, green and blue. Not for: reading, alpha, other depths. */
#ifndef UTIL_PNG_H
#define UTIL_PNG_H

#include <stdbool.h>
#include <stdint.h>

/* `pixels`: four bytes each, red, green, blue and one that is left out, or with is_bgra blue first; rows from the top
 * without gaps. 0 or -errno; the file is there whole or not at all. */
int png_write(const char *path, const void *pixels, uint32_t width, uint32_t height, bool is_bgra);

#endif
