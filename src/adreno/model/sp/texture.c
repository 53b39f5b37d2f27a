/* Category 5: requests to the texture unit, and what looks at the lanes of a quad: derivatives, shuffles,
 * broadcasts. */
#include <string.h>

#include "adreno/model/sp/code.h"
#include "adreno/model/sp/memory.h"
#include "adreno/model/sp/sp.h"
#include "model/stat.h"
#include "util/half.h"

static int16_t field(const struct sp_uop *uop, enum adreno_isa_field which)
{
    return uop->inst->field[which];
}

static const struct adreno_isa_operand *operand(const struct sp_uop *uop, enum adreno_isa_place place)
{
    return &uop->inst->operands[place];
}

/* ---- requests ---- */

struct finder {
    struct adreno_wave *wave;
    const struct sp_uop *uop;
    int texture_base, sampler_base;
};

static const uint32_t *find_descriptor(void *context, bool is_sampler, uint32_t index)
{
    struct finder *finder = context;
    return adreno_sp_descriptor(finder->wave, finder->uop, is_sampler ? SP_DESCRIPTOR_SAMPLER : SP_DESCRIPTOR_TEXTURE,
                                is_sampler ? finder->sampler_base : finder->texture_base, index);
}

/* A request but for its wave: made when its instruction is decoded. Rows are offsets from the wave's first one, in
 * dwords; of a source that the instruction does not have there is none. */
struct sp_request {
    struct tpl1_request request;
    struct adreno_isa_resource resource;
    struct sp_dword_access load;
    bool is_load; /* perhaps of dwords of a buffer */
    bool has_src0, has_src1, has_dst;
    uint32_t src0, src1, dst;
};

static bool set_rows(struct tpl1_rows *to, uint32_t *offset_out, const struct adreno_isa_operand *source,
                     unsigned lanes)
{
    if (source->kind != ADRENO_ISA_OPERAND_GPR)
        return false;
    const bool is_half = source->flags & ADRENO_ISA_FLAG_HALF;
    const unsigned component = (unsigned)source->value;
    *offset_out = (is_half ? adreno_half_row(component) : component) * lanes;
    to->stride_dw = lanes;
    to->is_half = is_half;
    to->is_high = is_half && adreno_half_shift(component);
    return true;
}

/* Numbers of texture and sampler out of a register: the texture's first. */
static void indices_of(struct adreno_wave *wave, const struct adreno_isa_resource *resource, uint32_t *textures,
                       uint32_t *samplers)
{
    const bool is_half = !resource->is_bindless;
    struct sp_column texture = sp_column(wave, resource->reg, is_half);
    struct sp_column sampler = sp_column(wave, resource->reg + 1u, is_half);
    const unsigned first = lane_mask_lowest(wave->active);
    for (unsigned i = 0; i < wave->lanes; i++) {
        textures[i] = sp_get(&texture, resource->is_uniform ? first : i);
        samplers[i] = sp_get(&sampler, resource->is_uniform ? first : i);
    }
}

bool adreno_sp_is_dword_load(const struct adreno_isa_inst *inst, struct sp_dword_access *access_out)
{
    const struct adreno_isa_operand *operands = inst->operands, *index = &operands[ADRENO_ISA_PLACE_SRC0],
                                    *second = &operands[ADRENO_ISA_PLACE_SRC1];
    const struct adreno_isa_resource resource = adreno_isa_resource(inst);
    const unsigned type = (unsigned)inst->field[ADRENO_ISA_FIELD_TYPE];
    const unsigned wrmask = (unsigned)inst->field[ADRENO_ISA_FIELD_WRMASK];
    const bool is_vector = inst->field[ADRENO_ISA_FIELD_VECTOR];
    if (inst->op != ADRENO_ISA_OP_ISAM || (type != TPL1_U32 && type != TPL1_S32 && type != TPL1_F32) ||
        index->kind != ADRENO_ISA_OPERAND_GPR || index->flags & ADRENO_ISA_FLAG_HALF ||
        inst->field[ADRENO_ISA_FIELD_OFFSETS] || resource.has_register || resource.has_a1 ||
        inst->field[ADRENO_ISA_FIELD_3D] || inst->field[ADRENO_ISA_FIELD_ARRAY] ||
        inst->field[ADRENO_ISA_FIELD_SHADOW] || operands[ADRENO_ISA_PLACE_DST].kind != ADRENO_ISA_OPERAND_GPR ||
        (!is_vector && wrmask != 1))
        return false;
    *access_out = (struct sp_dword_access){
        .kind = SP_DESCRIPTOR_TEXTURE,
        .base = resource.is_bindless ? resource.base : -1,
        .descriptor = resource.texture,
        .index = (unsigned)index->value,
        .offset = second->kind == ADRENO_ISA_OPERAND_NUMBER ? (uint32_t)second->value : 0,
        .wrmask = wrmask,
        .data = (unsigned)operands[ADRENO_ISA_PLACE_DST].value,
        .needs_plain = !is_vector,
    };
    return true;
}

static void set_request(struct sp_request *to, const struct adreno_isa_inst *inst, enum tpl1_op op, unsigned lanes)
{
    const struct adreno_isa_operand *second = &inst->operands[ADRENO_ISA_PLACE_SRC1];
    to->resource = adreno_isa_resource(inst);
    to->request = (struct tpl1_request){
        .op = (uint8_t)op,
        .type = (uint8_t)inst->field[ADRENO_ISA_FIELD_TYPE],
        .wrmask = (uint8_t)inst->field[ADRENO_ISA_FIELD_WRMASK],
        .is_3d = inst->field[ADRENO_ISA_FIELD_3D],
        .is_array = inst->field[ADRENO_ISA_FIELD_ARRAY],
        .is_shadow = inst->field[ADRENO_ISA_FIELD_SHADOW],
        .is_projected = inst->field[ADRENO_ISA_FIELD_PROJ],
        .has_offsets = inst->field[ADRENO_ISA_FIELD_OFFSETS],
        .has_clamp = inst->field[ADRENO_ISA_FIELD_CLAMP],
        .is_vector = inst->field[ADRENO_ISA_FIELD_VECTOR],
        /* .1d is the absence of a bit that only isam.v has; programs give a y all the same. */
        .is_1d = false,
        .has_immediate = second->kind == ADRENO_ISA_OPERAND_NUMBER,
        .immediate = second->kind == ADRENO_ISA_OPERAND_NUMBER ? second->value : 0,
        .lanes = lanes,
        .texture = to->resource.texture,
        .sampler = to->resource.sampler,
        .find = find_descriptor,
    };
    to->is_load = adreno_sp_is_dword_load(inst, &to->load);
    to->has_src0 = set_rows(&to->request.src0, &to->src0, &inst->operands[ADRENO_ISA_PLACE_SRC0], lanes);
    to->has_src1 = set_rows(&to->request.src1, &to->src1, second, lanes);
    to->has_dst = set_rows(&to->request.dst, &to->dst, &inst->operands[ADRENO_ISA_PLACE_DST], lanes);
}

/* The template with the wave's own rows. */
static struct tpl1_request request_of(struct adreno_wave *wave, const struct sp_request *from)
{
    struct tpl1_request request = from->request;
    request.active = wave->active;
    if (from->has_src0)
        request.src0.row = wave->rows + from->src0;
    if (from->has_src1)
        request.src1.row = wave->rows + from->src1;
    if (from->has_dst)
        request.dst.row = wave->rows + from->dst;
    return request;
}

void adreno_sp_run_request(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct sp_request *from = (const struct sp_request *)(uintptr_t)uop->target;
    if (!lane_mask_any(wave->active) || (from->is_load && adreno_sp_buffer_load(wave, uop, &from->load)))
        return;
    const struct adreno_isa_resource resource = from->resource;
    struct finder finder = {wave, uop, -1, -1};
    uint32_t textures[ADRENO_WAVE_LANES_MAX], samplers[ADRENO_WAVE_LANES_MAX];
    struct tpl1_request request = request_of(wave, from);
    request.context = &finder;
    if (resource.is_bindless)
        finder.texture_base = finder.sampler_base = resource.base;
    if (resource.has_a1) {
        const uint32_t a1 = adreno_wave_row(wave, ADRENO_ISA_REG_A1)[lane_mask_lowest(wave->active)];
        finder.sampler_base = a1 & 7;
        if (!resource.has_register)
            request.texture = a1 >> 3 & 0xff;
    }
    if (resource.has_register) {
        indices_of(wave, &resource, textures, samplers);
        request.texture_of = textures;
        request.sampler_of = samplers;
    }
    const unsigned before = stat_enter_work(STAT_TEXTURES);
    const bool is_done = adreno_tpl1_run(wave->sp->tpl1, &wave->sp->tpl1_state, &request);
    stat_leave(before);
    if (is_done)
        return;
    uint64_t va;
    const char *problem = adreno_tpl1_problem(wave->sp->tpl1);
    if (adreno_tpl1_fault(wave->sp->tpl1, &va))
        adreno_sp_memory_fault(wave, uop, va, false);
    else if (wave->state != ADRENO_WAVE_FAULTED)
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "%s", problem ? problem : "the texture unit stopped");
}

/* ---- quads ---- */

static float as_float(uint32_t bits, bool is_half)
{
    float number;
    if (is_half)
        return half_to_float((uint16_t)bits);
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static uint32_t from_float(float number, bool is_half)
{
    uint32_t bits;
    if (is_half)
        return float_to_half_rtne(number);
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* Which pixels of a quad a derivative is the difference of, for the pixel p. */
static unsigned low_of(uint32_t imm, unsigned p)
{
    return imm & 2 ? p & ~(1u + (imm & 1)) : 0;
}

unsigned adreno_sp_quad_low(uint32_t imm)
{
    unsigned order = 0;
    for (unsigned p = 0; p < 4; p++)
        order |= low_of(imm, p) << 2 * p;
    return order;
}

/* All lanes of a row become quads in another order: pixel p what pixel order >> 2p & 3 is. */
static inline void permute_quads(uint32_t *to, const uint32_t *from, unsigned order, unsigned lanes)
{
    const unsigned at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6 & 3};
    for (unsigned i = 0; i < lanes; i += 4) {
        for (unsigned p = 0; p < 4; p++)
            to[i + p] = from[i + at[p]];
    }
}

static void read_column(uint32_t *to, const struct sp_column *from, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (from->row[i] & from->mask) >> from->shift;
}

/* To the lanes that run. */
static void write_column(struct adreno_wave *wave, const struct sp_column *to, const uint32_t *values)
{
    for (unsigned i = 0; wave->is_full && i < wave->lanes; i++)
        to->row[i] = (to->row[i] & ~to->mask) | (values[i] << to->shift & to->mask);
    for (unsigned i = 0; !wave->is_full && i < wave->lanes; i++) {
        const uint32_t keep = ~(to->mask & wave->active_lanes[i]);
        to->row[i] = (to->row[i] & keep) | (values[i] << to->shift & ~keep);
    }
}

bool adreno_sp_derivative_is_in_place(const struct adreno_isa_inst *inst)
{
    const struct adreno_isa_operand *dst = &inst->operands[ADRENO_ISA_PLACE_DST],
                                    *src = &inst->operands[ADRENO_ISA_PLACE_SRC0];
    const bool is_fine = inst->op == ADRENO_ISA_OP_DSXPP_1 || inst->op == ADRENO_ISA_OP_DSYPP_1;
    const int64_t apart = (int64_t)dst->value - (int64_t)src->value;
    const uint64_t written = (uint64_t)inst->field[ADRENO_ISA_FIELD_WRMASK];
    return is_fine && dst->kind == ADRENO_ISA_OPERAND_GPR && src->kind == ADRENO_ISA_OPERAND_GPR && apart > -4 &&
           apart < 4 && (written << (4 + apart) & written << 4);
}

/* Whether one of a pair leaves the pixel to the other: the first has the row (column) that its quad begins with. */
static bool is_others(const struct sp_uop *uop, unsigned lane)
{
    return (lane >> (uop->imm == 2) & 1) != (field(uop, ADRENO_ISA_FIELD_PROJ) != 0);
}

void adreno_sp_run_derivative(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const bool is_in_place = adreno_sp_derivative_is_in_place(uop->inst);
    const struct adreno_isa_operand *dst = operand(uop, ADRENO_ISA_PLACE_DST),
                                    *src = operand(uop, ADRENO_ISA_PLACE_SRC0);
    const bool half_dst = dst->flags & ADRENO_ISA_FLAG_HALF, half_src = src->flags & ADRENO_ISA_FLAG_HALF;
    const unsigned order = adreno_sp_quad_low(uop->imm), step = uop->imm & 1 ? 0xaa : 0x55;
    uint32_t results[4][ADRENO_WAVE_LANES_MAX];
    const unsigned wrmask = (unsigned)field(uop, ADRENO_ISA_FIELD_WRMASK);
    for (unsigned n = 0; n < 4; n++) {
        uint32_t values[ADRENO_WAVE_LANES_MAX], low[ADRENO_WAVE_LANES_MAX], high[ADRENO_WAVE_LANES_MAX];
        if (!(wrmask >> n & 1))
            continue;
        const struct sp_column from = sp_column(wave, (unsigned)src->value + n, half_src);
        read_column(values, &from, wave->lanes);
        permute_quads(low, values, order, wave->lanes);
        permute_quads(high, values, order | step, wave->lanes);
        for (unsigned i = 0; i < wave->lanes && !half_src && !half_dst; i++)
            results[n][i] = from_float(as_float(high[i], false) - as_float(low[i], false), false);
        for (unsigned i = 0; i < wave->lanes && (half_src || half_dst); i++)
            results[n][i] = from_float(as_float(high[i], half_src) - as_float(low[i], half_src), half_dst);
    }
    for (unsigned n = 0; n < 4; n++) {
        const struct sp_column to = sp_column(wave, (unsigned)dst->value + n, half_dst);
        if (!(wrmask >> n & 1))
            continue;
        for (unsigned i = 0; i < wave->lanes && is_in_place; i++) {
            if (is_others(uop, i))
                results[n][i] = (to.row[i] & to.mask) >> to.shift;
        }
        write_column(wave, &to, results[n]);
    }
}

/* imm 0: the lane of each quad that src1 names; 1, 2, 3: the neighbour in the row, the column, the diagonal. */
void adreno_sp_run_quad_shuffle(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct adreno_isa_operand *dst = operand(uop, ADRENO_ISA_PLACE_DST),
                                    *src = operand(uop, ADRENO_ISA_PLACE_SRC0);
    const struct adreno_isa_operand *which = operand(uop, ADRENO_ISA_PLACE_SRC1);
    const struct sp_column from = sp_column(wave, (unsigned)src->value, src->flags & ADRENO_ISA_FLAG_HALF);
    const struct sp_column to = sp_column(wave, (unsigned)dst->value, dst->flags & ADRENO_ISA_FLAG_HALF);
    uint32_t values[ADRENO_WAVE_LANES_MAX], moved[ADRENO_WAVE_LANES_MAX];
    read_column(values, &from, wave->lanes);
    if (uop->imm) {
        permute_quads(moved, values, 0xe4 ^ uop->imm * 0x55, wave->lanes);
    } else {
        const struct sp_column index = sp_column(wave, (unsigned)which->value, which->flags & ADRENO_ISA_FLAG_HALF);
        for (unsigned i = 0; i < wave->lanes; i++)
            moved[i] = values[(i & ~3u) | (sp_get(&index, i) & 3)];
    }
    write_column(wave, &to, moved);
}

/* Of each group of `imm` lanes the upper half gets what the last active lane of the lower half has. */
static void run_broadcast_active(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct adreno_isa_operand *dst = operand(uop, ADRENO_ISA_PLACE_DST),
                                    *src = operand(uop, ADRENO_ISA_PLACE_SRC0);
    struct sp_column from = sp_column(wave, (unsigned)src->value, src->flags & ADRENO_ISA_FLAG_HALF);
    struct sp_column to = sp_column(wave, (unsigned)dst->value, dst->flags & ADRENO_ISA_FLAG_HALF);
    const unsigned half = uop->imm / 2;
    for (unsigned first = 0; first < wave->lanes; first += uop->imm) {
        unsigned last = half;
        while (last > 0 && !lane_mask_has(wave->active, first + last - 1))
            last--;
        if (!last)
            continue;
        const uint32_t value = sp_get(&from, first + last - 1);
        for (unsigned i = first + half; i < first + uop->imm; i++) {
            if (lane_mask_has(wave->active, i))
                sp_put(&to, i, value);
        }
    }
}

/* ---- other lanes ---- */

enum shuffle {
    SHUFFLE_XOR = 1,
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_RUP = 6,
    SHUFFLE_RDOWN
};

/* The lane that each lane reads. Lanes beyond the wave are none: UP and DOWN read their own then, others go round. */
static void find_sources(struct adreno_wave *wave, const struct adreno_isa_operand *by, enum shuffle mode,
                         uint32_t lane[ADRENO_WAVE_LANES_MAX])
{
    const uint32_t lanes = wave->lanes;
    const bool is_up = mode == SHUFFLE_UP || mode == SHUFFLE_RUP, stays = mode == SHUFFLE_UP || mode == SHUFFLE_DOWN;
    const uint32_t sign = is_up ? UINT32_MAX : 0, last = stays ? lanes - 1 : UINT32_MAX;
    if (by->kind == ADRENO_ISA_OPERAND_GPR)
        memcpy(lane, adreno_wave_row(wave, (unsigned)by->value & 0xff), lanes * sizeof(*lane));
    else
        lanes_splat(lane, (uint32_t)by->value, lanes);
    if (mode == SHUFFLE_XOR) {
        for (uint32_t i = 0; i < lanes; i++)
            lane[i] = (lane[i] ^ i) & (lanes - 1);
        return;
    }
    for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t other = i + ((lane[i] ^ sign) - sign);
        lane[i] = (other <= last ? other : i) & (lanes - 1);
    }
}

void adreno_sp_run_shfl(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const struct adreno_isa_operand *dst = operand(uop, ADRENO_ISA_PLACE_DST),
                                    *src = operand(uop, ADRENO_ISA_PLACE_SRC0);
    struct sp_column from = sp_column(wave, (unsigned)src->value, src->flags & ADRENO_ISA_FLAG_HALF);
    struct sp_column to = sp_column(wave, (unsigned)dst->value, dst->flags & ADRENO_ISA_FLAG_HALF);
    uint32_t lane[ADRENO_WAVE_LANES_MAX], values[ADRENO_WAVE_LANES_MAX];
    find_sources(wave, operand(uop, ADRENO_ISA_PLACE_SRC1), (enum shuffle)field(uop, ADRENO_ISA_FIELD_SHUFFLE), lane);
    for (unsigned i = 0; i < wave->lanes; i++)
        values[i] = from.row[lane[i]];
    for (unsigned i = 0; i < wave->lanes; i++)
        values[i] = (values[i] & from.mask) >> from.shift;
    write_column(wave, &to, values);
}

/* imm 0: the shader processor, 1: the wave in it, 2: the fiber. */
void adreno_sp_run_identity(struct adreno_wave *wave, const struct sp_uop *uop)
{
    uint32_t *row = adreno_wave_row(wave, (unsigned)operand(uop, ADRENO_ISA_PLACE_DST)->value);
    lane_mask_foreach(wave->active, i) row[i] = uop->imm == 0 ? 0 : uop->imm == 1 ? wave->wave_in_group : i;
}

/* ---- translation ---- */

/* Micro-operations and what they point to live as long as each other. */
static void build_request(struct sp_builder *builder, struct sp_uop *uop)
{
    struct sp_request *request = arena_new(&builder->exec.code->arena, struct sp_request);
    if (!request) {
        builder->exec.failed = true;
        return;
    }
    set_request(request, builder->inst, (enum tpl1_op)uop->imm, builder->exec.lanes);
    uop->target = (const struct sp_uop *)(uintptr_t)request;
}

bool adreno_sp_translate_texture(struct sp_builder *builder)
{
    static const struct {
        uint16_t op;
        uint16_t imm;
        sp_run_fn run;
    } rows[] = {
        {ADRENO_ISA_OP_ISAM, TPL1_ISAM, adreno_sp_run_request},
        {ADRENO_ISA_OP_ISAML, TPL1_ISAML, adreno_sp_run_request},
        {ADRENO_ISA_OP_ISAMM, TPL1_ISAMM, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAM, TPL1_SAM, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAMB, TPL1_SAMB, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAML, TPL1_SAML, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAMGQ, TPL1_SAMGQ, adreno_sp_run_request},
        {ADRENO_ISA_OP_GETLOD, TPL1_GETLOD, adreno_sp_run_request},
        {ADRENO_ISA_OP_CONV, TPL1_CONV, adreno_sp_run_request},
        {ADRENO_ISA_OP_CONVM, TPL1_CONVM, adreno_sp_run_request},
        {ADRENO_ISA_OP_GETSIZE, TPL1_GETSIZE, adreno_sp_run_request},
        {ADRENO_ISA_OP_GETBUF, TPL1_GETBUF, adreno_sp_run_request},
        {ADRENO_ISA_OP_GETPOS, TPL1_GETPOS, adreno_sp_run_request},
        {ADRENO_ISA_OP_GETINFO, TPL1_GETINFO, adreno_sp_run_request},
        {ADRENO_ISA_OP_GATHER4R, TPL1_GATHER4R, adreno_sp_run_request},
        {ADRENO_ISA_OP_GATHER4G, TPL1_GATHER4G, adreno_sp_run_request},
        {ADRENO_ISA_OP_GATHER4B, TPL1_GATHER4B, adreno_sp_run_request},
        {ADRENO_ISA_OP_GATHER4A, TPL1_GATHER4A, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAMGP0, TPL1_SAMGP0, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAMGP1, TPL1_SAMGP1, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAMGP2, TPL1_SAMGP2, adreno_sp_run_request},
        {ADRENO_ISA_OP_SAMGP3, TPL1_SAMGP3, adreno_sp_run_request},
        {ADRENO_ISA_OP_RGETPOS, TPL1_RGETPOS, adreno_sp_run_request},
        {ADRENO_ISA_OP_RGETINFO, TPL1_RGETINFO, adreno_sp_run_request},
        {ADRENO_ISA_OP_DSX, 0, adreno_sp_run_derivative},
        {ADRENO_ISA_OP_DSY, 1, adreno_sp_run_derivative},
        {ADRENO_ISA_OP_DSXPP_1, 2, adreno_sp_run_derivative},
        {ADRENO_ISA_OP_DSYPP_1, 3, adreno_sp_run_derivative},
        {ADRENO_ISA_OP_QUAD_SHUFFLE_BRCST, 0, adreno_sp_run_quad_shuffle},
        {ADRENO_ISA_OP_QUAD_SHUFFLE_HORIZ, 1, adreno_sp_run_quad_shuffle},
        {ADRENO_ISA_OP_QUAD_SHUFFLE_VERT, 2, adreno_sp_run_quad_shuffle},
        {ADRENO_ISA_OP_QUAD_SHUFFLE_DIAG, 3, adreno_sp_run_quad_shuffle},
        {ADRENO_ISA_OP_BRCST_ACTIVE, 0, run_broadcast_active},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].op != builder->inst->op)
            continue;
        struct sp_uop *uop = adreno_sp_build(builder, rows[i].run);
        uop->imm =
            rows[i].run == run_broadcast_active ? 2u << builder->inst->field[ADRENO_ISA_FIELD_WIDTH] : rows[i].imm;
        if (rows[i].run == adreno_sp_run_request)
            build_request(builder, uop);
        return true;
    }
    return false;
}
