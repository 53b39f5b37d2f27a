/* Where the parts of acceleration structures are, for every number of leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amd/compiler/trace_layout.h"
#include "amd/driver/radeon_rays.h"
#include "amd/driver/radeon_trace.h"
#include "util/bits.h"

#define BOTTOM VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR
#define TOP VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR

static struct radeon_rays_plan plan_of(VkGeometryTypeKHR kind, uint32_t leaves)
{
    struct radeon_rays_plan plan;
    radeon_rays_plan(&plan, kind == VK_GEOMETRY_TYPE_INSTANCES_KHR ? TOP : BOTTOM, kind, leaves);
    return plan;
}

/* The fields of a node must fill it and not overlap. */
static void nodes_are_as_large_as_their_parts(void **state)
{
    assert_int_equal(RAY_BOXES_CHILDREN + 4 * 4, RAY_BOXES_BOUNDS);
    assert_int_equal(RAY_BOXES_BOUNDS + 4 * RAY_BOXES_BOX_SIZE, RAY_BOXES_PARENT);
    assert_int_equal(RAY_TRIANGLE_VERTICES + 9 * 4, RAY_LEAF_PRIMITIVE);
    assert_int_equal(RAY_TRIANGLE_ROTATION + 4, RAY_LEAF_SIZE);
    assert_int_equal(RAY_INSTANCE_WORLD_TO_OBJECT + 12 * 4, RAY_INSTANCE_STRUCTURE);
    assert_int_equal(RAY_INSTANCE_SBT_FLAGS + 4, RAY_INSTANCE_OBJECT_TO_WORLD);
    assert_int_equal(RAY_INSTANCE_OBJECT_TO_WORLD + 12 * 4, RAY_INSTANCE_ID);
    assert_true(RAY_HEADER_LEAF_KIND + 4 <= RAY_ROOT_OFFSET);
    assert_int_equal(RAY_ROOT, 2 << 3 | 5);
    assert_int_equal(RAY_REFERENCE(64 * 7, RAY_KIND_INSTANCE), 7 << 3 | 6);
}

/* The root is where walks begin, also over one leaf and over none. */
static void the_root_is_the_last_level_and_the_first_node(void **state)
{
    static const uint32_t counts[] = {0, 1, 4, 5, 16, 17, 64, 65, 1000, 100000, (1u << 24) - 1, (1u << 29) - 1};
    for (unsigned i = 0; i < ARRAY_SIZE(counts); i++) {
        struct radeon_rays_plan plan = plan_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR, counts[i]);
        const struct radeon_rays_level *root = &plan.levels[plan.num_levels - 1];
        assert_true(plan.num_levels >= 1 && plan.num_levels <= RAY_MAX_LEVELS);
        assert_int_equal(root->count, 1);
        assert_int_equal(root->offset_B, RAY_ROOT_OFFSET);
        assert_int_equal(plan.leaves, counts[i]);
    }
    assert_true(plan_of(VK_GEOMETRY_TYPE_INSTANCES_KHR, (1u << 24) - 1).num_levels <= RAY_MAX_TOP_LEVELS);
}

/* Each level has a node for each four of the one below, and follows the one above without a gap. */
static void levels_take_their_children_by_fours(void **state)
{
    for (uint32_t leaves = 1; leaves < 3000; leaves += 7) {
        struct radeon_rays_plan plan = plan_of(VK_GEOMETRY_TYPE_AABBS_KHR, leaves);
        uint32_t below = leaves;
        uint64_t end_B = plan.leaves_B;
        for (uint32_t i = 0; i < plan.num_levels; i++) {
            assert_int_equal(plan.levels[i].count, (below + 3) / 4);
            assert_int_equal(plan.levels[i].offset_B + (uint64_t)plan.levels[i].count * RAY_BOXES_SIZE, end_B);
            end_B = plan.levels[i].offset_B;
            below = plan.levels[i].count;
        }
        assert_int_equal(plan.leaves_B % RAY_NODE_ALIGN, 0);
        assert_int_equal(plan.size_B, plan.leaves_B + leaves * 64ull);
    }
}

static void a_kind_of_geometry_has_its_kind_of_leaf(void **state)
{
    struct radeon_rays_plan triangles = plan_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR, 9),
                            boxes = plan_of(VK_GEOMETRY_TYPE_AABBS_KHR, 9),
                            instances = plan_of(VK_GEOMETRY_TYPE_INSTANCES_KHR, 9);
    assert_int_equal(triangles.leaf_kind, RAY_KIND_TRIANGLE);
    assert_int_equal(boxes.leaf_kind, RAY_KIND_AABB);
    assert_int_equal(instances.leaf_kind, RAY_KIND_INSTANCE);
    assert_int_equal(triangles.size_B, boxes.size_B);
    assert_int_equal(instances.size_B - triangles.size_B, 9 * 64);
    /* Only instances hold addresses that must be listed: 56 bytes before the list, nine addresses, the next 64. */
    assert_int_equal(triangles.serialized_B, 64 + triangles.size_B);
    assert_int_equal(instances.num_structures, 9);
    assert_int_equal(instances.serialized_B, 128 + instances.size_B);
    assert_int_equal(radeon_rays_serialized_list_B(1), 64);
    assert_int_equal(radeon_rays_serialized_list_B(2), 128);
}

/* A build may have fewer primitives than were asked for. */
static void sizes_grow_with_the_leaves(void **state)
{
    struct radeon_rays_plan before = plan_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR, 0);
    for (uint32_t leaves = 1; leaves < 2000; leaves++) {
        struct radeon_rays_plan plan = plan_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR, leaves);
        assert_true(plan.size_B > before.size_B);
        assert_true(plan.build_scratch_B > before.build_scratch_B);
        assert_true(plan.update_scratch_B > before.update_scratch_B);
        before = plan;
    }
}

static void scratch_memory_has_room_for_boxes_and_two_lists_of_keys(void **state)
{
    for (uint32_t leaves = 0; leaves < 300; leaves++) {
        struct radeon_rays_plan plan = plan_of(VK_GEOMETRY_TYPE_TRIANGLES_KHR, leaves);
        assert_true(plan.scratch_boxes_B >= RADEON_RAYS_SPAN_B);
        assert_true(plan.scratch_keys_B[0] >= plan.scratch_boxes_B + leaves * 24ull);
        assert_true(plan.scratch_keys_B[1] >= plan.scratch_keys_B[0] + leaves * 8ull);
        assert_true(plan.build_scratch_B >= plan.scratch_keys_B[1] + leaves * 8ull);
        assert_int_equal(plan.scratch_keys_B[0] % 8, 0);
        assert_int_equal(plan.scratch_keys_B[1] % 8, 0);
        assert_true(plan.update_scratch_B >= plan.scratch_boxes_B + leaves * 24ull);
        assert_true(plan.update_scratch_B <= plan.build_scratch_B);
    }
}

/* The traversal's view of a record; and a group without shaders is another than no group. */
static void handles_have_the_addresses_of_their_group(void **state)
{
    struct radeon_shader closest = {.va = 0x123456700}, any = {.va = 0xffff800000012300}, box = {.va = 0x4500};
    const struct vk_ray_group groups[] = {
        {VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR, &closest.vk, &any.vk, &box.vk},
        {VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR, NULL, NULL, NULL},
        {VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR, &box.vk, NULL, NULL}};
    uint64_t handles[3][VK_RAY_HANDLE_B / 8];
    assert_int_equal(TRACE_HANDLE_SIZE, VK_RAY_HANDLE_B);
    for (unsigned i = 0; i < 3; i++) {
        uint8_t bytes[VK_RAY_HANDLE_B];
        radeon_ray_handle(&groups[i], bytes);
        memcpy(handles[i], bytes, sizeof(bytes));
    }
    assert_true(handles[0][TRACE_HANDLE_GENERAL / 8] == closest.va);
    assert_true(handles[0][TRACE_HANDLE_ANY_HIT / 8] == any.va);
    assert_true(handles[0][TRACE_HANDLE_INTERSECTION / 8] == box.va);
    for (unsigned i = 0; i < 3; i++)
        assert_true(handles[1][i] == 0);
    assert_true(handles[1][3] != 0);
    assert_true(handles[2][TRACE_HANDLE_GENERAL / 8] == box.va && handles[2][TRACE_HANDLE_ANY_HIT / 8] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_as_large_as_their_parts),
        cmocka_unit_test(handles_have_the_addresses_of_their_group),
        cmocka_unit_test(the_root_is_the_last_level_and_the_first_node),
        cmocka_unit_test(levels_take_their_children_by_fours),
        cmocka_unit_test(a_kind_of_geometry_has_its_kind_of_leaf),
        cmocka_unit_test(sizes_grow_with_the_leaves),
        cmocka_unit_test(scratch_memory_has_room_for_boxes_and_two_lists_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
