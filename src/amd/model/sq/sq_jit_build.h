/* How a run is lowered: the state while its lane program is written, and the operations that generated code
 * (gen_jit.py) writes it with. */
#ifndef AMD_MODEL_SQ_JIT_BUILD_H
#define AMD_MODEL_SQ_JIT_BUILD_H

#include "amd/model/sq/sq_alu.h"
#include "model/exec/rows.h"
#include "model/exec/run.h"

#define SQ_JIT_ROWS (2 * SQ_TEMPS + 256 + 16) /* temporaries, in wave32 twice as many, then VGPRs */
_Static_assert(SQ_JIT_ROWS <= EXEC_ROWS_MAX, "all rows of a wave");

/* Memory that host code reads or writes: the workgroup's, the wave itself with its rows, or a buffer by its
 * descriptor. */
struct sq_jit_view {
    bool is_shared, is_wave, is_written;
    sq_place words, soffset;
    uint32_t size_B; /* that are in range at once: of the workgroup's memory a lane's access, of a buffer a dword */
    /* Not 0: each access lies in one piece of so many bytes, so it is good as a whole if the end is between two of
     * them. */
    uint32_t piece_B;
    uint32_t apart; /* of one that is written: views, as bits, whose memory must be other memory */

    /* The findings for a descriptor, and their time (gpu_space_changes). */
    bool is_known;
    uint32_t changes;
    uint32_t found_words[4];
    const uint8_t *host; /* NULL: such a buffer is not for host code */
};

#define SQ_JIT_LANE_READS 8

/* One load or store of a part of a whole program (sq_whole.h): what lanes may meet at. */
#define SQ_JIT_ACCESSES 24
struct sq_jit_access {
    uint32_t view;
    jit_value row; /* JIT_NONE: the same offset in all lanes */
    uint32_t imm, size_B;
};

/* A channel of an attribute that a run interpolates: its rows are filled before the code runs. */
struct sq_jit_attribute {
    const struct sq_uop *uop;
    uint32_t first_row; /* of those that the instruction looks at, in sq_wave.attributes */
};

/* Inputs of a run besides registers. */
struct sq_jit_inputs {
    struct sq_jit_view views[SQ_VIEWS];
    struct sq_jit_attribute attributes[SQ_ATTRIBUTE_ROWS];
    uint8_t ones[SQ_ATTRIBUTE_ROWS]; /* the attributes themselves, for waves where they are the same in all lanes */
    bool has_tables;                 /* and, in place of rows, for all others */
    uint32_t view_count, attribute_count, attribute_rows, one_count;
};

/* The lane program's findings about a place: the value that is there now,
 * JIT_NONE where it was not looked at. */
struct sq_jit_places {
    struct exec_rows rows;
    jit_value scalars[SQ_REGISTERS];     /* spread over the lanes */
    jit_value masks[SQ_REGISTERS];       /* the lane mask that begins there, as booleans */
    jit_value mask_stores[SQ_REGISTERS]; /* the last JIT_STORE_BITS */
    uint32_t mask_count;                 /* masks that are read or written */
    bool exec_is_written;
    jit_value entry_of_lane; /* of tables of attributes */
    jit_value active;        /* lanes that the instruction at hand is for; JIT_NONE: those that the code is for */

    /* Of a loop (sq_loop.c): phis of scalars that it writes, and of scc, which is a boolean; 0 while it is first looked
     * at, JIT_NONE: not written. Of masks they are mask_stores. */
    bool in_loop;
    bool has_rows; /* rows that the program does not change are what the wave has */
    jit_value scalar_stores[SQ_REGISTERS];
    jit_value flag, flag_store;
    uint32_t lane_read_count;
    sq_place lane_reads[SQ_JIT_LANE_READS]; /* rows of which lanes are read by their number: they must not change */
    bool flag_is_lost;                      /* scc says whether a mask has a lane, which is not known in the program */
    struct sq_jit_inputs inputs;

    bool is_written; /* memory, by one of these: */
    uint32_t access_count;
    struct sq_jit_access accesses[SQ_JIT_ACCESSES];
};

struct sq_jit_builder {
    struct exec_lowering exec; /* program.failed: the instruction at hand cannot be lowered */
    const struct sq_uop *uop;  /* at hand */
    const struct sq_wave *wave;
    uint32_t lanes;
    bool is_one;     /* attributes are the same in all lanes */
    bool has_writes; /* stores to memory may be lowered */
    struct sq_jit_places places;
};

/* An empty program for waves of the size and mode of exec.wave. */
void amd_sq_jit_begin(struct sq_jit_builder *b);

/* ---- operands ---- */

/* A row as the lanes see it that the instruction at hand is for; what it has in the others is not said. */
jit_value amd_sq_jit_read_row(struct sq_jit_builder *b, sq_place place);
void amd_sq_jit_write_row(struct sq_jit_builder *b, sq_place place, jit_value value);
/* A lane mask by its register, and by its place. */
jit_value amd_sq_jit_read_mask(struct sq_jit_builder *b, sq_place place);
void amd_sq_jit_write_mask(struct sq_jit_builder *b, sq_place place, jit_value value);
jit_value amd_sq_jit_read_scalar(struct sq_jit_builder *b, sq_place place);
/* Scalar registers and scc are written in loops only. */
void amd_sq_jit_write_scalar(struct sq_jit_builder *b, sq_place place, jit_value value);
jit_value amd_sq_jit_read_flag(struct sq_jit_builder *b);
void amd_sq_jit_write_flag(struct sq_jit_builder *b, jit_value value);
/* Whether the program changes one of these scalar registers. */
bool amd_sq_jit_changes(const struct sq_jit_builder *b, sq_place place, unsigned count);

static inline sq_place amd_sq_jit_register(unsigned number)
{
    return (sq_place)(offsetof(struct sq_wave, sgpr) + number * 4) | SQ_BASE_WAVE;
}

static inline sq_place amd_sq_jit_interpolant(const struct sq_jit_builder *b, enum sq_interpolant which)
{
    return (sq_place)(offsetof(struct sq_wave, temp) + (SQ_TEMPS - 3u + which) * b->lanes * 4) | SQ_BASE_WAVE;
}

/* The lower half of a register; the upper one stays. */
static inline void amd_sq_jit_write_half(struct sq_jit_builder *b, sq_place place, jit_value value)
{
    jit_value kept = lane_program_and(&b->exec.program, amd_sq_jit_read_row(b, place),
                                      lane_program_const(&b->exec.program, 0xffff0000u));
    amd_sq_jit_write_row(
        b, place, lane_program_or(&b->exec.program, kept, lane_program_zero_extend(&b->exec.program, value, 16)));
}

/* ---- generated ---- */

/* How an instruction's kernel is lowered; NULL: it is not. */
typedef void (*amd_sq_jit_lower)(struct sq_jit_builder *b);
struct sq_jit_row {
    amd_sq_jit_lower lower;
    bool not_clamped; /* not where the instruction's clamp bit is set */
    bool is_half;     /* rounds by the mode of halves */
    bool is_scalar;   /* in loops only */
};
extern const struct sq_jit_row amd_sq_jit_rows[ISA_OP_COUNT];

/* Loads and attributes (sq_jit_inputs.c); NULL: this is none of those. */
amd_sq_jit_lower amd_sq_jit_input_lowering(const struct sq_uop *uop);
/* Of what loops alone have; NULL: this is none of those. */
amd_sq_jit_lower amd_sq_jit_loop_lowering(const struct sq_uop *uop);
/* Lowerings of stores, which are for whole programs alone. */
amd_sq_jit_lower amd_sq_jit_store_lowering(const struct sq_uop *uop);
/* Bring what a run needs before its code runs. False: it is for the micro-operations. */
bool amd_sq_jit_bring(struct sq_wave *wave, struct sq_jit_inputs *inputs, bool is_one);
/* Whether it will: for code that must not run twice. What is there is kept, until a mapping changes. */
bool amd_sq_jit_finds(struct sq_wave *wave, struct sq_jit_inputs *inputs);
/* Whether the buffer that an instruction names now, if it names one, can be read by host code. */
bool amd_sq_jit_is_host_buffer(struct sq_wave *wave, const struct sq_uop *uop);
/* Whether the wave's attributes are the same in all lanes; by one of them. */
bool amd_sq_jit_is_one(struct sq_wave *wave, unsigned attribute);

/* Lower the micro-operation at hand. */
void amd_sq_jit_lower_uop(struct sq_jit_builder *b);
/* Whether that may succeed. */
bool amd_sq_jit_knows(const struct sq_uop *uop);

#endif
