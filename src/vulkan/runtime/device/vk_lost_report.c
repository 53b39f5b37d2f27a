/* Where the report of a lost device goes. */
#include "vulkan/runtime/device/vk_lost_report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file_limit.h"
#include "util/log.h"

void vk_lost_report(const char *family, void (*write)(FILE *file, const void *data), const void *data)
{
    static _Atomic uint32_t count;
    const char *folder = secure_getenv("TUFF_DUMP");
    char path[512];
    snprintf(path, sizeof(path), "%s/tuff-hang-%d-%u.txt", folder ? folder : ".", getpid(), count++);
    FILE *file = fopen(path, "w");
    if (!file) {
        LOG_ERROR(family, "no report of the hang: %s cannot be written", path);
        return;
    }
    struct file_limit limit = file_limit_enter();
    write(file, data);
    bool is_whole = !ferror(file);
    is_whole &= fclose(file) == 0;
    file_limit_leave(limit);
    if (is_whole)
        LOG_ERROR(family, "a report of the lost device is in %s", path);
    else
        LOG_ERROR(family, "the report of the lost device in %s is not whole: %s", path, strerror(errno));
}
