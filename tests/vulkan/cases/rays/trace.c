/* Descriptors, pipelines, tables and launches for the cases of ray tracing pipelines. */
#include "cases/rays/trace.h"

#include <string.h>

#include "cases/descriptor/db.h"
#include "cases/device/queue.h"
#include "cases/rays/trace_programs.h"

#define NUM_WORDS 64

/* ---- descriptors ---- */

#define STAGES                                                                                                         \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |          \
     VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)

#define WORDS_AT_B 256 /* in their buffer: what descriptors or dynamic offsets say */

static void make_layouts(struct trace *trace)
{
    struct vt *vt = trace->vt;
    const enum trace_binding how = trace->setup->binding;
    const VkDescriptorType words =
        how == TRACE_WITH_OFFSET ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 2, STAGES, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, STAGES, NULL},
        {2, words, 1, STAGES, NULL},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, STAGES, NULL},
        {4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, COUNT_OF(trace->several), STAGES, NULL}};
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags = how == TRACE_PUSHED      ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR
                 : how == TRACE_IN_BUFFER ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT
                                          : 0,
        .bindingCount = COUNT_OF(bindings),
        .pBindings = bindings};
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &info, NULL, &trace->set_layout));
    vt_defer(vt, vt_destroy_set_layout, (uint64_t)trace->set_layout);
    const VkPushConstantRange push = {STAGES, 0, sizeof(struct trace_push)};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &trace->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &layout, NULL, &trace->layout));
    vt_defer(vt, vt_destroy_layout, (uint64_t)trace->layout);
}

#define BINDINGS 5

struct writes {
    VkAccelerationStructureKHR tops[2];
    VkWriteDescriptorSetAccelerationStructureKHR structures;
    VkDescriptorBufferInfo buffers[7]; /* answers, words, counts, then the several */
    VkWriteDescriptorSet writes[BINDINGS];
};

static void fill_writes(const struct trace *trace, struct writes *out)
{
    const bool has_offset = trace->setup->binding == TRACE_WITH_OFFSET;
    out->tops[0] = trace->scenes[0].handle;
    out->tops[1] = trace->scenes[1].handle;
    out->structures = (VkWriteDescriptorSetAccelerationStructureKHR){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        .accelerationStructureCount = 2,
        .pAccelerationStructures = out->tops};
    out->buffers[0] = (VkDescriptorBufferInfo){trace->answers.buffer, 0, VK_WHOLE_SIZE};
    out->buffers[1] =
        (VkDescriptorBufferInfo){trace->words.buffer, has_offset ? 0 : WORDS_AT_B, NUM_WORDS * sizeof(uint32_t)};
    out->buffers[2] = (VkDescriptorBufferInfo){trace->counts.buffer, 0, VK_WHOLE_SIZE};
    for (unsigned n = 0; n < COUNT_OF(trace->several); n++)
        out->buffers[3 + n] = (VkDescriptorBufferInfo){trace->several[n].buffer, 0, VK_WHOLE_SIZE};
    for (unsigned n = 0; n < BINDINGS; n++)
        out->writes[n] =
            (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .pNext = n ? NULL : &out->structures,
                                   .dstSet = trace->set,
                                   .dstBinding = n,
                                   .descriptorCount = n == 0   ? 2
                                                      : n == 4 ? COUNT_OF(trace->several)
                                                               : 1,
                                   .descriptorType = n == 0 ? VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR
                                                     : n == 2 && has_offset ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC
                                                                            : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   .pBufferInfo = n ? &out->buffers[n - 1] : NULL};
}

static void make_set(struct trace *trace)
{
    struct vt *vt = trace->vt;
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3 + COUNT_OF(trace->several)},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 1},
                                          {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 2}};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1,
                                                  .poolSizeCount = COUNT_OF(sizes),
                                                  .pPoolSizes = sizes};
    VkDescriptorPool pool;
    struct writes all;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, vt_destroy_set_pool, (uint64_t)pool);
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &trace->set_layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &info, &trace->set));
    fill_writes(trace, &all);
    vkUpdateDescriptorSets(vt->device, BINDINGS, all.writes, 0, NULL);
}

static void bind_descriptors(struct trace *trace, VkCommandBuffer commands)
{
    const VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
    const uint32_t offset_B = WORDS_AT_B;
    struct writes all;
    if (trace->setup->binding == TRACE_PUSHED) {
        fill_writes(trace, &all);
        RAYS_LOAD(trace->vt, CmdPushDescriptorSetKHR)(commands, point, trace->layout, 0, BINDINGS, all.writes);
        return;
    }
    if (trace->setup->binding != TRACE_IN_BUFFER) {
        vkCmdBindDescriptorSets(commands, point, trace->layout, 0, 1, &trace->set,
                                trace->setup->binding == TRACE_WITH_OFFSET, &offset_B);
        return;
    }
    struct db db;
    struct vt_buffer words = trace->words;
    words.address += WORDS_AT_B;
    words.size_B -= WORDS_AT_B;
    db_open(&db, trace->vt);
    const struct db_item scenes[2] = {
        {.type = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, .address = trace->scenes[0].address},
        {.type = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, .address = trace->scenes[1].address}};
    const struct db_item several[4] = {DB_STORAGE(trace->several[0]), DB_STORAGE(trace->several[1]),
                                       DB_STORAGE(trace->several[2]), DB_STORAGE(trace->several[3])};
    const struct db_binding bindings[BINDINGS] = {
        {.type = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, .count = 2, .items = scenes},
        DB_ONE(DB_STORAGE(trace->answers)),
        DB_ONE(DB_STORAGE(words)),
        DB_ONE(DB_STORAGE(trace->counts)),
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 4, .items = several}};
    struct db_set set = db_place(&db, db_memory(&db, 4096, DB_ALL), trace->set_layout);
    db_write(&db, db_map(&db, &set), trace->set_layout, bindings, BINDINGS);
    db_bind(&db, commands);
    db_use(&db, commands, point, trace->layout, 0, &set, 1);
}

static void size_of(const struct trace_setup *setup, uint32_t size_out[3])
{
    const bool given = setup->size[0] || setup->size[1] || setup->size[2];
    size_out[0] = given ? setup->size[0] : TRACE_WIDTH;
    size_out[1] = given ? setup->size[1] : TRACE_HEIGHT;
    size_out[2] = given ? setup->size[2] : 1;
}

/* Of KHR_RAY_FLAGS: primitives of one kind are left out. */
#define SKIP_KIND 0x300

static void look_at_device(struct trace *trace)
{
    struct vt *vt = trace->vt;
    const struct trace_setup *setup = trace->setup;
    VkPhysicalDeviceRayTracingPipelinePropertiesKHR properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 asked = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties};
    if (!vt->has[VT_RAY_TRACING_PIPELINE])
        vt_skip(vt, "no ray tracing pipelines");
    vkGetPhysicalDeviceProperties2(vt->physical, &asked);
    trace->handle_B = properties.shaderGroupHandleSize;
    trace->handle_align_B = properties.shaderGroupHandleAlignment;
    trace->base_align_B = properties.shaderGroupBaseAlignment;
    if (setup->depth > properties.maxRayRecursionDepth)
        vt_skip(vt, "rays of rays are not so deep");
    if (setup->needs_cull_mask && !vt->has[VT_RAY_TRACING_MAINTENANCE1])
        vt_skip(vt, "no masks in shaders");
    if (setup->binding == TRACE_IN_BUFFER && !vt->has[VT_DESCRIPTOR_BUFFER])
        vt_skip(vt, "no descriptor buffers");
    if (setup->binding == TRACE_PUSHED && !vt->has[VT_PUSH_DESCRIPTOR])
        vt_skip(vt, "no pushed descriptors");
    if (setup->way == TRACE_INDIRECT && !vt->has_indirect_traces)
        vt_skip(vt, "no launches from memory");
    if (setup->way == TRACE_INDIRECT2 && !vt->has_indirect_traces2)
        vt_skip(vt, "no tables from memory");
    /* ACO's own validation says that 25.0.7's and 26.1.6's code for these is wrong; it may crash or not. */
    if (setup->reads_reports && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV cannot compile what becomes of a report");
    if (setup->push.flags & SKIP_KIND && !vt->has_primitive_culling)
        vt_skip(vt, "no flags for kinds of primitives");
}

void trace_open(struct trace *trace, struct vt *vt, const struct trace_setup *setup)
{
    uint32_t words[NUM_WORDS], size[3];
    *trace = (struct trace){.vt = vt, .setup = setup};
    rays_need(vt);
    look_at_device(trace);
    if (setup->is_first_null || setup->is_second_null) {
        if (!vt->has[VT_ROBUSTNESS2])
            vt_skip(vt, "no null descriptors");
    }
    if (setup->way == TRACE_ON_COMPUTE)
        rays_on_compute(vt);
    for (unsigned n = 0; n < NUM_WORDS; n++)
        words[n] = trace_word(n);
    size_of(setup, size);
    const uint32_t rays = size[0] * size[1] * size[2];
    trace->answers = vt_buffer(vt, (rays ? rays : 1) * TRACE_WORDS * sizeof(uint32_t), NULL);
    trace->words = vt_buffer(vt, WORDS_AT_B + sizeof(words), NULL);
    memcpy((uint8_t *)trace->words.map + WORDS_AT_B, words, sizeof(words));
    trace->counts = vt_buffer(vt, TRACE_RAYS * sizeof(uint32_t), NULL);
    for (uint32_t n = 0; n < COUNT_OF(trace->several); n++)
        trace->several[n] = vt_buffer(vt, sizeof(n), &(const uint32_t){TRACE_SEVERAL + n});
    trace_build_scenes(trace);
    make_layouts(trace);
    if (setup->binding == TRACE_BY_SET || setup->binding == TRACE_WITH_OFFSET)
        make_set(trace);
}

/* ---- pipelines ---- */

static bool has_programs(const struct trace_group *group)
{
    return group->general || group->closest || group->any || group->intersection;
}

static unsigned trace_count_groups(const struct trace_setup *setup)
{
    unsigned count = 0;
    while (count < TRACE_MAX_GROUPS && has_programs(&setup->groups[count]))
        count++;
    return count + setup->empty_groups;
}

/* The number of the program's stage in the create info; each group has stages of its own. */
static uint32_t add_stage(struct trace *trace, enum trace_program program, struct trace_create *out)
{
    if (!program)
        return VK_SHADER_UNUSED_KHR;
    const uint32_t n = out->info.stageCount++;
    const struct trace_code *code = &trace_codes[program];
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code->code.size_B, .pCode = code->code.words};
    VkShaderModule module;
    VT_CHECK(trace->vt, vkCreateShaderModule(trace->vt->device, &info, NULL, &module));
    vt_defer(trace->vt, vt_destroy_module, (uint64_t)module);
    out->stages[n] = (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                       .stage = code->stage,
                                                       .module = module,
                                                       .pName = "main",
                                                       .pSpecializationInfo = trace->setup->fixed};
    return n;
}

void trace_describe(struct trace *trace, unsigned first, unsigned count, struct trace_create *out)
{
    static const VkDynamicState stack_size = VK_DYNAMIC_STATE_RAY_TRACING_PIPELINE_STACK_SIZE_KHR;
    const struct trace_setup *setup = trace->setup;
    memset(out, 0, sizeof(*out));
    out->dynamic = (VkPipelineDynamicStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                      .dynamicStateCount = 1,
                                                      .pDynamicStates = &stack_size};
    out->libraries.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    out->interface = (VkRayTracingPipelineInterfaceCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
        .maxPipelineRayPayloadSize = 512,
        .maxPipelineRayHitAttributeSize = 16};
    out->info = (VkRayTracingPipelineCreateInfoKHR){
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
        .flags = setup->flags | (setup->binding == TRACE_IN_BUFFER ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0),
        .pStages = out->stages,
        .groupCount = count,
        .pGroups = out->groups,
        .maxPipelineRayRecursionDepth = setup->depth ? setup->depth : 1,
        .pDynamicState = setup->stack_levels ? &out->dynamic : NULL,
        .layout = trace->layout};
    for (unsigned n = 0; n < count; n++) {
        const struct trace_group *group = &setup->groups[first + n];
        out->groups[n] = (VkRayTracingShaderGroupCreateInfoKHR){
            .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
            .type = group->general        ? VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR
                    : group->intersection ? VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR
                                          : VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR,
            .generalShader = add_stage(trace, group->general, out),
            .closestHitShader = add_stage(trace, group->closest, out),
            .anyHitShader = add_stage(trace, group->any, out),
            .intersectionShader = add_stage(trace, group->intersection, out)};
    }
}

VkPipeline trace_create(struct trace *trace, const struct trace_create *create)
{
    VkPipeline pipeline;
    VT_CHECK(trace->vt, RAYS_LOAD(trace->vt, CreateRayTracingPipelinesKHR)(
                            trace->vt->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create->info, NULL, &pipeline));
    vt_defer(trace->vt, vt_destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

VkPipeline trace_pipeline(struct trace *trace)
{
    struct trace_create create;
    trace_describe(trace, 0, trace_count_groups(trace->setup), &create);
    return trace_create(trace, &create);
}

/* ---- tables and launches ---- */

static uint32_t align_to(uint32_t size, uint32_t align)
{
    return (size + align - 1) / align * align;
}

static unsigned count_records(const struct trace_setup *setup, unsigned table)
{
    unsigned count = setup->num_records[table];
    for (unsigned n = 0; !setup->num_records[table] && n < TRACE_MAX_RECORDS; n++)
        count = setup->records[table][n].group ? n + 1 : count;
    return count;
}

/* Generation records each begin as a table must: a launch takes one. */
static uint32_t stride_of(const struct trace *trace, unsigned table)
{
    const uint32_t least_B = trace->handle_B + sizeof(uint32_t);
    const uint32_t asked_B = trace->setup->stride_B[table];
    return align_to(asked_B > least_B ? asked_B : least_B,
                    table == TRACE_GENERATE ? trace->base_align_B : trace->handle_align_B);
}

void trace_fill_tables(struct trace *trace, VkPipeline pipeline)
{
    const struct trace_setup *setup = trace->setup;
    struct vt *vt = trace->vt;
    const unsigned groups = trace_count_groups(setup);
    uint8_t handles[TRACE_MAX_GROUPS * 64];
    VT_CHECK(vt, RAYS_LOAD(vt, GetRayTracingShaderGroupHandlesKHR)(vt->device, pipeline, 0, groups,
                                                                   groups * trace->handle_B, handles));
    trace->pipeline = pipeline;
    for (unsigned table = 0; table < TRACE_TABLES; table++) {
        const unsigned count = count_records(setup, table), first = setup->first_record[table];
        const uint32_t stride_B = stride_of(trace, table);
        if (!count)
            continue;
        const struct vt_buffer buffer = vt_buffer(vt, trace->base_align_B + count * stride_B, NULL);
        const VkDeviceAddress at =
            (buffer.address + trace->base_align_B - 1) / trace->base_align_B * trace->base_align_B;
        for (unsigned n = 0; n < count; n++) {
            const struct trace_record *record = &setup->records[table][n];
            uint8_t *bytes = (uint8_t *)buffer.map + (at - buffer.address) + n * stride_B;
            if (!record->group)
                continue;
            memcpy(bytes, handles + (size_t)(record->group - 1) * trace->handle_B, trace->handle_B);
            memcpy(bytes + trace->handle_B, &record->number, sizeof(record->number));
        }
        trace->regions[table] = (VkStridedDeviceAddressRegionKHR){
            at + first * stride_B, stride_B, table == TRACE_GENERATE ? stride_B : (count - first) * stride_B};
    }
}

/* Instead of where it is: a copy, which only indirect commands are told of. */
static VkDeviceAddress copy_late(struct trace *trace, VkCommandBuffer commands, const struct vt_buffer *from)
{
    const struct vt_buffer to = vt_buffer(trace->vt, from->size_B, NULL);
    const VkBufferCopy region = {0, 0, from->size_B};
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT};
    vkCmdCopyBuffer(commands, from->buffer, to.buffer, 1, &region);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1, &barrier,
                         0, NULL, 0, NULL);
    return to.address;
}

/* The sizes, and with them the tables. */
static VkDeviceAddress fill_indirect(struct trace *trace, VkCommandBuffer commands, const uint32_t size[3])
{
    const VkStridedDeviceAddressRegionKHR *regions = trace->regions;
    const VkTraceRaysIndirectCommand2KHR all = {.raygenShaderRecordAddress = regions[TRACE_GENERATE].deviceAddress,
                                                .raygenShaderRecordSize = regions[TRACE_GENERATE].size,
                                                .missShaderBindingTableAddress = regions[TRACE_MISS].deviceAddress,
                                                .missShaderBindingTableSize = regions[TRACE_MISS].size,
                                                .missShaderBindingTableStride = regions[TRACE_MISS].stride,
                                                .hitShaderBindingTableAddress = regions[TRACE_HIT].deviceAddress,
                                                .hitShaderBindingTableSize = regions[TRACE_HIT].size,
                                                .hitShaderBindingTableStride = regions[TRACE_HIT].stride,
                                                .callableShaderBindingTableAddress = regions[TRACE_CALL].deviceAddress,
                                                .callableShaderBindingTableSize = regions[TRACE_CALL].size,
                                                .callableShaderBindingTableStride = regions[TRACE_CALL].stride,
                                                .width = size[0],
                                                .height = size[1],
                                                .depth = size[2]};
    const struct vt_buffer made = trace->setup->way == TRACE_INDIRECT2
                                      ? vt_buffer(trace->vt, sizeof(all), &all)
                                      : vt_buffer(trace->vt, 3 * sizeof(uint32_t), size);
    return trace->setup->is_late ? copy_late(trace, commands, &made) : made.address;
}

/* The most that a shader of the pipeline needs of the stack. */
static uint32_t largest_frame(struct trace *trace)
{
    const struct trace_setup *setup = trace->setup;
    const PFN_vkGetRayTracingShaderGroupStackSizeKHR ask = RAYS_LOAD(trace->vt, GetRayTracingShaderGroupStackSizeKHR);
    VkDeviceSize most_B = 0;
    for (uint32_t n = 0; n < trace_count_groups(setup); n++) {
        const struct trace_group *group = &setup->groups[n];
        const enum trace_program programs[] = {[VK_SHADER_GROUP_SHADER_GENERAL_KHR] = group->general,
                                               [VK_SHADER_GROUP_SHADER_CLOSEST_HIT_KHR] = group->closest,
                                               [VK_SHADER_GROUP_SHADER_ANY_HIT_KHR] = group->any,
                                               [VK_SHADER_GROUP_SHADER_INTERSECTION_KHR] = group->intersection};
        for (unsigned i = 0; i < COUNT_OF(programs); i++) {
            const VkDeviceSize size_B =
                programs[i] ? ask(trace->vt->device, trace->pipeline, n, (VkShaderGroupShaderKHR)i) : 0;
            most_B = size_B > most_B ? size_B : most_B;
        }
    }
    return (uint32_t)most_B;
}

void trace_push(struct trace *trace, VkCommandBuffer commands)
{
    vkCmdPushConstants(commands, trace->layout, STAGES, 0, sizeof(trace->setup->push), &trace->setup->push);
}

void trace_bind(struct trace *trace, VkCommandBuffer commands)
{
    const VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR;
    const uint32_t levels = trace->setup->stack_levels;
    vkCmdBindPipeline(commands, point, trace->pipeline);
    bind_descriptors(trace, commands);
    trace_push(trace, commands);
    if (levels)
        RAYS_LOAD(trace->vt, CmdSetRayTracingPipelineStackSizeKHR)(commands, levels * largest_frame(trace));
}

void trace_command(struct trace *trace, VkCommandBuffer commands)
{
    struct vt *vt = trace->vt;
    const struct trace_setup *setup = trace->setup;
    const VkStridedDeviceAddressRegionKHR *regions = trace->regions;
    const PFN_vkCmdTraceRaysKHR direct = RAYS_LOAD(vt, CmdTraceRaysKHR);
    const PFN_vkCmdTraceRaysIndirectKHR indirect = RAYS_LOAD(vt, CmdTraceRaysIndirectKHR);
    const PFN_vkCmdTraceRaysIndirect2KHR indirect2 = RAYS_LOAD(vt, CmdTraceRaysIndirect2KHR);
    uint32_t size[3];
    size_of(setup, size);
    if (setup->way == TRACE_INDIRECT)
        indirect(commands, &regions[0], &regions[1], &regions[2], &regions[3], fill_indirect(trace, commands, size));
    else if (setup->way == TRACE_INDIRECT2)
        indirect2(commands, fill_indirect(trace, commands, size));
    else
        direct(commands, &regions[0], &regions[1], &regions[2], &regions[3], size[0], size[1], size[2]);
}

static void record_launch(struct trace *trace, VkCommandBuffer commands)
{
    trace_bind(trace, commands);
    trace_command(trace, commands);
}

void trace_launch(struct trace *trace)
{
    struct vt *vt = trace->vt;
    VkCommandBuffer commands = rays_begin(vt);
    if (trace->setup->way == TRACE_SECONDARY) {
        VkCommandBuffer secondary = queue_allocate(vt, vt->family, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
        const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                               .pInheritanceInfo = &inherited};
        VT_CHECK(vt, vkBeginCommandBuffer(secondary, &info));
        record_launch(trace, secondary);
        VT_CHECK(vt, vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(commands, 1, &secondary);
    } else {
        record_launch(trace, commands);
    }
    vt_full_barrier(commands);
    rays_finish(vt, commands);
}

void trace_run(struct trace *trace, struct vt *vt, const struct trace_setup *setup)
{
    trace_open(trace, vt, setup);
    trace_fill_tables(trace, trace_pipeline(trace));
    trace_launch(trace);
}
