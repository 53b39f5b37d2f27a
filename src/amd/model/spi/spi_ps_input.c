/* The VGPRs of a pixel shader at its start, and the inputs of v_interp. Lane 4 * q + p is pixel p of quad q: (0, 0),
 * (1, 0), (0, 1), (1, 1). */
#include <stddef.h>
#include <string.h>
#if defined(__AVX512DQ__)
#include <immintrin.h>
#endif

#include "amd/model/spi/spi_ps_input.h"
#include "util/bits.h"
#include "util/half.h"

const uint8_t amd_spi_ps_input_rows[INPUT_COUNT] = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Where in each lane's pixel something is evaluated, from the pixel's corner. */
struct places {
    float x[LANES_MAX], y[LANES_MAX];
};

static float eval_plane(const struct raster_plane *plane, float x, float y)
{
    return plane->at + plane->dx * x + plane->dy * y;
}

/* A float for each pixel of a quad. */
typedef float float4 __attribute__((vector_size(16)));

static inline float4 eval4(const struct raster_plane *plane, float4 x, float4 y)
{
    return plane->at + plane->dx * x + plane->dy * y;
}

static inline float4 load4(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static inline void store4(uint32_t *to, float4 value)
{
    memcpy(to, &value, sizeof(value));
}

/* The sample that a lane's iteration stands for. */
static void sample_places(const struct spi_ps *ps, struct places *places)
{
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        unsigned p = lane & 3, s = ps->quads[lane / 4].iteration;
        places->x[lane] = ps->sc->x[p][s] / (float)RASTER_LOCATION_ONE;
        places->y[lane] = ps->sc->y[p][s] / (float)RASTER_LOCATION_ONE;
    }
}

#define HALVES_8 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f
#define HALVES_64 HALVES_8, HALVES_8, HALVES_8, HALVES_8, HALVES_8, HALVES_8, HALVES_8, HALVES_8
static const struct places centers = {{HALVES_64}, {HALVES_64}};
_Static_assert(LANES_MAX == 64, "a half for each lane");

/* The pixel's centre if it is wholly covered or there is but one sample; else the covered sample that stands first in
 * the order of the registers. */
static void centroid_places(const struct spi_ps *ps, struct places *places)
{
    const struct raster_coverage *sc = ps->sc;
    uint8_t all = (uint8_t)bits_mask(sc->samples);
    *places = centers;
    if (sc->samples == 1)
        return;
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        unsigned p = lane & 3;
        uint8_t covered = ps->quads[lane / 4].coverage >> p * 8 & 0xff;
        if (!covered || (covered == all && sc->centroid_is_center))
            continue;
        unsigned s = (unsigned)__builtin_ctz(covered);
        for (unsigned i = 0; i < sc->samples; i++) {
            if (covered >> sc->centroid_order[i] & 1) {
                s = sc->centroid_order[i];
                break;
            }
        }
        places->x[lane] = sc->x[p][s] / (float)RASTER_LOCATION_ONE;
        places->y[lane] = sc->y[p][s] / (float)RASTER_LOCATION_ONE;
    }
}

#if defined(__AVX512DQ__)

/* Numbers of planes that lie side by side in a primitive: where they are, how they grow to the right, and down. */
struct plane_numbers {
    __m512 at, dx, dy;
};

static inline __m512 eval16(const struct plane_numbers *planes, __m512 x, __m512 y)
{
    return _mm512_add_ps(_mm512_add_ps(planes->at, _mm512_mul_ps(planes->dx, x)), _mm512_mul_ps(planes->dy, y));
}

/* The corners of a wave's quads. */
struct corners {
    __m512 x, y;
};

static inline struct corners find_corners(const struct raster_quad *quads, uint32_t count)
{
    const __m512i at = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                          _mm512_set1_epi32(sizeof(*quads))),
                  words = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), (__mmask16)bits_mask(count), at,
                                                      &quads->x, 1);
    return (struct corners){_mm512_cvtepi32_ps(_mm512_and_si512(words, _mm512_set1_epi32(UINT16_MAX))),
                            _mm512_cvtepi32_ps(_mm512_srli_epi32(words, 16))};
}

/* From a primitive's origin to where something is evaluated in the pixels of the quads that `quads` names, by lane. */
static inline struct corners find_offsets(const struct corners *corners, __m512i quads, __m512 in_x, __m512 in_y,
                                          const struct raster_prim *prim)
{
    const __m512 right = _mm512_broadcast_f32x4(_mm_setr_ps(0, 1, 0, 1)),
                 down = _mm512_broadcast_f32x4(_mm_setr_ps(0, 0, 1, 1)),
                 x = _mm512_add_ps(_mm512_add_ps(_mm512_permutexvar_ps(quads, corners->x), right), in_x),
                 y = _mm512_add_ps(_mm512_add_ps(_mm512_permutexvar_ps(quads, corners->y), down), in_y);
    return (struct corners){_mm512_sub_ps(x, _mm512_set1_ps(prim->origin_x)),
                            _mm512_sub_ps(y, _mm512_set1_ps(prim->origin_y))};
}

/* All three planes of a quad at once. */
static inline __attribute__((always_inline)) void load_quad(const struct raster_prim *prim, const struct corners *at,
                                                            bool linear, uint32_t *i_row, uint32_t *j_row)
{
    _Static_assert(offsetof(struct raster_prim, iw) == offsetof(struct raster_prim, w) + sizeof(prim->w) &&
                       offsetof(struct raster_prim, jw) == offsetof(struct raster_prim, iw) + sizeof(prim->iw) &&
                       offsetof(struct raster_prim, j) == offsetof(struct raster_prim, i) + sizeof(prim->i),
                   "planes side by side");
    const __m512i first = linear ? _mm512_setr_epi32(0, 0, 0, 0, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0)
                                 : _mm512_setr_epi32(3, 3, 3, 3, 6, 6, 6, 6, 0, 0, 0, 0, 0, 0, 0, 0),
                  one = _mm512_set1_epi32(1), second = _mm512_add_epi32(first, one);
    const __m512 numbers = linear ? _mm512_maskz_loadu_ps(0x3f, &prim->i) : _mm512_maskz_loadu_ps(0x1ff, &prim->w);
    const struct plane_numbers planes = {_mm512_permutexvar_ps(first, numbers), _mm512_permutexvar_ps(second, numbers),
                                         _mm512_permutexvar_ps(_mm512_add_epi32(second, one), numbers)};
    const __m512 values = eval16(&planes, at->x, at->y);
    __m256 weights = _mm512_castps512_ps256(values);
    if (!linear) {
        const __m128 depth = _mm_div_ps(_mm_set1_ps(1), _mm512_extractf32x4_ps(values, 2));
        weights = _mm256_mul_ps(weights, _mm256_broadcast_f32x4(depth));
    }
    _mm_storeu_ps((float *)i_row, _mm256_castps256_ps128(weights));
    _mm_storeu_ps((float *)j_row, _mm256_extractf128_ps(weights, 1));
}

static inline struct plane_numbers spread_plane(const struct raster_plane *plane)
{
    return (struct plane_numbers){_mm512_set1_ps(plane->at), _mm512_set1_ps(plane->dx), _mm512_set1_ps(plane->dy)};
}

/* Four quads of a primitive at once. */
static inline __attribute__((always_inline)) void load_prim(const struct raster_prim *prim,
                                                            const struct corners *corners, const struct places *places,
                                                            uint32_t count, bool linear, uint32_t *i_row,
                                                            uint32_t *j_row)
{
    const struct plane_numbers i = spread_plane(linear ? &prim->i : &prim->iw),
                               j = spread_plane(linear ? &prim->j : &prim->jw), w = spread_plane(&prim->w);
    for (uint32_t q = 0; q < count; q += 4) {
        const __m512i quads = _mm512_add_epi32(_mm512_set1_epi32((int)q),
                                               _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
        const __mmask16 lanes = (__mmask16)bits_mask(MIN2(count - q, 4) * 4);
        const struct corners at =
            find_offsets(corners, quads, _mm512_loadu_ps(places->x + q * 4), _mm512_loadu_ps(places->y + q * 4), prim);
        __m512 at_i = eval16(&i, at.x, at.y), at_j = eval16(&j, at.x, at.y);
        if (!linear) {
            const __m512 depth = _mm512_div_ps(_mm512_set1_ps(1), eval16(&w, at.x, at.y));
            at_i = _mm512_mul_ps(at_i, depth);
            at_j = _mm512_mul_ps(at_j, depth);
        }
        _mm512_mask_storeu_ps(i_row + q * 4, lanes, at_i);
        _mm512_mask_storeu_ps(j_row + q * 4, lanes, at_j);
    }
}

static void load_quads(const struct spi_ps *ps, const struct places *places, bool linear, uint32_t *i_row,
                       uint32_t *j_row)
{
    const struct corners corners = find_corners(ps->quads, ps->quad_count);
    if (ps->prim) {
        if (linear || ps->prim->is_linear)
            load_prim(ps->prim, &corners, places, ps->quad_count, true, i_row, j_row);
        else
            load_prim(ps->prim, &corners, places, ps->quad_count, false, i_row, j_row);
        return;
    }
    for (uint32_t q = 0; q < ps->quad_count; q++) {
        const struct raster_prim *prim = ps->quads[q].prim;
        const struct corners at =
            find_offsets(&corners, _mm512_set1_epi32((int)q), _mm512_broadcast_f32x4(_mm_loadu_ps(places->x + q * 4)),
                         _mm512_broadcast_f32x4(_mm_loadu_ps(places->y + q * 4)), prim);
        if (linear || prim->is_linear)
            load_quad(prim, &at, true, i_row + q * 4, j_row + q * 4);
        else
            load_quad(prim, &at, false, i_row + q * 4, j_row + q * 4);
    }
}

#else

/* Quads of one primitive. */
static inline void load_run(const struct spi_ps *ps, const struct places *places, uint32_t first, uint32_t end,
                            bool linear, uint32_t *i_row, uint32_t *j_row)
{
    const struct raster_prim *prim = ps->quads[first].prim;
    const struct raster_plane i = linear ? prim->i : prim->iw, j = linear ? prim->j : prim->jw, w = prim->w;
    const float left = prim->origin_x, top = prim->origin_y;
    for (uint32_t q = first; q < end; q++) {
        float4 x = (float)ps->quads[q].x + (float4){0, 1, 0, 1} + load4(places->x + q * 4) - left;
        float4 y = (float)ps->quads[q].y + (float4){0, 0, 1, 1} + load4(places->y + q * 4) - top;
        float4 at_i = eval4(&i, x, y), at_j = eval4(&j, x, y);
        if (!linear) {
            float4 depth = 1.0f / eval4(&w, x, y);
            at_i *= depth;
            at_j *= depth;
        }
        store4(i_row + q * 4, at_i);
        store4(j_row + q * 4, at_j);
    }
}

static void load_quads(const struct spi_ps *ps, const struct places *places, bool linear, uint32_t *i_row,
                       uint32_t *j_row)
{
    for (uint32_t first = 0, end; first < ps->quad_count; first = end) {
        const struct raster_prim *prim = ps->quads[first].prim;
        end = ps->prim ? ps->quad_count : first + 1;
        while (end < ps->quad_count && ps->quads[end].prim == prim)
            end++;
        if (linear || prim->is_linear)
            load_run(ps, places, first, end, true, i_row, j_row);
        else
            load_run(ps, places, first, end, false, i_row, j_row);
    }
}

#endif

static void load_barycentrics(const struct spi_ps *ps, const struct places *places, bool linear, uint32_t *i_row,
                              uint32_t *j_row)
{
    if (ps->is_block && places == &centers)
        raster_block_weights(ps->prim, ps->quads[0].x, ps->quads[0].y, linear, i_row, j_row);
    else
        load_quads(ps, places, linear, i_row, j_row);
}

static void load_pull(const struct spi_ps *ps, uint32_t *rows, uint32_t lanes)
{
    for (uint32_t lane = 0; lane < ps->quad_count * 4; lane++) {
        const struct raster_quad *quad = &ps->quads[lane / 4];
        const struct raster_prim *prim = quad->prim;
        float x = (float)(quad->x + (lane & 1)) + 0.5f - prim->origin_x,
              y = (float)(quad->y + (lane >> 1 & 1)) + 0.5f - prim->origin_y;
        rows[lane] = float_bits(eval_plane(&prim->iw, x, y));
        rows[lanes + lane] = float_bits(eval_plane(&prim->jw, x, y));
        rows[2 * lanes + lane] = float_bits(eval_plane(&prim->w, x, y));
    }
}

/* A coordinate of the position of a quad's pixels, whose corners are at `px` and `py` and which are looked at so far
 * from there. */
static inline __attribute__((always_inline)) float4 coordinate(const struct spi_ps *ps, enum input input,
                                                               const struct raster_prim *prim, float4 px, float4 py,
                                                               float4 in_x, float4 in_y)
{
    const float4 x = px + in_x, y = py + in_y;
    switch (input) {
    case INPUT_POS_X:
        return ps->state->position_at_corner ? px : x;
    case INPUT_POS_Y:
        return ps->state->position_at_corner ? py : y;
    case INPUT_POS_Z: /* as the planes say: the viewport's range is the depth buffer's business */
        return eval4(&prim->z, x - prim->origin_x, y - prim->origin_y);
    default:
        return 1.0f / eval4(&prim->w, x - prim->origin_x, y - prim->origin_y);
    }
}

static const float4 right = {0, 1, 0, 1}, down = {0, 0, 1, 1}, half = {0.5f, 0.5f, 0.5f, 0.5f};

/* Quad by quad. `input` is a constant where this and the next one are called. */
static inline __attribute__((always_inline)) void load_coordinate(const struct spi_ps *ps, enum input input,
                                                                  const struct places *places, uint32_t *row)
{
    for (uint32_t q = 0; q < ps->quad_count; q++) {
        const struct raster_quad *quad = &ps->quads[q];
        store4(row + q * 4, coordinate(ps, input, quad->prim, (float)quad->x + right, (float)quad->y + down,
                                       load4(places->x + q * 4), load4(places->y + q * 4)));
    }
}

/* Coordinates at the centres of 8 by 8 pixels. */
static inline __attribute__((always_inline)) void load_block_coordinate(const struct spi_ps *ps, enum input input,
                                                                        uint32_t x, uint32_t y, uint32_t *row)
{
    for (uint32_t q = 0; q < SPI_PS_QUADS; q++)
        store4(row + q * 4, coordinate(ps, input, ps->prim, (float)(x + q % 4 * 2) + right,
                                       (float)(y + q / 4 * 2) + down, half, half));
}

static void load_block_position(const struct spi_ps *ps, enum input input, uint32_t x, uint32_t y, uint32_t *row)
{
    switch (input) {
    case INPUT_POS_X:
        load_block_coordinate(ps, INPUT_POS_X, x, y, row);
        break;
    case INPUT_POS_Y:
        load_block_coordinate(ps, INPUT_POS_Y, x, y, row);
        break;
    case INPUT_POS_Z:
        load_block_coordinate(ps, INPUT_POS_Z, x, y, row);
        break;
    default:
        load_block_coordinate(ps, INPUT_POS_W, x, y, row);
        break;
    }
}

static void load_position(const struct spi_ps *ps, enum input input, const struct places *places, uint32_t *row)
{
    if (ps->is_block && places == &centers) {
        load_block_position(ps, input, ps->quads[0].x, ps->quads[0].y, row);
        return;
    }
    switch (input) {
    case INPUT_POS_X:
        load_coordinate(ps, INPUT_POS_X, places, row);
        break;
    case INPUT_POS_Y:
        load_coordinate(ps, INPUT_POS_Y, places, row);
        break;
    case INPUT_POS_Z:
        load_coordinate(ps, INPUT_POS_Z, places, row);
        break;
    default:
        load_coordinate(ps, INPUT_POS_W, places, row);
        break;
    }
}

static uint32_t front_face(const struct spi_ps_state *state, const struct raster_prim *prim)
{
    return state->front_all_bits ? prim->is_back ? 0 : UINT32_MAX : float_bits(prim->is_back ? -1.0f : 1.0f);
}

/* Inputs that are no numbers of the primitive's planes. */
static void load_words(const struct spi_ps *ps, enum input input, uint32_t *row)
{
    for (uint32_t q = 0; q < ps->quad_count; q++, row += 4) {
        const struct raster_quad *quad = &ps->quads[q];
        for (unsigned p = 0; p < 4; p++) {
            switch (input) {
            case INPUT_FRONT_FACE:
                row[p] = front_face(ps->state, quad->prim);
                break;
            case INPUT_ANCILLARY: /* sample [11:8], layer [28:16] */
                row[p] = (uint32_t)quad->iteration << 8 | (uint32_t)(quad->prim->layer & 0x1fff) << 16;
                break;
            case INPUT_SAMPLE_COVERAGE:
                row[p] = (ps->state->coverage_behind_depth ? quad->mask : quad->coverage) >> p * 8 & 0xff;
                break;
            default: /* INPUT_POS_FIXED */
                row[p] = (quad->x + (p & 1)) | (quad->y + (p >> 1)) << 16;
                break;
            }
        }
    }
}

static void load_input(const struct spi_ps *ps, struct sq_wave *wave, enum input input, uint32_t *rows)
{
    struct places places;
    switch (input) {
    case INPUT_PERSP_SAMPLE:
    case INPUT_LINEAR_SAMPLE:
        sample_places(ps, &places);
        break;
    case INPUT_PERSP_CENTROID:
    case INPUT_LINEAR_CENTROID:
        centroid_places(ps, &places);
        break;
    case INPUT_POS_X:
    case INPUT_POS_Y:
    case INPUT_POS_Z:
    case INPUT_POS_W:
        if (ps->state->position_at_sample)
            sample_places(ps, &places);
        load_position(ps, input, ps->state->position_at_sample ? &places : &centers, rows);
        return;
    case INPUT_PERSP_PULL:
        load_pull(ps, rows, wave->lanes);
        return;
    case INPUT_PERSP_CENTER:
    case INPUT_LINEAR_CENTER:
        load_barycentrics(ps, &centers, input == INPUT_LINEAR_CENTER, rows, rows + wave->lanes);
        return;
    default:
        load_words(ps, input, rows);
        return;
    }
    load_barycentrics(ps, &places, input > INPUT_PERSP_CENTROID, rows, rows + wave->lanes);
}

/* ADDR says which inputs have registers, ENA which of those are filled. The coordinate of a stipple's texture is a
 * fixed function's of OpenGL: drivers enable it as the smallest input where a shader has none, for the hardware wants
 * one. No shader reads it; strict mode would report one that did. */
void amd_spi_ps_load_inputs(const struct spi_ps *ps, struct sq_wave *wave)
{
    uint32_t row = 0;
    for (unsigned input = 0; input < INPUT_COUNT; input++) {
        if (!(ps->state->addr >> input & 1))
            continue;
        if (ps->state->ena >> input & 1 && input != INPUT_LINE_STIPPLE)
            load_input(ps, wave, (enum input)input, wave->vgpr + (size_t)row * wave->lanes);
        row += amd_spi_ps_input_rows[input];
    }
}

#define BLOCK_POSITION (1u << INPUT_POS_X | 1u << INPUT_POS_Y | 1u << INPUT_POS_Z | 1u << INPUT_POS_W)
#define BLOCK_INPUTS                                                                                                   \
    (1u << INPUT_PERSP_CENTER | 1u << INPUT_LINEAR_CENTER | 1u << INPUT_LINE_STIPPLE | BLOCK_POSITION |                \
     1u << INPUT_FRONT_FACE)

bool amd_spi_ps_has_block_inputs(const struct spi_ps_state *state)
{
    const uint32_t inputs = state->ena & state->addr;
    return !(inputs & ~BLOCK_INPUTS) && !(inputs & BLOCK_POSITION && state->position_at_sample);
}

static void load_block_input(const struct spi_ps *ps, struct sq_wave *wave, enum input input, uint32_t x, uint32_t y,
                             uint32_t *row)
{
    switch (input) {
    case INPUT_PERSP_CENTER:
    case INPUT_LINEAR_CENTER:
        raster_block_weights(ps->prim, x, y, input == INPUT_LINEAR_CENTER, row, row + wave->lanes);
        break;
    case INPUT_LINE_STIPPLE:
        break;
    case INPUT_FRONT_FACE:
        lanes_splat(row, front_face(ps->state, ps->prim), wave->lanes);
        break;
    default:
        load_block_position(ps, input, x, y, row);
        break;
    }
}

void amd_spi_ps_load_block(const struct spi_ps *ps, struct sq_wave *wave, uint32_t x, uint32_t y)
{
    uint32_t *row = wave->vgpr;
    bits_foreach (ps->state->addr &bits_mask(INPUT_COUNT), input) {
        if (ps->state->ena >> input & 1)
            load_block_input(ps, wave, (enum input)input, x, y, row);
        row += amd_spi_ps_input_rows[input] * wave->lanes;
    }
}
