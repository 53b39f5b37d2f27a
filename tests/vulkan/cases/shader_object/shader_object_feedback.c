/* Transform feedback by shader objects: what a pipeline and what objects capture must be the same. What it must be the
 * groups xfb and streams know. */
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/object_emit_vert.h"
#include "shaders/object_strips_geom.h"
#include "shaders/object_xfb_vert.h"

#define BUFFERS 4
#define BUFFER_B 65536
#define UNTOUCHED 0xee

struct feedback {
    enum object_way way;
    bool has_geometry, is_discarded;
};

struct captured {
    struct vt_buffer buffers[BUFFERS], counters;
};

static struct captured make_captured(struct vt *vt)
{
    struct captured made;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        made.buffers[i] = vt_buffer(vt, BUFFER_B, NULL);
        memset(made.buffers[i].map, UNTOUCHED, BUFFER_B);
    }
    made.counters = vt_buffer(vt, 4 * BUFFERS, NULL);
    return made;
}

static void capture(struct vt *vt, struct scene *scene, const struct objects *objects, const struct captured *to)
{
    static const VkDeviceSize zeros[BUFFERS], offsets[BUFFERS] = {0, 4, 8, 12};
    VkBuffer buffers[BUFFERS], counters[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i] = to->buffers[i].buffer;
        counters[i] = to->counters.buffer;
    }
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &scene->target);
    if (objects) {
        bind_objects(vt, commands, objects);
        set_state(vt, commands, scene);
    } else {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->graphics.pipeline);
    }
    VT_LOAD(vt, CmdBindTransformFeedbackBuffersEXT)(commands, 0, BUFFERS, buffers, zeros, NULL);
    VT_LOAD(vt, CmdBeginTransformFeedbackEXT)(commands, 0, 0, NULL, NULL);
    vkCmdDraw(commands, 300, 2, 3, 1);
    VT_LOAD(vt, CmdEndTransformFeedbackEXT)(commands, 0, BUFFERS, counters, offsets);
    /* A draw with the shaders without a capture, which leaves the buffers alone. */
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

static void case_feedback(struct vt *vt, const void *argument)
{
    const struct feedback *feedback = argument;
    struct scene scene;
    struct objects objects;
    need_objects(vt);
    scene_needs(vt, vt->has[VT_TRANSFORM_FEEDBACK], "no VK_EXT_transform_feedback");
    scene_needs(vt, !feedback->has_geometry || vt->features.features.geometryShader, "no geometry shaders");
    scene_init(vt, &scene, VK_FORMAT_R8G8B8A8_UNORM,
               feedback->has_geometry ? VT_SPIRV(object_emit_vert) : VT_SPIRV(object_xfb_vert), vt_constant_frag);
    if (feedback->has_geometry) {
        scene.graphics.geometry_code = VT_SPIRV(object_strips_geom);
        scene.graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    }
    if (feedback->is_discarded) {
        scene.graphics.raster.rasterizerDiscardEnable = true;
        scene.graphics.fragment_code = (struct vt_spirv){NULL, 0};
    }
    vt_make_pipeline(vt, &scene.graphics, &scene.target);
    make_objects(vt, &scene.graphics, feedback->way, &objects);
    struct captured expected = make_captured(vt), got = make_captured(vt);
    capture(vt, &scene, NULL, &expected);
    capture(vt, &scene, &objects, &got);
    if (((const uint8_t *)expected.buffers[0].map)[0] == UNTOUCHED)
        vt_fail(vt, "the pipeline captures nothing");
    for (uint32_t i = 0; i < BUFFERS; i++)
        vt_expect_words(vt, got.buffers[i].map, expected.buffers[i].map, BUFFER_B / 4, "captured by objects");
    vt_expect_words(vt, got.counters.map, expected.counters.map, BUFFERS, "counters of objects");
}

#define FEEDBACK(name, ...)                                                                                            \
    {                                                                                                                  \
        name, case_feedback, &(const struct feedback)                                                                  \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

const struct vt_case vt_shader_object_feedback[] = {
    FEEDBACK("feedback", OBJECTS_UNLINKED),
    FEEDBACK("feedback, linked", OBJECTS_LINKED),
    FEEDBACK("feedback, of binaries", OBJECTS_OF_BINARIES),
    FEEDBACK("feedback without fragments", OBJECTS_UNLINKED, .is_discarded = true),
    FEEDBACK("feedback of geometry", OBJECTS_UNLINKED, .has_geometry = true),
    FEEDBACK("feedback of geometry, linked", OBJECTS_LINKED, .has_geometry = true),
    FEEDBACK("feedback of geometry, of binaries", OBJECTS_OF_BINARIES, .has_geometry = true),
    FEEDBACK("feedback of geometry without fragments", OBJECTS_UNLINKED, .has_geometry = true, .is_discarded = true),
};
const size_t vt_shader_object_feedback_count = COUNT_OF(vt_shader_object_feedback);
