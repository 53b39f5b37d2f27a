/* The RDNA compiler as the driver and the tools see it: a shader of the shared IR in, machine code with its resource
 * figures out. What a shader expects in its registers when it starts is stated in args.h, which the driver fills and
 * the compiler reads. */
#ifndef AMD_COMPILER_COMPILER_H
#define AMD_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amd/compiler/args.h"
#include "amd/isa/isa.h"
#include "compiler/ir/ir.h"
#include "util/record.h"

struct amd_statistics;
struct ir_target;

/* The generation's abilities, for the optimiser and the shared lowering passes. */
const struct ir_target *amd_target(enum isa_gfx gfx);

/* Where a binding's descriptor lies in its set. Descriptors are raw hardware words in memory. */
struct amd_binding_layout {
    uint32_t offset_B;
    uint32_t stride_B; /* from one array element to the next */
    /* of a combined image and sampler: the sampler's words after the image's; 0 of all others */
    uint32_t sampler_offset_B;
    bool dynamic; /* descriptors of dynamic buffers lie in the push area: offset_B counts from there */
    const uint32_t *immutable_samplers; /* 4 words each; NULL where there are none */
    bool embedded;                      /* the sampler is one, is immutable and is nowhere in memory */
    /* An inline block whose bytes begin at offset_B, without a descriptor in memory: a buffer over them at this place
     * of a set at address 0. */
    bool bare;
    uint32_t bare_words[4];
};

struct amd_set_layout {
    const struct amd_binding_layout *bindings; /* by binding number */
    uint32_t num_bindings;
};

struct amd_compile_options {
    enum isa_gfx gfx;
    uint8_t wave_size;     /* 32 or 64 */
    uint32_t address32_hi; /* upper half of every 32-bit pointer */
    const struct amd_set_layout *sets;
    uint32_t num_sets;
    bool no_optimisation; /* every pass that is not needed for correctness is left out: differential tests */
    bool keep_text;       /* keep what TUFF_DEBUG would print, for executable properties */
    const struct amd_stage_options *stage; /* args.h: vertex formats, outputs' formats, what the next stage reads */
};

struct amd_binary {
    uint32_t *words; /* code and constant data; position-independent. malloc'ed */
    uint32_t size_B, code_size_B;
    struct amd_shader_config config; /* args.h: register counts, mode bits, user SGPR places */
    struct amd_statistics *statistics;
    char *ir_text, *disassembly; /* NULL unless keep_text */
};

/* False with a reason. The shader is consumed by passes but still the caller's to destroy. */
bool amd_compile(struct ir_shader *shader, const struct amd_compile_options *options, struct amd_binary *binary_out,
                 char error_out[256]);
/* A vertex shader and the geometry shader after it as one, which amd_compile takes with stage->gs.layout set to what is
 * given back here. NULL with a reason; both stay as they are. The caller destroys the result.
 * A geometry shader with a ring (amd_geometry_has_ring) is compiled in waves of 64, and `copy_out` is the vertex shader
 * of what it emits, which is compiled with vs.legacy; otherwise it is NULL. Without `copy_out` nothing is captured. */
bool amd_geometry_has_ring(const struct ir_shader *geometry, const struct amd_stage_options *stage);
struct ir_shader *amd_merge_geometry(const struct ir_shader *vertex, const struct ir_shader *geometry,
                                     const struct amd_compile_options *options, struct amd_geometry_layout *layout_out,
                                     struct ir_shader **copy_out, char error_out[256]);

/* A mesh shader as the hardware runs it, which amd_compile takes with stage->gs.layout set to what is given back here.
 * NULL with a reason; the shader stays as it is. The caller destroys the result. */
struct ir_shader *amd_lower_mesh(const struct ir_shader *mesh, const struct amd_compile_options *options,
                                 struct amd_geometry_layout *layout_out, char error_out[256]);

/* A task shader as a compute shader that ends by writing to the ring. The same. */
struct ir_shader *amd_lower_task(const struct ir_shader *task, const struct amd_compile_options *options,
                                 char error_out[256]);

/* Tessellation is two programs. The vertex and the control shader are one, which amd_compile takes; the evaluation
 * shader becomes a vertex shader, for amd_compile with stage->is_evaluation or for amd_merge_geometry. Both want
 * stage->tess, which amd_tess_layout fills; in_points 0: dynamic. NULL with a reason; the stages stay as they are. The
 * caller destroys the results. */
void amd_tess_layout(const struct ir_shader *vertex, const struct ir_shader *control,
                     const struct ir_shader *evaluation, uint32_t in_points, struct amd_tess_layout *layout_out);
struct ir_shader *amd_merge_hull(const struct ir_shader *vertex, const struct ir_shader *control,
                                 const struct amd_compile_options *options, char error_out[256]);
struct ir_shader *amd_lower_evaluation(const struct ir_shader *evaluation, const struct amd_compile_options *options,
                                       char error_out[256]);

/* Ray tracing pipelines. Every shader of theirs is compiled alone by amd_compile and is a function; this one, which a
 * device has one of, sends rays for them and is compiled as they are (trace_layout.h says what memory they find). All
 * have one wave size. NULL with a reason; the caller destroys it. */
struct ir_shader *amd_trace_traversal(char error_out[256]);

/* Parts that are put together at draw time, for dynamic state. A vertex prolog starts with the registers of the
 * shader that it is for (compiled with vs.prolog), loads its attributes and goes on at user SGPRs main_pc; the
 * driver starts the prolog instead of the shader, with at least num_vgprs of both. */
struct amd_prolog_key {
    const struct amd_shader_config *main;
    struct amd_vertex_attribute attributes[AMD_MAX_ATTRIBUTES];
};
bool amd_compile_prolog(const struct amd_prolog_key *key, const struct amd_compile_options *options,
                        struct amd_binary *binary_out, char error_out[256]);

/* A shader compiled with fs.epilog continues in a fragment epilog, at user SGPRs epilog_pc. Its config has the
 * export formats. */
struct amd_epilog_key {
    uint16_t targets;   /* the shader's epilog_targets */
    bool exports_depth; /* the shader exported depth, stencil or mask already */
    struct amd_fs_options fs;
};
bool amd_compile_epilog(const struct amd_epilog_key *key, const struct amd_compile_options *options,
                        struct amd_binary *binary_out, char error_out[256]);

void amd_binary_finish(struct amd_binary *binary);

/* ---- as bytes ---- */

/* The fields of what a binary says of itself, with their ranges. */
extern const struct record amd_config_record, amd_statistics_record;
/* NULL, or which part of a binary that may come from outside does not fit the others or its stage. The fields are in
 * their ranges. A stage that is part of another's program has no code. */
const char *amd_binary_wrong(const struct amd_binary *binary, enum ir_stage stage);

#endif
