/* Category 6 with descriptors: uniform buffers, buffers and images (IBO). */
#include <stdio.h>

#include "adreno/model/coherence.h"
#include "adreno/model/sp/memory.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/stage_state.h"
#include "model/stat.h"

static int16_t field(const struct sp_uop *uop, enum adreno_isa_field which)
{
    return uop->inst->field[which];
}

static unsigned reg(const struct sp_uop *uop, enum adreno_isa_place place)
{
    return (unsigned)uop->inst->operands[place].value;
}

/* ---- descriptors ---- */

static const struct {
    uint32_t count;
    const char *name;
} kinds[] = {{ADRENO_MAX_TEXTURES, "texture"},
             {ADRENO_MAX_SAMPLERS, "sampler"},
             {ADRENO_MAX_UBOS, "uniform buffer"},
             {ADRENO_MAX_IBOS, "image"}};

static uint64_t descriptor_va(const struct adreno_wave *wave, int base, uint32_t index)
{
    const struct adreno_stage_state *state = wave->launch->state;
    return ((unsigned)base < ADRENO_BINDLESS_SETS ? state->bindless_va[base] : 0) +
           (uint64_t)index * ADRENO_DESCRIPTOR_DW * 4;
}

const uint32_t *adreno_sp_find_descriptor(const struct adreno_wave *wave, enum sp_descriptor kind, int base,
                                          uint32_t index)
{
    const struct adreno_stage_state *state = wave->launch->state;
    if (base >= 0)
        return gpu_space_pointer(wave->memory, descriptor_va(wave, base, index), ADRENO_DESCRIPTOR_DW * 4,
                                 GPU_PERM_READ);
    if (index >= kinds[kind].count)
        return NULL;
    switch (kind) {
    case SP_DESCRIPTOR_TEXTURE:
        return state->textures[index];
    case SP_DESCRIPTOR_SAMPLER:
        return state->samplers[index];
    case SP_DESCRIPTOR_UBO:
        return state->ubos[index];
    case SP_DESCRIPTOR_IBO:
        return state->ibos[index];
    }
    return NULL;
}

const uint32_t *adreno_sp_descriptor(struct adreno_wave *wave, const struct sp_uop *uop, enum sp_descriptor kind,
                                     int base, uint32_t index)
{
    const uint32_t *words = adreno_sp_find_descriptor(wave, kind, base, index);
    if (base >= 0)
        ADRENO_READS(wave->sp->coherence, ADRENO_CLIENT_DESCRIPTOR, descriptor_va(wave, base, index),
                     ADRENO_DESCRIPTOR_DW * 4);
    if (words)
        return words;
    if (base < 0) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "there is no %s %u", kinds[kind].name, index);
        return NULL;
    }
    adreno_sp_memory_fault(wave, uop, descriptor_va(wave, base, index), false);
    snprintf(wave->fault.why, sizeof(wave->fault.why), "descriptor %u of set %d (%s)", index, base, kinds[kind].name);
    return NULL;
}

static int base_of(const struct sp_uop *uop)
{
    return field(uop, ADRENO_ISA_FIELD_BINDLESS) ? field(uop, ADRENO_ISA_FIELD_BASE) : -1;
}

/* The lanes of `left` whose operand is that of the lowest of them, which is *value_out. */
static struct lane_mask same_value(struct adreno_wave *wave, const struct sp_uop *uop, enum adreno_isa_place place,
                                   struct lane_mask left, uint32_t *value_out)
{
    const struct adreno_isa_operand *operand = &uop->inst->operands[place];
    const uint32_t value = sp_scalar(wave, operand, lane_mask_lowest(left));
    *value_out = value;
    if (operand->kind != ADRENO_ISA_OPERAND_GPR)
        return left;
    const uint32_t *row = adreno_wave_row(wave, (unsigned)operand->value & 0xff);
    struct lane_mask lanes = lane_mask_none();
    lane_mask_foreach(left, lane)
    {
        if (row[lane] == value)
            lanes = lane_mask_with(lanes, lane);
    }
    return lanes;
}

/* ---- uniform buffers ---- */

struct ubo {
    uint64_t va;
    uint32_t size_B;
};

static bool find_ubo(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t index, struct ubo *ubo_out)
{
    const uint32_t *words = adreno_sp_descriptor(wave, uop, SP_DESCRIPTOR_UBO, base_of(uop), index);
    if (!words)
        return false;
    ubo_out->va = words[0] | (uint64_t)(words[1] & 0x1ffff) << 32;
    ubo_out->size_B = (words[1] >> 17) * 16;
    return true;
}

/* Dwords that are outside read as zero. */
static bool read_ubo(struct adreno_wave *wave, const struct sp_uop *uop, const struct ubo *ubo, uint64_t offset_B,
                     uint32_t *words, uint32_t count)
{
    memset(words, 0, count * 4);
    if (offset_B >= ubo->size_B)
        return true;
    uint32_t size_B = ubo->size_B - (uint32_t)offset_B;
    size_B = size_B < count * 4 ? size_B : count * 4;
    ADRENO_READS(wave->sp->coherence, ADRENO_CLIENT_SHADER, ubo->va + offset_B, size_B);
    if (gpu_space_read(wave->memory, ubo->va + offset_B, words, size_B) == size_B)
        return true;
    adreno_sp_memory_fault(wave, uop, ubo->va + offset_B, false);
    return false;
}

#define MAX_UBO_GROUPS 16 /* of lanes with the same offset that are looked for */

static bool load_lanes(struct adreno_wave *wave, const struct sp_uop *uop, const struct ubo *ubo, uint32_t offset,
                       struct lane_mask lanes)
{
    const unsigned count = (unsigned)field(uop, ADRENO_ISA_FIELD_ELEMENTS) + 1, dst = reg(uop, ADRENO_ISA_PLACE_DST);
    uint32_t words[4];
    if (!read_ubo(wave, uop, ubo, (uint64_t)offset * 16 + (unsigned)field(uop, ADRENO_ISA_FIELD_AT) * 4, words, count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        uint32_t *row = adreno_wave_row(wave, dst + i);
        lane_mask_foreach(lanes, lane)
        {
            row[lane] = words[i];
        }
    }
    return true;
}

/* Lanes of one buffer. Most often many want the same words: in a loop over an array of it, or by a number that is a
 * primitive's. */
static bool load_ubo(struct adreno_wave *wave, const struct sp_uop *uop, const struct ubo *ubo, struct lane_mask lanes)
{
    const struct adreno_isa_operand *operand = &uop->inst->operands[ADRENO_ISA_PLACE_SRC0];
    for (unsigned i = 0; i < MAX_UBO_GROUPS && lane_mask_any(lanes); i++) {
        uint32_t offset;
        const struct lane_mask same = same_value(wave, uop, ADRENO_ISA_PLACE_SRC0, lanes, &offset);
        if (!load_lanes(wave, uop, ubo, offset, same))
            return false;
        lanes = lane_mask_and_not(lanes, same);
    }
    lane_mask_foreach(lanes, lane)
    {
        if (!load_lanes(wave, uop, ubo, sp_scalar(wave, operand, lane), lane_mask_of(lane)))
            return false;
    }
    return true;
}

void adreno_sp_run_ldc(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const unsigned count = (unsigned)field(uop, ADRENO_ISA_FIELD_ELEMENTS) + 1, dst = reg(uop, ADRENO_ISA_PLACE_DST);
    struct lane_mask left = wave->active;
    while (lane_mask_any(left)) {
        uint32_t index;
        const struct lane_mask lanes = same_value(wave, uop, ADRENO_ISA_PLACE_SRC1, left, &index);
        struct ubo ubo;
        if (!find_ubo(wave, uop, index, &ubo) || !load_ubo(wave, uop, &ubo, lanes))
            return;
        left = lane_mask_and_not(left, lanes);
    }
    for (unsigned i = 0; i < count && sp_is_shared(dst) && lane_mask_any(wave->active); i++) {
        struct sp_column column = sp_column(wave, dst + i, false);
        sp_spread(wave, &column);
    }
}

void adreno_sp_run_ldc_k(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!lane_mask_any(wave->active))
        return;
    const unsigned lane = lane_mask_lowest(wave->active);
    const uint32_t count = ((uint32_t)field(uop, ADRENO_ISA_FIELD_LOAD) + 1) * 4;
    const uint32_t to = adreno_wave_row(wave, ADRENO_ISA_REG_A1)[lane];
    struct ubo ubo;
    if (!find_ubo(wave, uop, sp_scalar(wave, &uop->inst->operands[ADRENO_ISA_PLACE_SRC1], lane), &ubo))
        return;
    if (to > ADRENO_WAVE_CONSTANTS_DW || count > ADRENO_WAVE_CONSTANTS_DW - to) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "constant %u is not there", to);
        return;
    }
    uint64_t offset_B = (uint64_t)sp_scalar(wave, &uop->inst->operands[ADRENO_ISA_PLACE_SRC0], lane) * 16;
    read_ubo(wave, uop, &ubo, offset_B, &wave->constants[to], count);
}

/* ---- buffers and images ---- */

static struct tpl1_rows rows_of(struct adreno_wave *wave, unsigned component, bool is_half)
{
    return (struct tpl1_rows){
        .row = adreno_wave_row(wave, is_half ? adreno_half_row(component) : component),
        .stride_dw = wave->lanes,
        .is_half = is_half,
        .is_high = is_half && adreno_half_shift(component),
    };
}

static struct tpl1_access access_of(struct adreno_wave *wave, const struct sp_uop *uop, enum adreno_isa_place data)
{
    const unsigned type = (unsigned)field(uop, ADRENO_ISA_FIELD_TYPE);
    return (struct tpl1_access){
        .type = (uint8_t)type,
        .coordinates = (uint8_t)(field(uop, ADRENO_ISA_FIELD_DIM) + 1),
        .components = (uint8_t)(field(uop, ADRENO_ISA_FIELD_ELEMENTS) + 1),
        .is_typed = field(uop, ADRENO_ISA_FIELD_TYPED),
        .lanes = wave->lanes,
        .coord = rows_of(wave, reg(uop, ADRENO_ISA_PLACE_SRC1), false),
        .offset = field(uop, ADRENO_ISA_FIELD_OFFSET),
        .data = rows_of(wave, reg(uop, data), sp_is_half_type(type)),
    };
}

/* The texture unit has stopped. */
static void stop_by_tpl1(struct adreno_wave *wave, const struct sp_uop *uop, bool is_write)
{
    uint64_t va;
    const char *problem = adreno_tpl1_problem(wave->sp->tpl1);
    if (adreno_tpl1_fault(wave->sp->tpl1, &va))
        adreno_sp_memory_fault(wave, uop, va, is_write);
    else if (problem)
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "%s", problem);
    else if (wave->state != ADRENO_WAVE_FAULTED)
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "the texture unit stopped");
}

typedef bool (*access_fn)(struct tpl1 *tpl1, const struct tpl1_state *state, const struct tpl1_access *access);

static void each_access(struct adreno_wave *wave, const struct sp_uop *uop, struct tpl1_access *access,
                        struct lane_mask left, access_fn run, bool is_write)
{
    while (lane_mask_any(left)) {
        uint32_t index;
        access->active = same_value(wave, uop, ADRENO_ISA_PLACE_SRC2, left, &index);
        access->words = adreno_sp_descriptor(wave, uop, SP_DESCRIPTOR_IBO, base_of(uop), index);
        if (!access->words)
            return;
        const unsigned before = stat_enter_work(STAT_TEXTURES);
        const bool is_done = run(wave->sp->tpl1, &wave->sp->tpl1_state, access);
        stat_leave(before);
        if (!is_done) {
            stop_by_tpl1(wave, uop, is_write);
            return;
        }
        left = lane_mask_and_not(left, access->active);
    }
}

bool adreno_sp_is_dword_ibo(const struct adreno_isa_inst *inst, struct sp_dword_access *access_out)
{
    const int16_t *f = inst->field;
    const struct adreno_isa_operand *number = &inst->operands[ADRENO_ISA_PLACE_SRC2];
    const bool is_load = inst->op == ADRENO_ISA_OP_LDIB_B;
    if ((!is_load && inst->op != ADRENO_ISA_OP_STIB_B) || f[ADRENO_ISA_FIELD_TYPED] || f[ADRENO_ISA_FIELD_DIM] ||
        number->kind == ADRENO_ISA_OPERAND_GPR || sp_type_size_B((unsigned)f[ADRENO_ISA_FIELD_TYPE]) != 4 ||
        inst->operands[ADRENO_ISA_PLACE_SRC1].kind != ADRENO_ISA_OPERAND_GPR)
        return false;
    *access_out = (struct sp_dword_access){
        .kind = SP_DESCRIPTOR_IBO,
        .base = f[ADRENO_ISA_FIELD_BINDLESS] ? f[ADRENO_ISA_FIELD_BASE] : -1,
        .descriptor = (uint32_t)number->value,
        .index = (unsigned)inst->operands[ADRENO_ISA_PLACE_SRC1].value,
        .offset = (uint32_t)f[ADRENO_ISA_FIELD_OFFSET],
        .wrmask = (2u << f[ADRENO_ISA_FIELD_ELEMENTS]) - 1,
        .data = (unsigned)inst->operands[is_load ? ADRENO_ISA_PLACE_DST : ADRENO_ISA_PLACE_SRC0].value,
    };
    return true;
}

void adreno_sp_run_ldib(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_dword_access load;
    if (adreno_sp_is_dword_ibo(uop->inst, &load) && adreno_sp_buffer_load(wave, uop, &load))
        return;
    struct tpl1_access access = access_of(wave, uop, ADRENO_ISA_PLACE_DST);
    each_access(wave, uop, &access, wave->active, adreno_tpl1_load, false);
}

void adreno_sp_run_stib(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_dword_access store;
    if (adreno_sp_is_dword_ibo(uop->inst, &store) && adreno_sp_buffer_store(wave, uop, &store))
        return;
    struct tpl1_access access = access_of(wave, uop, ADRENO_ISA_PLACE_SRC0);
    each_access(wave, uop, &access, sp_writers(wave), adreno_tpl1_store, true);
}

/* The destination's registers have the result in the first one, the value in the second, what it is compared with in
 * the third; with 64 bits in two each. */
void adreno_sp_run_atomic_b(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct tpl1_access access = access_of(wave, uop, ADRENO_ISA_PLACE_DST);
    const unsigned type = access.type, dst = reg(uop, ADRENO_ISA_PLACE_DST);
    const bool is_wide = type == SP_TYPE_U8;
    const uint32_t size_B = is_wide ? 8 : 4, step = is_wide ? 2 : 1;
    if (is_wide)
        access.type = TPL1_U32;
    struct lane_mask left = sp_writers(wave);
    while (lane_mask_any(left)) {
        uint32_t index;
        uint8_t *at[LANE_MASK_LANES];
        access.active = same_value(wave, uop, ADRENO_ISA_PLACE_SRC2, left, &index);
        access.words = adreno_sp_descriptor(wave, uop, SP_DESCRIPTOR_IBO, base_of(uop), index);
        if (!access.words)
            return;
        if (!adreno_tpl1_locate(wave->sp->tpl1, &wave->sp->tpl1_state, &access, size_B, at)) {
            stop_by_tpl1(wave, uop, true);
            return;
        }
        lane_mask_foreach(access.active, lane)
        {
            uint64_t words[3] = {0};
            for (unsigned i = 1; i < 3; i++) {
                words[i] = adreno_wave_row(wave, dst + i * step)[lane];
                if (is_wide)
                    words[i] |= (uint64_t)adreno_wave_row(wave, dst + i * step + 1)[lane] << 32;
            }
            uint64_t old =
                at[lane] ? adreno_sp_atomic(at[lane], (enum sp_atomic)uop->imm, type, words[1], words[2]) : 0;
            adreno_wave_row(wave, dst)[lane] = (uint32_t)old;
            if (is_wide)
                adreno_wave_row(wave, dst + 1)[lane] = (uint32_t)(old >> 32);
        }
        left = lane_mask_and_not(left, access.active);
    }
}

void adreno_sp_run_resinfo(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const unsigned dst = reg(uop, ADRENO_ISA_PLACE_DST);
    struct lane_mask left = wave->active;
    while (lane_mask_any(left)) {
        uint32_t index, size[3];
        struct lane_mask lanes = same_value(wave, uop, ADRENO_ISA_PLACE_SRC0, left, &index);
        const uint32_t *words = adreno_sp_descriptor(wave, uop, SP_DESCRIPTOR_IBO, base_of(uop), index);
        if (!words)
            return;
        if (!adreno_tpl1_size(wave->sp->tpl1, &wave->sp->tpl1_state, words, size)) {
            stop_by_tpl1(wave, uop, false);
            return;
        }
        for (unsigned i = 0; i < 3; i++) {
            uint32_t *row = adreno_wave_row(wave, dst + i);
            if (wave->is_full && lane_mask_equal(lanes, wave->active))
                lanes_splat(row, size[i], wave->lanes);
            else
                lane_mask_foreach(lanes, lane) row[lane] = size[i];
        }
        left = lane_mask_and_not(left, lanes);
    }
}
