/* The texture unit and the attribute unit: what TEX_*, LD_TEX, LEA_TEX, LD_ATTR, LEA_ATTR, LD_CVT and ST_CVT ask. A
 * request names rows of lanes and finds descriptors by a callback; nothing here knows a warp, so that the shader core,
 * the fragment endpoint and tests all ask in the same way.
 *
 *   format.h   pixel formats: bits in memory to channels and back
 *   image.h    descriptors decoded and kept by their own words
 *   request.c  an instruction's registers to operands; groups of lanes with the same descriptors; results
 *   sample.c   TEX_SINGLE, TEX_GATHER, TEX_GRADIENT by model/texture
 *   load.c     TEX_FETCH, LD_TEX, LEA_TEX
 *   attribute.c, convert.c  LD_ATTR, LEA_ATTR; LD_CVT, ST_CVT
 *   locate.c   where texels are in memory and what they are
 *
 * Rows have MALI_TEX_LANES lanes, of up to four warps: quads are four from a multiple of four. Registers that follow
 * each other are rows that follow each other. Only lanes of `lanes` are asked for and written; derivatives look at
 * the other lanes of their quads, too.
 *
 * A handle is what a register of a program holds: the number of a resource table in bits 31:24, an index below. The
 * four tables from 60 on are the hardware's own; fields of 4 and 5 bits have them from 12 on. */
#ifndef MALI_MODEL_TEX_TEX_H
#define MALI_MODEL_TEX_TEX_H

#include <stdbool.h>
#include <stdint.h>

struct coherence_actor;
struct gpu_space;

#define MALI_TEX_LANES 64

/* ---- the unit ---- */

/* One for each worker: decoded descriptors and compressed blocks, and the text of a problem. Nothing needs
 * invalidating. NULL: out of memory. */
struct mali_tex;
struct mali_tex *mali_tex_create(void);
void mali_tex_destroy(struct mali_tex *tex);

/* From here on, whose accesses model/coherence looks at; NULL: none. */
void mali_tex_watch(struct mali_tex *tex, struct coherence_actor *actor);

/* Why the last call returned false, with the decoded descriptor where it is at fault. NULL: `find` failed,
 * and who called has already reported why. */
const char *mali_tex_problem(const struct mali_tex *tex);
/* The address that could not be accessed; false: the problem is another one. */
bool mali_tex_fault(const struct mali_tex *tex, uint64_t *va_out);

/* The eight words of the descriptor of a handle. They stay where they are until the call ends. A handle outside of its
 * table has a descriptor of zeros: what it describes reads as zero, and nothing is written. NULL: the request stops. */
typedef const uint32_t *(*mali_tex_find_fn)(void *context, uint32_t handle);

struct mali_tex_resources {
    const struct gpu_space *space;
    mali_tex_find_fn find;
    void *context;
    uint64_t epoch; /* of the run of work: textures are not written in it. 0: none is known */
};

/* The handle of a table's number as fields of 4 or 5 bits hold it. */
static inline uint32_t mali_tex_handle(uint32_t folded_table, uint32_t index)
{
    return (folded_table < 12 ? folded_table : folded_table + 48) << 24 | index;
}

/* The address of what is outside of an image or of a buffer: nothing can be mapped there or near it. A load from it
 * gives zero, a store or atomic does nothing. */
#define MALI_TEX_NOWHERE 0xffff800000000000ull

static inline bool mali_tex_is_nowhere(uint64_t va)
{
    return va >> 48 == 0xffff;
}

/* ---- TEX_* ---- */

enum mali_tex_op {
    MALI_TEX_FETCH,    /* a texel by integers */
    MALI_TEX_SINGLE,   /* a sample */
    MALI_TEX_GATHER,   /* four texels */
    MALI_TEX_GRADIENT, /* the level of detail alone: a gradient descriptor */
};

/* As the instruction's field has it. */
enum mali_tex_type {
    MALI_TEX_TYPE_F = 1,
    MALI_TEX_TYPE_U,
    MALI_TEX_TYPE_S,
};

enum mali_tex_dimension {
    MALI_TEX_1D,
    MALI_TEX_2D,
    MALI_TEX_3D,
    MALI_TEX_CUBE,
};

enum mali_tex_lod_mode {
    MALI_TEX_LOD_ZERO,
    MALI_TEX_LOD_COMPUTED,
    MALI_TEX_LOD_EXPLICIT = 4,
    MALI_TEX_LOD_COMPUTED_BIAS,
    MALI_TEX_LOD_GRDESC,
};

struct mali_tex_request {
    uint8_t op;        /* enum mali_tex_op */
    uint8_t type;      /* enum mali_tex_type of the result; a gradient's is a number of bits */
    bool is_32_bit;    /* else two components share a register */
    uint8_t mask;      /* components that are written, one after the other without holes */
    uint8_t dimension; /* enum mali_tex_dimension */
    bool has_wide_indices, is_array, has_offsets, is_shadow;
    bool has_integer_coordinates; /* of a gather */
    uint8_t component;            /* that a gather fetches */
    uint8_t lod_mode;             /* enum mali_tex_lod_mode, of MALI_TEX_SINGLE */
    /* of MALI_TEX_GRADIENT: the sources are derivatives, not coordinates */
    bool has_derivatives, is_bias_disabled, is_clamp_disabled;

    uint64_t lanes;

    /* Staging registers that are read, as many as the instruction's form has: x, y, z, layer, reference, offsets, level
     * or bias, gradient descriptor (two). A cube's x and y are those of a face, whose number is in the upper three bits
     * of x. Of a gradient with derivatives: x by x, x by y, y by x, … */
    const uint32_t *staging;
    /* The source of 64 bits: both handles in the lower word, or, wide, the sampler's there and the texture's above. */
    const uint32_t *source[2];
    uint32_t *result;
};

/* False: stopped. The staging registers may be among the results. */
bool mali_tex_run(struct mali_tex *tex, const struct mali_tex_resources *resources,
                  const struct mali_tex_request *request);

/* ---- attributes and images ---- */

/* The field "register format", as enum mali_regfmt of sc/warp.h has it. */
enum mali_tex_regfmt {
    MALI_TEX_REGFMT_AUTO = 0, /* 32 bits of the kind that the format has */
    MALI_TEX_REGFMT_F32 = 2,
    MALI_TEX_REGFMT_F16 = 3, /* two to a register, as all of 16 bits */
    MALI_TEX_REGFMT_S32 = 4,
    MALI_TEX_REGFMT_S16 = 5,
    MALI_TEX_REGFMT_U32 = 6,
    MALI_TEX_REGFMT_U16 = 7,
};

/* LD_TEX, LEA_TEX, LD_ATTR, LEA_ATTR. The handle is the same in all lanes of a request: a program whose lanes differ
 * asks once for each. */
struct mali_tex_access {
    uint32_t handle;    /* of a texture, or of an attribute */
    uint8_t regfmt;     /* enum mali_tex_regfmt; of loads */
    uint8_t components; /* 1 to 4; of loads */
    uint64_t lanes;
    /* Images: x and y, 16 bits each, of one dimension x alone; z or sample and layer. Attributes: vertex, instance. */
    const uint32_t *source[2];
    uint32_t attribute_offset; /* register 32 of the queue, which attributes with OFFSET_ENABLE add to the vertex */
    uint32_t *result;          /* rows; of LEA: address, its upper half, conversion */
};

bool mali_tex_load_image(struct mali_tex *tex, const struct mali_tex_resources *resources,
                         const struct mali_tex_access *access);
/* Outside of the image the address is MALI_TEX_NOWHERE. */
bool mali_tex_image_address(struct mali_tex *tex, const struct mali_tex_resources *resources,
                            const struct mali_tex_access *access);
bool mali_tex_load_attribute(struct mali_tex *tex, const struct mali_tex_resources *resources,
                             const struct mali_tex_access *access);
bool mali_tex_attribute_address(struct mali_tex *tex, const struct mali_tex_resources *resources,
                                const struct mali_tex_access *access);

/* LD_CVT, ST_CVT: memory at an address of each lane, in the format of a conversion word (BLEND's third dword without
 * the register format). `components`: 1 to 4. */
struct mali_tex_conversion {
    uint8_t regfmt, components;
    uint64_t lanes;
    const uint32_t *address[2];
    int32_t offset_B;
    const uint32_t *conversion; /* a row */
    const uint32_t *data;       /* of a store: rows */
    uint32_t *result;           /* of a load */
};

bool mali_tex_load_converted(struct mali_tex *tex, const struct gpu_space *space,
                             const struct mali_tex_conversion *conversion);
bool mali_tex_store_converted(struct mali_tex *tex, const struct gpu_space *space,
                              const struct mali_tex_conversion *conversion);

#endif
