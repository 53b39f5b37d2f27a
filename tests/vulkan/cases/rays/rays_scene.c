/* Acceleration structures and rays for the cases. */
#include "cases/rays/rays_scene.h"

#include <string.h>

#include "cases/descriptor/db.h"
#include "cases/device/queue.h"
#include "shaders/rays.h"
#include "shaders/rays_corners.h"

float rays_uniform(uint64_t *seed, float low, float high)
{
    return low + (high - low) * (float)(vt_random(seed) >> 8) * 0x1p-24f;
}

static VkDeviceAddress round_up(VkDeviceAddress address)
{
    return (address + 255) & ~(VkDeviceAddress)255;
}

/* ---- queues ---- */

static bool is_on_compute; /* of the running case */

void rays_need(struct vt *vt)
{
    is_on_compute = false;
    if (!vt->has[VT_RAY_QUERY] || !vt->has[VT_ACCELERATION_STRUCTURE])
        vt_skip(vt, "no ray queries");
}

void rays_on_compute(struct vt *vt)
{
    if (!vt->compute_queue)
        vt_skip(vt, "no queue without graphics");
    is_on_compute = true;
}

VkCommandBuffer rays_begin(struct vt *vt)
{
    if (!is_on_compute)
        return vt_begin(vt);
    VkCommandBuffer commands = queue_allocate(vt, vt->compute_family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &info));
    return commands;
}

void rays_finish(struct vt *vt, VkCommandBuffer commands)
{
    if (!is_on_compute) {
        vt_submit(vt, commands);
        return;
    }
    vt_full_barrier(commands);
    VT_CHECK(vt, vkEndCommandBuffer(commands));
    queue_submit(vt, vt->compute_queue, commands, VK_NULL_HANDLE, VK_NULL_HANDLE);
    VT_CHECK(vt, vkQueueWaitIdle(vt->compute_queue));
}

/* ---- structures ---- */

static void destroy_structure(struct vt *vt, uint64_t handle)
{
    RAYS_LOAD(vt, DestroyAccelerationStructureKHR)(vt->device, (VkAccelerationStructureKHR)handle, NULL);
}

struct rays_structure rays_make(struct vt *vt, VkAccelerationStructureTypeKHR type, VkDeviceSize size_B)
{
    struct rays_structure made = {.storage = vt_local_buffer(vt, size_B)};
    VkAccelerationStructureCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
                                                 .buffer = made.storage.buffer,
                                                 .size = size_B,
                                                 .type = type};
    VT_CHECK(vt, RAYS_LOAD(vt, CreateAccelerationStructureKHR)(vt->device, &info, NULL, &made.handle));
    vt_defer(vt, destroy_structure, (uint64_t)made.handle);
    VkAccelerationStructureDeviceAddressInfoKHR address = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
        .accelerationStructure = made.handle};
    made.address = RAYS_LOAD(vt, GetAccelerationStructureDeviceAddressKHR)(vt->device, &address);
    return made;
}

#define MAX_GEOMETRIES 64

struct rays_structure rays_build(struct vt *vt, VkAccelerationStructureBuildGeometryInfoKHR *info,
                                 const VkAccelerationStructureBuildRangeInfoKHR *ranges, const uint32_t *most,
                                 const struct rays_structure *update, bool in_place)
{
    VkAccelerationStructureBuildSizesInfoKHR sizes = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
    uint32_t counts[MAX_GEOMETRIES];
    for (uint32_t n = 0; n < info->geometryCount && n < MAX_GEOMETRIES; n++)
        counts[n] = most ? most[n] : ranges[n].primitiveCount;
    RAYS_LOAD(vt, GetAccelerationStructureBuildSizesKHR)
    (vt->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, info, counts, &sizes);
    VkDeviceSize scratch_B = update ? sizes.updateScratchSize : sizes.buildScratchSize;
    struct vt_buffer scratch = vt_local_buffer(vt, scratch_B + 256);
    struct rays_structure made =
        update && in_place ? *update : rays_make(vt, info->type, sizes.accelerationStructureSize);
    info->mode =
        update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR;
    info->srcAccelerationStructure = update ? update->handle : VK_NULL_HANDLE;
    info->dstAccelerationStructure = made.handle;
    info->scratchData.deviceAddress = round_up(scratch.address);
    VkCommandBuffer commands = rays_begin(vt);
    RAYS_LOAD(vt, CmdBuildAccelerationStructuresKHR)(commands, 1, info, &ranges);
    rays_finish(vt, commands);
    return made;
}

/* ---- copies ---- */

VkDeviceSize rays_ask_size(struct vt *vt, const struct rays_structure *of, VkQueryType type)
{
    VkQueryPool pool = vt_query_pool(vt, type, 1, 0);
    VkCommandBuffer commands = rays_begin(vt);
    vkCmdResetQueryPool(commands, pool, 0, 1);
    RAYS_LOAD(vt, CmdWriteAccelerationStructuresPropertiesKHR)(commands, 1, &of->handle, type, pool, 0);
    rays_finish(vt, commands);
    uint64_t size_B = 0;
    VT_CHECK(vt, vkGetQueryPoolResults(vt->device, pool, 0, 1, sizeof(size_B), &size_B, sizeof(size_B),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    /* By the GPU, as a word and whether it is there. */
    const struct vt_buffer copied = vt_buffer(vt, 2 * sizeof(uint32_t), NULL);
    commands = rays_begin(vt);
    vkCmdCopyQueryPoolResults(commands, pool, 0, 1, copied.buffer, 0, 2 * sizeof(uint32_t),
                              VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    rays_finish(vt, commands);
    vt_expect_words(vt, copied.map, (const uint32_t[2]){(uint32_t)size_B, 1}, 2, "size and availability");
    return size_B;
}

struct rays_structure rays_copy(struct vt *vt, const struct rays_structure *from, VkAccelerationStructureTypeKHR type,
                                VkDeviceSize size_B, VkCopyAccelerationStructureModeKHR mode)
{
    struct rays_structure to = rays_make(vt, type, size_B);
    VkCopyAccelerationStructureInfoKHR info = {.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
                                               .src = from->handle,
                                               .dst = to.handle,
                                               .mode = mode};
    VkCommandBuffer commands = rays_begin(vt);
    RAYS_LOAD(vt, CmdCopyAccelerationStructureKHR)(commands, &info);
    rays_finish(vt, commands);
    return to;
}

/* Two identifiers, the serialized size, the size of a structure, how many structures are below, and their addresses. */
struct bytes_header {
    uint8_t version[2 * VK_UUID_SIZE];
    uint64_t size_B, structure_B, structures;
    uint64_t addresses[];
};

static void look_at_bytes(struct vt *vt, struct bytes_header *header, VkDeviceSize size_B, unsigned structures,
                          VkDeviceAddress below, VkDeviceAddress instead)
{
    if (header->size_B != size_B || header->structures != structures)
        vt_fail(vt, "the header says %llu bytes of %llu and %llu structures of %u", (unsigned long long)header->size_B,
                (unsigned long long)size_B, (unsigned long long)header->structures, structures);
    for (unsigned n = 0; n < structures; n++) {
        if (header->addresses[n] != below)
            vt_fail(vt, "address %u of the list is none of what is below", n);
        header->addresses[n] = instead;
    }
    VkAccelerationStructureCompatibilityKHR fits;
    VkAccelerationStructureVersionInfoKHR version = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_VERSION_INFO_KHR,
                                                     .pVersionData = header->version};
    RAYS_LOAD(vt, GetDeviceAccelerationStructureCompatibilityKHR)(vt->device, &version, &fits);
    if (fits != VK_ACCELERATION_STRUCTURE_COMPATIBILITY_COMPATIBLE_KHR)
        vt_fail(vt, "a device does not know its own version");
    uint8_t other[2 * VK_UUID_SIZE];
    memcpy(other, header->version, sizeof(other));
    other[2 * VK_UUID_SIZE - 1] ^= 1;
    version.pVersionData = other;
    RAYS_LOAD(vt, GetDeviceAccelerationStructureCompatibilityKHR)(vt->device, &version, &fits);
    if (fits != VK_ACCELERATION_STRUCTURE_COMPATIBILITY_INCOMPATIBLE_KHR)
        vt_fail(vt, "a device takes another version for its own");
}

struct rays_structure rays_copy_by_bytes(struct vt *vt, const struct rays_structure *from,
                                         VkAccelerationStructureTypeKHR type, unsigned structures,
                                         VkDeviceAddress below, VkDeviceAddress instead)
{
    const VkDeviceSize size_B = rays_ask_size(vt, from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR);
    struct vt_buffer bytes = vt_buffer(vt, size_B + 256, NULL);
    const VkDeviceAddress at = round_up(bytes.address);
    VkCopyAccelerationStructureToMemoryInfoKHR out = {
        .sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_TO_MEMORY_INFO_KHR,
        .src = from->handle,
        .dst.deviceAddress = at,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR};
    VkCommandBuffer commands = rays_begin(vt);
    RAYS_LOAD(vt, CmdCopyAccelerationStructureToMemoryKHR)(commands, &out);
    rays_finish(vt, commands);
    struct bytes_header *header = (struct bytes_header *)((uint8_t *)bytes.map + (at - bytes.address));
    look_at_bytes(vt, header, size_B, structures, below, instead);
    if (vt->has[VT_RAY_TRACING_MAINTENANCE1]) {
        const VkQueryType pointers = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR;
        const VkDeviceSize listed = rays_ask_size(vt, from, pointers),
                           asked_B = rays_ask_size(vt, from, VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR);
        if (listed != structures || asked_B < header->structure_B)
            vt_fail(vt, "queries say %llu structures and %llu bytes, the bytes say %u and at least %llu",
                    (unsigned long long)listed, (unsigned long long)asked_B, structures,
                    (unsigned long long)header->structure_B);
    }
    struct rays_structure to = rays_make(vt, type, header->structure_B);
    VkCopyMemoryToAccelerationStructureInfoKHR in = {
        .sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_ACCELERATION_STRUCTURE_INFO_KHR,
        .src.deviceAddress = at,
        .dst = to.handle,
        .mode = VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR};
    commands = rays_begin(vt);
    RAYS_LOAD(vt, CmdCopyMemoryToAccelerationStructureKHR)(commands, &in);
    rays_finish(vt, commands);
    return to;
}

/* ---- rays ---- */

static void destroy_template(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorUpdateTemplate(vt->device, (VkDescriptorUpdateTemplate)handle, NULL);
}

#define BINDINGS 4 /* the structure, then buffers */

static VkDescriptorSetLayout make_set_layout(struct vt *vt, enum rays_binding how)
{
    const VkDescriptorBindingFlags flags[BINDINGS] = {VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = BINDINGS,
        .pBindingFlags = flags};
    VkDescriptorSetLayoutBinding bindings[BINDINGS];
    for (uint32_t n = 0; n < BINDINGS; n++)
        bindings[n] = (VkDescriptorSetLayoutBinding){
            .binding = n,
            .descriptorType = n ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pNext = how == RAYS_AFTER_BIND ? &flags_info : NULL,
        .flags = how == RAYS_AFTER_BIND  ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT
                 : how == RAYS_IN_BUFFER ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT
                                         : 0,
        .bindingCount = BINDINGS,
        .pBindings = bindings};
    VkDescriptorSetLayout layout;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, vt_destroy_set_layout, (uint64_t)layout);
    return layout;
}

static VkDescriptorSet make_set(struct vt *vt, VkDescriptorSetLayout layout, enum rays_binding how,
                                const struct vt_buffer buffers[BINDINGS - 1])
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BINDINGS - 1},
                                          {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1}};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .flags = how == RAYS_AFTER_BIND ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
        .maxSets = 1,
        .poolSizeCount = COUNT_OF(sizes),
        .pPoolSizes = sizes};
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, vt_destroy_set_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &info, &set));
    VkDescriptorBufferInfo infos[BINDINGS - 1];
    VkWriteDescriptorSet writes[BINDINGS - 1];
    for (uint32_t n = 0; n < BINDINGS - 1; n++) {
        infos[n] = (VkDescriptorBufferInfo){buffers[n].buffer, 0, VK_WHOLE_SIZE};
        writes[n] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = set,
                                           .dstBinding = n + 1,
                                           .descriptorCount = 1,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .pBufferInfo = &infos[n]};
    }
    vkUpdateDescriptorSets(vt->device, BINDINGS - 1, writes, 0, NULL);
    return set;
}

static void write_structure(struct vt *vt, VkDescriptorSet set, const struct rays_structure *top)
{
    VkWriteDescriptorSetAccelerationStructureKHR structures = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        .accelerationStructureCount = 1,
        .pAccelerationStructures = &top->handle};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .pNext = &structures,
                                  .dstSet = set,
                                  .descriptorCount = 1,
                                  .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR};
    vkUpdateDescriptorSets(vt->device, 1, &write, 0, NULL);
}

static void write_by_template(struct vt *vt, VkDescriptorSet set, VkDescriptorSetLayout layout,
                              const struct rays_structure *top)
{
    const VkDescriptorUpdateTemplateEntry entry = {.descriptorCount = 1,
                                                   .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
                                                   .offset = sizeof(top->handle)};
    VkDescriptorUpdateTemplateCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                 .descriptorUpdateEntryCount = 1,
                                                 .pDescriptorUpdateEntries = &entry,
                                                 .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET,
                                                 .descriptorSetLayout = layout};
    VkDescriptorUpdateTemplate template;
    VT_CHECK(vt, vkCreateDescriptorUpdateTemplate(vt->device, &info, NULL, &template));
    vt_defer(vt, destroy_template, (uint64_t) template);
    const VkAccelerationStructureKHR handles[2] = {VK_NULL_HANDLE, top->handle};
    vkUpdateDescriptorSetWithTemplate(vt->device, set, template, handles);
}

/* All of it in a descriptor buffer, which is bound. */
static void bind_in_buffer(struct vt *vt, VkCommandBuffer commands, VkPipelineLayout layout,
                           VkDescriptorSetLayout set_layout, const struct rays_structure *top,
                           const struct vt_buffer buffers[BINDINGS - 1])
{
    struct db db;
    db_open(&db, vt);
    const struct db_binding bindings[BINDINGS] = {
        DB_ONE({.type = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, .address = top->address}),
        DB_ONE(DB_STORAGE(buffers[0])), DB_ONE(DB_STORAGE(buffers[1])), DB_ONE(DB_STORAGE(buffers[2]))};
    struct db_set set = db_place(&db, db_memory(&db, 4096, DB_ALL), set_layout);
    db_write(&db, db_map(&db, &set), set_layout, bindings, BINDINGS);
    db_bind(&db, commands);
    db_use(&db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, &set, 1);
}

static VkPipeline make_pipeline(struct vt *vt, VkPipelineLayout layout, VkPipelineCreateFlags flags,
                                struct vt_spirv code)
{
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = code.size_B, .pCode = code.words};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = flags,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &module_info, NULL, &info.stage.module));
    VkResult result = vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    vkDestroyShaderModule(vt->device, info.stage.module, NULL);
    VT_CHECK(vt, result);
    vt_defer(vt, vt_destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

const struct rays_hit *rays_send(struct vt *vt, const struct rays_structure *top, enum rays_binding how,
                                 const struct rays_ray *all, unsigned count, const uint32_t push[3],
                                 const float (*spheres)[4], unsigned num_spheres)
{
    const struct vt_buffer buffers[BINDINGS - 1] = {
        vt_buffer(vt, count * sizeof(*all), all), vt_buffer(vt, count * sizeof(struct rays_hit), NULL),
        vt_buffer(vt, (num_spheres ? num_spheres : 1) * sizeof(*spheres), num_spheres ? spheres : NULL)};
    const uint32_t words[4] = {count, push[0], push[1], push[2]};
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(words)};
    VkDescriptorSetLayout set_layout = make_set_layout(vt, how);
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, vt_destroy_layout, (uint64_t)layout);
    VkDescriptorSet set = how == RAYS_IN_BUFFER ? VK_NULL_HANDLE : make_set(vt, set_layout, how, buffers);
    if (how == RAYS_BY_WRITE || how == RAYS_FOR_CORNERS)
        write_structure(vt, set, top);
    else if (how == RAYS_BY_TEMPLATE)
        write_by_template(vt, set, set_layout, top);
    VkCommandBuffer commands = rays_begin(vt);
    VkPipeline pipeline =
        make_pipeline(vt, layout, how == RAYS_IN_BUFFER ? VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0,
                      how == RAYS_FOR_CORNERS ? VT_SPIRV(rays_corners) : VT_SPIRV(rays));
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (how == RAYS_IN_BUFFER)
        bind_in_buffer(vt, commands, layout, set_layout, top, buffers);
    else
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(words), words);
    vkCmdDispatch(commands, count / 64, 1, 1);
    vt_full_barrier(commands);
    if (how == RAYS_AFTER_BIND)
        write_structure(vt, set, top);
    rays_finish(vt, commands);
    return buffers[1].map;
}
