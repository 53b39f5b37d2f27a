/* Writes a picture as a PNG without compression. Not for: reading, alpha, other depths. */
#ifndef DEMO_PNG_H
#define DEMO_PNG_H

#include <stdbool.h>
#include <stdint.h>

/* The red, green and blue of these RGBA bytes, row by row from the top. False: the file could not be written. */
bool png_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height);

#endif
