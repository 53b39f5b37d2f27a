/* The kernel that a launch of rays starts: see function.h. */
#include "amd/compiler/function.h"
#include "compiler/ir/ir_builder.h"

static struct ir_value *load_words(struct ir_builder *b, uint8_t bits, uint8_t comps, struct ir_value *address)
{
    return ir_load_global(b, bits, comps, address, 0, 4, 0, IR_ACCESS_READONLY);
}

static void build_entry(struct ir_shader *shader, const uint32_t workgroup_size[3])
{
    struct ir_builder b = ir_builder_at_body_end(shader);
    struct ir_value *group = ir_load_sysval(&b, 32, 3, IR_SYSVAL_workgroup_id),
                    *local = ir_load_sysval(&b, 32, 3, IR_SYSVAL_local_id),
                    *size = load_words(&b, 32, 3, ir_trace_size(&b)), *id[3], *inside = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        shader->workgroup_size[i] = workgroup_size[i];
        id[i] = ir_iadd(&b, ir_imul(&b, ir_extract(&b, group, i), ir_const(&b, 32, workgroup_size[i])),
                        ir_extract(&b, local, i));
        struct ir_value *here = ir_ult(&b, id[i], ir_extract(&b, size, i));
        inside = inside ? ir_iand(&b, inside, here) : here;
    }
    ir_builder_push_if(&b, inside);
    ir_store_scratch(&b, ir_vec(&b, 3, id), ir_const(&b, 32, 0), AMD_STACK_LAUNCH_ID_B, 4, 0);
    struct ir_value *record = load_words(&b, 64, 1, ir_trace_tables(&b));
    ir_store_outgoing(&b, ir_vec(&b, 2, (struct ir_value *[]){ir_lo32(&b, record), ir_hi32(&b, record)}), 0);
    ir_stack_call(&b, load_words(&b, 64, 1, record));
    ir_builder_pop_if(&b);
    shader->scratch_size_B = 16;
}

struct ir_shader *amd_build_ray_entry(const uint32_t workgroup_size[3])
{
    struct ir_shader *shader = ir_shader_create(IR_STAGE_compute);
    struct ir_failure failure;
    if (!shader)
        return NULL;
    if (ir_guard(shader, &failure)) {
        ir_shader_destroy(shader);
        return NULL;
    }
    shader->name = "ray entry";
    build_entry(shader, workgroup_size);
    shader->failure = NULL;
    return shader;
}
