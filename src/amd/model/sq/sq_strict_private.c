/* Strict mode: private memory in the shadows. Compilers put whole registers there, written or not, so a store is no
 * place for a report; what differs is kept until it is loaded again. Only differences are kept: one entry for each
 * dword of private memory in which a shadow is not like its wave. Not for: flat addresses in private memory, which come
 * back as if they had been initialised. */
#include "amd/model/sq/sq_buffer_address.h"
#include "amd/model/sq/sq_strict_internal.h"

/* Private memory that is accessed through a descriptor: swizzled, with the lane's number in the address. */
bool amd_sq_strict_is_private(const struct sq_wave *wave, const struct sq_strict_facts *facts)
{
    const struct isa_op_info *info = facts->info;
    if (info->properties & ISA_PROP_SCRATCH)
        return true;
    for (unsigned i = 0; i < info->operand_count; i++) {
        const struct isa_operand *operand = &facts->inst->operands[i];
        if (info->operands[i].name == ISA_NAME_SRSRC && info->format == ISA_FORMAT_MUBUF &&
            operand->kind == ISA_OPERAND_SGPR)
            return wave->sgpr[operand->value + 1] >> 31 && (wave->sgpr[operand->value + 3] >> 23 & 1);
    }
    return false;
}

/* A number for the byte that a lane's dword begins at, the same for every access to it. `main` is the instruction's own
 * micro-operation. */
static uint64_t place_of(const struct sq_wave *wave, const struct sq_uop *main, const struct sq_strict_facts *facts,
                         unsigned lane, unsigned row)
{
    if (facts->info->format == ISA_FORMAT_MUBUF) {
        struct sq_buffer buffer = sq_buffer_unpack(sq_at(wave, main->s[1]), &main->inst->mem);
        uint32_t index, offset_B;
        sq_buffer_lane(wave, main, &buffer, lane, &index, &offset_B);
        return sq_buffer_address(&buffer, index, offset_B + row * 4, *(const uint32_t *)sq_at(wave, main->s[2]));
    }
    uint32_t offset_B = (uint32_t)facts->inst->mem.offset + row * 4;
    for (unsigned i = 0; i < facts->info->operand_count; i++) {
        const struct isa_operand *operand = &facts->inst->operands[i];
        if (facts->info->operands[i].name == ISA_NAME_VADDR && operand->kind == ISA_OPERAND_VGPR)
            offset_B += wave->vgpr[operand->value * wave->lanes + lane];
        if (facts->info->operands[i].name == ISA_NAME_SADDR && operand->kind == ISA_OPERAND_SGPR)
            offset_B += wave->sgpr[operand->value];
    }
    return wave->flat_scratch_va + (uint64_t)(offset_B & ~3u) * LANES_MAX + lane * 4 + (offset_B & 3);
}

/* The bits of memory's dword that the access covers, and where they are in the register. */
struct field {
    uint32_t mask; /* of the value */
    unsigned in_memory, in_register;
};

static struct field field_of(const struct isa_op_info *info, uint64_t place)
{
    bool is_byte = info->element == ISA_TYPE_U8 || info->element == ISA_TYPE_I8;
    bool is_short = info->element == ISA_TYPE_U16 || info->element == ISA_TYPE_I16;
    return (struct field){is_byte    ? 0xff
                          : is_short ? 0xffff
                                     : UINT32_MAX,
                          is_byte || is_short ? (unsigned)(place & 3) * 8 : 0, info->half == 2 ? 16 : 0};
}

static const struct sq_strict_access *data_of(const struct sq_strict_facts *facts)
{
    bool is_load = facts->info->memory == ISA_MEMORY_LOAD;
    for (unsigned i = 0; i < facts->count; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        if (access->file == SQ_STRICT_VGPR && (is_load ? access->is_result : access->is_data))
            return access;
    }
    return NULL;
}

void amd_sq_strict_store_private(struct sq_wave *wave, const struct sq_uop *main, const struct sq_strict_facts *facts)
{
    struct sq_strict *strict = wave->strict;
    const struct sq_strict_access *data = data_of(facts);
    uint64_t exec = sq_exec(wave);
    for (unsigned n = 0; data && n < data->count * wave->lanes; n++) {
        unsigned lane = n % wave->lanes, row = n / wave->lanes, at = (data->first + row) * wave->lanes + lane;
        for (unsigned s = 0; s < SQ_STRICT_SHADOWS && (exec >> lane & 1); s++) {
            uint32_t differs = wave->vgpr[at] ^ strict->shadow[s]->vgpr[at];
            if (!differs && !strict->private_count)
                continue;
            uint64_t place = place_of(wave, main, facts, lane, row);
            struct field field = field_of(facts->info, place);
            uint64_t *known = map64_get(&strict->private_memory[s], place & ~3ull);
            uint32_t rest = known ? (uint32_t)*known & ~(field.mask << field.in_memory) : 0;
            differs = rest | (differs >> field.in_register & field.mask) << field.in_memory;
            if (known)
                *known = differs;
            else if (differs)
                strict->private_count += map64_set(&strict->private_memory[s], place & ~3ull, differs);
        }
    }
}

/* Before the results are copied: where they come from may be overwritten by them. */
void amd_sq_strict_load_private(struct sq_wave *wave, const struct sq_uop *main, const struct sq_strict_facts *facts,
                                uint32_t (*differs_out)[SQ_STRICT_LOADED])
{
    struct sq_strict *strict = wave->strict;
    const struct sq_strict_access *data = data_of(facts);
    memset(differs_out, 0, sizeof(*differs_out) * SQ_STRICT_SHADOWS);
    for (unsigned n = 0; data && n < data->count * wave->lanes && n < SQ_STRICT_LOADED; n++) {
        if (!(sq_exec(wave) >> n % wave->lanes & 1))
            continue;
        uint64_t place = place_of(strict->shadow[0], main, facts, n % wave->lanes, n / wave->lanes);
        struct field field = field_of(facts->info, place);
        for (unsigned s = 0; s < SQ_STRICT_SHADOWS; s++) {
            const uint64_t *known = map64_get(&strict->private_memory[s], place & ~3ull);
            differs_out[s][n] = known ? ((uint32_t)*known >> field.in_memory & field.mask) << field.in_register : 0;
        }
    }
}
