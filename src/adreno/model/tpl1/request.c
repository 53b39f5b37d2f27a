/* From an instruction to groups of lanes that have the same descriptors, and from texels to registers. */
#include "adreno/model/tpl1/unit.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/hw/regs_gras.h"
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_tpl1.h"
#include "adreno/hw/table.h"
#include "hw/text.h"
#include "isa/lane_env.h"
#include "util/bits.h"
#include "util/half.h"

/* ---- the unit ---- */

struct tpl1 *adreno_tpl1_create(void)
{
    struct tpl1 *tpl1 = calloc(1, sizeof(*tpl1));
    if (tpl1 && !(tpl1->cache = adreno_tpl1_cache_create())) {
        free(tpl1);
        return NULL;
    }
    return tpl1;
}

void adreno_tpl1_destroy(struct tpl1 *tpl1)
{
    if (!tpl1)
        return;
    adreno_tpl1_cache_destroy(tpl1->cache);
    strbuf_finish(&tpl1->problem);
    free(tpl1);
}

const char *adreno_tpl1_problem(const struct tpl1 *tpl1)
{
    return tpl1->has_problem ? tpl1->problem.text : NULL;
}

bool adreno_tpl1_fault(const struct tpl1 *tpl1, uint64_t *va_out)
{
    *va_out = tpl1->fault_va;
    return tpl1->is_fault;
}

static bool stop_request(struct tpl1 *tpl1, const char *why, const char *descriptor, const uint32_t *words)
{
    const struct hw_decode_options options = {.generation = ADRENO_A6XX};
    strbuf_clear(&tpl1->problem);
    strbuf_append(&tpl1->problem, why);
    if (words) {
        struct hw_text text = hw_text_begin(&tpl1->problem, &adreno_hw_tables, &options);
        strbuf_append(&tpl1->problem, ": ");
        hw_text_descriptor(&text, descriptor, words);
    }
    tpl1->has_problem = true;
    return false;
}

bool adreno_tpl1_stop(struct tpl1 *tpl1, const struct tpl1_image *image, const char *why)
{
    return stop_request(tpl1, why, image && image->is_buffer ? "BUFFER" : "IMAGE", image ? image->words : NULL);
}

static bool adreno_tpl1_stop_sampler(struct tpl1 *tpl1, const struct tpl1_sampler *sampler)
{
    return stop_request(tpl1, sampler->problem, "SAMPLER", sampler->words);
}

bool adreno_tpl1_stop_fault(struct tpl1 *tpl1, const struct tpl1_image *image, uint64_t va)
{
    tpl1->is_fault = true;
    tpl1->fault_va = va;
    return adreno_tpl1_stop(tpl1, image, "a texel at an address that is not mapped");
}

/* ---- registers of a launch ---- */

const uint8_t *adreno_tpl1_sample_pos(unsigned samples_log2, unsigned sample)
{
    static const uint8_t places[4][8][2] = {
        {{8, 8}},
        {{12, 12}, {4, 4}},
        {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
        {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
    };
    return places[samples_log2 & 3][sample & ((1u << (samples_log2 & 3)) - 1)];
}

static void set_drawn(struct tpl1_state *state, const uint32_t *regs)
{
    struct adreno_GRAS_SC_WINDOW_SCISSOR_TL tl =
        adreno_unpack_GRAS_SC_WINDOW_SCISSOR_TL(regs[ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_TL]);
    struct adreno_GRAS_SC_WINDOW_SCISSOR_BR br =
        adreno_unpack_GRAS_SC_WINDOW_SCISSOR_BR(regs[ADRENO_REG_GRAS_SC_WINDOW_SCISSOR_BR]);
    struct adreno_GRAS_SC_SCREEN_SCISSOR_TL screen_tl =
        adreno_unpack_GRAS_SC_SCREEN_SCISSOR_TL(regs[ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_TL]);
    struct adreno_GRAS_SC_SCREEN_SCISSOR_BR screen_br =
        adreno_unpack_GRAS_SC_SCREEN_SCISSOR_BR(regs[ADRENO_REG_GRAS_SC_SCREEN_SCISSOR_BR]);
    state->drawn_x0 = (uint16_t)MAX2(tl.X, screen_tl.X);
    state->drawn_y0 = (uint16_t)MAX2(tl.Y, screen_tl.Y);
    state->drawn_x1 = (uint16_t)MIN2(br.X, screen_br.X);
    state->drawn_y1 = (uint16_t)MIN2(br.Y, screen_br.Y);
}

void adreno_tpl1_state_init(struct tpl1_state *state, const struct adreno_chip *chip, const uint32_t *regs,
                            bool is_compute)
{
    const unsigned base = is_compute ? ADRENO_REG_TPL1_CS_BORDER_COLOR_BASE : ADRENO_REG_TPL1_GFX_BORDER_COLOR_BASE;
    struct adreno_TPL1_RAS_MSAA_CNTL msaa = adreno_unpack_TPL1_RAS_MSAA_CNTL(regs[ADRENO_REG_TPL1_RAS_MSAA_CNTL]);
    struct adreno_TPL1_WINDOW_OFFSET window = adreno_unpack_TPL1_WINDOW_OFFSET(regs[ADRENO_REG_TPL1_WINDOW_OFFSET]);
    struct adreno_TPL1_MSAA_SAMPLE_POS_CNTL pos =
        adreno_unpack_TPL1_MSAA_SAMPLE_POS_CNTL(regs[ADRENO_REG_TPL1_MSAA_SAMPLE_POS_CNTL]);
    *state = (struct tpl1_state){
        .chip = chip,
        .border_va = regs[base] | (uint64_t)regs[base + 1] << 32,
        .mode = regs[ADRENO_REG_TPL1_MODE_CNTL],
        /* RB_CNTL says nothing of bins in a draw to memory that reads GMEM, as drivers store samples. */
        .bin_height = adreno_unpack_RB_RESOLVE_CNTL_3(regs[ADRENO_REG_RB_RESOLVE_CNTL_3]).BINH,
        .window_x = window.X,
        .window_y = window.Y,
        .samples = (uint8_t)(1u << msaa.SAMPLES),
    };
    set_drawn(state, regs);
    for (unsigned i = 0; i < 8; i++) {
        const uint8_t *place = adreno_tpl1_sample_pos(msaa.SAMPLES, i);
        uint32_t word = regs[ADRENO_REG_TPL1_PROGRAMMABLE_MSAA_POS_0 + i / 4] >> i % 4 * 8;
        state->sample_pos[i][0] = pos.LOCATION_ENABLE ? word & 15 : place[0];
        state->sample_pos[i][1] = pos.LOCATION_ENABLE ? word >> 4 & 15 : place[1];
    }
}

/* ---- sources ---- */

const uint32_t *adreno_tpl1_source(struct tpl1_unit *u, const struct tpl1_rows *from, unsigned n, bool is_float)
{
    if (!from->is_half)
        return from->row + (size_t)n * from->stride_dw + u->first_lane;
    const unsigned half = n + from->is_high, shift = half % 2 * 16;
    const uint32_t *row = from->row + (size_t)(half / 2) * from->stride_dw + u->first_lane;
    uint32_t *to = u->rows[u->rows_used++];
    for (unsigned i = 0; i < u->q.lanes; i++) {
        uint16_t value = (uint16_t)(row[i] >> shift);
        to[i] = is_float ? float_bits(half_to_float(value)) : (uint32_t)(int32_t)(int16_t)value;
    }
    return to;
}

unsigned adreno_tpl1_coordinates(const struct tpl1_request *request)
{
    return request->is_3d ? 3 : request->is_1d ? 1 : 2;
}

/* ---- results ---- */

static bool is_half_type(unsigned type)
{
    return type == TPL1_F16 || type == TPL1_U16 || type == TPL1_S16 || type == TPL1_U8;
}

static void write_row(const struct tpl1_unit *u, unsigned n, const uint32_t *values)
{
    const struct tpl1_rows *dst = &u->request->dst;
    const unsigned half = n + dst->is_high, shift = half % 2 * 16;
    if (!is_half_type(u->request->type)) {
        uint32_t *to = dst->row + (size_t)n * dst->stride_dw + u->first_lane;
        if (u->q.exec == UINT64_MAX)
            memcpy(to, values, LANES_MAX * sizeof(*to));
        for (unsigned i = 0; u->q.exec != UINT64_MAX && i < u->q.lanes; i++)
            to[i] = u->q.exec_lanes[i] ? values[i] : to[i];
        return;
    }
    uint32_t *to = dst->row + (size_t)(half / 2) * dst->stride_dw + u->first_lane, keep = ~(0xffffu << shift);
    for (unsigned i = 0; i < u->q.lanes; i++)
        to[i] = u->q.exec_lanes[i] ? (to[i] & keep) | (values[i] & 0xffff) << shift : to[i];
}

void adreno_tpl1_return_words(const struct tpl1_unit *u, unsigned n, const uint32_t *row)
{
    uint32_t halves[LANES_MAX];
    if (!(u->request->wrmask >> n & 1))
        return;
    if (u->request->type != TPL1_F16) {
        write_row(u, n, row);
        return;
    }
    for (unsigned i = 0; i < u->q.lanes; i++)
        halves[i] = float_to_half_rtne(bits_float(row[i]));
    write_row(u, n, halves);
}

uint32_t adreno_tpl1_constant(const struct tpl1_unit *u, unsigned selector)
{
    const uint32_t one = u->q.image->is_float ? float_bits(1) : 1;
    return selector == ADRENO_TEX_SWIZ_ONE ? one : 0;
}

void adreno_tpl1_swizzled(const struct tpl1_unit *u, unsigned n, const union tex_texel texels[LANES_MAX],
                          uint32_t row_out[LANES_MAX])
{
    unsigned from = u->image->swizzle[n];
    if (from <= ADRENO_TEX_SWIZ_W) {
        for (unsigned i = 0; i < u->q.lanes; i++)
            row_out[i] = texels[i].u[from];
        return;
    }
    lanes_splat(row_out, adreno_tpl1_constant(u, from), u->q.lanes);
}

void adreno_tpl1_return(const struct tpl1_unit *u, const union tex_texel texels[LANES_MAX])
{
    for (unsigned n = 0; n < 4; n++) {
        uint32_t row[LANES_MAX];
        if (!(u->request->wrmask >> n & 1))
            continue;
        adreno_tpl1_swizzled(u, n, texels, row);
        adreno_tpl1_return_words(u, n, row);
    }
}

/* ---- groups ---- */

static bool has_sampler(unsigned op)
{
    return op >= TPL1_SAM && op <= TPL1_GETLOD;
}

static bool run_group(struct tpl1_unit *u)
{
    if (u->request->has_clamp && !has_sampler(u->request->op))
        return adreno_tpl1_stop(u->tpl1, u->image, "a least level (.clp) without a sampler is not implemented");
    switch (u->request->op) {
    case TPL1_CONV:
    case TPL1_CONVM:
        return adreno_tpl1_stop(u->tpl1, u->image, "a convolution (conv, convm) is not implemented");
    case TPL1_ISAM:
    case TPL1_ISAML:
    case TPL1_ISAMM:
        return adreno_tpl1_fetch(u);
    case TPL1_GETSIZE:
    case TPL1_GETBUF:
    case TPL1_GETPOS:
    case TPL1_GETINFO:
    case TPL1_RGETPOS:
    case TPL1_RGETINFO:
        return adreno_tpl1_query(u);
    default:
        return adreno_tpl1_sample(u);
    }
}

static bool find_descriptors(struct tpl1_unit *u, uint32_t texture, uint32_t sampler)
{
    const struct tpl1_request *request = u->request;
    const uint32_t *words = request->find(request->context, false, texture);
    if (!words)
        return false;
    u->image = adreno_tpl1_image_get(u->tpl1->cache, u->state, words);
    if (!u->image)
        return adreno_tpl1_stop(u->tpl1, NULL, "the host has no memory for a descriptor");
    if (u->image->problem)
        return adreno_tpl1_stop(u->tpl1, u->image, u->image->problem);
    u->q.image = &u->image->tex;
    u->q.space = u->state->coherence ? NULL : u->state->space; /* then each texel is looked at */
    u->q.places = u->image->places;
    u->q.blocks = adreno_tpl1_cache_blocks(u->tpl1->cache);
    if (!has_sampler(request->op))
        return true;
    words = request->find(request->context, true, sampler);
    if (!words)
        return false;
    u->sampler = adreno_tpl1_sampler_get(u->tpl1->cache, words);
    if (!u->sampler)
        return adreno_tpl1_stop(u->tpl1, NULL, "the host has no memory for a descriptor");
    if (u->sampler->problem)
        return adreno_tpl1_stop_sampler(u->tpl1, u->sampler);
    struct adreno_TPL1_MODE_CNTL mode = adreno_unpack_TPL1_MODE_CNTL(u->state->mode);
    u->tex_sampler = u->sampler->tex;
    u->tex_sampler.trunc = mode.TEXCOORDROUNDMODE == ADRENO_COORD_ROUND_TRUNCATE;
    u->q.sampler = &u->tex_sampler;
    return true;
}

/* The lanes of `left` that have the descriptors of the first one. */
static uint64_t same_lanes(const struct tpl1_request *request, unsigned first_lane, uint64_t left,
                           uint32_t *texture_out, uint32_t *sampler_out)
{
    unsigned first = first_lane + (unsigned)__builtin_ctzll(left);
    *texture_out = request->texture_of ? request->texture_of[first] : request->texture;
    *sampler_out = request->sampler_of ? request->sampler_of[first] : request->sampler;
    uint64_t same = left;
    if (!request->texture_of && !request->sampler_of)
        return left;
    bits_foreach (left, i) {
        if ((request->texture_of && request->texture_of[first_lane + i] != *texture_out) ||
            (request->sampler_of && request->sampler_of[first_lane + i] != *sampler_out))
            same &= ~(1ull << i);
    }
    return same;
}

/* Lanes up to the last one, in whole vectors: those after it need no arithmetic. */
static unsigned lanes_to_last(uint64_t lanes)
{
    const unsigned count = 64 - (unsigned)__builtin_clzll(lanes);
    return (count + 15) & ~15u;
}

/* A full wave does not keep its lanes. */
#define ONES UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX
static const uint32_t all_lanes[LANES_MAX] = {ONES, ONES, ONES, ONES, ONES, ONES, ONES, ONES};

static bool run_lanes(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_request *request,
                      unsigned first_lane, uint64_t left)
{
    bool needs_texture = request->op != TPL1_RGETPOS && request->op != TPL1_RGETINFO;
    while (left) {
        struct tpl1_unit u;
        uint32_t texture, sampler;
        uint64_t lanes = same_lanes(request, first_lane, left, &texture, &sampler);
        memset(&u, 0, offsetof(struct tpl1_unit, active));
        u.tpl1 = tpl1;
        u.state = state;
        u.request = request;
        u.first_lane = first_lane;
        u.q.lanes = lanes_to_last(lanes);
        u.q.exec = lanes;
        u.q.exec_lanes = lanes == UINT64_MAX ? all_lanes : u.active;
        u.q.ops = &adreno_tpl1_ops;
        if (lanes != UINT64_MAX)
            lanes_from_mask(u.active, lanes, LANES_MAX);
        if ((needs_texture && !find_descriptors(&u, texture, sampler)) || !run_group(&u))
            return false;
        left &= ~lanes;
    }
    return true;
}

/* The texture unit rounds to nearest, whatever the program's mode is. */
#if defined(__aarch64__)
#define PLAIN_ENV 0ull
#else
#define PLAIN_ENV 0x1f80ull
#endif

static __attribute__((noinline)) bool run(struct tpl1 *tpl1, const struct tpl1_state *state,
                                          const struct tpl1_request *request)
{
    return run_lanes(tpl1, state, request, 0, request->active.bits[0]) &&
           run_lanes(tpl1, state, request, 64, request->active.bits[1]);
}

/* samgp0 to samgp3 are samgq for one fiber of each quad. */
static struct tpl1_request one_of_quad(const struct tpl1_request *request)
{
    struct tpl1_request one = *request;
    const uint64_t lanes = 0x1111111111111111ull << (request->op - TPL1_SAMGP0);
    one.op = TPL1_SAMGQ;
    one.active.bits[0] &= lanes;
    one.active.bits[1] &= lanes;
    return one;
}

bool adreno_tpl1_run(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_request *request)
{
    struct tpl1_request one;
    tpl1->has_problem = tpl1->is_fault = false;
    if (request->op >= TPL1_SAMGP0 && request->op <= TPL1_SAMGP3) {
        one = one_of_quad(request);
        request = &one;
    }
    uint64_t env = lane_env_get();
    if (env != PLAIN_ENV)
        lane_env_set(PLAIN_ENV);
    bool is_done = run(tpl1, state, request);
    if (env != PLAIN_ENV)
        lane_env_set(env);
    return is_done;
}
