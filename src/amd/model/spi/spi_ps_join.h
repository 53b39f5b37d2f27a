/* Pixel shaders joined with what comes after them: one piece of host code from the first registers of a wave to the
 * dwords of the targets, made for a program and the state of the targets together and kept by both.
 *
 * That is for programs without loops. Their scalar part is the same for all waves of a draw: it runs once, before the
 * first. Their vector part runs for all lanes, whatever they are for; the masks of the quads say what is written. So no
 * wave is set up, and no register is stored that nothing reads. Between pieces of host code image instructions run as
 * they do elsewhere.
 *
 * Branches by lanes are not taken: exec is a value of the lane program that begins with all lanes, and what an
 * instruction writes is chosen by it. Code that waves without an active lane would skip runs nevertheless, which
 * changes nothing as long as exec stays a part of what it was (amd/model/sq/sq_whole_find.c has the rules), or, if it
 * is long, stands between two pieces and is skipped. Lanes that are killed are missing in exec at the end.
 *
 * What has no lowering runs as micro-operations between pieces, for the lanes that are active there: stores, atomics,
 * private memory, what lanes have of each other, 64-bit arithmetic. In programs that have such exec begins with the
 * pixels that are drawn, and not with all lanes. Depths and masks that a program exports are rows, which the late tests
 * look at, and so is the first colour where its alpha becomes coverage. Where several samples blend, that is a piece of
 * its own, which runs for one sample after the other.
 *
 * Not for: loops; strict mode; hosts without host code. Those waves go through spi_ps_wave.c, which gives the same
 * results. */
#ifndef AMD_MODEL_SPI_PS_JOIN_H
#define AMD_MODEL_SPI_PS_JOIN_H

#include <stddef.h>

#include "amd/model/cb/cb.h"
#include "amd/model/sq/sq_jit_build.h"
#include "amd/model/sq/sq_workgroup.h"
#include "model/pixel/pixel_join.h"

struct spi_ps_target {
    uint8_t target, export, output; /* enum cb_output */
    bool is_dual, is_alpha_one, is_srgb, is_by_sample;
    uint8_t from[4];
    uint32_t format; /* enum format, where the output needs it */
    /* Of CB_OUTPUT_WORDS and CB_OUTPUT_MIXED: */
    uint8_t export_format, rop_code;
    bool blends, rop;
    struct pixel_equation color, alpha; /* where terms say less */
    uint8_t bits[CB_MAX_ELEMENT_B];
    float clamp_min, clamp_max;
    struct pixel_term source[4], destination[4];
};

/* The state that a joined program depends on. Bytes that are not used are zero: keys are compared as memory. */
struct spi_ps_key {
    uint64_t hash; /* of the rest; 0: no program can be joined in this state */
    uint64_t program_va;
    uint32_t mode, lanes, shared_vgprs;
    uint32_t keeps_first; /* not 0: the first export stays as rows, for its alpha becomes coverage */
    uint32_t target_count;
    struct spi_ps_target targets[CB_TARGETS];
};

static inline size_t spi_ps_key_size_B(const struct spi_ps_key *key)
{
    return offsetof(struct spi_ps_key, targets) + key->target_count * sizeof(key->targets[0]);
}

#define SPI_PS_SCALARS 128
#define SPI_PS_MASKS 24 /* lane masks that are kept between segments */
#define SPI_PS_GUARDS 8
#define SPI_PS_PATHS 4 /* joined programs of one key */

/* A branch by a scalar that the program was followed through. */
struct spi_ps_guard {
    uint8_t scalars; /* how many have run before it */
    bool scc;
};

/* The step after a segment's code, before its micro-operations. */
struct spi_ps_step {
    bool has_exec;    /* exec is what the code has left there, of the quads' lanes */
    bool is_guarded;  /* the micro-operations are for waves with an active lane */
    bool is_of_host;  /* the code rounds and flushes as the host does */
    uint8_t targets;  /* not 0: after all tests, for each sample of these, which blends by itself */
    uint8_t skips_to; /* not 0: where a wave without an active lane goes on */
};

struct spi_ps_joined {
    struct pixel_joined base; /* inputs of its segments: struct sq_jit_inputs; micro-operations: image instructions */
    struct spi_ps_key key;
    uint32_t exports;            /* one bit per export that the program makes */
    uint32_t as_rows;            /* of those, the ones that it leaves as rows */
    struct spi_ps_joined *other; /* of the same key, by another way through the program's branches; may be NULL */
    uint32_t guard_count;
    struct spi_ps_guard guards[SPI_PS_GUARDS];
    bool has_z;                                  /* depths, stencil or masks are exported */
    bool is_of_launched[2];                      /* by variant: exec begins with the pixels that are drawn */
    bool kills;                                  /* exec says at the end which lanes are left */
    bool changes_exec;                           /* so it does, or between segments */
    struct spi_ps_step steps[2][PIXEL_SEGMENTS]; /* of each variant's segments */
    bool looks_at_lanes; /* a scalar in the vector part may be made of what a wave's lanes have */
    bool overwrites;     /* the vector part writes scalar registers that the next wave must find as they were */
    uint32_t scalar_count;
    const struct sq_uop *scalars[SPI_PS_SCALARS];
    struct spi_ps_aside *asides; /* of these (spi_ps_join_scalar.c) */
};

/* Outputs of a joined program, after the VGPRs of its wave. */
struct spi_ps_output {
    /* By target; before it, those of memory. More than one are of CB_OUTPUT_PAIRS, CB_OUTPUT_WORDS and
     * CB_OUTPUT_MIXED. */
    uint32_t codes[CB_TARGETS][4][CB_MAX_LANES] __attribute__((aligned(64)));
    struct cb_exports exports;                                               /* of targets whose output is rows */
    uint32_t z[4][CB_MAX_LANES] __attribute__((aligned(64)));                /* what goes to the late tests */
    uint32_t masks[SPI_PS_MASKS][CB_MAX_LANES] __attribute__((aligned(64))); /* between segments */
};

#define SPI_PS_VGPR_ROWS (256 + 16) /* as sq_workgroup.c has them */

static inline struct spi_ps_output *spi_ps_output_of(struct sq_wave *wave)
{
    return (struct spi_ps_output *)((char *)wave + sizeof(*wave) + (size_t)SPI_PS_VGPR_ROWS * LANES_MAX * 4);
}

/* Make the code of a variant; its state says whether there is some from now on. `wave` stands at its first instruction.
 */
void amd_spi_ps_join(struct spi_ps_joined *joined, bool is_one, const struct cb_state *cb, struct sq_wave *wave);

#endif
