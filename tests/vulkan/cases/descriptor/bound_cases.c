/* Draws after any binds between them: each counts a hash of all that its shaders find bound (shaders/bound.*). What is
 * bound is drawn by lot, so that a draw finds much, little or nothing new since the draw before. */
#include <stddef.h>
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/bound_frag.h"
#include "shaders/bound_storage_frag.h"
#include "shaders/bound_vert.h"

enum {
    DRAWS = 500,
    COUNTS = 4096,
    VALUES = 8,
    STRIDE_B = 256,
    VERTICES = 24,
    PIPELINES = 6,
    PLAIN = 4, /* so many of them have a plain second set, the others one with an offset */
};

/* How likely in a hundred a change is between two draws. */
struct binds {
    uint32_t pipeline, first_set, second_set, push, vertices, arguments;
    uint32_t other;                 /* a clear, or a fill between two renderings */
    bool in_secondary, has_offsets; /* of the first pipeline */
};

struct push {
    uint32_t first, between[14], last;
};

/* As the commands have it. */
struct bound {
    uint32_t pipeline, first_value, second_value, vertices;
    bool has_offset;
    struct push push;
};

struct bench {
    struct vt_target target;
    struct vt_graphics graphics[PIPELINES];
    struct vt_buffer values, counts, attributes, indices, other;
    struct vt_set first[VALUES], second[VALUES], offset;
    VkCommandBuffer commands;
    struct bound bound;
    uint64_t seed;
    uint32_t wanted[COUNTS];
};

static uint32_t add_word(uint32_t to, uint32_t word)
{
    return (to ^ word) * 16777619u;
}

static bool is_chosen(struct bench *bench, uint32_t percent)
{
    return vt_random(&bench->seed) % 100 < percent;
}

static uint32_t choose_number(struct bench *bench, uint32_t count)
{
    return vt_random(&bench->seed) % count;
}

/* ---- objects ---- */

static void make_sets(struct vt *vt, struct bench *bench)
{
    for (uint32_t i = 0; i < VALUES; i++) {
        const struct vt_binding bindings[] = {
            {.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buffer = {bench->values.buffer, i * STRIDE_B, 16}},
            VT_STORAGE_BUFFER(bench->counts),
        };
        bench->first[i] = vt_set(vt, bindings, COUNT_OF(bindings));
        bench->second[i] = vt_set(vt, bindings, 1);
    }
    const struct vt_binding storage = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC,
                                       .buffer = {bench->values.buffer, 0, 16}};
    bench->offset = vt_set(vt, &storage, 1);
}

static void make_bench(struct vt *vt, struct bench *bench)
{
    if (!vt->features.features.fragmentStoresAndAtomics)
        vt_skip(vt, "no fragmentStoresAndAtomics");
    static uint32_t values[VALUES * STRIDE_B / 4], attributes[2 * VERTICES], indices[VERTICES];
    for (uint32_t i = 0; i < VALUES; i++)
        values[i * STRIDE_B / 4] = 1000 + i;
    for (uint32_t i = 0; i < 2 * VERTICES; i++)
        attributes[i] = 77 * i;
    for (uint32_t i = 0; i < VERTICES; i++)
        indices[i] = VERTICES - 3 - i / 3 * 3 + i % 3;
    bench->values = vt_buffer(vt, sizeof(values), values);
    bench->attributes = vt_buffer(vt, sizeof(attributes), attributes);
    bench->indices = vt_buffer(vt, sizeof(indices), indices);
    bench->counts = vt_buffer(vt, sizeof(bench->wanted), NULL);
    bench->other = vt_buffer(vt, 64, NULL);
    memset(bench->counts.map, 0, sizeof(bench->wanted));
    bench->target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, 1, 1);
    make_sets(vt, bench);
    for (uint32_t i = 0; i < PIPELINES; i++) {
        struct vt_graphics *graphics = &bench->graphics[i];
        const VkSpecializationInfo *constants = VT_CONSTANTS(i);
        vt_graphics_init(graphics, &bench->target, VT_SPIRV(bound_vert),
                         i < PLAIN ? VT_SPIRV(bound_frag) : VT_SPIRV(bound_storage_frag));
        graphics->vertex_constants = graphics->fragment_constants = constants;
        graphics->sets[0] = bench->first[0].layout;
        graphics->sets[1] = i < PLAIN ? bench->second[0].layout : bench->offset.layout;
        graphics->set_count = 2;
        vt_add_binding(graphics, 4, VK_VERTEX_INPUT_RATE_VERTEX);
        vt_add_attribute(graphics, VK_FORMAT_R32_UINT, 0);
        vt_make_pipeline(vt, graphics, &bench->target);
    }
}

/* ---- commands ---- */

static void bind_pipeline(struct bench *bench, uint32_t which)
{
    bench->bound.pipeline = which;
    vkCmdBindPipeline(bench->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bench->graphics[which].pipeline);
}

static void bind_first(struct bench *bench, uint32_t value)
{
    bench->bound.first_value = value;
    vkCmdBindDescriptorSets(bench->commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                            bench->graphics[bench->bound.pipeline].layout, 0, 1, &bench->first[value].set, 0, NULL);
}

static void bind_second(struct bench *bench, uint32_t value)
{
    const bool has_offset = bench->bound.pipeline >= PLAIN;
    bench->bound.second_value = value;
    bench->bound.has_offset = has_offset;
    vkCmdBindDescriptorSets(
        bench->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bench->graphics[bench->bound.pipeline].layout, 1, 1,
        has_offset ? &bench->offset.set : &bench->second[value].set, has_offset, &(uint32_t){value * STRIDE_B});
}

static void push_words(struct bench *bench, bool all)
{
    struct push *push = &bench->bound.push;
    const VkPipelineLayout layout = bench->graphics[bench->bound.pipeline].layout;
    push->last = choose_number(bench, 1000);
    if (all) {
        push->first = choose_number(bench, 1000);
        vkCmdPushConstants(bench->commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof(*push), push);
    } else {
        vkCmdPushConstants(bench->commands, layout, VK_SHADER_STAGE_ALL, offsetof(struct push, last), 4, &push->last);
    }
}

static void bind_vertices(struct bench *bench, uint32_t half)
{
    bench->bound.vertices = half * VERTICES;
    vkCmdBindVertexBuffers(bench->commands, 0, 1, &bench->attributes.buffer,
                           &(VkDeviceSize){bench->bound.vertices * 4});
}

static void bind_all(struct bench *bench, uint32_t pipeline)
{
    bind_pipeline(bench, pipeline);
    bind_first(bench, choose_number(bench, VALUES));
    bind_second(bench, choose_number(bench, VALUES));
    push_words(bench, true);
    bind_vertices(bench, choose_number(bench, 2));
    vkCmdBindIndexBuffer(bench->commands, bench->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
}

static void bind_some(struct bench *bench, const struct binds *binds)
{
    if (is_chosen(bench, binds->pipeline))
        bind_pipeline(bench, choose_number(bench, PIPELINES));
    if (is_chosen(bench, binds->first_set))
        bind_first(bench, choose_number(bench, VALUES));
    if (is_chosen(bench, binds->second_set) || bench->bound.has_offset != (bench->bound.pipeline >= PLAIN))
        bind_second(bench, choose_number(bench, VALUES));
    if (is_chosen(bench, binds->push))
        push_words(bench, choose_number(bench, 2));
    if (is_chosen(bench, binds->vertices))
        bind_vertices(bench, choose_number(bench, 2));
}

/* Draws, dispatches or copies of the driver's own. */
static void do_other(struct bench *bench, bool in_secondary)
{
    const VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 0, 0, 1}}}};
    const VkClearRect rect = {{{0, 0}, {1, 1}}, 0, 1};
    if (in_secondary || choose_number(bench, 2)) {
        vkCmdClearAttachments(bench->commands, 1, &clear, 1, &rect);
        return;
    }
    vkCmdEndRendering(bench->commands);
    vkCmdFillBuffer(bench->commands, bench->other.buffer, 0, 64, 5);
    vt_begin_rendering(bench->commands, &bench->target);
}

static void draw(struct bench *bench, bool has_arguments)
{
    const struct bound *bound = &bench->bound;
    const uint32_t first = has_arguments ? choose_number(bench, VERTICES / 3) * 3 : 0;
    const uint32_t instance = has_arguments ? choose_number(bench, 3) : 0,
                   instances = has_arguments ? 1 + choose_number(bench, 2) : 1;
    uint32_t vertex = first;
    if (choose_number(bench, 4) == 0) {
        vertex = VERTICES - 3 - first;
        vkCmdDrawIndexed(bench->commands, 3, instances, first, 0, instance);
    } else {
        vkCmdDraw(bench->commands, 3, instances, first, instance);
    }
    for (uint32_t i = 0; i < instances; i++) {
        uint32_t hash = add_word(add_word(add_word(1, bound->pipeline), 1000 + bound->first_value), bound->push.first);
        hash = add_word(add_word(add_word(hash, 77 * (bound->vertices + vertex)), vertex), instance + i);
        hash = add_word(add_word(add_word(hash, bound->pipeline), 1000 + bound->second_value), bound->push.last);
        bench->wanted[(hash ^ hash >> 16) & (COUNTS - 1)]++;
    }
}

static void case_binds(struct vt *vt, const void *argument)
{
    static struct bench bench;
    const struct binds *binds = argument;
    memset(&bench, 0, sizeof(bench));
    bench.seed = 1;
    make_bench(vt, &bench);
    VkCommandBuffer primary = vt_begin(vt);
    vt_begin_rendering_with(primary, &bench.target,
                            binds->in_secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0);
    bench.commands = binds->in_secondary ? vt_begin_secondary(vt, &bench.target, 0, 0) : primary;
    bind_all(&bench, binds->has_offsets ? PLAIN : 0);
    for (uint32_t i = 0; i < DRAWS; i++) {
        draw(&bench, is_chosen(&bench, binds->arguments));
        if (is_chosen(&bench, binds->other))
            do_other(&bench, binds->in_secondary);
        bind_some(&bench, binds);
    }
    if (binds->in_secondary) {
        VT_CHECK(vt, vkEndCommandBuffer(bench.commands));
        vkCmdExecuteCommands(primary, 1, &bench.commands);
    }
    vkCmdEndRendering(primary);
    vt_full_barrier(primary);
    vt_submit(vt, primary);
    const uint32_t *counts = bench.counts.map;
    for (uint32_t i = 0; i < COUNTS; i++) {
        if (counts[i] != bench.wanted[i])
            vt_fail(vt, "%u draws found what hashes to %u, not %u", counts[i], i, bench.wanted[i]);
    }
}

static const struct binds all = {30, 30, 30, 30, 20, 20, 10, false, false}, rare = {5, 5, 5, 5, 5, 5, 2, false, false},
                          inside = {30, 30, 30, 30, 20, 20, 10, true, false},
                          always = {100, 100, 100, 100, 100, 100, 0, false, false}, pipelines = {.pipeline = 60},
                          first_sets = {.first_set = 60}, second_sets = {.second_set = 60},
                          offsets = {.second_set = 60, .has_offsets = true}, pushes = {.push = 60},
                          others = {.first_set = 10, .push = 10, .other = 60};

const struct vt_case vt_bound_cases[] = {
    {"pipelines", case_binds, &pipelines},
    {"first sets", case_binds, &first_sets},
    {"second sets", case_binds, &second_sets},
    {"offsets", case_binds, &offsets},
    {"push constants", case_binds, &pushes},
    {"something of everything", case_binds, &all},
    {"something of everything in a secondary", case_binds, &inside},
    {"hardly anything", case_binds, &rare},
    {"everything", case_binds, &always},
    {"other work between", case_binds, &others},
};
const size_t vt_bound_count = COUNT_OF(vt_bound_cases);
