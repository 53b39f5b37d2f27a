/* SPIR-V to IR: one entry point of a module becomes one shader, with its specialization constants set and its calls
 * expanded.
 *
 * The module is not trusted: whatever the words are, the answer is a shader that keeps the IR's rules or an error that
 * says where. Meaning is only promised for modules that spirv-val accepts. Not for optimising: that is the passes'
 * work. */
#ifndef COMPILER_SPIRV_SPIRV_H
#define COMPILER_SPIRV_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/ir/ir.h"

/* VkSpecializationMapEntry, without the need to include Vulkan. */
struct spirv_spec_entry {
    uint32_t constant_id;
    uint32_t offset_B;
    uint32_t size_B;
};

struct spirv_options {
    enum ir_stage stage;
    const char *entry; /* NULL: "main" */
    const struct spirv_spec_entry *spec_entries;
    uint32_t num_spec_entries;
    const void *spec_data;
    size_t spec_data_size_B;
    /* SpvCapability numbers that are refused although the front end knows them: what the driver does not advertise. */
    const uint32_t *refused_capabilities;
    uint32_t num_refused_capabilities;
    uint32_t max_shared_B;       /* 0: 64 KiB */
    uint32_t buffer_alignment_B; /* what every bound buffer's address is a multiple of; 0: 4 */
    uint32_t max_subgroup_size;  /* lanes, up to 128; 0: 64 */
};

struct spirv_error {
    char text[256];
    uint32_t word; /* offset of the instruction at fault in the module, in words */
    bool out_of_memory;
};

/* NULL with the reason in `error_out` (which may be NULL). */
struct ir_shader *spirv_to_ir(const uint32_t *words, size_t count, const struct spirv_options *options,
                              struct spirv_error *error_out);

#endif
