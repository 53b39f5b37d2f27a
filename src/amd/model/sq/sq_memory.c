/* The data half of memory instructions, and their translation to micro-operations. */
#include "amd/model/sq/sq_memory.h"

#include <stddef.h>

#include "amd/model/sq/sq_texture.h"
#include "amd/model/sq/sq_uops.h"

bool amd_sq_resolve_slowly(struct sq_wave *wave, const struct sq_uop *uop, uint64_t va, uint32_t size_B, unsigned need,
                           uint8_t **at_out)
{
    uint32_t in_page_B = GPU_PAGE_SIZE_B - (uint32_t)(va & (GPU_PAGE_SIZE_B - 1));
    void *first, *second;
    bool is_write = need & GPU_PERM_WRITE;
    enum gpu_access access = gpu_space_resolve(wave->memory, va, in_page_B < size_B ? in_page_B : size_B, need, &first);
    if (access == GPU_ACCESS_MEMORY && in_page_B < size_B) {
        /* Two pages of one buffer lie side by side in the host, too. */
        access = gpu_space_resolve(wave->memory, va + in_page_B, size_B - in_page_B, need, &second);
        if (access == GPU_ACCESS_MEMORY && (uint8_t *)second != (uint8_t *)first + in_page_B) {
            amd_sq_fault(wave, uop, SQ_FAULT_INSTRUCTION,
                         "one element across two mappings that are apart in the host is not implemented");
            return false;
        }
    }
    *at_out = access == GPU_ACCESS_MEMORY ? first : NULL;
    if (access == GPU_ACCESS_FAULT)
        amd_sq_memory_fault(wave, uop, va, is_write);
    return access != GPU_ACCESS_FAULT;
}

/* ---- loads and stores ---- */

static uint32_t load_narrow(unsigned element, const uint8_t *at)
{
    uint16_t half = 0;
    switch (element) {
    case ISA_TYPE_U8:
        return *at;
    case ISA_TYPE_I8:
        return (uint32_t)(int32_t)(int8_t)*at;
    default:
        memcpy(&half, at, sizeof(half));
        return element == ISA_TYPE_I16 ? (uint32_t)(int32_t)(int16_t)half : half;
    }
}

/* A d16 load replaces one half of the register and keeps the other. */
static uint32_t place_half(const struct isa_op_info *info, uint32_t old, uint32_t value)
{
    return info->half == 1   ? (old & 0xffff0000u) | (value & 0xffff)
           : info->half == 2 ? (old & 0xffff) | value << 16
                             : value;
}

void amd_sq_load(struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places, uint32_t *rows,
                 unsigned dwords)
{
    uint64_t exec = sq_exec(wave);
    bool is_narrow = info->element != ISA_TYPE_B32 && info->element != ISA_TYPE_B64;
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (!(exec >> i & 1))
            continue;
        const uint8_t *at = places->at[i];
        if (is_narrow) {
            rows[i] = place_half(info, rows[i], at ? load_narrow(info->element, at) : 0);
            continue;
        }
        for (unsigned row = 0; row < dwords; row++) {
            uint32_t value = 0;
            if (at)
                memcpy(&value, at + row * 4, sizeof(value));
            rows[row * wave->lanes + i] = value;
        }
    }
}

void amd_sq_store(struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                  const uint32_t *rows, unsigned dwords)
{
    uint32_t size_B = sq_access_size_B(info, dwords);
    for (unsigned i = 0; i < wave->lanes; i++) {
        uint8_t *at = places->at[i];
        if (!at)
            continue;
        if (size_B < 4) {
            uint32_t value = info->half == 2 ? rows[i] >> 16 : rows[i];
            memcpy(at, &value, size_B);
            continue;
        }
        for (unsigned row = 0; row < dwords; row++)
            memcpy(at + row * 4, &rows[row * wave->lanes + i], 4);
    }
}

/* ---- atomics ---- */

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t float_sum(uint32_t a, uint32_t b)
{
    float sum = as_float(a) + as_float(b);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof(bits));
    return bits;
}

/* The new value of one memory word. `a` is data0, `b` data1. */
#define ATOMIC_RESULT(name, type, signed_type, value_of, sum)                                                          \
    static type name(unsigned op, type old, type a, type b)                                                            \
    {                                                                                                                  \
        switch (op) {                                                                                                  \
        case ISA_ATOMIC_ADD:                                                                                           \
            return old + a;                                                                                            \
        case ISA_ATOMIC_SUB:                                                                                           \
            return old - a;                                                                                            \
        case ISA_ATOMIC_RSUB:                                                                                          \
            return a - old;                                                                                            \
        case ISA_ATOMIC_INC:                                                                                           \
            return old >= a ? 0 : old + 1;                                                                             \
        case ISA_ATOMIC_DEC:                                                                                           \
            return old == 0 || old > a ? a : old - 1;                                                                  \
        case ISA_ATOMIC_MIN_I:                                                                                         \
            return (signed_type)old < (signed_type)a ? old : a;                                                        \
        case ISA_ATOMIC_MAX_I:                                                                                         \
            return (signed_type)old > (signed_type)a ? old : a;                                                        \
        case ISA_ATOMIC_MIN_U:                                                                                         \
            return old < a ? old : a;                                                                                  \
        case ISA_ATOMIC_MAX_U:                                                                                         \
            return old > a ? old : a;                                                                                  \
        case ISA_ATOMIC_AND:                                                                                           \
            return old & a;                                                                                            \
        case ISA_ATOMIC_OR:                                                                                            \
            return old | a;                                                                                            \
        case ISA_ATOMIC_XOR:                                                                                           \
            return old ^ a;                                                                                            \
        case ISA_ATOMIC_SWAP:                                                                                          \
            return a;                                                                                                  \
        case ISA_ATOMIC_CMPSWAP:                                                                                       \
            return old == b ? a : old;                                                                                 \
        case ISA_ATOMIC_CMPSWAP_F:                                                                                     \
            return value_of(old) == value_of(b) ? a : old;                                                             \
        /* a number comes before a NaN, whichever side it is on */                                                     \
        case ISA_ATOMIC_MIN_F:                                                                                         \
            return value_of(a) < value_of(old) || value_of(old) != value_of(old) ? a : old;                            \
        case ISA_ATOMIC_MAX_F:                                                                                         \
            return value_of(a) > value_of(old) || value_of(old) != value_of(old) ? a : old;                            \
        case ISA_ATOMIC_ADD_F:                                                                                         \
            return sum;                                                                                                \
        case ISA_ATOMIC_MSKOR:                                                                                         \
            return (old & ~a) | b;                                                                                     \
        case ISA_ATOMIC_WRAP:                                                                                          \
            return old >= a ? old - a : old + b;                                                                       \
        default:                                                                                                       \
            return old;                                                                                                \
        }                                                                                                              \
    }
ATOMIC_RESULT(atomic_result32, uint32_t, int32_t, as_float, float_sum(old, a))
ATOMIC_RESULT(atomic_result64, uint64_t, int64_t, as_double, old)

/* ds_condxchg32_rtn_b64: each half of the data replaces its half of memory if its top bit is set, without that bit. */
static uint64_t conditional_exchange(uint64_t old, uint64_t a)
{
    uint32_t low = a & 0x80000000u ? (uint32_t)a & 0x7fffffff : (uint32_t)old;
    uint32_t high = a >> 63 ? (uint32_t)(a >> 32) & 0x7fffffff : (uint32_t)(old >> 32);
    return low | (uint64_t)high << 32;
}

/* The hardware ignores the low bits of an atomic's address. What orders them stands around all lanes of a wave. */
static inline uint32_t *word32(uint8_t *at)
{
    return (uint32_t *)((uintptr_t)at & ~(uintptr_t)3);
}

static uint32_t atomic32(unsigned op, uint8_t *at, uint32_t a, uint32_t b)
{
    uint32_t *word = word32(at), old;
    if (op == ISA_ATOMIC_SWAP)
        return __atomic_exchange_n(word, a, __ATOMIC_RELAXED);
    if (op == ISA_ATOMIC_ADD)
        return __atomic_fetch_add(word, a, __ATOMIC_RELAXED);
    old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, atomic_result32(op, old, a, b), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t atomic64(unsigned op, uint8_t *at, uint64_t a, uint64_t b)
{
    uint64_t *word = (uint64_t *)((uintptr_t)at & ~(uintptr_t)7);
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    do {
        new = op == ISA_ATOMIC_CONDXCHG32 ? conditional_exchange(old, a) : atomic_result64(op, old, a, b);
    } while (!__atomic_compare_exchange_n(word, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

/* Where the active lanes of a wave all change one word, as counters are changed: their sum at once, each lane's turn
 * after the one before. NULL: they are at different places, or some have none. */
static uint8_t *find_common(const struct sq_places *places, uint64_t exec)
{
    const unsigned first = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    uint8_t *at = places->at[first];
    uintptr_t different = 0;
    if (!exec || !at)
        return NULL;
    bits_foreach (exec, i) {
        different |= (uintptr_t)places->at[i] ^ (uintptr_t)at;
        if (different)
            return NULL;
    }
    return at;
}

static void atomic_common(unsigned op, uint8_t *at, uint64_t exec, const uint32_t *data0, const uint32_t *data1,
                          uint32_t *result)
{
    uint32_t *word = word32(at), olds[LANES_MAX], old = __atomic_load_n(word, __ATOMIC_RELAXED), new;
    do {
        new = old;
        bits_foreach (exec, i) {
            olds[i] = new;
            new = atomic_result32(op, new, data0[i], data1 ? data1[i] : 0);
        }
    } while (!__atomic_compare_exchange_n(word, &old, new, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    bits_foreach (result ? exec : 0, i)
        result[i] = olds[i];
}

static void atomic_lanes(const struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                         const uint32_t *data0, const uint32_t *data1, uint32_t *result)
{
    const unsigned lanes = wave->lanes;
    bits_foreach (sq_exec(wave), i) {
        uint8_t *at = places->at[i];
        if (info->element == ISA_TYPE_B64) {
            uint64_t a = data0[i] | (uint64_t)data0[lanes + (unsigned)i] << 32;
            uint64_t b = data1 ? data1[i] | (uint64_t)data1[lanes + (unsigned)i] << 32 : 0;
            uint64_t old = at ? atomic64(info->atomic, at, a, b) : 0;
            if (result) {
                result[i] = (uint32_t)old;
                result[lanes + (unsigned)i] = (uint32_t)(old >> 32);
            }
        } else {
            uint32_t old = at ? atomic32(info->atomic, at, data0[i], data1 ? data1[i] : 0) : 0;
            if (result)
                result[i] = old;
        }
    }
}

void amd_sq_atomic(struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                   const uint32_t *data0, const uint32_t *data1, uint32_t *result)
{
    uint8_t *common = info->element == ISA_TYPE_B64 ? NULL : find_common(places, sq_exec(wave));
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (common)
        atomic_common(info->atomic, common, sq_exec(wave), data0, data1, result);
    else
        atomic_lanes(wave, info, places, data0, data1, result);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* `op` is a constant where most instructions call this. */
static inline __attribute__((always_inline)) void atomic_alone(unsigned op, uint64_t exec,
                                                               const struct sq_places *places, const uint32_t *data0,
                                                               const uint32_t *data1, uint32_t *result)
{
    bits_foreach (exec, i) {
        uint32_t *word = word32(places->at[i]), old = 0;
        if (word) {
            old = *word;
            *word = atomic_result32(op, old, data0[i], data1 ? data1[i] : 0);
        }
        if (result)
            result[i] = old;
    }
}

void amd_sq_atomic_alone(const struct sq_wave *wave, const struct isa_op_info *info, const struct sq_places *places,
                         const uint32_t *data0, const uint32_t *data1, uint32_t *result)
{
    const uint64_t exec = sq_exec(wave);
    if (info->atomic == ISA_ATOMIC_ADD && !result)
        atomic_alone(ISA_ATOMIC_ADD, exec, places, data0, NULL, NULL);
    else if (info->atomic == ISA_ATOMIC_ADD)
        atomic_alone(ISA_ATOMIC_ADD, exec, places, data0, NULL, result);
    else if (info->atomic == ISA_ATOMIC_OR)
        atomic_alone(ISA_ATOMIC_OR, exec, places, data0, NULL, result);
    else if (info->atomic == ISA_ATOMIC_MAX_U)
        atomic_alone(ISA_ATOMIC_MAX_U, exec, places, data0, NULL, result);
    else if (info->atomic == ISA_ATOMIC_MIN_U)
        atomic_alone(ISA_ATOMIC_MIN_U, exec, places, data0, NULL, result);
    else
        atomic_alone(info->atomic, exec, places, data0, data1, result);
}

void amd_sq_exchange(struct sq_wave *wave, const struct sq_places *places, const uint32_t *data, uint32_t *old,
                     unsigned dwords)
{
    unsigned lanes = wave->lanes;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (unsigned i = 0; i < lanes; i++) {
        uint8_t *at = places->at[i];
        if (dwords == 2) {
            uint64_t value = at ? atomic64(ISA_ATOMIC_SWAP, at, data[i] | (uint64_t)data[lanes + i] << 32, 0) : 0;
            old[i] = (uint32_t)value;
            old[lanes + i] = (uint32_t)(value >> 32);
        } else {
            old[i] = at ? atomic32(ISA_ATOMIC_SWAP, at, data[i], 0) : 0;
        }
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* ---- translation ---- */

static void cache_invalidate(struct sq_wave *wave, const struct sq_uop *uop)
{
    /* Host memory is coherent; what other waves have written is seen from here on. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static sq_run_fn handler(const struct isa_inst *inst, const struct isa_op_info *info, uint32_t *flags_out)
{
    if (info->format == ISA_FORMAT_MIMG || info->properties & ISA_PROP_FORMAT)
        return amd_ta_handler(inst, info, flags_out);
    if (info->format == ISA_FORMAT_DS)
        return amd_sq_ds_handler(inst, info);
    if (inst->mem.tfe || inst->mem.lwe || (inst->mem.lds && info->memory != ISA_MEMORY_LOAD))
        return NULL;
    switch (info->helper) {
    case ISA_HELPER_GLOBAL_LOAD:
    case ISA_HELPER_GLOBAL_STORE:
        return amd_sq_global_handler(inst);
    case ISA_HELPER_FLAT_LOAD:
    case ISA_HELPER_FLAT_STORE:
    case ISA_HELPER_FLAT_ATOMIC:
    case ISA_HELPER_GLOBAL_ATOMIC:
    case ISA_HELPER_SCRATCH_LOAD:
    case ISA_HELPER_SCRATCH_STORE:
        return amd_sq_flat;
    case ISA_HELPER_BUFFER_LOAD:
    case ISA_HELPER_BUFFER_STORE:
    case ISA_HELPER_BUFFER_ATOMIC:
        return amd_sq_buffer;
    case ISA_HELPER_SMEM_LOAD:
        return amd_sq_smem_load;
    case ISA_HELPER_SMEM_BUFFER_LOAD:
        return amd_sq_smem_buffer_load;
    case ISA_HELPER_MEMTIME:
    case ISA_HELPER_MEMREALTIME:
        return amd_sq_smem_time;
    case ISA_HELPER_CACHE_INV:
        return cache_invalidate;
    default:
        return NULL;
    }
}

static sq_place register_place(const struct sq_builder *builder, const struct isa_operand *operand)
{
    if (operand->kind == ISA_OPERAND_VGPR)
        return (sq_place)(offsetof(struct sq_wave, vgpr) + operand->value * builder->exec.lanes * 4);
    unsigned index = operand->kind == ISA_OPERAND_SGPR ? operand->value : amd_sq_special_register(operand);
    return (sq_place)(offsetof(struct sq_wave, sgpr) + index * 4);
}

static sq_place operand_place(struct sq_builder *builder, const struct isa_inst *inst,
                              const struct isa_operand *operand)
{
    switch (operand->kind) {
    case ISA_OPERAND_NONE:
        return amd_sq_build_scalar_constant(builder, 0);
    case ISA_OPERAND_INT:
        return amd_sq_build_scalar_constant(builder, (uint64_t)(int64_t)(int16_t)operand->value);
    case ISA_OPERAND_LITERAL:
        return amd_sq_build_scalar_constant(builder, inst->literal);
    case ISA_OPERAND_SPECIAL:
        if (operand->value == ISA_SPECIAL_NULL)
            return amd_sq_build_scalar_constant(builder, 0);
        /* fall through */
    default:
        return register_place(builder, operand);
    }
}

bool amd_sq_translate_memory(struct sq_builder *builder, const struct isa_inst *inst, const struct isa_op_info *info)
{
    uint32_t flags = 0; /* of the texture unit */
    struct sq_uop made = {.run = handler(inst, info, &flags), .imm = (uint32_t)inst->mem.offset};
    bool writes_exec = false;
    if (!made.run)
        return false;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &inst->operands[i];
        sq_place place = operand_place(builder, inst, operand);
        switch (info->operands[i].name) {
        case ISA_NAME_VDATA:
            if (info->format == ISA_FORMAT_FLAT)
                made.sd = place; /* an atomic has a destination besides */
            else
                made.d = place;
            break;
        case ISA_NAME_SDATA:
            writes_exec = operand->kind == ISA_OPERAND_SPECIAL;
            made.d = place;
            break;
        case ISA_NAME_VDST:
            made.d = place;
            break;
        case ISA_NAME_VADDR:
        case ISA_NAME_ADDR:
            made.s[0] = place;
            break;
        case ISA_NAME_SADDR:
        case ISA_NAME_SRSRC:
        case ISA_NAME_SBASE:
        case ISA_NAME_DATA0:
            made.s[1] = place;
            break;
        case ISA_NAME_SOFFSET:
        case ISA_NAME_SSAMP:
        case ISA_NAME_DATA1:
            made.s[2] = place;
            break;
        default:
            return false;
        }
    }
    if (inst->mem.lds)
        made.d = (sq_place)(offsetof(struct sq_wave, temp) + builder->temps++ * builder->exec.lanes * 4);
    struct sq_uop *uop = amd_sq_build(builder, made.run, inst);
    uop->d = made.d;
    uop->sd = made.sd;
    memcpy(uop->s, made.s, sizeof(uop->s));
    uop->imm = made.imm;
    if (info->format == ISA_FORMAT_MIMG)
        uop->imm = flags;
    else if (info->properties & ISA_PROP_FORMAT)
        uop->sd = flags;
    if (inst->mem.lds) {
        uop = amd_sq_build(builder, amd_sq_uop_rows_to_lds, inst);
        uop->s[0] = made.d;
        uop->imm = (uint32_t)inst->mem.offset;
    }
    if (writes_exec)
        amd_sq_build(builder, amd_sq_uop_exec_changed, inst);
    return true;
}
