/* The shared part of strict mode's files: the facts of one instruction, and the state of one wave. */
#ifndef AMD_MODEL_SQ_STRICT_INTERNAL_H
#define AMD_MODEL_SQ_STRICT_INTERNAL_H

#include "amd/model/sq/sq_strict.h"
#include "amd/model/sq/sq_workgroup.h"
#include "util/map.h"

/* ---- the facts of one instruction (sq_strict_facts.c) ---- */

enum sq_strict_file {
    SQ_STRICT_VGPR,
    SQ_STRICT_SGPR, /* and the named registers, by their number in sq_wave.sgpr */
};

/* Which lanes of a VGPR an instruction touches. */
enum sq_strict_lanes {
    SQ_STRICT_EXEC,
    SQ_STRICT_ALL,
    SQ_STRICT_FIRST,    /* the first active one */
    SQ_STRICT_SELECTED, /* the one that operand s1 says */
};

/* A register's purpose where it leaves the wave, or decides where the wave goes. */
enum sq_strict_sink {
    SQ_STRICT_NO_SINK,
    SQ_STRICT_ADDRESS,
    SQ_STRICT_DESCRIPTOR,
    SQ_STRICT_DATA, /* to memory that others can see */
    SQ_STRICT_EXPORT,
    SQ_STRICT_TARGET, /* of a jump */
    SQ_STRICT_MESSAGE,
    SQ_STRICT_MODE,
};

/* Registers relative to m0. */
enum sq_strict_relative {
    SQ_STRICT_ABSOLUTE,
    SQ_STRICT_M0,
    SQ_STRICT_M0_LOW,  /* m0[9:0] */
    SQ_STRICT_M0_HIGH, /* m0[25:16] */
};

struct sq_strict_access {
    uint16_t first;
    uint8_t count;
    uint8_t file;     /* enum sq_strict_file */
    uint8_t lanes;    /* enum sq_strict_lanes */
    uint8_t sink;     /* enum sq_strict_sink */
    uint8_t relative; /* enum sq_strict_relative */
    bool is_read : 1;
    bool is_write : 1;
    bool is_data : 1;   /* what a store stores */
    bool is_result : 1; /* written when the instruction's counters say so, not at once */
    bool is_locked : 1; /* read when the instruction's counter says so: must not be overwritten before */
    uint32_t bits;      /* of each dword, those that a sink looks at */
    uint32_t last_bits; /* of the last dword */
};

/* Instructions of one order finish in the order of their issue; nothing is promised between two. */
enum sq_strict_order {
    SQ_STRICT_UNORDERED, /* scalar loads */
    SQ_STRICT_LOAD,      /* vector loads, and atomics that return something */
    SQ_STRICT_STORE,
    SQ_STRICT_LDS,
    SQ_STRICT_GDS,
    SQ_STRICT_MESSAGES,
    SQ_STRICT_COLOR, /* exports of colours, depth, or nothing */
    SQ_STRICT_POSITION,
    SQ_STRICT_PRIMITIVE,
    SQ_STRICT_PARAMETER,
    SQ_STRICT_ORDERS,
};

/* Vector loads count in order, but their results come from units that may overtake each other. */
enum sq_strict_unit {
    SQ_STRICT_NO_UNIT,
    SQ_STRICT_PLAIN,
    SQ_STRICT_SAMPLER,
    SQ_STRICT_RAY,
};

enum sq_strict_image {
    SQ_STRICT_NOTHING, /* no image in the shadows */
    SQ_STRICT_MIRROR,  /* the shadows execute it, too */
    SQ_STRICT_COPY,    /* the shadows get the results from the wave */
    SQ_STRICT_FLAT,    /* the lanes that go to LDS are executed, the others copied */
};

#define SQ_STRICT_MAX_ACCESSES 24

struct sq_strict_facts {
    const struct isa_inst *inst;
    const struct isa_op_info *info;
    uint8_t count;
    uint8_t counters; /* enum isa_counter */
    uint8_t order;    /* enum sq_strict_order */
    uint8_t unit;     /* enum sq_strict_unit */
    uint8_t image;    /* enum sq_strict_image */
    uint8_t hazards;  /* enum isa_hazard */
    uint8_t wait_states;
    bool writes_exec;
    bool is_lds;         /* reads or writes words of LDS: */
    uint8_t lds_size_B;  /* so many at each place, */
    uint16_t lds_step_B; /* and in what unit the two offsets of two places are; 0: one place */
    struct sq_strict_access accesses[SQ_STRICT_MAX_ACCESSES];
};

/* Fill in what can be known before execution. */
void amd_sq_strict_find_facts(struct sq_strict_facts *facts, const struct isa_inst *inst, uint32_t lanes);

/* ---- the state of one wave ---- */

#define SQ_STRICT_SHADOWS 2
#define SQ_STRICT_PENDING 256 /* more than all counters together can count */
#define SQ_STRICT_RANGES 5    /* four sources of an export, and exec */
#define SQ_STRICT_ROWS (256 + 16)
#define SQ_STRICT_BARRIERS 64
#define SQ_STRICT_LOADED (4 * LANES_MAX) /* dwords that one load of private memory brings */

struct sq_strict_range {
    uint16_t first;
    uint8_t count;
    uint8_t file;
};

/* An instruction that may not have finished. */
struct sq_strict_pending {
    uint32_t serial;
    uint64_t pc;
    uint64_t lanes; /* active when it was issued */
    uint8_t raised; /* counters that it may still hold up */
    uint8_t needed; /* of these, the ones that tell when the registers are free */
    uint8_t order;  /* enum sq_strict_order */
    uint8_t unit;   /* enum sq_strict_unit */
    bool is_lock;   /* the ranges are sources */
    uint8_t range_count;
    struct sq_strict_range ranges[SQ_STRICT_RANGES];
};

struct sq_strict {
    struct sq_strict_group *group;
    struct sq_wave *shadow[SQ_STRICT_SHADOWS];
    uint32_t index; /* of the wave in its group */
    uint32_t rows;  /* VGPRs that it was given */
    bool begun;     /* the hardware's initial values are known */

    uint32_t serial;
    uint32_t
        sent; /* the last instruction that has read its registers for certain: it is on its way in the order of LDS */
    uint32_t pending_count;
    struct sq_strict_pending pending[SQ_STRICT_PENDING]; /* oldest first */
    uint8_t busy_vgpr[SQ_STRICT_ROWS];                   /* how many pending instructions name it, at most 255 */
    uint8_t busy_sgpr[SQ_REGISTERS];

    uint32_t barriers; /* that it has come to */
    uint32_t
        finished[SQ_STRICT_BARRIERS]; /* at each of the last ones: the LDS instruction up to which all had finished */

    uint32_t private_count;                         /* entries of both */
    struct map64 private_memory[SQ_STRICT_SHADOWS]; /* dword -> the bits that differ */

    uint32_t since_fp_atomic; /* wait states */
    bool wrote_exec;          /* the instruction before this one, on the scalar side … */
    uint64_t exec_before;     /* … when exec was this */

    /* Never written: what the report names as the likely cause. */
    uint64_t unwritten_vgpr[SQ_STRICT_ROWS]; /* a bit a lane */
    bool unwritten_sgpr[SQ_REGISTERS];
    bool has_suspect;
    struct sq_strict_range suspect;
    uint64_t suspect_pc;
};

/* The last writer of a word of LDS. */
struct sq_strict_writer {
    uint32_t serial;   /* 0: none */
    uint32_t barriers; /* that the wave had come to */
    uint32_t wave;
};

struct sq_strict_group {
    struct sq_strict *waves[SQ_MAX_WAVES];
    uint8_t *lds[SQ_STRICT_SHADOWS];
    struct sq_strict_writer *writers; /* one a dword of LDS */
    bool is_wgp_mode;
};

static inline uint64_t sq_strict_pc(const struct sq_uop *uop)
{
    return uop->next_va - uop->inst->size_dw * 4u;
}

/* The lanes that an access touches, and its first register. False: none that the wave has. */
bool amd_sq_strict_resolve(const struct sq_wave *wave, const struct sq_strict_facts *facts,
                           const struct sq_strict_access *access, uint32_t *first_out, uint64_t *lanes_out);

/* "v12", "s3", "vcc_lo" */
void amd_sq_strict_name(char *text, size_t size_B, unsigned file, unsigned index);

/* Stop the wave; the text is as printf's. */
void amd_sq_strict_fault(struct sq_wave *wave, const struct sq_uop *uop, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- results on their way, hazards (sq_strict_pending.c) ---- */

void amd_sq_strict_check_pending(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts);
void amd_sq_strict_check_hazards(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts);
void amd_sq_strict_check_lds(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts);

/* Count the instruction, which is about to be executed. */
void amd_sq_strict_issue(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts);

/* ---- what nothing has written (sq_strict_shadow.c) ---- */

void amd_sq_strict_fill_garbage(struct sq_wave *wave);
void amd_sq_strict_begin_shadows(struct sq_wave *wave);
void amd_sq_strict_check_sinks(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts);

/* Private memory (sq_strict_private.c); `main` is the instruction's own micro-operation. */
bool amd_sq_strict_is_private(const struct sq_wave *wave, const struct sq_strict_facts *facts);
void amd_sq_strict_store_private(struct sq_wave *wave, const struct sq_uop *main, const struct sq_strict_facts *facts);
void amd_sq_strict_load_private(struct sq_wave *wave, const struct sq_uop *main, const struct sq_strict_facts *facts,
                                uint32_t (*differs_out)[SQ_STRICT_LOADED]);

/* Micro-operations after an instruction: imm is how many micro-operations it has, target_va its facts. */
void amd_sq_strict_mirror(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_strict_copy(struct sq_wave *wave, const struct sq_uop *uop);
void amd_sq_strict_flat(struct sq_wave *wave, const struct sq_uop *uop);

#endif
