/* Inside the texture unit: a group of up to 64 lanes that have the same descriptors, while its instruction runs. */
#ifndef ADRENO_MODEL_TPL1_UNIT_H
#define ADRENO_MODEL_TPL1_UNIT_H

#include "adreno/model/coherence.h"
#include "adreno/model/tpl1/image.h"
#include "model/memory.h"
#include "util/strbuf.h"

struct tpl1 {
    struct tpl1_cache *cache;
    struct strbuf problem;
    bool has_problem, is_fault;
    uint64_t fault_va;
};

#define TPL1_UNIT_ROWS 24

struct tpl1_unit {
    struct tex_query q; /* first: model/texture hands it back */
    struct tpl1 *tpl1;
    const struct tpl1_state *state;
    const struct tpl1_request *request;
    const struct tpl1_image *image;
    const struct tpl1_sampler *sampler; /* NULL: the instruction has none */
    struct tex_sampler tex_sampler;
    unsigned first_lane; /* of the wave: 0 or 64 */
    unsigned rows_used;
    const struct tpl1_plane *plane;           /* the one of a video format that is sampled; NULL: the image itself */
    uint32_t active[LANES_MAX];               /* q.exec_lanes */
    uint32_t rows[TPL1_UNIT_ROWS][LANES_MAX]; /* registers that had to be made */
};

/* Report why the instruction stops, and with which descriptor. Returns false. */
bool adreno_tpl1_stop(struct tpl1 *tpl1, const struct tpl1_image *image, const char *why);
bool adreno_tpl1_stop_fault(struct tpl1 *tpl1, const struct tpl1_image *image, uint64_t va);

/* An access, as the shader core's UCHE sees it. An atomic counts as a write alone: its order is the programmer's. */
static inline void adreno_tpl1_note(struct coherence_actor *coherence, uint64_t va, uint64_t size_B, unsigned need)
{
    if (__builtin_expect(coherence == NULL, 1))
        return;
    if (need & GPU_PERM_WRITE)
        coherence_write(coherence, ADRENO_CLIENT_SHADER, 0, va, size_B);
    else
        coherence_read(coherence, ADRENO_CLIENT_TEXTURE, 0, va, size_B);
}

/* ---- registers (request.c) ---- */

/* Register n of a source: floats or integers, widened where it is half. */
const uint32_t *adreno_tpl1_source(struct tpl1_unit *u, const struct tpl1_rows *from, unsigned n, bool is_float);

/* Texels to the destination: the descriptor's swizzle, the mask, the type. */
void adreno_tpl1_return(const struct tpl1_unit *u, const union tex_texel texels[LANES_MAX]);
/* Returns rows of X, Y, Z and W. */
void adreno_tpl1_return_rows(const struct tpl1_unit *u, const struct tex_result *result);
/* Words to component n, without a swizzle. */
void adreno_tpl1_return_words(const struct tpl1_unit *u, unsigned n, const uint32_t *row);
/* The constant of a selector that names no component: 0, or 1 of the image's kind of numbers. */
uint32_t adreno_tpl1_constant(const struct tpl1_unit *u, unsigned selector);
/* Component n of what the shader sees. */
void adreno_tpl1_swizzled(const struct tpl1_unit *u, unsigned n, const union tex_texel texels[LANES_MAX],
                          uint32_t row_out[LANES_MAX]);

/* How many registers of src0 coordinates are, and where what follows them is. */
unsigned adreno_tpl1_coordinates(const struct tpl1_request *request);

/* ---- cubes (cube.c) ---- */

/* The face that each lane's direction meets, and where, in [0, 1]. Rows of coordinates are others than those of
 * results. */
void adreno_tpl1_cube(uint32_t face[LANES_MAX], float s[LANES_MAX], float t[LANES_MAX], const tex_float *x,
                      const tex_float *y, const tex_float *z);

/* ---- texels (locate.c) ---- */

/* Where elements are. `at` stays what it was in lanes that read zero and drop writes. False: stopped. */
bool adreno_tpl1_locate_lanes(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                              const struct tex_rows *rows, uint64_t lanes, unsigned need, uint8_t *at[LANES_MAX]);

/* Texels, as the format has them (X, Y, Z, W). Lanes that are not of `lanes` are those of zero bytes. */
bool adreno_tpl1_texels(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                        const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX]);

/* Samples of video formats: luma, Cb, Cr; or those that one plane has, by its own coordinates (video.c). */
bool adreno_tpl1_video(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                       const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX]);
bool adreno_tpl1_plane(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_image *image,
                       const struct tpl1_plane *plane, const struct tex_rows *rows, uint64_t lanes,
                       union tex_texel out[LANES_MAX]);

extern const struct tex_ops adreno_tpl1_ops;

/* ---- instructions ---- */

bool adreno_tpl1_sample(struct tpl1_unit *u);
/* Rows of the query, whichever way is the shortest. False: stopped. */
bool adreno_tpl1_sample_rows(struct tpl1_unit *u, const struct tex_coords *c, struct tex_result *result);
bool adreno_tpl1_sample_video(struct tpl1_unit *u, const struct tex_coords *c);
bool adreno_tpl1_fetch(struct tpl1_unit *u);
bool adreno_tpl1_query(struct tpl1_unit *u);

/* Of a pixel with so many samples where it has no places of its own: sixteenths. */
const uint8_t *adreno_tpl1_sample_pos(unsigned samples_log2, unsigned sample);

#endif
