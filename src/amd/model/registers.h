/* The memory of a ring of the command processor from packet to packet: register files and counters. Read by the
 * blocks after it (compute launch, graphics pipeline); written by packets alone (cp_*.c). */
#ifndef AMD_MODEL_REGISTERS_H
#define AMD_MODEL_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum cp_file_limits {
    CP_CONFIG_BEGIN_B = 0x8000,
    CP_CONFIG_END_B = 0xb000,
    CP_SH_BEGIN_B = 0xb000,
    CP_SH_GRAPHICS_END_B = 0xb600, /* after it are those of compute */
    CP_SH_END_B = 0xc000,
    CP_CONTEXT_BEGIN_B = 0x28000,
    CP_CONTEXT_END_B = 0x30000,
    CP_UCONFIG_BEGIN_B = 0x30000,
    CP_UCONFIG_END_B = 0x40000,
};

/* The low file is config and shader registers, the high one context and user config: each pair is contiguous. */
#define CP_LOW_DW ((CP_SH_END_B - CP_CONFIG_BEGIN_B) / 4)
#define CP_HIGH_DW ((CP_UCONFIG_END_B - CP_CONTEXT_BEGIN_B) / 4)
#define CP_REG_COUNT (CP_LOW_DW + CP_HIGH_DW)

struct cp_registers {
    uint32_t values[CP_REG_COUNT];
    uint32_t written[(CP_REG_COUNT + 31) / 32]; /* since the ring last changed its context, by CLEAR_STATE as well */
    uint64_t generation; /* changes when anything but user data may have changed; only grows */

    /* Strict mode, while a draw or a dispatch reads its state: where to put the index of a register that was read and
     * that nothing has written. NULL: not wanted. */
    uint32_t *unwritten;
};

/* The place of a register in the files; CP_REG_COUNT when no file has that offset. Folds to a constant for a constant
 * offset. */
static inline uint32_t cp_reg_index(uint32_t offset_B)
{
    if (offset_B >= CP_CONFIG_BEGIN_B && offset_B < CP_SH_END_B)
        return (offset_B - CP_CONFIG_BEGIN_B) / 4;
    if (offset_B >= CP_CONTEXT_BEGIN_B && offset_B < CP_UCONFIG_END_B)
        return CP_LOW_DW + (offset_B - CP_CONTEXT_BEGIN_B) / 4;
    return CP_REG_COUNT;
}

static inline bool cp_reg_is_written(const struct cp_registers *registers, uint32_t offset_B)
{
    uint32_t index = cp_reg_index(offset_B);
    return registers->written[index / 32] >> index % 32 & 1;
}

/* The value last written, 0 if none was. The offset must be one of a file. */
static inline uint32_t cp_reg(const struct cp_registers *registers, uint32_t offset_B)
{
    uint32_t index = cp_reg_index(offset_B);
    if (__builtin_expect(registers->unwritten != NULL, 0) && !cp_reg_is_written(registers, offset_B))
        *registers->unwritten = index;
    return registers->values[index];
}

/* A register that need not have been written. */
static inline uint32_t cp_reg_if_written(const struct cp_registers *registers, uint32_t offset_B)
{
    return registers->values[cp_reg_index(offset_B)];
}

/* The offset of a register by its place. */
static inline uint32_t cp_reg_offset_B(uint32_t index)
{
    return index < CP_LOW_DW ? CP_CONFIG_BEGIN_B + index * 4 : CP_CONTEXT_BEGIN_B + (index - CP_LOW_DW) * 4;
}

/* User data of a graphics stage: the words that differ from draw to draw where nothing else does. Each stage has 256
 * bytes of registers, and its user data at the same place of them. */
static inline bool cp_reg_is_user_data(uint32_t offset_B)
{
    return offset_B >= CP_SH_BEGIN_B && offset_B < CP_SH_GRAPHICS_END_B && (offset_B & 0xff) >= 0x30 &&
           (offset_B & 0xff) < 0xb0;
}

static inline void cp_reg_set(struct cp_registers *registers, uint32_t offset_B, uint32_t value)
{
    uint32_t index = cp_reg_index(offset_B), bit = 1u << index % 32;
    bool same = registers->values[index] == value && (registers->written[index / 32] & bit);
    registers->generation += !same && !cp_reg_is_user_data(offset_B);
    registers->values[index] = value;
    registers->written[index / 32] |= bit;
}

/* Nothing has written any of them; their values are zero, too, after a reset. */
static inline void cp_reg_forget(struct cp_registers *registers, bool values)
{
    if (values)
        memset(registers->values, 0, sizeof(registers->values));
    memset(registers->written, 0, sizeof(registers->written));
    registers->generation++;
}

/* In the order in which SAMPLE_PIPELINESTAT writes them. */
enum cp_pipeline_stat {
    CP_STAT_PS_INVOCATIONS,
    CP_STAT_C_PRIMITIVES, /* that left the clipper */
    CP_STAT_C_INVOCATIONS,
    CP_STAT_VS_INVOCATIONS,
    CP_STAT_GS_INVOCATIONS,
    CP_STAT_GS_PRIMITIVES,
    CP_STAT_IA_PRIMITIVES,
    CP_STAT_IA_VERTICES,
    CP_STAT_HS_INVOCATIONS,
    CP_STAT_DS_INVOCATIONS,
    CP_STAT_CS_INVOCATIONS,
    CP_STAT_COUNT,
};

#define CP_MAX_BACKENDS 32
#define CP_STREAMOUT_BUFFERS 4
#define CP_STREAMS 4

struct cp_counters {
    uint64_t zpass[CP_MAX_BACKENDS]; /* samples that passed, per render backend; only enabled ones may count */
    uint64_t stats[CP_STAT_COUNT];
    uint32_t filled_dw[CP_STREAMOUT_BUFFERS];                /* how far stream out has come in each of its buffers */
    uint64_t streamed[CP_STREAMS], stream_needs[CP_STREAMS]; /* primitives that were written, that came */
    bool stats_on; /* between PIPELINESTAT_START and _STOP: only then stats[] may grow */
};

#endif
