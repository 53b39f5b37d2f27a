/* The stages of ray tracing pipelines (SPV_KHR_ray_tracing). What a shader hands to another, payloads, attributes and
 * callable data, is private memory in our own layout, which the other one reads and writes through its address; records
 * of the binding table are memory. */
#include "compiler/spirv/sp.h"

#include "compiler/ir/opt.h"

/* --- variables --- */

/* Where the variables of a storage class are: with this shader, or with its caller. */
struct data_class {
    uint32_t storage;
    bool is_incoming;
    enum ir_ray_data data;
};

static const struct data_class classes[] = {
    {SpvStorageClassRayPayloadKHR, false, IR_RAY_DATA_payload},
    {SpvStorageClassIncomingRayPayloadKHR, true, IR_RAY_DATA_payload},
    {SpvStorageClassCallableDataKHR, false, IR_RAY_DATA_callable},
    {SpvStorageClassIncomingCallableDataKHR, true, IR_RAY_DATA_callable},
    {SpvStorageClassHitAttributeKHR, true, IR_RAY_DATA_attributes}, /* but for intersection shaders, which make them */
};

static const struct data_class *class_of(uint32_t storage)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(classes); i++)
        if (classes[i].storage == storage)
            return &classes[i];
    return NULL;
}

bool sp_is_ray_storage(uint32_t storage)
{
    return class_of(storage) || storage == SpvStorageClassShaderRecordBufferKHR;
}

static bool is_incoming(const struct sp *s, uint32_t storage)
{
    const struct data_class *row = class_of(storage);
    return row && row->is_incoming &&
           !(s->shader->stage == IR_STAGE_intersection && row->data == IR_RAY_DATA_attributes);
}

void sp_setup_ray_variable(struct sp *s, struct sp_variable *variable)
{
    if (variable->storage == SpvStorageClassHitAttributeKHR && s->shader->stage == IR_STAGE_intersection)
        s->attributes = variable;
}

/* Private memory of this shader. */
void sp_place_ray_variable(struct sp *s, struct sp_variable *variable)
{
    struct ir_shader *shader = s->shader;
    if (!ir_is_function(shader))
        sp_fail(s, "storage class %s outside ray tracing", sp_name_of_StorageClass(variable->storage));
    if (!class_of(variable->storage) || is_incoming(s, variable->storage))
        return;
    const uint64_t at_B = align_u64(shader->scratch_size_B, 16), end_B = at_B + variable->type->natural_size_B;
    if (end_B > IR_MAX_SCRATCH_B)
        sp_fail(s, "%llu bytes of data for other shaders", (unsigned long long)end_B);
    variable->shared_B = (uint32_t)at_B;
    shader->scratch_size_B = (uint32_t)end_B;
}

/* --- loads and stores --- */

/* The offset of an access of so many bytes, cut where it leads out of the variable: behind it lies the stack of
 * calls. NULL: nothing is to be computed. */
static struct ir_value *bounded_offset(struct sp *s, const struct sp_ptr *ptr, uint32_t size_B)
{
    const uint64_t end_B = (uint64_t)ptr->variable->shared_B + ptr->variable->type->natural_size_B,
                   used_B = (uint64_t)ptr->base_B + size_B;
    if (used_B > end_B)
        sp_fail(s, "byte %u of data of %u", ptr->base_B, ptr->variable->type->natural_size_B);
    const uint32_t last = (uint32_t)(end_B - used_B);
    if (!ptr->offset)
        return NULL;
    return ir_bounded_index(&s->b, ptr->offset, last & ~(MIN2(ptr->align_B, 16u) - 1));
}

/* Of the caller's data, without the constant part. */
static struct ir_value *incoming_address(struct sp *s, const struct sp_ptr *ptr, uint32_t size_B)
{
    return sp_add(s, ir_incoming_data(&s->b, class_of(ptr->storage)->data), bounded_offset(s, ptr, size_B));
}

static struct ir_value *own_offset(struct sp *s, const struct sp_ptr *ptr, uint32_t size_B)
{
    struct ir_value *offset = bounded_offset(s, ptr, size_B);
    return offset ? offset : sp_imm(s, 32, 0);
}

static struct ir_value *record_address(struct sp *s, const struct sp_ptr *ptr)
{
    struct ir_value *record = ir_shader_record(&s->b);
    return ptr->offset ? ir_iadd(&s->b, record, ir_u2u(&s->b, 64, ptr->offset)) : record;
}

struct ir_value *sp_load_ray(struct sp *s, const struct sp_ptr *ptr, uint8_t bits, uint8_t comps, uint32_t align_B,
                             uint32_t align_offset_B)
{
    struct ir_builder *b = &s->b;
    const uint32_t size_B = bits / 8u * comps;
    if (ptr->storage == SpvStorageClassShaderRecordBufferKHR)
        return ir_load_global(b, bits, comps, record_address(s, ptr), ptr->base_B, align_B, align_offset_B,
                              ptr->access | IR_ACCESS_READONLY);
    if (is_incoming(s, ptr->storage))
        return ir_load_stack(b, bits, comps, incoming_address(s, ptr, size_B), ptr->base_B, align_B, align_offset_B);
    return ir_load_scratch(b, bits, comps, own_offset(s, ptr, size_B), ptr->base_B, align_B, align_offset_B);
}

void sp_store_ray(struct sp *s, const struct sp_ptr *ptr, struct ir_value *value, uint32_t align_B,
                  uint32_t align_offset_B)
{
    struct ir_builder *b = &s->b;
    const uint32_t size_B = value->bits / 8u * value->comps;
    if (ptr->storage == SpvStorageClassShaderRecordBufferKHR)
        sp_fail(s, "a store to a shader's record");
    if (is_incoming(s, ptr->storage))
        ir_store_stack(b, value, incoming_address(s, ptr, size_B), ptr->base_B, align_B, align_offset_B);
    else
        ir_store_scratch(b, value, own_offset(s, ptr, size_B), ptr->base_B, align_B, align_offset_B);
}

/* --- calls --- */

/* The address of what a call hands over. */
static struct ir_value *data_address(struct sp *s, const struct sp_instr *in, uint32_t i, enum ir_ray_data data)
{
    const uint32_t id = sp_op(s, in, i);
    const struct sp_ptr *ptr = sp_pointer(s, id);
    const struct data_class *row = class_of(ptr->storage);
    if (ptr->mode != SP_PTR_MEMORY || !row || row->data != data)
        sp_fail(s, "%s: id %u is no data for such a shader", in->info->name, id);
    const uint32_t size_B = ptr->type->natural_size_B;
    if (is_incoming(s, ptr->storage))
        return sp_add(s, incoming_address(s, ptr, size_B), ptr->base_B ? sp_imm(s, 32, ptr->base_B) : NULL);
    return sp_add(s, ir_frame_address(&s->b, ptr->base_B), bounded_offset(s, ptr, size_B));
}

static void need_stage(struct sp *s, const struct sp_instr *in, uint32_t stages)
{
    if (!(stages >> s->shader->stage & 1))
        sp_fail(s, "%s in a stage that has no such instruction", in->info->name);
}

#define STAGE(n) (1u << IR_STAGE_##n)

void sp_do_trace_ray(struct sp *s, const struct sp_instr *in)
{
    struct ir_builder *b = &s->b;
    const uint32_t structure_id = sp_op(s, in, 0);
    need_stage(s, in, STAGE(raygen) | STAGE(closest_hit) | STAGE(miss));
    if (sp_type_of(s, structure_id)->kind != SP_ACCELERATION_STRUCTURE)
        sp_fail(s, "%s: id %u is no acceleration structure", in->info->name, structure_id);
    struct ir_value *structure = sp_read(s, structure_id)[0], *rules[5];
    for (uint32_t i = 0; i < ARRAY_SIZE(rules); i++)
        rules[i] = sp_read_as(s, in, 1 + i, SP_INT, 1)[0];
    struct ir_value **origin = sp_read_as(s, in, 6, SP_FLOAT, 3), **least = sp_read_as(s, in, 7, SP_FLOAT, 1);
    struct ir_value **direction = sp_read_as(s, in, 8, SP_FLOAT, 3), **most = sp_read_as(s, in, 9, SP_FLOAT, 1);
    struct ir_value *from[4] = {origin[0], origin[1], origin[2], least[0]};
    struct ir_value *to[4] = {direction[0], direction[1], direction[2], most[0]};
    struct ir_value *payload = data_address(s, in, 10, IR_RAY_DATA_payload);
    ir_trace_ray(b, structure, ir_vec(b, 5, rules), ir_vec(b, 4, from), ir_vec(b, 4, to), payload);
}

void sp_do_execute_callable(struct sp *s, const struct sp_instr *in)
{
    need_stage(s, in, STAGE(raygen) | STAGE(closest_hit) | STAGE(miss) | STAGE(callable));
    struct ir_value *index = sp_read_as(s, in, 0, SP_INT, 1)[0];
    ir_execute_callable(&s->b, index, data_address(s, in, 1, IR_RAY_DATA_callable));
}

void sp_do_report_intersection(struct sp *s, const struct sp_instr *in)
{
    struct ir_builder *b = &s->b;
    need_stage(s, in, STAGE(intersection));
    if (sp_type(s, in->type)->kind != SP_BOOL)
        sp_fail(s, "%s: the result is no boolean", in->info->name);
    struct ir_value *t = sp_read_as(s, in, 0, SP_FLOAT, 1)[0], *kind = sp_read_as(s, in, 1, SP_INT, 1)[0];
    struct ir_value *attributes = sp_imm(s, 32, 0);
    uint32_t size_B = 0;
    if (s->attributes) {
        sp_use_variable(s, s->attributes);
        attributes = ir_frame_address(b, s->attributes->shared_B);
        size_B = s->attributes->type->natural_size_B;
    }
    if (size_B > IR_MAX_ATTRIBUTES_B)
        sp_fail(s, "%u bytes of hit attributes", size_B);
    struct ir_value *answer = ir_report_hit(b, t, kind, attributes, size_B);
    sp_set_scalar(s, in, ir_ine(b, answer, sp_imm(s, 32, 0)));
    sp_end_where(s, ir_ieq(b, answer, sp_imm(s, 32, 2)));
}

/* OpIgnoreIntersectionKHR and OpTerminateRayKHR, which end the shader. */
void sp_judge_hit(struct sp *s, const struct sp_instr *in)
{
    need_stage(s, in, STAGE(any_hit));
    ir_judge_hit(&s->b, in->opcode == SpvOpTerminateRayKHR ? IR_RAY_VERDICT_terminate : IR_RAY_VERDICT_ignore);
}

/* --- built-ins --- */

#define HITS (STAGE(intersection) | STAGE(any_hit) | STAGE(closest_hit))

static const struct hit_builtin {
    uint32_t builtin, stages;
    enum ir_ray_value value;
} builtins[] = {
    {SpvBuiltInWorldRayOriginKHR, HITS | STAGE(miss), IR_RAY_world_origin},
    {SpvBuiltInWorldRayDirectionKHR, HITS | STAGE(miss), IR_RAY_world_direction},
    {SpvBuiltInObjectRayOriginKHR, HITS, IR_RAY_object_origin},
    {SpvBuiltInObjectRayDirectionKHR, HITS, IR_RAY_object_direction},
    {SpvBuiltInRayTminKHR, HITS | STAGE(miss), IR_RAY_t_min},
    {SpvBuiltInRayTmaxKHR, HITS | STAGE(miss), IR_RAY_t},
    {SpvBuiltInHitTNV, HITS, IR_RAY_t},
    {SpvBuiltInInstanceCustomIndexKHR, HITS, IR_RAY_custom_index},
    {SpvBuiltInInstanceId, HITS, IR_RAY_instance_id},
    {SpvBuiltInPrimitiveId, HITS, IR_RAY_primitive_index},
    {SpvBuiltInRayGeometryIndexKHR, HITS, IR_RAY_geometry_index},
    {SpvBuiltInHitKindKHR, STAGE(any_hit) | STAGE(closest_hit), IR_RAY_hit_kind},
    {SpvBuiltInObjectToWorldKHR, HITS, IR_RAY_object_to_world},
    {SpvBuiltInWorldToObjectKHR, HITS, IR_RAY_world_to_object},
    {SpvBuiltInIncomingRayFlagsKHR, HITS | STAGE(miss), IR_RAY_flags},
    {6021 /* CullMaskKHR */, HITS | STAGE(miss), IR_RAY_cull_mask},
    {5335 /* HitTriangleVertexPositionsKHR */, STAGE(any_hit) | STAGE(closest_hit), IR_RAY_vertices},
};

static const struct hit_builtin *find_builtin(const struct sp *s, uint32_t builtin)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(builtins); i++)
        if (builtins[i].builtin == builtin && builtins[i].stages >> s->shader->stage & 1)
            return &builtins[i];
    return NULL;
}

bool sp_is_hit_builtin(const struct sp *s, uint32_t builtin)
{
    return find_builtin(s, builtin) != NULL;
}

uint32_t sp_load_hit_builtin(struct sp *s, uint32_t builtin, struct ir_value *out[12])
{
    const enum ir_ray_value what = find_builtin(s, builtin)->value;
    const uint8_t comps = ir_ray_value_comps(what);
    struct ir_value *value = ir_hit_value(&s->b, comps, what);
    for (uint32_t i = 0; i < comps; i++)
        out[i] = ir_extract(&s->b, value, i);
    return comps;
}
