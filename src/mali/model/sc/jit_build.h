/* How a run of micro-operations is lowered to a lane program (model/exec/program.h): operands, and what generated code
 * (gen_jit.py) writes it with. */
#ifndef MALI_MODEL_SC_JIT_BUILD_H
#define MALI_MODEL_SC_JIT_BUILD_H

#include <stddef.h>

#include "mali/model/sc/alu.h"
#include "model/exec/rows.h"
#include "model/exec/run.h"

#define SC_JIT_ROWS (MALI_WARP_TEMPS + MALI_WARP_REGISTERS)
_Static_assert(SC_JIT_ROWS <= EXEC_ROWS_MAX, "all rows of a warp");

#define SC_JIT_SITES MALI_WARP_WINDOWS
#define SC_JIT_ROW_READS 8

/* A buffer that LD_BUFFER reads: its handle is a constant, or a uniform by its row. */
struct sc_jit_view {
    const struct sc_uop *uop;
    bool is_uniform;
    uint32_t handle;
    uint32_t size_B; /* of a lane's access */
    unsigned need;   /* GPU_PERM_* */
};

/* Words of one that are at the same place for all lanes: a constant, or a uniform by its row. */
struct sc_jit_words {
    struct sc_jit_view view;
    bool is_uniform;
    bool is_signed; /* of a part of a word */
    uint32_t offset_B;
    uint32_t first; /* of the warp's words */
};

#define SC_JIT_WORDS 24

/* Inputs that are brought before code runs: uniforms that it reads, by their rows, to the warp's scalars; memory. */
struct sc_jit_inputs {
    uint16_t uniforms[MALI_WARP_SCALARS];
    uint32_t uniform_count, site_count, view_count, words_count;
    struct sc_jit_words words[SC_JIT_WORDS];
    uint32_t power_count;
    uint16_t powers[MALI_WARP_POWERS];     /* uniforms that are exponents of two, by their rows */
    struct exec_site *sites[SC_JIT_SITES]; /* of LOAD */
    struct sc_jit_view views[MALI_WARP_VIEWS];
};

struct sc_jit_builder {
    struct exec_lowering exec;
    const struct sc_uop *uop; /* at hand */
    const struct mali_warp *warp;
    struct exec_rows rows;
    struct sc_jit_inputs inputs;
    jit_value uniform_values[MALI_WARP_SCALARS];
    bool has_quads;     /* lanes of a quad are active all or none: CLPER within quads is host code */
    bool has_words;     /* nothing else writes what LD_BUFFER reads while the code runs: it may be read before */
    uint64_t dead;      /* registers that are not looked at after what was lowered: their last reader said so */
    uint32_t row_count; /* registers of which lanes look at other lanes' (shuffle.c): nothing may change them */
    uint8_t rows_read[SC_JIT_ROW_READS];
};

struct sc_jit_row;
jit_value mali_sc_jit_read_row(struct sc_jit_builder *b, sc_place place);
void mali_sc_jit_write_row(struct sc_jit_builder *b, sc_place place, jit_value value);

/* Lanes that a branch by a register takes. */
jit_value mali_sc_jit_taken(struct sc_jit_builder *b, const struct sc_uop *uop);

/* Primitives of meanings (jit_math.c). */
jit_value mali_sc_jit_frexp_mant(struct sc_jit_builder *b, jit_value x);
jit_value mali_sc_jit_frexp_exp(struct sc_jit_builder *b, jit_value x);
jit_value mali_sc_jit_log_slope(struct sc_jit_builder *b, jit_value x);
jit_value mali_sc_jit_ldexp(struct sc_jit_builder *b, jit_value x, jit_value exponent);
/* The factor of ldexp by a number; false: that is no float. */
bool mali_sc_jit_power(int32_t exponent, uint32_t *power_out);
/* Instructions that take fewer steps than their meanings do; NULL: none. */
const struct sc_jit_row *mali_sc_jit_shorter(sc_run_fn run);

/* The row of the uniform that a value is. False: it is none. */
bool mali_sc_jit_is_uniform(const struct sc_jit_builder *b, jit_value value, uint32_t *row_out);
/* A value that is known before code runs: a constant, or a uniform by its row. False: it is neither. */
bool mali_sc_jit_known(struct sc_jit_builder *b, sc_place place, bool *is_uniform_out, uint32_t *value_out);

/* An empty program; one micro-operation more, false: it is not for host code; which registers live on after an
 * instruction; whether one enters a run. */
void mali_sc_jit_begin(struct sc_jit_builder *b, const struct mali_warp *warp);
bool mali_sc_jit_lower_uop(struct sc_jit_builder *b, const struct sc_uop *uop);
void mali_sc_jit_note_lives(struct sc_jit_builder *b, const struct mali_isa_inst *inst);
bool mali_sc_jit_is_head(const struct sc_uop *uop);
bool mali_sc_loop_is_head(const struct sc_uop *uop);
/* The micro-operation as it was before it entered a loop. */
const struct sc_uop *mali_sc_loop_original(const struct sc_uop *uop);

/* ---- loops that are shuffles (shuffle.c) ---- */

struct sc_shuffle;
/* Whether the loop that this branch ends is one. From now on it is a single micro-operation. */
bool mali_sc_shuffle_found(struct mali_warp *warp, const struct sc_uop *branch);
/* The one that begins with the instruction at `pc`; NULL: none. */
const struct sc_shuffle *mali_sc_shuffle_at(const struct mali_warp *warp, uint64_t pc);
const struct sc_uop *mali_sc_shuffle_original(const struct sc_uop *uop);
/* As part of a loop of all lanes: where that goes on. 0: it does not go into this program. */
uint64_t mali_sc_shuffle_lower(struct sc_jit_builder *b, const struct sc_shuffle *shuffle);
/* As a micro-operation of its own, for the lanes that run: what it reads, writes and leads to. False: the loop from
 * begin_pc to the branch at end_pc is none. */
struct sc_shuffle_join {
    const struct sc_uop *uop;
    uint64_t exit_pc;
    uint64_t read, written; /* registers */
    bool ends_helpers;
};
bool mali_sc_shuffle_join(struct mali_warp *warp, uint64_t begin_pc, uint64_t end_pc, struct sc_shuffle_join *join);
/* The program is complete: whether the registers that were looked at stay as they are. */
bool mali_sc_shuffle_is_good(const struct sc_jit_builder *b);

/* ---- jit_inputs.c ---- */

/* The window of a LOAD or STORE is kept at its micro-operation: all code that has it shares it, and so does the
 * micro-operation, which finds it anew. Its number among the inputs; SC_JIT_SITES: there is none. */
uint32_t mali_sc_jit_site(struct sc_jit_builder *b, const struct sc_uop *uop, unsigned need);
static inline uint32_t sc_jit_window_B(uint32_t number)
{
    return (uint32_t)(offsetof(struct mali_warp, windows) + number * sizeof(struct exec_window));
}
/* The number of a view among the inputs; MALI_WARP_VIEWS: there is no room. */
uint32_t mali_sc_jit_view_of(struct sc_jit_builder *b, const struct sc_jit_view *view);
static inline uint32_t sc_jit_view_B(uint32_t number)
{
    return (uint32_t)(offsetof(struct mali_warp, views) + number * sizeof(struct exec_view));
}

/* The lowering of a load; NULL: it is none. */
const struct sc_jit_row *mali_sc_jit_load(sc_run_fn run);
/* Before code runs. False: it is not for this warp. */
bool mali_sc_jit_bring(struct mali_warp *warp, struct sc_jit_inputs *inputs);
/* The active lanes are at a LOAD that host code has a window for. */
void mali_sc_jit_look(struct mali_warp *warp, const struct sc_uop *uop);
/* The code has missed (`way`): micro-operations for the lanes that have not run. */
void mali_sc_jit_rest(struct mali_warp *warp, const struct sc_jit_inputs *inputs, const struct sc_uop *first,
                      const struct sc_uop *limit, uint32_t way);

struct sc_jit_row {
    sc_run_fn kernel;
    void (*lower)(struct sc_jit_builder *b);
    bool not_clamped; /* not where the instruction saturates */
};
extern const struct sc_jit_row mali_sc_jit_rows[];
extern const unsigned mali_sc_jit_row_count;

#endif
