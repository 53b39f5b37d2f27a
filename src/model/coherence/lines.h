/* The lines of an address space: which bytes of a line were written last by which client, through which view and by
 * which command. A tree of three levels over 48 bits of address, of which only what is written has memory; finding a
 * page takes no lock, and each page has its own.
 *
 * A line has room for a few writes whose bytes are different. Where there are more the oldest is forgotten, and its
 * bytes count as seen by all until they are written again: no error comes of it, but one may be missed. */
#ifndef MODEL_COHERENCE_LINES_H
#define MODEL_COHERENCE_LINES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/coherence/coherence.h"

#define LINES_PAGE_SHIFT 12
#define LINES_PER_PAGE ((1u << LINES_PAGE_SHIFT) / COHERENCE_LINE_B)
#define LINES_WRITES 4

struct line_write {
    uint64_t bytes;    /* one bit each; 0: unused */
    uint64_t time;     /* of the command */
    uint16_t timeline; /* of its set */
    uint16_t view;
    uint8_t client;
};

struct line {
    struct line_write writes[LINES_WRITES];
    uint64_t forgotten; /* bytes that were written by something that is no longer here */
};

struct line_page {
    pthread_mutex_t lock;
    struct line lines[LINES_PER_PAGE];
};

struct lines;

struct lines *lines_create(void); /* NULL: no memory */
void lines_destroy(struct lines *lines);

/* The page of an address, NULL where nothing was written. Addresses above 2^48 count by their lower 48 bits. */
struct line_page *lines_find(const struct lines *lines, uint64_t va);
/* The page, made where there is none. NULL: there is no memory. */
struct line_page *lines_open(struct lines *lines, uint64_t va);

/* Bytes of a line now come from this write. The page is locked. */
void line_put(struct line *line, const struct line_write *write);

#endif
