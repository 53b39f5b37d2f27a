/* Hidden fragments: random draws with all that a driver looks at when it leaves out fragments before their depth
 * test (depth functions of both directions, stencil, discards, exported depth, masks, blending, queries, clears,
 * secondary command buffers, several passes over the same depths), beside a model of pixels on the CPU. A case is a
 * seed. */
#include <string.h>

#include "vt/vt_graphics.h"

#include "shaders/hidden_export_frag.h"
#include "shaders/hidden_kill_frag.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define CELLS 16u  /* a side: rectangles are made of whole cells */
#define CELL 32u   /* pixels a side */
#define PASSES 3u  /* over the same targets */
#define DRAWS 24u  /* of a pass */
#define BATCHES 3u /* of the draws of a pass: each may be a secondary command buffer */

enum shader {
    PLAIN,
    KILLS,   /* odd rows */
    EXPORTS, /* its depth */
    SHADERS
};

enum colors {
    REPLACES,
    ADDS,
    NONE, /* masks */
    RED,
    COLORS
};

struct pixel {
    float depth;
    uint32_t color[4], stencil;
};

struct cell {
    struct pixel rows[2]; /* even and odd ones */
};

struct hidden {
    uint64_t seed;
    struct vt_target target;
    struct vt_graphics graphics[SHADERS][COLORS];
    struct cell cells[CELLS][CELLS];
    VkQueryPool queries;
    uint32_t num_queries, counted[PASSES * DRAWS];
    VkCompareOp favourite;             /* most draws of a pass compare so */
    uint32_t rare_stencil, rare_count; /* one of so many draws has it */
};

static uint32_t dice(struct hidden *h, uint32_t count)
{
    return vt_random(&h->seed) % count;
}

/* ---- the model ---- */

struct draw {
    uint32_t x0, y0, x1, y1; /* cells */
    enum shader shader;
    enum colors colors;
    bool is_tested, is_written, has_stencil;
    VkCompareOp compare, stencil_compare;
    VkStencilOp pass, depth_fail;
    uint32_t reference;
    float depth;
    uint32_t color[4]; /* codes */
    bool is_counted;
};

static bool comparison_passes(VkCompareOp op, float a, float b)
{
    const bool results[] = {false, a<b, a == b, a <= b, a> b, a != b, a >= b, true};
    return results[op];
}

static uint32_t stencil_after(const struct draw *draw, VkStencilOp op, uint32_t value)
{
    return op == VK_STENCIL_OP_REPLACE ? draw->reference : op == VK_STENCIL_OP_INVERT ? ~value & 255 : value;
}

/* Whether the fragment is counted. */
static bool shade_pixel(const struct draw *draw, struct pixel *pixel, bool is_odd)
{
    if (draw->shader == KILLS && is_odd)
        return false;
    if (draw->has_stencil && !comparison_passes(draw->stencil_compare, (float)draw->reference, (float)pixel->stencil))
        return false;
    const bool passes = !draw->is_tested || comparison_passes(draw->compare, draw->depth, pixel->depth);
    if (draw->has_stencil)
        pixel->stencil = stencil_after(draw, passes ? draw->pass : draw->depth_fail, pixel->stencil);
    if (!passes)
        return false;
    if (draw->is_tested && draw->is_written)
        pixel->depth = draw->depth;
    for (unsigned i = 0; i < 4; i++) {
        if (draw->colors == REPLACES || (draw->colors == RED && i == 0))
            pixel->color[i] = draw->color[i];
        else if (draw->colors == ADDS)
            pixel->color[i] = pixel->color[i] + draw->color[i] > 255 ? 255 : pixel->color[i] + draw->color[i];
    }
    return true;
}

static uint32_t shade_all(struct hidden *h, const struct draw *draw)
{
    uint32_t counted = 0;
    for (uint32_t y = draw->y0; y < draw->y1; y++) {
        for (uint32_t x = draw->x0; x < draw->x1; x++) {
            for (unsigned row = 0; row < 2; row++)
                counted += shade_pixel(draw, &h->cells[y][x].rows[row], row) ? CELL * CELL / 2 : 0;
        }
    }
    return counted;
}

static void clear_all(struct hidden *h, float depth)
{
    for (uint32_t i = 0; i < CELLS * CELLS * 2; i++)
        h->cells[i / 2 / CELLS][i / 2 % CELLS].rows[i % 2].depth = depth;
}

/* ---- the choice ---- */

static struct draw choose_draw(struct hidden *h)
{
    static const VkStencilOp operations[] = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_INVERT};
    struct draw draw = {.x0 = dice(h, CELLS - 1), .y0 = dice(h, CELLS - 1)};
    draw.x1 = draw.x0 + 1 + dice(h, CELLS - draw.x0);
    draw.y1 = draw.y0 + 1 + dice(h, CELLS - draw.y0);
    draw.shader = dice(h, 7) ? PLAIN : (enum shader)dice(h, SHADERS);
    draw.colors = dice(h, 6) ? REPLACES : (enum colors)dice(h, COLORS);
    draw.is_tested = dice(h, 12);
    draw.is_written = dice(h, 6);
    draw.compare = dice(h, 25) ? h->favourite : (VkCompareOp)dice(h, 8);
    draw.has_stencil = !dice(h, h->rare_stencil);
    draw.stencil_compare = dice(h, 2) ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_EQUAL;
    draw.reference = dice(h, 2) ? 0x55 : 0;
    draw.pass = operations[dice(h, 3)];
    draw.depth_fail = operations[dice(h, 3)];
    /* Exported depths are interpolated: no two are equal, nor equal to others. */
    draw.depth = draw.shader == EXPORTS ? ((float)(1 + dice(h, 30)) + 0.5f) / 32 : (float)(1 + dice(h, 15)) / 16;
    for (unsigned i = 0; i < 4; i++)
        draw.color[i] = dice(h, 64);
    draw.is_counted = !dice(h, h->rare_count);
    return draw;
}

/* ---- Vulkan ---- */

static void make_graphics(struct vt *vt, struct hidden *h, enum shader shader, enum colors colors)
{
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
                                            VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,  VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
                                            VK_DYNAMIC_STATE_STENCIL_OP,        VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    struct vt_graphics *graphics = &h->graphics[shader][colors];
    vt_graphics_init(graphics, &h->target, vt_plain_vert,
                     shader == PLAIN   ? vt_plain_frag
                     : shader == KILLS ? VT_SPIRV(hidden_kill_frag)
                                       : VT_SPIRV(hidden_export_frag));
    vt_use_vertices(graphics);
    graphics->fragment_constants = VT_CONSTANTS(shader == KILLS ? 1 : 2);
    if (shader == PLAIN)
        graphics->fragment_constants = NULL;
    graphics->depth.front.compareMask = graphics->depth.back.compareMask = 255;
    graphics->depth.front.writeMask = graphics->depth.back.writeMask = 255;
    graphics->blends[0].colorWriteMask = colors == NONE ? 0 : colors == RED ? VK_COLOR_COMPONENT_R_BIT : 15;
    if (colors == ADDS)
        graphics->blends[0] = (VkPipelineColorBlendAttachmentState){VK_TRUE,
                                                                    VK_BLEND_FACTOR_ONE,
                                                                    VK_BLEND_FACTOR_ONE,
                                                                    VK_BLEND_OP_ADD,
                                                                    VK_BLEND_FACTOR_ONE,
                                                                    VK_BLEND_FACTOR_ONE,
                                                                    VK_BLEND_OP_ADD,
                                                                    15};
    for (unsigned i = 0; i < COUNT_OF(states); i++)
        vt_add_dynamic(graphics, states[i]);
    vt_make_pipeline(vt, graphics, &h->target);
}

static float place_of_cell(uint32_t cell)
{
    return (float)cell * 2 / CELLS - 1;
}

static void record_draw(struct vt *vt, struct hidden *h, VkCommandBuffer commands, const struct draw *draw,
                        bool may_count)
{
    struct vt_vertex vertices[6];
    const bool is_export = draw->shader == EXPORTS;
    float color[4];
    for (unsigned i = 0; i < 4; i++)
        color[i] = (float)draw->color[i] / 255;
    if (is_export)
        color[3] = draw->depth;
    vt_rectangle(vertices, place_of_cell(draw->x0), place_of_cell(draw->y0), place_of_cell(draw->x1),
                 place_of_cell(draw->y1), is_export ? 0.03125f : draw->depth, color);
    const bool is_counted = draw->is_counted && may_count;
    vkCmdSetDepthTestEnable(commands, draw->is_tested);
    vkCmdSetDepthWriteEnable(commands, draw->is_written);
    vkCmdSetDepthCompareOp(commands, draw->compare);
    vkCmdSetStencilTestEnable(commands, draw->has_stencil);
    vkCmdSetStencilOp(commands, VK_STENCIL_FACE_FRONT_AND_BACK, VK_STENCIL_OP_KEEP, draw->pass, draw->depth_fail,
                      draw->stencil_compare);
    vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, draw->reference);
    if (is_counted)
        vkCmdBeginQuery(commands, h->queries, h->num_queries, VK_QUERY_CONTROL_PRECISE_BIT);
    vt_draw(vt, commands, &h->graphics[draw->shader][draw->colors], vertices, 6);
    if (is_counted)
        vkCmdEndQuery(commands, h->queries, h->num_queries);
    struct draw seen = *draw;
    if (is_export) /* what alpha is as a code, of a depth that no code has exactly */
        seen.color[3] = (uint32_t)(draw->depth * 255 + 0.5f);
    const uint32_t counted = shade_all(h, &seen);
    if (is_counted)
        h->counted[h->num_queries++] = counted;
}

/* Depths of a rectangle in the middle of a rendering. */
static void record_clear(struct hidden *h, VkCommandBuffer commands)
{
    const uint32_t x = dice(h, CELLS / 2), y = dice(h, CELLS / 2);
    const float depth = (float)dice(h, 5) / 4;
    VkClearAttachment clear = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {depth, 0}}};
    VkClearRect rect = {{{(int32_t)(x * CELL), (int32_t)(y * CELL)}, {CELLS / 2 * CELL, CELLS / 2 * CELL}}, 0, 1};
    vkCmdClearAttachments(commands, 1, &clear, 1, &rect);
    for (uint32_t i = 0; i < CELLS * CELLS / 4; i++) {
        struct cell *cell = &h->cells[y + i / (CELLS / 2)][x + i % (CELLS / 2)];
        cell->rows[0].depth = cell->rows[1].depth = depth;
    }
}

static void record_batch(struct vt *vt, struct hidden *h, VkCommandBuffer commands, uint32_t count, bool may_count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct draw draw = choose_draw(h);
        record_draw(vt, h, commands, &draw, may_count);
    }
    if (!dice(h, 16))
        record_clear(h, commands);
}

static void begin_pass(struct hidden *h, VkCommandBuffer commands, bool has_secondaries)
{
    struct vt_target *target = &h->target;
    const VkImageLayout layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    vt_to_layout(commands, &target->colors[0], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vt_to_layout(commands, &target->depth, layout);
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = target->color_views[0],
                                       .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                       .loadOp = target->load,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = target->depth_view,
                                       .imageLayout = layout,
                                       .loadOp = target->depth_load,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                       .clearValue = target->clear_depth};
    VkRenderingAttachmentInfo stencil = depth;
    stencil.loadOp = target->load; /* cleared once, with the colour */
    VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                            .flags = has_secondaries ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0,
                            .renderArea = {{0, 0}, {target->width, target->height}},
                            .layerCount = 1,
                            .colorAttachmentCount = 1,
                            .pColorAttachments = &color,
                            .pDepthAttachment = &depth,
                            .pStencilAttachment = &stencil};
    vkCmdBeginRendering(commands, &info);
}

/* The depths at a pass's start: cleared ones, or those of the one before; sometimes a clear or a copy has come
 * between. */
static void choose_depths(struct hidden *h, VkCommandBuffer commands, uint32_t pass)
{
    const float depth = (float)dice(h, 3) / 2;
    struct vt_target *target = &h->target;
    target->load = target->depth_load = pass ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
    h->favourite = dice(h, 3) ? VK_COMPARE_OP_LESS : VK_COMPARE_OP_GREATER_OR_EQUAL;
    h->rare_stencil = dice(h, 3) ? 200 : 8;
    h->rare_count = dice(h, 3) ? 200 : 8;
    if (pass && dice(h, 2))
        return;
    target->clear_depth.depthStencil.depth = depth;
    target->depth_load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    if (pass && !dice(h, 3)) {
        VkImageSubresourceRange range = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
        vt_to_layout(commands, &target->depth, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdClearDepthStencilImage(commands, target->depth.image, target->depth.layout,
                                    &(VkClearDepthStencilValue){depth, 0}, 1, &range);
        target->depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
    }
    clear_all(h, depth);
}

static void record_pass(struct vt *vt, struct hidden *h, VkCommandBuffer commands, uint32_t pass)
{
    const bool has_secondaries = dice(h, 2);
    choose_depths(h, commands, pass);
    begin_pass(h, commands, has_secondaries);
    for (uint32_t i = 0; i < BATCHES; i++) {
        const uint32_t count = DRAWS / BATCHES;
        if (!has_secondaries) {
            record_batch(vt, h, commands, count, true);
            continue;
        }
        VkCommandBuffer secondary = vt_begin_secondary(vt, &h->target, 0, 0);
        record_batch(vt, h, secondary, count, true);
        VT_CHECK(vt, vkEndCommandBuffer(secondary));
        vkCmdExecuteCommands(commands, 1, &secondary);
    }
    vkCmdEndRendering(commands);
}

static void expect_pixels(struct vt *vt, struct hidden *h, const uint8_t *colors, const float *depths,
                          const uint8_t *stencils)
{
    const uint32_t size = CELLS * CELL;
    for (uint32_t i = 0; i < size * size; i++) {
        const uint32_t x = i % size, y = i / size;
        const struct pixel *pixel = &h->cells[y / CELL][x / CELL].rows[y % 2];
        for (unsigned c = 0; c < 4; c++) {
            const int difference = (int)colors[4 * i + c] - (int)pixel->color[c];
            if (difference < -2 || difference > 2) /* sums of rounded alphas */
                vt_fail(vt, "channel %u of pixel %u,%u is %u, expected %u", c, x, y, colors[4 * i + c],
                        pixel->color[c]);
        }
        if (depths[i] < pixel->depth - 1e-5f || depths[i] > pixel->depth + 1e-5f)
            vt_fail(vt, "depth of pixel %u,%u is %g, expected %g", x, y, (double)depths[i], (double)pixel->depth);
        if (stencils[i] != pixel->stencil)
            vt_fail(vt, "stencil of pixel %u,%u is %u, expected %u", x, y, stencils[i], pixel->stencil);
    }
    for (uint32_t i = 0; i < h->num_queries; i++) {
        uint64_t got;
        VT_CHECK(vt, vkGetQueryPoolResults(vt->device, h->queries, i, 1, sizeof(got), &got, sizeof(got),
                                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
        if (got != h->counted[i])
            vt_fail(vt, "query %u has %llu, expected %u", i, (unsigned long long)got, h->counted[i]);
    }
}

static struct hidden *make_hidden(struct vt *vt)
{
    static struct hidden hidden;
    struct hidden *h = &hidden;
    if (!vt->features.features.occlusionQueryPrecise)
        vt_skip(vt, "no occlusionQueryPrecise");
    memset(h, 0, sizeof(*h));
    h->target = vt_target(vt, RGBA8, CELLS * CELL, CELLS * CELL);
    vt_add_depth(vt, &h->target, VK_FORMAT_D32_SFLOAT_S8_UINT);
    for (unsigned i = 0; i < SHADERS * COLORS; i++)
        make_graphics(vt, h, i / COLORS, i % COLORS);
    h->queries = vt_query_pool(vt, VK_QUERY_TYPE_OCCLUSION, PASSES * DRAWS, 0);
    return h;
}

static void submit_and_expect(struct vt *vt, struct hidden *h, VkCommandBuffer commands)
{
    vt_submit(vt, commands);
    const uint8_t *colors = vt_download(vt, &h->target.colors[0], 0);
    const float *depths = vt_download_aspect(vt, &h->target.depth, 0, VK_IMAGE_ASPECT_DEPTH_BIT);
    expect_pixels(vt, h, colors, depths, vt_download_aspect(vt, &h->target.depth, 0, VK_IMAGE_ASPECT_STENCIL_BIT));
}

static void case_random(struct vt *vt, const void *argument)
{
    struct hidden *h = make_hidden(vt);
    h->seed = *(const uint32_t *)argument;
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, h->queries, 0, PASSES * DRAWS);
    for (uint32_t pass = 0; pass < PASSES; pass++)
        record_pass(vt, h, commands, pass);
    submit_and_expect(vt, h, commands);
}

/* ---- sequences ---- */

/* Draws over everything; `passes` says where another pass begins, which loads what the last one left. */
struct sequence {
    struct draw draws[5];
    uint32_t passes; /* a bit for each draw */
    bool has_secondaries;
};

#define ALL_CELLS .x1 = CELLS, .y1 = CELLS
#define LESS ALL_CELLS, .is_tested = true, .is_written = true, .compare = VK_COMPARE_OP_LESS
#define GREATER ALL_CELLS, .is_tested = true, .is_written = true, .compare = VK_COMPARE_OP_GREATER
#define COLOR_A .color = {40, 10, 20, 30}
#define COLOR_B .color = {5, 50, 15, 25}

static const struct sequence sequences[] = {
    /* The last is nearer than the first, and fails behind the second, which does not replace the first. */
    {.draws = {{LESS, .depth = 0.875f, COLOR_A},
               {LESS, .depth = 0.25f, .colors = ADDS, COLOR_B},
               {LESS, .depth = 0.5f}}},
    {.draws = {{LESS, .depth = 0.875f, COLOR_A}, {LESS, .depth = 0.25f, .colors = NONE}, {LESS, .depth = 0.5f}}},
    {.draws = {{LESS, .depth = 0.875f, COLOR_A},
               {LESS, .depth = 0.25f, .colors = RED, COLOR_B},
               {LESS, .depth = 0.5f}}},
    {.draws = {{LESS, .depth = 0.75f, COLOR_A}, {LESS, .depth = 0.25f, .colors = NONE}}},
    {.draws = {{LESS, .depth = 0.75f, COLOR_A}, {LESS, .depth = 0.25f, .shader = KILLS, COLOR_B}}},
    {.draws = {{LESS, .depth = 0.75f, COLOR_A, .is_counted = true}, {LESS, .depth = 0.25f, COLOR_B}}},
    {.draws = {{LESS, .depth = 0.5f, COLOR_A},
               {LESS, .depth = 0.75f, .has_stencil = true, .stencil_compare = VK_COMPARE_OP_ALWAYS,
                .depth_fail = VK_STENCIL_OP_INVERT, COLOR_B},
               {LESS, .depth = 0.25f, COLOR_B}}},
    {.draws = {{LESS, .depth = 0.5f, .colors = NONE},
               {ALL_CELLS, .is_tested = true, .compare = VK_COMPARE_OP_EQUAL, .depth = 0.5f, COLOR_A},
               {LESS, .depth = 0.75f, COLOR_B}}},
    {.draws = {{LESS, .depth = 0.25f, COLOR_A}, {GREATER, .depth = 0.75f, COLOR_B}, {LESS, .depth = 0.5f, COLOR_A}}},
    {.draws = {{LESS, .depth = 0.25f, COLOR_A}, {GREATER, .depth = 0.75f, COLOR_B}, {LESS, .depth = 0.5f, COLOR_A}},
     .passes = 6},
    {.draws = {{LESS, .depth = 0.25f, COLOR_A},
               {GREATER, .depth = 0.75f + 1 / 64.0f, .shader = EXPORTS, COLOR_B},
               {LESS, .depth = 0.5f, COLOR_A}},
     .passes = 6},
    {.draws = {{LESS, .depth = 0.25f, COLOR_A}, {GREATER, .depth = 0.75f, COLOR_B}, {LESS, .depth = 0.5f, COLOR_A}},
     .has_secondaries = true},
    {.draws = {{LESS, .depth = 0.875f, COLOR_A},
               {LESS, .depth = 0.25f, .colors = ADDS, COLOR_B},
               {LESS, .depth = 0.5f}},
     .has_secondaries = true},
    {.draws = {{LESS, .depth = 0.25f, COLOR_A},
               {ALL_CELLS, .is_tested = true, .is_written = true, .compare = VK_COMPARE_OP_ALWAYS, .depth = 0.75f},
               {LESS, .depth = 0.5f, COLOR_B}},
     .has_secondaries = true},
};

static void case_sequence(struct vt *vt, const void *argument)
{
    const struct sequence *test = argument;
    struct hidden *h = make_hidden(vt);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdResetQueryPool(commands, h->queries, 0, PASSES * DRAWS);
    h->target.load = h->target.depth_load = VK_ATTACHMENT_LOAD_OP_CLEAR;
    h->target.clear_depth.depthStencil.depth = 1;
    clear_all(h, 1);
    begin_pass(h, commands, test->has_secondaries);
    for (uint32_t i = 0; i < COUNT_OF(test->draws) && test->draws[i].x1; i++) {
        if (test->passes >> i & 1) {
            vkCmdEndRendering(commands);
            h->target.load = h->target.depth_load = VK_ATTACHMENT_LOAD_OP_LOAD;
            begin_pass(h, commands, test->has_secondaries);
        }
        VkCommandBuffer draws = test->has_secondaries ? vt_begin_secondary(vt, &h->target, 0, 0) : commands;
        record_draw(vt, h, draws, &test->draws[i], true);
        if (test->has_secondaries) {
            VT_CHECK(vt, vkEndCommandBuffer(draws));
            vkCmdExecuteCommands(commands, 1, &draws);
        }
    }
    vkCmdEndRendering(commands);
    submit_and_expect(vt, h, commands);
}

static const uint32_t seeds[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
#define SEED(number)                                                                                                   \
    {                                                                                                                  \
        "seed " #number, case_random, &seeds[number - 1]                                                               \
    }

const struct vt_case vt_hidden_cases[] = {{"blended in front", case_sequence, &sequences[0]},
                                          {"depth alone in front", case_sequence, &sequences[1]},
                                          {"red alone in front", case_sequence, &sequences[2]},
                                          {"depth alone later", case_sequence, &sequences[3]},
                                          {"killed later", case_sequence, &sequences[4]},
                                          {"counted before it is hidden", case_sequence, &sequences[5]},
                                          {"stencil of failing depth", case_sequence, &sequences[6]},
                                          {"depth first", case_sequence, &sequences[7]},
                                          {"direction turns", case_sequence, &sequences[8]},
                                          {"direction turns with passes", case_sequence, &sequences[9]},
                                          {"direction turns by exported depth", case_sequence, &sequences[10]},
                                          {"direction turns with secondaries", case_sequence, &sequences[11]},
                                          {"blended in front in secondaries", case_sequence, &sequences[12]},
                                          {"any depth in secondaries", case_sequence, &sequences[13]},
                                          SEED(1),
                                          SEED(2),
                                          SEED(3),
                                          SEED(4),
                                          SEED(5),
                                          SEED(6),
                                          SEED(7),
                                          SEED(8),
                                          SEED(9),
                                          SEED(10),
                                          SEED(11),
                                          SEED(12),
                                          SEED(13),
                                          SEED(14),
                                          SEED(15),
                                          SEED(16),
                                          SEED(17),
                                          SEED(18),
                                          SEED(19),
                                          SEED(20),
                                          SEED(21),
                                          SEED(22),
                                          SEED(23),
                                          SEED(24)};
const size_t vt_hidden_count = COUNT_OF(vt_hidden_cases);
