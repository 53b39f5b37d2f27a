/* Tests of one quad. */
#include "amd/model/db/db.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

/* A quad has at most two pieces of each sample, depth and stencil, which are to be apart. None is larger than a
 * page. */
#define LOST_PIECES (2 * RASTER_MAX_SAMPLES)
static void *lose_memory(struct db *db, uint32_t size_B)
{
    static _Thread_local _Alignas(64) uint8_t pieces[LOST_PIECES][GPU_PAGE_SIZE_B];
    return size_B <= GPU_PAGE_SIZE_B ? memset(pieces[db->lost++ % LOST_PIECES], 0, size_B) : NULL;
}

void *amd_db_access(struct db *db, uint64_t va, uint32_t size_B, bool is_write)
{
    const unsigned need = is_write ? GPU_PERM_READ | GPU_PERM_WRITE : GPU_PERM_READ;
    void *host = gpu_space_pointer(db->memory, va, size_B, need);
    if (host)
        return host;
    const enum gpu_access access = gpu_space_resolve(db->memory, va, size_B, need, &host);
    if (access == GPU_ACCESS_ZERO)
        host = lose_memory(db, size_B);
    if (access != GPU_ACCESS_FAULT && host)
        return host;
    db->fault_va = va ? va : 1;
    db->fault_is_write = is_write;
    return NULL;
}

/* A depth value of the buffer's format: its code, and what that reads as. */
struct depth {
    uint32_t code;
    float value;
};

static struct depth make_depth(const struct db_state *state, float z)
{
    struct depth depth;
    if (state->z_format == AMD_Z_FORMAT_16) {
        depth.code = db_unorm16(z);
        depth.value = (float)depth.code / 65535.0f;
    } else if (state->z_format == AMD_Z_FORMAT_24) {
        depth.code = db_unorm24(z);
        depth.value = (float)depth.code / 16777215.0f;
    } else {
        memcpy(&depth.code, &z, sizeof(z));
        depth.value = z;
    }
    return depth;
}

static struct depth load_depth(const struct db_state *state, const void *host)
{
    struct depth depth = {0};
    if (state->z_format == AMD_Z_FORMAT_16) {
        uint16_t code;
        memcpy(&code, host, sizeof(code));
        depth.code = code;
        depth.value = (float)code / 65535.0f;
    } else if (state->z_format == AMD_Z_FORMAT_24) {
        memcpy(&depth.code, host, sizeof(depth.code));
        depth.code &= 0xffffff;
        depth.value = (float)depth.code / 16777215.0f;
    } else {
        memcpy(&depth.code, host, sizeof(depth.code));
        memcpy(&depth.value, host, sizeof(depth.value));
    }
    return depth;
}

static bool test_depth(const struct db_state *state, struct depth incoming, struct depth stored)
{
    if (state->z_format != AMD_Z_FORMAT_32_FLOAT)
        return pixel_compare_uint(state->z_func, incoming.code, stored.code);
    return pixel_compare_float(state->z_func, incoming.value, stored.value);
}

static bool test_sample(struct db *db, const struct db_stencil_face *face, uint8_t reference, uint32_t x, uint32_t y,
                        uint32_t slice, unsigned sample, float z)
{
    const struct db_state *state = db->state;
    struct depth incoming = make_depth(state, z), stored = {0};
    void *z_host = NULL;
    if (state->z_test || state->bounds_test) {
        z_host = amd_db_access(db, cb_surface_at(state->z, x, y, slice, sample),
                               state->z_format == AMD_Z_FORMAT_16 ? 2 : 4, state->z_write);
        if (!z_host)
            return false;
        stored = load_depth(state, z_host);
        if (state->bounds_test && !(stored.value >= state->bounds_min && stored.value <= state->bounds_max))
            return false;
    }
    bool pass = !state->z_test || state->clear_depth || test_depth(state, incoming, stored);
    if (state->stencil_test) {
        uint8_t *s_host = amd_db_access(db, cb_surface_at(state->s, x, y, slice, sample), 1, true);
        if (!s_host)
            return false;
        uint8_t old = *s_host;
        bool stencil = pixel_compare_uint(face->function, reference & face->mask, old & face->mask);
        unsigned op = !stencil ? face->fail : pass ? face->pass : face->depth_fail;
        uint8_t value = state->clear_stencil ? state->clear_s : pixel_stencil_apply(op, old, reference, face->op_value);
        *s_host = (uint8_t)((old & ~face->write_mask) | (value & face->write_mask));
        pass &= stencil;
    }
    if (pass && state->z_write) {
        if (state->z_format == AMD_Z_FORMAT_16) {
            uint16_t code = (uint16_t)incoming.code;
            memcpy(z_host, &code, sizeof(code));
        } else {
            memcpy(z_host, &incoming.code, sizeof(incoming.code));
        }
    }
    return pass;
}

void amd_db_test_quad(struct db *db, struct raster_quad *quad, const struct db_export *export)
{
    const struct db_state *state = db->state;
    const struct raster_prim *prim = quad->prim;
    bool tests = state->z_test || state->bounds_test || state->stencil_test;
    if (state->htile && (tests || state->expand) &&
        !amd_db_htile_prepare(db, quad->x, quad->y, MIN2(state->slice_start + prim->layer, state->slice_max)))
        return;
    if (tests) {
        const struct db_stencil_face *face = &state->faces[prim->is_back];
        uint32_t slice = MIN2(state->slice_start + prim->layer, state->slice_max), left = quad->mask;
        bits_foreach (left, bit) {
            unsigned pixel = (unsigned)bit / 8, sample = bit % 8;
            uint32_t x = quad->x + (pixel & 1), y = quad->y + pixel / 2;
            float z;
            if (state->clear_depth) {
                z = state->clear_z;
            } else if (export && export->z) {
                z = export->z[pixel];
            } else {
                float fx = (float)x + db->sc->x[pixel][sample] / (float)RASTER_LOCATION_ONE - prim->origin_x;
                float fy = (float)y + db->sc->y[pixel][sample] / (float)RASTER_LOCATION_ONE - prim->origin_y;
                z = prim->z.at + prim->z.dx * fx + prim->z.dy * fy;
            }
            if (state->clamp && !state->clear_depth)
                z = fminf(fmaxf(z, prim->z_min), prim->z_max);
            uint8_t reference = export && export->stencil ? export->stencil[pixel] : face->reference;
            if (!test_sample(db, face, reference, x, y, slice, sample, z))
                quad->mask &= ~(1u << bit);
        }
    }
    if (state->count)
        db->zpass += (unsigned)__builtin_popcount(quad->mask);
}

void amd_db_test_quads(struct db *db, struct raster_quad *quads, uint32_t count)
{
    if (__builtin_expect(db->coherence != NULL, 0))
        amd_db_note(db, quads, count);
    if (db_has_fast_quads(db)) {
        amd_db_test_quads_fast(db, quads, count);
        return;
    }
    if (db_has_fast_stencil(db)) {
        amd_db_test_quads_stencil(db, quads, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (quads[i].mask)
            amd_db_test_quad(db, &quads[i], NULL);
    }
}
