/* Reads until the end instead of asking for the size first: pipes have none. */
#include "util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_FILE_B ((size_t)1 << 30)

static int read_all(int fd, char **data_out, size_t *size_B_out)
{
    size_t capacity_B = 1 << 16, used_B = 0;
    char *data = malloc(capacity_B);
    if (!data)
        return -ENOMEM;

    for (;;) {
        ssize_t got_B = read(fd, data + used_B, capacity_B - used_B - 1);
        if (got_B < 0 && errno == EINTR)
            continue;
        if (got_B < 0) {
            int error = -errno;
            free(data);
            return error;
        }
        if (got_B == 0)
            break;
        used_B += (size_t)got_B;
        if (used_B + 1 < capacity_B)
            continue;
        char *grown = capacity_B <= LARGEST_FILE_B ? realloc(data, capacity_B * 2) : NULL;
        if (!grown) {
            free(data);
            return capacity_B <= LARGEST_FILE_B ? -ENOMEM : -EFBIG;
        }
        data = grown;
        capacity_B *= 2;
    }
    data[used_B] = '\0';
    *data_out = data;
    *size_B_out = used_B;
    return 0;
}

int file_read(const char *path, char **data_out, size_t *size_B_out)
{
    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, data_out, size_B_out);

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int result = read_all(fd, data_out, size_B_out);
    close(fd);
    return result;
}
