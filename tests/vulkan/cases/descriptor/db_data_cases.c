/* Descriptor buffers: inline blocks, texel buffers by address, bounds, null descriptors, mutable ones, more sets than
 * registers. */
#include <string.h>

#include "cases/descriptor/db.h"

#include "shaders/db_data_types.h"
#include "shaders/db_inline.h"
#include "shaders/db_null.h"
#include "shaders/db_robust.h"
#include "shaders/db_sets.h"
#include "shaders/db_texel_r32f.h"
#include "shaders/db_texel_r32ui.h"
#include "shaders/db_texel_rgba16f.h"
#include "shaders/db_texel_rgba32i.h"
#include "shaders/db_texel_rgba8.h"

/* ---- inline blocks ---- */

/* Blocks around another descriptor and in another set; the last one may have a variable size, of which not all is
 * there.
 */
static void case_inline(struct vt *vt, const void *argument)
{
    const uint32_t which = *(const uint32_t *)argument & 15, is_variable = *(const uint32_t *)argument & 16;
    struct db db;
    db_open(&db, vt);
    if (!vt->features13.inlineUniformBlock || (is_variable && !vt->features12.descriptorBindingVariableDescriptorCount))
        vt_skip(vt, "no inline blocks, or none of a variable size");
    uint32_t data[64];
    for (uint32_t i = 0; i < 64; i++)
        data[i] = 600 + i;
    struct vt_buffer results = vt_buffer(vt, 20 * 16, NULL);
    const struct db_binding bindings[] = {
        {.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .count = 16, .inline_data = data + 40},
        DB_ONE(DB_STORAGE(results)),
        {.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
         .count = 256,
         .inline_data = data,
         .flags = is_variable ? VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT : 0},
    };
    const struct db_binding other = {
        .type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, .count = 64, .inline_data = data + 16};
    const uint32_t memory = db_memory(&db, 8192, DB_ALL);
    struct db_set sets[] = {db_set(&db, memory, bindings, 3), db_set(&db, memory, &other, 1)};
    db_dispatch(&db, VT_SPIRV(db_inline), NULL, sets, 2, which, 1);
    const uint32_t *got = results.map;
    vt_expect_words(vt, got, data, 64, "the large block");
    vt_expect_words(vt, got + 64, data + 40, 4, "the small block");
    vt_expect_words(vt, got + 68, data + 4 * which, 4, "an index into the large block");
    vt_expect_words(vt, got + 72, data + 16 + 4 * (which & 3), 4, "an index into the other set's");
    vt_expect_words(vt, got + 76, data + 28, 4, "the end of the other set's");
}

static const uint32_t blocks[] = {0, 2, 15, 16 + 5};

/* ---- texel buffers ---- */

struct texels {
    VkFormat format;
    const uint32_t *code;
    size_t code_B;
    uint32_t count, offset_B;
};

/* A part of a buffer, and what is beside it stays as it is. */
static void case_texels(struct vt *vt, const void *argument)
{
    const struct texels *test = argument;
    struct db db;
    db_open(&db, vt);
    VkFormatProperties can;
    vkGetPhysicalDeviceFormatProperties(vt->physical, test->format, &can);
    const VkFormatFeatureFlags both =
        VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    if ((can.bufferFeatures & both) != both)
        vt_skip(vt, "no such texel buffers");
    const struct vt_format *format = vt_format(test->format);
    const uint32_t texel_B = format->texel_B, size_B = test->count * texel_B;
    struct vt_buffer from = vt_buffer(vt, test->offset_B + size_B, NULL),
                     to = vt_buffer(vt, test->offset_B + size_B + 64, NULL),
                     loaded = vt_buffer(vt, (test->count + 1) * 16, NULL);
    uint64_t seed = test->count;
    vt_random_texels(format, &seed, (char *)from.map + test->offset_B, test->count);
    memset(to.map, 0xa5, to.size_B);
    const struct db_binding bindings[] = {
        DB_ONE({VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, .address = from.address + test->offset_B, .range_B = size_B,
                .format = test->format}),
        DB_ONE({VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, .address = to.address + test->offset_B, .range_B = size_B,
                .format = test->format}),
        DB_ONE(DB_STORAGE(loaded)),
    };
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), bindings, 3);
    db_dispatch(&db, (struct vt_spirv){test->code, test->code_B}, NULL, &set, 1, 0, test->count / 64 + 1);
    const char *source = (char *)from.map + test->offset_B, *target = (char *)to.map + test->offset_B;
    for (uint32_t i = 0; i < test->count; i++)
        vt_expect_texels(vt, target + (test->count - 1 - i) * texel_B, source + i * texel_B, texel_B, 1, 1,
                         "a texel that was stored");
    const uint8_t *bytes = to.map;
    for (uint32_t i = 0; i < to.size_B; i++) {
        if ((i < test->offset_B || i >= test->offset_B + size_B) && bytes[i] != 0xa5)
            vt_fail(vt, "byte %u beside the texels was written", i);
    }
    const float *size = (const float *)loaded.map + test->count * 4;
    if (test->format == VK_FORMAT_R32_SFLOAT && size[0] != (float)test->count)
        vt_fail(vt, "%f texels, not %u", size[0], test->count);
}

#define CODE(name) name, sizeof(name)
static const struct texels texels[] = {
    {VK_FORMAT_R32_UINT, CODE(db_texel_r32ui), 100, 0},
    {VK_FORMAT_R32_SFLOAT, CODE(db_texel_r32f), 33, 0},
    {VK_FORMAT_R8G8B8A8_UNORM, CODE(db_texel_rgba8), 77, 0},
    {VK_FORMAT_R16G16B16A16_SFLOAT, CODE(db_texel_rgba16f), 65, 0},
    {VK_FORMAT_R32G32B32A32_SINT, CODE(db_texel_rgba32i), 130, 0},
    {VK_FORMAT_R8G8B8A8_UNORM, CODE(db_texel_rgba8), 31, 256},
    {VK_FORMAT_R32G32B32A32_SINT, CODE(db_texel_rgba32i), 64, 512},
};

/* ---- bounds ---- */

static void case_bounds(struct vt *vt, const void *argument)
{
    const uint32_t first = *(const uint32_t *)argument;
    struct db db;
    db_open(&db, vt);
    if (!vt->has[VT_ROBUSTNESS2])
        vt_skip(vt, "no VK_EXT_robustness2");
    uint32_t data[1024];
    for (uint32_t i = 0; i < 1024; i++)
        data[i] = 0x10000 + i;
    struct vt_buffer storage = vt_buffer(vt, sizeof(data), data), uniform = vt_buffer(vt, sizeof(data), data),
                     results = vt_buffer(vt, 1024, NULL);
    const struct db_binding bindings[] = {
        DB_ONE({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .address = storage.address + 256, .range_B = 256}),
        DB_ONE({VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .address = uniform.address + 256, .range_B = 256}),
        DB_ONE(DB_STORAGE(results)),
        DB_ONE({VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, .address = uniform.address + 256, .range_B = 256,
                .format = VK_FORMAT_R32_UINT}),
    };
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), bindings, 4);
    db_dispatch(&db, VT_SPIRV(db_robust), NULL, &set, 1, first, 1);
    const uint32_t *got = results.map;
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t at = first + 4 * i;
        db_expect(vt, got[i], at < 64 ? data[64 + at] : 0, "a storage word");
        db_expect(vt, got[64 + i], (at & 255) < 16 ? data[64 + 4 * (at & 255)] : 0, "a uniform word");
        db_expect(vt, got[128 + i], at < 64 ? data[64 + at] : 0, "a texel");
        db_expect(vt, got[192 + i], 64, "the length");
    }
    for (uint32_t i = 0; i < 1024; i++) {
        bool written = i >= 64 && i < 128 && i - 64 >= first && (i - 64 - first) % 4 == 0;
        db_expect(vt, ((uint32_t *)storage.map)[i], written ? 99 : data[i], "a word of the storage buffer afterwards");
    }
}

static const uint32_t firsts[] = {0, 50, 0x10000000};

/* ---- nothing ---- */

static void case_null(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &robustness};
    vkGetPhysicalDeviceFeatures2(vt->physical, &features);
    if (!vt->has[VT_ROBUSTNESS2] || !robustness.nullDescriptor)
        vt_skip(vt, "no null descriptors");
    struct vt_buffer results = vt_buffer(vt, 64, NULL);
    memset(results.map, 0x77, 64);
    const struct db_binding bindings[] = {
        DB_ONE(DB_STORAGE(results)),
        DB_ONE({VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}),
        DB_ONE({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}),
        DB_ONE({VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}),
        DB_ONE({VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}),
        DB_ONE({VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER}),
        DB_ONE({VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER}),
    };
    const uint32_t memory = db_memory(&db, 4096, DB_ALL);
    memset(db.memories[memory].buffer.map, 0x55, 4096);
    struct db_set set = db_set(&db, memory, bindings, 7);
    db_dispatch(&db, VT_SPIRV(db_null), NULL, &set, 1, 0, 1);
    const uint32_t *got = results.map;
    for (uint32_t i = 0; i < 8; i++)
        db_expect(vt, got[i], 0, "what is not there");
    db_expect(vt, got[8], 1234, "the last word");
}

/* ---- types that change ---- */

/* Each binding may be one of several types, and is first another one. */
static void case_mutable(struct vt *vt, const void *argument)
{
    const bool with_samplers = argument != NULL;
    struct db db;
    struct db_kinds kinds;
    db_open(&db, vt);
    if (!vt->has[VT_MUTABLE_DESCRIPTOR])
        vt_skip(vt, "no mutable descriptors");
    db_make_kinds(&db, &kinds);
    VkDescriptorType types[DB_KINDS][6];
    VkMutableDescriptorTypeListEXT lists[DB_KINDS];
    struct db_binding bindings[DB_KINDS];
    struct vt_buffer other = vt_buffer(vt, 256, NULL);
    for (uint32_t i = 0; i < DB_KINDS; i++) {
        const VkDescriptorType all[] = {
            VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,        VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
            VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
            VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
        bindings[i] = kinds.bindings[i];
        if (i < 3 && !(with_samplers && i != 1)) /* these stay what they are */
            continue;
        memcpy(types[i], all, sizeof(all));
        if (i < 3)
            types[i][0] = kinds.bindings[i].item.type;
        lists[i] = (VkMutableDescriptorTypeListEXT){i < 3 ? 1 + (i == 2) : 6, types[i]};
        bindings[i].type = VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
        bindings[i].types = &lists[i];
    }
    struct db_set set = db_place(&db, db_memory(&db, 4096, DB_ALL), db_layout(&db, bindings, DB_KINDS, 0));
    for (unsigned round = 0; round < 2; round++) {
        struct db_binding now[DB_KINDS];
        memcpy(now, bindings, sizeof(now));
        for (uint32_t i = 3; !round && i < DB_KINDS; i++)
            now[i].item = (struct db_item)DB_STORAGE(other);
        db_write(&db, db_map(&db, &set), set.layout, now, DB_KINDS);
    }
    db_dispatch(&db, VT_SPIRV(db_data_types), NULL, &set, 1, 0, 1);
    db_check_kinds(vt, &kinds);
}

/* A layout that a driver supports can be made, and the other way round; one whose samplers would have two places is the
 * driver's to refuse. */
static void case_two_places(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    if (!vt->has[VT_MUTABLE_DESCRIPTOR])
        vt_skip(vt, "no mutable descriptors");
    const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_SAMPLER, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};
    const VkMutableDescriptorTypeListEXT list = {2, types};
    const VkMutableDescriptorTypeCreateInfoEXT mutable = {.sType =
                                                              VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                          .mutableDescriptorTypeListCount = 1,
                                                          .pMutableDescriptorTypeLists = &list};
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 1, VK_SHADER_STAGE_ALL, NULL};
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = &mutable,
                                                  .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                                  .bindingCount = 1,
                                                  .pBindings = &binding};
    VkDescriptorSetLayoutSupport support = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
    vkGetDescriptorSetLayoutSupport(vt->device, &info, &support);
    if (!support.supported)
        return;
    VkDescriptorSetLayout layout;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &info, NULL, &layout));
    vkDestroyDescriptorSetLayout(vt->device, layout, NULL);
}

/* ---- many sets ---- */

/* More sets than fit into registers, the last but one an inline block. */
static void case_many_sets(struct vt *vt, const void *argument)
{
    struct db db;
    db_open(&db, vt);
    if (vt->properties.limits.maxBoundDescriptorSets < 16)
        vt_skip(vt, "fewer than 16 sets");
    const uint32_t memory = db_memory(&db, 16384, DB_ALL), within[4] = {14000};
    struct vt_buffer results = vt_buffer(vt, 64, NULL);
    struct db_set sets[16];
    VkDescriptorSetLayout layouts[16];
    uint32_t expected[15];
    for (uint32_t i = 0; i < 16; i++) {
        struct vt_buffer word = vt_buffer(vt, 16, (uint32_t[]){1000 * i, 0, 0, 0});
        const struct db_binding inline_block = {.type = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK,
                                                .count = 16,
                                                .inline_data = within},
                                plain = DB_ONE(DB_UNIFORM(word)), last = DB_ONE(DB_STORAGE(results));
        sets[i] = db_set(&db, memory, i == 15 ? &last : i == 14 ? &inline_block : &plain, 1);
        layouts[i] = sets[i].layout;
        if (i < 15)
            expected[i] = 1000 * i;
    }
    VkPipelineLayout layout = vt_pipeline_layout(vt, layouts, 16);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, db_compute(&db, VT_SPIRV(db_sets), layout, NULL));
    db_bind(&db, commands);
    db_use(&db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, sets, 8);
    db_use(&db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 8, sets + 8, 8);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, results.map, expected, 15, "words of many sets");
}

const struct vt_case vt_db_data_cases[] = {
    {"inline blocks", case_inline, &blocks[0]},
    {"inline blocks by another index", case_inline, &blocks[1]},
    {"inline blocks by the last index", case_inline, &blocks[2]},
    {"inline block of a variable size", case_inline, &blocks[3]},
    {"texels r32 uint", case_texels, &texels[0]},
    {"texels r32 sfloat", case_texels, &texels[1]},
    {"texels r8g8b8a8 unorm", case_texels, &texels[2]},
    {"texels r16g16b16a16 sfloat", case_texels, &texels[3]},
    {"texels r32g32b32a32 sint", case_texels, &texels[4]},
    {"texels r8g8b8a8 unorm in the middle", case_texels, &texels[5]},
    {"texels r32g32b32a32 sint in the middle", case_texels, &texels[6]},
    {"bounds within", case_bounds, &firsts[0]},
    {"bounds across", case_bounds, &firsts[1]},
    {"bounds far beyond", case_bounds, &firsts[2]},
    {"null descriptors", case_null, NULL},
    {"types that change", case_mutable, NULL},
    {"types that change, samplers among them", case_mutable, vt_db_data_cases},
    {"samplers of two places", case_two_places, NULL},
    {"sixteen sets", case_many_sets, NULL},
};
const size_t vt_db_data_count = COUNT_OF(vt_db_data_cases);
