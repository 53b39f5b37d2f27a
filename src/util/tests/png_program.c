/* For tests/deflate.py: compresses the standard input, or writes it as a picture.
 *
 *     png_program                           to the standard output, as zlib's stream
 *     png_program FILE WIDTH HEIGHT ORDER   four bytes a pixel, ORDER rgba or bgra; prints nothing, or why not */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/deflate.h"
#include "util/file.h"
#include "util/png.h"

static int write_picture(char **argv, const char *pixels)
{
    const int error =
        png_write(argv[1], pixels, (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), strcmp(argv[4], "bgra") == 0);
    if (error)
        puts(strerror(-error));
    return error ? 1 : 0;
}

int main(int argc, char **argv)
{
    char *data;
    size_t size_B, compressed_B;
    if (file_read("-", &data, &size_B) != 0)
        return 2;
    int code = 0;
    if (argc == 5) {
        code = write_picture(argv, data);
    } else {
        uint8_t *compressed = deflate_zlib(data, size_B, &compressed_B);
        code = compressed && fwrite(compressed, 1, compressed_B, stdout) == compressed_B ? 0 : 1;
        free(compressed);
    }
    free(data);
    return code;
}
