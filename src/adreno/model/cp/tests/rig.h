/* The rig of the command processor's tests: an engine with one address space and one buffer (rig.c), blocks that
 * only write down how they are called (blocks.c), and streams made by the packers of the hardware tables. A fuzzer
 * takes the real blocks. */
#ifndef ADRENO_MODEL_CP_TESTS_RIG_H
#define ADRENO_MODEL_CP_TESTS_RIG_H

#include "adreno/hw/packets.h"
#include "adreno/model/blocks.h"
#include "adreno/model/engine.h"
#include "model/drm/tests/engine_stream.h"

#define RIG_VA 0x100000000ull
#define RIG_UNMAPPED_VA (RIG_VA + 0x4000000)

enum rig_call_kind {
    RIG_LOAD_STATE,
    RIG_DISPATCH,
    RIG_DRAW,
    RIG_DRAWS_FINISH, /* of draws that wait: while rig_keeps_draws */
    RIG_BINNING_START,
    RIG_BINNING_END,
    RIG_LRZ_CLEAR,
    RIG_RESOLVE,
    RIG_BLIT_2D,
};

/* One call of a block, and some registers as it found them. */
struct rig_call {
    enum rig_call_kind kind;
    struct adreno_draw draw;
    struct adreno_bin bin; /* of draw.bin */
    struct adreno_dispatch dispatch;
    struct adreno_pkt_CP_LOAD_STATE6 load;
    uint32_t load_data[8];
    uint32_t load_data_dw;
    uint32_t vertex_offset, instance_offset, global_size[3];
    uint32_t marker; /* RB_BLEND_CONSTANT_RED_FP32: tests put something there */
};

#define RIG_MAX_CALLS 64

/* Requests to the blocks since the last rig_run began. */
extern struct rig_call rig_calls[RIG_MAX_CALLS];
extern unsigned rig_call_count;
extern bool rig_keeps_draws;
extern struct adreno_counters *rig_counters; /* of the GPU, once it is there */

int rig_setup(void **state);

void rig_submit(struct rig *rig, struct rig_job *job, const struct stream *s);
/* Run one stream to its end; the error, which rig->error and rig->report keep. */
int rig_run(struct rig *rig, const struct stream *s);

/* PUT(&s, CP_MEM_WRITE, .ADDR = …): append a packet. */
#define PUT(s, packet, ...)                                                                                            \
    ((s)->count += adreno_pack_pkt_##packet((s)->dw + (s)->count, &(const struct adreno_pkt_##packet){__VA_ARGS__}))

void put_reg(struct stream *s, uint32_t reg, uint32_t value);
void put_reg64(struct stream *s, uint32_t reg, uint64_t value);
void put_store(struct stream *s, uint32_t offset_B, uint32_t value);
/* A register into the buffer. */
void put_read(struct stream *s, uint32_t reg, uint32_t offset_B);
/* A draw of three vertices without indices. */
void put_draw(struct stream *s);
/* One group of draw state: `flags` are bits of the packet's first dword. */
void put_group(struct stream *s, unsigned group, uint32_t flags, uint64_t va, uint32_t size_dw);

#endif
