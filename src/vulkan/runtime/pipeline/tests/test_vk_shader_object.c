/* Shader objects without a GPU: mixes, binaries that were damaged in every place, and every allocation failing once. */
#include "vulkan/runtime/pipeline/tests/pipeline_test.h"

#include "vulkan/runtime/device/vk_layer.h"
#include "vulkan/runtime/pipeline/vk_shader_object.h"

#include "vulkan/runtime/pipeline/tests/pipeline_frag.h"
#include "vulkan/runtime/pipeline/tests/pipeline_vert.h"

static VkShaderCreateInfoEXT info_of(VkShaderStageFlagBits stage, const uint32_t *words, size_t size_B)
{
    VkShaderCreateInfoEXT info = vk_struct_init(VkShaderCreateInfoEXT);
    info.stage = stage;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = size_B;
    info.pCode = words;
    info.pName = "main";
    return info;
}

#define INFO(stage, words) info_of(VK_SHADER_STAGE_##stage##_BIT, words, sizeof(words))

static VkShaderEXT create_shader(const VkShaderCreateInfoEXT *info)
{
    VkShaderEXT shader;
    assert_int_equal(vk_common_CreateShadersEXT(dev(), 1, info, NULL, &shader), VK_SUCCESS);
    return shader;
}

static void drop_shader(VkShaderEXT shader)
{
    vk_common_DestroyShaderEXT(dev(), shader, NULL);
}

static struct vk_shader_mix mix_of(VkShaderEXT vertex, VkShaderEXT fragment, VkFormat format)
{
    struct vk_shader_mix mix;
    memset(&mix, 0, sizeof(mix));
    mix.stages[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)] = vk_shader_object_from_handle(vertex);
    mix.stages[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)] = vk_shader_object_from_handle(fragment);
    mix.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    mix.formats.color_count = 1;
    mix.formats.color_formats[0] = format;
    return mix;
}

static VkPipeline pipeline_of(const struct vk_shader_mix *mix)
{
    VkPipeline pipeline;
    assert_int_equal(vk_shader_mix_pipeline(&device, mix, &pipeline), VK_SUCCESS);
    return pipeline;
}

/* ---- mixes ---- */

static void mixes_are_made_once_and_die_with_any_of_their_objects(void **state)
{
    VkShaderCreateInfoEXT vertex_info = INFO(VERTEX, pipeline_vert), fragment_info = INFO(FRAGMENT, pipeline_frag);
    VkShaderEXT vertex = create_shader(&vertex_info), fragment = create_shader(&fragment_info),
                other = create_shader(&fragment_info);
    uint32_t compiles = fake_shaders.compiles;
    struct vk_shader_mix a = mix_of(vertex, fragment, VK_FORMAT_R8G8B8A8_UNORM),
                         b = mix_of(vertex, fragment, VK_FORMAT_R32_SFLOAT),
                         c = mix_of(vertex, other, VK_FORMAT_R8G8B8A8_UNORM);
    VkPipeline first = pipeline_of(&a);
    assert_int_equal(fake_shaders.compiles, compiles + 1);
    assert_true(pipeline_of(&a) == first);
    assert_true(pipeline_of(&b) != first);
    assert_int_equal(fake_shaders.compiles, compiles + 2);
    /* Another object of the same words is another mix with the same shaders. */
    assert_true(pipeline_of(&c) != first);
    assert_int_equal(fake_shaders.compiles, compiles + 2);
    assert_int_equal(fake_shaders.pipelines, 3);
    assert_int_equal(fake_shader_of(first, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, VK_SHADER_STAGE_FRAGMENT_BIT);
    drop_shader(fragment);
    assert_int_equal(fake_shaders.pipelines, 1);
    drop_shader(other);
    assert_int_equal(fake_shaders.pipelines, 0);
    drop_shader(vertex);
    drop_shader(VK_NULL_HANDLE);
    assert_int_equal(fake_shaders.living, 0);
}

static void a_mix_without_a_fragment_shader_has_none(void **state)
{
    VkShaderCreateInfoEXT info = INFO(VERTEX, pipeline_vert);
    VkShaderEXT vertex = create_shader(&info);
    struct vk_shader_mix mix = mix_of(vertex, VK_NULL_HANDLE, VK_FORMAT_UNDEFINED);
    VkPipeline pipeline = pipeline_of(&mix);
    assert_null(fake_shader_of(pipeline, VK_SHADER_STAGE_FRAGMENT_BIT));
    assert_int_equal(fake_shader_of(pipeline, VK_SHADER_STAGE_VERTEX_BIT)->next_stages, 0);
    drop_shader(vertex);
}

/* ---- creation ---- */

/* State that a pipeline leaves to its driver is not in the command buffer's state. */
static void objects_behind_a_pipeline_have_its_static_state(void **state)
{
    static struct vk_recording recording;
    struct vk_command_buffer cmd = {.rec = &recording};
    static struct vk_dynamic_graphics_state before;
    struct vk_dynamic_graphics_state *dyn = &recording.dynamic_state;
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_VERTEX_BIT;
    (void)state;
    before.set = VK_DYN(TOPOLOGY) | VK_DYN(PATCH_CONTROL_POINTS) | VK_DYN(LINE_WIDTH);
    before.ia.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    before.ts.patch_control_points = 4;
    before.rs.line_width = 2;
    dyn->rs.line_width = 3; /* by a command */
    dyn->set = VK_DYN(LINE_WIDTH);
    recording.objects.before = &before;
    vk_common_CmdBindShadersEXT(vk_command_buffer_to_handle(&cmd), 1, &stage, NULL);
    assert_int_equal(dyn->set, before.set);
    assert_int_equal(dyn->dirty, VK_DYN(TOPOLOGY) | VK_DYN(PATCH_CONTROL_POINTS));
    assert_int_equal(dyn->ia.topology, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
    assert_int_equal(dyn->ts.patch_control_points, 4);
    assert_true(dyn->rs.line_width == 3);
    assert_null(recording.objects.before);
}

static void compute_is_compiled_at_once_with_what_was_said(void **state)
{
    VkShaderCreateInfoEXT info = INFO(COMPUTE, pipeline_comp);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size =
        vk_struct_init(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    size.requiredSubgroupSize = 32;
    info.pNext = &size;
    info.flags = VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT | VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT;
    VkShaderEXT shader = create_shader(&info);
    const struct fake_note *note =
        fake_shader_of(vk_shader_object_from_handle(shader)->compute, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_int_equal(note->required_subgroup_size, 32);
    assert_true(note->require_full);
    assert_int_equal(note->flags, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
    drop_shader(shader);
    assert_int_equal(fake_shaders.living, 0);
}

static void the_first_null_handle_is_the_one_that_failed(void **state)
{
    static const uint32_t nonsense[8] = {1, 2, 3};
    VkShaderCreateInfoEXT infos[3] = {INFO(VERTEX, pipeline_vert), INFO(FRAGMENT, nonsense),
                                      INFO(FRAGMENT, pipeline_frag)};
    VkShaderEXT shaders[3];
    memset(shaders, 0xff, sizeof(shaders));
    assert_true(vk_common_CreateShadersEXT(dev(), 3, infos, NULL, shaders) < 0);
    assert_true(shaders[0] != VK_NULL_HANDLE);
    assert_true(shaders[1] == VK_NULL_HANDLE);
    assert_true(shaders[2] == VK_NULL_HANDLE);
    drop_shader(shaders[0]);
}

/* ---- binaries ---- */

static void *binary_of(VkShaderEXT shader, size_t *size_B)
{
    assert_int_equal(vk_common_GetShaderBinaryDataEXT(dev(), shader, size_B, NULL), VK_SUCCESS);
    void *bytes = malloc(*size_B);
    assert_int_equal(vk_common_GetShaderBinaryDataEXT(dev(), shader, size_B, bytes), VK_SUCCESS);
    return bytes;
}

static VkResult create_of(VkShaderStageFlagBits stage, const void *bytes, size_t size_B, VkShaderEXT *shader_out)
{
    VkShaderCreateInfoEXT info = info_of(stage, bytes, size_B);
    info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    return vk_common_CreateShadersEXT(dev(), 1, &info, NULL, shader_out);
}

static void a_binary_is_the_shader_again(void **state)
{
    VkShaderCreateInfoEXT info = INFO(COMPUTE, pipeline_comp);
    VkShaderEXT shader = create_shader(&info), again;
    uint32_t compiles = fake_shaders.compiles;
    size_t size_B, again_B;
    void *bytes = binary_of(shader, &size_B);
    assert_int_equal(create_of(VK_SHADER_STAGE_COMPUTE_BIT, bytes, size_B, &again), VK_SUCCESS);
    assert_int_equal(fake_shaders.compiles, compiles); /* the same key */
    void *second = binary_of(again, &again_B);
    assert_int_equal(again_B, size_B);
    assert_memory_equal(bytes, second, size_B);
    size_t small_B = size_B - 1;
    memset(second, 0xa5, size_B);
    assert_int_equal(vk_common_GetShaderBinaryDataEXT(dev(), shader, &small_B, second), VK_INCOMPLETE);
    assert_int_equal(small_B, 0);
    assert_int_equal(((uint8_t *)second)[0], 0xa5);
    drop_shader(shader);
    drop_shader(again);
    free(bytes);
    free(second);
}

static void damaged_binaries_are_refused(void **state)
{
    VkShaderCreateInfoEXT info = INFO(VERTEX, pipeline_vert);
    VkShaderEXT shader = create_shader(&info), none;
    size_t size_B;
    uint8_t *bytes = binary_of(shader, &size_B);
    drop_shader(shader);
    for (size_t i = 0; i < size_B; i++) {
        for (unsigned bit = 0; bit < 8; bit += 5) {
            bytes[i] ^= (uint8_t)(1u << bit);
            assert_int_equal(create_of(VK_SHADER_STAGE_VERTEX_BIT, bytes, size_B, &none),
                             VK_INCOMPATIBLE_SHADER_BINARY_EXT);
            assert_true(none == VK_NULL_HANDLE);
            bytes[i] ^= (uint8_t)(1u << bit);
        }
    }
    for (size_t short_B = 0; short_B < size_B; short_B += 7)
        assert_int_equal(create_of(VK_SHADER_STAGE_VERTEX_BIT, bytes, short_B, &none),
                         VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    assert_int_equal(create_of(VK_SHADER_STAGE_FRAGMENT_BIT, bytes, size_B, &none), VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    assert_int_equal(create_of(VK_SHADER_STAGE_VERTEX_BIT, bytes, size_B, &none), VK_SUCCESS);
    drop_shader(none);
    free(bytes);
}

/* ---- memory ---- */

static bool program(void)
{
    VkShaderCreateInfoEXT infos[3] = {INFO(VERTEX, pipeline_vert), INFO(FRAGMENT, pipeline_frag),
                                      INFO(COMPUTE, pipeline_comp)};
    VkShaderEXT shaders[3];
    bool good = vk_common_CreateShadersEXT(dev(), 3, infos, NULL, shaders) == VK_SUCCESS;
    if (good) {
        struct vk_shader_mix mix = mix_of(shaders[0], shaders[1], VK_FORMAT_R8G8B8A8_UNORM);
        VkPipeline pipeline;
        good = vk_shader_mix_pipeline(&device, &mix, &pipeline) == VK_SUCCESS;
    }
    for (unsigned i = 0; i < 3; i++)
        drop_shader(shaders[i]);
    return good;
}

static void every_allocation_fails_once(void **state)
{
    int32_t living = fake_memory.living;
    for (uint32_t i = 1;; i++) {
        fake_memory_fail_at(i);
        bool good = program();
        bool failed = fake_memory.failures != 0;
        fake_memory_fail_at(0);
        if (fake_memory.living != living || fake_shaders.living || fake_shaders.pipelines)
            fail_msg("allocation %u failed: %d allocations, %d shaders, %d pipelines left", i,
                     fake_memory.living - living, fake_shaders.living, fake_shaders.pipelines);
        assert_true(good == !failed);
        if (!failed)
            return;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(mixes_are_made_once_and_die_with_any_of_their_objects),
        TEST(a_mix_without_a_fragment_shader_has_none),
        TEST(objects_behind_a_pipeline_have_its_static_state),
        TEST(compute_is_compiled_at_once_with_what_was_said),
        TEST(the_first_null_handle_is_the_one_that_failed),
        TEST(a_binary_is_the_shader_again),
        TEST(damaged_binaries_are_refused),
        TEST(every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
