/* Compression by RFC 1951 in the container of RFC 1950, as PNG has it. Not for: decompression, streams that come in
 * parts. */
#ifndef UTIL_DEFLATE_H
#define UTIL_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* A block of memory that the caller frees, or NULL: out of memory, or more than 2 GiB. */
uint8_t *deflate_zlib(const void *data, size_t size_B, size_t *compressed_B_out);

#endif
