/* Streams that RADV submitted, as text, scene by scene. */
#ifndef RADV_CAPTURE_H
#define RADV_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/strbuf.h"

#define MAX_SCENES 64

struct scene {
    const char *name;
    struct strbuf text;
    struct strbuf problems; /* what the decoder could not make out, a line each */
    unsigned streams;
};

extern struct scene scenes[MAX_SCENES];
extern unsigned scene_count;

/* The row of chips.table that the kernel describes. */
extern const char *capture_chip;

/* Submissions from now on belong to this scene. */
void capture_scene(const char *name);

/* Plays the scenes on the driver in `library`. Returns NULL or what went wrong. */
const char *record_scenes(const char *library);

#endif
