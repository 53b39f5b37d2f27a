/* TPL1, the texture unit of A6xx: what instructions of category 5 ask of it, and images that category 6 loads and
 * stores. A request names rows of lanes and finds descriptors by a callback; nothing here knows a wave, so that the
 * shader core, the prefetch of a fragment shader and tests all ask in the same way.
 *
 *   image.h    descriptors decoded and kept by their own words; format.h what their formats are
 *   request.c  an instruction's registers to coordinates; groups of lanes with the same descriptors; results
 *   sample.c   sam*, gather4, getlod by model/texture
 *   load.c     isam*, queries
 *   store.c    images of category 6
 *   locate.c   where texels are in memory or in GMEM, and what they are; video.c for luma and chroma
 *
 * Not here: dsx, dsy, quad_shuffle and broadcasts, which look at lanes alone; which memory a descriptor comes from
 * (hlsq). */
#ifndef ADRENO_MODEL_TPL1_H
#define ADRENO_MODEL_TPL1_H

#include <stdbool.h>
#include <stdint.h>

#include "adreno/hw/chip.h"
#include "model/lanes.h"

struct coherence_actor;
struct gpu_space;

/* ---- state ---- */

#define TPL1_IMAGE_DW 16 /* of an image's, buffer's or planar image's descriptor */
#define TPL1_SAMPLER_DW 4

/* State that a launch fixes: registers and memory. The same for all waves of it. */
struct tpl1_state {
    const struct adreno_chip *chip;
    const struct gpu_space *space;
    struct coherence_actor *coherence; /* NULL: nothing is looked at */
    uint8_t *gmem;                     /* chip->gmem_size_B bytes at chip->gmem_base; NULL: there is none to look at */
    const uint8_t *gmem_written;       /* adreno_gpu's, in strict mode */
    uint64_t ubwc_changes;             /* adreno_gpu's */
    uint64_t border_va;                /* of BORDER_COLOR descriptors */
    uint32_t mode;                     /* TPL1_MODE_CNTL */
    uint32_t bin_height;               /* of layers in GMEM */
    uint32_t window_x, window_y;       /* the pixel that stands first in GMEM */
    uint16_t drawn_x0, drawn_y0;       /* the scissors of viewport 0, both ends included: outside are helpers alone */
    uint16_t drawn_x1, drawn_y1;
    uint8_t samples;                   /* of the rasteriser */
    uint8_t sample_pos[8][2];          /* of those samples: sixteenths of a pixel */
};

/* From the register file, by dword offset. */
void adreno_tpl1_state_init(struct tpl1_state *state, const struct adreno_chip *chip, const uint32_t *regs,
                            bool is_compute);

/* One for each worker: decoded descriptors and compressed blocks, and the text of a problem. Nothing needs
 * invalidating. NULL: out of memory. */
struct tpl1;
struct tpl1 *adreno_tpl1_create(void);
void adreno_tpl1_destroy(struct tpl1 *tpl1);

/* Why the last call returned false: one line, with the decoded descriptor where it is at fault. */
const char *adreno_tpl1_problem(const struct tpl1 *tpl1);
/* The address that could not be accessed; false: the problem is another one. */
bool adreno_tpl1_fault(const struct tpl1 *tpl1, uint64_t *va_out);

/* ---- registers ---- */

/* A register and those that follow it, as rows of lanes. A half register is a half of a row: the even one the lower
 * 16 bits of each lane. */
struct tpl1_rows {
    uint32_t *row;      /* of the first register */
    uint32_t stride_dw; /* from a row to the next */
    bool is_half;
    bool is_high; /* the first one is the upper half of its row */
};

/* ---- category 5 ---- */

enum tpl1_op {
    TPL1_ISAM,  /* a texel of level 0 by integers */
    TPL1_ISAML, /* of a level */
    TPL1_ISAMM, /* a sample of a texel */
    TPL1_SAM,
    TPL1_SAMB,  /* with a bias */
    TPL1_SAML,  /* of a level */
    TPL1_SAMGQ, /* with gradients */
    TPL1_GATHER4R,
    TPL1_GATHER4G,
    TPL1_GATHER4B,
    TPL1_GATHER4A,
    TPL1_GETLOD,
    TPL1_GETSIZE, /* x, y, z of a level, and layers */
    TPL1_GETBUF,  /* elements of a buffer */
    TPL1_GETPOS,  /* of a sample, by the image's count of them */
    TPL1_GETINFO, /* x: kind of the format, y: channels, z: levels - 1, w: samples */
    TPL1_RGETPOS, /* of a sample of the rasteriser */
    TPL1_RGETINFO,
    TPL1_SAMGP0, /* the same for one fiber of each quad */
    TPL1_SAMGP1,
    TPL1_SAMGP2,
    TPL1_SAMGP3,
    TPL1_CONV, /* no compiler uses it: it stops */
    TPL1_CONVM,
    TPL1_OP_COUNT,
};

/* The field `type` of categories 5 and 6, by its numbers. */
enum tpl1_type {
    TPL1_F16,
    TPL1_F32,
    TPL1_U16,
    TPL1_U32,
    TPL1_S16,
    TPL1_S32,
    TPL1_U8,
    TPL1_U8_32, /* a byte in a full register */
};

/* Finds the words of a descriptor. `is_sampler` says of which kind, `index` is the number that the instruction or the
 * lane's register has. The words stay where they are until the request ends; NULL: the request stops, and who called
 * has already reported why. */
typedef const uint32_t *(*tpl1_find_fn)(void *context, bool is_sampler, uint32_t index);

struct tpl1_request {
    uint8_t op;     /* enum tpl1_op */
    uint8_t type;   /* enum tpl1_type of the result; 16-bit ones go to half registers */
    uint8_t wrmask; /* components that are written; they keep their places, so .z goes to the third register */
    bool is_3d, is_array, is_shadow, is_projected; /* .3d .a .s .p */
    bool has_offsets;                              /* .o: the first components of src1 */
    bool has_clamp;                                /* .clp: the last one of src1 */
    bool is_vector;                                /* isam.v: components are elements that follow each other */
    bool is_1d;                                    /* isam.1d: one coordinate, without a y */
    bool has_immediate; /* isam: src1 is a number that is added to the coordinate, `immediate` */
    int32_t immediate;

    unsigned lanes; /* 64 or 128; quads are four from a multiple of four */
    struct lane_mask active;

    /* The instruction's registers as they are; a source that it does not have may be all zero. src0: coordinates (one
     * dimension has a y, too), reference, layer, divisor, sample; gradients from the fifth on. src1: offsets, level or
     * bias. */
    struct tpl1_rows src0, src1, dst;

    /* Numbers of the texture and of the sampler: the same for all lanes, or rows. */
    uint32_t texture, sampler;
    const uint32_t *texture_of, *sampler_of; /* NULL: uniform */
    tpl1_find_fn find;
    void *context;
};

/* False: stopped; adreno_tpl1_problem() has the text (or `find` failed, and it is NULL). Lanes that are not active, and
 * components that are not in the mask, keep what they have. */
bool adreno_tpl1_run(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_request *request);

/* ---- images of category 6 (IBO): ldib, stib, atomics, resinfo ---- */

struct tpl1_access {
    const uint32_t *words; /* the descriptor of all active lanes */
    uint8_t type;          /* enum tpl1_type */
    uint8_t coordinates;   /* of `coord`: 1 to 3; the layer of an array is the last one */
    uint8_t components;    /* that are loaded or stored */
    bool is_typed;         /* by the descriptor's format; else elements of the type that follow each other */
    unsigned lanes;
    struct lane_mask active;
    struct tpl1_rows coord; /* integers */
    int32_t offset;         /* that is added to the first coordinate */
    struct tpl1_rows data;  /* of loads the destination */
};

/* False: stopped. Outside of the image loads give zero and stores do nothing. */
bool adreno_tpl1_load(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access);
bool adreno_tpl1_store(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access);

/* The bytes of a buffer, whatever its format; false: the descriptor is none of a buffer that can be accessed. */
struct tpl1_buffer {
    uint64_t va, size_B;
    bool is_dwords; /* an element is a dword, and its first component as the shader sees it is that dword */
};
bool adreno_tpl1_buffer(struct tpl1 *tpl1, const struct tpl1_state *state, const uint32_t *words,
                        struct tpl1_buffer *buffer_out);

/* Where the element of each active lane is, for atomics of `size_B` bytes; NULL: outside, zero is returned and nothing
 * written. Lanes that are not active are not touched. */
bool adreno_tpl1_locate(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access,
                        unsigned size_B, uint8_t *at_out[LANE_MASK_LANES]);

/* Width, height, and depth or layers, for resinfo; of one dimension the layers come second, of a buffer the number of
 * elements first. */
bool adreno_tpl1_size(struct tpl1 *tpl1, const struct tpl1_state *state, const uint32_t *words, uint32_t size_out[3]);

#endif
