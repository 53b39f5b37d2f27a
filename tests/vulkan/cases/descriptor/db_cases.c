/* Descriptor buffers, by compute shaders: sizes and places, every type of descriptor, arrays, variable counts.
 * db_data_cases.c has what is special about some, db_command_cases.c what commands do with them. */
#include <stdlib.h>
#include <string.h>

#include "cases/descriptor/db.h"

#include "shaders/db_buffers.h"
#include "shaders/db_copy.h"
#include "shaders/db_indexed.h"
#include "shaders/db_indexed_own.h"
#include "shaders/db_many.h"
#include "shaders/db_split.h"
#include "shaders/db_textures_constant.h"
#include "shaders/db_textures_own.h"
#include "shaders/db_textures_same.h"
#include "shaders/db_types.h"

/* ---- what a driver says ---- */

static void case_limits(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    const VkPhysicalDeviceDescriptorBufferPropertiesEXT *sizes = &db.sizes;
    const VkDeviceSize align_B = sizes->descriptorBufferOffsetAlignment;
    if (!align_B || align_B & (align_B - 1) || align_B > 256)
        vt_fail(vt, "offsets are aligned to %zu bytes", (size_t)align_B);
    for (VkDescriptorType type = 0; type <= VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT; type++) {
        if (type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
            continue;
        if (db_size_B(&db, type) < 4 || db_size_B(&db, type) > 256)
            vt_fail(vt, "a descriptor of type %d has %zu bytes", type, db_size_B(&db, type));
    }
    if (sizes->robustUniformBufferDescriptorSize < sizes->uniformBufferDescriptorSize ||
        sizes->robustStorageBufferDescriptorSize < sizes->storageBufferDescriptorSize ||
        sizes->robustUniformTexelBufferDescriptorSize < sizes->uniformTexelBufferDescriptorSize ||
        sizes->robustStorageTexelBufferDescriptorSize < sizes->storageTexelBufferDescriptorSize)
        vt_fail(vt, "a descriptor with checked bounds is smaller than one without");
    /* The least that the specification allows. */
    if (sizes->maxDescriptorBufferBindings < 3 || sizes->maxResourceDescriptorBufferBindings < 1 ||
        sizes->maxSamplerDescriptorBufferBindings < 1 || sizes->maxEmbeddedImmutableSamplerBindings < 1 ||
        sizes->maxEmbeddedImmutableSamplers < 2032)
        vt_fail(vt, "too few bindings");
    if (sizes->maxResourceDescriptorBufferRange < ((1u << 20) - (1u << 15)) * sizes->sampledImageDescriptorSize ||
        sizes->maxSamplerDescriptorBufferRange < 2048 * sizes->samplerDescriptorSize ||
        sizes->descriptorBufferAddressSpaceSize < 1u << 27)
        vt_fail(vt, "too little memory");
}

/* Bindings do not overlap, end within the set, and an array is as long as its elements. */
static void case_places(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    const struct db_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 3},
        {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 2},
        {.item = {.type = VK_DESCRIPTOR_TYPE_SAMPLER}, .count = 5},
        {.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .count = 36},
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .count = 3},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
        {.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, .count = 2},
        {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
         .count = 100,
         .flags = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT},
    };
    VkDescriptorSetLayout layout = db_layout(&db, bindings, COUNT_OF(bindings), 0);
    VkDeviceSize size_B, from_B[COUNT_OF(bindings)], to_B[COUNT_OF(bindings)];
    db.get_size(vt->device, layout, &size_B);
    for (uint32_t i = 0; i < COUNT_OF(bindings); i++) {
        const bool is_inline = bindings[i].type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        const uint32_t count = bindings[i].count ? bindings[i].count : 1;
        db.get_offset(vt->device, layout, i, &from_B[i]);
        to_B[i] = from_B[i] + (is_inline ? count : count * db_size_B(&db, bindings[i].type));
        if (to_B[i] > size_B)
            vt_fail(vt, "binding %u ends at %zu, the set at %zu", i, (size_t)to_B[i], (size_t)size_B);
        for (uint32_t n = 0; n < i; n++) {
            if (from_B[i] < to_B[n] && from_B[n] < to_B[i])
                vt_fail(vt, "bindings %u and %u overlap", n, i);
        }
        if (i + 1 < COUNT_OF(bindings))
            continue;
        for (uint32_t n = 0; n < i; n++) {
            const bool may_follow =
                vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE && n == 3; /* lavapipe's inline blocks do */
            if (from_B[n] > from_B[i] && !may_follow)
                vt_fail(vt, "binding %u is behind that of a variable count", n);
        }
    }
}

/* ---- every type ---- */

enum way {
    PLAIN,
    NO_LAYOUTS,
    ODD_PLACE,
    COPIED,
    BY_SHADER,
    FAR,
};

/* The GPU brings descriptors to where they are read, and a barrier that names descriptor buffers is all that
 * follows. */
static void bring_descriptors(struct db *db, VkCommandBuffer commands, enum way way, const struct db_set *set,
                              const struct vt_buffer *staging)
{
    struct vt *vt = db->vt;
    const struct vt_buffer *to = &db->memories[set->memory].buffer;
    if (way == COPIED) {
        const VkBufferCopy region = {0, set->offset_B, set->size_B};
        vkCmdCopyBuffer(commands, staging->buffer, to->buffer, 1, &region);
    } else {
        struct vt_binding bindings[] = {
            VT_STORAGE_BUFFER(*staging),
            {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buffer = {to->buffer, set->offset_B, set->size_B}}};
        struct vt_set plain = vt_set(vt, bindings, 2);
        VkPipelineLayout layout = vt_pipeline_layout(vt, &plain.layout, 1);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                          vt_compute_pipeline(vt, VT_SPIRV(db_copy), layout, NULL));
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &plain.set, 0, NULL);
        vkCmdDispatch(commands, ((uint32_t)set->size_B + 255) / 256, 1, 1);
    }
    const VkMemoryBarrier2 memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
        .srcStageMask = way == COPIED ? VK_PIPELINE_STAGE_2_COPY_BIT : VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        .srcAccessMask = way == COPIED ? VK_ACCESS_2_TRANSFER_WRITE_BIT : VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
        .dstAccessMask = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT};
    const VkDependencyInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
    vkCmdPipelineBarrier2(commands, &info);
}

/* Twice: before the second time other descriptors are there, which must not be remembered. */
static void run_brought(struct db *db, enum way way, const struct db_set *set, const struct db_binding *bindings)
{
    struct vt *vt = db->vt;
    VkPipelineLayout layout = vt_pipeline_layout(vt, &set->layout, 1);
    VkPipeline pipeline = db_compute(db, VT_SPIRV(db_types), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    struct db_kinds others;
    db_make_kinds(db, &others);
    for (unsigned round = 0; round < 2; round++) {
        struct vt_buffer staging = vt_buffer(vt, set->size_B, NULL);
        db_write(db, staging.map, set->layout, round ? bindings : others.bindings, DB_KINDS);
        bring_descriptors(db, commands, way, set, &staging);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        db_bind(db, commands);
        db_use(db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, set, 1);
        vkCmdDispatch(commands, 1, 1, 1);
        vt_full_barrier(commands);
    }
    vt_submit(vt, commands);
    db_check_kinds(vt, &others);
}

static void case_types(struct vt *vt, const void *argument)
{
    const enum way way = *(const enum way *)argument;
    struct db db;
    struct db_kinds kinds;
    db_open(&db, vt);
    db_make_kinds(&db, &kinds);
    if (way == NO_LAYOUTS && !db.features.descriptorBufferImageLayoutIgnored)
        vt_skip(vt, "layouts of images count");
    for (uint32_t i = 0; way == NO_LAYOUTS && i < DB_KINDS; i++)
        kinds.bindings[i].item.image.imageLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    const uint32_t memory = db_memory(&db, way == FAR ? 9 << 20 : 8192, DB_ALL);
    if (way == FAR)
        db.memories[memory].used_B = (8 << 20) + 1;
    struct db_set set = db_place(&db, memory, db_layout(&db, kinds.bindings, DB_KINDS, 0));
    if (way == ODD_PLACE) {
        char *odd = malloc(set.size_B + 1);
        db_write(&db, odd + 1, set.layout, kinds.bindings, DB_KINDS);
        memcpy(db_map(&db, &set), odd + 1, set.size_B);
        free(odd);
    } else if (way == COPIED || way == BY_SHADER) {
        run_brought(&db, way, &set, kinds.bindings);
        db_check_kinds(vt, &kinds);
        return;
    } else {
        db_write(&db, db_map(&db, &set), set.layout, kinds.bindings, DB_KINDS);
    }
    db_dispatch(&db, VT_SPIRV(db_types), NULL, &set, 1, 0, 1);
    db_check_kinds(vt, &kinds);
}

static const enum way ways[] = {PLAIN, NO_LAYOUTS, ODD_PLACE, COPIED, BY_SHADER, FAR};

/* Samplers in a buffer of their own. The immutable ones are in memory, too. */
static void case_apart(struct vt *vt, const void *argument)
{
    const uint32_t shift = *(const uint32_t *)argument & 3, immutable = *(const uint32_t *)argument & 4;
    struct db db;
    db_open(&db, vt);
    VkSampler samplers[2] = {
        vt_sampler(vt, (VkSamplerCreateInfo){0}),
        vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR})};
    const uint32_t reds[2][2] = {{0, 200}, {40, 240}};
    struct db_item images[2], items[2] = {DB_SAMPLER(samplers[0]), DB_SAMPLER(samplers[1])};
    for (unsigned i = 0; i < 2; i++) {
        struct vt_image image = vt_image_2d(vt, VK_FORMAT_R8G8B8A8_UNORM, 2, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
        vt_upload(vt, &image, 0, reds[i], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        images[i] = (struct db_item)DB_SAMPLED(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D));
    }
    struct vt_buffer results = vt_buffer(vt, 32, NULL);
    const struct db_binding of_images[] = {{.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 2, .items = images},
                                           DB_ONE(DB_STORAGE(results))};
    const struct db_binding of_samplers = {.count = 2, .items = items, .immutable = immutable ? samplers : NULL};
    const uint32_t resources = db_memory(&db, 4096, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT),
                   sampling = db_memory(&db, 4096, VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT);
    struct db_set sets[] = {db_set(&db, resources, of_images, 2), db_set(&db, sampling, &of_samplers, 1)};
    db_dispatch(&db, VT_SPIRV(db_split), NULL, sets, 2, shift, 1);
    const uint32_t *got = results.map, reads[2][2] = {{0, 50}, {40, 90}};
    for (uint32_t i = 0; i < 4; i++)
        db_expect(vt, got[i], reads[(i / 2 + shift / 2) & 1][(i + shift) & 1], "what a sampler reads");
    db_expect(vt, got[4], reads[1][0], "the second image by the first sampler");
    db_expect(vt, got[5], reads[0][1], "the first image by the second sampler");
}

static const uint32_t shifts[] = {0, 1, 2, 3, 4, 5};

/* ---- arrays ---- */

/* Arrays in set 0, a result in set 1, nothing in set 2, a binding after unused ones in set 3. */
static void case_arrays(struct vt *vt, const void *argument)
{
    const uint32_t rotate = *(const uint32_t *)argument;
    struct db db;
    db_open(&db, vt);
    uint32_t data[4 * 64 * 2] = {0}, more[4] = {31, 32, 33, 34};
    for (uint32_t i = 0; i < 4; i++) {
        data[i * 64 + 1] = 100 + i;
        data[256 + i * 64 + i] = 200 + i;
    }
    struct vt_buffer buffer = vt_buffer(vt, sizeof(data), data), results = vt_buffer(vt, 64, NULL),
                     last = vt_buffer(vt, sizeof(more), more);
    struct db_item uniforms[4], storages[4];
    for (uint32_t i = 0; i < 4; i++) {
        uniforms[i] =
            (struct db_item){VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .address = buffer.address + i * 256, .range_B = 16};
        storages[i] = (struct db_item){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .address = buffer.address + 1024 + i * 256,
                                       .range_B = 256};
    }
    const struct db_binding first[] = {{.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .count = 4, .items = uniforms},
                                       {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 4, .items = storages}},
                            second[] = {DB_ONE(DB_STORAGE(results))},
                            fourth[] = {DB_ONE(DB_STORAGE(results)), DB_ONE(DB_UNIFORM(buffer)),
                                        DB_ONE(DB_UNIFORM(last))};
    const uint32_t memory = db_memory(&db, 8192, DB_ALL);
    struct db_set sets[] = {db_set(&db, memory, first, 2), db_set(&db, memory, second, 1),
                            db_place(&db, memory, db_layout(&db, NULL, 0, 0)), db_set(&db, memory, fourth, 3)};
    db_dispatch(&db, VT_SPIRV(db_buffers), VT_CONSTANTS((int32_t)rotate), sets, 4, 0, 1);
    const uint32_t *got = results.map, *after = buffer.map;
    for (uint32_t i = 0; i < 4; i++) {
        db_expect(vt, got[i], 100 + ((i + rotate) & 3), "a word of the uniform array");
        db_expect(vt, got[4 + i], 200 + ((i + rotate) & 3), "a word of the storage array");
        db_expect(vt, got[8 + i], 31 + i, "a word of set 3");
        db_expect(vt, after[256 + 2 * 64 + 8 + i], 70 + i, "a word stored to element 2");
    }
}

struct image_array {
    const uint32_t *code;
    size_t code_B;
    uint32_t kind, shift;
};

static void case_image_array(struct vt *vt, const void *argument)
{
    const struct image_array *test = argument;
    struct db db;
    db_open(&db, vt);
    if (test->kind == 2 && !vt->features12.shaderSampledImageArrayNonUniformIndexing)
        vt_skip(vt, "no shaderSampledImageArrayNonUniformIndexing");
    VkSampler sampler = vt_sampler(vt, (VkSamplerCreateInfo){0});
    struct db_item images[8];
    for (uint32_t i = 0; i < 8; i++)
        images[i] = (struct db_item)DB_COMBINED(sampler, db_colored(vt, (i + 1) * 0x05040302));
    struct vt_buffer results = vt_buffer(vt, 8 * 16, NULL);
    const struct db_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .count = 8, .items = images}, DB_ONE(DB_STORAGE(results))};
    struct db_set set = db_set(&db, db_memory(&db, 8192, DB_ALL), bindings, 2);
    db_dispatch(&db, (struct vt_spirv){test->code, test->code_B}, NULL, &set, 1, test->shift, 1);
    for (uint32_t k = 0; k < 8; k++) {
        if (test->kind == 0 && k != 0 && k != 3 && k != 7)
            continue;
        uint32_t image = test->kind == 0 ? k : (k * (test->kind == 2 ? 5 : 1) + test->shift) & 7;
        for (uint32_t c = 0; c < 4; c++)
            db_expect(vt, (uint32_t)(((float *)results.map)[4 * k + c] * 255 + 0.5f), (image + 1) * (c + 2),
                      "a component of an image");
    }
}

#define CODE(name) name, sizeof(name)
static const struct image_array image_arrays[] = {{CODE(db_textures_constant), 0, 0},
                                                  {CODE(db_textures_same), 1, 3},
                                                  {CODE(db_textures_own), 2, 0},
                                                  {CODE(db_textures_own), 2, 6}};

struct indexed {
    bool own;
    uint32_t shift;
};

/* Four of every kind, of which each has data of its own. */
static void case_indexed(struct vt *vt, const void *argument)
{
    const struct indexed *test = argument;
    struct db db;
    db_open(&db, vt);
    if (test->own && (!vt->features12.shaderUniformBufferArrayNonUniformIndexing ||
                      !vt->features12.shaderStorageTexelBufferArrayNonUniformIndexing ||
                      !vt->features12.shaderStorageImageArrayNonUniformIndexing))
        vt_skip(vt, "no indices of lanes' own");
    struct db_item items[6][4];
    struct vt_buffer storages[4], results = vt_buffer(vt, 64 * 32, NULL);
    for (uint32_t n = 0; n < 4; n++) {
        uint32_t words[128];
        for (uint32_t i = 0; i < 128; i++)
            words[i] = n * 1000 + i;
        storages[n] = vt_buffer(vt, sizeof(words), words);
        struct vt_buffer uniform = vt_buffer(vt, 16, (uint32_t[]){0, 7000 + n, 0, 0}),
                         texels = vt_buffer(vt, sizeof(words), words), stores = vt_buffer(vt, sizeof(words), words);
        struct vt_image image = vt_image_2d(vt, VK_FORMAT_R32_UINT, 8, 16, VK_IMAGE_USAGE_STORAGE_BIT),
                        texture = vt_image_2d(vt, VK_FORMAT_R32_UINT, 8, 16, VK_IMAGE_USAGE_SAMPLED_BIT);
        vt_upload(vt, &image, 0, words, VK_IMAGE_LAYOUT_GENERAL);
        vt_upload(vt, &texture, 0, words, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        items[0][n] = (struct db_item)DB_UNIFORM(uniform);
        items[1][n] = (struct db_item)DB_STORAGE(storages[n]);
        items[2][n] = (struct db_item)DB_STORAGE_IMAGE(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D));
        items[3][n] = (struct db_item)DB_UNIFORM_TEXELS(texels, VK_FORMAT_R32_UINT);
        items[4][n] = (struct db_item)DB_STORAGE_TEXELS(stores, VK_FORMAT_R32_UINT);
        items[5][n] = (struct db_item)DB_SAMPLED(vt_view(vt, &texture, VK_IMAGE_VIEW_TYPE_2D));
    }
    struct db_binding bindings[7] = {[6] = DB_ONE(DB_STORAGE(results))};
    for (unsigned i = 0; i < 6; i++)
        bindings[i] = (struct db_binding){.type = items[i][0].type, .count = 4, .items = items[i]};
    struct db_set set = db_set(&db, db_memory(&db, 8192, DB_ALL), bindings, 7);
    db_dispatch(&db, test->own ? VT_SPIRV(db_indexed_own) : VT_SPIRV(db_indexed), NULL, &set, 1, test->shift, 1);
    const uint32_t *got = results.map;
    for (uint32_t i = 0; i < 64; i++, got += 8) {
        const uint32_t n = (test->own ? i * 3 + i / 5 + test->shift : test->shift) & 3;
        db_expect(vt, got[7], n, "the index");
        db_expect(vt, got[0], 7000 + n, "a uniform word");
        for (unsigned k = 1; k < 6; k++)
            db_expect(vt, got[k], n * 1000 + i, "a word by index");
        db_expect(vt, got[6], test->own ? n : 128, "the length of a buffer");
        db_expect(vt, ((uint32_t *)storages[n].map)[64 + i], i + 1, "a stored word");
    }
}

static const struct indexed indices[] = {{false, 0}, {false, 3}, {true, 0}, {true, 1}};

/* Memory ends with the last descriptor that is there. */
static void case_variable(struct vt *vt, const void *argument)
{
    const uint32_t count = *(const uint32_t *)argument;
    struct db db;
    db_open(&db, vt);
    if (!vt->features12.descriptorBindingVariableDescriptorCount || !vt->features12.runtimeDescriptorArray ||
        !vt->features12.shaderStorageBufferArrayNonUniformIndexing)
        vt_skip(vt, "no arrays of a variable count");
    struct vt_buffer results = vt_buffer(vt, 256, NULL);
    struct db_item items[64];
    for (uint32_t i = 0; i < count; i++) {
        struct vt_buffer words = vt_buffer(vt, 16, (uint32_t[]){i * 10, i * 10 + 1, i * 10 + 2, i * 10 + 3});
        items[i] = (struct db_item)DB_STORAGE(words);
    }
    const struct db_binding bindings[] = {DB_ONE(DB_STORAGE(results)),
                                          {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .count = 10000,
                                           .items = items,
                                           .written = count,
                                           .flags = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT}};
    VkDescriptorSetLayout layout = db_layout(&db, bindings, 2, 0);
    VkDeviceSize offset_B;
    db.get_offset(vt->device, layout, 1, &offset_B);
    const VkDeviceSize size_B = offset_B + count * db_size_B(&db, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
    struct db_set set = {.layout = layout, .memory = db_memory(&db, size_B, DB_ALL), .size_B = size_B};
    db_write(&db, db_map(&db, &set), layout, bindings, 2);
    db_dispatch(&db, VT_SPIRV(db_many), NULL, &set, 1, count, 1);
    for (uint32_t i = 0; i < 64; i++)
        db_expect(vt, ((uint32_t *)results.map)[i], i * 7 % count * 10 + (i & 3), "a word of a buffer by number");
}

static const uint32_t counts[] = {1, 7, 64};

const struct vt_case vt_db_cases[] = {
    {"sizes and limits", case_limits, NULL},
    {"places of bindings", case_places, NULL},
    {"every type", case_types, &ways[0]},
    {"every type, images without layouts", case_types, &ways[1]},
    {"every type, written at an odd address", case_types, &ways[2]},
    {"every type, copied by the GPU", case_types, &ways[3]},
    {"every type, written by a shader", case_types, &ways[4]},
    {"every type, far into a buffer", case_types, &ways[5]},
    {"samplers apart", case_apart, &shifts[0]},
    {"samplers apart, the others first", case_apart, &shifts[1]},
    {"samplers apart, images exchanged", case_apart, &shifts[2]},
    {"samplers apart, both exchanged", case_apart, &shifts[3]},
    {"immutable samplers", case_apart, &shifts[4]},
    {"immutable samplers, the others first", case_apart, &shifts[5]},
    {"arrays and sets", case_arrays, &shifts[0]},
    {"arrays by another index", case_arrays, &shifts[1]},
    {"arrays by a third index", case_arrays, &shifts[3]},
    {"images by constant index", case_image_array, &image_arrays[0]},
    {"images by uniform index", case_image_array, &image_arrays[1]},
    {"images by own index", case_image_array, &image_arrays[2]},
    {"images by shifted index", case_image_array, &image_arrays[3]},
    {"arrays of every kind, element 0", case_indexed, &indices[0]},
    {"arrays of every kind, element 3", case_indexed, &indices[1]},
    {"arrays of every kind by own index", case_indexed, &indices[2]},
    {"arrays of every kind by shifted index", case_indexed, &indices[3]},
    {"variable count 1", case_variable, &counts[0]},
    {"variable count 7", case_variable, &counts[1]},
    {"variable count 64", case_variable, &counts[2]},
};
const size_t vt_db_count = COUNT_OF(vt_db_cases);
