/* See installation.h. */
#include "tools/installation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"

static const char list_head[] = "# What `tuff install` wrote. `tuff uninstall` removes exactly this.\n";

static void set_list(struct installation *place)
{
    snprintf(place->list, sizeof(place->list), "%.*s/" TUFF_DATA "/tuff/installed.list", PATH_MAX / 2, place->prefix);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return path[0] == '/' && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int place_of_user(struct installation *place, const struct tool_command *command)
{
    const char *home = secure_getenv("HOME"), *data = secure_getenv("XDG_DATA_HOME");
    if (!home || !*home || !is_folder(home)) {
        tool_error(command, "--user needs a home, and %s%s%s; --prefix names another folder",
                   home && *home ? "HOME is '" : "HOME is not set", home && *home ? home : "",
                   home && *home ? "', which is no folder" : "");
        return TOOL_FAILED;
    }
    snprintf(place->prefix, sizeof(place->prefix), "%.*s/.local", PATH_MAX / 2, home);
    snprintf(place->shared, sizeof(place->shared), "%.*s%s", PATH_MAX / 2, data && *data == '/' ? data : place->prefix,
             data && *data == '/' ? "" : "/share");
    place->is_user = true;
    return TOOL_OK;
}

int installation_place(struct installation *place, const struct tool_command *command, bool is_user, const char *prefix)
{
    char here[PATH_MAX] = "";
    *place = (struct installation){.is_user = false};
    if (is_user && prefix)
        return tool_usage_error(command, "--user and --prefix name two places");
    if (prefix && (!*prefix || strchr(prefix, '\n') || strlen(prefix) >= PATH_MAX / 2))
        return tool_usage_error(command, "'%s' is no name of a folder", prefix);
    if (is_user) {
        int failed = place_of_user(place, command);
        if (failed)
            return failed;
    } else {
        prefix = prefix ? prefix : "/usr/local";
        if (*prefix != '/' && !getcwd(here, PATH_MAX / 4)) {
            tool_error(command, "the folder in which this runs has no name: %s", strerror(errno));
            return TOOL_FAILED;
        }
        snprintf(place->prefix, sizeof(place->prefix), "%s%s%s", here, *here ? "/" : "", prefix);
        snprintf(place->shared, sizeof(place->shared), "%.*s/" TUFF_DATA, PATH_MAX / 2, place->prefix);
    }
    set_list(place);
    return TOOL_OK;
}

bool installation_own(struct installation *place)
{
    static const char *const lists[] = {TUFF_DATADIR "/tuff/installed.list", NULL};
    *place = (struct installation){.is_user = false};
    return tool_find(lists, place->list);
}

static bool push_copy(char ***data, uint32_t *count, uint32_t *capacity, const char *path)
{
    char *copy = strdup(path);
    if (!copy || !array_reserve_bytes((void **)data, capacity, *count + 1, sizeof(**data))) {
        free(copy);
        return false;
    }
    (*data)[(*count)++] = copy;
    return true;
}

bool record_push_file(struct record *record, const char *file)
{
    return record_has(record, file) ||
           push_copy(&record->files.data, &record->files.count, &record->files.capacity, file);
}

bool record_push_folder(struct record *record, const char *folder)
{
    return push_copy(&record->folders.data, &record->folders.count, &record->folders.capacity, folder);
}

bool record_has(const struct record *record, const char *file)
{
    array_foreach (&record->files, known) {
        if (strcmp(*known, file) == 0)
            return true;
    }
    return false;
}

void record_finish(struct record *record)
{
    array_foreach (&record->files, file)
        free(*file);
    array_foreach (&record->folders, folder)
        free(*folder);
    array_finish(&record->files);
    array_finish(&record->folders);
}

/* A line is an absolute path; that of a folder ends with a slash. */
static int push_line(struct record *record, char *line)
{
    size_t length = strlen(line);
    if (length == 0 || *line == '#')
        return 0;
    if (*line != '/')
        return -EBADMSG;
    bool is_of_folder = length > 1 && line[length - 1] == '/';
    if (is_of_folder)
        line[length - 1] = '\0';
    return (is_of_folder ? record_push_folder : record_push_file)(record, line) ? 0 : -ENOMEM;
}

int record_read(struct record *record, const char *list)
{
    char *text = NULL, *rest = NULL;
    size_t size_B;
    *record = (struct record){0};
    int error = file_read(list, &text, &size_B);
    if (error)
        return error == -ENOENT || error == -ENOTDIR ? 0 : error;
    for (char *line = strtok_r(text, "\n", &rest); line && !error; line = strtok_r(NULL, "\n", &rest))
        error = push_line(record, line);
    free(text);
    if (error)
        record_finish(record);
    return error;
}

int record_write(const struct record *record, const char *list)
{
    char fresh[PATH_MAX + 8];
    snprintf(fresh, sizeof(fresh), "%s.new", list);
    FILE *file = fopen(fresh, "we");
    if (!file)
        return -errno;
    fputs(list_head, file);
    array_foreach (&record->folders, folder)
        fprintf(file, "%s/\n", *folder);
    array_foreach (&record->files, path)
        fprintf(file, "%s\n", *path);
    bool is_written = fflush(file) == 0 && !ferror(file);
    int error = is_written ? 0 : -errno;
    fclose(file);
    if (!error && rename(fresh, list) != 0)
        error = -errno;
    if (error)
        unlink(fresh);
    return error;
}

int record_remove(const struct record *record, unsigned *count_out, const char **failed_out)
{
    *count_out = 0;
    array_foreach (&record->files, file) {
        if (unlink(*file) == 0) {
            ++*count_out;
        } else if (errno != ENOENT && errno != ENOTDIR) {
            *failed_out = *file;
            return -errno;
        }
    }
    for (uint32_t i = record->folders.count; i-- > 0;)
        rmdir(record->folders.data[i]); /* one in which something else lies stays */
    return 0;
}
