/* The rig of the command processor's tests: an engine of its own with one address space and one buffer, and streams
 * written word by word through the hardware tables' packers. */
#ifndef AMD_MODEL_TESTS_CP_RIG_H
#define AMD_MODEL_TESTS_CP_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/packets.h"
#include "amd/model/cp/engine.h"
#include "model/drm/tests/engine_stream.h"

#define RIG_GFX AMD_GFX10_3
#define RIG_VA 0xffff800000000000ull /* the buffer: 1 MiB in the high range */
#define RIG_UNMAPPED_VA (RIG_VA + 0x4000000)

extern struct amd_engine_partition rig_gds_B; /* of the next jobs */

int rig_setup(void **state);

void rig_submit(struct rig *rig, struct rig_job *job, enum amd_ring_kind kind, const struct stream *s);

/* Run one stream to its end; the error, which rig->error and rig->report keep. */
int rig_run(struct rig *rig, enum amd_ring_kind kind, const struct stream *s);
#define rig_run_gfx(rig, s) rig_run(rig, AMD_RING_GFX, s)
#define rig_run_compute(rig, s) rig_run(rig, AMD_RING_COMPUTE, s)

/* PUT(&s, WRITE_DATA, .DST_SEL = …): append a packet. */
#define PUT(s, packet, ...)                                                                                            \
    ((s)->count += amd_pack_pkt_##packet(RIG_GFX, (s)->dw + (s)->count, &(const struct amd_pkt_##packet){__VA_ARGS__}))

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
