/* The files of which an installation is made: where they are, in an unpacked tarball or in a build tree, and where each
 * goes. */
#ifndef TOOLS_PIECES_H
#define TOOLS_PIECES_H

#include <sys/types.h>

#include "tools/installation.h"

struct piece {
    char source[PATH_MAX];  /* empty: a manifest, which is written for its place */
    char target[PATH_MAX];  /* absolute */
    char library[PATH_MAX]; /* of a manifest: the driver, as it names it */
    mode_t mode;
};

struct pieces {
    ARRAY(struct piece) list;
};

/* False: the error is printed. */
bool pieces_find(struct pieces *pieces, const struct installation *place, const struct tool_command *command);

/* The manifest by which programs find the driver. */
const struct piece *pieces_manifest(const struct pieces *pieces);

#endif
