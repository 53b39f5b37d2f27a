/* What the command processor's tests stand on: an engine of its own with one address space and one buffer, and streams
 * written word by word through the hardware tables' packers. */
#ifndef AMD_MODEL_TESTS_CP_RIG_H
#define AMD_MODEL_TESTS_CP_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/packets.h"
#include "amd/model/cp/engine.h"
#include "model/memory.h"

#define RIG_GFX AMD_GFX10_3
#define RIG_VA 0xffff800000000000ull /* the buffer: 1 MiB in the high range */
#define RIG_SIZE_B (1u << 20)
#define RIG_STREAM_B 0x80000u /* rig_run puts streams from here on */
#define RIG_UNMAPPED_VA (RIG_VA + 0x4000000)

struct rig {
    const struct drm_engine_ops *ops;
    struct drm_engine *engine;
    struct drm_engine_context *context;
    struct gpu_space space;
    int fd;
    uint8_t *map; /* the buffer, as the host sees it */
    struct amd_engine_partition gds_B;
    uint32_t stream_B; /* where the next stream goes */
    int error;         /* of the last job */
    char report[16384];
};

/* Words of a stream. */
struct stream {
    uint32_t dw[4096];
    uint32_t count;
};

/* A job under way. */
struct rig_job {
    struct drm_engine_job base;
    struct amd_engine_ib ib;
    struct amd_engine_work work;
    _Atomic bool done;
    int error;
    char report[16384];
};

int rig_setup(void **state);
int rig_teardown(void **state);

static inline uint32_t *rig_dw(struct rig *rig, uint32_t offset_B)
{
    return (uint32_t *)(rig->map + offset_B);
}

static inline uint64_t *rig_qw(struct rig *rig, uint32_t offset_B)
{
    return (uint64_t *)(rig->map + offset_B);
}

/* Copy a stream into the buffer; its address. */
uint64_t rig_place(struct rig *rig, const struct stream *s);

void rig_submit(struct rig *rig, struct rig_job *job, enum amd_ring_kind kind, const struct stream *s);
void rig_wait(struct rig_job *job);

/* Run one stream to its end; the error, which rig->error and rig->report keep. */
int rig_run(struct rig *rig, enum amd_ring_kind kind, const struct stream *s);
#define rig_run_gfx(rig, s) rig_run(rig, AMD_RING_GFX, s)
#define rig_run_compute(rig, s) rig_run(rig, AMD_RING_COMPUTE, s)

/* PUT(&s, WRITE_DATA, .DST_SEL = …): append a packet. */
#define PUT(s, packet, ...)                                                                                            \
    ((s)->count += amd_pack_pkt_##packet(RIG_GFX, (s)->dw + (s)->count, &(const struct amd_pkt_##packet){__VA_ARGS__}))

/* Append plain words. */
void put_words(struct stream *s, const uint32_t *words, uint32_t count);
#define PUT_WORDS(s, ...)                                                                                              \
    put_words(s, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* Registers by byte offset. */
void put_sh(struct stream *s, uint32_t offset_B, uint32_t value);
void put_context(struct stream *s, uint32_t offset_B, uint32_t value);
void put_uconfig(struct stream *s, uint32_t offset_B, uint32_t value);

/* One dword written to, and a register read back into, the buffer. */
void put_store(struct stream *s, uint32_t offset_B, uint32_t value);
void put_read_register(struct stream *s, uint32_t reg_offset_B, uint32_t offset_B);

/* State of a compute program at an offset of the buffer, one user SGPR pair with the address `data_va`, then group x.
 */
void put_program(struct stream *s, uint64_t program_va, uint64_t data_va, uint32_t threads);

#endif
