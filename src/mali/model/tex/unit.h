/* Inside the texture unit: a group of lanes that have the same descriptors, while its instruction runs. */
#ifndef MALI_MODEL_TEX_UNIT_H
#define MALI_MODEL_TEX_UNIT_H

#include "mali/model/coherence.h"
#include "mali/model/tex/image.h"
#include "mali/model/tex/tex.h"
#include "model/exec/window.h"
#include "util/strbuf.h"

/* An attribute's descriptor and its buffer's, unpacked. */
struct mali_tex_attribute {
    bool is_known;
    uint32_t words[8], buffer_words[8];
    struct mali_desc_ATTRIBUTE d;
    struct mali_desc_BUFFER buffer;
    struct mali_pixel pixel;
};

#define MALI_TEX_WINDOWS 8
struct mali_tex {
    struct mali_tex_cache *cache;
    struct strbuf problem;
    bool has_problem, is_fault;
    uint64_t fault_va;
    struct coherence_actor *actor;            /* NULL: nothing is looked at */
    uint8_t client;                           /* of the request in hand: enum mali_client */
    struct mali_tex_attribute attributes[16]; /* by handle: those that were used last */
    /* Mapped memory around texels that were met before, of one address space. */
    struct exec_site windows[MALI_TEX_WINDOWS];
    const struct gpu_space *windows_space;
    unsigned next_window;  /* that is replaced */
    unsigned window_pause; /* requests that are not looked for, after one that no window has */
};

#define MALI_TEX_UNIT_ROWS 8

struct mali_tex_unit {
    struct tex_query q; /* first: model/texture hands it back */
    struct mali_tex *tex;
    const struct gpu_space *space;
    uint64_t epoch;
    const struct mali_tex_request *request;
    struct mali_tex_image *image;
    const struct mali_tex_sampler *sampler; /* NULL: the instruction has none */
    const uint32_t *staging;
    unsigned rows_used;
    uint32_t active[LANES_MAX];                   /* q.exec_lanes */
    uint32_t rows[MALI_TEX_UNIT_ROWS][LANES_MAX]; /* operands that had to be made */
};

/* Report why the instruction stops, and with which descriptor. Return false. */
bool mali_tex_stop(struct mali_tex *tex, const char *why, const char *descriptor, const uint32_t *words);
bool mali_tex_stop_image(struct mali_tex *tex, const struct mali_tex_image *image, const char *why);
bool mali_tex_stop_fault(struct mali_tex *tex, const struct mali_tex_image *image, uint64_t va);

/* The unit begins a request: no problem, and the host's floats in their default mode, whatever the program's is. The
 * word that was set before goes to mali_tex_leave. */
uint64_t mali_tex_enter(struct mali_tex *tex, enum mali_client client);
void mali_tex_leave(uint64_t env);

/* The texture of words that `find` gave; false: stopped. */
bool mali_tex_find_image(struct mali_tex *tex, const struct mali_tex_resources *resources, uint32_t handle,
                         struct mali_tex_image **image_out);

/* ---- results (request.c) ---- */

/* Texels to rows of registers: components, from the lowest on, in the register format; lanes of `lanes` alone. `kind`
 * is enum mali_pixel_kind of the texels. */
void mali_tex_return(uint32_t *rows, const union tex_texel texels[LANES_MAX], unsigned kind, unsigned regfmt,
                     unsigned components, uint64_t lanes);
/* The register format of a TEX_* instruction's type and width. */
unsigned mali_tex_result_format(const struct mali_tex_request *request);
/* Texels as a TEX_* instruction's result: the components of its mask, without holes. */
void mali_tex_return_masked(const struct mali_tex_unit *u, union tex_texel texels[LANES_MAX]);
/* The texture's swizzle. */
void mali_tex_swizzle(const struct mali_tex_image *image, union tex_texel texels[LANES_MAX]);

/* ---- texels (locate.c) ---- */

/* `size_B` bytes at an address, up to 16, where they lie or in `copy` where they lie in two pages. NULL: not mapped. */
const void *mali_tex_bytes(const struct gpu_space *space, uint64_t va, unsigned size_B, uint8_t copy[16]);

/* The host's memory from low_va to before end_va, where one window has all of it; NULL: it has not, or each access is
 * looked at (tex->actor). */
void *mali_tex_window(struct mali_tex *tex, const struct gpu_space *space, uint64_t low_va, uint64_t end_va,
                      unsigned need);

/* Bytes that the request reads. */
static inline void mali_tex_note(const struct mali_tex *tex, uint64_t va, uint64_t size_B)
{
    if (__builtin_expect(tex->actor != NULL, 0))
        coherence_read(tex->actor, tex->client, 0, va, size_B);
}

/* Where texels of these lanes are, if one plane of rows or tiles has all of them: the plane, the address of its slice
 * and what each texel is after that; of other lanes that of the first texel. NULL: not so. */
const struct mali_tex_plane *mali_tex_places(struct mali_tex_image *image, const struct gpu_space *space,
                                             const struct tex_rows *rows, uint64_t lanes, uint64_t *base_va_out,
                                             uint32_t places_out[LANES_MAX]);

/* Texels, as the format has them (r, g, b, a). Lanes that are not of `lanes` are those of zero bytes. */
bool mali_tex_texels(struct mali_tex *tex, const struct gpu_space *space, struct mali_tex_image *image,
                     const struct tex_rows *rows, uint64_t lanes, union tex_texel out[LANES_MAX]);

extern const struct tex_ops mali_tex_ops;

/* ---- instructions ---- */

/* Coordinates of a request, without its layer: a cube's are those of a face. */
static inline unsigned mali_tex_axes(const struct mali_tex_request *request)
{
    return request->dimension == MALI_TEX_1D ? 1 : request->dimension == MALI_TEX_3D ? 3 : 2;
}

/* The handle of the texture that a lane names. */
uint32_t mali_tex_texture_of(const struct mali_tex_request *request, unsigned lane);
/* Whether what TEX_FETCH returns is the four bytes of each texel. */
bool mali_tex_are_bytes(const struct mali_tex *tex, const struct mali_tex_image *image,
                        const struct mali_tex_request *request);

bool mali_tex_sample(struct mali_tex_unit *u);
bool mali_tex_fetch(struct mali_tex_unit *u);

#endif
