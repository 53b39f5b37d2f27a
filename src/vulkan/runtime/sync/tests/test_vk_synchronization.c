/* Stages and accesses that barriers stand for, row by row as the specification's tables say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/bits.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

#define S(name) VK_PIPELINE_STAGE_2_##name##_BIT
#define A(name) VK_ACCESS_2_##name##_BIT
#define S_KHR(name) VK_PIPELINE_STAGE_2_##name##_BIT_KHR
#define S_EXT(name) VK_PIPELINE_STAGE_2_##name##_BIT_EXT
#define A_KHR(name) VK_ACCESS_2_##name##_BIT_KHR
#define A_EXT(name) VK_ACCESS_2_##name##_BIT_EXT

/* cmocka prints decimals only; flags want to be seen as flags. */
static void flags_equal(unsigned row, const char *what, uint64_t actual, uint64_t expected)
{
    if (actual != expected)
        fail_msg("row %u, %s: %#llx instead of %#llx", row, what, (unsigned long long)actual,
                 (unsigned long long)expected);
}

/* The stages one by one, so that the tests do not repeat the sums of the code under test. */
static uint64_t pre_rasterization(void)
{
    return S(VERTEX_SHADER) | S(TESSELLATION_CONTROL_SHADER) | S(TESSELLATION_EVALUATION_SHADER) | S(GEOMETRY_SHADER) |
           S_EXT(TASK_SHADER) | S_EXT(MESH_SHADER);
}

static uint64_t graphics(void)
{
    return pre_rasterization() | S(DRAW_INDIRECT) | S(INDEX_INPUT) | S(VERTEX_ATTRIBUTE_INPUT) | S(FRAGMENT_SHADER) |
           S(EARLY_FRAGMENT_TESTS) | S(LATE_FRAGMENT_TESTS) | S(COLOR_ATTACHMENT_OUTPUT) |
           S_EXT(CONDITIONAL_RENDERING) | S_EXT(TRANSFORM_FEEDBACK) | S_KHR(FRAGMENT_SHADING_RATE_ATTACHMENT) |
           S_EXT(FRAGMENT_DENSITY_PROCESS);
}

static uint64_t transfers(void)
{
    return S(COPY) | S(BLIT) | S(RESOLVE) | S(CLEAR) | S_KHR(ACCELERATION_STRUCTURE_COPY);
}

static uint64_t compute_stages(void)
{
    return S(DRAW_INDIRECT) | S(COMPUTE_SHADER) | S_EXT(CONDITIONAL_RENDERING) | S_KHR(RAY_TRACING_SHADER) |
           S_KHR(ACCELERATION_STRUCTURE_BUILD) | S_EXT(MICROMAP_BUILD);
}

static uint64_t commands(void)
{
    return graphics() | transfers() | compute_stages() | S_KHR(VIDEO_DECODE);
}

static void collective_stages_become_their_parts(void **state)
{
    const struct {
        uint64_t stages, src, dst;
    } rows[] = {
        {VK_PIPELINE_STAGE_2_NONE, 0, 0},
        {S(ALL_COMMANDS), commands(), commands()},
        {S(ALL_GRAPHICS), graphics(), graphics()},
        {S(ALL_TRANSFER), transfers(), transfers()},
        {S(VERTEX_INPUT), S(INDEX_INPUT) | S(VERTEX_ATTRIBUTE_INPUT), S(INDEX_INPUT) | S(VERTEX_ATTRIBUTE_INPUT)},
        {S(PRE_RASTERIZATION_SHADERS), pre_rasterization(), pre_rasterization()},
        /* Nothing is before the top and after the bottom; everything after the top and before the bottom. */
        {S(TOP_OF_PIPE), 0, commands()},
        {S(BOTTOM_OF_PIPE), commands(), 0},
        {S(TOP_OF_PIPE) | S(COPY), S(COPY), commands()},
        {S(BOTTOM_OF_PIPE) | S(COPY), commands(), S(COPY)},
        /* The host runs no command. */
        {S(HOST), S(HOST), S(HOST)},
        {S(HOST) | S(ALL_COMMANDS), S(HOST) | commands(), S(HOST) | commands()},
        /* Bits that stand for themselves. */
        {S(DRAW_INDIRECT), S(DRAW_INDIRECT), S(DRAW_INDIRECT)},
        {S(VERTEX_SHADER), S(VERTEX_SHADER), S(VERTEX_SHADER)},
        {S(FRAGMENT_SHADER), S(FRAGMENT_SHADER), S(FRAGMENT_SHADER)},
        {S(EARLY_FRAGMENT_TESTS), S(EARLY_FRAGMENT_TESTS), S(EARLY_FRAGMENT_TESTS)},
        {S(COLOR_ATTACHMENT_OUTPUT), S(COLOR_ATTACHMENT_OUTPUT), S(COLOR_ATTACHMENT_OUTPUT)},
        {S(COMPUTE_SHADER), S(COMPUTE_SHADER), S(COMPUTE_SHADER)},
        {S(CLEAR), S(CLEAR), S(CLEAR)},
        {S_KHR(RAY_TRACING_SHADER), S_KHR(RAY_TRACING_SHADER), S_KHR(RAY_TRACING_SHADER)},
        /* A stage of the future. */
        {1ull << 62, 1ull << 62, 1ull << 62},
        {1ull << 62 | S(ALL_TRANSFER), 1ull << 62 | transfers(), 1ull << 62 | transfers()},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        flags_equal(i, "source stages", vk_expand_src_stages(rows[i].stages), rows[i].src);
        flags_equal(i, "destination stages", vk_expand_dst_stages(rows[i].stages), rows[i].dst);
    }
}

static void older_flags_are_newer_flags(void **state)
{
#define SAME_STAGE(name) assert_true(VK_PIPELINE_STAGE_##name##_BIT == VK_PIPELINE_STAGE_2_##name##_BIT)
#define SAME_ACCESS(name) assert_true(VK_ACCESS_##name##_BIT == VK_ACCESS_2_##name##_BIT)
    SAME_STAGE(TOP_OF_PIPE);
    SAME_STAGE(DRAW_INDIRECT);
    SAME_STAGE(VERTEX_INPUT);
    SAME_STAGE(VERTEX_SHADER);
    SAME_STAGE(TESSELLATION_CONTROL_SHADER);
    SAME_STAGE(TESSELLATION_EVALUATION_SHADER);
    SAME_STAGE(GEOMETRY_SHADER);
    SAME_STAGE(FRAGMENT_SHADER);
    SAME_STAGE(EARLY_FRAGMENT_TESTS);
    SAME_STAGE(LATE_FRAGMENT_TESTS);
    SAME_STAGE(COLOR_ATTACHMENT_OUTPUT);
    SAME_STAGE(COMPUTE_SHADER);
    SAME_STAGE(TRANSFER);
    SAME_STAGE(BOTTOM_OF_PIPE);
    SAME_STAGE(HOST);
    SAME_STAGE(ALL_GRAPHICS);
    SAME_STAGE(ALL_COMMANDS);
    assert_true(VK_PIPELINE_STAGE_TRANSFER_BIT == VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
    SAME_ACCESS(INDIRECT_COMMAND_READ);
    SAME_ACCESS(INDEX_READ);
    SAME_ACCESS(VERTEX_ATTRIBUTE_READ);
    SAME_ACCESS(UNIFORM_READ);
    SAME_ACCESS(INPUT_ATTACHMENT_READ);
    SAME_ACCESS(SHADER_READ);
    SAME_ACCESS(SHADER_WRITE);
    SAME_ACCESS(COLOR_ATTACHMENT_READ);
    SAME_ACCESS(COLOR_ATTACHMENT_WRITE);
    SAME_ACCESS(DEPTH_STENCIL_ATTACHMENT_READ);
    SAME_ACCESS(DEPTH_STENCIL_ATTACHMENT_WRITE);
    SAME_ACCESS(TRANSFER_READ);
    SAME_ACCESS(TRANSFER_WRITE);
    SAME_ACCESS(HOST_READ);
    SAME_ACCESS(HOST_WRITE);
    SAME_ACCESS(MEMORY_READ);
    SAME_ACCESS(MEMORY_WRITE);
}

static void accesses_are_what_the_stages_can_do(void **state)
{
    const uint64_t shader_reads = A(UNIFORM_READ) | A(SHADER_SAMPLED_READ) | A(SHADER_STORAGE_READ) |
                                  A_EXT(DESCRIPTOR_BUFFER_READ) | A_KHR(ACCELERATION_STRUCTURE_READ);
    const struct {
        uint64_t stages, accesses, expanded;
    } rows[] = {
        {0, A(MEMORY_READ) | A(MEMORY_WRITE), 0},
        {S(TOP_OF_PIPE), A(MEMORY_READ), 0},
        {S(BOTTOM_OF_PIPE), A(MEMORY_WRITE), 0},
        {S(ALL_COMMANDS), 0, 0},
        /* Shader accesses: what they are made of. */
        {S(FRAGMENT_SHADER), A(SHADER_READ), A(SHADER_SAMPLED_READ) | A(SHADER_STORAGE_READ)},
        {S(COMPUTE_SHADER), A(SHADER_WRITE), A(SHADER_STORAGE_WRITE)},
        {S(COMPUTE_SHADER), A(SHADER_STORAGE_READ), A(SHADER_STORAGE_READ)},
        {S(COMPUTE_SHADER), A(SHADER_SAMPLED_READ), A(SHADER_SAMPLED_READ)},
        {S_KHR(RAY_TRACING_SHADER), A(SHADER_READ),
         A(SHADER_SAMPLED_READ) | A(SHADER_STORAGE_READ) | A_KHR(SHADER_BINDING_TABLE_READ)},
        {S(COPY), A(SHADER_READ) | A(SHADER_WRITE), 0},
        {S_KHR(ACCELERATION_STRUCTURE_BUILD), A(SHADER_READ), A(SHADER_READ)},
        {S(FRAGMENT_SHADER), A(INPUT_ATTACHMENT_READ) | A(UNIFORM_READ), A(INPUT_ATTACHMENT_READ) | A(UNIFORM_READ)},
        {S(VERTEX_SHADER), A(INPUT_ATTACHMENT_READ), 0},
        {S(PRE_RASTERIZATION_SHADERS), A(UNIFORM_READ), A(UNIFORM_READ)},
        /* Memory accesses: everything of these stages and nothing else. */
        {S(DRAW_INDIRECT), A(MEMORY_READ), A(INDIRECT_COMMAND_READ) | A_EXT(TRANSFORM_FEEDBACK_COUNTER_READ)},
        {S(INDEX_INPUT), A(MEMORY_READ), A(INDEX_READ)},
        {S(VERTEX_INPUT), A(MEMORY_READ), A(INDEX_READ) | A(VERTEX_ATTRIBUTE_READ)},
        {S(VERTEX_SHADER), A(MEMORY_READ), shader_reads},
        {S(VERTEX_SHADER), A(MEMORY_WRITE), A(SHADER_STORAGE_WRITE)},
        {S(FRAGMENT_SHADER), A(MEMORY_READ), shader_reads | A(INPUT_ATTACHMENT_READ)},
        {S(COMPUTE_SHADER), A(MEMORY_READ) | A(MEMORY_WRITE), shader_reads | A(SHADER_STORAGE_WRITE)},
        {S(COLOR_ATTACHMENT_OUTPUT), A(MEMORY_READ),
         A(COLOR_ATTACHMENT_READ) | A_EXT(COLOR_ATTACHMENT_READ_NONCOHERENT)},
        {S(COLOR_ATTACHMENT_OUTPUT), A(MEMORY_WRITE), A(COLOR_ATTACHMENT_WRITE)},
        {S(EARLY_FRAGMENT_TESTS), A(MEMORY_READ) | A(MEMORY_WRITE),
         A(DEPTH_STENCIL_ATTACHMENT_READ) | A(DEPTH_STENCIL_ATTACHMENT_WRITE)},
        {S(LATE_FRAGMENT_TESTS), A(MEMORY_WRITE), A(DEPTH_STENCIL_ATTACHMENT_WRITE)},
        {S(COPY), A(MEMORY_READ) | A(MEMORY_WRITE), A(TRANSFER_READ) | A(TRANSFER_WRITE)},
        {S(CLEAR), A(MEMORY_READ) | A(MEMORY_WRITE), A(TRANSFER_WRITE)},
        {S(ALL_TRANSFER), A(MEMORY_WRITE), A(TRANSFER_WRITE) | A_KHR(ACCELERATION_STRUCTURE_WRITE)},
        {S(HOST), A(MEMORY_READ) | A(MEMORY_WRITE), A(HOST_READ) | A(HOST_WRITE)},
        {S_EXT(CONDITIONAL_RENDERING), A(MEMORY_READ), A_EXT(CONDITIONAL_RENDERING_READ)},
        {S_EXT(TRANSFORM_FEEDBACK), A(MEMORY_WRITE),
         A_EXT(TRANSFORM_FEEDBACK_WRITE) | A_EXT(TRANSFORM_FEEDBACK_COUNTER_WRITE)},
        /* Accesses that the stages cannot do are dropped; the host's accesses are no command's. */
        {S(ALL_COMMANDS), A(HOST_READ) | A(HOST_WRITE), 0},
        {S(ALL_COMMANDS), A(TRANSFER_WRITE) | A(COLOR_ATTACHMENT_WRITE), A(TRANSFER_WRITE) | A(COLOR_ATTACHMENT_WRITE)},
        {S(ALL_GRAPHICS), A(TRANSFER_WRITE), 0},
        {S(ALL_TRANSFER), A(COLOR_ATTACHMENT_WRITE), 0},
        {S(COMPUTE_SHADER), A(INDIRECT_COMMAND_READ), 0},
        {S(COMPUTE_SHADER) | S(DRAW_INDIRECT), A(INDIRECT_COMMAND_READ) | A(SHADER_WRITE),
         A(INDIRECT_COMMAND_READ) | A(SHADER_STORAGE_WRITE)},
        {S(FRAGMENT_SHADER), A(COLOR_ATTACHMENT_READ) | A(DEPTH_STENCIL_ATTACHMENT_READ), 0},
        {S(RESOLVE), A(TRANSFER_READ) | A(COLOR_ATTACHMENT_READ), A(TRANSFER_READ)},
        {S_KHR(ACCELERATION_STRUCTURE_BUILD), A_KHR(ACCELERATION_STRUCTURE_WRITE) | A(INDIRECT_COMMAND_READ),
         A_KHR(ACCELERATION_STRUCTURE_WRITE) | A(INDIRECT_COMMAND_READ)},
        /* An access of the future is not ours to drop, and a stage of the future may do anything. */
        {S(COPY), 1ull << 62 | A(TRANSFER_READ), 1ull << 62 | A(TRANSFER_READ)},
        {1ull << 62, A(TRANSFER_READ), A(TRANSFER_READ)},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        flags_equal(i, "accesses", vk_expand_accesses(rows[i].stages, rows[i].accesses), rows[i].expanded);
    flags_equal(0, "filter", vk_filter_accesses(S(COPY), A(TRANSFER_READ) | A(INDEX_READ)), A(TRANSFER_READ));
}

static void every_access_reads_or_writes(void **state)
{
    const uint64_t writes = A(SHADER_WRITE) | A(SHADER_STORAGE_WRITE) | A(COLOR_ATTACHMENT_WRITE) |
                            A(DEPTH_STENCIL_ATTACHMENT_WRITE) | A(TRANSFER_WRITE) | A(HOST_WRITE) | A(MEMORY_WRITE) |
                            A_EXT(TRANSFORM_FEEDBACK_WRITE) | A_EXT(TRANSFORM_FEEDBACK_COUNTER_WRITE) |
                            A_KHR(ACCELERATION_STRUCTURE_WRITE) | A_EXT(MICROMAP_WRITE) | A_KHR(VIDEO_DECODE_WRITE);
    const uint64_t reads = A(INDIRECT_COMMAND_READ) | A(INDEX_READ) | A(VERTEX_ATTRIBUTE_READ) | A(UNIFORM_READ) |
                           A(INPUT_ATTACHMENT_READ) | A(SHADER_READ) | A(SHADER_SAMPLED_READ) | A(SHADER_STORAGE_READ) |
                           A(COLOR_ATTACHMENT_READ) | A(DEPTH_STENCIL_ATTACHMENT_READ) | A(TRANSFER_READ) |
                           A(HOST_READ) | A(MEMORY_READ) | A_EXT(TRANSFORM_FEEDBACK_COUNTER_READ) |
                           A_EXT(CONDITIONAL_RENDERING_READ) | A_EXT(COLOR_ATTACHMENT_READ_NONCOHERENT) |
                           A_KHR(FRAGMENT_SHADING_RATE_ATTACHMENT_READ) | A_EXT(FRAGMENT_DENSITY_MAP_READ) |
                           A_KHR(ACCELERATION_STRUCTURE_READ) | A_KHR(SHADER_BINDING_TABLE_READ) |
                           A_EXT(DESCRIPTOR_BUFFER_READ) | A_EXT(MICROMAP_READ) | A_KHR(VIDEO_DECODE_READ);
    flags_equal(0, "writes", vk_write_accesses(reads | writes), writes);
    flags_equal(0, "reads", vk_read_accesses(reads | writes), reads);
    /* An unknown one counts on both sides. */
    flags_equal(0, "unknown", vk_write_accesses(1ull << 62) & vk_read_accesses(1ull << 62), 1ull << 62);
}

static void a_queue_has_the_stages_of_its_commands(void **state)
{
    flags_equal(0, "transfer", vk_stages_of_queue(VK_QUEUE_TRANSFER_BIT), transfers());
    flags_equal(1, "compute", vk_stages_of_queue(VK_QUEUE_COMPUTE_BIT), compute_stages() | transfers());
    flags_equal(2, "general", vk_stages_of_queue(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT),
                graphics() | compute_stages() | transfers());
    flags_equal(3, "video", vk_stages_of_queue(VK_QUEUE_VIDEO_DECODE_BIT_KHR), S_KHR(VIDEO_DECODE));
    /* Shaders of a compute queue's barrier are the compute shaders alone. */
    flags_equal(4, "shaders", vk_expand_src_stages(S(ALL_COMMANDS)) & vk_stages_of_queue(VK_QUEUE_COMPUTE_BIT),
                compute_stages() | transfers());
}

static void ownership_is_seen_from_the_recording_family(void **state)
{
    const uint32_t ignored = VK_QUEUE_FAMILY_IGNORED, external = VK_QUEUE_FAMILY_EXTERNAL,
                   foreign = VK_QUEUE_FAMILY_FOREIGN_EXT;
    const struct {
        uint32_t src, dst, own;
        enum vk_ownership expected;
    } rows[] = {
        {ignored, ignored, 0, VK_OWNERSHIP_KEPT},
        {0, 0, 0, VK_OWNERSHIP_KEPT},
        {1, 1, 0, VK_OWNERSHIP_KEPT},
        {0, 1, 0, VK_OWNERSHIP_RELEASED},
        {0, 1, 1, VK_OWNERSHIP_ACQUIRED},
        {1, 0, 0, VK_OWNERSHIP_ACQUIRED},
        {1, 0, 1, VK_OWNERSHIP_RELEASED},
        {0, external, 0, VK_OWNERSHIP_RELEASED},
        {external, 0, 0, VK_OWNERSHIP_ACQUIRED},
        {1, foreign, 1, VK_OWNERSHIP_RELEASED},
        {foreign, 1, 1, VK_OWNERSHIP_ACQUIRED},
        /* Concurrent sharing names no family of its own. */
        {ignored, external, 2, VK_OWNERSHIP_RELEASED},
        {external, ignored, 2, VK_OWNERSHIP_ACQUIRED},
        {ignored, foreign, 2, VK_OWNERSHIP_RELEASED},
        {foreign, ignored, 2, VK_OWNERSHIP_ACQUIRED},
        /* One side alone is no transfer. */
        {0, ignored, 0, VK_OWNERSHIP_KEPT},
        {ignored, 0, 0, VK_OWNERSHIP_KEPT},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        enum vk_ownership got = vk_ownership_transfer(rows[i].src, rows[i].dst, rows[i].own);
        if (got != rows[i].expected)
            fail_msg("row %u: %d instead of %d", i, (int)got, (int)rows[i].expected);
    }
    assert_true(vk_queue_family_is_external(external) && vk_queue_family_is_external(foreign));
    assert_false(vk_queue_family_is_external(ignored) || vk_queue_family_is_external(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collective_stages_become_their_parts),
        cmocka_unit_test(older_flags_are_newer_flags),
        cmocka_unit_test(accesses_are_what_the_stages_can_do),
        cmocka_unit_test(every_access_reads_or_writes),
        cmocka_unit_test(a_queue_has_the_stages_of_its_commands),
        cmocka_unit_test(ownership_is_seen_from_the_recording_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
