/* The rig of the command-stream machine's tests: an engine with groups of one address space and one buffer (rig.c),
 * endpoints that write down how they are called and meet each other where a test asks for it (blocks.c), and streams
 * of words. */
#ifndef MALI_MODEL_CS_TESTS_RIG_H
#define MALI_MODEL_CS_TESTS_RIG_H

#include "mali/hw/instructions.h"
#include "mali/model/blocks.h"
#include "model/drm/tests/engine_rig.h"

#define RIG_VA 0x7f0000000000ull
#define RIG_UNMAPPED_VA (RIG_VA + 0x4000000)

enum rig_call_kind {
    RIG_COMPUTE,
    RIG_IDVS,
    RIG_TILING,
    RIG_FULLSCREEN,
    RIG_FINISH_TILING,
    RIG_FRAGMENT,
    RIG_FREE,
    RIG_INVALIDATE,
};

/* One call of a block. */
struct rig_call {
    enum rig_call_kind kind;
    unsigned queue;
    uint64_t word;
    uint32_t regs[MALI_CS_REGS];
    struct mali_run_draw last;  /* of those that run together */
    uint32_t more_count;
    uint64_t first_va, last_va; /* of RIG_FREE */
    uint64_t marker;            /* the buffer's first 8 bytes as the block found them */
};

#define RIG_MAX_CALLS 64

/* How blocks behave. */
struct rig_blocks {
    struct rig_call calls[RIG_MAX_CALLS];
    _Atomic unsigned call_count;
    /* So many jobs of compute, tiling and fragments each wait until the others have begun. */
    unsigned must_meet;
    _Atomic unsigned met;
    unsigned starvations;    /* chunks that RUN_IDVS asks for */
    uint64_t chunk;          /* what it got last */
    unsigned chunks_left;    /* that the kernel has */
    _Atomic unsigned unused; /* in the heap's own list */
    bool is_slow;            /* between its look at the list and its wait chunks come back */
    bool frees_nothing;
    uint32_t passes_in_flight, passes_tiled; /* as the kernel was told last */
    _Atomic uint32_t flush_id;
};
extern struct rig_blocks rig_blocks;

struct stream {
    uint64_t words[1024];
    uint32_t count;
};

int rig_setup(void **state);

/* Copy a stream into the buffer; its address. */
uint64_t rig_place(struct rig *rig, const struct stream *s);

void rig_submit(struct rig *rig, struct rig_job *job, unsigned group, unsigned queue, const struct stream *s);
/* Run one stream to its end on queue 0; the error, which rig->error and rig->report keep. */
int rig_run(struct rig *rig, const struct stream *s);

/* PUT(&s, MOVE32, .DESTINATION = 3, …): append an instruction. */
#define PUT(s, name, ...) ((s)->words[(s)->count++] = MALI_CS(name, __VA_ARGS__))

/* A register, or a pair. */
void put_set(struct stream *s, unsigned reg, uint32_t value);
void put_set64(struct stream *s, unsigned reg, uint64_t value);
/* A register into the buffer, and a wait for it; uses d90. */
void put_dump(struct stream *s, unsigned reg, uint32_t offset_B);
void put_dump64(struct stream *s, unsigned reg, uint32_t offset_B);
void put_wait(struct stream *s, unsigned mask);
/* CALL of a stream in the buffer; uses d88 and r90. */
void put_call(struct stream *s, uint64_t va, uint32_t count);

#endif
