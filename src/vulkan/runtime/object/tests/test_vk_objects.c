/* Objects that the runtime implements alone: private data, shader modules, the pipeline cache and its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_instance.h"
#include "vulkan/runtime/device/vk_physical_device.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_cache.h"
#include "vulkan/runtime/pipeline/vk_shader_module.h"

static struct vk_instance instance;
static struct vk_physical_device physical;
static struct vk_device device;
static struct vk_icd icd;
static const struct vk_driver driver = {.name = "test"};
static const struct vk_device_extensions no_extensions;
static const struct vk_features no_features;

static VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *properties)
{
    memset(properties, 0, sizeof(*properties));
    properties->vendorID = 0x1002;
    properties->deviceID = 0x73bf;
    memset(properties->pipelineCacheUUID, 0x5a, VK_UUID_SIZE);
}

/* ---- a thing to cache: a text ---- */

static int alive;

struct text {
    struct vk_cached base;
    size_t size_B;
    char text[64];
};

static bool serialize_entry(struct vk_cached *cached, void *data, size_t *size_B)
{
    struct text *text = (struct text *)cached;
    if (data)
        memcpy(data, text->text, text->size_B);
    *size_B = text->size_B;
    return true;
}

static struct vk_cached *deserialize_entry(struct vk_device *dev, const uint8_t key[VK_HASH_SIZE_B], const void *data,
                                           size_t size_B);
static void destroy_entry(struct vk_device *dev, struct vk_cached *cached)
{
    alive--;
    free(cached);
}

static const struct vk_cached_ops text_ops = {
    .kind = 7, .serialize = serialize_entry, .deserialize = deserialize_entry, .destroy = destroy_entry};
static const struct vk_cached_ops *const kinds[] = {&text_ops, NULL};

static struct vk_cached *make_text(const uint8_t key[VK_HASH_SIZE_B], const void *data, size_t size_B)
{
    struct text *text = calloc(1, sizeof(*text));
    if (!text || size_B > sizeof(text->text)) {
        free(text);
        return NULL;
    }
    vk_cached_init(&text->base, &text_ops, key);
    memcpy(text->text, data, size_B);
    text->size_B = size_B;
    alive++;
    return &text->base;
}

static struct vk_cached *deserialize_entry(struct vk_device *dev, const uint8_t key[VK_HASH_SIZE_B], const void *data,
                                           size_t size_B)
{
    return make_text(key, data, size_B);
}

static int setup(void **state)
{
    instance = (struct vk_instance){.icd = &icd, .alloc = vk_default_allocator, .api_version = VK_API_VERSION_1_3};
    struct vk_physical_device_dispatch entrypoints;
    memset(&entrypoints, 0, sizeof(entrypoints));
    entrypoints.GetPhysicalDeviceProperties = get_properties;
    struct vk_physical_device_info info = {.driver = &driver,
                                           .api_version = VK_API_VERSION_1_3,
                                           .entrypoints = &entrypoints,
                                           .supported_extensions = &no_extensions,
                                           .supported_features = &no_features};
    VkDeviceCreateInfo create = vk_struct_init(VkDeviceCreateInfo);
    if (vk_physical_device_init(&physical, &instance, &info) != VK_SUCCESS)
        return -1;
    VkResult result = vk_device_init(&device, &physical, &create, NULL, &(struct vk_device_dispatch){0}, NULL, 0);
    device.cached_kinds = kinds;
    return result;
}

static int teardown(void **state)
{
    vk_device_finish(&device);
    vk_physical_device_finish(&physical);
    return 0;
}

static VkDevice dev(void)
{
    return vk_device_to_handle(&device);
}

static void private_data_is_zero_until_set_and_dies_with_its_object(void **state)
{
    VkPrivateDataSlotCreateInfo info = vk_struct_init(VkPrivateDataSlotCreateInfo);
    VkPrivateDataSlot a, b;
    assert_int_equal(vk_common_CreatePrivateDataSlot(dev(), &info, NULL, &a), VK_SUCCESS);
    assert_int_equal(vk_common_CreatePrivateDataSlot(dev(), &info, NULL, &b), VK_SUCCESS);
    struct vk_object_base object;
    for (unsigned round = 0; round < 2; round++) {
        uint64_t value = 1;
        vk_object_base_init(&object, &device, VK_OBJECT_TYPE_BUFFER);
        uint64_t handle = (uintptr_t)&object;
        vk_common_GetPrivateData(dev(), VK_OBJECT_TYPE_BUFFER, handle, a, &value);
        assert_int_equal(value, 0);
        assert_int_equal(vk_common_SetPrivateData(dev(), VK_OBJECT_TYPE_BUFFER, handle, a, 5), VK_SUCCESS);
        assert_int_equal(vk_common_SetPrivateData(dev(), VK_OBJECT_TYPE_BUFFER, handle, b, 6), VK_SUCCESS);
        assert_int_equal(vk_common_SetPrivateData(dev(), VK_OBJECT_TYPE_BUFFER, handle, a, 7), VK_SUCCESS);
        vk_common_GetPrivateData(dev(), VK_OBJECT_TYPE_BUFFER, handle, a, &value);
        assert_int_equal(value, 7);
        vk_common_GetPrivateData(dev(), VK_OBJECT_TYPE_BUFFER, handle, b, &value);
        assert_int_equal(value, 6);
        vk_object_base_finish(&object);
    }
    vk_common_DestroyPrivateDataSlot(dev(), a, NULL);
    vk_common_DestroyPrivateDataSlot(dev(), b, NULL);
}

static void an_identifier_names_a_module_by_its_words(void **state)
{
    const uint32_t words[] = {0x07230203, 0x10000, 0, 1, 0};
    VkShaderModuleCreateInfo info = vk_struct_init(VkShaderModuleCreateInfo);
    info.codeSize = sizeof(words);
    info.pCode = words;
    VkShaderModule module;
    assert_int_equal(vk_common_CreateShaderModule(dev(), &info, NULL, &module), VK_SUCCESS);
    VkShaderModuleIdentifierEXT a = vk_struct_init(VkShaderModuleIdentifierEXT), b = a;
    vk_common_GetShaderModuleIdentifierEXT(dev(), module, &a);
    vk_common_GetShaderModuleCreateInfoIdentifierEXT(dev(), &info, &b);
    assert_true(a.identifierSize > 0 && a.identifierSize <= VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT);
    assert_int_equal(a.identifierSize, b.identifierSize);
    assert_memory_equal(a.identifier, b.identifier, a.identifierSize);

    VkPipelineShaderStageCreateInfo stage = vk_struct_init(VkPipelineShaderStageCreateInfo);
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT id =
        vk_struct_init(VkPipelineShaderStageModuleIdentifierCreateInfoEXT);
    id.identifierSize = a.identifierSize;
    id.pIdentifier = a.identifier;
    uint8_t from_module[VK_HASH_SIZE_B], from_id[VK_HASH_SIZE_B];
    stage.module = module;
    assert_true(vk_stage_hash(&stage, from_module));
    stage.module = VK_NULL_HANDLE;
    stage.pNext = &id;
    assert_true(vk_stage_hash(&stage, from_id));
    assert_memory_equal(from_module, from_id, VK_HASH_SIZE_B);
    id.identifierSize = 3;
    assert_false(vk_stage_hash(&stage, from_id));
    vk_common_DestroyShaderModule(dev(), module, NULL);
}

static void key_of(unsigned i, uint8_t key_out[VK_HASH_SIZE_B])
{
    vk_hash_bytes(&i, sizeof(i), key_out);
}

static VkPipelineCache new_cache(const void *data, size_t size_B)
{
    VkPipelineCacheCreateInfo info = vk_struct_init(VkPipelineCacheCreateInfo);
    info.initialDataSize = size_B;
    info.pInitialData = data;
    VkPipelineCache cache;
    assert_int_equal(vk_common_CreatePipelineCache(dev(), &info, NULL, &cache), VK_SUCCESS);
    return cache;
}

static unsigned known(VkPipelineCache cache, unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        uint8_t key[VK_HASH_SIZE_B];
        key_of(i, key);
        struct vk_cached *cached = vk_pipeline_cache_find(vk_pipeline_cache_from_handle(cache), key, &text_ops);
        if (cached) {
            assert_int_equal(((struct text *)cached)->text[0], (char)i);
            found++;
        }
        vk_cached_unref(&device, cached);
    }
    return found;
}

static void fill_cache(VkPipelineCache cache, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t key[VK_HASH_SIZE_B];
        char text[64] = {(char)i};
        key_of(i, key);
        struct vk_cached *cached = make_text(key, text, 1 + i % 60);
        vk_cached_unref(&device, vk_pipeline_cache_add(vk_pipeline_cache_from_handle(cache), cached));
    }
}

static void *file_of(VkPipelineCache cache, size_t *size_B)
{
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), cache, size_B, NULL), VK_SUCCESS);
    void *data = malloc(*size_B);
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), cache, size_B, data), VK_SUCCESS);
    return data;
}

static void a_cache_finds_what_was_put_in_and_keeps_it_in_a_file(void **state)
{
    VkPipelineCache cache = new_cache(NULL, 0);
    fill_cache(cache, 300);
    fill_cache(cache, 300); /* again: nothing becomes two */
    assert_int_equal(alive, 300);
    assert_int_equal(known(cache, 310), 300);
    size_t size_B;
    void *data = file_of(cache, &size_B);
    VkPipelineCache again = new_cache(data, size_B), merged = new_cache(NULL, 0);
    assert_int_equal(known(again, 310), 300);
    fill_cache(merged, 10);
    assert_int_equal(vk_common_MergePipelineCaches(dev(), merged, 1, &again), VK_SUCCESS);
    assert_int_equal(known(merged, 310), 300);

    size_t small_B = size_B / 2;
    assert_int_equal(vk_common_GetPipelineCacheData(dev(), cache, &small_B, data), VK_INCOMPLETE);
    assert_true(small_B <= size_B / 2);
    VkPipelineCache half = new_cache(data, small_B);
    assert_true(known(half, 310) > 100);
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    vk_common_DestroyPipelineCache(dev(), again, NULL);
    vk_common_DestroyPipelineCache(dev(), merged, NULL);
    vk_common_DestroyPipelineCache(dev(), half, NULL);
    free(data);
    assert_int_equal(alive, 0);
}

/* A bit anywhere in the file: what is found is right, and nothing else happens. */
static void a_broken_file_is_not_trusted(void **state)
{
    VkPipelineCache cache = new_cache(NULL, 0);
    fill_cache(cache, 8);
    size_t size_B;
    uint8_t *data = file_of(cache, &size_B);
    for (size_t bit = 0; bit < size_B * 8; bit++) {
        data[bit / 8] ^= 1u << bit % 8;
        VkPipelineCache broken = new_cache(data, size_B);
        assert_true(known(broken, 8) <= 8);
        if (bit < 32 * 8)
            assert_int_equal(known(broken, 8), 0); /* another driver's, or another version's */
        vk_common_DestroyPipelineCache(dev(), broken, NULL);
        data[bit / 8] ^= 1u << bit % 8;
    }
    for (size_t cut_B = 0; cut_B < size_B; cut_B++) {
        uint8_t *exact = malloc(cut_B ? cut_B : 1); /* so that reading too far is seen */
        memcpy(exact, data, cut_B);
        VkPipelineCache cut = new_cache(exact, cut_B);
        assert_true(known(cut, 8) < 8);
        vk_common_DestroyPipelineCache(dev(), cut, NULL);
        free(exact);
    }
    vk_common_DestroyPipelineCache(dev(), cache, NULL);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_data_is_zero_until_set_and_dies_with_its_object),
        cmocka_unit_test(an_identifier_names_a_module_by_its_words),
        cmocka_unit_test(a_cache_finds_what_was_put_in_and_keeps_it_in_a_file),
        cmocka_unit_test(a_broken_file_is_not_trusted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
