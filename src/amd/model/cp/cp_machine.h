/* The processor of one ring: a machine that fetches packets from indirect buffers and executes them one after the
 * other. Shared by cp_*.c, engine_cp.c and sdma_*.c (the DMA engine's rings have another packet format, but the same
 * buffers, ends and memory), and private to them.
 *
 * The hardware's graphics ring has two processors, PFP and ME, of which the first runs ahead. Here they are one, in
 * order, and a packet's work is finished and in memory when the next one starts. That is one of the orders that the
 * hardware may take, except in one point: a stream that leaves out PFP_SYNC_ME works here and might read old data
 * there. */
#ifndef AMD_MODEL_CP_MACHINE_H
#define AMD_MODEL_CP_MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/packets.h"
#include "amd/hw/table.h"
#include "amd/model/cp/cp_perf.h"
#include "amd/model/cp/engine.h"
#include "amd/model/ge/ge_draw.h"
#include "amd/model/registers.h"
#include "amd/model/sq/sq_gds.h"
#include "model/memory.h"
#include "util/strbuf.h"

struct coherence;
struct coherence_actor;
struct cp_machine;
struct ge;
struct spi;
struct workers;

#define CP_MAX_PACKET_DW 0x4001
#define CP_GDS_SIZE_B 0x10000

/* A buffer that the kernel gave, and one that a packet of it calls; the processors of compute rings have no second
 * level. */
#define CP_MAX_DEPTH 2

/* State that all rings of a device share. */
struct cp_device {
    const struct amd_chip *chip;
    const struct drm_engine_host *host;
    struct workers *workers;
    struct spi *spi;
    struct ge *ge;
    struct coherence *coherence; /* NULL: nothing is looked at */
    uint8_t gds[CP_GDS_SIZE_B] __attribute__((aligned(8)));
    sq_gws gws[SQ_GWS_COUNT];
    _Atomic uint64_t progress[AMD_RING_KIND_COUNT][AMD_MAX_RINGS]; /* each written by its ring alone */

    /* The tables of the chip's generation in the form that the packet loop wants; amd_cp_device_prepare makes it. */
    struct cp_packet_rule {
        const struct hw_packet *packet; /* NULL: unknown */
        bool (*handler)(struct cp_machine *m);
        uint8_t rings; /* enum cp_rings */
        bool has_stop_fields;
        bool passes_draws;  /* it need not wait for pixels of draws before it */
        bool shares_opcode; /* with another packet: the length decides, and this row does not count */
    } packets[256];
    struct cp_reg_rule {
        /* a write is accepted when its value under the mask is this one; mask 0 and value 1: never */
        uint32_t mask, value;
    } registers[CP_REG_COUNT];
};

void amd_cp_device_prepare(struct cp_device *device);

struct cp_buffer {
    uint64_t va;
    uint32_t size_dw;
    uint32_t at_dw; /* of the next packet */
};

/* Why a job ends early. */
struct cp_error {
    int code; /* of drm_engine_result; 0: none */
    struct strbuf text;
};

/* Where in the job a packet stands. */
struct cp_place {
    uint32_t ib, depth, packet_at_dw;
    struct cp_buffer stack[CP_MAX_DEPTH];
};

struct cp_machine {
    struct cp_device *device;
    enum amd_gfx gfx;
    enum amd_ring_kind ring_kind;
    uint32_t ring;

    /* the ring's state: stays from job to job */
    struct cp_registers registers;
    struct cp_counters counters;
    struct cp_perf perf;
    const struct drm_engine_context *context; /* whose job ran last */
    uint64_t indirect_base_va;                /* SET_BASE */
    uint64_t task_control_va;                 /* of the ring between task and mesh shaders; 0: none yet */
    uint64_t index_base_va;
    uint32_t index_buffer_size; /* indices */
    uint64_t atomic_return;

    /* of the job */
    struct drm_engine_job *job;
    const struct amd_engine_work *work;
    const struct gpu_space *space;
    uint32_t ib; /* number of the job's buffer */
    struct cp_buffer stack[CP_MAX_DEPTH];
    uint32_t depth;
    uint32_t jumps; /* calls and chains so far */
    bool predicate_active;
    bool predicate_skips; /* packets whose header asks for it */
    struct cp_error error;
    bool has_draws; /* whose pixels may not be there yet */
    uint64_t draw_number;
    struct cp_place draw_places[GE_DRAWS_BEFORE];

    /* caches, as docs/coherence.md has them */
    struct coherence_actor *actor; /* the ring; NULL: nothing is looked at */
    uint32_t job_number;
    struct strbuf incoherence; /* of the job; empty: none was found */

    /* the packet in hand */
    uint32_t packet_at_dw; /* in the innermost buffer */
    uint32_t length_dw;
    uint32_t dw[CP_MAX_PACKET_DW + 1]; /* of the DMA engine: without the tail */
    struct coherence_actor *accessor;  /* whose accesses to memory come; NULL: they are not looked at */
    uint8_t reader, writer;            /* enum amd_client */

    struct drm_ring *thread; /* where waits sleep */
};

/* Execute the packet in hand. False: the job ends, machine->error says why. */
typedef bool (*cp_handler)(struct cp_machine *m);

/* The rings that know a packet: one bit per enum amd_ring_kind. */
enum cp_rings {
    CP_RINGS_GFX = 1 << AMD_RING_GFX,
    CP_RINGS_COMPUTE = 1 << AMD_RING_COMPUTE,
    CP_RINGS_ANY = CP_RINGS_GFX | CP_RINGS_COMPUTE,
};

/* The handler of a packet of the tables; NULL where there is none. */
cp_handler amd_cp_handler_find(const struct hw_packet *packet, enum cp_rings *rings_out);

/* Registers, counters and state as they are after a reset of the GPU. */
void amd_cp_machine_reset(struct cp_machine *m);

/* Run a job to its end. Returns the result's error; its text is machine->error.text. */
int amd_cp_machine_run(struct cp_machine *m, struct drm_engine_job *job);

/* Pixels and counters of all draws so far are there, or the job ends by one of them. */
bool amd_cp_finish_draws(struct cp_machine *m);

/* Something got done. */
static inline void cp_progress(struct cp_machine *m)
{
    _Atomic uint64_t *progress = &m->device->progress[m->ring_kind][m->ring];
    atomic_store_explicit(progress, atomic_load_explicit(progress, memory_order_relaxed) + 1, memory_order_relaxed);
}

static inline bool cp_is_killed(const struct cp_machine *m)
{
    return atomic_load_explicit(&m->job->killed, memory_order_relaxed);
}

/* ---- what task shaders need (cp_task.c) of draws and dispatches ---- */

/* A user SGPR by its register's number; with 0 the shader does not want the value. */
bool amd_cp_write_user_sgpr(struct cp_machine *m, uint32_t number, uint32_t value);

/* So many mesh workgroups, which the SGPRs from `size_loc` on tell the shader. */
bool amd_cp_draw_mesh(struct cp_machine *m, const uint32_t size[3], uint32_t size_loc, uint32_t initiator);

/* The workgroups from `first` to before `end`. */
bool amd_cp_dispatch_part(struct cp_machine *m, const uint32_t first[3], const uint32_t end[3], uint32_t initiator);

/* ---- ends (cp_report.c): all return false, so that a handler can return them ---- */

bool amd_cp_unwritten(struct cp_machine *m,
                      uint32_t index); /* strict mode: a register that nothing has written decides something */
bool amd_cp_stop(struct cp_machine *m, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* not implemented */
bool amd_cp_broken(struct cp_machine *m, const char *format, ...)
    __attribute__((format(printf, 2, 3))); /* a wrong stream */
bool amd_cp_fault(struct cp_machine *m, uint64_t va, uint64_t size_B, bool is_write);
bool amd_cp_killed(struct cp_machine *m);
bool amd_cp_incoherent(struct cp_machine *m); /* m->incoherence says why */

struct sq_fault;
bool amd_cp_shader_fault(struct cp_machine *m, const char *stage, uint64_t program_va, uint32_t wave_size,
                         const struct sq_fault *fault);

/* ---- memory (cp_memory.c): false is a fault, already reported ---- */

bool amd_cp_read(struct cp_machine *m, uint64_t va, void *data, uint64_t size_B);
bool amd_cp_write(struct cp_machine *m, uint64_t va, const void *data, uint64_t size_B);

/* One access as the other rings and the host's processor see it: 4 or 8 bytes, aligned. A load sees what was written
 * before the value that it reads; a store comes after everything before it. */
bool amd_cp_load(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t *value_out);
/* A load of what processors tell each other by: nothing is asked of caches. */
bool amd_cp_look(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t *value_out);
bool amd_cp_store(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t value);

/* Any number of bytes. Overlapping ranges are copied from their beginning on, a block at a time. */
bool amd_cp_copy(struct cp_machine *m, uint64_t dst_va, uint64_t src_va, uint64_t size_B);
bool amd_cp_fill(struct cp_machine *m, uint64_t va, uint32_t pattern, uint64_t size_B);

/* Sleep until the dword under the mask stands in that relation (enum amd_CP_FUNCTION) to the reference (cp_sync.c). */
bool amd_cp_wait_memory(struct cp_machine *m, unsigned function, uint64_t va, uint32_t reference, uint32_t mask);

/* The on-chip memory that the job's context has; addresses count from its beginning. */
struct sq_gds amd_cp_shader_gds(struct cp_machine *m);
bool amd_cp_gds_copy_out(struct cp_machine *m, uint64_t va, uint64_t offset_B, uint64_t size_B);

/* ---- coherence (cp_coherence.c): only where m->actor is set, but for the first ---- */

bool amd_cp_coherence_begin(struct cp_machine *m); /* of a job, where the device has it; false: no memory */
void amd_cp_coherence_end(struct cp_machine *m, bool is_ok);
void amd_cp_coherence_mem_sync(struct cp_machine *m); /* the kernel's, before a buffer */
void amd_cp_coherence_packet(struct cp_machine *m);
void amd_cp_coherence_front(struct cp_machine *m); /* the packet's reads are those of the front */

/* The packet starts something beside the ring (enum amd_set). NULL: no memory. */
struct coherence_actor *amd_cp_coherence_issue(struct cp_machine *m, unsigned set);

/* An event by its type (enum amd_EVENT_TYPE), as EVENT_WRITE and RELEASE_MEM have it; the packet's accesses are the
 * event's until it ends. */
void amd_cp_coherence_event(struct cp_machine *m, unsigned type);
void amd_cp_coherence_end_event(struct cp_machine *m);

/* A packet's requests to caches below the render backends. */
struct cp_caches {
    bool glm_wb, glm_inv, gl2_wb, gl2_inv, gl1_inv, glv_inv, glk_inv, gli_inv;
};
void amd_cp_coherence_caches(struct cp_machine *m, const struct cp_caches *caches);
void amd_cp_coherence_sync_front(struct cp_machine *m);

/* DMA_DATA: the packet's accesses are the DMA's until it ends; those of memory go around the second level. */
void amd_cp_coherence_dma(struct cp_machine *m, bool reads_memory, bool writes_memory, bool waits_first);
void amd_cp_coherence_end_dma(struct cp_machine *m, bool is_waited);

/* A word is about to be written that somebody may wait for; the ring has waited for one. */
void amd_cp_coherence_release(struct cp_machine *m, uint64_t va, uint32_t size_B, uint64_t value);
void amd_cp_coherence_acquire(struct cp_machine *m, unsigned function, uint64_t va, uint64_t reference, uint64_t mask);
/* Dispatches before have ended. */
void amd_cp_coherence_finish_compute(struct cp_machine *m);

/* ---- registers (cp_registers.c) ---- */

void amd_cp_prepare_registers(struct cp_device *device);
bool amd_cp_write_register(struct cp_machine *m, uint32_t offset_B, uint32_t value);
bool amd_cp_read_register(struct cp_machine *m, uint32_t offset_B, uint32_t *value_out);

/* ---- others ---- */

uint64_t amd_cp_timestamp(const struct amd_chip *chip);

/* The packets that are executed, their handlers, and which rings know them. */
#define CP_HANDLERS(X)                                                                                                 \
    X(NOP, amd_cp_nop, ANY)                                                                                            \
    X(INDIRECT_BUFFER, amd_cp_indirect_buffer, ANY)                                                                    \
    X(COND_EXEC, amd_cp_cond_exec, ANY)                                                                                \
    X(SET_PREDICATION, amd_cp_set_predication, GFX)                                                                    \
    X(SET_BASE, amd_cp_set_base, ANY)                                                                                  \
    X(CLEAR_STATE, amd_cp_clear_state, GFX)                                                                            \
    X(CONTEXT_CONTROL, amd_cp_context_control, GFX)                                                                    \
    X(SET_CONTEXT_REG, amd_cp_set_context_reg, GFX)                                                                    \
    X(SET_SH_REG, amd_cp_set_sh_reg, ANY)                                                                              \
    X(SET_SH_REG_INDEX, amd_cp_set_sh_reg, ANY)                                                                        \
    X(SET_UCONFIG_REG, amd_cp_set_uconfig_reg, ANY)                                                                    \
    X(SET_UCONFIG_REG_INDEX, amd_cp_set_uconfig_reg, ANY)                                                              \
    X(CONTEXT_REG_RMW, amd_cp_context_reg_rmw, GFX)                                                                    \
    X(LOAD_SH_REG_INDEX, amd_cp_load_sh_reg, ANY)                                                                      \
    X(LOAD_UCONFIG_REG_INDEX, amd_cp_load_uconfig_reg, ANY)                                                            \
    X(LOAD_CONTEXT_REG_INDEX, amd_cp_load_context_reg, GFX)                                                            \
    X(PFP_SYNC_ME, amd_cp_pfp_sync_me, GFX)                                                                            \
    X(WAIT_REG_MEM, amd_cp_wait_reg_mem, ANY)                                                                          \
    X(WAIT_REG_MEM64, amd_cp_wait_reg_mem64, ANY)                                                                      \
    X(WRITE_DATA, amd_cp_write_data, ANY)                                                                              \
    X(COPY_DATA, amd_cp_copy_data, ANY)                                                                                \
    X(DMA_DATA, amd_cp_dma_data, ANY)                                                                                  \
    X(ATOMIC_MEM, amd_cp_atomic_mem, ANY)                                                                              \
    X(PRIME_UTCL2, amd_cp_nop, ANY)                                                                                    \
    X(EVENT_WRITE, amd_cp_event_write, ANY)                                                                            \
    X(RELEASE_MEM, amd_cp_release_mem, ANY)                                                                            \
    X(ACQUIRE_MEM, amd_cp_acquire_mem, ANY)                                                                            \
    X(DISPATCH_DIRECT, amd_cp_dispatch_direct, ANY)                                                                    \
    X(DISPATCH_INDIRECT, amd_cp_dispatch_indirect, GFX)                                                                \
    X(DISPATCH_INDIRECT_MEC, amd_cp_dispatch_indirect_mec, COMPUTE)                                                    \
    X(INDEX_BUFFER_SIZE, amd_cp_index_buffer_size, GFX)                                                                \
    X(INDEX_BASE, amd_cp_index_base, GFX)                                                                              \
    X(NUM_INSTANCES, amd_cp_num_instances, GFX)                                                                        \
    X(STRMOUT_BUFFER_UPDATE, amd_cp_strmout_buffer_update, GFX)                                                        \
    X(DRAW_INDEX_2, amd_cp_draw_index_2, GFX)                                                                          \
    X(DRAW_INDEX_AUTO, amd_cp_draw_index_auto, GFX)                                                                    \
    X(DRAW_INDEX_OFFSET_2, amd_cp_draw_index_offset_2, GFX)                                                            \
    X(DRAW_INDIRECT, amd_cp_draw_indirect, GFX)                                                                        \
    X(DRAW_INDEX_INDIRECT, amd_cp_draw_index_indirect, GFX)                                                            \
    X(DISPATCH_TASK_STATE_INIT, amd_cp_dispatch_task_state_init, ANY)                                                  \
    X(DISPATCH_TASKMESH_GFX, amd_cp_dispatch_taskmesh_gfx, GFX)                                                        \
    X(DISPATCH_TASKMESH_DIRECT_ACE, amd_cp_dispatch_taskmesh_direct_ace, COMPUTE)                                      \
    X(DISPATCH_TASKMESH_INDIRECT_MULTI_ACE, amd_cp_dispatch_taskmesh_indirect_multi_ace, COMPUTE)                      \
    X(DISPATCH_MESH_INDIRECT_MULTI, amd_cp_dispatch_mesh_indirect_multi, GFX)                                          \
    X(DRAW_INDIRECT_MULTI, amd_cp_draw_indirect_multi, GFX)                                                            \
    X(DRAW_INDEX_INDIRECT_MULTI, amd_cp_draw_index_indirect_multi, GFX)

#define CP_DECLARE_HANDLER(packet, handler, rings) bool handler(struct cp_machine *m);
CP_HANDLERS(CP_DECLARE_HANDLER)
#undef CP_DECLARE_HANDLER

/* ---- packets of the DMA engine's rings (sdma_machine.c) ---- */

/* Fetch and execute one packet of the innermost buffer. False: the job ends, machine->error says why. */
bool amd_sdma_step(struct cp_machine *m);

/* The length of the packet at an address in dwords, 0 when it cannot be read; after an unknown one everything is its
 * tail. */
uint32_t amd_sdma_packet_length(const struct cp_machine *m, uint64_t va);

/* The packet in hand, unpacked; false (and the job's end) when it is too short. */
#define CP_UNPACK(m, packet, f)                                                                                        \
    (amd_unpack_pkt_##packet((m)->gfx, (m)->dw, (m)->length_dw, (f)) || amd_cp_broken((m), #packet " is too short"))

#endif
