/* See pieces.h. Their names come from the tables of commands, models and levels of host instructions. */
#include "tools/pieces.h"

#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "kernel/models.h"
#include "tools/driver.h"
#include "util/host_level.h"

struct search {
    struct pieces *pieces;
    const struct installation *place;
    char programs[PATH_MAX]; /* the folder of this command */
    char driver[PATH_MAX];   /* the folder of the driver */
    bool is_built, has_failed;
};

enum {
    PROGRAM_MODE = 0755,
    FILE_MODE = 0644
};

/* NULL: no memory, or a name that is longer than any may be. */
static struct piece *new_piece(struct search *search, const char *folder, const char *below, const char *name)
{
    if (!array_push(&search->pieces->list, (struct piece){.mode = FILE_MODE})) {
        search->has_failed = true;
        return NULL;
    }
    struct piece *piece = &search->pieces->list.data[search->pieces->list.count - 1];
    int length = snprintf(piece->target, sizeof(piece->target), "%s/%s/%s", folder, below, name);
    search->has_failed |= length >= (int)sizeof(piece->target);
    return piece;
}

/* A file that this tree may lack, as a level of host instructions for which nothing was built, is left out. */
static void push_file(struct search *search, const char *source_folder, const char *source, const char *folder,
                      const char *below, mode_t mode)
{
    char path[PATH_MAX], name[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", source_folder, source);
    if (length >= (int)sizeof(path) || access(path, F_OK) != 0)
        return;
    memcpy(name, path, (size_t)length + 1);
    struct piece *piece = new_piece(search, folder, below, basename(name));
    if (!piece)
        return;
    memcpy(piece->source, path, (size_t)length + 1);
    piece->mode = mode;
}

static void push_libraries(struct search *search)
{
    const char *prefix = search->place->prefix;
    char name[PATH_MAX];
    push_file(search, search->driver, "libvulkan_tuff.so", prefix, TUFF_LIB, FILE_MODE);
    push_file(search, search->driver, search->is_built ? "../shim/libtuff_shim.so" : "libtuff_shim.so", prefix,
              TUFF_LIB, FILE_MODE);
    for (unsigned i = 0; i < kernel_model_count; i++) {
        const struct kernel_family *family = kernel_models[i].family;
        if (i && family == kernel_models[i - 1].family)
            continue;
        for (const struct host_level *level = host_levels; level->name; level++) {
            snprintf(name, sizeof(name), "%s%s%.*s%s.so", search->is_built ? family->build_dir : "",
                     search->is_built ? "/" : "", (int)strcspn(family->library, "."), family->library, level->suffix);
            push_file(search, search->driver, name, prefix, TUFF_LIB, FILE_MODE);
        }
    }
}

/* Beside the command in a build tree, and below the folder of data elsewhere. */
static void push_text(struct search *search, const char *source_folder, const char *name, const char *folder,
                      const char *below)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s%s", search->is_built ? "" : source_folder, search->is_built ? "" : "/", name);
    push_file(search, search->programs, path, folder, below, FILE_MODE);
}

static void push_texts(struct search *search)
{
    const char *prefix = search->place->prefix;
    char page[64];
    push_text(search, TUFF_MANDIR "/man1", "tuff.1", prefix, TUFF_MAN "/man1");
    for (const struct tool_command *const *command = tool_commands; *command; command++) {
        snprintf(page, sizeof(page), "tuff-%s.1", (*command)->name);
        push_text(search, TUFF_MANDIR "/man1", page, prefix, TUFF_MAN "/man1");
    }
    push_text(search, TUFF_DATADIR "/bash-completion/completions", "tuff.bash", search->place->shared,
              "bash-completion/completions");
    push_text(search, TUFF_DATADIR "/zsh/site-functions", "_tuff", prefix, TUFF_DATA "/zsh/site-functions");
}

/* The loader's has the driver's whole name, so that it may be linked to; that of `tuff run` leads from its own
 * place. */
static void push_manifests(struct search *search)
{
    const char *prefix = search->place->prefix;
    struct piece *own = new_piece(search, prefix, TUFF_DATA "/tuff", "tuff_run_icd.json");
    if (own)
        snprintf(own->library, sizeof(own->library), "%s", TUFF_LIBRARY_FROM_DATA);
    struct piece *loaders = own ? new_piece(search, search->place->shared, "vulkan/icd.d", TUFF_MANIFEST) : NULL;
    if (loaders)
        snprintf(loaders->library, sizeof(loaders->library), "%.*s/" TUFF_LIB "/libvulkan_tuff.so", PATH_MAX / 2,
                 prefix);
}

bool pieces_find(struct pieces *pieces, const struct installation *place, const struct tool_command *command)
{
    static const char *const built[] = {"../icd/libvulkan_tuff.so", NULL}, *const own[] = {"tuff", NULL};
    struct search search = {.pieces = pieces, .place = place};
    char path[PATH_MAX];
    *pieces = (struct pieces){.list = {0}};
    if (TUFF_LIB[0] == '/' || TUFF_DATA[0] == '/' || TUFF_MAN[0] == '/' || TUFF_BIN[0] == '/') {
        tool_error(command, "this build has folders that it must lie in; `meson install` puts it there");
        return false;
    }
    if (!tool_driver_find(search.driver, command))
        return false;
    search.is_built = tool_find(built, path);
    dirname(search.driver);
    if (!tool_find(own, search.programs)) {
        tool_error(command, "this command has another name than `tuff`; unpack or build it anew");
        return false;
    }
    dirname(search.programs);
    push_file(&search, search.programs, "tuff", place->prefix, TUFF_BIN, PROGRAM_MODE);
    push_libraries(&search);
    push_texts(&search);
    push_manifests(&search);
    if (search.has_failed)
        tool_error(command, "no memory, or too long a name of a folder");
    return !search.has_failed;
}

const struct piece *pieces_manifest(const struct pieces *pieces)
{
    return &pieces->list.data[pieces->list.count - 1];
}
