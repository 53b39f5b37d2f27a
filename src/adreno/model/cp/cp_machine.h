/* The command processor's machine: fetches packets from indirect buffers and executes them one after the other. Shared
 * by the files of this folder, and private to them.
 *
 * The hardware has a pipelined processor (SQE) with queues to the blocks. Here a packet's work is finished and in
 * memory when the next one starts, which is one of the orders that the hardware may take: waits for idle, for the micro
 * engine and for memory writes have nothing left to wait for. */
#ifndef ADRENO_MODEL_CP_MACHINE_H
#define ADRENO_MODEL_CP_MACHINE_H

#include "adreno/hw/packets.h"
#include "adreno/hw/table.h"
#include "adreno/model/blocks.h"
#include "adreno/model/cp/cp.h"
#include "adreno/model/engine.h"

#define CP_MAX_PACKET_DW (1 + ADRENO_PKT7_MAX_COUNT)

/* Buffers that the ring calls, that those call, and that those call; and a group of draw state within any of them. */
#define CP_MAX_LEVEL 3
#define CP_MAX_DEPTH (CP_MAX_LEVEL + 1)

#define CP_GROUPS 64
#define CP_SCRATCH_COUNT 8

struct cp_buffer {
    uint64_t va;
    uint32_t size_dw;
    uint32_t at_dw; /* of the next packet */
    bool is_group;  /* of draw state */
};

/* A group of draw state. */
struct cp_group {
    uint64_t va;
    uint32_t size_dw;
    uint32_t passes; /* bit of enum adreno_pass */
};

enum cp_reg_rule {
    CP_REG_REFUSED, /* unknown, protected, or one that the model stops at */
    CP_REG_PLAIN,
    CP_REG_SPECIAL, /* its write does something: special_write() */
};

/* Strict mode (cp_strict.c): the caches of colours and depths (CCU), whose place in GMEM RB_CCU_CNTL chooses. */
struct cp_strict {
    bool is_on;
    bool is_busy;                   /* something was started since the last wait for idle */
    bool has_data[2], has_lines[2]; /* of colour, of depth: not flushed, not invalidated since they were used */
};

struct adreno_cp {
    struct adreno_gpu *gpu;

    /* State that stays from job to job. */
    struct cp_group groups[CP_GROUPS];
    uint64_t groups_enabled, groups_dirty; /* bit masks; dirty: not executed since they were set */
    enum adreno_pass pass;                 /* CP_SET_MARKER */
    bool ignores_visibility;               /* CP_SET_VISIBILITY_OVERRIDE */
    bool has_bin;
    struct adreno_bin bin;
    uint32_t predicates; /* of CP_REG_TEST */
    bool draw_predicate_global, draw_predicate_local, draw_predicate_passes;
    uint32_t scratch[CP_SCRATCH_COUNT];
    uint32_t job_number; /* counted for reports of coherence.h */
    uint64_t time;       /* of the last read of the counter's low half */
    struct cp_strict strict;

    /* of the job */
    const struct adreno_work *work;
    uint32_t ib; /* number of the job's buffer */
    struct cp_buffer stack[CP_MAX_DEPTH];
    uint32_t depth;
    uint32_t jumps; /* calls and chains so far */
    struct strbuf report;

    /* the packet in hand */
    uint32_t packet_at_dw; /* in the innermost buffer */
    uint32_t length_dw;
    uint8_t reader, writer; /* enum adreno_client of its accesses; set where gpu->coherence is */
    uint32_t dw[CP_MAX_PACKET_DW];

    /* The tables in the form that the loop wants. */
    struct cp_packet_rule {
        const struct hw_packet *packet; /* NULL: unknown */
        bool (*handler)(struct adreno_cp *m);
        bool has_stop_fields;
    } packets[128];
    uint8_t registers[ADRENO_REG_COUNT]; /* enum cp_reg_rule */
    const struct hw_reg **conditional;   /* registers that stop a draw unless they have one value */
    unsigned conditional_count;
};

typedef bool (*cp_handler)(struct adreno_cp *m);

/* Run a group of draw state inside the packet in hand, whose words are lost (cp_machine.c). */
bool adreno_cp_run_group(struct adreno_cp *m, const struct cp_group *group);

/* ---- ends: all return false, so that a handler can return them ---- */

#define CP_STOP(m, ...) adreno_stop((m)->gpu, ADRENO_STOP_UNIMPLEMENTED, __VA_ARGS__)
#define CP_BROKEN(m, ...) adreno_stop((m)->gpu, ADRENO_STOP_BROKEN, __VA_ARGS__)
#define CP_KILLED(m) adreno_stop((m)->gpu, ADRENO_STOP_KILLED, "killed here")

/* Put the place in the stream around the text of a stop (cp_report.c). */
void adreno_cp_describe_stop(struct adreno_cp *m);

/* ---- strict mode (cp_strict.c): nothing is reported where it is off ---- */

/* A draw, a blit or a resolve uses the CCUs; an event. */
void adreno_cp_strict_use_ccu(struct adreno_cp *m);
void adreno_cp_strict_event(struct adreno_cp *m, unsigned event);
/* RB_CCU_CNTL is about to be written. False: stopped. */
bool adreno_cp_strict_ccu_cntl(struct adreno_cp *m, uint32_t value);
/* A bin begins: GMEM holds nothing of it. */
void adreno_cp_strict_begin_bin(struct adreno_cp *m);

/* ---- memory (cp_memory.c): false is a fault ---- */

bool adreno_cp_read(struct adreno_cp *m, uint64_t va, void *data, uint64_t size_B);

/* One access as other devices and the host's processor see it: 4 or 8 bytes. A load sees what was written before the
 * value that it reads; a store comes after everything before it. */
bool adreno_cp_load(struct adreno_cp *m, uint64_t va, uint32_t size_B, uint64_t *value_out);
bool adreno_cp_store(struct adreno_cp *m, uint64_t va, uint32_t size_B, uint64_t value);

/* ---- registers (cp_registers.c) ---- */

bool adreno_cp_prepare_registers(struct adreno_cp *m); /* false: no memory */
bool adreno_cp_write_register(struct adreno_cp *m, uint32_t reg, uint32_t value);
bool adreno_cp_write_registers(struct adreno_cp *m, uint32_t reg, const uint32_t *values, uint32_t count);
bool adreno_cp_read_register(struct adreno_cp *m, uint32_t reg, uint32_t *value_out);
/* The registers that a draw must not find with another value than the one that is allowed. */
bool adreno_cp_check_draw_registers(struct adreno_cp *m);
/* A write by the processor itself, which no policy holds for. */
void adreno_cp_set_register(struct adreno_cp *m, uint32_t reg, uint32_t value);

/* ---- coherence (cp_coherence.c): only where gpu->coherence is set ---- */

void adreno_cp_coherence_begin(struct adreno_cp *m);
bool adreno_cp_coherence_end(struct adreno_cp *m); /* false: stopped */
/* The packet at hand is what accesses belong to from here on. */
void adreno_cp_coherence_packet(struct adreno_cp *m);
/* False: the event is left out. */
bool adreno_cp_coherence_event(struct adreno_cp *m, unsigned event);
/* The packet at hand waits for the processor's own writes. */
void adreno_cp_coherence_own_wait(struct adreno_cp *m);
/* SP_UPDATE_CNTL is written. */
void adreno_cp_coherence_update(struct adreno_cp *m, uint32_t value);

/* ---- others ---- */

/* Does `value` stand in this relation (enum adreno_COND_FUNCTION) to the reference? (cp_sync.c) */
bool adreno_cp_compare(struct adreno_cp *m, unsigned function, bool is_signed, uint32_t value, uint32_t reference,
                       bool *result_out);
/* The word that CP_WAIT_REG_MEM and CP_COND_WRITE5 poll, by its source: enum adreno_POLL. */
bool adreno_cp_poll(struct adreno_cp *m, unsigned source, uint64_t address, uint32_t *value_out);

/* Before a draw: execute the groups of state that are due in this pass (cp_state.c). */
bool adreno_cp_apply_groups(struct adreno_cp *m);

/* The packets that are executed, and their handlers. */
#define CP_HANDLERS(X)                                                                                                 \
    X(CP_NOP, adreno_cp_nop)                                                                                           \
    X(CP_INDIRECT_BUFFER, adreno_cp_indirect_buffer)                                                                   \
    X(CP_INDIRECT_BUFFER_PFD, adreno_cp_indirect_buffer)                                                               \
    X(CP_INDIRECT_BUFFER_CHAIN, adreno_cp_indirect_buffer_chain)                                                       \
    X(CP_COND_EXEC, adreno_cp_cond_exec)                                                                               \
    X(CP_COND_REG_EXEC, adreno_cp_cond_reg_exec)                                                                       \
    X(CP_REG_TEST, adreno_cp_reg_test)                                                                                 \
    X(CP_DRAW_PRED_ENABLE_GLOBAL, adreno_cp_draw_pred_enable_global)                                                   \
    X(CP_DRAW_PRED_ENABLE_LOCAL, adreno_cp_draw_pred_enable_local)                                                     \
    X(CP_DRAW_PRED_SET, adreno_cp_draw_pred_set)                                                                       \
    X(CP_SKIP_IB2_ENABLE_GLOBAL, adreno_cp_nop)                                                                        \
    X(CP_SKIP_IB2_ENABLE_LOCAL, adreno_cp_nop)                                                                         \
    X(CP_SET_MARKER, adreno_cp_set_marker)                                                                             \
    X(CP_SET_SUBDRAW_SIZE, adreno_cp_set_subdraw_size)                                                                 \
    X(CP_SET_MODE, adreno_cp_nop)                                                                                      \
    X(CP_SET_VISIBILITY_OVERRIDE, adreno_cp_set_visibility_override)                                                   \
    X(CP_SET_BIN_DATA5, adreno_cp_set_bin_data5)                                                                       \
    X(CP_SET_BIN_DATA5_OFFSET, adreno_cp_set_bin_data5_offset)                                                         \
    X(CP_SET_PSEUDO_REG, adreno_cp_set_pseudo_reg)                                                                     \
    X(CP_SET_AMBLE, adreno_cp_set_amble)                                                                               \
    X(CP_SET_DRAW_STATE, adreno_cp_set_draw_state)                                                                     \
    X(CP_LOAD_STATE6, adreno_cp_load_state6)                                                                           \
    X(CP_LOAD_STATE6_GEOM, adreno_cp_load_state6)                                                                      \
    X(CP_LOAD_STATE6_FRAG, adreno_cp_load_state6)                                                                      \
    X(CP_CONTEXT_REG_BUNCH, adreno_cp_context_reg_bunch)                                                               \
    X(CP_REG_WRITE, adreno_cp_reg_write)                                                                               \
    X(CP_REG_RMW, adreno_cp_reg_rmw)                                                                                   \
    X(CP_REG_TO_SCRATCH, adreno_cp_reg_to_scratch)                                                                     \
    X(CP_SCRATCH_TO_REG, adreno_cp_scratch_to_reg)                                                                     \
    X(CP_SCRATCH_WRITE, adreno_cp_scratch_write)                                                                       \
    X(CP_MEM_WRITE, adreno_cp_mem_write)                                                                               \
    X(CP_MEM_TO_REG, adreno_cp_mem_to_reg)                                                                             \
    X(CP_REG_TO_MEM, adreno_cp_reg_to_mem)                                                                             \
    X(CP_REG_TO_MEM_OFFSET_REG, adreno_cp_reg_to_mem_offset_reg)                                                       \
    X(CP_REG_TO_MEM_OFFSET_MEM, adreno_cp_reg_to_mem_offset_mem)                                                       \
    X(CP_MEM_TO_MEM, adreno_cp_mem_to_mem)                                                                             \
    X(CP_MEMCPY, adreno_cp_memcpy)                                                                                     \
    X(CP_COND_WRITE5, adreno_cp_cond_write5)                                                                           \
    X(CP_WAIT_FOR_IDLE, adreno_cp_wait_for_idle)                                                                       \
    X(CP_WAIT_FOR_ME, adreno_cp_wait)                                                                                  \
    X(CP_WAIT_MEM_WRITES, adreno_cp_wait)                                                                              \
    X(CP_WAIT_REG_MEM, adreno_cp_wait_reg_mem)                                                                         \
    X(CP_WAIT_MEM_GTE, adreno_cp_wait_mem_gte)                                                                         \
    X(CP_WAIT_TWO_REGS, adreno_cp_wait_two_regs)                                                                       \
    X(CP_EVENT_WRITE, adreno_cp_event_write)                                                                           \
    X(CP_DRAW_INDX_OFFSET, adreno_cp_draw_indx_offset)                                                                 \
    X(CP_DRAW_INDIRECT, adreno_cp_draw_indirect)                                                                       \
    X(CP_DRAW_INDX_INDIRECT, adreno_cp_draw_indx_indirect)                                                             \
    X(CP_DRAW_INDIRECT_MULTI, adreno_cp_draw_indirect_multi)                                                           \
    X(CP_DRAW_AUTO, adreno_cp_draw_auto)                                                                               \
    X(CP_EXEC_CS, adreno_cp_exec_cs)                                                                                   \
    X(CP_EXEC_CS_INDIRECT, adreno_cp_exec_cs_indirect)                                                                 \
    X(CP_BLIT, adreno_cp_blit)

#define CP_DECLARE_HANDLER(packet, handler) bool handler(struct adreno_cp *m);
CP_HANDLERS(CP_DECLARE_HANDLER)
#undef CP_DECLARE_HANDLER

/* The packet in hand, unpacked; false (and the job's end) when it is too short. */
#define CP_UNPACK(m, packet, f)                                                                                        \
    (adreno_unpack_pkt_##packet((m)->dw, (m)->length_dw, (f)) || CP_BROKEN((m), #packet " is too short"))

#endif
