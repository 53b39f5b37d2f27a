/* Descriptor buffers for the end-to-end cases. */
#include "cases/descriptor/db.h"

#include <stdlib.h>
#include <string.h>

void db_open(struct db *db, struct vt *vt)
{
    if (!vt->has[VT_DESCRIPTOR_BUFFER])
        vt_skip(vt, "no descriptor buffers");
    *db = (struct db){.vt = vt};
    db->sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
    db->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &db->sizes};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &db->features};
    vkGetPhysicalDeviceProperties2(vt->physical, &properties);
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!db->features.descriptorBuffer)
        vt_skip(vt, "no descriptor buffers");
    db->get_size = VT_LOAD(vt, GetDescriptorSetLayoutSizeEXT);
    db->get_offset = VT_LOAD(vt, GetDescriptorSetLayoutBindingOffsetEXT);
    db->get = VT_LOAD(vt, GetDescriptorEXT);
    db->bind_buffers = VT_LOAD(vt, CmdBindDescriptorBuffersEXT);
    db->set_offsets = VT_LOAD(vt, CmdSetDescriptorBufferOffsetsEXT);
    db->bind_samplers = VT_LOAD(vt, CmdBindDescriptorBufferEmbeddedSamplersEXT);
}

void db_need_embedded(struct db *db)
{
    if (db->vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE)
        vt_skip(db->vt, "lavapipe ends with a signal when a shader uses embedded samplers");
}

uint32_t db_memory(struct db *db, VkDeviceSize size_B, VkBufferUsageFlags usage)
{
    db->memories[db->num_memories] =
        (struct db_memory){.buffer = vt_buffer_of_usage(db->vt, size_B, usage), .usage = usage};
    return db->num_memories++;
}

/* ---- descriptors ---- */

size_t db_size_B(const struct db *db, VkDescriptorType type)
{
    switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        return db->sizes.samplerDescriptorSize;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        return db->sizes.combinedImageSamplerDescriptorSize;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
        return db->sizes.sampledImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        return db->sizes.storageImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        return db->sizes.robustUniformTexelBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        return db->sizes.robustStorageTexelBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        return db->sizes.robustUniformBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return db->sizes.robustStorageBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        return db->sizes.inputAttachmentDescriptorSize;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
        return db->sizes.accelerationStructureDescriptorSize;
    default:
        vt_fail(db->vt, "a descriptor of type %d has no size", type);
    }
}

static void db_get(const struct db *db, const struct db_item *item, void *out)
{
    const VkDescriptorAddressInfoEXT address = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
                                                .address = item->address,
                                                .range = item->range_B,
                                                .format = item->format};
    VkDescriptorGetInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = item->type};
    switch (item->type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        info.data.pSampler = &item->image.sampler;
        break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        info.data.pCombinedImageSampler = &item->image;
        break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        info.data.pSampledImage = item->image.imageView ? &item->image : NULL;
        break;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
        info.data.accelerationStructure = item->address;
        break;
    default:
        info.data.pUniformBuffer = item->address ? &address : NULL;
        break;
    }
    db->get(db->vt->device, &info, db_size_B(db, item->type), out);
}

/* ---- sets ---- */

static VkDescriptorType type_of(const struct db_binding *binding)
{
    return binding->type || binding->items || binding->immutable ? binding->type : binding->item.type;
}

static uint32_t count_of(const struct db_binding *binding)
{
    return binding->count ? binding->count : 1;
}

static void destroy_layout(struct vt *vt, uint64_t handle)
{
    vkDestroyDescriptorSetLayout(vt->device, (VkDescriptorSetLayout)handle, NULL);
}

VkDescriptorSetLayout db_layout(struct db *db, const struct db_binding *bindings, uint32_t count,
                                VkDescriptorSetLayoutCreateFlags flags)
{
    VkDescriptorSetLayoutBinding infos[16];
    VkDescriptorBindingFlags each[16], any = 0;
    VkMutableDescriptorTypeListEXT lists[16];
    bool is_mutable = false;
    for (uint32_t i = 0; i < count; i++) {
        const VkDescriptorType type = type_of(&bindings[i]);
        infos[i] = (VkDescriptorSetLayoutBinding){
            i, type, count_of(&bindings[i]),
            type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_ALL,
            bindings[i].immutable};
        any |= each[i] = bindings[i].flags;
        lists[i] = bindings[i].types ? *bindings[i].types : (VkMutableDescriptorTypeListEXT){0};
        is_mutable |= bindings[i].types != NULL;
    }
    VkMutableDescriptorTypeCreateInfoEXT types = {.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                  .mutableDescriptorTypeListCount = count,
                                                  .pMutableDescriptorTypeLists = lists};
    VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .pNext = is_mutable ? &types : NULL,
        .bindingCount = count,
        .pBindingFlags = each};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .pNext = any ? (void *)&more : more.pNext,
                                            .flags = flags | VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                            .bindingCount = count,
                                            .pBindings = infos};
    VkDescriptorSetLayout layout;
    VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    if (is_mutable) {
        vkGetDescriptorSetLayoutSupport(db->vt->device, &info, &support);
        if (!support.supported)
            vt_skip(db->vt, "no such list of types");
    }
    VT_CHECK(db->vt, vkCreateDescriptorSetLayout(db->vt->device, &info, NULL, &layout));
    vt_defer(db->vt, destroy_layout, (uint64_t)layout);
    return layout;
}

struct db_set db_place(struct db *db, uint32_t memory, VkDescriptorSetLayout layout)
{
    struct db_memory *place = &db->memories[memory];
    const VkDeviceSize align_B = db->sizes.descriptorBufferOffsetAlignment;
    struct db_set set = {.layout = layout, .memory = memory};
    db->get_size(db->vt->device, layout, &set.size_B);
    set.offset_B = (place->used_B + align_B - 1) & ~(align_B - 1);
    place->used_B = set.offset_B + set.size_B;
    if (place->used_B > place->buffer.size_B)
        vt_fail(db->vt, "%zu bytes of descriptors do not suffice", (size_t)place->buffer.size_B);
    return set;
}

/* Where the images and the samplers of an array must be apart, they are. */
static void write_element(struct db *db, char *binding, const struct db_binding *from, uint32_t i, size_t stride_B)
{
    const struct db_item *item = from->items ? &from->items[i] : &from->item;
    if (item->type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
        db->sizes.combinedImageSamplerDescriptorSingleArray) {
        db_get(db, item, binding + i * stride_B);
        return;
    }
    const size_t image_B = db->sizes.sampledImageDescriptorSize, sampler_B = db->sizes.samplerDescriptorSize;
    char both[512];
    db_get(db, item, both);
    memcpy(binding + i * image_B, both, image_B);
    memcpy(binding + count_of(from) * image_B + i * sampler_B, both + image_B, sampler_B);
}

/* The largest of its types. */
static size_t stride_B(const struct db *db, const struct db_binding *binding)
{
    size_t largest_B = 0;
    if (!binding->types)
        return db_size_B(db, type_of(binding));
    for (uint32_t i = 0; i < binding->types->descriptorTypeCount; i++) {
        const size_t size_B = db_size_B(db, binding->types->pDescriptorTypes[i]);
        largest_B = size_B > largest_B ? size_B : largest_B;
    }
    return largest_B;
}

void db_write(struct db *db, void *set, VkDescriptorSetLayout layout, const struct db_binding *bindings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct db_binding *from = &bindings[i];
        const uint32_t elements = from->written ? from->written : count_of(from);
        VkDeviceSize offset_B;
        db->get_offset(db->vt->device, layout, i, &offset_B);
        char *to = (char *)set + offset_B;
        if (from->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
            memcpy(to, from->inline_data, elements);
            continue;
        }
        for (uint32_t n = 0; n < elements; n++)
            write_element(db, to, from, n, stride_B(db, from));
    }
}

void *db_map(struct db *db, const struct db_set *set)
{
    return (char *)db->memories[set->memory].buffer.map + set->offset_B;
}

struct db_set db_set(struct db *db, uint32_t memory, const struct db_binding *bindings, uint32_t count)
{
    struct db_set set = db_place(db, memory, db_layout(db, bindings, count, 0));
    db_write(db, db_map(db, &set), set.layout, bindings, count);
    return set;
}

/* ---- pipelines and commands ---- */

static void destroy_pipeline(struct vt *vt, uint64_t handle)
{
    vkDestroyPipeline(vt->device, (VkPipeline)handle, NULL);
}

VkPipeline db_compute(struct db *db, struct vt_spirv code, VkPipelineLayout layout,
                      const VkSpecializationInfo *specialization)
{
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = vt_module(db->vt, code),
                                                  .pName = "main",
                                                  .pSpecializationInfo = specialization},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(db->vt, vkCreateComputePipelines(db->vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vt_defer(db->vt, destroy_pipeline, (uint64_t)pipeline);
    return pipeline;
}

void db_bind(struct db *db, VkCommandBuffer commands)
{
    VkDescriptorBufferBindingInfoEXT infos[DB_MAX_MEMORIES];
    for (uint32_t i = 0; i < db->num_memories; i++)
        infos[i] = (VkDescriptorBufferBindingInfoEXT){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
                                                      .address = db->memories[i].buffer.address,
                                                      .usage = db->memories[i].usage};
    db->bind_buffers(commands, db->num_memories, infos);
}

void db_use(struct db *db, VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first,
            const struct db_set *sets, uint32_t count)
{
    uint32_t buffers[8];
    VkDeviceSize offsets_B[8];
    for (uint32_t i = 0; i < count; i++) {
        buffers[i] = sets[i].memory;
        offsets_B[i] = sets[i].offset_B;
    }
    db->set_offsets(commands, point, layout, first, count, buffers, offsets_B);
}

void db_dispatch(struct db *db, struct vt_spirv code, const VkSpecializationInfo *specialization,
                 const struct db_set *sets, uint32_t count, uint32_t push, uint32_t groups)
{
    VkDescriptorSetLayout layouts[8] = {0};
    for (uint32_t i = 0; i < count; i++)
        layouts[i] = sets[i].layout;
    VkPipelineLayout layout = vt_pipeline_layout(db->vt, layouts, count);
    VkPipeline pipeline = db_compute(db, code, layout, specialization);
    VkCommandBuffer commands = vt_begin(db->vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 4, &push);
    db_bind(db, commands);
    for (uint32_t i = 0; i < count; i++) {
        if (sets[i].size_B) /* else there is nothing in it */
            db_use(db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, i, &sets[i], 1);
    }
    vkCmdDispatch(commands, groups, 1, 1);
    vt_full_barrier(commands);
    vt_submit(db->vt, commands);
}

/* ---- what many cases use ---- */

VkImageView db_colored(struct vt *vt, uint32_t texel)
{
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R8G8B8A8_UNORM, 4, 4, VK_IMAGE_USAGE_SAMPLED_BIT);
    uint32_t texels[16];
    for (unsigned i = 0; i < 16; i++)
        texels[i] = texel;
    vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    return vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D);
}

void db_make_kinds(struct db *db, struct db_kinds *out)
{
    struct vt *vt = db->vt;
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    out->storage = vt_image_2d(vt, VK_FORMAT_R32_UINT, 2, 1, VK_IMAGE_USAGE_STORAGE_BIT);
    vt_upload(vt, &out->storage, 0, (uint32_t[]){1, 333}, VK_IMAGE_LAYOUT_GENERAL);
    struct vt_buffer uniform_texels = vt_buffer(vt, 16, (uint32_t[]){0, 0, 444, 0});
    struct vt_buffer uniform = vt_buffer(vt, 16, (uint32_t[]){0, 0, 666, 0});
    out->storage_texels = vt_buffer(vt, 16, (uint32_t[]){0, 0, 0, 555});
    out->words = vt_buffer(vt, 64, NULL);
    ((uint32_t *)out->words.map)[10] = 1010;
    ((uint32_t *)out->words.map)[11] = 1111;
    const struct db_binding bindings[DB_KINDS] = {
        DB_ONE(DB_SAMPLER(sampler)),
        DB_ONE(DB_SAMPLED(db_colored(vt, 0x000000a1))),
        DB_ONE(DB_COMBINED(sampler, db_colored(vt, 0x0000b200))),
        DB_ONE(DB_STORAGE_IMAGE(vt_view(vt, &out->storage, VK_IMAGE_VIEW_TYPE_2D))),
        DB_ONE(DB_UNIFORM_TEXELS(uniform_texels, VK_FORMAT_R32_UINT)),
        DB_ONE(DB_STORAGE_TEXELS(out->storage_texels, VK_FORMAT_R32_UINT)),
        DB_ONE(DB_UNIFORM(uniform)),
        DB_ONE(DB_STORAGE(out->words)),
    };
    memcpy(out->bindings, bindings, sizeof(bindings));
}

void db_check_kinds(struct vt *vt, struct db_kinds *kinds)
{
    const uint32_t *got = kinds->words.map, *texels = vt_download(vt, &kinds->storage, 0);
    db_expect(vt, got[0], 0xa1, "the sampled image's red");
    db_expect(vt, got[1], 0xb2, "the combined image's green");
    db_expect(vt, got[2], 333, "the storage image's texel");
    db_expect(vt, got[3], 444, "the uniform texel");
    db_expect(vt, got[4], 555, "the storage texel");
    db_expect(vt, got[5], 666, "the uniform word");
    db_expect(vt, texels[0], 1010, "the stored texel of the image");
    db_expect(vt, ((uint32_t *)kinds->storage_texels.map)[1], 1111, "the stored texel of the buffer");
}
