/* OpVariable: variables of functions and invocations are taken apart into arrays of scalars, workgroup memory is laid
 * out, resources are listed. Inputs and outputs are in sp_io.c. */
#include "compiler/spirv/sp.h"

#include <string.h>

static void init_node(struct sp *s, struct sp_node *node, struct sp_type *type, uint64_t count, const char *name)
{
    sp_spend(s, 1);
    node->type = type;
    while (type->kind == SP_ARRAY && type->has_struct) {
        count *= type->count;
        type = type->element;
        if (count > SP_MAX_SCALARS)
            sp_fail(s, "a variable of more than %u scalars", SP_MAX_SCALARS);
    }
    if (type->kind == SP_STRUCT) {
        node->members = sp_new_array(s, struct sp_node, type->count);
        for (uint32_t i = 0; i < type->count; i++)
            init_node(s, &node->members[i], type->members[i].type, count, name);
        return;
    }
    uint64_t length = count * type->scalars;
    if (length == 0 || length > SP_MAX_SCALARS)
        sp_fail(s, "a variable of %llu scalars", (unsigned long long)length);
    uint8_t bits = sp_bits_of_scalar(s, type, 0);
    node->var = ir_var_create(s->shader, bits, (uint32_t)length, name);
}

struct sp_node *sp_make_node(struct sp *s, struct sp_type *type, uint32_t count, const char *name)
{
    struct sp_node *node = sp_new(s, struct sp_node);
    init_node(s, node, type, count, name);
    return node;
}

static void place_in_shared(struct sp *s, struct sp_variable *variable)
{
    const struct sp_type *type = variable->type;
    uint32_t limit_B = s->options->max_shared_B ? s->options->max_shared_B : 65536;
    uint64_t end_B;
    if (s->explicit_shared && type->block) {
        end_B = sp_explicit_size(type); /* such blocks lie on top of each other */
    } else {
        uint64_t at_B = align_u64(s->shared_used_B, MAX2(type->natural_align_B, 16u));
        end_B = at_B + type->natural_size_B;
        variable->shared_B = at_B > UINT32_MAX ? UINT32_MAX : (uint32_t)at_B;
        if (end_B <= limit_B)
            s->shared_used_B = (uint32_t)end_B;
    }
    if (end_B > limit_B)
        sp_fail(s, "%llu bytes of workgroup memory, %u are there", (unsigned long long)end_B, limit_B);
    s->shader->shared_size_B = MAX2(s->shader->shared_size_B, (uint32_t)end_B);
}

/* Payloads from task shaders to mesh shaders lie in the workgroup's memory while task shaders run; mesh shaders read
 * them alone. */
static void place_payload(struct sp *s, struct sp_variable *variable)
{
    const uint32_t size_B = variable->type->natural_size_B;
    if (s->shader->payload_size_B)
        sp_fail(s, "two payloads");
    if (s->shader->stage == IR_STAGE_task)
        place_in_shared(s, variable);
    s->shader->payload_B = variable->shared_B;
    s->shader->payload_size_B = size_B;
}

/* Memory that the code reaches through this variable. */
void sp_use_variable(struct sp *s, struct sp_variable *variable)
{
    if (variable->used)
        return;
    variable->used = true;
    if (variable->storage == SpvStorageClassWorkgroup)
        place_in_shared(s, variable);
    else if (variable->storage == SpvStorageClassTaskPayloadWorkgroupEXT)
        place_payload(s, variable);
    else if (sp_is_ray_storage(variable->storage))
        sp_place_ray_variable(s, variable);
    else if (variable->storage == SpvStorageClassPushConstant)
        s->shader->push_size_B = MAX2(s->shader->push_size_B, sp_explicit_size(variable->type));
}

static const char *keep_name(struct sp *s, uint32_t id)
{
    const char *name = sp_id_name(s, id);
    if (!name || !*name)
        return NULL;
    size_t length = strlen(name);
    char *copy = ir_alloc(s->shader, length + 1);
    memcpy(copy, name, length);
    return copy;
}

static bool in_interface(const struct sp *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->num_interface; i++)
        if (s->interface[i] == id)
            return true;
    return false;
}

static struct sp_variable *declare_variable(struct sp *s, const struct sp_instr *in)
{
    struct sp_type *pointer = sp_type(s, in->type);
    struct sp_variable *variable = sp_new(s, struct sp_variable);
    if (pointer->kind != SP_POINTER || !pointer->element)
        sp_fail(s, "the type of a variable is no pointer");
    *variable = (struct sp_variable){.id = in->id, .type = pointer->element, .pointer_type = pointer};
    variable->storage = sp_op(s, in, 0);
    if (variable->storage != pointer->storage)
        sp_fail(s, "the variable's storage class is not its type's");
    variable->initializer = in->count > 1 ? in->ops[1] : 0;
    variable->access = sp_access_of(s, in->id, SP_NONE);
    variable->restricted = sp_has_decoration(s, in->id, SP_NONE, SpvDecorationRestrict);
    sp_define(s, in->id, SP_VARIABLE)->variable = variable;
    return variable;
}

static void store_initializer(struct sp *s, struct sp_variable *variable)
{
    if (!variable->initializer)
        return;
    if (sp_type_of(s, variable->initializer)->scalars != variable->type->scalars)
        sp_fail(s, "the initializer is not of the variable's type");
    sp_store(s, sp_variable_pointer(s, variable), sp_read(s, variable->initializer));
}

void sp_do_variable(struct sp *s, const struct sp_instr *in)
{
    struct sp_variable *variable = declare_variable(s, in);
    if (s->function) {
        if (variable->storage != SpvStorageClassFunction)
            sp_fail(s, "a variable of storage class %s inside a function", sp_name_of_StorageClass(variable->storage));
        variable->node = sp_make_node(s, variable->type, 1, keep_name(s, in->id));
        store_initializer(s, variable);
        return;
    }
    if (s->num_variables == s->max_variables) {
        uint32_t max = s->max_variables ? s->max_variables * 2 : 32;
        struct sp_variable **grown = sp_new_array(s, struct sp_variable *, max);
        if (s->num_variables)
            memcpy(grown, s->variables, s->num_variables * sizeof(*grown));
        s->variables = grown;
        s->max_variables = max;
    }
    s->variables[s->num_variables++] = variable;
}

static void setup_resource(struct sp *s, struct sp_variable *variable)
{
    variable->set = sp_decoration_value(s, variable->id, SP_NONE, SpvDecorationDescriptorSet, 0);
    variable->binding = sp_decoration_value(s, variable->id, SP_NONE, SpvDecorationBinding, 0);
    sp_resource_kind(s, variable);
}

/* Which storage classes a stage has; what it does not use it need not understand. */
static void setup(struct sp *s, struct sp_variable *variable)
{
    s->at = sp_id(s, variable->id)->at;
    variable->name = keep_name(s, variable->id);
    switch (variable->storage) {
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniformConstant:
        setup_resource(s, variable);
        break;
    case SpvStorageClassPrivate:
        variable->node = sp_make_node(s, variable->type, 1, variable->name);
        store_initializer(s, variable);
        break;
    case SpvStorageClassTaskPayloadWorkgroupEXT:
        if (s->shader->stage != IR_STAGE_task && s->shader->stage != IR_STAGE_mesh && in_interface(s, variable->id))
            sp_fail(s, "a payload outside task and mesh shaders");
        break;
    case SpvStorageClassWorkgroup:
        break; /* placed where it is used: before 1.4 the interface does not say whose it is */
    case SpvStorageClassPushConstant:
        if (variable->type->kind != SP_STRUCT)
            sp_fail(s, "push constants are no struct");
        break;
    case SpvStorageClassInput:
    case SpvStorageClassOutput:
        if (!in_interface(s, variable->id))
            break;
        sp_setup_io(s, variable);
        if (variable->node)
            store_initializer(s, variable);
        break;
    case SpvStorageClassRayPayloadKHR:
    case SpvStorageClassIncomingRayPayloadKHR:
    case SpvStorageClassHitAttributeKHR:
    case SpvStorageClassCallableDataKHR:
    case SpvStorageClassIncomingCallableDataKHR:
    case SpvStorageClassShaderRecordBufferKHR:
        if (in_interface(s, variable->id))
            sp_setup_ray_variable(s, variable);
        break;
    default:
        sp_fail(s, "variables of storage class %s are not supported", sp_name_of_StorageClass(variable->storage));
    }
}

/* Zero is what VK_KHR_zero_initialize_workgroup_memory allows as an initializer: every invocation writes its share, and
 * all wait. */
static void clear_shared(struct sp *s, struct sp_variable *variable)
{
    uint32_t words = (variable->type->natural_size_B + 3) / 4;
    uint32_t invocations = s->shader->workgroup_size[0] * s->shader->workgroup_size[1] * s->shader->workgroup_size[2];
    struct ir_value *index = sp_sysval(s, IR_SYSVAL_local_index, 32, 1);
    for (uint32_t done = 0; done < words; done += invocations) {
        struct ir_value *word = sp_add(s, index, sp_imm(s, 32, done));
        struct ir_if *node = NULL;
        if (words - done < invocations)
            node = ir_builder_push_if(&s->b, ir_ult(&s->b, word, sp_imm(s, 32, words)));
        ir_store_shared(&s->b, sp_imm(s, 32, 0), sp_scale(s, word, 4), variable->shared_B, 4, 0);
        if (node)
            ir_builder_pop_if(&s->b);
    }
}

void sp_setup_variables(struct sp *s)
{
    bool cleared = false;
    for (uint32_t i = 0; i < s->num_variables; i++)
        setup(s, s->variables[i]);
    for (uint32_t i = 0; i < s->num_variables; i++) {
        struct sp_variable *variable = s->variables[i];
        if (variable->storage != SpvStorageClassWorkgroup || !variable->initializer)
            continue;
        s->at = sp_id(s, variable->id)->at;
        if (s->version >= 0x10400 && !in_interface(s, variable->id))
            continue;
        if (sp_constant(s, variable->initializer)->bits)
            sp_fail(s, "workgroup memory may only be initialized to zero");
        sp_use_variable(s, variable);
        clear_shared(s, variable);
        cleared = true;
    }
    if (cleared)
        ir_barrier(&s->b, IR_SCOPE_workgroup, IR_MEMORY_SHARED,
                   IR_ORDER_ACQUIRE | IR_ORDER_RELEASE | IR_ORDER_EXECUTION);
}

void sp_note_access(struct sp *s, struct sp_variable *variable, bool read, bool written, bool atomic, bool nonuniform)
{
    if (!variable)
        return;
    struct ir_shader *shader = s->shader;
    if (!variable->resource) {
        /* The list grows by doubling; every variable comes here once. */
        uint32_t count = shader->num_resources;
        if (count == 0 || is_power_of_two(count)) {
            struct ir_resource *grown = ir_alloc(shader, (count ? count * 2 : 1) * sizeof(*grown));
            if (count)
                memcpy(grown, shader->resources, count * sizeof(*grown));
            shader->resources = grown;
        }
        struct sp_type *type = variable->type;
        const uint32_t input =
            sp_decoration_value(s, variable->id, SP_NONE, SpvDecorationInputAttachmentIndex, UINT32_MAX);
        uint64_t elements = 1;
        for (; type->kind == SP_ARRAY; type = type->element)
            elements = elements * type->count > UINT32_MAX ? UINT32_MAX : elements * type->count;
        shader->resources[count] = (struct ir_resource){.set = variable->set,
                                                        .binding = variable->binding,
                                                        .count = (uint32_t)elements,
                                                        .kind = sp_resource_kind(s, variable),
                                                        .input = input + 1};
        shader->num_resources++;
        variable->resource = shader->num_resources;
    }
    struct ir_resource *resource = &shader->resources[variable->resource - 1];
    resource->read |= read;
    resource->written |= written;
    resource->atomics |= atomic;
    resource->nonuniform |= nonuniform;
    if (written && shader->stage == IR_STAGE_fragment)
        shader->fs.writes_memory = true;
}
