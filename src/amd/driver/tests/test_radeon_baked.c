/* Blocks of pipelines against writing every state anew: two command buffers record the same random sequence
 * of pipelines, dynamic states, targets, foreign writes and draws, one with pipelines that have baked what they could
 * and one with such that baked nothing. After every draw the registers must be the same. And streams and uploads that
 * share chunks: what lies where, and when it is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_graphics.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/render/vk_dynamic_state.h"

static struct radeon_device device;
static int live_allocations, allocations_left = -1;

static VKAPI_ATTR void *VKAPI_CALL counted_alloc(void *user, size_t size_B, size_t align_B,
                                                 VkSystemAllocationScope scope)
{
    if (allocations_left == 0)
        return NULL;
    allocations_left -= allocations_left > 0;
    live_allocations++;
    return malloc(size_B);
}

static VKAPI_ATTR void VKAPI_CALL counted_free(void *user, void *memory)
{
    live_allocations -= memory != NULL;
    free(memory);
}

static const VkAllocationCallbacks counted = {.pfnAllocation = counted_alloc, .pfnFree = counted_free};

static uint32_t random_state;
static uint32_t random_below(uint32_t end)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((random_state >> 4) * (uint64_t)end >> 28);
}

/* ---- random states ---- */

static bool flag(void)
{
    return random_below(2);
}

static float small_float(void)
{
    return (float)random_below(3) * 0.5f;
}

static void fill_raster(struct vk_dynamic_graphics_state *dyn)
{
    dyn->rs = (struct vk_rasterization_state){
        .discard_enable = flag(),
        .depth_clamp_enable = flag(),
        .depth_clip = (uint8_t)random_below(3),
        .polygon_mode = (uint8_t)random_below(3),
        .cull_mode = (uint8_t)random_below(4),
        .front_face = (uint8_t)random_below(2),
        .conservative_mode = (uint8_t)random_below(3),
        .provoking_vertex = (uint8_t)random_below(2),
        .depth_bias_enable = flag(),
        .line_stipple_enable = flag(),
        .line_mode = (uint8_t)random_below(4),
        .line_stipple = {1 + random_below(2), random_below(3)},
        .line_width = 1.0f + small_float(),
        .depth_bias = {small_float(), small_float(), small_float()},
    };
    dyn->ia = (struct vk_input_assembly_state){(uint8_t)random_below(6), flag()};
    /* Counts that commands leave alone: what is beyond an array's end is unused. */
    dyn->vp.viewport_count = dyn->vp.scissor_count = 2;
    dyn->vp.negative_one_to_one = flag();
    for (int i = 0; i < VK_MAX_VIEWPORTS; i++) {
        dyn->vp.viewports[i] = (VkViewport){small_float(), small_float(), 64 + small_float(), 32, 0, small_float()};
        dyn->vp.scissors[i] = (VkRect2D){{(int)random_below(2), 0}, {1 + random_below(2), 5}};
    }
    dyn->dr.mode = (uint8_t)random_below(2);
    dyn->dr.is_on = true;
    dyn->dr.count = 2;
    for (int i = 0; i < VK_MAX_DISCARD_RECTANGLES; i++)
        dyn->dr.rectangles[i] = (VkRect2D){{(int)random_below(2), 1}, {3, 4}};
}

static void fill_samples(struct vk_dynamic_graphics_state *dyn)
{
    dyn->ms.samples = (uint8_t)(1u << random_below(4));
    dyn->ms.alpha_to_coverage = flag();
    dyn->ms.sample_locations_enable = flag();
    dyn->ms.sample_mask = random_below(2) ? UINT64_MAX : 5;
    dyn->ms.sample_locations.samples = dyn->ms.samples;
    dyn->ms.sample_locations.grid = (VkExtent2D){1, 1};
    dyn->ms.sample_locations.count = dyn->ms.samples;
    for (int i = 0; i < VK_MAX_SAMPLE_LOCATIONS; i++)
        dyn->ms.sample_locations.at[i] = (VkSampleLocationEXT){small_float(), 0.25f};
}

static void fill_tests(struct vk_dynamic_graphics_state *dyn)
{
    dyn->ds = (struct vk_depth_stencil_state){.depth_test_enable = flag(),
                                              .depth_write_enable = flag(),
                                              .depth_compare_op = (uint8_t)random_below(8),
                                              .depth_bounds_test_enable = flag(),
                                              .stencil_test_enable = flag(),
                                              .depth_bounds = {small_float(), small_float()}};
    for (int face = 0; face < 2; face++) {
        dyn->ds.stencil_compare_mask[face] = (uint8_t)random_below(2);
        dyn->ds.stencil_write_mask[face] = (uint8_t)random_below(2);
        dyn->ds.stencil_reference[face] = (uint8_t)random_below(2);
        dyn->ds.stencil_ops[face] = (struct vk_stencil_ops){(uint8_t)random_below(8), 1, 2, (uint8_t)random_below(8)};
    }
}

static void fill_blending(struct vk_dynamic_graphics_state *dyn)
{
    dyn->cb.logic_op_enable = flag();
    dyn->cb.logic_op = (uint8_t)random_below(16);
    dyn->cb.attachment_count = VK_MAX_COLOR_ATTACHMENTS;
    dyn->cb.color_write_enables = (uint8_t)random_below(4);
    dyn->cb.blend_enables = (uint8_t)random_below(4);
    for (int i = 0; i < VK_MAX_COLOR_ATTACHMENTS; i++) {
        dyn->cb.write_masks[i] = (uint8_t)random_below(16);
        dyn->cb.equations[i] =
            (struct vk_blend_equation){(uint8_t)random_below(19), 1, (uint8_t)random_below(5), 1, 2, 0};
    }
    for (int i = 0; i < 4; i++)
        dyn->cb.constants[i] = small_float();
}

static void fill_vertices(struct vk_dynamic_graphics_state *dyn)
{
    dyn->vi.binding_mask = dyn->vi.attribute_mask = 3;
    for (int i = 0; i < 2; i++) {
        dyn->vi.strides_B[i] = 16 * random_below(3);
        dyn->vi.bindings[i].divisor = 1;
        dyn->vi.attributes[i] = (struct vk_vertex_attribute){VK_FORMAT_R32G32_SFLOAT, 4 * random_below(2), (uint8_t)i};
    }
}

/* Few values of everything, so that states have much in common. */
static void fill_state(struct vk_dynamic_graphics_state *dyn)
{
    memset(dyn, 0, sizeof(*dyn));
    fill_raster(dyn);
    fill_samples(dyn);
    fill_tests(dyn);
    fill_blending(dyn);
    fill_vertices(dyn);
}

static const VkFormat formats[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UINT,
                                   VK_FORMAT_R16G16B16A16_SFLOAT};

static void fill_formats(struct vk_rendering_formats *out)
{
    *out = (struct vk_rendering_formats){.color_count = 2};
    out->color_formats[0] = formats[random_below(4)];
    out->color_formats[1] = formats[random_below(2)];
    out->depth_format = random_below(2) ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_UNDEFINED;
    out->stencil_format = random_below(2) ? VK_FORMAT_S8_UINT : VK_FORMAT_UNDEFINED;
}

/* ---- pipelines ---- */

#define PIPELINES 24

static struct radeon_shader vertex_shaders[4], fragment_shaders[4];

static struct pair {
    struct vk_graphics_state state;
    struct vk_graphics_pipeline baked, plain; /* of the same state; plain has nothing in blocks */
} pairs[PIPELINES];

static void make_shaders(void)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct amd_shader_config *vertex = &vertex_shaders[i].binary.config,
                                 *fragment = &fragment_shaders[i].binary.config;
        vertex->hw_stage = i == 3 ? AMD_HW_VS : AMD_HW_NGG;
        vertex->wave_size = fragment->wave_size = 64;
        vertex_shaders[i].binary.size_B = fragment_shaders[i].binary.size_B = 4; /* there is a program */
        vertex->user[AMD_USER_base_vertex] = (struct amd_sgpr_place){(uint8_t)(10 + i / 2), 2};
        vertex->user[AMD_USER_vertex_buffers] = (struct amd_sgpr_place){(uint8_t)(20 + i / 2), 1};
        vertex_shaders[i].va = 0x100000000 + 0x1000 * i;
        fragment->hw_stage = AMD_HW_PS;
        fragment->sample_shading = i == 1;
        fragment->color_formats = i;
        if (i == 2)
            fragment->user[AMD_USER_sample_state] = (struct amd_sgpr_place){4, 1};
        fragment_shaders[i].va = 0x200000000 + 0x1000 * i;
    }
}

static void set_shaders(struct vk_graphics_pipeline *pipeline, uint32_t vertex, uint32_t fragment)
{
    pipeline->base.bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)] = &vertex_shaders[vertex].vk;
    pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)] = &fragment_shaders[fragment].vk;
}

/* So that what the first draw of a recording copies is judged by what is written block by block. */
static void drop_whole(struct vk_graphics_pipeline *pipeline)
{
    struct radeon_graphics_pipeline *own = pipeline->base.driver_data;
    assert_non_null(own->whole);
    vk_free(&device.vk.alloc, NULL, own->whole);
    own->whole = NULL;
}

static void make_pair(struct pair *pair)
{
    memset(pair, 0, sizeof(*pair));
    fill_state(&pair->state.dyn);
    fill_formats(&pair->state.rendering);
    uint64_t counts = VK_DYN(VIEWPORT_COUNT) | VK_DYN(SCISSOR_COUNT) | VK_DYN(DISCARD_RECTANGLE_ENABLE);
    /* Vertex input that is dynamic would have a prolog. */
    uint64_t always = counts | VK_DYN(VERTEX_INPUT) | VK_DYN(COLOR_ATTACHMENT_COUNT);
    for (uint32_t row = 0; row < VK_DYN_COUNT; row++) {
        if (random_below(8) == 0)
            pair->state.dynamic |= UINT64_C(1) << row;
    }
    if (flag())
        pair->state.dynamic = 0;
    pair->state.dynamic &= ~always;
    pair->state.dyn.set = pair->state.dyn.fixed = VK_DYN_ALL & ~pair->state.dynamic;
    uint32_t vertex = random_below(4), fragment = random_below(4);
    set_shaders(&pair->baked, vertex, fragment);
    set_shaders(&pair->plain, vertex, fragment);
    pair->baked.dynamic = pair->plain.dynamic = &pair->state.dyn;
    assert_int_equal(radeon_graphics_pipeline_init(&device.vk, &pair->baked.base, &pair->state, NULL), VK_SUCCESS);
    assert_int_equal(radeon_graphics_pipeline_init(&device.vk, &pair->plain.base, NULL, NULL), VK_SUCCESS);
    drop_whole(&pair->plain);
}

static void drop_pair(struct pair *pair)
{
    radeon_graphics_pipeline_finish(&device.vk, &pair->baked.base, NULL);
    radeon_graphics_pipeline_finish(&device.vk, &pair->plain.base, NULL);
}

/* ---- recordings and what they leave in registers ---- */

#define UPLOAD_B (1u << 20)
#define REGISTERS (0x40000 / 4)

struct recording {
    struct radeon_cmd_buffer cmd;
    struct radeon_recording lent;
    uint32_t stream[4096];
    uint32_t registers[REGISTERS];
    bool known[REGISTERS];
    uint8_t upload[UPLOAD_B];
};

static struct recording baked, plain;
static struct radeon_cmd_pool pool = {.vk.alloc = {.pfnAllocation = counted_alloc, .pfnFree = counted_free}};

static void drop_steps(void)
{
    vk_free(&pool.vk.alloc, NULL, pool.steps);
    pool.steps = NULL;
}

static void begin_recording(struct recording *recording)
{
    struct radeon_cmd_buffer *cmd = &recording->cmd;
    memset(recording, 0, sizeof(*recording));
    cmd->device = &device;
    cmd->vk.pool = &pool.vk;
    radeon_take_recording(cmd, &recording->lent.vk);
    radeon_graphics_reset(cmd);
    cmd->vk.rec->rendering.active = cmd->vk.rec->rendering.inherited = true;
    cmd->upload.map = recording->upload;
    cmd->upload.size_B = UPLOAD_B;
    cmd->upload.used_B = 16; /* no address is 0 */
    cmd->upload.va = (uint64_t)device.address32_hi << 32;
}

static void run_packets(struct recording *recording)
{
    for (const uint32_t *dw = recording->stream; dw < recording->cmd.cs.dw; dw += 2 + AMD_PKT_COUNT(dw[0])) {
        uint32_t opcode = AMD_PKT3_OPCODE(dw[0]), base;
        if (opcode == AMD_PKT_SET_CONTEXT_REG)
            base = RADEON_CONTEXT_BASE;
        else if (opcode == AMD_PKT_SET_SH_REG)
            base = RADEON_SH_BASE;
        else if (opcode == AMD_PKT_SET_UCONFIG_REG || opcode == AMD_PKT_SET_UCONFIG_REG_INDEX)
            base = RADEON_UCONFIG_BASE;
        else
            continue;
        for (uint32_t i = 0; i < AMD_PKT_COUNT(dw[0]); i++) {
            uint32_t at = base / 4 + (dw[1] & 0xffff) + i;
            recording->registers[at] = dw[2 + i];
            recording->known[at] = true;
        }
    }
}

static void draw(struct recording *recording, uint32_t instances, uint32_t first_instance)
{
    struct radeon_cs *cs = &recording->cmd.cs;
    cs->dw = recording->stream;
    cs->end = recording->stream + ARRAY_SIZE(recording->stream);
    radeon_draw_internal(&recording->cmd, 3, instances, first_instance);
    run_packets(recording);
}

/* Registers of addresses, which differ: what is there is compared, for the pipeline that is bound. */
static bool is_table(const struct radeon_graphics_pipeline *pipeline, uint32_t reg)
{
    return reg == pipeline->vertex_user_reg + pipeline->vertex->binary.config.user[AMD_USER_vertex_buffers].first * 4u;
}

static bool is_any_table(uint32_t reg)
{
    for (uint32_t i = 0; i < PIPELINES; i++) {
        if (is_table(pairs[i].baked.base.driver_data, reg))
            return true;
    }
    return false;
}

static void compare_streams(uint32_t step)
{
    uint32_t table = 0;
    for (uint32_t i = 0; i < REGISTERS; i++) {
        if (is_table(baked.cmd.graphics->baked, 4 * i))
            table = i;
        if (!plain.known[i] || is_any_table(4 * i))
            continue;
        if (!baked.known[i] || baked.registers[i] != plain.registers[i])
            fail_msg("draw %u: register 0x%x has 0x%x instead of 0x%x", step, 4 * i, baked.registers[i],
                     plain.registers[i]);
    }
    assert_true(baked.known[table] && plain.known[table]);
    assert_memory_equal(baked.upload + baked.registers[table], plain.upload + plain.registers[table], 2 * 16);
}

/* ---- the sequence ---- */

static void set_rows(struct recording *recording, const struct vk_dynamic_graphics_state *from, uint64_t rows)
{
    struct vk_dynamic_graphics_state *dyn = &recording->cmd.vk.rec->dynamic_state;
    bits_foreach (rows, row) {
        bool same = !vk_dynamic_rows_differ(dyn, from, UINT64_C(1) << row);
        vk_dynamic_rows_copy(dyn, from, UINT64_C(1) << row);
        vk_dynamic_row_set(dyn, (enum vk_dynamic_bit)row, same);
    }
}

static void set_both(uint64_t rows)
{
    static struct vk_dynamic_graphics_state from;
    fill_state(&from);
    set_rows(&baked, &from, rows);
    set_rows(&plain, &from, rows);
}

static void bind_pipeline(struct recording *recording, struct vk_graphics_pipeline *pipeline)
{
    radeon_CmdBindPipeline(radeon_cmd_buffer_to_handle(&recording->cmd), VK_PIPELINE_BIND_POINT_GRAPHICS,
                           vk_pipeline_to_handle(&pipeline->base));
}

static void set_targets(struct recording *recording, const struct vk_rendering_formats *formats)
{
    struct radeon_graphics_state *graphics = recording->cmd.graphics;
    uint32_t traits = radeon_depth_traits(formats->depth_format, formats->stencil_format);
    for (uint32_t i = 0; i < formats->color_count; i++)
        traits |= radeon_color_traits(i, formats->color_formats[i]);
    if (graphics->traits != traits)
        graphics->dirty |= RADEON_DIRTY_FORMATS;
    graphics->traits = traits;
}

/* All registers are written elsewhere: a secondary command buffer, or the driver's own draws. */
static void foreign(struct recording *recording, struct vk_graphics_pipeline *own)
{
    if (own) {
        static struct radeon_graphics_saved saved;
        radeon_graphics_save(&recording->cmd, &saved);
        struct vk_dynamic_graphics_state *dyn = &recording->cmd.vk.rec->dynamic_state;
        uint32_t seed = random_state;
        fill_state(dyn);
        random_state = seed; /* the same for both */
        dyn->set = dyn->dirty = VK_DYN_ALL;
        recording->cmd.graphics->special.cb_mode = 3;
        recording->cmd.graphics->dirty |= RADEON_DIRTY_SPECIAL;
        radeon_graphics_bind(&recording->cmd, own);
        draw(recording, 7, 7);
        radeon_graphics_restore(&recording->cmd, &saved);
        return;
    }
    for (uint32_t i = 0; i < REGISTERS; i++)
        recording->registers[i] ^= 0x55aa55aa;
    radeon_graphics_forget_registers(&recording->cmd);
}

static void bind_vertex_buffer(struct recording *recording, uint64_t va, uint64_t size_B)
{
    recording->cmd.graphics->vertex_buffers[1].va = va;
    recording->cmd.graphics->vertex_buffers[1].size_B = size_B;
    recording->cmd.graphics->vertex_buffers_bound |= 2;
    recording->cmd.graphics->dirty |= RADEON_DIRTY_VERTEX_BUFFERS;
}

static void set_indices(struct recording *recording, uint32_t type, uint32_t log2_B)
{
    recording->cmd.graphics->index_type = (uint8_t)type;
    recording->cmd.graphics->index_log2_B = (uint8_t)log2_B;
    recording->cmd.graphics->dirty |= RADEON_DIRTY_INDEX_TYPE;
}

static void set_queries(struct recording *recording, uint32_t active, uint32_t precise)
{
    recording->cmd.queries.occlusion_active = active;
    recording->cmd.queries.precise_active = precise;
    recording->cmd.graphics->dirty |= RADEON_DIRTY_OCCLUSION;
}

/* Writes of a recording's first draw with the pipeline. */
static void change_beside(void)
{
    const uint32_t type = random_below(2), log2_B = random_below(2);
    const uint32_t active = random_below(2), precise = random_below(2);
    set_indices(&baked, type, log2_B);
    set_indices(&plain, type, log2_B);
    set_queries(&baked, active, precise);
    set_queries(&plain, active, precise);
}

static void check_step(uint32_t number, uint64_t *valid, const struct pair **bound)
{
    if (random_below(4) == 0)
        change_beside();
    if (!*bound || random_below(3)) {
        uint64_t early = UINT64_C(1) << random_below(VK_DYN_COUNT), counts = VK_DYN(COLOR_ATTACHMENT_COUNT);
        if (flag()) { /* a state before its pipeline */
            early &= ~(VK_DYN_GROUP_VERTEX_INPUT | counts);
            set_both(early);
            *valid |= early;
        }
        struct pair *pair = &pairs[random_below(PIPELINES)];
        *bound = pair;
        bind_pipeline(&baked, &pair->baked);
        bind_pipeline(&plain, &pair->plain);
        *valid &= ~pair->state.dyn.set;
        if (random_below(8)) {
            set_targets(&baked, &pair->state.rendering);
            set_targets(&plain, &pair->state.rendering);
        }
    }
    if (random_below(6) == 0) {
        struct vk_rendering_formats other;
        fill_formats(&other);
        set_targets(&baked, &other);
        set_targets(&plain, &other);
    }
    if (random_below(6) == 0) {
        struct vk_graphics_pipeline *own = flag() ? &pairs[0].plain : NULL;
        foreign(&baked, own);
        foreign(&plain, own);
    }
    if (random_below(6) == 0) {
        uint64_t va = 0x1000 * (1 + random_below(3));
        bind_vertex_buffer(&baked, va, 256);
        bind_vertex_buffer(&plain, va, 256);
    }
    uint64_t dynamic = (*bound)->state.dynamic, some = (uint64_t)random_below(1 << 28) << 28 | random_below(1 << 28);
    set_both(dynamic & (~*valid | (flag() ? some : 0)));
    *valid |= dynamic;
    uint32_t instances = 1 + random_below(2), first = random_below(2);
    draw(&baked, instances, first);
    draw(&plain, instances, first);
    compare_streams(number);
}

static void test_random_sequences(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        random_state = seed * 2654435761u;
        for (uint32_t i = 0; i < PIPELINES; i++)
            make_pair(&pairs[i]);
        begin_recording(&baked);
        begin_recording(&plain);
        uint64_t valid = 0;
        const struct pair *bound = NULL;
        for (uint32_t i = 0; i < 300; i++)
            check_step(i, &valid, &bound);
        for (uint32_t i = 0; i < PIPELINES; i++)
            drop_pair(&pairs[i]);
        /* Steps stay for the next pipelines, some of which have memory that these had. */
        if (seed % 8 == 0)
            drop_steps();
        assert_int_equal(live_allocations, pool.steps ? 1 : 0);
    }
}

/* By a draw that is one packet otherwise, and no more by the next one. */
static void a_predicate_is_seen(void)
{
    static struct vk_buffer words = {.va = 0x10000};
    const VkCommandBuffer handle = radeon_cmd_buffer_to_handle(&baked.cmd);
    radeon_CmdBeginConditionalRenderingEXT(
        handle, &(const VkConditionalRenderingBeginInfoEXT){.buffer = vk_buffer_to_handle(&words)});
    draw(&baked, 1, 0);
    assert_int_equal(AMD_PKT3_OPCODE(baked.stream[0]), AMD_PKT_DRAW_INDEX_AUTO);
    assert_true(baked.stream[0] & 1);
    radeon_CmdEndConditionalRenderingEXT(handle);
    draw(&baked, 1, 0);
    assert_int_equal(AMD_PKT3_OPCODE(baked.stream[0]), AMD_PKT_DRAW_INDEX_AUTO);
    assert_false(baked.stream[0] & 1);
}

/* A bind of what is in the registers already writes nothing. */
static void test_nothing_twice(void **state)
{
    (void)state;
    random_state = 5;
    make_pair(&pairs[0]);
    pairs[0].state.dynamic = 0;
    pairs[0].state.dyn.set = VK_DYN_ALL;
    pairs[1].state = pairs[0].state;
    drop_pair(&pairs[0]);
    for (int i = 0; i < 2; i++) {
        memset(&pairs[i].baked, 0, sizeof(pairs[i].baked));
        set_shaders(&pairs[i].baked, 0, (uint32_t)i);
        pairs[i].baked.dynamic = &pairs[i].state.dyn;
        assert_int_equal(radeon_graphics_pipeline_init(&device.vk, &pairs[i].baked.base, &pairs[i].state, NULL),
                         VK_SUCCESS);
    }
    begin_recording(&baked);
    set_targets(&baked, &pairs[0].state.rendering);
    bind_pipeline(&baked, &pairs[0].baked);
    draw(&baked, 1, 0);
    bind_pipeline(&baked, &pairs[1].baked);
    draw(&baked, 1, 0);
    /* Another fragment shader with its way of sampling: its own block and that of the samples, and the draw. */
    const struct radeon_graphics_pipeline *second = pairs[1].baked.base.driver_data;
    uint32_t most_dw = second->blocks[RADEON_BLOCK_FRAGMENT]->count_dw +
                       second->blocks[RADEON_BLOCK_SAMPLES]->count_dw + AMD_PKT_DRAW_INDEX_AUTO_DW;
    assert_in_range(baked.cmd.cs.dw - baked.stream, AMD_PKT_DRAW_INDEX_AUTO_DW + 1, most_dw);
    bind_pipeline(&baked, &pairs[1].baked);
    draw(&baked, 1, 0);
    assert_int_equal(baked.cmd.cs.dw - baked.stream, AMD_PKT_DRAW_INDEX_AUTO_DW);
    a_predicate_is_seen();
    for (int i = 0; i < 2; i++)
        radeon_graphics_pipeline_finish(&device.vk, &pairs[i].baked.base, NULL);
    drop_steps();
    assert_int_equal(live_allocations, 0);
}

/* How often the last draw wrote a packet; `word` is the last one's first after its header. */
static uint32_t count_packets(const struct recording *recording, uint32_t opcode, uint32_t *word)
{
    uint32_t count = 0;
    for (const uint32_t *dw = recording->stream; dw < recording->cmd.cs.dw; dw += 2 + AMD_PKT_COUNT(dw[0])) {
        if (AMD_PKT3_OPCODE(dw[0]) != opcode)
            continue;
        count++;
        *word = dw[1];
    }
    return count;
}

/* Of draws that know nothing of the registers, and of those that know a part. */
static void test_arguments(void **state)
{
    (void)state;
    random_state = 11;
    uint32_t instances = 0;
    for (uint32_t i = 0; i < 2; i++) { /* with arguments in other SGPRs */
        make_pair(&pairs[i]);
        radeon_graphics_pipeline_finish(&device.vk, &pairs[i].baked.base, NULL);
        set_shaders(&pairs[i].baked, 2 * i, 0);
        assert_int_equal(radeon_graphics_pipeline_init(&device.vk, &pairs[i].baked.base, &pairs[i].state, NULL),
                         VK_SUCCESS);
    }
    begin_recording(&baked);
    for (uint32_t i = 0; i < 2; i++) {
        const struct radeon_graphics_pipeline *bound = pairs[i].baked.base.driver_data;
        set_targets(&baked, &pairs[i].state.rendering);
        bind_pipeline(&baked, &pairs[i].baked);
        draw(&baked, 3, 2);
        assert_int_equal(baked.registers[bound->base_vertex_reg / 4], 0);
        assert_int_equal(baked.registers[bound->base_vertex_reg / 4 + 1], 2);
        /* The second pipeline finds the number of instances, and each other draw all. */
        assert_int_equal(count_packets(&baked, AMD_PKT_NUM_INSTANCES, &instances), i == 0);
        assert_int_equal(instances, 3);
        draw(&baked, 3, 2);
        assert_int_equal(baked.cmd.cs.dw - baked.stream, AMD_PKT_DRAW_INDEX_AUTO_DW);
    }
    for (uint32_t i = 0; i < 2; i++)
        drop_pair(&pairs[i]);
    drop_steps();
    assert_int_equal(live_allocations, 0);
}

/* ---- steps ---- */

#define STEP_WORDS 16

union step_words {
    struct radeon_words words;
    uint8_t room[sizeof(struct radeon_words) + 4 * STEP_WORDS];
};

/* Two packets: `context` values from register 8 on, and as many of shaders as are left. */
static const struct radeon_words *make_words(union step_words *out, uint32_t context, const uint32_t values[12])
{
    const uint32_t shaders = 12 - context;
    out->words = (struct radeon_words){.count_dw = STEP_WORDS};
    uint32_t *dw = out->words.dw;
    *dw++ = amd_pkt3_header(AMD_PKT_SET_CONTEXT_REG, 2 + context, (struct amd_pkt_flags){0});
    *dw++ = 8;
    memcpy(dw, values, 4 * context);
    dw += context;
    *dw++ = amd_pkt3_header(AMD_PKT_SET_SH_REG, 2 + shaders, (struct amd_pkt_flags){0});
    *dw++ = 0x20;
    memcpy(dw, values + context, 4 * shaders);
    return &out->words;
}

static void test_steps(void **state)
{
    (void)state;
    static union step_words old_words, new_words;
    static struct radeon_step step;
    static struct radeon_graphics_pipeline from = {.serial = 1}, to = {.serial = 2};
    uint32_t values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    from.blocks[RADEON_BLOCK_COLOR] = make_words(&old_words, 8, values);
    to.blocks[RADEON_BLOCK_COLOR] = make_words(&new_words, 8, values);
    radeon_step_make(&step, &from, &to);
    assert_int_equal(step.count_dw, 0);
    assert_int_equal(step.from, 1);
    assert_int_equal(step.to, 2);
    /* One value; two that are far from it with one between them; the last of the other packet. */
    values[0] = values[5] = values[7] = values[11] = 99;
    make_words(&new_words, 8, values);
    radeon_step_make(&step, &from, &to);
    const uint32_t context = amd_pkt3_header(AMD_PKT_SET_CONTEXT_REG, 3, (struct amd_pkt_flags){0}),
                   three = amd_pkt3_header(AMD_PKT_SET_CONTEXT_REG, 5, (struct amd_pkt_flags){0}),
                   shader = amd_pkt3_header(AMD_PKT_SET_SH_REG, 3, (struct amd_pkt_flags){0});
    const uint32_t expected[] = {context, 8, 99, three, 13, 99, 7, 99, shader, 0x23, 99};
    assert_int_equal(step.count_dw, ARRAY_SIZE(expected));
    assert_memory_equal(step.dw, expected, sizeof(expected));
    /* Other packets: the block as a whole. */
    make_words(&new_words, 7, values);
    radeon_step_make(&step, &from, &to);
    assert_int_equal(step.count_dw, STEP_WORDS);
    assert_memory_equal(step.dw, new_words.words.dw, 4 * STEP_WORDS);
    /* A block of which nothing is known; one that the new pipeline does not have. */
    from.blocks[RADEON_BLOCK_COLOR] = NULL;
    radeon_step_make(&step, &from, &to);
    assert_int_equal(step.count_dw, RADEON_STEP_WHOLE);
    from.blocks[RADEON_BLOCK_DEPTH] = &old_words.words;
    to.blocks[RADEON_BLOCK_COLOR] = NULL;
    radeon_step_make(&step, &from, &to);
    assert_int_equal(step.count_dw, 0);
}

/* ---- wholes ---- */

static uint32_t set_header(uint32_t opcode, uint32_t values)
{
    return amd_pkt3_header(opcode, 2 + values, (struct amd_pkt_flags){0});
}

static const struct radeon_words *make_block(union step_words *out, const uint32_t *dw, uint32_t count_dw)
{
    assert_in_range(count_dw, 1, STEP_WORDS);
    out->words = (struct radeon_words){.count_dw = count_dw};
    memcpy(out->words.dw, dw, count_dw * sizeof(*dw));
    return &out->words;
}

static void drop_made(struct radeon_graphics_pipeline *pipeline)
{
    vk_free(&device.vk.alloc, NULL, pipeline->whole);
    pipeline->whole = NULL;
}

static void test_wholes(void **state)
{
    (void)state;
    static union step_words depth_words, color_words;
    static struct radeon_graphics_pipeline of;
    const uint32_t context = AMD_PKT_SET_CONTEXT_REG, shader = AMD_PKT_SET_SH_REG,
                   index = AMD_PKT_SET_UCONFIG_REG_INDEX;
    const uint32_t
        depth[] = {set_header(context, 2), 63, 1, 2, set_header(shader, 1), 65, 3},
        color[] = {set_header(index, 1), 9, 4, set_header(context, 1), 62, 5, set_header(context, 2), 64, 6, 7},
        merged[] = {set_header(index, 1), 9, 4, set_header(context, 4), 62, 5, 1, 6, 7, set_header(shader, 1), 65, 3};
    of.blocks[RADEON_BLOCK_DEPTH] = make_block(&depth_words, depth, ARRAY_SIZE(depth));
    of.blocks[RADEON_BLOCK_COLOR] = make_block(&color_words, color, ARRAY_SIZE(color));
    allocations_left = 0;
    assert_false(radeon_whole_make(&device, &of));
    allocations_left = -1;
    /* Neighbours of both are one packet, in which the later value of a register counts; what is no plain register stays
     * as it is. */
    assert_true(radeon_whole_make(&device, &of));
    assert_int_equal(of.whole->count_dw, ARRAY_SIZE(merged));
    assert_memory_equal(of.whole->dw, merged, sizeof(merged));
    drop_made(&of);
    /* Registers farther apart, and those of a number that no file has. */
    color_words.words.dw[4] = 60;
    color_words.words.dw[7] = 0x4000;
    assert_true(radeon_whole_make(&device, &of));
    const uint32_t apart[] = {set_header(index, 1),   9,  4, set_header(context, 2), 0x4000, 6, 7,
                              set_header(context, 1), 60, 5, set_header(context, 2), 63,     1, 2,
                              set_header(shader, 1),  65, 3};
    assert_int_equal(of.whole->count_dw, ARRAY_SIZE(apart));
    assert_memory_equal(of.whole->dw, apart, sizeof(apart));
    drop_made(&of);
    /* More than there is room for: block by block. */
    static struct radeon_words many = {.count_dw = 4096};
    of.blocks[RADEON_BLOCK_VERTEX] = &many;
    assert_true(radeon_whole_make(&device, &of));
    assert_null(of.whole);
}

/* Every allocation of a pipeline's baking can fail, and leaves nothing. */
static void test_without_memory(void **state)
{
    (void)state;
    random_state = 9;
    make_pair(&pairs[0]);
    drop_pair(&pairs[0]);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (int left = 0; result != VK_SUCCESS; left++) {
        assert_in_range(left, 0, 64);
        allocations_left = left;
        result = radeon_graphics_pipeline_init(&device.vk, &pairs[0].baked.base, &pairs[0].state, NULL);
        allocations_left = -1;
        if (result == VK_SUCCESS)
            radeon_graphics_pipeline_finish(&device.vk, &pairs[0].baked.base, NULL);
        else
            assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(live_allocations, 0);
    }
}

/* ---- chunks that recordings share ---- */

static struct ws_device *ws;

static int open_model(void **state)
{
    struct kernel_file *file;
    int error = kernel_open_model("gfx1030", KERNEL_NODE_RENDER, &file);
    if (error || (error = amd_ws_device_open(file, &ws)))
        return error;
    device.ws = ws;
    device.address32_hi = (uint32_t)(ws->va[WS_VA_HIGH_32].start_va >> 32);
    radeon_chunk_pools_init(&device);
    return 0;
}

static int close_model(void **state)
{
    radeon_chunk_pools_finish(&device);
    amd_ws_device_close(ws);
    return live_allocations;
}

static void write_words(struct radeon_cs *cs, uint32_t tag, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        radeon_cs_reserve(cs, 3);
        radeon_set_context_reg(cs, RADEON_CONTEXT_BASE, tag + i);
    }
}

static void check_words(const struct radeon_cs *cs, uint32_t tag, uint32_t count)
{
    uint32_t found = 0;
    for (struct radeon_piece piece = radeon_cs_first(cs); piece.chunk; piece = radeon_cs_next(cs, &piece)) {
        assert_int_equal(piece.va - piece.chunk->bo->va, (uint8_t *)piece.words - piece.chunk->map);
        for (uint32_t at = 0; at + 3 <= piece.count_dw; at++) {
            if (AMD_PKT_TYPE(piece.words[at]) == 3 && AMD_PKT3_OPCODE(piece.words[at]) == AMD_PKT_SET_CONTEXT_REG) {
                assert_int_equal(piece.words[at + 2], tag + found++);
                at += 2;
            }
        }
    }
    assert_int_equal(found, count);
}

/* Streams of one pool in any order of begin, end and reset: none writes into another. */
static void test_streams_share_chunks(void **state)
{
    (void)state;
    enum {
        STREAMS = 12
    };
    struct vk_rest rest = {0};
    struct radeon_cs streams[STREAMS];
    uint32_t counts[STREAMS] = {0};
    bool ended[STREAMS] = {0};
    random_state = 3;
    for (uint32_t i = 0; i < STREAMS; i++)
        radeon_device_cs_init(&device, &streams[i], &rest);
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t i = random_below(STREAMS);
        if (ended[i]) {
            check_words(&streams[i], i << 24, counts[i]);
            radeon_cs_reset(&streams[i]);
            assert_true(radeon_cs_is_empty(&streams[i]));
            ended[i] = false;
            counts[i] = 0;
        } else if (random_below(3)) {
            uint32_t count = random_below(16) ? random_below(60) : random_below(8000);
            write_words(&streams[i], (i << 24) + counts[i], count);
            counts[i] += count;
        } else {
            radeon_cs_end(&streams[i]);
            ended[i] = true;
        }
    }
    for (uint32_t i = 0; i < STREAMS; i++)
        radeon_cs_finish(&streams[i]);
    vk_rest_drop(&device.chunks[RADEON_CHUNK_STREAM], &rest);
}

/* The rest of a small recording's chunk is the next one's; when all are gone, it starts from the beginning. */
static void test_small_streams_lie_side_by_side(void **state)
{
    (void)state;
    struct vk_rest rest = {0};
    struct radeon_cs a, b, c;
    radeon_device_cs_init(&device, &a, &rest);
    radeon_device_cs_init(&device, &b, &rest);
    radeon_device_cs_init(&device, &c, &rest);
    write_words(&a, 1, 4);
    write_words(&c, 3, 4); /* while a is open */
    radeon_cs_end(&a);
    write_words(&b, 2, 4);
    radeon_cs_end(&b);
    radeon_cs_end(&c);
    struct radeon_piece at_a = radeon_cs_first(&a), at_b = radeon_cs_first(&b), at_c = radeon_cs_first(&c);
    assert_ptr_equal(at_a.chunk, at_b.chunk);
    assert_ptr_not_equal(at_a.chunk, at_c.chunk);
    assert_int_equal(at_b.va % 256, 0);
    assert_in_range(at_b.va, at_a.va + 4 * at_a.count_dw, at_a.va + 4 * at_a.count_dw + 255);
    uint64_t start_va = at_c.va;
    radeon_cs_reset(&a);
    radeon_cs_reset(&b);
    radeon_cs_reset(&c);
    write_words(&b, 2, 4);
    assert_true(b.shared.chunk && (b.shared.va == at_a.va || b.shared.va == start_va));
    radeon_cs_finish(&b);
    vk_rest_drop(&device.chunks[RADEON_CHUNK_STREAM], &rest);
}

static void test_uploads_share_chunks(void **state)
{
    (void)state;
    enum {
        UPLOADS = 8
    };
    struct vk_rest rest = {0};
    struct vk_upload uploads[UPLOADS];
    struct {
        uint8_t *at;
        uint32_t size_B;
    } pieces[UPLOADS][64];
    uint32_t counts[UPLOADS] = {0};
    random_state = 7;
    for (uint32_t i = 0; i < UPLOADS; i++)
        vk_upload_init(&uploads[i], &device.chunks[RADEON_CHUNK_UPLOAD], &rest);
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t i = random_below(UPLOADS);
        if (counts[i] < 64 && random_below(40)) {
            uint64_t va;
            uint32_t size_B = random_below(50) ? 1 + random_below(600) : 40000 + random_below(60000);
            uint8_t *at = vk_upload_alloc(&uploads[i], size_B, 16, &va);
            assert_non_null(at);
            assert_int_equal(va % 16, 0);
            memset(at, (int)i + 1, size_B);
            pieces[i][counts[i]].at = at;
            pieces[i][counts[i]++].size_B = size_B;
            continue;
        }
        for (uint32_t j = 0; j < counts[i]; j++) {
            for (uint32_t k = 0; k < pieces[i][j].size_B; k++)
                assert_int_equal(pieces[i][j].at[k], i + 1);
        }
        vk_upload_end(&uploads[i]);
        if (counts[i] == 64 || flag()) {
            vk_upload_reset(&uploads[i]);
            counts[i] = 0;
        }
    }
    for (uint32_t i = 0; i < UPLOADS; i++)
        vk_upload_reset(&uploads[i]);
    vk_rest_drop(&device.chunks[RADEON_CHUNK_UPLOAD], &rest);
}

static int set_up(void **state)
{
    (void)state;
    device.vk.alloc = counted;
    radeon_words_table_init(&device);
    make_shaders();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    radeon_words_table_finish(&device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sequences),
        cmocka_unit_test(test_nothing_twice),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_wholes),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test_setup_teardown(test_streams_share_chunks, open_model, close_model),
        cmocka_unit_test_setup_teardown(test_small_streams_lie_side_by_side, open_model, close_model),
        cmocka_unit_test_setup_teardown(test_uploads_share_chunks, open_model, close_model),
    };
    return cmocka_run_group_tests_name("radeon blocks and chunks", tests, set_up, tear_down);
}
