/* How a run of micro-operations is lowered to a lane program (model/exec/program.h): operands, and what generated code
 * (gen_jit.py) writes it with. */
#ifndef ADRENO_MODEL_SP_JIT_BUILD_H
#define ADRENO_MODEL_SP_JIT_BUILD_H

#include "adreno/model/sp/alu.h"
#include "adreno/model/sp/memory.h"
#include "model/exec/paths.h"
#include "model/exec/rows.h"
#include "model/exec/run.h"

#define SP_JIT_ROWS (2 * ADRENO_WAVE_TEMPS + ADRENO_WAVE_ROWS) /* temporaries, in waves of 64 twice as many */
_Static_assert(SP_JIT_ROWS <= EXEC_ROWS_MAX, "all rows of a wave");

/* Where a run's loads load from. */
enum sp_jit_view_kind {
    SP_JIT_BUFFER,    /* by a descriptor; limits count dwords */
    SP_JIT_LOCAL,     /* local memory from one register's value on; limits are its largest value */
    SP_JIT_CONSTANTS, /* the constant file by a0.x; limits count dwords */
};

struct sp_jit_view {
    enum sp_jit_view_kind kind;
    struct sp_dword_access access; /* of a buffer */
    unsigned need;                 /* the same: GPU_PERM_* */
    uint32_t least;                /* dwords that it must have */
    jit_value base, clamped;  /* of local memory: the register's value while the program is written, and what is used */
    uint32_t first_B;         /* what the first load adds to it */
    uint32_t end_B;           /* the furthest byte after that which is loaded, and one */
    const struct sp_uop *uop; /* the first one, for reports */
};

/* Inputs of a run besides registers (jit_inputs.c). */
struct sp_jit_inputs {
    uint16_t constants[ADRENO_WAVE_SCALARS]; /* numbers of constants */
    struct sp_jit_view views[ADRENO_WAVE_VIEWS];
    uint32_t constant_count, view_count;
    bool has_local;
};

#define SP_JIT_ROW_READS 8

struct sp_jit_builder {
    struct exec_lowering exec;
    const struct sp_uop *uop; /* at hand */
    const struct adreno_wave *wave;
    struct exec_rows rows;
    struct sp_jit_inputs inputs;
    jit_value constant_values[ADRENO_WAVE_SCALARS];
    uint8_t round;      /* enum lane_round of conversions from here on */
    jit_value lost;     /* lanes that left local memory, as booleans; JIT_NONE: none can */
    uint32_t next_pc;   /* after what was lowered */
    uint32_t row_count; /* rows of which lanes look at other lanes' (shuffle.c): nothing may change them */
    uint16_t rows_read[SP_JIT_ROW_READS];
};

/* A half that is the upper one of its row comes out in the lower half; what is above a lower one stays there. */
jit_value adreno_sp_jit_read_row(struct sp_jit_builder *b, sp_place place);
void adreno_sp_jit_write_row(struct sp_jit_builder *b, sp_place place, jit_value value);
/* One half of a row; the other one stays. */
void adreno_sp_jit_write_half(struct sp_jit_builder *b, sp_place place, jit_value value);

struct sp_jit_row {
    sp_run_fn kernel;
    void (*lower)(struct sp_jit_builder *b);
    bool not_clamped; /* not where the instruction saturates */
};
extern const struct sp_jit_row adreno_sp_jit_rows[];
extern const unsigned adreno_sp_jit_row_count;

/* An empty program; one micro-operation more, false: it is not for host code; whether one enters a run. */
void adreno_sp_jit_begin(struct sp_jit_builder *b, const struct adreno_wave *wave);
bool adreno_sp_jit_lower_uop(struct sp_jit_builder *b, const struct sp_uop *uop);
bool adreno_sp_jit_is_head(const struct sp_uop *uop);
bool adreno_sp_loop_is_head(const struct sp_uop *uop);
/* Lanes that a branch by predicates takes. */
jit_value adreno_sp_jit_taken(struct sp_jit_builder *b, const struct sp_uop *uop);
/* predt, predf and prede (whole.c): who is taken out waits where the next one of these is. False: there is none. */
bool adreno_sp_is_predication(unsigned op);
bool adreno_sp_take_out(struct sp_jit_builder *b, struct exec_paths *paths, const struct sp_uop *uop);
/* Stores the values that the program at b->next_pc still looks at. */
void adreno_sp_jit_end_rows(struct sp_jit_builder *b);

/* ---- inputs ---- */

/* How a micro-operation that loads is lowered; NULL: it is not. */
const struct sp_jit_row *adreno_sp_jit_input(const struct sp_uop *uop);
void adreno_sp_jit_lower_constant(struct sp_jit_builder *b);

/* Whether a micro-operation loads or stores dwords of a buffer so that host code can. */
bool adreno_sp_jit_is_dwords(const struct sp_uop *uop, struct sp_dword_access *access_out);
/* Where the wave has the struct exec_view of its buffer, which has so many dwords at least; limits count dwords. 0:
 * there are too many, and the program has failed. */
uint32_t adreno_sp_jit_view_at(struct sp_jit_builder *b, const struct sp_uop *uop, const struct sp_dword_access *access,
                               unsigned need, uint32_t least);
sp_place adreno_sp_jit_row_place(const struct sp_jit_builder *b, unsigned component);

/* Bring what a run needs before its code runs. False: it is for the micro-operations. */
bool adreno_sp_jit_bring(struct adreno_wave *wave, const struct sp_jit_inputs *inputs);
/* After the code of a run with loads from local memory: faults the wave where a lane has left it. */
void adreno_sp_jit_check(struct adreno_wave *wave, const struct sp_jit_inputs *inputs);

/* ---- loops that are shuffles (shuffle.c) ---- */

struct sp_shuffle;
/* Whether the loop that this branch ends is one. From now on it is a single micro-operation. */
bool adreno_sp_shuffle_found(struct adreno_wave *wave, const struct sp_uop *branch);
/* The one that begins with the instruction at `pc`; NULL: none. */
const struct sp_shuffle *adreno_sp_shuffle_at(const struct adreno_wave *wave, uint32_t pc);
/* As part of a loop of all lanes: where that goes on. UINT32_MAX: it does not go into this program. */
uint32_t adreno_sp_shuffle_lower(struct sp_jit_builder *b, const struct sp_shuffle *shuffle);
/* The program is complete: whether the rows that were looked at stay as they are. */
bool adreno_sp_shuffle_is_good(const struct sp_jit_builder *b);

/* ---- which registers a program still looks at (jit_live.c) ---- */

#define SP_JIT_LIVE_WORDS (ADRENO_WAVE_ROWS / 32)
struct sp_jit_live {
    uint64_t units[SP_JIT_LIVE_WORDS]; /* two bits for a row, one for each of its halves */
};

static inline bool sp_jit_is_live(const struct sp_jit_live *live, unsigned row)
{
    return live->units[row / 32] >> row % 32 * 2 & 3;
}

static inline bool sp_jit_is_half_live(const struct sp_jit_live *live, unsigned component)
{
    const unsigned unit = adreno_half_row(component) * 2 + (adreno_half_shift(component) ? 1 : 0);
    return live->units[unit / 64] >> unit % 64 & 1;
}

/* Before the instruction at `pc` of the wave's program. `is_together`: all fibers of the wave are there. */
struct sp_jit_live adreno_sp_jit_live(const struct adreno_wave *wave, uint32_t pc, bool is_together);
/* Whether an instruction reads of the row that is not one from begin_pc on to before end_pc. */
bool adreno_sp_jit_is_read(const struct adreno_wave *wave, unsigned row, uint32_t begin_pc, uint32_t end_pc);

#endif
