/* See architecture.h. The loader only says that there is no driver, in its own log. */
#include "tools/architecture.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "util/array.h"
#include "util/bits.h"

static const struct {
    unsigned machine;
    const char *name;
} machines[] = {
    {EM_X86_64, "x86-64"},  {EM_AARCH64, "AArch64"}, {EM_386, "32-bit x86"},
    {EM_ARM, "32-bit ARM"}, {EM_RISCV, "RISC-V"},
};

static const char *machine_name(unsigned machine)
{
    for (unsigned i = 0; i < ARRAY_SIZE(machines); i++) {
        if (machines[i].machine == machine)
            return machines[i].name;
    }
    return "another architecture";
}

/* 0, or an errno: ENOEXEC for what is no ELF file. Its machine stands at one place in files of 32 and of 64 bits. */
static int read_machine(const char *path, unsigned *machine_out)
{
    Elf64_Ehdr header;
    const size_t needed_B = offsetof(Elf64_Ehdr, e_machine) + sizeof(header.e_machine);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t read_B = read(fd, &header, sizeof(header));
    int error = read_B < 0 ? errno : 0;
    close(fd);
    if (!error && ((size_t)read_B < needed_B || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0))
        error = ENOEXEC;
    if (!error)
        *machine_out = header.e_machine;
    return error;
}

bool tool_check_architecture(const struct tool_command *command, const char *library)
{
    unsigned own, other;
    if (read_machine("/proc/self/exe", &own) != 0)
        return true; /* without /proc there is nothing to compare with */
    int error = read_machine(library, &other);
    if (error)
        tool_error(command, "cannot use '%s': %s; unpack or build it anew", library,
                   error == ENOEXEC ? "it is no library" : strerror(error));
    else if (own != other)
        tool_error(command, "'%s' is built for %s, and this command for %s: take the tarball for %s", library,
                   machine_name(other), machine_name(own), machine_name(own));
    return !error && own == other;
}
