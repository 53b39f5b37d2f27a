/* The machine IR of the RDNA back end: GFX10.3 instructions on SSA temporaries, then on registers.
 *
 * Instruction selection (select_*.c) writes it from the shared IR; everything after works on it in place: optimise,
 * spill, schedule, allocate, lower, wait, emit. An instruction is one of the instruction set (enum isa_op of amd/isa,
 * with that room's modifier structs) or a pseudo instruction (enum mir_pseudo), which lower.c turns into instructions.
 *
 * Two graphs connect the blocks. The linear one is what the program counter does: it decides where scalar values live.
 * The logical one is what a lane sees: under a divergent if, the lanes of "then" and of "else" go different ways though
 * the wave goes both; it decides where vector values live. So two vector values of opposite branches can share a
 * register, and a scalar value is alive wherever the wave passes. */
#ifndef AMD_COMPILER_MIR_H
#define AMD_COMPILER_MIR_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/isa/isa.h"
#include "util/arena.h"
#include "util/list.h"

/* A register file and a size. Lane masks are scalars of one or two dwords by the wave size. */
struct mir_class {
    uint8_t dwords;
    bool vector;
    bool linear; /* a VGPR that keeps all lanes whatever exec is (holds spilled SGPRs): lives in the linear graph */
};

#define MIR_S(n) ((struct mir_class){.dwords = (n)})
#define MIR_V(n) ((struct mir_class){.dwords = (n), .vector = true})

/* A register: SGPRs and special scalars by their number in the encoding (0–127, vcc 106, m0 124, null 125, exec 126),
 * VGPRs from 256 on. scc is a number of ours. */
typedef uint16_t mir_reg;
#define MIR_REG_VCC 106
#define MIR_REG_M0 124
#define MIR_REG_NULL 125
#define MIR_REG_EXEC 126
#define MIR_REG_SCC 253
#define MIR_REG_V0 256
#define MIR_REG_NONE 0xffff

typedef uint32_t mir_temp; /* 0: none */

struct mir_temp_info {
    struct mir_class class;
    mir_reg reg; /* after allocation */
    struct mir_instr *def;
};

enum mir_operand_kind {
    MIR_NONE,
    MIR_TEMP,
    MIR_REG,
    MIR_CONST,
    MIR_UNDEF
};

struct mir_operand {
    uint8_t kind;
    bool fixed : 1;      /* a temporary that must be in `reg` here */
    bool kill : 1;       /* last use, after liveness */
    bool first_kill : 1; /* first of the operands of this instruction that end this temporary */
    bool late : 1;       /* must not share a register with a result: it is read after one is written */
    uint8_t dwords;      /* of constants and registers */
    mir_reg reg;
    union {
        mir_temp temp; /* of a register: what allocation put there, 0 where the instruction names the register itself */
        uint64_t value; /* of a constant; 64-bit ones are sign- or zero-extended as the instruction does */
    };
};

struct mir_def {
    mir_temp temp;  /* 0: the register is written and nothing reads it */
    bool fixed;     /* must be in `reg`: scc, vcc, exec, m0, an argument */
    bool dead;      /* nothing reads it, after liveness */
    uint8_t dwords; /* after allocation */
    mir_reg reg;
};

/* Pseudo instructions follow the instruction set's numbers. */
enum mir_pseudo {
    MIR_P_START = ISA_OP_COUNT, /* defines the arguments in their fixed registers */
    MIR_P_PHI,                  /* vector values: operands by logical predecessor */
    MIR_P_LINEAR_PHI,           /* scalar values: operands by linear predecessor */
    MIR_P_COPY,                 /* parallel: def i gets operand i */
    MIR_P_VECTOR,               /* one def made of the operands side by side */
    MIR_P_SPLIT,                /* the operand taken apart into the defs */
    MIR_P_EXTRACT,              /* operand 0, dword `imm` */
    MIR_P_LOGICAL_START,        /* between these two, exec is what the logical graph says: vector code stays inside */
    MIR_P_LOGICAL_END,
    MIR_P_BRANCH,  /* to block imm */
    MIR_P_CBRANCH, /* to block imm when operand 0 (scc, vcc or exec, see `cond`) says so, else fall through to imm2 */
    MIR_P_SPILL,   /* operand 0 to slot imm */
    MIR_P_RELOAD,  /* def 0 from slot imm */
    MIR_P_BARRIER, /* orders memory instructions for the scheduler: imm is a set of enum mir_sync */
    MIR_P_CONST_ADDR, /* def: 64-bit address of byte imm of the constant data after the code; destroys scc */
    MIR_P_NEXT_FRAME, /* def: where the frame of what is called begins, operand 0 being sp; destroys scc */
    MIR_P_CALL, /* of the function (function.h) at operand 0; then what it must find in its registers; after spilling what
                   must be as before when it is back, too. Destroys all other registers */
    MIR_PSEUDO_END,
};

enum mir_cond {
    MIR_COND_SCC0,
    MIR_COND_SCC1,
    MIR_COND_VCCZ,
    MIR_COND_VCCNZ,
    MIR_COND_EXECZ,
    MIR_COND_EXECNZ
};

/* The kinds of memory that an instruction touches, for scheduling and for caches. */
enum mir_sync {
    MIR_SYNC_BUFFER = 1 << 0,
    MIR_SYNC_IMAGE = 1 << 1,
    MIR_SYNC_SHARED = 1 << 2,
    MIR_SYNC_SCRATCH = 1 << 3,
    MIR_SYNC_EXPORT = 1 << 4,
    MIR_SYNC_MESSAGE = 1 << 5,
    MIR_SYNC_ACQUIRE = 1 << 6,
    MIR_SYNC_RELEASE = 1 << 7,
    MIR_SYNC_VOLATILE = 1 << 8,
    MIR_SYNC_CAN_REORDER = 1 << 9, /* a load that no store in this program can change */
};

/* The order of definitions and operands in an instruction of the instruction set.
 *
 * defs:
 *  - its destinations, in isa_info's order;
 *  - the new value of a source that it writes (the old value that an atomic on a buffer or an image returns, only with
 *    glc);
 *  - those implicit results (scc, vcc, exec) that are read, each `fixed`. Implicit results that are not listed are still
 *    clobbered: what nothing reads need not be listed.
 *
 * operands:
 *  - its sources, in isa_info's order, without immediates and attributes (imm: simm16 or attribute * 4 + channel; imm2:
 *    v_interp_mov's parameter); an absent one (off, a null soffset or saddr, a switched-off export) is MIR_NONE;
 *  - the further addresses of an image instruction with mem.nsa (any non-zero number) and mem.addr_count (dwords), one
 *    VGPR each;
 *  - the old value of each destination that it keeps or adds to (v_fmac, s_cmov, v_writelane, d16 loads, s_addk; of DPP
 *    and SDWA that keep lanes or bytes: any one more vector operand). It may be MIR_UNDEF. Allocation puts both into
 *    one register;
 *  - what it reads implicitly and is a temporary: scc, vcc or m0, as mir_fixed.
 *
 * exec is never listed. Reads of exec as an ordinary source are mir_reg_use(MIR_REG_EXEC, n); writes of it as an
 * ordinary destination are a fixed def without a temporary. */
struct mir_instr {
    struct list link; /* in mir_block.instrs */
    uint16_t op;      /* enum isa_op or enum mir_pseudo */
    uint8_t
        variant; /* enum isa_variant; after allocation the emitter chooses e32 where it fits, unless `keep_variant` */
    bool keep_variant;
    uint32_t num_operands;
    uint8_t cond; /* enum mir_cond */
    uint16_t num_defs;
    uint16_t sync; /* enum mir_sync */
    uint16_t pass_flags;
    uint32_t imm, imm2; /* simm16, blocks, slots */
    union {
        struct isa_alu alu;
        struct isa_mem mem; /* mem.nsa_addr is filled by the emitter from the operands: each address dword (or all as
                               one tuple) is an operand */
        struct isa_export exp;
    };
    struct mir_def *defs; /* in the order of the instruction's destinations, then implicit ones (scc, vcc, exec) */
    struct mir_operand
        *operands; /* in the order of the instruction's sources, then implicit ones (scc, vcc, exec, m0) */
};

enum mir_block_kind {
    MIR_BLOCK_TOP =
        1 << 0, /* outside every divergent branch: exec is what the shader began with (or after demote, less) */
    MIR_BLOCK_LOOP_HEADER = 1 << 1,
    MIR_BLOCK_LOOP_EXIT = 1 << 2,
    MIR_BLOCK_MERGE = 1 << 3,
    MIR_BLOCK_UNIFORM = 1 << 4, /* ends in a uniform branch */
    MIR_BLOCK_INVERT = 1 << 5,  /* between then and else of a divergent if: empty in the logical graph */
};

struct mir_block {
    uint32_t index; /* position in the program */
    uint32_t kind;
    uint16_t loop_depth;
    uint16_t divergent_depth;
    struct list instrs;
    uint32_t *linear_preds, *linear_succs, *logical_preds, *logical_succs;
    uint8_t num_linear_succs, num_logical_succs;
    uint32_t num_linear_preds, num_logical_preds;
    /* after liveness */
    uint32_t max_sgprs, max_vgprs;
    uint32_t code_offset_dw;
};

struct mir_program {
    struct arena arena;
    enum isa_gfx gfx;
    uint8_t wave_size;
    uint8_t stage;            /* enum ir_stage */
    struct mir_block *blocks; /* in program order */
    uint32_t num_blocks;
    struct mir_temp_info *temps;
    uint32_t num_temps, capacity_temps;
    struct mir_class lane_mask; /* MIR_S(1) or MIR_S(2) */

    /* limits and results of allocation */
    uint16_t max_sgprs, max_vgprs;       /* allowed */
    uint16_t num_sgprs, num_vgprs;       /* used */
    uint32_t lds_size_B, scratch_size_B; /* per workgroup; per lane */
    uint32_t spilled_sgprs, spilled_vgprs, copies;
    mir_temp scratch_rsrc, scratch_offset; /* arguments that spilling to scratch needs; 0 where the stage got none */
    bool wants_scratch;                    /* spilling failed because there were none */
    uint32_t float_mode;                   /* FLOAT_MODE of the program resource register: rounding and denormals */
    const uint8_t *const_data;
    uint32_t const_data_size_B;
    struct ir_failure *failure; /* as in compiler/ir: no NULL checks, errors jump */
    uint32_t capacity_blocks;
    uint32_t num_sgpr_slots, num_vgpr_slots; /* of spilling */
    uint16_t linear_vgprs;                   /* VGPRs after the others (see call_vgprs) that hold spilled SGPRs */
    /* Of functions and their callers (function.h): */
    bool is_function, has_calls;
    uint16_t call_vgprs; /* not 0: the first VGPRs hold no values; linear_vgprs are among them, from the second on */
    uint32_t save_slot;  /* where in the frame things are around a call; after spilling */
    uint32_t caller_float_mode; /* float_mode around calls and at the return */
    uint32_t presched_sgprs, presched_vgprs;
    struct arena live_arena;
    struct mir_live *live; /* liveness.c: what is alive at the ends of blocks */
};

/* Building. `amd_mir_new_instr` puts an instruction at the builder's place. */
struct mir_builder {
    struct mir_program *program;
    struct mir_block *block;
    struct list *before; /* insert before this link; &block->instrs: at the end */
};

mir_temp amd_mir_new_temp(struct mir_program *program, struct mir_class class);
struct mir_instr amd_mir_plain(unsigned op); /* with modifiers that change nothing */
struct mir_instr *amd_mir_new_instr(struct mir_builder *builder, unsigned op, unsigned num_defs, unsigned num_operands);
struct mir_block *amd_mir_new_block(struct mir_program *program); /* pointers to blocks move: keep indices */

static inline struct mir_operand mir_use(mir_temp temp)
{
    return (struct mir_operand){.kind = MIR_TEMP, .temp = temp};
}
static inline struct mir_operand mir_const(uint32_t value)
{
    return (struct mir_operand){.kind = MIR_CONST, .dwords = 1, .value = value};
}
static inline struct mir_operand mir_fixed(mir_temp temp, mir_reg reg)
{
    return (struct mir_operand){.kind = MIR_TEMP, .temp = temp, .fixed = true, .reg = reg};
}

static inline struct mir_operand mir_const64(uint64_t value)
{
    return (struct mir_operand){.kind = MIR_CONST, .dwords = 2, .value = value};
}
static inline struct mir_operand mir_reg_use(mir_reg reg, unsigned dwords)
{
    return (struct mir_operand){.kind = MIR_REG, .dwords = (uint8_t)dwords, .reg = reg};
}
/* The register in which a temporary is: what allocation makes of its uses. */
static inline struct mir_operand mir_place_use(mir_temp temp, mir_reg reg, unsigned dwords)
{
    return (struct mir_operand){.kind = MIR_REG, .dwords = (uint8_t)dwords, .reg = reg, .temp = temp};
}
static inline struct mir_operand mir_undef(unsigned dwords)
{
    return (struct mir_operand){.kind = MIR_UNDEF, .dwords = (uint8_t)dwords};
}
static inline struct mir_def mir_result(mir_temp temp)
{
    return (struct mir_def){.temp = temp};
}
static inline struct mir_def mir_fixed_result(mir_temp temp, mir_reg reg)
{
    return (struct mir_def){.temp = temp, .fixed = true, .reg = reg};
}

/* Make an empty program; `failure` is where errors jump to. The arena inside owns everything; amd_mir_finish frees it.
 */
void amd_mir_init(struct mir_program *program, enum isa_gfx gfx, unsigned wave_size, struct ir_failure *failure);
void amd_mir_finish(struct mir_program *program);
_Noreturn void amd_mir_fail(struct mir_program *program, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void amd_mir_fail_memory(struct mir_program *program);
void *amd_mir_alloc(struct mir_program *program, size_t size_B); /* zeroed; never NULL */

/* Edges, in the order in which a phi's operands stand. An edge from a block with two successors to one with two
 * predecessors is split by amd_mir_split_edges where it is linear; a logical one is refused: selection has a block for
 * every path that lanes take. */
void amd_mir_add_linear_edge(struct mir_program *program, uint32_t from, uint32_t to);
void amd_mir_add_logical_edge(struct mir_program *program, uint32_t from, uint32_t to);

/* Where the operands of an instruction stand (see struct mir_instr). */
struct mir_shape {
    uint8_t num_defs;                 /* destinations of the instruction set's row */
    uint8_t num_sources;              /* sources of the row that are operands here */
    uint8_t num_addresses;            /* further addresses after them */
    uint8_t num_tied;                 /* old values after those */
    int8_t tied_operand[3];           /* of def i, -1 where it has none */
    uint8_t source[ISA_MAX_OPERANDS]; /* operand i is source[i] of the row's operands */
};
struct mir_shape amd_mir_shape_of(const struct mir_instr *instr);
bool amd_mir_has_saddr(const struct mir_instr *instr); /* of FLAT: then the vector address is one dword */
unsigned amd_mir_clobbers(
    const struct mir_instr *instr); /* ISA_STATE_SCC, _VCC, _EXEC: what it writes implicitly, listed or not */

static inline bool mir_is_pseudo(const struct mir_instr *instr)
{
    return instr->op >= ISA_OP_COUNT;
}
/* It only moves values or makes an address: it may move itself and go where nothing reads it. */
static inline bool mir_is_movable_pseudo(const struct mir_instr *instr)
{
    return instr->op == MIR_P_COPY || instr->op == MIR_P_VECTOR || instr->op == MIR_P_SPLIT ||
           instr->op == MIR_P_EXTRACT || instr->op == MIR_P_CONST_ADDR || instr->op == MIR_P_NEXT_FRAME;
}
/* State that an instruction changes for all that come after it: nothing moves across it. */
#define MIR_FENCE_STATE (ISA_STATE_EXEC | ISA_STATE_MODE | ISA_STATE_PC | ISA_STATE_HWREG | ISA_STATE_COUNTERS)
static inline bool mir_is_phi(const struct mir_instr *instr)
{
    return instr->op == MIR_P_PHI || instr->op == MIR_P_LINEAR_PHI;
}

/* mir_instr.pass_flags after amd_mir_lower: the literal, MIR_ANY_LITERAL until the emitter knows, leads from here to
 * byte `imm` of the constant data. */
#define MIR_FLAG_CONST_ADDR 1
#define MIR_ANY_LITERAL 0x12345678u

/* Dwords of a constant in that place: a lane mask has as many as the wave's bits. */
static inline unsigned mir_source_dwords(const struct mir_program *program, const struct isa_operand_info *about)
{
    return about->type == ISA_TYPE_MASK ? program->lane_mask.dwords : about->count == 2 ? 2 : 1;
}

/* The constant as an operand without a literal; false where it has none. `type` is enum isa_type of the place. */
bool amd_mir_inline_constant(unsigned type, unsigned dwords, uint64_t value, struct isa_operand *out);

#define mir_foreach_block(program, block)                                                                              \
    for (struct mir_block *block = (program)->blocks; block < (program)->blocks + (program)->num_blocks; block++)
#define mir_foreach_instr(block, instr) list_foreach (&(block)->instrs, struct mir_instr, instr, link)

/* The steps after selection, in this order (compile.c). Each may run amd_mir_validate afterwards in debug builds. */
struct strbuf;
void amd_mir_print(const struct mir_program *program, struct strbuf *out);
void amd_mir_print_instr(const struct mir_program *program, const struct mir_instr *instr, struct strbuf *out);
/* The printed form back again, for tests: NULL, or "line N: what". */
const char *amd_mir_parse(struct mir_program *program, const char *text);
/* NULL, or what is wrong, in the program's arena: before allocation; between amd_mir_allocate and amd_mir_lower. */
const char *amd_mir_validate(struct mir_program *program);
const char *amd_mir_validate_allocated(struct mir_program *program);
void amd_mir_split_edges(
    struct mir_program *program); /* no linear edge from a fork to a join is left; first of all steps */
void amd_mir_optimise(struct mir_program *program); /* modifiers, inline constants, fused forms, dead code: on SSA */
void amd_mir_schedule(struct mir_program *program); /* before allocation: latency against pressure */
void amd_mir_liveness(struct mir_program *program); /* kill flags, pressure per block */
void amd_mir_spill(struct mir_program *program);    /* until the pressure fits; calls name what lives across them */
void amd_mir_allocate(struct mir_program *program); /* registers; phis become copies */
void amd_mir_lower(struct mir_program *program); /* pseudo instructions to instructions; jump threading, empty blocks */
void amd_mir_schedule_allocated(struct mir_program *program); /* the order again, on registers */
void amd_mir_insert_waits(struct mir_program *program);       /* s_waitcnt, hazards, s_clause */

struct mir_code {
    uint32_t *words;
    uint32_t count_dw; /* code, then padding and constant data */
    uint32_t code_size_dw;
};
void amd_mir_emit(struct mir_program *program, struct mir_code *code_out); /* into the program's arena */

/* Figures that the driver reports as pipeline statistics. */
struct amd_statistics {
    uint32_t sgprs, vgprs, spilled_sgprs, spilled_vgprs, code_size_B, lds_size_B, scratch_size_B, subgroups_per_simd;
    uint32_t instructions, branches, valu, salu, vmem, vmem_clauses, smem, smem_clauses, copies, presched_sgprs,
        presched_vgprs;
    uint32_t latency, inverse_throughput;
};
/* From code alone, so that the same estimator judges other compilers' binaries. `resources` are known from their
 * headers. */
void amd_statistics_of_code(enum isa_gfx gfx, unsigned wave_size, const uint32_t *words, uint32_t count_dw,
                            struct amd_statistics *out);

#endif
