/* Category 6 without descriptors: global, local and private memory, constants that a preamble stores, atomics. */
#include "adreno/model/sp/memory.h"

#include "adreno/hw/chip.h"
#include "adreno/model/coherence.h"
#include "adreno/model/engine.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/sp.h"
#include "util/debug.h"

/* ---- values ---- */

static uint32_t load_value(const void *at, unsigned type)
{
    uint32_t value = 0;
    memcpy(&value, at, sp_type_size_B(type)); /* little-endian hosts */
    return value;
}

static int16_t field(const struct sp_uop *uop, enum adreno_isa_field which)
{
    return uop->inst->field[which];
}

static unsigned reg(const struct sp_uop *uop, enum adreno_isa_place place)
{
    return (unsigned)uop->inst->operands[place].value;
}

#define MAX_COMPONENTS 8

static unsigned columns(struct adreno_wave *wave, const struct sp_uop *uop, enum adreno_isa_place place,
                        struct sp_column out[MAX_COMPONENTS])
{
    const unsigned type = (unsigned)field(uop, ADRENO_ISA_FIELD_TYPE);
    unsigned count = (unsigned)field(uop, ADRENO_ISA_FIELD_SIZE);
    if (count > MAX_COMPONENTS)
        count = MAX_COMPONENTS;
    for (unsigned i = 0; i < count; i++)
        out[i] = sp_column(wave, reg(uop, place) + i, sp_is_half_type(type));
    return count;
}

/* ---- global ---- */

static uint64_t global_address(struct adreno_wave *wave, const struct sp_uop *uop, unsigned lane)
{
    const unsigned base = reg(uop, ADRENO_ISA_PLACE_SRC0);
    uint64_t va = adreno_wave_row(wave, base)[lane] | (uint64_t)adreno_wave_row(wave, base + 1)[lane] << 32;
    const struct adreno_isa_operand *index = &uop->inst->operands[ADRENO_ISA_PLACE_SRC1];
    const int16_t offset = field(uop, ADRENO_ISA_FIELD_OFFSET);
    if (index->kind == ADRENO_ISA_OPERAND_NONE)
        return va + (uint64_t)(int64_t)offset;
    /* Counted in elements of the type, without a sign, in 64 bits. */
    const unsigned size_B = sp_type_size_B((unsigned)field(uop, ADRENO_ISA_FIELD_TYPE));
    const uint64_t scaled = adreno_wave_row(wave, (unsigned)index->value)[lane];
    return va + ((scaled << field(uop, ADRENO_ISA_FIELD_SCALE)) + (unsigned)(offset & 3)) * size_B;
}

/* Memory that is not there as it stands. The page that the kernel gives to UCHE's traps reads as the counter that is
 * always on, which is how programs read the time: its low half, then its high half. */
static bool read_elsewhere(struct adreno_wave *wave, uint64_t va, void *bytes, unsigned size_B)
{
    const uint64_t offset_B = va - ADRENO_UCHE_TRAP_BASE, time = adreno_timestamp();
    if (offset_B >= GPU_PAGE_SIZE_B)
        return gpu_space_read(wave->memory, va, bytes, size_B) == size_B;
    for (unsigned i = 0; i < size_B; i++)
        ((uint8_t *)bytes)[i] = (uint8_t)(time >> (offset_B + i) % 8 * 8);
    return true;
}

static void run_ldg(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_column dst[MAX_COMPONENTS];
    const unsigned count = columns(wave, uop, ADRENO_ISA_PLACE_DST, dst);
    const unsigned type = (unsigned)field(uop, ADRENO_ISA_FIELD_TYPE), size_B = sp_type_size_B(type);
    if (!count)
        return; /* nothing has no address */
    lane_mask_foreach(wave->active, lane)
    {
        uint64_t va = global_address(wave, uop, lane);
        uint8_t bytes[MAX_COMPONENTS * 4];
        const uint8_t *host = gpu_space_pointer(wave->memory, va, count * size_B, GPU_PERM_READ);
        if (!host) {
            if (!read_elsewhere(wave, va, bytes, count * size_B)) {
                adreno_sp_memory_fault(wave, uop, va, false);
                return;
            }
            host = bytes;
        }
        for (unsigned i = 0; i < count; i++)
            sp_put(&dst[i], lane, load_value(host + i * size_B, type));
    }
    if (sp_is_shared(reg(uop, ADRENO_ISA_PLACE_DST)) && lane_mask_any(wave->active)) {
        for (unsigned i = 0; i < count; i++)
            sp_spread(wave, &dst[i]);
    }
}

static void run_stg(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_column src[MAX_COMPONENTS];
    const unsigned count = columns(wave, uop, ADRENO_ISA_PLACE_SRC2, src);
    const unsigned size_B = sp_type_size_B((unsigned)field(uop, ADRENO_ISA_FIELD_TYPE));
    if (!count)
        return;
    lane_mask_foreach(sp_writers(wave), lane)
    {
        uint64_t va = global_address(wave, uop, lane);
        uint8_t *host = gpu_space_pointer(wave->memory, va, count * size_B, GPU_PERM_WRITE);
        for (unsigned i = 0; i < count; i++) {
            uint32_t value = sp_get(&src[i], lane);
            if (host) {
                memcpy(host + i * size_B, &value, size_B);
            } else if (gpu_space_write(wave->memory, va + i * size_B, &value, size_B) != size_B) {
                adreno_sp_memory_fault(wave, uop, va, true);
                return;
            }
        }
    }
}

/* ---- constants: stores of a preamble ---- */

static bool constant_place(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t count, uint32_t *index_out)
{
    const struct adreno_isa_operand *dst = &uop->inst->operands[ADRENO_ISA_PLACE_DST];
    uint32_t index = (uint32_t)dst->value;
    if (dst->kind == ADRENO_ISA_OPERAND_CONST_A1)
        index += adreno_wave_row(wave, ADRENO_ISA_REG_A1)[lane_mask_lowest(wave->active)];
    *index_out = index;
    if (index < ADRENO_WAVE_CONSTANTS_DW && count <= ADRENO_WAVE_CONSTANTS_DW - index)
        return true;
    adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "constant %u is not there", index);
    return false;
}

static void run_stc(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const unsigned count = (unsigned)field(uop, ADRENO_ISA_FIELD_SIZE);
    const bool is_half = sp_is_half_type((unsigned)field(uop, ADRENO_ISA_FIELD_TYPE));
    uint32_t index;
    if (!lane_mask_any(wave->active) || !constant_place(wave, uop, count, &index))
        return;
    for (unsigned i = 0; i < count; i++) {
        struct sp_column src = sp_column(wave, reg(uop, ADRENO_ISA_PLACE_SRC0) + i, is_half);
        uint32_t value = sp_get(&src, lane_mask_lowest(wave->active));
        if (is_half)
            memcpy((uint8_t *)&wave->constants[index] + i * 2, &value, 2);
        else
            wave->constants[index + i] = value;
    }
}

static void run_ldg_k(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const unsigned count = (unsigned)field(uop, ADRENO_ISA_FIELD_SIZE) * 4;
    uint32_t index;
    if (!lane_mask_any(wave->active) || !constant_place(wave, uop, count, &index))
        return;
    uint64_t va = global_address(wave, uop, lane_mask_lowest(wave->active));
    if (gpu_space_read(wave->memory, va, &wave->constants[index], count * 4) != count * 4)
        adreno_sp_memory_fault(wave, uop, va, false);
}

/* ---- local and private ---- */

/* Where a lane's bytes are; NULL: outside, and the wave is faulted. */
static uint8_t *inside(struct adreno_wave *wave, const struct sp_uop *uop, unsigned lane, uint32_t size_B)
{
    const bool is_private = uop->imm;
    const uint32_t limit_B = is_private ? wave->launch->private_size_B : wave->launch->local_size_B;
    uint32_t offset_B = adreno_wave_row(wave, reg(uop, ADRENO_ISA_PLACE_SRC0))[lane] +
                        (uint32_t)(int32_t)field(uop, ADRENO_ISA_FIELD_OFFSET);
    if (offset_B > limit_B || size_B > limit_B - offset_B) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_MEMORY, "byte %u of %s memory, which has %u (lane %u)", offset_B,
                        is_private ? "private" : "local", limit_B, lane);
        return NULL;
    }
    return is_private ? wave->private + (size_t)lane * limit_B + offset_B : wave->local + offset_B;
}

/* Lanes that run, as a row; of a full wave nothing has made it. */
static const uint32_t *running(const struct adreno_wave *wave)
{
    static const uint32_t all[ADRENO_WAVE_LANES_MAX] = {[0 ... ADRENO_WAVE_LANES_MAX - 1] = UINT32_MAX};
    return wave->is_full ? all : wave->active_lanes;
}

/* The offsets of all lanes, if this is about dwords of local memory and those of active lanes are inside. */
static bool all_inside(struct adreno_wave *wave, const struct sp_uop *uop, unsigned count,
                       uint32_t at_out[restrict ADRENO_WAVE_LANES_MAX])
{
    const uint32_t *restrict row = adreno_wave_row(wave, reg(uop, ADRENO_ISA_PLACE_SRC0)), *restrict on = running(wave);
    const uint32_t offset_B = (uint32_t)(int32_t)field(uop, ADRENO_ISA_FIELD_OFFSET), size_B = count * 4,
                   lanes = wave->lanes;
    if (uop->imm || sp_type_size_B((unsigned)field(uop, ADRENO_ISA_FIELD_TYPE)) != 4 ||
        wave->launch->local_size_B < size_B)
        return false;
    uint32_t most = 0;
    for (unsigned i = 0; i < lanes; i++) {
        at_out[i] = (row[i] + offset_B) & on[i];
        most = at_out[i] > most ? at_out[i] : most;
    }
    return most <= wave->launch->local_size_B - size_B;
}

/* Local memory of the lanes up to the last one that runs, if the dwords of those that run follow each other. Other
 * waves of the workgroup do not run meanwhile, so that what the others have may be written as it was. NULL: not so. */
static uint32_t *find_neighbours(const struct adreno_wave *wave, const uint32_t *restrict at, unsigned *lanes_out)
{
    const uint32_t *restrict on = running(wave);
    const uint64_t *bits = wave->active.bits;
    if (!lane_mask_any(wave->active))
        return NULL;
    const unsigned lowest = lane_mask_lowest(wave->active),
                   end = bits[1] ? 128 - (unsigned)__builtin_clzll(bits[1]) : 64 - (unsigned)__builtin_clzll(bits[0]);
    const uint32_t first = at[lowest] - lowest * 4;
    uint32_t wrong = at[lowest] & 3;
    for (unsigned i = 0; i < end; i++)
        wrong |= (at[i] ^ (first + i * 4)) & on[i];
    *lanes_out = end;
    return wrong || at[lowest] < lowest * 4 ? NULL : (uint32_t *)(void *)(wave->local + first);
}

static inline void merge_lanes(uint32_t *restrict to, const uint32_t *restrict from, const uint32_t *restrict on,
                               unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (from[i] & on[i]) | (to[i] & ~on[i]);
}

static void load_dwords(struct adreno_wave *wave, const uint32_t *at, const struct sp_column *dst, unsigned count)
{
    unsigned lanes;
    const uint32_t *on = running(wave), *together = count == 1 ? find_neighbours(wave, at, &lanes) : NULL;
    if (together) {
        merge_lanes(dst[0].row, together, on, lanes);
        return;
    }
    for (unsigned n = 0; n < count; n++) {
        uint32_t values[ADRENO_WAVE_LANES_MAX];
        for (unsigned i = 0; i < wave->lanes; i++)
            memcpy(&values[i], wave->local + at[i] + n * 4, 4);
        merge_lanes(dst[n].row, values, on, wave->lanes);
    }
}

void adreno_sp_run_load(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_column dst[MAX_COMPONENTS];
    const unsigned count = columns(wave, uop, ADRENO_ISA_PLACE_DST, dst);
    const unsigned type = (unsigned)field(uop, ADRENO_ISA_FIELD_TYPE), size_B = sp_type_size_B(type);
    uint32_t at[ADRENO_WAVE_LANES_MAX];
    if (!count)
        return;
    if (all_inside(wave, uop, count, at)) {
        load_dwords(wave, at, dst, count);
        return;
    }
    lane_mask_foreach(wave->active, lane)
    {
        const uint8_t *host = inside(wave, uop, lane, count * size_B);
        if (!host)
            return;
        for (unsigned i = 0; i < count; i++)
            sp_put(&dst[i], lane, load_value(host + i * size_B, type));
    }
}

/* The highest lane that stores to a dword wins, as it does lane by lane. */
static void store_dwords(struct adreno_wave *wave, const uint32_t *at, const struct sp_column *src, unsigned count)
{
    unsigned lanes;
    uint32_t *together = count == 1 ? find_neighbours(wave, at, &lanes) : NULL;
    if (together) {
        merge_lanes(together, src[0].row, running(wave), lanes);
        return;
    }
    if (count == 1 && wave->is_full) {
        for (unsigned i = 0; i < wave->lanes; i++)
            memcpy(wave->local + at[i], &src[0].row[i], 4);
        return;
    }
    lane_mask_foreach(wave->active, i)
    {
        for (unsigned n = 0; n < count; n++)
            memcpy(wave->local + at[i] + n * 4, &src[n].row[i], 4);
    }
}

static void run_store(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_column src[MAX_COMPONENTS];
    const unsigned count = columns(wave, uop, ADRENO_ISA_PLACE_SRC1, src);
    const unsigned size_B = sp_type_size_B((unsigned)field(uop, ADRENO_ISA_FIELD_TYPE));
    uint32_t places[ADRENO_WAVE_LANES_MAX];
    if (!count)
        return;
    if (all_inside(wave, uop, count, places)) {
        store_dwords(wave, places, src, count);
        return;
    }
    lane_mask_foreach(wave->active, lane)
    {
        uint8_t *host = inside(wave, uop, lane, count * size_B);
        if (!host)
            return;
        for (unsigned i = 0; i < count; i++) {
            uint32_t value = sp_get(&src[i], lane);
            memcpy(host + i * size_B, &value, size_B);
        }
    }
}

/* Flat varyings of the fragment's primitive. */
static void run_ldlv(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_column dst[MAX_COMPONENTS];
    const unsigned count = columns(wave, uop, ADRENO_ISA_PLACE_DST, dst);
    if (!wave->launch->hooks || !wave->launch->hooks->flat) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "varyings outside of a fragment shader");
        return;
    }
    for (unsigned i = 0; i < count; i++)
        wave->launch->hooks->flat(wave, (uint32_t)field(uop, ADRENO_ISA_FIELD_OFFSET) + i, dst[i].row, wave->active);
}

/* ---- atomics ---- */

static uint64_t combine_atomic(enum sp_atomic op, bool is_signed, uint64_t old, uint64_t data, uint64_t compare)
{
    switch (op) {
    case SP_ATOMIC_ADD:
        return old + data;
    case SP_ATOMIC_SUB:
        return old - data;
    case SP_ATOMIC_XCHG:
        return data;
    case SP_ATOMIC_INC:
        return old + 1;
    case SP_ATOMIC_DEC:
        return old - 1;
    case SP_ATOMIC_CMPXCHG:
        return old == compare ? data : old;
    case SP_ATOMIC_MIN:
        return (is_signed ? (int32_t)data < (int32_t)old : data < old) ? data : old;
    case SP_ATOMIC_MAX:
        return (is_signed ? (int32_t)data > (int32_t)old : data > old) ? data : old;
    case SP_ATOMIC_AND:
        return old & data;
    case SP_ATOMIC_OR:
        return old | data;
    case SP_ATOMIC_XOR:
        return old ^ data;
    }
    return old;
}

uint64_t adreno_sp_atomic(void *at, enum sp_atomic op, unsigned type, uint64_t data, uint64_t compare)
{
    if (type == SP_TYPE_U8) { /* u64 */
        uint64_t old = __atomic_load_n((uint64_t *)at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n((uint64_t *)at, &old, combine_atomic(op, false, old, data, compare), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return old;
    }
    uint32_t old = __atomic_load_n((uint32_t *)at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        (uint32_t *)at, &old, (uint32_t)combine_atomic(op, type == SP_TYPE_S32, old, (uint32_t)data, (uint32_t)compare),
        false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

/* Of a dword of local memory, which no other worker sees. */
static uint64_t local_atomic(void *at, enum sp_atomic op, bool is_signed, uint64_t data, uint64_t compare)
{
    uint32_t old, made;
    memcpy(&old, at, sizeof(old));
    made = (uint32_t)combine_atomic(op, is_signed, old, (uint32_t)data, (uint32_t)compare);
    memcpy(at, &made, sizeof(made));
    return old;
}

/* The second source of an old atomic: the value, or the new value and what it is compared with. */
static uint64_t atomic_source(struct adreno_wave *wave, const struct sp_uop *uop, unsigned lane, unsigned number,
                              bool is_wide)
{
    struct adreno_isa_operand source = uop->inst->operands[ADRENO_ISA_PLACE_SRC1];
    if (source.kind != ADRENO_ISA_OPERAND_GPR)
        return number ? 0 : (uint32_t)source.value;
    source.value += (int32_t)(is_wide ? number * 2 : number);
    uint64_t value = sp_scalar(wave, &source, lane);
    if (is_wide) {
        source.value++;
        value |= (uint64_t)sp_scalar(wave, &source, lane) << 32;
    }
    return value;
}

static void run_atomic(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const bool is_global = uop->imm & 16;
    const enum sp_atomic op = (enum sp_atomic)(uop->imm & 15);
    const unsigned type = (unsigned)field(uop, ADRENO_ISA_FIELD_TYPE);
    const bool is_wide = is_global && type == SP_TYPE_U8;
    const uint32_t size_B = is_wide ? 8 : 4;
    const struct adreno_isa_operand *address = &uop->inst->operands[ADRENO_ISA_PLACE_SRC0];
    lane_mask_foreach(is_global ? sp_writers(wave) : wave->active, lane)
    {
        uint64_t at = sp_scalar(wave, address, lane);
        void *host = NULL;
        if (is_global) {
            struct adreno_isa_operand high = *address;
            high.value++;
            at |= (uint64_t)sp_scalar(wave, &high, lane) << 32;
            host = at % size_B ? NULL : gpu_space_pointer(wave->memory, at, size_B, GPU_PERM_READ | GPU_PERM_WRITE);
        } else if (at % 4 == 0 && at + 4 <= wave->launch->local_size_B) {
            host = wave->local + at;
        }
        if (!host) {
            if (is_global)
                adreno_sp_memory_fault(wave, uop, at, true);
            else
                adreno_sp_fault(wave, uop, ADRENO_FAULT_MEMORY, "an atomic on byte %u of local memory", (uint32_t)at);
            return;
        }
        const uint64_t data = atomic_source(wave, uop, lane, 0, is_wide),
                       compare = atomic_source(wave, uop, lane, 1, is_wide);
        const uint64_t old = is_global ? adreno_sp_atomic(host, op, type, data, compare)
                                       : local_atomic(host, op, type == SP_TYPE_S32, data, compare);
        adreno_wave_row(wave, reg(uop, ADRENO_ISA_PLACE_DST))[lane] = (uint32_t)old;
        if (is_wide)
            adreno_wave_row(wave, reg(uop, ADRENO_ISA_PLACE_DST) + 1)[lane] = (uint32_t)(old >> 32);
    }
}

/* ---- coherence ---- */

enum {
    NOTE_READ = 1,
    NOTE_WRITE = 2,
    NOTE_CONSTANTS = 4, /* of one lane */
    NOTE_ATOMIC = 8,    /* a write alone: its order is the programmer's */
};

/* Before an access to global memory: what it is about to read or write. */
static void run_note(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct coherence_actor *c = wave->sp->coherence;
    const unsigned type = (unsigned)field(uop, ADRENO_ISA_FIELD_TYPE),
                   count = (unsigned)field(uop, ADRENO_ISA_FIELD_SIZE);
    const struct adreno_isa_operand *address = &uop->inst->operands[ADRENO_ISA_PLACE_SRC0];
    struct lane_mask lanes = uop->imm == NOTE_READ || uop->imm == NOTE_CONSTANTS ? wave->active : sp_writers(wave);
    if (!c || !lane_mask_any(lanes))
        return;
    if (uop->imm == NOTE_CONSTANTS) {
        coherence_read(c, ADRENO_CLIENT_SHADER, 0, global_address(wave, uop, lane_mask_lowest(lanes)), count * 16);
        return;
    }
    lane_mask_foreach(lanes, lane)
    {
        if (uop->imm == NOTE_ATOMIC) {
            struct adreno_isa_operand high = *address;
            high.value++;
            const uint64_t va = sp_scalar(wave, address, lane) | (uint64_t)sp_scalar(wave, &high, lane) << 32;
            coherence_write(c, ADRENO_CLIENT_SHADER, 0, va, type == SP_TYPE_U8 ? 8 : 4);
        } else if (uop->imm == NOTE_WRITE) {
            coherence_write(c, ADRENO_CLIENT_SHADER, 0, global_address(wave, uop, lane), count * sp_type_size_B(type));
        } else if (global_address(wave, uop, lane) - ADRENO_UCHE_TRAP_BASE >= GPU_PAGE_SIZE_B) {
            coherence_read(c, ADRENO_CLIENT_SHADER, 0, global_address(wave, uop, lane), count * sp_type_size_B(type));
        }
    }
}

static void build_note(struct sp_builder *builder, unsigned kind)
{
    if (kind && debug_enabled(DEBUG_COHERENCE))
        adreno_sp_build(builder, run_note)->imm = kind;
}

/* ---- translation ---- */

static bool translate_atomic(struct sp_builder *builder)
{
    static const uint8_t bindless[] = {SP_ATOMIC_ADD, SP_ATOMIC_SUB, SP_ATOMIC_XCHG, SP_ATOMIC_CMPXCHG, SP_ATOMIC_MIN,
                                       SP_ATOMIC_MAX, SP_ATOMIC_AND, SP_ATOMIC_OR,   SP_ATOMIC_XOR};
    const unsigned op = builder->inst->op;
    if (op >= ADRENO_ISA_OP_ATOMIC_ADD && op <= ADRENO_ISA_OP_ATOMIC_XOR)
        adreno_sp_build(builder, run_atomic)->imm = op - ADRENO_ISA_OP_ATOMIC_ADD;
    else if (op >= ADRENO_ISA_OP_ATOMIC_G_ADD && op <= ADRENO_ISA_OP_ATOMIC_G_XOR) {
        build_note(builder, NOTE_ATOMIC);
        adreno_sp_build(builder, run_atomic)->imm = (op - ADRENO_ISA_OP_ATOMIC_G_ADD) | 16;
    } else if (op >= ADRENO_ISA_OP_ATOMIC_B_ADD && op <= ADRENO_ISA_OP_ATOMIC_B_XOR)
        adreno_sp_build(builder, adreno_sp_run_atomic_b)->imm = bindless[op - ADRENO_ISA_OP_ATOMIC_B_ADD];
    else
        return false;
    return true;
}

bool adreno_sp_translate_memory(struct sp_builder *builder)
{
    static const struct {
        uint16_t op;
        uint16_t imm;
        sp_run_fn run;
        unsigned note;
    } rows[] = {
        {ADRENO_ISA_OP_LDG, 0, run_ldg, NOTE_READ},
        {ADRENO_ISA_OP_LDG_A, 0, run_ldg, NOTE_READ},
        {ADRENO_ISA_OP_LDG_K, 0, run_ldg_k, NOTE_CONSTANTS},
        {ADRENO_ISA_OP_STG, 0, run_stg, NOTE_WRITE},
        {ADRENO_ISA_OP_STG_A, 0, run_stg, NOTE_WRITE},
        {ADRENO_ISA_OP_LDL, 0, adreno_sp_run_load, 0},
        {ADRENO_ISA_OP_LDLW, 0, adreno_sp_run_load, 0},
        {ADRENO_ISA_OP_LDP, 1, adreno_sp_run_load, 0},
        {ADRENO_ISA_OP_STL, 0, run_store, 0},
        {ADRENO_ISA_OP_STLW, 0, run_store, 0},
        {ADRENO_ISA_OP_STP, 1, run_store, 0},
        {ADRENO_ISA_OP_LDLV, 0, run_ldlv, 0},
        {ADRENO_ISA_OP_STC, 0, run_stc, 0},
        {ADRENO_ISA_OP_LDC, 0, adreno_sp_run_ldc, 0},
        {ADRENO_ISA_OP_LDC_K, 0, adreno_sp_run_ldc_k, 0},
        {ADRENO_ISA_OP_LDIB_B, 0, adreno_sp_run_ldib, 0},
        {ADRENO_ISA_OP_STIB_B, 0, adreno_sp_run_stib, 0},
        {ADRENO_ISA_OP_RESINFO_B, 0, adreno_sp_run_resinfo, 0},
        {ADRENO_ISA_OP_SHFL, 0, adreno_sp_run_shfl, 0},
        {ADRENO_ISA_OP_GETSPID, 0, adreno_sp_run_identity, 0},
        {ADRENO_ISA_OP_GETWID, 1, adreno_sp_run_identity, 0},
        {ADRENO_ISA_OP_GETFIBERID, 2, adreno_sp_run_identity, 0},
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].op == builder->inst->op) {
            build_note(builder, rows[i].note);
            adreno_sp_build(builder, rows[i].run)->imm = rows[i].imm;
            return true;
        }
    }
    return translate_atomic(builder);
}
