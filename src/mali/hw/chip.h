/* Chips: what panthor's queries and the silicon say of one GPU. The rows stand in chips.table; nothing here depends on
 * the kernel's headers, and nothing says how a driver or a model should use a fact. */
#ifndef MALI_HW_CHIP_H
#define MALI_HW_CHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mali_chip {
    const char *name; /* "mali-g610" */
    const char *marketing;
    const char *device_tree; /* the first compatible string of its node, and a general one */
    const char *compatible;

    /* the registers that the GPU query reports: gpu_id is architecture, product and revision */
    uint32_t gpu_id;
    uint32_t gpu_rev;
    uint32_t csf_id;
    uint32_t l2_features;
    uint32_t tiler_features;  /* 4:0 log2 of a bin's bytes, 11:8 levels of the hierarchy */
    uint32_t mem_features;    /* 11:8 slices of the L2 cache, less one */
    uint32_t mmu_features;    /* 7:0 bits of an address */
    uint32_t thread_features; /* 21:0 registers of a core, 31:24 tasks */
    uint32_t max_threads;     /* of a core */
    uint32_t thread_max_workgroup_size;
    uint32_t thread_max_barrier_size;
    uint32_t coherency_features;
    uint32_t texture_features_0; /* bits of compressed formats */
    uint32_t texture_features_1;
    uint32_t texture_features_2;
    uint32_t texture_features_3;
    uint32_t as_present; /* address spaces that can be live at once */
    uint64_t shader_present;
    uint64_t l2_present;
    uint64_t tiler_present;
    uint32_t core_features;

    /* the command-stream interface */
    uint32_t csg_slot_count; /* groups */
    uint32_t cs_slot_count;  /* queues of a group */
    uint32_t cs_reg_count;
    uint32_t scoreboard_slot_count;
    uint32_t unpreserved_cs_reg_count; /* the last ones, which the kernel uses around a stream */

    uint64_t timestamp_frequency_Hz;
    uint32_t max_freq_Hz;
    uint32_t tile_buffer_B; /* of a core; a tile takes half of it, so that the next one can begin */
};

extern const struct mali_chip mali_chips[];
extern const unsigned mali_chip_count;

/* By name; NULL when there is none. */
const struct mali_chip *mali_chip_find(const char *name);
/* By what the GPU query reports, whatever the revision; NULL when it is not known. */
const struct mali_chip *mali_chip_find_id(uint32_t gpu_id);

static inline unsigned mali_chip_core_count(const struct mali_chip *chip)
{
    return (unsigned)__builtin_popcountll(chip->shader_present);
}

/* The highest number of a core, plus one: there are holes. Local storage is addressed by it. */
static inline unsigned mali_chip_core_id_range(const struct mali_chip *chip)
{
    return 64u - (unsigned)__builtin_clzll(chip->shader_present);
}

#endif
