/* Mesh and task shaders: how much a workgroup has, and what it leaves to the next stage. Their outputs are in sp_io.c,
 * as those of all stages are. */
#include "compiler/spirv/sp.h"

bool sp_mesh_mode(struct sp *s, uint32_t mode, uint32_t number)
{
    struct ir_shader *shader = s->shader;
    switch (mode) {
    case SpvExecutionModeOutputPrimitivesEXT:
        shader->gs.primitives_out = number;
        return true;
    case SpvExecutionModeOutputLinesEXT:
        shader->gs.output = IR_PRIMITIVE_lines;
        return true;
    case SpvExecutionModeOutputTrianglesEXT:
        shader->gs.output = IR_PRIMITIVE_triangles;
        return true;
    default:
        return false;
    }
}

static struct ir_value *count_operand(struct sp *s, const struct sp_instr *in, uint32_t i)
{
    const uint32_t id = sp_op(s, in, i);
    const struct sp_type *type = sp_type_of(s, id);
    if (type->kind != SP_INT || type->bits != 32)
        sp_fail(s, "%s: a count that is no number of 32 bits", in->info->name);
    return sp_read(s, id)[0];
}

void sp_do_set_mesh_outputs(struct sp *s, const struct sp_instr *in)
{
    if (s->shader->stage != IR_STAGE_mesh)
        sp_fail(s, "%s outside mesh shaders", in->info->name);
    struct ir_value *vertices = count_operand(s, in, 0), *primitives = count_operand(s, in, 1);
    ir_set_mesh_outputs(&s->b, vertices, primitives);
}

void sp_emit_mesh_tasks(struct sp *s, const struct sp_instr *in)
{
    if (s->shader->stage != IR_STAGE_task)
        sp_fail(s, "%s outside task shaders", in->info->name);
    struct ir_value *groups[3];
    for (uint32_t i = 0; i < 3; i++)
        groups[i] = count_operand(s, in, i);
    if (in->count > 3) {
        struct sp_ptr *payload = sp_pointer(s, in->ops[3]);
        if (payload->storage != SpvStorageClassTaskPayloadWorkgroupEXT)
            sp_fail(s, "%s: a payload of another storage class", in->info->name);
    }
    ir_emit_mesh_tasks(&s->b, groups[0], groups[1], groups[2]);
}

struct ir_value *sp_load_payload(struct sp *s, uint8_t bits, uint8_t comps, struct ir_value *offset, uint32_t base_B,
                                 uint32_t align_B, uint32_t align_offset_B)
{
    if (s->shader->stage == IR_STAGE_task)
        return ir_load_shared(&s->b, bits, comps, offset, base_B, align_B, align_offset_B);
    return ir_load_payload(&s->b, bits, comps, offset, base_B, align_B, align_offset_B);
}
