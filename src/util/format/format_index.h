/* For the generated tables of this folder: where a format's row stands. */
#ifndef UTIL_FORMAT_FORMAT_INDEX_H
#define UTIL_FORMAT_FORMAT_INDEX_H

#include "util/format/format.h"

/* format_count for a number that is not a format. */
unsigned format_index(enum format format);

#endif
