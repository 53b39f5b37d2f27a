/* Strict mode: what of GMEM was written since its bin began. A draw that reads more than that (blending, logic
 * operations, tests) takes what another bin left there, and so does a store of nothing else (blit.c). Kept by bytes;
 * every pixel is one worker's. */
#include <string.h>

#include "adreno/model/rb/rb.h"

void adreno_rb_gmem_wrote(const struct adreno_rb_surface *surface, const uint8_t *host, uint32_t size_B)
{
    if (surface->written)
        memset(surface->written + (host - surface->gmem), 1, size_B);
}

bool adreno_rb_gmem_may_read(const struct adreno_rb_surface *surface, const uint8_t *host, uint32_t size_B,
                             struct adreno_rb_fault *fault)
{
    if (!surface->written)
        return true;
    const uint64_t at_B = (uint64_t)(host - surface->gmem);
    const uint8_t *unwritten = memchr(surface->written + at_B, 0, size_B);
    if (unwritten && !fault->is_set)
        *fault = (struct adreno_rb_fault){
            .is_set = true, .is_gmem = true, .is_unwritten = true, .va = (uint64_t)(unwritten - surface->written)};
    return !unwritten;
}

/* ---- depth and stencil ---- */

static bool reads_stencil(const struct adreno_rb_stencil_face *face)
{
    const bool compares = face->mask && face->compare != PIXEL_ALWAYS && face->compare != PIXEL_NEVER;
    return compares || face->fail > PIXEL_STENCIL_OPERAND || face->pass > PIXEL_STENCIL_OPERAND ||
           face->depth_fail > PIXEL_STENCIL_OPERAND;
}

bool adreno_rb_gmem_test(struct adreno_rb *rb, const struct adreno_rb_stencil_face *face, const uint8_t *z_host,
                         const uint8_t *s_host)
{
    const struct adreno_rb_depth *state = &rb->draw->depth;
    const uint32_t z_B = state->format == ADRENO_RB_Z16 ? 2 : state->format == ADRENO_RB_Z24S8 ? 3 : 4;
    const bool reads_z =
        state->tests_bounds || (state->tests_z && state->compare != PIXEL_ALWAYS && state->compare != PIXEL_NEVER);
    if (z_host && reads_z && !adreno_rb_gmem_may_read(&state->z, z_host, z_B, &rb->fault))
        return false;
    if (s_host && reads_stencil(face) && !adreno_rb_gmem_may_read(&state->stencil, s_host, 1, &rb->fault))
        return false;
    if (z_host && state->writes_z)
        adreno_rb_gmem_wrote(&state->z, z_host, z_B);
    if (s_host && face->write_mask)
        adreno_rb_gmem_wrote(&state->stencil, s_host, 1);
    return true;
}
