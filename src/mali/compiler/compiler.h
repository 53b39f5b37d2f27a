/* The Valhall compiler as a driver and the tools see it: a shader of the shared IR in; machine code, the uniforms that
 * it reads and what the descriptors must say about it out. docs/mali-compiler.md has the reasons.
 *
 * How a program sees its resources. A handle is a word: the number of a resource table in bits 31:24, the index of a
 * descriptor of 32 bytes below. Table MALI_DRIVER_TABLE is the driver's own; descriptor set n is table
 * MALI_FIRST_SET_TABLE + n. Descriptors by type of binding:
 *
 *   uniform and storage buffer    BUFFER, SIMPLE: ADDRESS and SIZE. What is outside of it reads as zero, and is not
 *                                 written
 *   texel buffer, of both kinds   BUFFER, STRUCTURE: STRIDE is the size of a texel, SIZE a multiple of it, CONVERSION
 *                                 the pixel format (as the upper word of BLEND without a register format)
 *   sampled image                 TEXTURE
 *   sampler                       SAMPLER
 *   combined                      TEXTURE, and SAMPLER right after it
 *   storage image                 TEXTURE of one level, the swizzle is the identity; a cube is an array of 2D layers
 *   input attachment              TEXTURE
 */
#ifndef MALI_COMPILER_COMPILER_H
#define MALI_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/bindings.h"
#include "compiler/ir/ir.h"
#include "util/record.h"

struct ir_target;

/* What Valhall (v10) has, for the optimiser and the shared lowering passes. */
const struct ir_target *mali_target(void);

/* ---- resources ---- */

#define MALI_MAX_SETS 8
#define MALI_DRIVER_TABLE 0
#define MALI_FIRST_SET_TABLE 1
#define MALI_MAX_TABLES (MALI_FIRST_SET_TABLE + MALI_MAX_SETS)

/* The driver's table: ATTRIBUTE descriptors by location (vertex stage), a sampler for texel fetches, then what the
 * driver puts there: descriptors of dynamic buffers, buffers of vertices. */
#define MALI_MAX_ATTRIBUTES 32
#define MALI_MAX_POINT_SIZE 1024 /* what a vertex shader asks for beyond it is cut off */
#define MALI_DRIVER_ATTRIBUTES 0
#define MALI_DRIVER_SAMPLER 32 /* nearest, not normalised; read by programs with uses_driver_sampler */
#define MALI_DRIVER_FREE 33    /* the driver's own from here on */

/* ---- uniforms (FAU) ----
 *
 * The program reads words u0, u1, … The driver fills them in three runs, in this order: push constants, system values,
 * numbers of the program. All counts are words; the sum is even, for FAU is counted in entries of 64 bits. */

enum mali_sysval {
    /* all stages */
    MALI_SYSVAL_PUSH_ADDRESS, /* 2: where the push constants are in memory, as a whole: read with an index */
    MALI_SYSVAL_DATA_ADDRESS, /* 2: of the constant data, code_size_B after the start of the binary */
    /* compute */
    MALI_SYSVAL_WORKGROUPS,     /* 3 */
    MALI_SYSVAL_WORKGROUP_BASE, /* 3: of vkCmdDispatchBase; only with has_workgroup_base */
    /* vertex. r60 and r61 have the bases added: VERTEX_OFFSET and INSTANCE_OFFSET of the draw */
    MALI_SYSVAL_VIEWPORT_SCALE,  /* 3 floats: pixels and depth = clip / w * scale + offset */
    MALI_SYSVAL_VIEWPORT_OFFSET, /* 3 floats */
    MALI_SYSVAL_BASE_VERTEX,     /* 1: firstVertex, or vertexOffset of an indexed draw */
    MALI_SYSVAL_BASE_INSTANCE,   /* 1 */
    MALI_SYSVAL_NOPERSPECTIVE,   /* 1: fs.noperspective of the fragment stage, where the layout was not given */
    /* fragment */
    MALI_SYSVAL_SAMPLES,         /* 1: samples of a pixel */
    MALI_SYSVAL_BLEND_CONSTANTS, /* 4 floats: for blend shaders that the program may call */
    MALI_SYSVAL_INPUT_0,         /* 2: input attachment 0 and the MALI_MAX_INPUTS - 1 after it, see below */
    MALI_SYSVAL_COUNT = MALI_SYSVAL_INPUT_0 + 8,
};
extern const uint8_t mali_sysval_words[MALI_SYSVAL_COUNT];

#define MALI_FAU_WORDS_MAX 256
#define MALI_FAU_UNUSED 0xffff

struct mali_fau_layout {
    uint16_t push_offset_B;             /* of the push constants that u0 begins with */
    uint16_t push_words;                /* u0 … */
    uint16_t sysval[MALI_SYSVAL_COUNT]; /* their first word; MALI_FAU_UNUSED: not read */
    uint16_t first_immediate;           /* `immediates` of the binary go here */
    uint16_t words;                     /* all of them; even */
};

/* Where the pixels of an input attachment are. The first word is zero: in memory, where its descriptor says. Else in the
 * tile, and the words are LD_TILE's: MALI_INPUT_OWN_PIXEL with the number of the render target in bits 15:8, and the
 * internal conversion descriptor with the register format of integers in it. Zero as the second word: depth, or stencil
 * where the program reads integers. */
#define MALI_MAX_INPUTS (MALI_SYSVAL_COUNT - MALI_SYSVAL_INPUT_0) /* those with larger numbers are in memory */
#define MALI_INPUT_OWN_PIXEL 0xff000000u

/* ---- varyings ----
 *
 * A vertex's packet is what the varying shader stores and LD_VAR_BUF reads. Both stages must be compiled with the same
 * layout. */

#define MALI_MAX_VARYINGS 32
#define MALI_VARYING_NONE 0xffff

struct mali_varying_layout {
    uint16_t offset_B[MALI_MAX_VARYINGS]; /* by Location, of component 0, four bytes a component; MALI_VARYING_NONE */
    uint32_t noperspective; /* by Location: the vertex shader multiplies by w, the fragment shader by 1/w */
    uint16_t size_B;        /* a multiple of 16 (PRIMITIVE_SIZE's "varying size") */
};

/* Room for what the fragment shader reads and no more; before it is compiled, after the stages were linked. */
void mali_varyings_of_fragment(const struct ir_shader *fragment, struct mali_varying_layout *layout_out);
/* Location n at 16 n: for stages that are compiled without knowing one another. */
void mali_varyings_by_location(struct mali_varying_layout *layout_out);

/* ---- options ---- */

/* What the compiler must know of a stage's surroundings. NULL in mali_compile_options: all zero. */
struct mali_stage_options {
    const struct mali_varying_layout *varyings; /* vertex and fragment; NULL: mali_varyings_by_location() */
    struct {
        uint8_t view_mask; /* 0: no multiview; else outputs of each view are stored, view by view */
    } vs;
    struct {
        bool is_per_sample;     /* one invocation for each sample, whatever the shader says */
        uint8_t blend_shaders;  /* targets whose blend descriptor may name a blend shader: their BLEND is followed by
                                    the code that calls it */
        uint8_t samples;        /* of a pixel; 0: not known, read from MALI_SYSVAL_SAMPLES */
        uint8_t target_bits[8]; /* 16 or 32 bits of the colours that a target takes; 0: 32 */
    } fs;
};

/* How much of a store to a storage buffer is looked at; what is outside goes nowhere. */
enum mali_store_check {
    MALI_STORE_CHECK_WORDS,   /* every word: robustBufferAccess2 */
    MALI_STORE_CHECK_VECTORS, /* the first word of a vector that is aligned to its size: robustBufferAccess, where other
                                 memory that is bound to the buffer may change */
    MALI_STORE_CHECK_FIRST,   /* the first word of any vector: no robustness */
};

struct mali_compile_options {
    const struct ir_set_layout *sets;
    uint32_t num_sets;
    const struct mali_stage_options *stage;
    enum mali_store_check store_check;
    bool checks_loads;       /* words of a load from a buffer are inside or outside of it each by itself:
                                robustBufferAccess2. Otherwise all of a load is nothing where a part is outside */
    uint16_t max_registers;  /* 0: 64. For tests of spilling */
    bool has_workgroup_base; /* MALI_SYSVAL_WORKGROUP_BASE may be other than zero */
    bool no_optimisation;    /* every pass that is not needed for correctness is left out */
    bool keep_text;          /* keep what TUFF_DEBUG would print */
};

/* ---- what comes out ---- */

/* A program of a binary: what its SHADER_PROGRAM descriptor says. */
struct mali_program {
    uint32_t offset_B;      /* in the code; BINARY = address + this. A multiple of 128 */
    uint32_t size_B;        /* 0: there is no such program */
    uint8_t registers;      /* 32 or 64: REGISTER_ALLOCATION */
    uint16_t preload;       /* PRELOAD: bit n is r(48 + n) */
    bool flushes_denormals; /* FLUSH_TO_ZERO_MODE */
    bool has_jump;          /* CONTAINS_JUMP_EX: BRANCHZI */
};

struct mali_shader_config {
    /* Compute and fragment: main. Vertex: main places vertices (its SHADER_PROGRAM goes to register 16 of RUN_IDVS),
     * `varying` writes the packet (register 18); size_B 0 of `varying`: nothing is read of it. Both read the same FAU. */
    struct mali_program main, varying;
    struct mali_fau_layout fau;
    uint32_t local_size_B;   /* WLS: of a workgroup */
    uint32_t private_size_B; /* TLS: of a thread, a multiple of 16 */
    uint16_t tables_used;    /* resource tables that the code reads, by number */
    bool writes_memory;      /* buffers or images */
    bool uses_driver_sampler;
    struct {
        uint16_t workgroup_size[3];
        bool has_barrier;
        bool may_merge; /* ALLOW_MERGING_WORKGROUPS: nothing of a workgroup is shared */
    } cs;
    struct {
        uint32_t attributes_read; /* by location */
        bool writes_point_size;   /* the extended position format: 32 bytes, size as a half at 16, layer at 18 */
        bool writes_layer;
        bool is_extended;        /* either of them */
        uint16_t varying_size_B; /* of a vertex's packet */
    } vs;
    struct {
        uint8_t targets_written; /* by number; with is_dual_source target 0 alone */
        uint8_t target_base[8];  /* enum ir_base of the colour */
        bool is_dual_source;
        bool may_call_blend_shader;
        bool writes_depth, writes_stencil, writes_mask;
        bool has_discard; /* coverage may shrink: no early depth write, no forward pixel kill of others */
        bool early_tests; /* the shader asks for them */
        bool post_depth_coverage;
        bool is_per_sample;  /* EVALUATE_PER_SAMPLE */
        bool needs_helpers;  /* REQUIRES_HELPER_THREADS: derivatives, quads, samples with a computed level */
        uint8_t inputs_read; /* MALI_SYSVAL_INPUT_0 …: LD_TILE where they are in the tile, no forward pixel kill */
        bool reads_input_memory;   /* there are input attachments that it cannot read from the tile */
        uint32_t noperspective;    /* by Location: varyings that are linear on the screen */
        bool reads_frame_argument; /* the low word of FRAME_ARGUMENT is the layer or view that is drawn */
        enum ir_depth_layout depth_layout;
    } fs;
};

struct mali_binary {
    uint64_t *words; /* malloc'ed; constant data follows the code. Goes to an address that is a multiple of 128 */
    uint32_t size_B, code_size_B;
    uint32_t *immediates; /* malloc'ed: num_immediates words of FAU from fau.first_immediate on */
    uint32_t num_immediates;
    struct mali_shader_config config;
    char *ir_text, *disassembly; /* NULL unless keep_text */
};

/* False with a reason. The shader is consumed by passes but still the caller's to destroy. */
bool mali_compile(struct ir_shader *shader, const struct mali_compile_options *options, struct mali_binary *binary_out,
                  char error_out[256]);
void mali_binary_finish(struct mali_binary *binary);

/* ---- as bytes ---- */

/* The fields of what a binary says of itself, with their ranges. */
extern const struct record mali_config_record;
/* NULL, or which part of a binary that may come from outside does not fit the others or its stage. The fields are in
 * their ranges. */
const char *mali_binary_wrong(const struct mali_binary *binary, enum ir_stage stage);

/* ---- figures ---- */

/* Of any code of the set; loops are counted once. */
struct mali_statistics {
    uint32_t instructions; /* all that are there */
    uint32_t nops, moves;
    uint32_t messages;         /* memory, textures, varyings, tests: what leaves the execution engine */
    uint32_t private_accesses; /* of them, those of a thread's own memory: spills and arrays */
    uint32_t waits;            /* instructions after which slots are waited for */
    uint32_t registers;        /* that are named */
    uint32_t loops;            /* branches backwards */
    bool has_all_registers;    /* 64: half as many warps fit */
};
void mali_statistics_of_code(const uint64_t *words, uint32_t count, struct mali_statistics *statistics_out);

/* ---- blend shaders ---- */

/* Which numbers a target has beside those of enum ir_base: what a colour is clamped to before the equation. */
enum mali_blend_range {
    MALI_BLEND_ANY,   /* floats, integers */
    MALI_BLEND_UNORM, /* 0 to 1 */
    MALI_BLEND_SNORM, /* -1 to 1 */
};

/* What a blend shader does that the fixed function cannot. The numbers are Vulkan's: VkBlendFactor, VkBlendOp,
 * VkLogicOp. */
struct mali_blend_key {
    uint8_t target;      /* render target */
    uint8_t samples;     /* 1 to 16 */
    uint8_t source_bits; /* 16 or 32: registers of the colour */
    uint8_t base;        /* enum ir_base of the colour */
    uint8_t range;       /* enum mali_blend_range */
    uint32_t conversion; /* of LD_TILE and ST_TILE: the internal conversion descriptor without register format */
    bool is_blending, has_logic_op;
    uint8_t logic_op;
    uint8_t color_op, src_color, dst_color, alpha_op, src_alpha, dst_alpha;
    uint8_t write_mask;
    bool is_srgb;            /* the target's colours are encoded in the tile */
    bool is_alpha_one;       /* alphas of the sources are one */
    bool is_signed;          /* of a float colour with a logic operation: snorm, else unorm */
    uint8_t channel_bits[4]; /* of the target's format, for logic operations; 0: it has no such channel */
};

/* A binary whose main program BLEND's SHADER_PC names: it is called with colours in r0 to r3 (second ones in r4 to r7),
 * returns through r48, keeps r16 to r63 and reads blend constants from the fragment program's FAU, `constants_word` on. */
bool mali_compile_blend(const struct mali_blend_key *key, uint16_t constants_word, struct mali_binary *binary_out,
                        char error_out[256]);

#endif
