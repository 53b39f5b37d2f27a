/* tuff install: copies this Tuff, of an unpacked tarball or a build tree, to where programs find it, and writes the
 * manifest for Vulkan loaders. What it writes is listed before it is written, for `tuff uninstall`. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/hint.h"
#include "tools/installation.h"
#include "tools/pieces.h"
#include "util/json.h"

struct install {
    struct installation place;
    struct pieces pieces;
    struct record before, now;
    uint64_t written_B;
};

static int refuse_write(const struct install *install, const char *path, int error)
{
    const char *advice = install->place.is_user ? "" : ", or `tuff install --user` for yourself alone";
    if (error == EACCES || error == EPERM)
        tool_error(&tool_install, "cannot write '%s': %s; as root%s", path, strerror(error), advice);
    else if (error == EROFS)
        tool_error(&tool_install, "cannot write '%s': %s; --prefix names another folder%s", path, strerror(error),
                   advice);
    else
        tool_error(&tool_install, "cannot write '%s': %s", path, strerror(error));
    return TOOL_FAILED;
}

/* A file of somebody else's stays: a package's, of `meson install`, or a user's own. */
static int check_targets(const struct install *install)
{
    array_foreach (&install->pieces.list, piece) {
        struct stat target, source;
        if (lstat(piece->target, &target) != 0)
            continue;
        if (piece->source[0] && stat(piece->source, &source) == 0 && source.st_ino == target.st_ino &&
            source.st_dev == target.st_dev) {
            tool_error(&tool_install, "this Tuff is in '%s' already", install->place.prefix);
            return TOOL_FAILED;
        }
        if (record_has(&install->before, piece->target))
            continue;
        tool_error(&tool_install, "'%s' is there and not by `tuff install`; remove it by what put it there, or move it",
                   piece->target);
        return TOOL_FAILED;
    }
    return TOOL_OK;
}

/* The folder with those above it; those that are new are recorded. 0, or an errno. */
static int make_folder(struct record *record, const char *folder)
{
    char above[PATH_MAX];
    struct stat about;
    if (stat(folder, &about) == 0)
        return S_ISDIR(about.st_mode) ? 0 : ENOTDIR;
    snprintf(above, sizeof(above), "%s", folder);
    int error = make_folder(record, dirname(above));
    if (error)
        return error;
    if (mkdir(folder, 0755) != 0)
        return errno == EEXIST ? 0 : errno;
    return record_push_folder(record, folder) ? 0 : ENOMEM;
}

static int make_folders(struct install *install)
{
    array_foreach (&install->before.folders, folder) {
        if (!record_push_folder(&install->now, *folder))
            return refuse_write(install, *folder, ENOMEM);
    }
    array_foreach (&install->pieces.list, piece) {
        char folder[PATH_MAX];
        memcpy(folder, piece->target, sizeof(folder));
        int error = make_folder(&install->now, dirname(folder));
        if (!error && access(folder, W_OK) != 0)
            error = errno;
        if (error)
            return refuse_write(install, folder, error);
    }
    return TOOL_OK;
}

static bool push_files(struct record *record, const struct record *from)
{
    bool has_all = true;
    array_foreach (&from->files, file)
        has_all &= record_push_file(record, *file);
    return has_all;
}

/* With the files of an earlier installation, in case this one ends halfway. */
static int write_list_of_both(struct install *install)
{
    struct record both = {0};
    bool has_all = true;
    array_foreach (&install->pieces.list, piece)
        has_all &= record_push_file(&install->now, piece->target);
    has_all &= record_push_file(&install->now, install->place.list);
    has_all &= push_files(&both, &install->before) && push_files(&both, &install->now);
    array_foreach (&install->now.folders, folder)
        has_all &= record_push_folder(&both, *folder);
    int error = has_all ? -record_write(&both, install->place.list) : ENOMEM;
    record_finish(&both);
    return error ? refuse_write(install, install->place.list, error) : TOOL_OK;
}

/* 0, or an errno. */
static int write_manifest(int fd, const struct piece *piece)
{
    struct json json = {.is_line = false};
    json_object(&json, NULL);
    json_string(&json, "file_format_version", "1.0.0");
    json_object(&json, "ICD");
    json_string(&json, "library_path", piece->library);
    json_string(&json, "api_version", TUFF_API_VERSION);
    json_end(&json);
    json_end(&json);
    int error = json.text.failed ? ENOMEM : 0;
    if (!error && write(fd, json.text.text, json.text.length) != (ssize_t)json.text.length)
        error = errno ? errno : ENOSPC;
    strbuf_finish(&json.text);
    return error;
}

/* 0, or an errno; -1 where it is the source that cannot be read, which is told. */
static int copy_bytes(int fd, const struct piece *piece)
{
    static char bytes[1 << 16];
    int source = open(piece->source, O_RDONLY | O_CLOEXEC), error = 0;
    ssize_t length = source < 0 ? -1 : 1;
    while (length > 0 && !error) {
        length = read(source, bytes, sizeof(bytes));
        for (ssize_t done = 0, more; done < length && !error; done += more) {
            more = write(fd, bytes + done, (size_t)(length - done));
            error = more < 0 ? errno : 0;
        }
    }
    if (length < 0) {
        tool_error(&tool_install, "cannot read '%s': %s", piece->source, strerror(errno));
        error = -1;
    }
    if (source >= 0)
        close(source);
    return error;
}

/* A new file takes the place of the old one, which a program may have mapped. */
static int write_piece(struct install *install, const struct piece *piece)
{
    char fresh[PATH_MAX + 8];
    snprintf(fresh, sizeof(fresh), "%s.new", piece->target);
    unlink(fresh);
    errno = 0;
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = fd < 0 ? errno : piece->source[0] ? copy_bytes(fd, piece) : write_manifest(fd, piece);
    off_t size_B = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    if (!error && (fchmod(fd, piece->mode) != 0 || rename(fresh, piece->target) != 0))
        error = errno;
    if (fd >= 0)
        close(fd);
    if (error)
        unlink(fresh);
    install->written_B += size_B > 0 ? (uint64_t)size_B : 0;
    return error > 0 ? refuse_write(install, piece->target, error) : error ? TOOL_FAILED : TOOL_OK;
}

static int write_pieces(struct install *install)
{
    int failed = make_folders(install);
    if (!failed)
        failed = write_list_of_both(install);
    array_foreach (&install->pieces.list, piece) {
        if (!failed)
            failed = write_piece(install, piece);
    }
    if (failed && install->before.files.count == 0) {
        unsigned count;
        const char *stays;
        record_remove(&install->now, &count, &stays);
    }
    return failed;
}

/* Files of the earlier installation that this one no longer has. */
static int remove_stale(struct install *install)
{
    array_foreach (&install->before.files, file) {
        if (!record_has(&install->now, *file))
            unlink(*file);
    }
    int error = -record_write(&install->now, install->place.list);
    return error ? refuse_write(install, install->place.list, error) : TOOL_OK;
}

static bool is_in_path(const char *folder)
{
    const char *path = secure_getenv("PATH");
    const size_t length = strlen(folder);
    for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        if (strcspn(path, ":") == length && memcmp(path, folder, length) == 0)
            return true;
    }
    return false;
}

static void print_done(const struct install *install, const char *option, const char *value)
{
    char programs[PATH_MAX];
    const char *manifest = pieces_manifest(&install->pieces)->target;
    snprintf(programs, sizeof(programs), "%.*s/" TUFF_BIN, PATH_MAX / 2, install->place.prefix);
    printf("installed Tuff " TUFF_VERSION " in %s: %u files, %.1f MB\n", install->place.prefix,
           (unsigned)install->now.files.count, (double)install->written_B / 1e6);
    if (value)
        printf("programs find the driver when XDG_DATA_DIRS names %s, or VK_DRIVER_FILES %s\n", install->place.shared,
               manifest);
    else
        printf("programs find the driver by %s\n", manifest);
    if (is_in_path(programs))
        printf("try: tuff run -- vulkaninfo --summary\n");
    else
        printf("try: %s/tuff run -- vulkaninfo --summary (that folder is not in PATH)\n", programs);
    printf("remove it: tuff uninstall%s%s%s%s\n", option ? " " : "", option ? option : "", value ? " " : "",
           value ? value : "");
}

static int run_install(struct install *install)
{
    if (!pieces_find(&install->pieces, &install->place, &tool_install))
        return TOOL_FAILED;
    int error = -record_read(&install->before, install->place.list);
    if (error) {
        tool_error(&tool_install, "cannot read '%s', the list of an earlier installation: %s", install->place.list,
                   strerror(error));
        return TOOL_FAILED;
    }
    int failed = check_targets(install);
    if (!failed)
        failed = write_pieces(install);
    return failed ? failed : remove_stale(install);
}

int tool_install_run(const struct tool_line *line)
{
    const char *prefix = line->values[TOOL_INSTALL_PREFIX], *user = line->values[TOOL_INSTALL_USER];
    struct install install = {.written_B = 0};
    int failed = installation_place(&install.place, &tool_install, user != NULL, prefix);
    if (!failed)
        failed = run_install(&install);
    if (!failed) {
        print_done(&install, user ? "--user" : prefix ? "--prefix" : NULL, prefix);
        failed = tool_finish_output(&tool_install);
        tool_check_loader(&tool_install);
    }
    array_finish(&install.pieces.list);
    record_finish(&install.before);
    record_finish(&install.now);
    return failed;
}
