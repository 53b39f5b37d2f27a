/* TEX_FETCH, LD_TEX and LEA_TEX: texels by integers, without a filter. A texel outside of the image reads as one whose
 * bytes are zero. */
#include "mali/model/tex/unit.h"

#include <string.h>

#include "util/bits.h"

struct texels_at {
    uint32_t x[LANES_MAX], y[LANES_MAX], z[LANES_MAX], sample[LANES_MAX];
    uint8_t level[LANES_MAX];
    uint64_t inside; /* lanes whose texel is in the image */
};

static struct tex_rows rows_of(const struct texels_at *at)
{
    return (struct tex_rows){at->x, at->y, at->z, at->sample, at->level};
}

struct tex_size {
    uint32_t width, height, layers;
};

static void find_inside(const struct mali_tex_image *image, struct texels_at *at, uint64_t lanes)
{
    const struct tex_image *tex = &image->tex;
    uint8_t other = 0;
    at->inside = 0;
    for (unsigned i = 1; i < LANES_MAX; i++)
        other |= at->level[i] ^ at->level[0];
    if (!other && at->level[0] <= tex->last_level && at->level[0] >= tex->min_lod >> 8) {
        const struct tex_size size = {tex->level[at->level[0]].width, tex->level[at->level[0]].height,
                                      image->is_3d ? tex->level[at->level[0]].depth : tex->layers};
        const uint32_t samples = image->samples;
        uint32_t is_inside[LANES_MAX];
        /* No lane decides what is looked at of it: so they are vectors. */
        for (unsigned i = 0; i < LANES_MAX; i++)
            is_inside[i] = -(uint32_t)((at->x[i] < size.width) & (at->y[i] < size.height) & (at->z[i] < size.layers) &
                                       (at->sample[i] < samples));
        at->inside = lanes_to_mask(is_inside, LANES_MAX) & lanes;
        return;
    }
    bits_foreach (lanes, i) {
        unsigned level = at->level[i];
        if (level > tex->last_level || level < tex->min_lod >> 8)
            continue;
        uint32_t layers = image->is_3d ? tex->level[level].depth : tex->layers;
        at->inside |= (uint64_t)(at->x[i] < tex->level[level].width && at->y[i] < tex->level[level].height &&
                                 at->z[i] < layers && at->sample[i] < image->samples)
                      << i;
    }
}

/* Staging registers: x, y, z, layer, and bytes of offsets, in the third of which is the sample of an image of two
 * dimensions, and in the last one the level. */
static void take_fetch(struct mali_tex_unit *u, struct texels_at *at)
{
    const struct mali_tex_request *request = u->request;
    const unsigned axes = mali_tex_axes(request);
    const uint32_t *row = u->staging;
    uint32_t *const coord[3] = {at->x, at->y, at->z};
    memset(at, 0, sizeof(*at));
    for (unsigned axis = 0; axis < axes; axis++, row += MALI_TEX_LANES)
        memcpy(coord[axis], row, sizeof(at->x));
    if (request->is_array) {
        memcpy(at->z, row, sizeof(at->z));
        row += MALI_TEX_LANES;
    }
    for (unsigned i = 0; request->has_offsets && i < LANES_MAX; i++) {
        at->level[i] = (uint8_t)(row[i] >> 24);
        for (unsigned axis = 0; axis < axes; axis++)
            coord[axis][i] += (uint32_t)(int32_t)(int8_t)(row[i] >> 8 * axis);
        if (axes < 3)
            at->sample[i] = row[i] >> 16 & 0xff;
    }
}

/* ---- copies ---- */

bool mali_tex_are_bytes(const struct mali_tex *tex, const struct mali_tex_image *image,
                        const struct mali_tex_request *request)
{
    static const uint8_t as_is[4] = {MALI_CHANNEL_R, MALI_CHANNEL_G, MALI_CHANNEL_B, MALI_CHANNEL_A};
    const struct mali_pixel *pixel = &image->pixel;
    const unsigned regfmt = mali_tex_result_format(request);
    return pixel->format == FORMAT_R8G8B8A8_UINT && pixel->in_order && !pixel->at_B && request->mask == 15 &&
           (regfmt == MALI_TEX_REGFMT_AUTO || regfmt == MALI_TEX_REGFMT_U32) && !tex->actor && !image->is_3d &&
           memcmp(image->swizzle, as_is, sizeof(as_is)) == 0;
}

/* The superblock of AFBC that all lanes are in; NULL: it is none, or of one colour. */
static const uint8_t *find_body(const struct mali_tex_unit *u, const struct texels_at *at,
                                const struct mali_tex_plane **plane_out)
{
    uint8_t header[MALI_AFBC_HEADER_B];
    uint64_t fault;
    uint32_t other = 0, body_B;
    const struct mali_tex_plane *plane = mali_tex_plane_get(u->image, u->space, at->level[0], at->z[0], &fault);
    if (!plane || plane->problem || plane->is_null || !plane->is_afbc || plane->afbc.pixel_B != 4)
        return NULL;
    for (unsigned i = 0; i < LANES_MAX; i++)
        other |= (at->x[i] ^ at->x[0]) >> plane->afbc.w_log2 | (at->y[i] ^ at->y[0]) >> (8 - plane->afbc.w_log2) |
                 (at->z[i] ^ at->z[0]) | at->sample[i] | (uint32_t)(at->level[i] ^ at->level[0]);
    const uint64_t header_B = mali_afbc_texel_header_B(&plane->afbc, at->x[0], at->y[0]);
    const void *bytes = gpu_space_pointer(u->space, plane->base_va + header_B, sizeof(header), GPU_PERM_READ);
    if (other || !bytes)
        return NULL;
    memcpy(header, bytes, sizeof(header));
    memcpy(&body_B, header, sizeof(body_B));
    *plane_out = plane;
    return mali_afbc_is_raw(header)
               ? gpu_space_pointer(u->space, plane->base_va + body_B, MALI_AFBC_TEXELS * 4, GPU_PERM_READ)
               : NULL;
}

/* Fetches of image copies: all lanes, bytes as integers, in one superblock. */
static bool fetch_bytes(struct mali_tex_unit *u, const struct texels_at *at)
{
    const struct mali_tex_plane *plane;
    uint32_t at_B[LANES_MAX], words[LANES_MAX], *result = u->request->result;
    const uint8_t *body =
        at->inside == UINT64_MAX && mali_tex_are_bytes(u->tex, u->image, u->request) ? find_body(u, at, &plane) : NULL;
    if (!body)
        return false;
    const struct mali_afbc afbc = plane->afbc;
    for (unsigned i = 0; i < LANES_MAX; i++)
        at_B[i] = mali_afbc_texel_B(&afbc, at->x[i], at->y[i]);
    for (unsigned i = 0; i < LANES_MAX; i++)
        memcpy(&words[i], body + at_B[i], sizeof(words[i]));
    for (unsigned n = 0; n < 4; n++) {
        for (unsigned i = 0; i < LANES_MAX; i++)
            result[n * MALI_TEX_LANES + i] = words[i] >> 8 * n & 0xff;
    }
    return true;
}

/* ---- TEX_FETCH ---- */

bool mali_tex_fetch(struct mali_tex_unit *u)
{
    struct texels_at at;
    union tex_texel texels[LANES_MAX];
    if (u->image->is_null) {
        memset(texels, 0, sizeof(texels));
    } else {
        take_fetch(u, &at);
        find_inside(u->image, &at, u->q.exec);
        if (fetch_bytes(u, &at))
            return true;
        struct tex_rows rows = rows_of(&at);
        if (!mali_tex_texels(u->tex, u->space, u->image, &rows, at.inside, texels))
            return false;
        mali_tex_swizzle(u->image, texels);
    }
    mali_tex_return_masked(u, texels);
    return true;
}

/* ---- images of the load-store pipe ---- */

/* 16 bits each: x and y, then z or sample and layer. One dimension has x alone. */
static void take_access(const struct mali_tex_image *image, const struct mali_tex_access *access, struct texels_at *at)
{
    memset(at->level, 0, sizeof(at->level)); /* the other rows are all written */
    for (unsigned i = 0; i < LANES_MAX; i++) {
        uint32_t xy = access->source[0][i], zw = access->source[1][i];
        at->x[i] = image->tex.axes == 1 ? xy : xy & 0xffff;
        at->y[i] = image->tex.axes == 1 ? 0 : xy >> 16;
        at->z[i] = image->is_3d ? zw & 0xffff : zw >> 16;
        at->sample[i] = image->is_3d ? 0 : zw & 0xffff;
    }
}

static bool load_image(struct mali_tex *tex, const struct mali_tex_resources *resources,
                       const struct mali_tex_access *access)
{
    struct mali_tex_image *image;
    struct texels_at at;
    union tex_texel texels[LANES_MAX];
    if (!mali_tex_find_image(tex, resources, access->handle, &image))
        return false;
    if (image->is_null) {
        memset(texels, 0, sizeof(texels));
    } else {
        take_access(image, access, &at);
        find_inside(image, &at, access->lanes);
        struct tex_rows rows = rows_of(&at);
        if (!mali_tex_texels(tex, resources->space, image, &rows, at.inside, texels))
            return false;
        mali_tex_swizzle(image, texels);
    }
    mali_tex_return(access->result, texels, image->is_null ? MALI_PIXEL_FLOAT : image->pixel.kind, access->regfmt,
                    access->components, access->lanes);
    return true;
}

bool mali_tex_load_image(struct mali_tex *tex, const struct mali_tex_resources *resources,
                         const struct mali_tex_access *access)
{
    uint64_t env = mali_tex_enter(tex, MALI_CLIENT_IMAGE);
    bool is_done = load_image(tex, resources, access);
    mali_tex_leave(env);
    return is_done;
}

/* Of texels in one plane. False: they are not. */
static bool find_addresses(struct mali_tex_image *image, const struct gpu_space *space, const struct texels_at *at,
                           const struct mali_tex_access *access)
{
    const struct tex_rows rows = rows_of(at);
    uint32_t places[LANES_MAX], is_inside[LANES_MAX], *low = access->result, *high = low + MALI_TEX_LANES;
    uint64_t base_va;
    const struct mali_tex_plane *plane =
        access->lanes == UINT64_MAX ? mali_tex_places(image, space, &rows, at->inside, &base_va, places) : NULL;
    if (!plane)
        return false;
    lanes_from_mask(is_inside, at->inside, LANES_MAX);
    const uint64_t first_va = base_va + plane->pixel.at_B - MALI_TEX_NOWHERE;
    const uint32_t bits = mali_pixel_pack(image->bits);
    LANES_INDEPENDENT
    for (unsigned i = 0; i < LANES_MAX; i++) {
        const uint64_t va = MALI_TEX_NOWHERE + ((first_va + places[i]) & (uint64_t)(int64_t)(int32_t)is_inside[i]);
        low[i] = (uint32_t)va;
        high[i] = (uint32_t)(va >> 32);
        high[MALI_TEX_LANES + i] = bits;
    }
    return true;
}

bool mali_tex_image_address(struct mali_tex *tex, const struct mali_tex_resources *resources,
                            const struct mali_tex_access *access)
{
    struct mali_tex_image *image;
    struct texels_at at;
    tex->has_problem = tex->is_fault = false;
    if (!mali_tex_find_image(tex, resources, access->handle, &image))
        return false;
    if (image->pixel.is_compressed)
        return mali_tex_stop_image(tex, image, "the address of a texel in a compressed format");
    at.inside = 0;
    if (!image->is_null) {
        take_access(image, access, &at);
        find_inside(image, &at, access->lanes);
        if (find_addresses(image, resources->space, &at, access))
            return true;
    }
    uint32_t *low = access->result, *high = low + MALI_TEX_LANES, *conversion = high + MALI_TEX_LANES;
    uint32_t bits = mali_pixel_pack(image->bits);
    const struct mali_tex_plane *plane = NULL; /* neighbours mostly have the same */
    uint32_t layer = 0;
    bits_foreach (access->lanes, i) {
        uint64_t va = MALI_TEX_NOWHERE, fault;
        if (at.inside >> i & 1) {
            if (!plane || layer != (image->is_3d ? 0 : at.z[i])) {
                layer = image->is_3d ? 0 : at.z[i];
                plane = mali_tex_plane_get(image, resources->space, 0, layer, &fault);
            }
            if (!plane)
                return mali_tex_stop_fault(tex, image, fault);
            if (plane->problem || plane->is_afbc)
                return mali_tex_stop(tex, plane->problem ? plane->problem : "the address of a texel of AFBC", "PLANE",
                                     plane->words);
            if (!plane->is_null)
                va = mali_tex_element_va(plane, at.x[i], at.y[i], image->is_3d ? at.z[i] : at.sample[i]) +
                     plane->pixel.at_B;
        }
        low[i] = (uint32_t)va;
        high[i] = (uint32_t)(va >> 32);
        conversion[i] = bits;
    }
    return true;
}
