/* The memory of the interpreter's world, given by the caller or made up of the seed. */
#include <string.h>

#include "util/bits.h"
#include "util/half.h"

#include "compiler/ir/ir_fold.h"
#include "compiler/ir/ir_interpret_internal.h"

/* --- the made-up world --- */

uint64_t interp_word(const struct interpreter *in, uint64_t place, unsigned bits)
{
    static const double numbers[] = {
        0, -0.0, 1, -1, 0.5, 2, 1.0 / 3, 255, 65504, 1e-40, -1e30, 1e300, __builtin_inf(), __builtin_nan("")};
    uint64_t hash = interp_mix(in->options->seed, place), kind = hash & 7, rest = hash >> 8;
    uint64_t word = interp_mix(hash, 1);
    if (kind < 2)
        word = rest % 17; /* small, as indices and counts are */
    else if (kind == 2)
        word = 0 - rest % 5;
    else if (kind < 5 && bits >= 16)
        word = ir_float_to_bits((double)(int64_t)(rest % 20001) / 1000 - 10, (uint8_t)bits);
    else if (kind == 5 && bits >= 16)
        word = ir_float_to_bits(numbers[rest % ARRAY_SIZE(numbers)], (uint8_t)bits);
    return word & bits_mask(bits);
}

uint64_t interp_sparse_get(const struct interpreter *in, uint64_t place, unsigned bits)
{
    uint64_t *written = map64_get(&in->memory, place);
    return written ? *written & bits_mask(bits) : interp_word(in, place, bits);
}

void interp_sparse_set(struct interpreter *in, uint64_t place, unsigned bits, uint64_t value)
{
    bool ok = map64_get(&in->memory_start, place) || map64_set(&in->memory_start, place, interp_word(in, place, bits));
    if (!ok || !map64_set(&in->memory, place, value & bits_mask(bits)))
        interp_stop(in, "out of memory");
}

uint64_t interp_memory_digest(const struct interpreter *in)
{
    uint64_t sum = 0; /* of hashes: the order of a map means nothing */
    for (struct map64_slot *slot = NULL; (slot = map64_next(&in->memory, slot));)
        if (*map64_get(&in->memory_start, slot->key) != slot->value)
            sum += interp_mix(slot->key, slot->value);
    return sum;
}

/* --- memory of bytes --- */

/* Where an access goes: bytes, or made-up words of a name. */
struct place {
    uint8_t *data;
    uint64_t size_B;
    uint64_t name;
    bool bounded; /* what lies outside is no part of the program: undefined, not zero */
};

/* False where the bytes lie outside. */
static bool read_bytes(struct interpreter *in, const struct place *place, uint64_t address, uint32_t size_B,
                       uint64_t *out)
{
    *out = 0;
    if (place->data || place->bounded) {
        if (address > place->size_B || place->size_B - address < size_B)
            return false;
        memcpy(out, place->data + address, size_B);
        return true;
    }
    for (uint32_t i = 0; i < size_B;) {
        uint64_t word = interp_sparse_get(in, interp_mix(place->name, (address + i) >> 2), 32);
        uint32_t first = (uint32_t)(address + i) & 3, count = MIN2(4 - first, size_B - i);
        *out |= bits_get(word, first * 8, count * 8) << i * 8;
        i += count;
    }
    return true;
}

static bool write_bytes(struct interpreter *in, const struct place *place, uint64_t address, uint32_t size_B,
                        uint64_t value)
{
    if (place->data || place->bounded) {
        if (address > place->size_B || place->size_B - address < size_B)
            return false;
        memcpy(place->data + address, &value, size_B);
        return true;
    }
    for (uint32_t i = 0; i < size_B;) {
        uint64_t key = interp_mix(place->name, (address + i) >> 2);
        uint32_t first = (uint32_t)(address + i) & 3, count = MIN2(4 - first, size_B - i);
        interp_sparse_set(
            in, key, 32,
            bits_set(interp_sparse_get(in, key, 32), first * 8, count * 8, bits_get(value, i * 8, count * 8)));
        i += count;
    }
    return true;
}

uint64_t interp_handle_name(const struct interpreter *in, const struct ir_value *handle, uint32_t lane)
{
    uint64_t name = SPACE_BUFFER;
    for (uint32_t comp = 0; comp < handle->comps; comp++)
        name = interp_mix(name, interp_data(in, handle, comp)[lane]);
    return name;
}

static struct place buffer_place(struct interpreter *in, const struct ir_value *handle, uint32_t lane)
{
    uint64_t number = interp_data(in, handle, 0)[lane] - INTERP_HANDLE_BASE;
    interp_seen(in, interp_doubts(in, handle, lane));
    if (handle->comps == 1 && number < in->options->num_buffers) {
        const struct ir_interpret_buffer *buffer = &in->options->buffers[number];
        return (struct place){.data = buffer->data, .size_B = buffer->size_B};
    }
    return (struct place){.name = interp_handle_name(in, handle, lane)};
}

static struct place global_place(struct interpreter *in, uint64_t *address)
{
    for (uint32_t i = 0; i < in->options->num_buffers; i++) {
        const struct ir_interpret_buffer *buffer = &in->options->buffers[i];
        if (!buffer->is_global || *address - buffer->address >= buffer->size_B)
            continue;
        *address -= buffer->address;
        return (struct place){.data = buffer->data, .size_B = buffer->size_B};
    }
    return (struct place){.name = SPACE_GLOBAL};
}

static struct place push_place(const struct interpreter *in)
{
    if (!in->options->push)
        return (struct place){.name = SPACE_PUSH};
    return (struct place){.data = (uint8_t *)in->options->push, .size_B = in->options->push_size_B};
}

/* How the operands of a memory operation are laid out. */
struct access {
    int handle;          /* operand, or -1 */
    int address;         /* operand, or -1 */
    int value, compared; /* operands, or -1; of a compare and exchange: what is compared comes first */
    enum {
        KIND_BUFFER,
        KIND_GLOBAL,
        KIND_SHARED,
        KIND_SCRATCH,
        KIND_STACK,
        KIND_INCOMING,
        KIND_OUTGOING,
        KIND_PUSH,
        KIND_PAYLOAD,
        KIND_CONST_DATA
    } kind;
    enum {
        DO_LOAD,
        DO_STORE,
        DO_ATOMIC,
        DO_CMPXCHG
    } action;
};

static bool describe_access(const struct ir_instr *instr, struct access *out)
{
    switch (instr->op) {
#define ACCESS(op, ...)                                                                                                \
    case IR_OP_##op:                                                                                                   \
        *out = (struct access){__VA_ARGS__};                                                                           \
        return true;
        ACCESS(load_ubo, 0, 1, -1, -1, KIND_BUFFER, DO_LOAD)
        ACCESS(load_ssbo, 0, 1, -1, -1, KIND_BUFFER, DO_LOAD)
        ACCESS(store_ssbo, 1, 2, 0, -1, KIND_BUFFER, DO_STORE)
        ACCESS(atomic_ssbo, 0, 1, 2, -1, KIND_BUFFER, DO_ATOMIC)
        ACCESS(cmpxchg_ssbo, 0, 1, 3, 2, KIND_BUFFER, DO_CMPXCHG)
        ACCESS(load_global, -1, 0, -1, -1, KIND_GLOBAL, DO_LOAD)
        ACCESS(store_global, -1, 1, 0, -1, KIND_GLOBAL, DO_STORE)
        ACCESS(atomic_global, -1, 0, 1, -1, KIND_GLOBAL, DO_ATOMIC)
        ACCESS(cmpxchg_global, -1, 0, 2, 1, KIND_GLOBAL, DO_CMPXCHG)
        ACCESS(load_shared, -1, 0, -1, -1, KIND_SHARED, DO_LOAD)
        ACCESS(store_shared, -1, 1, 0, -1, KIND_SHARED, DO_STORE)
        ACCESS(atomic_shared, -1, 0, 1, -1, KIND_SHARED, DO_ATOMIC)
        ACCESS(cmpxchg_shared, -1, 0, 2, 1, KIND_SHARED, DO_CMPXCHG)
        ACCESS(load_scratch, -1, 0, -1, -1, KIND_SCRATCH, DO_LOAD)
        ACCESS(store_scratch, -1, 1, 0, -1, KIND_SCRATCH, DO_STORE)
        ACCESS(load_stack, -1, 0, -1, -1, KIND_STACK, DO_LOAD)
        ACCESS(store_stack, -1, 1, 0, -1, KIND_STACK, DO_STORE)
        ACCESS(load_incoming, -1, -1, -1, -1, KIND_INCOMING, DO_LOAD)
        ACCESS(store_incoming, -1, -1, 0, -1, KIND_INCOMING, DO_STORE)
        ACCESS(load_outgoing, -1, -1, -1, -1, KIND_OUTGOING, DO_LOAD)
        ACCESS(store_outgoing, -1, -1, 0, -1, KIND_OUTGOING, DO_STORE)
        ACCESS(load_push, -1, 0, -1, -1, KIND_PUSH, DO_LOAD)
        ACCESS(load_payload, -1, 0, -1, -1, KIND_PAYLOAD, DO_LOAD)
        ACCESS(load_const_data, -1, 0, -1, -1, KIND_CONST_DATA, DO_LOAD)
#undef ACCESS
    default:
        return false;
    }
}

uint64_t interp_atomic(struct interpreter *in, const struct ir_instr *instr, uint8_t bits, uint64_t old, uint64_t value)
{
    switch ((enum ir_atomic)ir_imm(instr, IR_IMM_ATOMIC)) {
    case IR_ATOMIC_iadd:
        return interp_alu(in, IR_OP_iadd, bits, old, value);
    case IR_ATOMIC_isub:
        return interp_alu(in, IR_OP_isub, bits, old, value);
    case IR_ATOMIC_imin:
        return interp_alu(in, IR_OP_imin, bits, old, value);
    case IR_ATOMIC_imax:
        return interp_alu(in, IR_OP_imax, bits, old, value);
    case IR_ATOMIC_umin:
        return interp_alu(in, IR_OP_umin, bits, old, value);
    case IR_ATOMIC_umax:
        return interp_alu(in, IR_OP_umax, bits, old, value);
    case IR_ATOMIC_iand:
        return old & value;
    case IR_ATOMIC_ior:
        return old | value;
    case IR_ATOMIC_ixor:
        return old ^ value;
    case IR_ATOMIC_exchange:
        return value;
    case IR_ATOMIC_fadd:
        return interp_alu(in, IR_OP_fadd, bits, old, value);
    case IR_ATOMIC_fmin:
        return interp_alu(in, IR_OP_fmin, bits, old, value);
    case IR_ATOMIC_fmax:
        return interp_alu(in, IR_OP_fmax, bits, old, value);
    case IR_ATOMIC_cmpxchg:
        break;
    }
    interp_stop(in, "a compare and exchange has an operation of its own");
}

/* A part of a lane's stack. */
static struct place stack_place(struct interpreter *in, uint32_t lane, uint64_t first_B, uint64_t size_B)
{
    return (struct place){
        .data = in->stack + (size_t)lane * in->stack_size_B + first_B, .size_B = size_B, .bounded = true};
}

static struct place place_of(struct interpreter *in, const struct ir_instr *instr, const struct access *access,
                             uint32_t lane, uint64_t *address)
{
    const struct ir_shader *shader = in->shader;
    switch (access->kind) {
    case KIND_BUFFER:
        return buffer_place(in, ir_src(instr, (uint32_t)access->handle), lane);
    case KIND_GLOBAL:
        return global_place(in, address);
    case KIND_SHARED:
        return (struct place){.data = in->shared, .size_B = shader->shared_size_B, .bounded = true};
    case KIND_STACK:
        return stack_place(in, lane, 0, in->stack_size_B);
    case KIND_INCOMING:
        return stack_place(in, lane, in->frame_B, IR_FRAME_ARGS_B);
    case KIND_OUTGOING:
        return stack_place(in, lane, interp_next_frame_B(in), IR_FRAME_ARGS_B);
    case KIND_SCRATCH:
        if (in->stack)
            return stack_place(in, lane, in->frame_B + interp_frame_args_B(shader), shader->scratch_size_B);
        return (struct place){.data = in->scratch + (size_t)lane * shader->scratch_size_B,
                              .size_B = shader->scratch_size_B,
                              .bounded = true};
    case KIND_PUSH:
        return push_place(in);
    case KIND_PAYLOAD: /* whatever the task shader wrote */
        return (struct place){.name = interp_mix(SPACE_OTHER, IR_OP_load_payload)};
    default:
        return (struct place){
            .data = (uint8_t *)shader->const_data, .size_B = shader->const_data_size_B, .bounded = true};
    }
}

static void check_alignment(struct interpreter *in, const struct ir_instr *instr, uint64_t address)
{
    if (ir_has_imm(instr, IR_IMM_ALIGN) && ir_imm(instr, IR_IMM_ALIGN) > 1)
        in->result->misaligned +=
            ((address - ir_imm(instr, IR_IMM_ALIGN_OFFSET)) & (ir_imm(instr, IR_IMM_ALIGN) - 1)) != 0;
}

static void load_place(struct interpreter *in, const struct ir_instr *instr, const struct place *place,
                       uint64_t address, uint32_t lane)
{
    uint32_t size_B = instr->def.bits / 8u;
    for (uint32_t comp = 0; comp < instr->def.comps; comp++) {
        bool inside = read_bytes(in, place, address + comp * size_B, size_B, &interp_data(in, &instr->def, comp)[lane]);
        interp_doubt(in, &instr->def, comp)[lane] = !inside && place->bounded ? DOUBT_UNDEF : 0;
    }
}

static void store_place(struct interpreter *in, const struct ir_instr *instr, const struct place *place,
                        uint64_t address, uint32_t lane)
{
    const struct ir_value *value = ir_src(instr, 0);
    uint32_t size_B = value->bits / 8u;
    interp_seen(in, interp_doubts(in, value, lane));
    for (uint32_t comp = 0; comp < value->comps; comp++) {
        bool inside = write_bytes(in, place, address + comp * size_B, size_B, interp_data(in, value, comp)[lane]);
        in->result->used_undef |= !inside && place->bounded;
    }
}

static void atomic(struct interpreter *in, const struct ir_instr *instr, const struct access *access,
                   const struct place *place, uint64_t address, uint32_t lane)
{
    uint8_t bits = instr->def.bits;
    uint64_t old, value = interp_decisive(in, instr, (uint32_t)access->value, lane);
    bool inside = read_bytes(in, place, address, bits / 8u, &old);
    in->result->used_undef |= !inside && place->bounded;
    if (access->action == DO_ATOMIC)
        value = interp_atomic(in, instr, bits, old, value);
    else if (interp_decisive(in, instr, (uint32_t)access->compared, lane) != old)
        value = old;
    write_bytes(in, place, address, bits / 8u, value);
    interp_data(in, &instr->def, 0)[lane] = old;
    interp_doubt(in, &instr->def, 0)[lane] = 0;
}

static void access_lane(struct interpreter *in, const struct ir_instr *instr, const struct access *access,
                        uint32_t lane)
{
    uint64_t address = access->address < 0 ? 0 : interp_decisive(in, instr, (uint32_t)access->address, lane);
    /* A helper reads; it writes nothing and what its atomics answer is undefined. Scratch is its own. */
    if (in->helper[lane] && access->action != DO_LOAD && access->kind != KIND_SCRATCH) {
        if (instr->def.bits) {
            interp_data(in, &instr->def, 0)[lane] = 0;
            interp_doubt(in, &instr->def, 0)[lane] = DOUBT_UNDEF;
        }
        return;
    }
    address += ir_imm(instr, IR_IMM_BASE);
    check_alignment(in, instr, address);
    struct place place = place_of(in, instr, access, lane, &address);
    if (access->action == DO_LOAD)
        load_place(in, instr, &place, address, lane);
    else if (access->action == DO_STORE)
        store_place(in, instr, &place, address, lane);
    else
        atomic(in, instr, access, &place, address, lane);
}

uint64_t interp_buffer_size(struct interpreter *in, const struct ir_value *handle, uint32_t lane)
{
    struct place place = buffer_place(in, handle, lane);
    return place.data ? place.size_B : UINT64_MAX;
}

/* --- variables --- */

static void access_var(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    bool is_load = instr->op == IR_OP_load_var;
    uint32_t index = ir_imm(instr, IR_IMM_VAR);
    if (index >= in->running.num_variables || !in->running.variables[index].var)
        interp_stop(in, "there is no variable v%u", index);
    const struct variable *variable = &in->running.variables[index];
    const struct ir_value *value = is_load ? &instr->def : ir_src(instr, 0);
    foreach_lane (in, mask, lane) {
        uint64_t first = interp_decisive(in, instr, is_load ? 0 : 1, lane);
        for (uint32_t comp = 0; comp < value->comps; comp++) {
            uint64_t element = (uint32_t)(first + comp);
            uint64_t *data = &interp_data(in, value, comp)[lane];
            uint8_t *doubt = &interp_doubt(in, value, comp)[lane];
            if (element >= variable->var->length) {
                /* Anything may be read; where a write goes is undefined. */
                if (is_load)
                    *doubt = DOUBT_UNDEF;
                else
                    interp_seen(in, DOUBT_UNDEF);
                continue;
            }
            size_t place = element * in->num_lanes + lane;
            if (is_load) {
                *data = variable->data[place];
                *doubt = variable->doubt[place];
            } else {
                variable->data[place] = *data;
                variable->doubt[place] = *doubt;
            }
        }
    }
}

bool interp_memory(struct interpreter *in, const struct ir_instr *instr, const struct lanes *mask)
{
    struct access access;
    if (instr->op == IR_OP_load_var || instr->op == IR_OP_store_var) {
        access_var(in, instr, mask);
        return true;
    }
    if (!describe_access(instr, &access))
        return false;
    foreach_lane (in, mask, lane)
        access_lane(in, instr, &access, lane);
    return true;
}
