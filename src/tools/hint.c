/* See hint.h. Warnings, not errors: a program may bring a loader of its own, or be no Vulkan program at all. */
#include "tools/hint.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "util/nearest.h"

enum {
    SEAL_FD_MIN = 200 /* above those that programs count on */
};

void tool_offer_hint(void)
{
    const char *before = secure_getenv("TUFF_HINT");
    struct stat about;
    char where[64];
    if (before && *before)
        return; /* silent, or that of a `tuff run` around this one */
    int fd = memfd_create("tuff-hint", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    int kept = fd < 0 ? -1 : fcntl(fd, F_DUPFD, SEAL_FD_MIN);
    if (fd >= 0)
        close(fd);
    if (kept < 0 || fstat(kept, &about) != 0)
        return;
    snprintf(where, sizeof(where), "%d:%d:%llu", (int)getpid(), kept, (unsigned long long)about.st_ino);
    setenv("TUFF_HINT", where, 1);
}

static bool is_known(const char *name, size_t length, struct nearest *nearest)
{
    for (const char *const *variable = tool_variables; *variable; variable++) {
        if (strlen(*variable) == length && memcmp(*variable, name, length) == 0)
            return true;
        nearest_try(nearest, *variable + strlen("TUFF_"));
    }
    return false;
}

void tool_check_environment(const struct tool_command *command)
{
    for (char *const *entry = tool_environment; entry && *entry; entry++) {
        const size_t length = strcspn(*entry, "="), prefix = strlen("TUFF_");
        if (strncmp(*entry, "TUFF_", prefix) != 0)
            continue;
        struct nearest nearest = nearest_begin(*entry + prefix, length - prefix);
        if (!is_known(*entry, length, &nearest))
            tool_error(command, "nothing reads the variable %.*s%s%s%s", (int)length, *entry,
                       nearest.best ? "; did you mean TUFF_" : "", nearest.best ? nearest.best : "",
                       nearest.best ? "?" : "");
    }
}

void tool_check_loader(const struct tool_command *command)
{
    void *loader = dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!loader) {
        tool_error(command,
                   "this machine has no Vulkan loader (libvulkan.so.1), and a program that brings none of its own "
                   "finds no GPU; install libvulkan1 (Debian, Ubuntu), vulkan-loader (Fedora) or "
                   "vulkan-icd-loader (Arch)");
        return;
    }
    PFN_vkEnumerateInstanceVersion ask;
    uint32_t version = VK_API_VERSION_1_0;
    *(void **)&ask = dlsym(loader, "vkEnumerateInstanceVersion");
    if ((ask && ask(&version) != VK_SUCCESS) || version >= VK_API_VERSION_1_3)
        return;
    tool_error(command,
               "the Vulkan loader of this machine is of version %u.%u.%u, and a program that asks for Vulkan 1.3 may "
               "find none; LD_LIBRARY_PATH can name the folder of a newer libvulkan.so.1",
               VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}
