/* Where the time of a model's threads goes (`tuff run --stat`, docs/stat.md): each thread is in one class at a time,
 * which is a stage of the GPU and a kind of work, or a wait, and the time is added to the class that a thread leaves.
 * Text comes at the end of the process.
 *
 * While it is off, which is decided when the library is loaded, every function here is a look at one byte. None belongs
 * into code that runs once for a pixel, a vertex or an instruction.
 *
 * Not for: what an API's commands cost; the text says how many submissions, draws and dispatches there were. */
#ifndef MODEL_STAT_H
#define MODEL_STAT_H

#include <stdbool.h>
#include <stdint.h>

enum stat_stage {
    STAT_COMMANDS, /* the command processor, and what it makes of registers */
    STAT_VERTICES, /* indices, vertex waves, assembly and clipping */
    STAT_RASTER,   /* binning, coverage, depth before the shader */
    STAT_PIXELS,   /* pixel waves and what becomes of their colours */
    STAT_COMPUTE,
    STAT_COPIES, /* DMA, blits, fills */
    STAT_STAGE_COUNT,
};

enum stat_work {
    STAT_FIXED,    /* what no shader does */
    STAT_WAVES,    /* shaders, instruction by instruction */
    STAT_HOST,     /* shaders as host code */
    STAT_TEXTURES, /* image instructions of shaders */
    STAT_MAKING,   /* decoding of programs, host code while it is made */
    STAT_WORK_COUNT,
};

/* A class: one of these waits, or stat_class(). */
enum {
    STAT_IDLE,        /* nothing to do */
    STAT_FOR_WORKERS, /* a ring's thread, for the turns of a job */
    STAT_FOR_MEMORY,  /* a ring's thread, for a value that another ring or the program writes */
    STAT_WAIT_COUNT,
    STAT_CLASS_COUNT = STAT_WAIT_COUNT + STAT_STAGE_COUNT * STAT_WORK_COUNT,
};

enum stat_count {
    STAT_SUBMISSIONS,
    STAT_DRAWS,
    STAT_DISPATCHES,
    STAT_TILE_LOADS_B,  /* bytes from memory into the memory of tiles */
    STAT_TILE_STORES_B, /* and back */
    STAT_COUNT_COUNT,
};

extern __attribute__((visibility("hidden"))) bool stat_is_on;
#define STAT_ON __builtin_expect(stat_is_on, 0)

static inline unsigned stat_class(enum stat_stage stage, enum stat_work work)
{
    return STAT_WAIT_COUNT + (unsigned)stage * STAT_WORK_COUNT + (unsigned)work;
}

/* The calling thread's class becomes another; returns the one that it was. Only while it is on. */
unsigned stat_switch(unsigned to);
/* Changes the kind of work alone; in the stage at hand. */
unsigned stat_switch_work(enum stat_work work);

/* Around a part of a thread's work: `const unsigned before = stat_enter(...); ... stat_leave(before);` */
static inline unsigned stat_enter(enum stat_stage stage)
{
    return STAT_ON ? stat_switch(stat_class(stage, STAT_FIXED)) : 0;
}

static inline unsigned stat_enter_work(enum stat_work work)
{
    return STAT_ON ? stat_switch_work(work) : 0;
}

static inline unsigned stat_enter_wait(unsigned wait)
{
    return STAT_ON ? stat_switch(wait) : 0;
}

static inline void stat_leave(unsigned before)
{
    if (STAT_ON)
        stat_switch(before);
}

void stat_add(enum stat_count what, uint64_t count);
void stat_add_waves(uint64_t count); /* of the stage at hand */

static inline void stat_count(enum stat_count what)
{
    if (STAT_ON)
        stat_add(what, 1);
}

static inline void stat_count_bytes(enum stat_count what, uint64_t bytes)
{
    if (STAT_ON)
        stat_add(what, bytes);
}

static inline void stat_count_waves(uint64_t count)
{
    if (STAT_ON)
        stat_add_waves(count);
}

/* The calling thread's name in the text: "worker 1". Only while it is on. */
void stat_name_thread(const char *kind, unsigned number);
/* The calling thread does what another one, which sleeps, is there for: its time is counted as the other's. Returns
 * whose it was counted as. NULL asks alone. Only while it is on. */
struct stat_thread;
struct stat_thread *stat_stand_in(struct stat_thread *other);

/* ---- for rings and workers, only while it is on ---- */

/* A ring's thread has a job, and has ended it: the time of the GPU is that in which any of them has one. */
void stat_ring_begin(unsigned ring);
void stat_ring_end(void);

/* A job that all workers share, from the moment at which its thread waits for it. */
struct stat_job {
    uint64_t begun; /* ticks */
    _Atomic uint64_t first_turn, last_turn;
    _Atomic uint64_t busy; /* of all workers together */
};

unsigned stat_job_begin(struct stat_job *job); /* returns the caller's class, for stat_job_end */
uint64_t stat_turn_begin(struct stat_job *job, enum stat_stage stage); /* returns the ticks for stat_turn_end */
void stat_turn_end(struct stat_job *job, uint64_t begun);
/* `units`: parts that cannot be shared; 0: as many as one likes. */
void stat_job_end(struct stat_job *job, uint64_t units, unsigned before);

#endif
