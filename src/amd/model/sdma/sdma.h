/* The system DMA engine: copies between linear and tiled memory, fills, fences and waits, on rings of its own. Its
 * packets are not PM4; buffers, faults, kills and reports are those of the command processor's machine, which runs it.
 * One engine here does one packet after the other: its work is in memory when the next starts. */
#ifndef AMD_MODEL_SDMA_H
#define AMD_MODEL_SDMA_H

#include "amd/hw/sdma.h"
#include "amd/model/cp/cp_machine.h"

/* The handler of a packet of the table; NULL where there is none. */
cp_handler amd_sdma_handler_find(const struct hw_packet *packet);

/* The packets that are executed, and their handlers. */
#define SDMA_HANDLERS(X)                                                                                               \
    X(NOP, amd_cp_nop)                                                                                                 \
    X(TRAP, amd_cp_nop)                                                                                                \
    X(COPY_LINEAR, amd_sdma_copy_linear)                                                                               \
    X(COPY_LINEAR_SUB_WINDOW, amd_sdma_copy_linear_sub_window)                                                         \
    X(COPY_TILED_SUB_WINDOW, amd_sdma_copy_tiled_sub_window)                                                           \
    X(WRITE, amd_sdma_write)                                                                                           \
    X(CONSTANT_FILL, amd_sdma_constant_fill)                                                                           \
    X(FENCE, amd_sdma_fence)                                                                                           \
    X(POLL_REGMEM, amd_sdma_poll_regmem)                                                                               \
    X(TIMESTAMP_GET_GLOBAL, amd_sdma_timestamp_get_global)

#define SDMA_DECLARE_HANDLER(packet, handler) bool handler(struct cp_machine *m);
SDMA_HANDLERS(SDMA_DECLARE_HANDLER)
#undef SDMA_DECLARE_HANDLER

/* The packet in hand, unpacked; false (and the job's end) when it is too short. */
#define SDMA_UNPACK(m, packet, f)                                                                                      \
    (amd_unpack_sdma_##packet((m)->gfx, (m)->dw, (m)->length_dw, (f)) || amd_cp_broken((m), #packet " is too short"))

#endif
