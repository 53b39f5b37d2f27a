/* Descriptor buffers in command buffers: offsets and buffers that change, sets and pushed descriptors between them,
 * embedded samplers, secondaries, indirect dispatches, shader objects, other queues, memory that is bound in parts. */
#include <string.h>

#include "cases/descriptor/db.h"

#include "shaders/db_embedded.h"
#include "shaders/db_embedded_indexed.h"
#include "shaders/db_words.h"

#define COMPUTE VK_PIPELINE_BIND_POINT_COMPUTE
#define WORDS 8

/* Sets with a word each, sets that have results, and the pipeline that brings one to the other. */
struct words {
    struct db db;
    struct db_set from[WORDS], to;
    struct vt_buffer results;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

static struct db_binding word_binding(struct vt *vt, uint32_t value)
{
    struct vt_buffer word = vt_buffer(vt, 16, (uint32_t[]){0, value, 0, 0});
    return (struct db_binding)DB_ONE(DB_UNIFORM(word));
}

static void make_pipeline(struct words *words)
{
    const VkDescriptorSetLayout layouts[] = {words->from[0].layout, words->to.layout};
    words->layout = vt_pipeline_layout(words->db.vt, layouts, 2);
    words->pipeline = db_compute(&words->db, VT_SPIRV(db_words), words->layout, NULL);
}

/* Word i is 100 * i; each set of them in one of so many buffers. */
static void begin_words(struct vt *vt, struct words *words, uint32_t memories)
{
    db_open(&words->db, vt);
    for (uint32_t i = 0; i < memories; i++)
        db_memory(&words->db, 4096, DB_ALL);
    words->results = vt_buffer(vt, 256, NULL);
    for (uint32_t i = 0; i < WORDS; i++) {
        const struct db_binding binding = word_binding(vt, 100 * i);
        words->from[i] = db_set(&words->db, i % memories, &binding, 1);
    }
    const struct db_binding binding = DB_ONE(DB_STORAGE(words->results));
    words->to = db_set(&words->db, 0, &binding, 1);
    make_pipeline(words);
}

static void dispatch(VkCommandBuffer commands, const struct words *words, uint32_t at)
{
    vkCmdPushConstants(commands, words->layout, VK_SHADER_STAGE_ALL, 0, 4, &at);
    vkCmdDispatch(commands, 1, 1, 1);
}

static VkCommandBuffer begin_commands(struct vt *vt, struct words *words)
{
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, COMPUTE, words->pipeline);
    db_bind(&words->db, commands);
    db_use(&words->db, commands, COMPUTE, words->layout, 1, &words->to, 1);
    return commands;
}

static void end_commands(struct vt *vt, struct words *words, VkCommandBuffer commands, const uint32_t *expected,
                         uint32_t count)
{
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, words->results.map, expected, count, "words by sets");
}

static const uint32_t in_order[WORDS] = {0, 100, 200, 300, 400, 500, 600, 700};

/* ---- offsets and buffers ---- */

static void case_offsets(struct vt *vt, const void *argument)
{
    struct words words;
    begin_words(vt, &words, *(const uint32_t *)argument);
    if (words.db.sizes.maxDescriptorBufferBindings < words.db.num_memories ||
        words.db.sizes.maxResourceDescriptorBufferBindings < words.db.num_memories ||
        words.db.sizes.maxSamplerDescriptorBufferBindings < words.db.num_memories)
        vt_skip(vt, "fewer buffers at a time");
    VkCommandBuffer commands = begin_commands(vt, &words);
    for (uint32_t i = 0; i < WORDS; i++) {
        db_use(&words.db, commands, COMPUTE, words.layout, 0, &words.from[i], 1);
        dispatch(commands, &words, i);
    }
    end_commands(vt, &words, commands, in_order, WORDS);
}

static const uint32_t numbers[] = {1, 2, 3, 8};

/* Every dispatch binds other buffers, all of them as number 0. */
static void case_rebound(struct vt *vt, const void *argument)
{
    struct words words;
    begin_words(vt, &words, 4);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, COMPUTE, words.pipeline);
    for (uint32_t i = 0; i < WORDS; i++) {
        const VkDescriptorBufferBindingInfoEXT infos[2] = {
            {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
             .address = words.db.memories[i % 4].buffer.address,
             .usage = DB_ALL},
            {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
             .address = words.db.memories[0].buffer.address,
             .usage = DB_ALL}};
        words.db.bind_buffers(commands, 2, infos);
        const VkDeviceSize offsets_B[] = {words.from[i].offset_B, words.to.offset_B};
        words.db.set_offsets(commands, COMPUTE, words.layout, 0, 2, (const uint32_t[]){0, 1}, offsets_B);
        dispatch(commands, &words, i);
    }
    end_commands(vt, &words, commands, in_order, WORDS);
}

/* An address within a buffer is bound as if the buffer began there. */
static void case_address(struct vt *vt, const void *argument)
{
    struct words words;
    begin_words(vt, &words, 1);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, COMPUTE, words.pipeline);
    const VkDeviceSize align_B = words.db.sizes.descriptorBufferOffsetAlignment, first_B = words.from[2].offset_B;
    const VkDescriptorBufferBindingInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
                                                   .address = words.db.memories[0].buffer.address +
                                                              first_B / align_B * align_B,
                                                   .usage = DB_ALL};
    words.db.bind_buffers(commands, 1, &info);
    for (uint32_t i = 2; i < WORDS; i++) {
        const VkDeviceSize offsets_B[] = {words.from[i].offset_B - first_B, words.to.offset_B - first_B};
        words.db.set_offsets(commands, COMPUTE, words.layout, 0, 2, (const uint32_t[]){0, 0}, offsets_B);
        dispatch(commands, &words, i - 2);
    }
    end_commands(vt, &words, commands, in_order + 2, WORDS - 2);
}

/* Descriptors that are written when everything has been recorded. */
static void case_late(struct vt *vt, const void *argument)
{
    struct words words;
    begin_words(vt, &words, 1);
    VkCommandBuffer commands = begin_commands(vt, &words);
    for (uint32_t i = 0; i < WORDS; i++) {
        db_use(&words.db, commands, COMPUTE, words.layout, 0, &words.from[i], 1);
        dispatch(commands, &words, i);
    }
    uint32_t expected[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        const struct db_binding binding = word_binding(vt, expected[i] = 3000 + i);
        db_write(&words.db, db_map(&words.db, &words.from[i]), words.from[i].layout, &binding, 1);
    }
    end_commands(vt, &words, commands, expected, WORDS);
}

/* ---- beside sets and pushed descriptors ---- */

enum beside {
    SETS,
    SETS_IN_BETWEEN,
    OTHER_COMMAND_BUFFER,
};

/* Pipelines that take sets between others that take descriptor buffers: either kind is bound again after the other. */
static void case_beside(struct vt *vt, const void *argument)
{
    const enum beside way = *(const enum beside *)argument;
    struct words words;
    begin_words(vt, &words, 1);
    struct vt_buffer plain_word = vt_buffer(vt, 16, (uint32_t[]){0, 5000, 0, 0});
    struct vt_binding of_word = VT_UNIFORM_BUFFER(plain_word), of_results = VT_STORAGE_BUFFER(words.results);
    struct vt_set sets[] = {vt_set(vt, &of_word, 1), vt_set(vt, &of_results, 1)};
    const VkDescriptorSetLayout layouts[] = {sets[0].layout, sets[1].layout};
    const VkDescriptorSet handles[] = {sets[0].set, sets[1].set};
    VkPipelineLayout layout = vt_pipeline_layout(vt, layouts, 2);
    VkPipeline pipeline = vt_compute_pipeline(vt, VT_SPIRV(db_words), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    uint32_t expected[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        const bool is_set = way == SETS ? i < WORDS / 2 : i & 1;
        expected[i] = is_set ? 5000 : 100 * i;
        if (is_set) {
            vkCmdBindPipeline(commands, COMPUTE, pipeline);
            vkCmdBindDescriptorSets(commands, COMPUTE, layout, 0, 2, handles, 0, NULL);
        } else {
            vkCmdBindPipeline(commands, COMPUTE, words.pipeline);
            db_bind(&words.db, commands);
            db_use(&words.db, commands, COMPUTE, words.layout, 0, &words.from[i], 1);
            db_use(&words.db, commands, COMPUTE, words.layout, 1, &words.to, 1);
        }
        dispatch(commands, &words, i);
        if (way == OTHER_COMMAND_BUFFER && i + 1 < WORDS) {
            vt_full_barrier(commands);
            vt_submit(vt, commands);
            commands = vt_begin(vt);
        }
    }
    end_commands(vt, &words, commands, expected, WORDS);
}

static const enum beside besides[] = {SETS, SETS_IN_BETWEEN, OTHER_COMMAND_BUFFER};

static VkBuffer pushed_buffer(struct db *db)
{
    /* Where pushed descriptors need memory of the application's, it is this. */
    return db->memories[0].buffer.buffer;
}

/* Set 0 is pushed and set 1 is in a buffer, or the other way round. */
static void case_pushed(struct vt *vt, const void *argument)
{
    const uint32_t pushed = *(const uint32_t *)argument - 1;
    struct words words;
    if (!vt->has[VT_PUSH_DESCRIPTOR])
        vt_skip(vt, "no pushed descriptors");
    begin_words(vt, &words, 1);
    if (!words.db.features.descriptorBufferPushDescriptors)
        vt_skip(vt, "no pushed descriptors beside descriptor buffers");
    const bool needs_buffer = !words.db.sizes.bufferlessPushDescriptors;
    const VkBufferUsageFlags usage =
        DB_ALL | (needs_buffer ? VK_BUFFER_USAGE_PUSH_DESCRIPTORS_DESCRIPTOR_BUFFER_BIT_EXT : 0);
    if (needs_buffer) {
        words.db.num_memories = 0;
        db_memory(&words.db, 4096, usage);
        for (uint32_t i = 0; i < WORDS; i++) {
            const struct db_binding binding = word_binding(vt, 100 * i);
            words.from[i] = db_set(&words.db, 0, &binding, 1);
        }
        const struct db_binding binding = DB_ONE(DB_STORAGE(words.results));
        words.to = db_set(&words.db, 0, &binding, 1);
    }
    const struct db_binding shape = {.type = pushed ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                    : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER};
    *(pushed ? &words.to.layout : &words.from[0].layout) =
        db_layout(&words.db, &shape, 1, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    make_pipeline(&words);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, COMPUTE, words.pipeline);
    VkDescriptorBufferBindingPushDescriptorBufferHandleEXT handle = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_PUSH_DESCRIPTOR_BUFFER_HANDLE_EXT,
        .buffer = pushed_buffer(&words.db)};
    const VkDescriptorBufferBindingInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
                                                   .pNext = needs_buffer ? &handle : NULL,
                                                   .address = words.db.memories[0].buffer.address,
                                                   .usage = usage};
    words.db.bind_buffers(commands, 1, &info);
    if (!pushed)
        db_use(&words.db, commands, COMPUTE, words.layout, 1, &words.to, 1);
    for (uint32_t i = 0; i < WORDS; i++) {
        struct vt_buffer word = vt_buffer(vt, 16, (uint32_t[]){0, 100 * i, 0, 0});
        const VkDescriptorBufferInfo buffer = {pushed ? words.results.buffer : word.buffer, 0, VK_WHOLE_SIZE};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .descriptorCount = 1,
                                            .descriptorType = shape.type,
                                            .pBufferInfo = &buffer};
        if (pushed)
            db_use(&words.db, commands, COMPUTE, words.layout, 0, &words.from[i], 1);
        if (!pushed || i == 0 || i == 5)
            VT_LOAD(vt, CmdPushDescriptorSetKHR)(commands, COMPUTE, words.layout, pushed, 1, &write);
        dispatch(commands, &words, i);
    }
    end_commands(vt, &words, commands, in_order, WORDS);
}

/* ---- embedded samplers ---- */

static VkDescriptorSetLayout embedded_layout(struct db *db)
{
    struct vt *vt = db->vt;
    const VkSampler samplers[3] = {
        vt_sampler(vt, (VkSamplerCreateInfo){0}),
        vt_sampler(vt, (VkSamplerCreateInfo){.magFilter = VK_FILTER_LINEAR, .minFilter = VK_FILTER_LINEAR}),
        vt_sampler(vt, (VkSamplerCreateInfo){.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                             .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                             .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
                                             .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK})};
    /* Number 2 is not used. */
    const struct db_binding bindings[] = {{.immutable = &samplers[0]},
                                          {.immutable = &samplers[1]},
                                          {.immutable = &samplers[0]},
                                          {.immutable = &samplers[2]}};
    return db_layout(db, bindings, 4, VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT);
}

enum embedded {
    EMBEDDED,
    EMBEDDED_FIRST,
    EMBEDDED_BY_STRUCTURE,
    EMBEDDED_INDEXED,
};

static void case_embedded(struct vt *vt, const void *argument)
{
    const enum embedded way = *(const enum embedded *)argument;
    struct db db;
    db_open(&db, vt);
    db_need_embedded(&db);
    if (way == EMBEDDED_BY_STRUCTURE && !vt->has[VT_MAINTENANCE6])
        vt_skip(vt, "no VK_KHR_maintenance6");
    if (way == EMBEDDED_INDEXED && vt->driver == VK_DRIVER_ID_MESA_RADV)
        vt_skip(vt, "RADV looks in memory for a sampler whose index it does not know");
    struct vt_image image = vt_image_2d(vt, VK_FORMAT_R8G8B8A8_UNORM, 2, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    vt_upload(vt, &image, 0, (uint32_t[]){40, 240}, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    struct vt_buffer results = vt_buffer(vt, 16, NULL);
    const struct db_binding bindings[] = {DB_ONE(DB_SAMPLED(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D))),
                                          DB_ONE(DB_STORAGE(results))};
    struct db_set set = db_set(&db, db_memory(&db, 4096, DB_ALL), bindings, 2);
    const VkDescriptorSetLayout layouts[] = {set.layout, embedded_layout(&db)};
    VkPipelineLayout layout = vt_pipeline_layout(vt, layouts, 2);
    VkPipeline pipeline =
        db_compute(&db, way == EMBEDDED_INDEXED ? VT_SPIRV(db_embedded_indexed) : VT_SPIRV(db_embedded), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    const VkBindDescriptorBufferEmbeddedSamplersInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_INFO_EXT,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .layout = layout,
        .set = 1};
    if (way == EMBEDDED_FIRST)
        db.bind_samplers(commands, COMPUTE, layout, 1);
    vkCmdBindPipeline(commands, COMPUTE, pipeline);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 4, &(uint32_t){0});
    db_bind(&db, commands);
    db_use(&db, commands, COMPUTE, layout, 0, &set, 1);
    if (way == EMBEDDED_BY_STRUCTURE)
        VT_LOAD(vt, CmdBindDescriptorBufferEmbeddedSamplers2EXT)(commands, &info);
    else if (way != EMBEDDED_FIRST)
        db.bind_samplers(commands, COMPUTE, layout, 1);
    vkCmdDispatch(commands, 1, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
    vt_expect_words(vt, results.map, (const uint32_t[]){40, 90, 0, 255}, 4, "what embedded samplers read");
}

static const enum embedded embeddings[] = {EMBEDDED, EMBEDDED_FIRST, EMBEDDED_BY_STRUCTURE, EMBEDDED_INDEXED};

/* ---- other ways to dispatch ---- */

enum recorded {
    INDIRECT,
    SECONDARY,
    BY_STRUCTURE,
    COMPUTE_QUEUE,
};

static void destroy_pool(struct vt *vt, uint64_t handle)
{
    vkDestroyCommandPool(vt->device, (VkCommandPool)handle, NULL);
}

static VkCommandBuffer other_commands(struct vt *vt, uint32_t family, VkCommandBufferLevel level)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = family};
    VkCommandPool pool;
    VT_CHECK(vt, vkCreateCommandPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, destroy_pool, (uint64_t)pool);
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level = level,
                                              .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                 .pInheritanceInfo = &inherited};
    VkCommandBuffer commands;
    VT_CHECK(vt, vkAllocateCommandBuffers(vt->device, &info, &commands));
    VT_CHECK(vt, vkBeginCommandBuffer(commands, &begin_info));
    return commands;
}

static void use_by_structure(struct words *words, VkCommandBuffer commands, uint32_t i)
{
    const uint32_t buffers[] = {words->from[i].memory, words->to.memory};
    const VkDeviceSize offsets_B[] = {words->from[i].offset_B, words->to.offset_B};
    const VkSetDescriptorBufferOffsetsInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT,
                                                      .stageFlags = VK_SHADER_STAGE_ALL,
                                                      .layout = words->layout,
                                                      .setCount = 2,
                                                      .pBufferIndices = buffers,
                                                      .pOffsets = offsets_B};
    VT_LOAD(words->db.vt, CmdSetDescriptorBufferOffsets2EXT)(commands, &info);
}

/* The words of every set, by commands that are recorded another way. */
static void record_words(struct vt *vt, struct words *words, VkCommandBuffer commands, enum recorded way)
{
    struct vt_buffer groups = vt_buffer(vt, 12, (uint32_t[]){2, 1, 1});
    vkCmdBindPipeline(commands, COMPUTE, words->pipeline);
    db_bind(&words->db, commands);
    for (uint32_t i = 0; i < WORDS; i++) {
        if (way == BY_STRUCTURE) {
            use_by_structure(words, commands, i);
        } else {
            db_use(&words->db, commands, COMPUTE, words->layout, 0, &words->from[i], 1);
            db_use(&words->db, commands, COMPUTE, words->layout, 1, &words->to, 1);
        }
        if (way == INDIRECT) {
            vkCmdPushConstants(commands, words->layout, VK_SHADER_STAGE_ALL, 0, 4, &(uint32_t){2 * i});
            vkCmdDispatchIndirect(commands, groups.buffer, 0);
        } else {
            dispatch(commands, words, i);
        }
    }
}

static void case_recorded(struct vt *vt, const void *argument)
{
    const enum recorded way = *(const enum recorded *)argument;
    struct words words;
    begin_words(vt, &words, 2);
    if (way == BY_STRUCTURE && !vt->has[VT_MAINTENANCE6])
        vt_skip(vt, "no VK_KHR_maintenance6");
    if (way == COMPUTE_QUEUE && !vt->compute_queue)
        vt_skip(vt, "no queue for compute alone");
    if (way == COMPUTE_QUEUE) {
        VkCommandBuffer commands = other_commands(vt, vt->compute_family, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        record_words(vt, &words, commands, way);
        vt_full_barrier(commands);
        VT_CHECK(vt, vkEndCommandBuffer(commands));
        const VkSubmitInfo submit = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
        VT_CHECK(vt, vkQueueSubmit(vt->compute_queue, 1, &submit, VK_NULL_HANDLE));
        VT_CHECK(vt, vkQueueWaitIdle(vt->compute_queue));
        vt_expect_words(vt, words.results.map, in_order, WORDS, "words of another queue");
        return;
    }
    VkCommandBuffer commands = vt_begin(vt);
    if (way == SECONDARY) {
        VkCommandBuffer secondary = other_commands(vt, vt->family, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        record_words(vt, &words, secondary, way);
        VT_CHECK(vt, vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(commands, 1, &secondary);
    } else {
        record_words(vt, &words, commands, way);
    }
    uint32_t twice[2 * WORDS];
    for (uint32_t i = 0; i < 2 * WORDS; i++)
        twice[i] = 100 * (i / 2) + i % 2;
    end_commands(vt, &words, commands, way == INDIRECT ? twice : in_order, way == INDIRECT ? 2 * WORDS : WORDS);
}

static const enum recorded recordings[] = {INDIRECT, SECONDARY, BY_STRUCTURE, COMPUTE_QUEUE};

const struct vt_case vt_db_command_cases[] = {
    {"offsets between dispatches", case_offsets, &numbers[0]},
    {"offsets into two buffers", case_offsets, &numbers[1]},
    {"offsets into three buffers", case_offsets, &numbers[2]},
    {"offsets into eight buffers", case_offsets, &numbers[3]},
    {"buffers bound again", case_rebound, NULL},
    {"an address within a buffer", case_address, NULL},
    {"written after recording", case_late, NULL},
    {"after sets", case_beside, &besides[0]},
    {"between sets", case_beside, &besides[1]},
    {"between command buffers with sets", case_beside, &besides[2]},
    {"beside a pushed uniform buffer", case_pushed, &numbers[0]},
    {"beside a pushed storage buffer", case_pushed, &numbers[1]},
    {"embedded samplers", case_embedded, &embeddings[0]},
    {"embedded samplers bound first", case_embedded, &embeddings[1]},
    {"embedded samplers by structure", case_embedded, &embeddings[2]},
    {"embedded samplers by index", case_embedded, &embeddings[3]},
    {"indirect dispatches", case_recorded, &recordings[0]},
    {"dispatches of a secondary", case_recorded, &recordings[1]},
    {"offsets by structure", case_recorded, &recordings[2]},
    {"dispatches of another queue", case_recorded, &recordings[3]},
};
const size_t vt_db_command_count = COUNT_OF(vt_db_command_cases);
