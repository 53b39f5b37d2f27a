/* Descriptor buffers and draws: every stage, also in secondaries, offsets between draws, and what may be between
 * them. */
#include <string.h>

#include "cases/descriptor/db.h"

#include "shaders/db_color_frag.h"
#include "shaders/db_draw_words.h"
#include "shaders/db_stage_frag.h"
#include "shaders/db_stage_geom.h"
#include "shaders/db_stage_mesh.h"
#include "shaders/db_stage_task.h"
#include "shaders/db_stage_task_mesh.h"
#include "shaders/db_stage_tesc.h"
#include "shaders/db_stage_tese.h"
#include "shaders/db_stage_vert.h"

#define GRAPHICS VK_PIPELINE_BIND_POINT_GRAPHICS
#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 16

static void expect_pixels(struct vt *vt, const uint32_t *texels, uint32_t width, uint32_t first_x, uint32_t end_x,
                          uint32_t expected)
{
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = first_x; x < end_x; x++) {
            if (texels[y * width + x] != expected)
                vt_fail(vt, "pixel (%u, %u) is %08x, not %08x", x, y, texels[y * width + x], expected);
        }
    }
}

/* ---- stages ---- */

enum stage {
    VERTEX,
    CONTROL,
    EVALUATION,
    GEOMETRY,
    FRAGMENT,
    TASK,
    MESH,
    STAGES,
};

#define PLAIN (1u << VERTEX | 1u << FRAGMENT)
#define TESSELLATION (1u << CONTROL | 1u << EVALUATION)
#define IN_SECONDARY (1u << STAGES)

static void need_stages(struct vt *vt, uint32_t stages)
{
    if (stages & TESSELLATION && !vt->features.features.tessellationShader)
        vt_skip(vt, "no tessellation");
    if (stages & 1u << GEOMETRY && !vt->features.features.geometryShader)
        vt_skip(vt, "no geometry shaders");
    if (stages & 1u << MESH && !vt->has[VT_MESH_SHADER])
        vt_skip(vt, "no mesh shaders");
    if (stages & 1u << TASK && !vt->has_task_shader)
        vt_skip(vt, "no task shaders");
}

static void set_codes(struct vt_graphics *graphics, uint32_t stages)
{
    if (stages & TESSELLATION) {
        graphics->control_code = VT_SPIRV(db_stage_tesc);
        graphics->evaluation_code = VT_SPIRV(db_stage_tese);
        graphics->assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
        graphics->tessellation.patchControlPoints = 3;
    }
    if (stages & 1u << GEOMETRY)
        graphics->geometry_code = VT_SPIRV(db_stage_geom);
    if (stages & 1u << MESH)
        graphics->mesh_code = stages & 1u << TASK ? VT_SPIRV(db_stage_task_mesh) : VT_SPIRV(db_stage_mesh);
    if (stages & 1u << TASK)
        graphics->task_code = VT_SPIRV(db_stage_task);
}

static void draw_stages(struct vt *vt, VkCommandBuffer commands, uint32_t stages)
{
    if (stages & 1u << MESH)
        VT_LOAD(vt, CmdDrawMeshTasksEXT)(commands, 1, 1, 1);
    else
        vkCmdDraw(commands, 3, 1, 0, 0);
}

/* Each stage adds the texel of an image that its own buffer names. */
static void case_stages(struct vt *vt, const void *argument)
{
    const uint32_t stages = *(const uint32_t *)argument;
    struct db db;
    db_open(&db, vt);
    need_stages(vt, stages);
    struct db_item images[8];
    for (uint32_t i = 0; i < 8; i++) {
        struct vt_image image = vt_image_2d(vt, RGBA8, 4, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
        uint32_t texels[4];
        for (uint32_t x = 0; x < 4; x++)
            texels[x] = (i * 4 + x) | (7 - i) << 8 | x << 16 | 10u << 24;
        vt_upload(vt, &image, 0, texels, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        images[i] = (struct db_item)DB_SAMPLED(vt_view(vt, &image, VK_IMAGE_VIEW_TYPE_2D));
    }
    struct db_binding whiches[STAGES];
    uint32_t expected = 0;
    for (uint32_t i = 0; i < STAGES; i++) {
        const uint32_t image = (i * 3 + 2) & 7, x = (i + 1) & 3;
        struct vt_buffer which = vt_buffer(vt, 16, (uint32_t[]){image, x, 0, 0});
        whiches[i] = (struct db_binding)DB_ONE(DB_UNIFORM(which));
        if (stages >> i & 1)
            expected += (image * 4 + x) | (7 - image) << 8 | x << 16 | 10u << 24;
    }
    const struct db_binding colors = {.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, .count = 8, .items = images};
    const uint32_t memory = db_memory(&db, 8192, DB_ALL), other = db_memory(&db, 8192, DB_ALL);
    struct db_set sets[] = {db_set(&db, memory, whiches, STAGES), db_set(&db, other, &colors, 1)};
    struct vt_target target = vt_target(vt, RGBA8, SIZE, SIZE);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, VT_SPIRV(db_stage_vert), VT_SPIRV(db_stage_frag));
    set_codes(&graphics, stages);
    graphics.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    graphics.sets[graphics.set_count++] = sets[0].layout;
    graphics.sets[graphics.set_count++] = sets[1].layout;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    const bool in_secondary = stages & IN_SECONDARY;
    vt_begin_rendering_with(commands, &target, in_secondary ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0);
    VkCommandBuffer where = in_secondary ? vt_begin_secondary(vt, &target, 0, 0) : commands;
    vkCmdBindPipeline(where, GRAPHICS, graphics.pipeline);
    db_bind(&db, where);
    db_use(&db, where, GRAPHICS, graphics.layout, 0, sets, 2);
    draw_stages(vt, where, stages);
    if (in_secondary) {
        VT_CHECK(vt, vkEndCommandBuffer(where));
        vkCmdExecuteCommands(commands, 1, &where);
    }
    vkCmdEndRendering(commands);
    struct vt_buffer texels = vt_record_download(vt, commands, &target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    expect_pixels(vt, texels.map, SIZE, 0, SIZE, expected);
}

static const uint32_t stages[] = {
    PLAIN,
    PLAIN | 1u << GEOMETRY,
    PLAIN | TESSELLATION,
    PLAIN | TESSELLATION | 1u << GEOMETRY,
    1u << MESH | 1u << FRAGMENT,
    1u << TASK | 1u << MESH | 1u << FRAGMENT,
    PLAIN | IN_SECONDARY,
    PLAIN | 1u << GEOMETRY | IN_SECONDARY,
    PLAIN | TESSELLATION | IN_SECONDARY,
    1u << TASK | 1u << MESH | 1u << FRAGMENT | IN_SECONDARY,
};

/* ---- draws beside each other ---- */

#define STRIPES 8

static const uint32_t stripe_colors[STRIPES] = {0xff000033, 0xff003300, 0xff330000, 0xff333333,
                                                0xff0000cc, 0xff00cc00, 0xffcc0000, 0xffcccccc};

static struct vt_buffer color_buffer(struct vt *vt, uint32_t color)
{
    float values[4];
    for (unsigned i = 0; i < 4; i++)
        values[i] = (float)(color >> 8 * i & 255) / 255;
    return vt_buffer(vt, 16, values);
}

struct stripes {
    struct db db;
    struct vt_target target;
    struct vt_graphics graphics;
    struct db_set sets[STRIPES];
};

static void make_stripe_pipeline(struct vt *vt, struct stripes *stripes, struct vt_graphics *graphics,
                                 VkDescriptorSetLayout layout, VkPipelineCreateFlags flags)
{
    vt_graphics_init(graphics, &stripes->target, vt_screen_vert, VT_SPIRV(db_color_frag));
    graphics->flags = flags;
    graphics->sets[graphics->set_count++] = layout;
    vt_add_dynamic(graphics, VK_DYNAMIC_STATE_SCISSOR);
    vt_make_pipeline(vt, graphics, &stripes->target);
}

static void begin_stripes(struct vt *vt, struct stripes *stripes)
{
    db_open(&stripes->db, vt);
    db_memory(&stripes->db, 4096, DB_ALL);
    db_memory(&stripes->db, 4096, DB_ALL);
    stripes->target = vt_target(vt, RGBA8, 4 * STRIPES, SIZE);
    for (uint32_t i = 0; i < STRIPES; i++) {
        struct vt_buffer color = color_buffer(vt, stripe_colors[i]);
        const struct db_binding binding = DB_ONE(DB_UNIFORM(color));
        stripes->sets[i] = db_set(&stripes->db, i & 1, &binding, 1);
    }
    make_stripe_pipeline(vt, stripes, &stripes->graphics, stripes->sets[0].layout,
                         VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
}

static void scissor(VkCommandBuffer commands, uint32_t i)
{
    const VkRect2D area = {{(int32_t)(4 * i), 0}, {4, SIZE}};
    vkCmdSetScissor(commands, 0, 1, &area);
}

static void end_stripes(struct vt *vt, struct stripes *stripes, VkCommandBuffer commands, const uint32_t *expected)
{
    vkCmdEndRendering(commands);
    struct vt_buffer texels =
        vt_record_download(vt, commands, &stripes->target.colors[0], 0, VK_IMAGE_ASPECT_COLOR_BIT);
    vt_submit(vt, commands);
    for (uint32_t i = 0; i < STRIPES; i++)
        expect_pixels(vt, texels.map, 4 * STRIPES, 4 * i, 4 * i + 4, expected[i]);
}

enum draws {
    DRAWS,
    INDEXED,
    INDIRECT,
    CLEARED_BETWEEN,
    SETS_BETWEEN,
    PUSHED_BETWEEN,
};

static void draw_stripe(struct vt *vt, VkCommandBuffer commands, enum draws way)
{
    if (way == INDEXED) {
        struct vt_buffer indices = vt_buffer(vt, 6, (uint16_t[]){0, 1, 2});
        vkCmdBindIndexBuffer(commands, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(commands, 3, 1, 0, 0, 0);
    } else if (way == INDIRECT) {
        struct vt_buffer arguments = vt_buffer(vt, 16, (uint32_t[]){3, 1, 0, 0});
        vkCmdDrawIndirect(commands, arguments.buffer, 0, 1, 16);
    } else {
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
}

/* Offsets change between draws; what else happens between them changes nothing. */
static void case_draws(struct vt *vt, const void *argument)
{
    const enum draws way = *(const enum draws *)argument;
    struct stripes stripes;
    begin_stripes(vt, &stripes);
    struct vt_graphics plain;
    struct vt_buffer color = color_buffer(vt, 0xff804020);
    struct vt_binding of_color = VT_UNIFORM_BUFFER(color);
    struct vt_set set = {0};
    if (way == SETS_BETWEEN) {
        set = vt_set(vt, &of_color, 1);
        make_stripe_pipeline(vt, &stripes, &plain, set.layout, 0);
    } else if (way == PUSHED_BETWEEN) {
        if (!vt->has[VT_PUSH_DESCRIPTOR])
            vt_skip(vt, "no pushed descriptors");
        make_stripe_pipeline(vt, &stripes, &plain,
                             vt_set_layout(vt, &of_color, 1, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR),
                             0);
    }
    uint32_t expected[STRIPES];
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &stripes.target);
    vkCmdBindPipeline(commands, GRAPHICS, stripes.graphics.pipeline);
    db_bind(&stripes.db, commands);
    for (uint32_t i = 0; i < STRIPES; i++) {
        const bool is_other = (way == SETS_BETWEEN || way == PUSHED_BETWEEN) && i % 3 == 1;
        expected[i] = is_other ? 0xff804020 : stripe_colors[i];
        scissor(commands, i);
        if (is_other) {
            const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                .descriptorCount = 1,
                                                .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                                .pBufferInfo = &of_color.buffer};
            vkCmdBindPipeline(commands, GRAPHICS, plain.pipeline);
            if (way == SETS_BETWEEN)
                vkCmdBindDescriptorSets(commands, GRAPHICS, plain.layout, 0, 1, &set.set, 0, NULL);
            else
                VT_LOAD(vt, CmdPushDescriptorSetKHR)(commands, GRAPHICS, plain.layout, 0, 1, &write);
            vkCmdDraw(commands, 3, 1, 0, 0);
            vkCmdBindPipeline(commands, GRAPHICS, stripes.graphics.pipeline);
            db_bind(&stripes.db, commands);
            continue;
        }
        db_use(&stripes.db, commands, GRAPHICS, stripes.graphics.layout, 0, &stripes.sets[i], 1);
        if (way == CLEARED_BETWEEN) {
            const VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, {.color = {.float32 = {1, 1, 1, 1}}}};
            const VkClearRect area = {{{(int32_t)(4 * i), 0}, {4, SIZE}}, 0, 1};
            vkCmdClearAttachments(commands, 1, &clear, 1, &area);
        }
        draw_stripe(vt, commands, way);
    }
    end_stripes(vt, &stripes, commands, expected);
}

static const enum draws draws[] = {DRAWS, INDEXED, INDIRECT, CLEARED_BETWEEN, SETS_BETWEEN, PUSHED_BETWEEN};

/* Offsets of one bind point are none of the other's. */
static void case_points(struct vt *vt, const void *argument)
{
    struct stripes stripes;
    begin_stripes(vt, &stripes);
    if (vt->driver == VK_DRIVER_ID_MESA_LLVMPIPE)
        vt_skip(vt, "lavapipe takes the offsets that were set last for both bind points");
    struct vt_buffer results = vt_buffer(vt, 64, NULL), word = vt_buffer(vt, 16, (uint32_t[]){0, 77, 0, 0});
    const struct db_binding of_word = DB_ONE(DB_UNIFORM(word)), of_results = DB_ONE(DB_STORAGE(results));
    struct db_set sets[] = {db_set(&stripes.db, 0, &of_word, 1), db_set(&stripes.db, 1, &of_results, 1)};
    const VkDescriptorSetLayout layouts[] = {sets[0].layout, sets[1].layout};
    VkPipelineLayout layout = vt_pipeline_layout(vt, layouts, 2);
    VkPipeline pipeline = db_compute(&stripes.db, VT_SPIRV(db_draw_words), layout, NULL);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindPipeline(commands, GRAPHICS, stripes.graphics.pipeline);
    db_bind(&stripes.db, commands);
    db_use(&stripes.db, commands, GRAPHICS, stripes.graphics.layout, 0, &stripes.sets[3], 1);
    db_use(&stripes.db, commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, sets, 2);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, 4, &(uint32_t){2});
    vkCmdDispatch(commands, 1, 1, 1);
    vt_begin_rendering(commands, &stripes.target);
    for (uint32_t i = 0; i < STRIPES; i++) {
        scissor(commands, i);
        vkCmdDraw(commands, 3, 1, 0, 0);
    }
    uint32_t expected[STRIPES];
    for (uint32_t i = 0; i < STRIPES; i++)
        expected[i] = stripe_colors[3];
    end_stripes(vt, &stripes, commands, expected);
    db_expect(vt, ((uint32_t *)results.map)[2], 77, "the word of the dispatch");
}

const struct vt_case vt_db_draw_cases[] = {
    {"vertex and fragment shader", case_stages, &stages[0]},
    {"geometry shader", case_stages, &stages[1]},
    {"tessellation", case_stages, &stages[2]},
    {"tessellation and geometry shader", case_stages, &stages[3]},
    {"mesh shader", case_stages, &stages[4]},
    {"task and mesh shader", case_stages, &stages[5]},
    {"vertex and fragment shader in a secondary", case_stages, &stages[6]},
    {"geometry shader in a secondary", case_stages, &stages[7]},
    {"tessellation in a secondary", case_stages, &stages[8]},
    {"task and mesh shader in a secondary", case_stages, &stages[9]},
    {"offsets between draws", case_draws, &draws[0]},
    {"offsets between indexed draws", case_draws, &draws[1]},
    {"offsets between indirect draws", case_draws, &draws[2]},
    {"clears between offsets and draws", case_draws, &draws[3]},
    {"sets between draws", case_draws, &draws[4]},
    {"pushed descriptors between draws", case_draws, &draws[5]},
    {"bind points apart", case_points, NULL},
};
const size_t vt_db_draw_count = COUNT_OF(vt_db_draw_cases);
