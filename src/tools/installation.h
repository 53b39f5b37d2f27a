/* Where `tuff install` puts things, and the list of what it wrote there, by which `tuff uninstall` removes exactly
 * that. */
#ifndef TOOLS_INSTALLATION_H
#define TOOLS_INSTALLATION_H

#include "tools/tool.h"
#include "util/array.h"

struct installation {
    char prefix[PATH_MAX]; /* absolute */
    char shared[PATH_MAX]; /* a folder of data in which loaders and shells look */
    char list[PATH_MAX];   /* the file that names what was written */
    bool is_user;
};

/* /usr/local, a user's own (`is_user`), or the folder `prefix` where that is not NULL. TOOL_OK, or the error is
 * printed. */
int installation_place(struct installation *place, const struct tool_command *command, bool is_user,
                       const char *prefix);

/* The installation that this command is of; false: it is of none. */
bool installation_own(struct installation *place);

/* Absolute paths, in the order in which they were written. */
struct record {
    ARRAY(char *) files;
    ARRAY(char *) folders;
};

/* 0 or -errno. A list that is not there is an empty record. */
int record_read(struct record *record, const char *list);
int record_write(const struct record *record, const char *list);
void record_finish(struct record *record);

bool record_has(const struct record *record, const char *file);
bool record_push_file(struct record *record, const char *file);
bool record_push_folder(struct record *record, const char *folder);

/* Removes the files, and then the folders in which nothing else lies. 0, or -errno with the first file that stays, and
 * all after it. */
int record_remove(const struct record *record, unsigned *count_out, const char **failed_out);

#endif
