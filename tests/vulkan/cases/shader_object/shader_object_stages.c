/* Shader objects of every stage beside pipelines, as in shader_object_scenes.c: what shaders read, layers,
 * geometry, patches and meshes. Several views are not allowed. */
#include <string.h>

#include "cases/shader_object/objects.h"

#include "shaders/object_builtin_frag.h"
#include "shaders/object_cell_frag.h"
#include "shaders/object_cell_layers_geom.h"
#include "shaders/object_cell_numbers_geom.h"
#include "shaders/object_cell_vert.h"
#include "shaders/object_layer_vert.h"
#include "shaders/object_lines_geom.h"
#include "shaders/object_mesh_clip_mesh.h"
#include "shaders/object_mesh_lines_mesh.h"
#include "shaders/object_mesh_mesh.h"
#include "shaders/object_mesh_numbers_mesh.h"
#include "shaders/object_mesh_points_mesh.h"
#include "shaders/object_mesh_primitive_frag.h"
#include "shaders/object_mesh_primitive_mesh.h"
#include "shaders/object_mesh_shared_mesh.h"
#include "shaders/object_mesh_task_mesh.h"
#include "shaders/object_mesh_task_task.h"
#include "shaders/object_numbers_frag.h"
#include "shaders/object_patch_2_geom.h"
#include "shaders/object_patch_geom.h"
#include "shaders/object_patch_tesc.h"
#include "shaders/object_patch_tese.h"
#include "shaders/object_patch_vert.h"
#include "shaders/object_points_geom.h"
#include "shaders/object_push_frag.h"
#include "shaders/object_push_vert.h"
#include "shaders/object_quad_geom.h"
#include "shaders/object_whole_tesc.h"
#include "shaders/object_whole_tese.h"
#include "shaders/object_whole_vert.h"

#define RGBA8 VK_FORMAT_R8G8B8A8_UNORM
#define SIZE 64

/* ---- what shaders read ---- */

static void attributes(struct vt *vt, struct scene *scene, int argument)
{
    scene_init(vt, scene, RGBA8, vt_plain_vert, vt_plain_frag);
    struct vt_graphics *graphics = &scene->graphics;
    static uint8_t colors[12][8];
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t n = 0; n < 8; n++)
            colors[i][n] = (uint8_t)(i * 37 + n * 61);
    }
    vt_add_binding(graphics, sizeof(struct vt_vertex), VK_VERTEX_INPUT_RATE_VERTEX);
    vt_add_attribute(graphics, VK_FORMAT_R32G32B32_SFLOAT, 0);
    vt_add_binding(graphics, 8, argument < 0 ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX);
    vt_add_attribute(graphics, argument < 0 ? VK_FORMAT_R8G8B8A8_UNORM : (VkFormat)argument, 0);
    scene->buffers[0] = vt_buffer(vt, sizeof(scene->vertices), scene->vertices);
    scene->buffers[1] = vt_buffer(vt, sizeof(colors), colors);
    scene->num_buffers = 2;
    scene->instances = argument < 0 ? 3 : 1;
}

static void pushed(struct vt *vt, struct scene *scene, int argument)
{
    static const float push[] = {-0.5f, -0.5f, 0.5f,  1,     0.5f, -0.5f, 0.5f,  1,    -0.5f, 0.5f,
                                 0.5f,  1,     0.25f, 0.75f, 0.5f, 1.0f,  0.25f, 0.5f, 0.75f, 1.0f};
    scene_init(vt, scene, RGBA8, VT_SPIRV(object_push_vert), VT_SPIRV(object_push_frag));
    memcpy(scene->push, push, sizeof(push));
    scene->num_vertices = 3;
}

static void builtin(struct vt *vt, struct scene *scene, int argument)
{
    scene_init_plain(vt, scene);
    scene->graphics.fragment_code = VT_SPIRV(object_builtin_frag);
    scene->graphics.fragment_constants = vt_constants(&scene->constants, 1, &argument);
}

/* ---- layers ---- */

static void layered_target(struct vt *vt, struct scene *scene, uint32_t layers)
{
    scene->target = vt_empty_target(SIZE, SIZE, VK_SAMPLE_COUNT_1_BIT);
    scene->target.layers = layers;
    vt_add_color(vt, &scene->target, RGBA8);
    scene->num_vertices = 3;
}

static void layers(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->features12.shaderOutputLayer, "no layers by vertex shaders");
    scene_init(vt, scene, RGBA8, VT_SPIRV(object_layer_vert), vt_plain_frag);
    layered_target(vt, scene, 4);
    scene->instances = 4;
}

/* ---- more stages ---- */

enum {
    GEOMETRY_QUAD,
    GEOMETRY_POINTS,
    GEOMETRY_LINES,
    GEOMETRY_LAYERS,
    GEOMETRY_NUMBERS,
};

static void geometry(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->features.features.geometryShader, "no geometry shaders");
    scene_init(vt, scene, RGBA8, VT_SPIRV(object_cell_vert), VT_SPIRV(object_cell_frag));
    const struct vt_spirv codes[] = {VT_SPIRV(object_quad_geom), VT_SPIRV(object_points_geom),
                                     VT_SPIRV(object_lines_geom), VT_SPIRV(object_cell_layers_geom),
                                     VT_SPIRV(object_cell_numbers_geom)};
    if (argument == GEOMETRY_LAYERS || argument == GEOMETRY_NUMBERS)
        layered_target(vt, scene, 4);
    if (argument == GEOMETRY_NUMBERS) {
        struct vt_graphics *graphics = &scene->graphics;
        scene_needs(vt, vt->features.features.multiViewport, "no second viewport");
        graphics->fragment_code = VT_SPIRV(object_numbers_frag);
        graphics->viewport.viewportCount = graphics->viewport.scissorCount = 2;
        graphics->viewports[1] = graphics->viewports[0];
        graphics->scissors[1] = graphics->scissors[0];
    }
    scene->graphics.geometry_code = codes[argument];
    scene->graphics.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    scene->num_vertices = 64;
}

enum {
    PATCH_PLAIN,
    PATCH_WHOLE,
    PATCH_UPSIDE_DOWN,
    PATCH_LINES,
    PATCH_GEOMETRY,
    PATCH_TWO_GEOMETRY,
};

static void patches(struct vt *vt, struct scene *scene, int argument)
{
    scene_needs(vt, vt->features.features.tessellationShader, "no tessellation shaders");
    const bool is_whole = argument == PATCH_WHOLE, has_geometry = argument >= PATCH_GEOMETRY;
    scene_init(vt, scene, RGBA8, is_whole ? VT_SPIRV(object_whole_vert) : VT_SPIRV(object_patch_vert), vt_plain_frag);
    struct vt_graphics *graphics = &scene->graphics;
    graphics->control_code = is_whole ? VT_SPIRV(object_whole_tesc) : VT_SPIRV(object_patch_tesc);
    graphics->evaluation_code = is_whole ? VT_SPIRV(object_whole_tese) : VT_SPIRV(object_patch_tese);
    graphics->tessellation.patchControlPoints = is_whole ? 4 : 3;
    graphics->assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    scene->num_vertices = 64 * graphics->tessellation.patchControlPoints;
    if (has_geometry) {
        scene_needs(vt, vt->features.features.geometryShader, "no geometry shaders");
        graphics->geometry_code =
            argument == PATCH_GEOMETRY ? VT_SPIRV(object_patch_geom) : VT_SPIRV(object_patch_2_geom);
    }
    if (argument == PATCH_UPSIDE_DOWN) {
        scene->more.origin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
        graphics->raster.cullMode = VK_CULL_MODE_FRONT_BIT;
    }
    if (argument == PATCH_LINES) {
        scene_needs(vt, vt->features.features.fillModeNonSolid, "no polygons of lines");
        graphics->raster.polygonMode = VK_POLYGON_MODE_LINE;
    }
}

/* ---- meshes ---- */

enum {
    MESH_PLAIN,
    MESH_PRIMITIVE, /* attributes of primitives */
    MESH_SHARED,
    MESH_POINTS,
    MESH_LINES,
    MESH_CLIP,
    MESH_NUMBERS,
    MESH_TASK,
    MESH_TASK_MANY, /* more of them than a ring between the stages holds */
};

static void meshes(struct vt *vt, struct scene *scene, int argument)
{
    const struct {
        struct vt_spirv mesh;
        uint32_t groups;
    } kinds[] = {[MESH_PLAIN] = {VT_SPIRV(object_mesh_mesh), 64},
                 [MESH_PRIMITIVE] = {VT_SPIRV(object_mesh_primitive_mesh), 4},
                 [MESH_SHARED] = {VT_SPIRV(object_mesh_shared_mesh), 4},
                 [MESH_POINTS] = {VT_SPIRV(object_mesh_points_mesh), 8},
                 [MESH_LINES] = {VT_SPIRV(object_mesh_lines_mesh), 8},
                 [MESH_CLIP] = {VT_SPIRV(object_mesh_clip_mesh), 4},
                 [MESH_NUMBERS] = {VT_SPIRV(object_mesh_numbers_mesh), 4},
                 [MESH_TASK] = {VT_SPIRV(object_mesh_task_mesh), 8},
                 [MESH_TASK_MANY] = {VT_SPIRV(object_mesh_task_mesh), 8}};
    const bool has_task = argument >= MESH_TASK;
    scene_needs(vt, vt->has[VT_MESH_SHADER], "no mesh shaders");
    scene_needs(vt, !has_task || vt->has_task_shader, "no task shaders");
    scene_needs(vt, argument != MESH_CLIP || vt->features.features.shaderClipDistance, "no clip distances");
    scene_init(vt, scene, RGBA8, (struct vt_spirv){NULL, 0},
               argument == MESH_PRIMITIVE ? VT_SPIRV(object_mesh_primitive_frag)
               : argument == MESH_NUMBERS ? VT_SPIRV(object_numbers_frag)
                                          : VT_SPIRV(object_cell_frag));
    scene->graphics.mesh_code = kinds[argument].mesh;
    if (has_task)
        scene->graphics.task_code = VT_SPIRV(object_mesh_task_task);
    scene->groups[0] = kinds[argument].groups;
    scene->groups[1] = argument == MESH_TASK_MANY ? 150 : 1;
    scene->groups[2] = 1;
    if (argument == MESH_NUMBERS) {
        scene_needs(vt, vt->features.features.multiViewport && vt->features12.shaderOutputLayer, "no layers");
        layered_target(vt, scene, 2);
        scene->graphics.viewport.viewportCount = scene->graphics.viewport.scissorCount = 2;
        scene->graphics.viewports[1] = (VkViewport){0, 0, 40, 48, 0, 1};
        scene->graphics.scissors[1] = (VkRect2D){{2, 5}, {50, 50}};
    }
}

/* ---- the table ---- */

const struct vt_case vt_shader_object_stages[] = {
    SCENE("attribute rgba8", attributes, VK_FORMAT_R8G8B8A8_UNORM),
    BOTH("attribute rg16", attributes, VK_FORMAT_R16G16_UNORM),
    BOTH("attribute rgb10a2", attributes, VK_FORMAT_A2B10G10R10_UNORM_PACK32),
    BOTH("attribute of instances", attributes, -1),
    SCENE("push constants", pushed, 0),
    SCENE("face by constants", builtin, 1),
    SCENE("discard in the shader", builtin, 3),
    BOTH("derivatives", builtin, 5),
    SCENE("layers", layers, 0),
    SCENE("geometry of quads", geometry, GEOMETRY_QUAD),
    SCENE("geometry of points", geometry, GEOMETRY_POINTS),
    SCENE("geometry of lines", geometry, GEOMETRY_LINES),
    BOTH("geometry of layers", geometry, GEOMETRY_LAYERS),
    BOTH("geometry with numbers", geometry, GEOMETRY_NUMBERS),
    SCENE("patches", patches, PATCH_PLAIN),
    SCENE("patches with values of their own", patches, PATCH_WHOLE),
    SCENE("patches upside down", patches, PATCH_UPSIDE_DOWN),
    BOTH("patches as lines", patches, PATCH_LINES),
    SCENE("patches and geometry", patches, PATCH_GEOMETRY),
    SCENE("patches and geometry of two", patches, PATCH_TWO_GEOMETRY),
    SCENE("meshes", meshes, MESH_PLAIN),
    SCENE("meshes with attributes of primitives", meshes, MESH_PRIMITIVE),
    BOTH("meshes by shared memory", meshes, MESH_SHARED),
    BOTH("meshes of points", meshes, MESH_POINTS),
    BOTH("meshes of lines", meshes, MESH_LINES),
    BOTH("meshes with clip distances", meshes, MESH_CLIP),
    SCENE("meshes with numbers", meshes, MESH_NUMBERS),
    SCENE("tasks", meshes, MESH_TASK),
    BOTH("many tasks", meshes, MESH_TASK_MANY),
};
const size_t vt_shader_object_stage_count = COUNT_OF(vt_shader_object_stages);
