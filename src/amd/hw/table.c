/* Finding rows of the hardware tables. The rows are generated; this file has no fact in it but where the spaces begin.
 */
#include "amd/hw/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amd/hw/pack.h"
#include "amd/hw/table_private.h"
#include "util/bits.h"

const struct amd_reg *amd_reg_find(enum amd_gfx gfx, uint32_t offset_B, unsigned *index_out)
{
    if ((unsigned)gfx >= AMD_GFX_COUNT || offset_B >= AMD_REG_LIMIT_B || offset_B % 4)
        return NULL;
    unsigned row = amd_reg_pages[amd_reg_directory[gfx][offset_B >> 8]][offset_B >> 2 & 63];
    if (!row)
        return NULL;
    const struct amd_reg *reg = &amd_regs[row - 1];
    if (index_out)
        *index_out = (offset_B - reg->offset_B[gfx]) / reg->stride_B;
    return reg;
}

/* Does `name` spell the pattern, with a decimal number where the pattern has '#'? */
static bool matches_pattern(const char *pattern, const char *name, unsigned count, unsigned *index_out)
{
    const char *hash = strchr(pattern, '#');
    size_t before = hash ? (size_t)(hash - pattern) : strlen(pattern);
    *index_out = 0;
    if (strcmp(pattern, name) == 0)
        return true;
    if (!hash || strncmp(pattern, name, before) != 0 || name[before] < '0' || name[before] > '9')
        return false;
    char *end;
    unsigned long index = strtoul(name + before, &end, 10);
    *index_out = (unsigned)index;
    return index < count && strcmp(end, hash + 1) == 0;
}

const struct amd_reg *amd_reg_find_name(const char *name, unsigned *index_out)
{
    for (unsigned i = 0; i < amd_reg_count; i++) {
        unsigned index;
        if (matches_pattern(amd_regs[i].name, name, amd_regs[i].count, &index)) {
            if (index_out)
                *index_out = index;
            return &amd_regs[i];
        }
    }
    return NULL;
}

int amd_reg_name(const struct amd_reg *reg, unsigned index, char *text, size_t size_B)
{
    const char *hash = strchr(reg->name, '#');
    if (!hash)
        return snprintf(text, size_B, "%s", reg->name);
    return snprintf(text, size_B, "%.*s%u%s", (int)(hash - reg->name), reg->name, index, hash + 1);
}

uint32_t amd_space_base_B(enum amd_space space)
{
    static const uint32_t bases_B[AMD_SPACE_COUNT] = {
        [AMD_SPACE_CONFIG] = 0x8000,
        [AMD_SPACE_SH] = 0xb000,
        [AMD_SPACE_CONTEXT] = 0x28000,
        [AMD_SPACE_UCONFIG] = 0x30000,
    };
    return (unsigned)space < AMD_SPACE_COUNT ? bases_B[space] : 0;
}

const char *amd_reg_stop_reason(const struct amd_reg *reg, enum amd_gfx gfx, uint32_t value,
                                const struct amd_field **field_out)
{
    if (field_out)
        *field_out = NULL;
    if (reg->policy != AMD_POLICY_STOP) {
        for (unsigned i = 0; i < reg->field_count; i++) {
            const struct amd_field *field = &reg->fields[i];
            struct amd_bits bits = field->bits[gfx];
            if (field->policy != AMD_POLICY_STOP || bits.width == 0)
                continue;
            if (bits_get(value, bits.low, bits.width) != field->only) {
                if (field_out)
                    *field_out = field;
                return field->reason;
            }
        }
    }
    return reg->reason;
}

void amd_clear_state(enum amd_gfx gfx, void (*set)(void *data, uint32_t offset_B, uint32_t value), void *data)
{
    for (unsigned i = 0; i < amd_reg_count; i++) {
        const struct amd_reg *reg = &amd_regs[i];
        for (unsigned index = 0; reg->in_clear_state && reg->offset_B[gfx] && index < reg->count; index++)
            set(data, reg->offset_B[gfx] + index * reg->stride_B, reg->clear_value);
    }
}

const struct amd_packet *amd_packet_find(enum amd_gfx gfx, unsigned opcode, unsigned length_dw)
{
    if ((unsigned)gfx >= AMD_GFX_COUNT || opcode > 255 || amd_packet_index[gfx][opcode] == 0)
        return NULL;
    unsigned first = amd_packet_index[gfx][opcode] - 1u;
    for (unsigned i = first; i < amd_packet_count; i++) {
        if (amd_packets[i].opcode[gfx] == (int)opcode && amd_packets[i].length_dw[gfx] == length_dw)
            return &amd_packets[i];
    }
    return &amd_packets[first];
}

bool amd_field_applies(const struct amd_field *fields, const struct amd_field *field, enum amd_gfx gfx,
                       const uint32_t *dw, unsigned count_dw)
{
    struct amd_bits bits = field->bits[gfx];
    if (bits.width == 0 || bits.low + bits.width > 32u * count_dw)
        return false;
    if (field->when_field < 0)
        return true;
    struct amd_bits condition = fields[field->when_field].bits[gfx];
    if (condition.width == 0 || condition.low + condition.width > 32u * count_dw)
        return false;
    uint64_t value = amd_get_uint(dw, condition.low, condition.width);
    return value < 64 && (field->when_mask >> value & 1);
}

const struct amd_field *amd_packet_stop_field(const struct amd_packet *packet, enum amd_gfx gfx, const uint32_t *dw,
                                              unsigned count_dw)
{
    for (unsigned i = 0; i < packet->field_count; i++) {
        const struct amd_field *field = &packet->fields[i];
        if (field->policy == AMD_POLICY_STOP && amd_field_applies(packet->fields, field, gfx, dw, count_dw) &&
            amd_get_uint(dw, field->bits[gfx].low, field->bits[gfx].width) != field->only)
            return field;
    }
    return NULL;
}

const struct amd_packet *amd_sdma_find(enum amd_gfx gfx, uint32_t header)
{
    for (unsigned i = 0; i < amd_sdma_packet_count; i++) {
        if (amd_sdma_packets[i].opcode[gfx] == (int)(header & 0xffff))
            return &amd_sdma_packets[i];
    }
    return NULL;
}

uint32_t amd_sdma_length_dw(const struct amd_packet *packet, enum amd_gfx gfx, const uint32_t *dw)
{
    uint32_t length_dw = packet->min_dw[gfx], count = 0;
    for (unsigned i = 0; i < packet->field_count; i++) {
        const struct amd_field *field = &packet->fields[i];
        struct amd_bits bits = field->bits[gfx];
        if (!amd_field_applies(packet->fields, field, gfx, dw, packet->length_dw[gfx]))
            continue;
        if (field->when_field < 0 && strcmp(field->name, "COUNT") == 0)
            count = (uint32_t)amd_get_uint(dw, bits.low, bits.width);
        length_dw = MAX2(length_dw, (bits.low + bits.width + 31u) / 32);
    }
    if (packet->tail == AMD_TAIL_COUNTED)
        length_dw += count;
    else if (packet->tail == AMD_TAIL_COUNTED_1)
        length_dw += count + 1;
    return length_dw;
}

const char *amd_enum_name(const struct amd_enum *values, uint64_t value)
{
    unsigned low = 0, high = values->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (values->values[middle].value == value)
            return values->values[middle].name;
        if (values->values[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct amd_descriptor *amd_descriptor_find(const char *name)
{
    for (unsigned i = 0; i < amd_descriptor_count; i++) {
        if (strcmp(amd_descriptors[i].name, name) == 0)
            return &amd_descriptors[i];
    }
    return NULL;
}

const struct amd_image_format *amd_image_format_find(enum amd_gfx gfx, unsigned number)
{
    if ((unsigned)gfx >= AMD_GFX_COUNT || number >= AMD_IMAGE_FORMAT_LIMIT || !amd_image_format_index[gfx][number])
        return NULL;
    return &amd_image_formats[amd_image_format_index[gfx][number] - 1];
}

const struct amd_image_format *amd_image_format_find_name(const char *name)
{
    for (unsigned i = 0; i < amd_image_format_count; i++) {
        if (strcmp(amd_image_formats[i].name, name) == 0)
            return &amd_image_formats[i];
    }
    return NULL;
}
