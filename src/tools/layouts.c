/* Layouts of descriptor sets as `tuff compile` makes them up from a shader. */
#include "compiler/ir/bindings.h"
#include "compiler/ir/ir.h"
#include "tools/compile.h"
#include "util/arena.h"
#include "util/bits.h"

#define MAX_BINDING 65536

static uint32_t count_bindings(const struct ir_shader *shader, uint32_t set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shader->num_resources; i++) {
        if (shader->resources[i].set == set)
            count = MAX2(count, shader->resources[i].binding + 1);
    }
    return count <= MAX_BINDING ? count : 0;
}

bool tool_make_layouts(struct arena *arena, const struct ir_shader *shader, struct ir_set_layout *sets_out,
                       uint32_t num_sets)
{
    for (uint32_t set = 0; set < num_sets; set++) {
        const uint32_t count = count_bindings(shader, set);
        struct ir_binding_layout *bindings = arena_zalloc_array(arena, count + 1, sizeof(*bindings));
        uint32_t next = 0;
        if (!bindings)
            return false;
        for (uint32_t i = 0; i < shader->num_resources && count; i++) {
            const struct ir_resource *resource = &shader->resources[i];
            if (resource->set != set)
                continue;
            const bool is_combined = resource->kind == IR_RESOURCE_combined;
            bindings[resource->binding] =
                (struct ir_binding_layout){.index = next, .stride = 1u + is_combined, .sampler = is_combined};
            next += MAX2(resource->count, 1u) * (1u + is_combined);
        }
        sets_out[set] = (struct ir_set_layout){bindings, count};
    }
    return true;
}
