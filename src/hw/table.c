/* Finding rows of the hardware tables. The rows are generated; this file holds no facts. */
#include "hw/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/pack.h"
#include "util/bits.h"

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

const struct hw_reg *hw_reg_find_name(const struct hw_tables *tables, const char *name, unsigned *index_out)
{
    for (unsigned i = 0; i < tables->reg_count; i++) {
        unsigned index;
        if (matches_pattern(hw_name(&tables->regs[i]), name, tables->regs[i].count, &index)) {
            if (index_out)
                *index_out = index;
            return &tables->regs[i];
        }
    }
    return NULL;
}

int hw_reg_name(const struct hw_reg *reg, unsigned index, char *text, size_t size_B)
{
    const char *name = hw_name(reg), *hash = strchr(name, '#');
    if (!hash)
        return snprintf(text, size_B, "%s", name);
    return snprintf(text, size_B, "%.*s%u%s", (int)(hash - name), name, index, hash + 1);
}

const char *hw_reg_stop_reason(const struct hw_reg *reg, unsigned generation, uint32_t value,
                               const struct hw_field **field_out)
{
    if (field_out)
        *field_out = NULL;
    if (reg->policy != HW_POLICY_STOP) {
        for (unsigned i = 0; i < reg->field_count; i++) {
            const struct hw_field *field = &hw_fields(reg)[i];
            struct hw_bits bits = field->bits[generation];
            if (field->policy != HW_POLICY_STOP || bits.width == 0)
                continue;
            if (bits_get(value, bits.low, bits.width) != field->only) {
                if (field_out)
                    *field_out = field;
                return hw_reason(field);
            }
        }
    }
    return hw_reason(reg);
}

void hw_clear_state(const struct hw_tables *tables, unsigned generation,
                    void (*set)(void *data, uint32_t offset, uint32_t value), void *data)
{
    for (unsigned i = 0; i < tables->reg_count; i++) {
        const struct hw_reg *reg = &tables->regs[i];
        for (unsigned index = 0; reg->in_clear_state && reg->offset[generation] && index < reg->count; index++)
            set(data, reg->offset[generation] + index * reg->stride, reg->clear_value);
    }
}

const struct hw_packet *hw_packet_find(const struct hw_packets *packets, unsigned generation, unsigned opcode,
                                       unsigned length_dw)
{
    unsigned first = 0;
    if (generation >= HW_MAX_GENERATIONS)
        return NULL;
    if (packets->index) {
        if (opcode > 255 || packets->index[generation][opcode] == 0)
            return NULL;
        first = packets->index[generation][opcode] - 1u;
    }
    const struct hw_packet *found = NULL;
    for (unsigned i = first; i < packets->count; i++) {
        if (packets->rows[i].opcode[generation] != (int)opcode)
            continue;
        if (!found)
            found = &packets->rows[i];
        if (!packets->index || packets->rows[i].length_dw[generation] == length_dw)
            return &packets->rows[i];
    }
    return found;
}

bool hw_field_applies(const struct hw_field *fields, const struct hw_field *field, unsigned generation,
                      const uint32_t *dw, unsigned count_dw)
{
    struct hw_bits bits = field->bits[generation];
    if (bits.width == 0 || bits.low + bits.width > 32u * count_dw)
        return false;
    if (field->when_field < 0)
        return true;
    struct hw_bits condition = fields[field->when_field].bits[generation];
    if (condition.width == 0 || condition.low + condition.width > 32u * count_dw)
        return false;
    uint64_t value = hw_get_uint(dw, condition.low, condition.width);
    return value < 64 && (field->when_mask >> value & 1);
}

const struct hw_field *hw_packet_stop_field(const struct hw_packet *packet, unsigned generation, const uint32_t *dw,
                                            unsigned count_dw)
{
    for (unsigned i = 0; i < packet->field_count; i++) {
        const struct hw_field *field = &hw_fields(packet)[i];
        if (field->policy == HW_POLICY_STOP && hw_field_applies(hw_fields(packet), field, generation, dw, count_dw) &&
            hw_get_uint(dw, field->bits[generation].low, field->bits[generation].width) != field->only)
            return field;
    }
    return NULL;
}

uint32_t hw_packet_length_dw(const struct hw_packet *packet, unsigned generation, const uint32_t *dw)
{
    uint32_t length_dw = packet->min_dw[generation], count = 0;
    for (unsigned i = 0; i < packet->field_count; i++) {
        const struct hw_field *field = &hw_fields(packet)[i];
        struct hw_bits bits = field->bits[generation];
        if (!hw_field_applies(hw_fields(packet), field, generation, dw, packet->length_dw[generation]))
            continue;
        if (field->when_field < 0 && strcmp(hw_name(field), "COUNT") == 0)
            count = (uint32_t)hw_get_uint(dw, bits.low, bits.width);
        length_dw = MAX2(length_dw, (bits.low + bits.width + 31u) / 32);
    }
    if (packet->tail == HW_TAIL_COUNTED)
        length_dw += count;
    else if (packet->tail == HW_TAIL_COUNTED_1)
        length_dw += count + 1;
    return length_dw;
}

const char *hw_enum_name(const struct hw_enum *values, uint64_t value)
{
    const struct hw_enum_value *rows = hw_follow(&values->values);
    unsigned low = 0, high = values->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (rows[middle].value == value)
            return hw_name(&rows[middle]);
        if (rows[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct hw_descriptor *hw_descriptor_find(const struct hw_tables *tables, const char *name)
{
    for (unsigned i = 0; i < tables->descriptor_count; i++) {
        if (strcmp(hw_name(&tables->descriptors[i]), name) == 0)
            return &tables->descriptors[i];
    }
    return NULL;
}
