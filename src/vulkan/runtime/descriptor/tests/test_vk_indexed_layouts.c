/* Set layouts for compilers that count descriptors: planes are bindings of their own, dynamic buffers count through all
 * sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vulkan/runtime/descriptor/vk_indexed_layouts.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/memory/vk_image.h"

static bool has_no_memory;
static uint32_t living; /* pieces of memory */

static void *allocate_memory(void *data, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    living += !has_no_memory;
    return has_no_memory ? NULL : malloc(size_B);
}

static void release_memory(void *data, void *memory)
{
    living -= memory != NULL;
    free(memory);
}

static struct vk_device device = {.alloc = {.pfnAllocation = allocate_memory, .pfnFree = release_memory}};

#define DESCRIPTOR_B 32

static void a_binding_is_counted_in_descriptors(void **state)
{
    const struct vk_descriptor_binding combined = {.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                   .offset_B = 5 * DESCRIPTOR_B,
                                                   .stride_B = 4 * DESCRIPTOR_B,
                                                   .sampler_offset_B = 3 * DESCRIPTOR_B};
    const struct vk_descriptor_binding dynamic = {
        .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, .offset_B = 7 * DESCRIPTOR_B, .dynamic_index = 2};
    struct ir_binding_layout out = vk_indexed_binding(&combined, DESCRIPTOR_B);
    assert_true(out.index == 5 && out.stride == 4 && out.sampler == 3 && !out.is_dynamic);
    out = vk_indexed_binding(&dynamic, DESCRIPTOR_B);
    assert_true(out.index == 2 && out.stride == 1 && out.is_dynamic);
}

/* A plain set, one that the shader does not read, two dynamic buffers, one of them beside planes, and one more. */
static struct ir_binding_layout plain_bindings[] = {{.index = 0, .stride = 1}, {.index = 1, .stride = 2}};
static struct ir_binding_layout two_bindings[] = {{.index = 0, .stride = 1, .is_dynamic = true},
                                                  {.index = 1, .stride = 1, .is_dynamic = true}};
static struct ir_binding_layout planar_bindings[] = {{.index = 4, .stride = 4, .sampler = 3},
                                                     {.index = 0, .stride = 1, .is_dynamic = true}};
static struct vk_descriptor_binding rows[2];
static struct vk_descriptor_set_layout plain = {
    .num_bindings = 2, .bindings = rows, .compiler_bindings = plain_bindings};
static struct vk_descriptor_set_layout two = {
    .num_bindings = 2, .bindings = rows, .compiler_bindings = two_bindings, .num_dynamic = 2};
static struct vk_descriptor_set_layout planar = {.num_bindings = 2,
                                                 .bindings = rows,
                                                 .compiler_bindings = planar_bindings,
                                                 .num_dynamic = 1,
                                                 .has_conversions = true};

static void dynamic_buffers_count_through_all_sets(void **state)
{
    struct vk_descriptor_set_layout *const sets[] = {&two, &plain, NULL, &planar, &two};
    struct vk_indexed_layouts layouts;
    assert_int_equal(vk_indexed_layouts_init(&device, sets, 5, 33, &layouts), VK_SUCCESS);
    assert_int_equal(layouts.num_sets, 5);
    assert_true(layouts.sets[0].bindings[0].index == 33 && layouts.sets[0].bindings[1].index == 34);
    assert_int_equal(layouts.sets[0].num_bindings, 2);
    assert_ptr_equal(layouts.sets[1].bindings, plain_bindings);
    assert_int_equal(layouts.sets[1].num_bindings, 2);
    assert_null(layouts.sets[2].bindings);
    assert_int_equal(layouts.sets[3].bindings[1].index, 35);
    assert_true(layouts.sets[4].bindings[0].index == 36 && layouts.sets[4].bindings[1].index == 37);
    vk_indexed_layouts_finish(&device, &layouts);
    assert_int_equal(living, 0);
}

static void there_are_as_many_sets_as_can_be_bound(void **state)
{
    struct vk_descriptor_set_layout *sets[VK_BINDINGS_MAX_SETS + 1];
    struct vk_indexed_layouts layouts;
    for (uint32_t i = 0; i <= VK_BINDINGS_MAX_SETS; i++)
        sets[i] = i < VK_BINDINGS_MAX_SETS ? &plain : &two;
    assert_int_equal(vk_indexed_layouts_init(&device, sets, VK_BINDINGS_MAX_SETS + 1, 0, &layouts), VK_SUCCESS);
    assert_int_equal(layouts.num_sets, VK_BINDINGS_MAX_SETS);
    assert_null(layouts.copies);
    vk_indexed_layouts_finish(&device, &layouts);
}

static void planes_are_bindings_after_all_others(void **state)
{
    static struct vk_descriptor_set_layout film = {/* without dynamic buffers */
                                                   .num_bindings = 2,
                                                   .bindings = rows,
                                                   .compiler_bindings = plain_bindings,
                                                   .has_conversions = true};
    struct vk_descriptor_set_layout *const sets[] = {&planar, &film};
    struct vk_indexed_layouts layouts;
    assert_int_equal(vk_indexed_layouts_init(&device, sets, 2, 0, &layouts), VK_SUCCESS);
    for (uint32_t set = 0; set < 2; set++) {
        assert_int_equal(layouts.sets[set].num_bindings, 2 * VK_IMAGE_MAX_PLANES);
        for (uint32_t plane = 0; plane < VK_IMAGE_MAX_PLANES; plane++) {
            const uint32_t number = vk_indexed_plane(sets[set], &sets[set]->bindings[0], plane);
            assert_int_equal(layouts.sets[set].bindings[number].index, (set ? 0 : 4) + plane);
        }
    }
    vk_indexed_layouts_finish(&device, &layouts);
}

static void without_memory_there_is_an_error(void **state)
{
    struct vk_descriptor_set_layout *const sets[] = {&plain, &two};
    struct vk_indexed_layouts layouts;
    has_no_memory = true;
    assert_int_equal(vk_indexed_layouts_init(&device, sets, 1, 0, &layouts), VK_SUCCESS);
    assert_int_equal(vk_indexed_layouts_init(&device, sets, 2, 0, &layouts), VK_ERROR_OUT_OF_HOST_MEMORY);
    has_no_memory = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_binding_is_counted_in_descriptors),
        cmocka_unit_test(dynamic_buffers_count_through_all_sets),
        cmocka_unit_test(there_are_as_many_sets_as_can_be_bound),
        cmocka_unit_test(planes_are_bindings_after_all_others),
        cmocka_unit_test(without_memory_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
