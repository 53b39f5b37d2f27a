/* Recorded replay: every command that a secondary command buffer may record is kept with arguments whose memory is then
 * wiped and freed, and must arrive unchanged when it is replayed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"
#include "util/bits.h"
#include "vulkan/runtime/command/tests/cmd_queue_cases.h"
#include "vulkan/runtime/command/vk_cmd_queue.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/descriptor/vk_descriptor_update_template.h"
#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"
#include "vulkan/runtime/device/vk_command.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_layer.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"

/* ---- what the generated half needs ---- */

struct piece {
    size_t size_B;
    char memory[] __attribute__((aligned(16)));
};

static ARRAY(struct piece *) pieces, forgotten;
static uint64_t seed, state;
static unsigned arrived, differences;
static VkCommandBuffer arrived_at;
static struct vk_pipeline_layout layout;

uint64_t cmd_random(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 33;
}

void cmd_restart(void)
{
    state = seed;
}

void *cmd_memory(size_t size_B)
{
    struct piece *piece = malloc(sizeof(*piece) + size_B);
    assert_non_null(piece);
    piece->size_B = size_B;
    assert_true(array_push(&pieces, piece));
    return piece->memory;
}

/* An application's use of its memory when a command is recorded. It is not freed yet, or the arguments that are made
 * again for the comparison would come to lie in the same place and hide a pointer that was kept. */
static void forget_memory(void)
{
    array_foreach (&pieces, piece) {
        memset((*piece)->memory, 0xaa, (*piece)->size_B);
        assert_true(array_push(&forgotten, *piece));
    }
    pieces.count = 0;
}

static void free_forgotten(void)
{
    forget_memory();
    array_foreach (&forgotten, piece)
        free(*piece);
    array_finish(&forgotten);
    array_finish(&pieces);
}

VkPipelineLayout cmd_layout(void)
{
    return vk_pipeline_layout_to_handle(&layout);
}

void cmd_arrived(VkCommandBuffer command_buffer, const char *command)
{
    arrived++;
    arrived_at = command_buffer;
}

void cmd_differs(const char *command, const char *what)
{
    if (differences++ < 10)
        print_error("%s: %s differs (seed %llu)\n", command, what, (unsigned long long)seed);
}

/* ---- memory that runs out on demand ---- */

static int allocations_left = -1, alive;

static VKAPI_ATTR void *VKAPI_CALL allocate_memory(void *user, size_t size_B, size_t alignment_B,
                                                   VkSystemAllocationScope scope)
{
    if (allocations_left == 0)
        return NULL;
    if (allocations_left > 0)
        allocations_left--;
    alive++;
    return aligned_alloc(alignment_B, align_u64(size_B, alignment_B));
}

static VKAPI_ATTR void VKAPI_CALL release_memory(void *user, void *memory)
{
    alive -= memory != NULL;
    free(memory);
}

static struct vk_device device;
static struct vk_command_pool pool;
static struct vk_command_buffer primary, secondary, other;
static struct vk_device_layer layers[1];

static int setup(void **unused)
{
    memset(&device, 0, sizeof(device));
    device.dispatch = cmd_queue_checks;
    device.alloc = (VkAllocationCallbacks){.pfnAllocation = allocate_memory, .pfnFree = release_memory};
    pool = (struct vk_command_pool){.alloc = device.alloc};
    layout = (struct vk_pipeline_layout){.refs = 1};
    struct vk_command_buffer *all[] = {&primary, &secondary, &other};
    for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
        *all[i] = (struct vk_command_buffer){.pool = &pool, .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY};
        vk_object_base_init(&all[i]->base, &device, VK_OBJECT_TYPE_COMMAND_BUFFER);
    }
    primary.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    vk_object_base_init(&layout.base, &device, VK_OBJECT_TYPE_PIPELINE_LAYOUT);
    arrived = differences = 0;
    allocations_left = -1;
    return 0;
}

static int teardown(void **unused)
{
    vk_cmd_queue_destroy(&secondary);
    vk_cmd_queue_destroy(&other);
    free_forgotten();
    return alive == 0 && layout.refs == 1 ? 0 : -1;
}

static VkCommandBuffer handle_of(struct vk_command_buffer *command_buffer)
{
    return vk_command_buffer_to_handle(command_buffer);
}

/* ---- every command ---- */

static void every_command_arrives_as_it_was_recorded(void **unused)
{
    for (uint32_t i = 0; i < cmd_queue_case_count; i++) {
        for (seed = 1; seed <= 20; seed++) {
            assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
            cmd_restart();
            cmd_queue_cases[i].call(&vk_cmd_enqueue_entrypoints, handle_of(&secondary));
            forget_memory();
            assert_int_equal(vk_cmd_queue_length(&secondary), 1);
            assert_int_equal(arrived, 0);
            for (unsigned round = 0; round < 2; round++) { /* a replay consumes nothing */
                arrived = 0;
                vk_cmd_queue_execute(&secondary, handle_of(&primary));
                forget_memory();
                if (arrived != 1 || arrived_at != handle_of(&primary))
                    fail_msg("%s was not replayed", cmd_queue_cases[i].name);
            }
            arrived = 0;
            free_forgotten();
        }
    }
    assert_int_equal(differences, 0);
}

static void every_command_of_a_secondary_command_buffer_can_be_kept(void **unused)
{
    /* Commands that only a primary one may record, and the one whose arguments' sizes are unknown. */
    static const char *const absent[] = {
        "CmdBeginRenderPass", "CmdNextSubpass", "CmdEndRenderPass", "CmdExecuteCommands", "CmdBeginVideo",
        "CmdControlVideo",    "CmdEndVideo",    "CmdDecodeVideo",   "CmdEncodeVideo",     "CmdCuLaunchKernel"};
    unsigned kept = 0;
    for (uint32_t i = 0; i < vk_command_count; i++) {
        const char *name = vk_command_name(&vk_commands[i]) + 2;
        if (strncmp(name, "Cmd", 3) != 0)
            continue;
        bool expected = true;
        for (unsigned j = 0; j < ARRAY_SIZE(absent); j++)
            expected &= strncmp(name, absent[j], strlen(absent[j])) != 0;
        if (expected != (vk_cmd_enqueue_entrypoints.slots[vk_commands[i].slot] != NULL))
            fail_msg("%s is %skept", name, expected ? "not " : "");
        kept += expected;
    }
    assert_true(kept > 180);
}

static void commands_keep_their_order_and_memory_is_reused(void **unused)
{
    int most = 0;
    for (unsigned round = 0; round < 3; round++) {
        assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
        arrived = 0;
        seed = 7;
        for (unsigned i = 0; i < 1000; i++) {
            cmd_restart();
            cmd_queue_cases[i % cmd_queue_case_count].call(&vk_cmd_enqueue_entrypoints, handle_of(&secondary));
            forget_memory();
        }
        assert_int_equal(vk_cmd_queue_length(&secondary), 1000);
        if (round == 0)
            most = alive;
        assert_true(alive <= most);
        vk_cmd_queue_execute(&secondary, handle_of(&primary));
        forget_memory();
        assert_int_equal(arrived, 1000);
        vk_cmd_queue_reset(&secondary);
        assert_int_equal(alive, 2); /* the queue and one chunk */
        assert_int_equal(layout.refs, 1);
    }
    assert_int_equal(differences, 0);
}

/* ---- lifetimes ---- */

static void a_layout_lives_as_long_as_the_commands_that_name_it(void **unused)
{
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
    uint32_t value = 5;
    for (unsigned i = 0; i < 3; i++)
        vk_cmd_enqueue_entrypoints.CmdPushConstants(handle_of(&secondary), cmd_layout(), VK_SHADER_STAGE_ALL, 0, 4,
                                                    &value);
    assert_true(layout.refs > 1);
    vk_cmd_queue_reset(&secondary);
    assert_int_equal(layout.refs, 1);
}

static const VkWriteDescriptorSet *pushed;

static VKAPI_ATTR void VKAPI_CALL push_descriptors(VkCommandBuffer command_buffer, VkPipelineBindPoint bind_point,
                                                   VkPipelineLayout pipeline_layout, uint32_t set, uint32_t count,
                                                   const VkWriteDescriptorSet *writes)
{
    assert_int_equal(bind_point, VK_PIPELINE_BIND_POINT_COMPUTE);
    assert_int_equal(set, 3);
    assert_int_equal(count, 4);
    pushed = writes;
}

static void a_template_is_kept_as_the_writes_it_stands_for(void **unused)
{
    struct data {
        VkDescriptorBufferInfo buffers[2];
        char gap[8];
        VkDescriptorImageInfo image;
        VkBufferView texels[3];
        VkAccelerationStructureKHR structure;
    } data = {0};
    for (unsigned i = 0; i < 2; i++)
        data.buffers[i] = (VkDescriptorBufferInfo){(VkBuffer)(uintptr_t)(0x10 + i), i, 100 + i};
    data.image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    data.texels[0] = (VkBufferView)0x20;
    data.texels[2] = (VkBufferView)0x22;
    data.structure = (VkAccelerationStructureKHR)0x30;

    struct vk_descriptor_update_template *template = calloc(1, sizeof(*template) + 4 * sizeof(template->entries[0]));
    assert_non_null(template);
    template->bind_point = VK_PIPELINE_BIND_POINT_COMPUTE;
    template->entry_count = 4;
    template->entries[0] = (struct vk_descriptor_template_entry){
        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4, 1, 2, offsetof(struct data, buffers), sizeof(data.buffers[0])};
    template->entries[1] = (struct vk_descriptor_template_entry){VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 5, 0, 1,
                                                                 offsetof(struct data, image),     0};
    template->entries[2] = (struct vk_descriptor_template_entry){
        VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 6, 0, 2, offsetof(struct data, texels), 2 * sizeof(VkBufferView)};
    template->entries[3] = (struct vk_descriptor_template_entry){
        VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 7, 0, 1, offsetof(struct data, structure), 8};
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
    vk_cmd_enqueue_entrypoints.CmdPushDescriptorSetWithTemplateKHR(
        handle_of(&secondary), vk_descriptor_update_template_to_handle(template), cmd_layout(), 3, &data);
    free(template);
    memset(&data, 0xaa, sizeof(data));

    device.dispatch.CmdPushDescriptorSetKHR = push_descriptors;
    vk_cmd_queue_execute(&secondary, handle_of(&primary));
    assert_non_null(pushed);
    assert_int_equal(pushed[0].dstBinding, 4);
    assert_int_equal(pushed[0].dstArrayElement, 1);
    assert_int_equal(pushed[0].descriptorCount, 2);
    assert_int_equal(pushed[0].pBufferInfo[1].range, 101);
    assert_int_equal(pushed[1].pImageInfo[0].imageLayout, VK_IMAGE_LAYOUT_GENERAL);
    assert_ptr_equal(pushed[2].pTexelBufferView[1], (VkBufferView)0x22);
    const VkWriteDescriptorSetAccelerationStructureKHR *structures =
        vk_find_struct_const(pushed[3].pNext, VkWriteDescriptorSetAccelerationStructureKHR);
    assert_non_null(structures);
    assert_ptr_equal(structures->pAccelerationStructures[0], (VkAccelerationStructureKHR)0x30);
}

static void an_unknown_link_is_left_out_of_a_chain(void **unused)
{
    VkBaseInStructure unknown = {.sType = (VkStructureType)0x7ffffff0};
    VkMemoryBarrier2 barrier = vk_struct_init(VkMemoryBarrier2);
    VkDependencyInfo info = vk_struct_init(VkDependencyInfo);
    info.pNext = &unknown;
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
    vk_cmd_enqueue_entrypoints.CmdPipelineBarrier2(handle_of(&secondary), &info);
    assert_int_equal(secondary.result, VK_SUCCESS);
    assert_int_equal(vk_cmd_queue_length(&secondary), 1);
}

static void without_memory_the_command_buffer_has_an_error_and_is_not_replayed(void **unused)
{
    allocations_left = 0;
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_ERROR_OUT_OF_HOST_MEMORY);
    assert_false(secondary.is_replayed);
    allocations_left = 1;
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
    for (uint32_t i = 0; i < cmd_queue_case_count; i++) {
        seed = 3;
        cmd_restart();
        cmd_queue_cases[i].call(&vk_cmd_enqueue_entrypoints, handle_of(&secondary));
        forget_memory();
    }
    assert_int_equal(secondary.result, VK_ERROR_OUT_OF_HOST_MEMORY);
    vk_cmd_queue_execute(&secondary, handle_of(&primary));
    assert_int_equal(arrived, 0);

    /* And when it runs out in the middle of a command. */
    secondary.result = VK_SUCCESS;
    allocations_left = 1;
    for (uint32_t i = 0; secondary.result == VK_SUCCESS; i++) {
        seed = i;
        cmd_restart();
        cmd_queue_cases[i % cmd_queue_case_count].call(&vk_cmd_enqueue_entrypoints, handle_of(&secondary));
        forget_memory();
    }
    assert_int_equal(secondary.result, VK_ERROR_OUT_OF_HOST_MEMORY);
}

/* ---- the layer ---- */

static uint32_t native_executed;

static VKAPI_ATTR void VKAPI_CALL execute_native(VkCommandBuffer command_buffer, uint32_t count,
                                                 const VkCommandBuffer *command_buffers)
{
    for (uint32_t i = 0; i < count; i++)
        assert_false(vk_command_buffer_from_handle(command_buffers[i])->is_replayed);
    native_executed += count;
}

static void the_layer_keeps_what_is_to_be_replayed_and_passes_on_the_rest(void **unused)
{
    layers[0].layer = &vk_replay_layer;
    layers[0].next = cmd_queue_checks;
    layers[0].next.CmdExecuteCommands = execute_native;
    device.layers = layers;
    device.layer_count = 1;
    device.dispatch = *vk_replay_layer.entrypoints;
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
    for (uint32_t i = 0; i < cmd_queue_case_count; i++) {
        seed = i;
        cmd_restart();
        cmd_queue_cases[i].call(&device.dispatch, handle_of(&other));
        assert_int_equal(arrived, 1);
        assert_ptr_equal(arrived_at, handle_of(&other));
        arrived = 0;
    }
    seed = 11;
    for (uint32_t i = 0; i < 10; i++) {
        cmd_restart();
        cmd_queue_cases[i].call(&device.dispatch, handle_of(&secondary));
    }
    assert_int_equal(arrived, 0);
    forget_memory();
    /* Native, native, replayed, native, in this order. */
    VkCommandBuffer all[] = {handle_of(&other), handle_of(&other), handle_of(&secondary), handle_of(&other)};
    device.dispatch.CmdExecuteCommands(handle_of(&primary), 4, all);
    forget_memory();
    assert_int_equal(native_executed, 3);
    assert_int_equal(arrived, 10);
    assert_ptr_equal(arrived_at, handle_of(&primary));
    assert_int_equal(differences, 0);
}

static void the_common_execution_replays_and_refuses_what_was_not_kept(void **unused)
{
    assert_int_equal(vk_cmd_queue_begin(&secondary), VK_SUCCESS);
    seed = 1;
    cmd_restart();
    cmd_queue_cases[0].call(&vk_cmd_enqueue_entrypoints, handle_of(&secondary));
    forget_memory();
    VkCommandBuffer all[] = {handle_of(&secondary), handle_of(&secondary)};
    vk_common_CmdExecuteCommands(handle_of(&primary), 2, all);
    forget_memory();
    assert_int_equal(arrived, 2);
    all[1] = handle_of(&other);
    vk_common_CmdExecuteCommands(handle_of(&primary), 2, all);
    forget_memory();
    assert_int_equal(primary.result, VK_ERROR_FEATURE_NOT_PRESENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_command_arrives_as_it_was_recorded),
        TEST(every_command_of_a_secondary_command_buffer_can_be_kept),
        TEST(commands_keep_their_order_and_memory_is_reused),
        TEST(a_layout_lives_as_long_as_the_commands_that_name_it),
        TEST(a_template_is_kept_as_the_writes_it_stands_for),
        TEST(an_unknown_link_is_left_out_of_a_chain),
        TEST(without_memory_the_command_buffer_has_an_error_and_is_not_replayed),
        TEST(the_layer_keeps_what_is_to_be_replayed_and_passes_on_the_rest),
        TEST(the_common_execution_replays_and_refuses_what_was_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
