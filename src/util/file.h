/* Whole files into memory, for the tools. */
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <stddef.h>

/* Read `path` ("-" is standard input). A NUL follows the data; the caller frees it. Returns 0 or -errno;
 * -EFBIG for more than 1 GiB, so that a device file does not eat the machine. */
int file_read(const char *path, char **data_out, size_t *size_B_out);

#endif
