/* Ways to use ray queries: candidates in any order, ends, several queries at once and in arrays, queries that live
 * across branches, everything that a query knows, structures by address and by an index, and queries of vertex and
 * fragment shaders. Rays that pass so near an edge that rounding decides, or meet two things at nearly one distance,
 * are not compared. */
#include <math.h>
#include <string.h>

#include "cases/rays/rays_scene.h"
#include "vt/vt_graphics.h"

#include "shaders/ray_stage_frag.h"
#include "shaders/ray_stage_vert.h"
#include "shaders/ray_ways_address.h"
#include "shaders/ray_ways_all.h"
#include "shaders/ray_ways_array.h"
#include "shaders/ray_ways_branches.h"
#include "shaders/ray_ways_scenes.h"
#include "shaders/ray_ways_terminate.h"
#include "shaders/ray_ways_two.h"
#include "shaders/ray_ways_values.h"

#define WIDTH 32 /* of pictures: a ray for each pixel */
#define HEIGHT 16
#define RAYS (WIDTH * HEIGHT)
#define TRIANGLES 40
#define INSTANCES 4
#define ANSWERS 4 /* of each ray */
#define FIRST_INDEX 1000
#define FIRST_OFFSET 40

struct scene {
    float vertices[TRIANGLES][3][3];
    float transforms[2][INSTANCES][3][4]; /* of two structures */
    struct rays_ray rays[RAYS];
    struct rays_structure tops[2];
};

struct hit {
    uint32_t kind, primitive, index;
    float distance;
};

/* ---- what is there ---- */

static void make_scene(struct scene *scene)
{
    uint64_t seed = 23;
    for (unsigned n = 0; n < TRIANGLES; n++) {
        float center[3];
        for (unsigned i = 0; i < 3; i++)
            center[i] = rays_uniform(&seed, -8, 8);
        for (unsigned i = 0; i < 9; i++)
            scene->vertices[n][i / 3][i % 3] = center[i % 3] + rays_uniform(&seed, -3, 3);
    }
    for (unsigned n = 0; n < 2 * INSTANCES * 12; n++) {
        const unsigned i = n % 12;
        const float plain = i % 4 == i / 4 ? 1 : 0;
        scene->transforms[n / 12 / INSTANCES][n / 12 % INSTANCES][i / 4][i % 4] =
            i % 4 == 3 ? rays_uniform(&seed, -12, 12) : plain + rays_uniform(&seed, -0.6f, 0.6f);
    }
    for (unsigned n = 0; n < RAYS; n++) {
        struct rays_ray *ray = &scene->rays[n];
        for (unsigned i = 0; i < 3; i++) {
            ray->origin[i] = rays_uniform(&seed, -20, 20);
            ray->direction[i] = rays_uniform(&seed, -6, 6) - ray->origin[i];
        }
        ray->least = n % 5 ? 0 : rays_uniform(&seed, 0, 1);
        ray->most = n % 7 ? 1000 : rays_uniform(&seed, 0.5f, 1.5f);
    }
}

static void build_scene(struct vt *vt, struct scene *scene)
{
    const VkAccelerationStructureGeometryKHR triangles = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
        .geometryType = VK_GEOMETRY_TYPE_TRIANGLES_KHR,
        .geometry.triangles = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
                               .vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
                               .vertexData.deviceAddress =
                                   vt_buffer(vt, sizeof(scene->vertices), scene->vertices).address,
                               .vertexStride = sizeof(scene->vertices[0][0]),
                               .maxVertex = TRIANGLES * 3 - 1,
                               .indexType = VK_INDEX_TYPE_NONE_KHR},
        .flags = VK_GEOMETRY_NO_DUPLICATE_ANY_HIT_INVOCATION_BIT_KHR};
    VkAccelerationStructureBuildGeometryInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
        .type = VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
        .geometryCount = 1,
        .pGeometries = &triangles};
    VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = TRIANGLES};
    const struct rays_structure bottom = rays_build(vt, &info, &range, NULL, NULL, false);
    for (unsigned top = 0; top < 2; top++) {
        VkAccelerationStructureInstanceKHR instances[INSTANCES];
        for (unsigned n = 0; n < INSTANCES; n++) {
            instances[n] =
                (VkAccelerationStructureInstanceKHR){.instanceCustomIndex = FIRST_INDEX + n,
                                                     .mask = 0xff,
                                                     .instanceShaderBindingTableRecordOffset = FIRST_OFFSET + n,
                                                     .accelerationStructureReference = bottom.address};
            memcpy(&instances[n].transform, scene->transforms[top][n], sizeof(instances[n].transform));
        }
        const VkAccelerationStructureGeometryKHR geometry = {
            .sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
            .geometryType = VK_GEOMETRY_TYPE_INSTANCES_KHR,
            .geometry.instances = {.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
                                   .data.deviceAddress = vt_buffer(vt, sizeof(instances), instances).address}};
        info.type = VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR;
        info.pGeometries = &geometry;
        range.primitiveCount = INSTANCES;
        scene->tops[top] = rays_build(vt, &info, &range, NULL, NULL, false);
    }
}

/* ---- what a ray meets, in double ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_product(double out[3], const double a[3], const double b[3])
{
    for (unsigned n = 0; n < 3; n++)
        out[n] = a[(n + 1) % 3] * b[(n + 2) % 3] - a[(n + 2) % 3] * b[(n + 1) % 3];
}

/* The distance, or a negative number; false: rounding decides. */
static bool meet_triangle(const struct rays_ray *ray, const float m[3][4], const float vertices[3][3],
                          double *distance_out)
{
    double corner[3][3], a[3], b[3], to[3], p[3], q[3], direction[3];
    for (unsigned i = 0; i < 9; i++) {
        const float *v = vertices[i / 3], *row = m[i % 3];
        corner[i / 3][i % 3] = (double)row[0] * v[0] + (double)row[1] * v[1] + (double)row[2] * v[2] + row[3];
    }
    for (unsigned i = 0; i < 3; i++) {
        a[i] = corner[1][i] - corner[0][i];
        b[i] = corner[2][i] - corner[0][i];
        to[i] = ray->origin[i] - corner[0][i];
        direction[i] = ray->direction[i];
    }
    cross_product(p, direction, b);
    cross_product(q, to, a);
    const double scale = dot(a, p), u = dot(to, p) / scale, v = dot(direction, q) / scale, t = dot(b, q) / scale;
    const double edge = 1e-3, least = fmin(fmin(u, v), 1 - u - v);
    *distance_out = least >= 0 && t >= ray->least && t <= ray->most ? t : -1;
    /* Near an edge, or near an end of the ray and inside: what is outside anyway does not count. */
    return !(fabs(least) < edge || (least > 0 && (fabs(t - ray->least) < edge || fabs(t - ray->most) < edge)));
}

struct meetings {
    struct hit nearest;
    unsigned count, sum; /* as ray_ways.comp adds them up */
    double distances[TRIANGLES * INSTANCES];
    uint32_t primitives[TRIANGLES * INSTANCES];
};

static bool expect_result(const struct scene *scene, unsigned top, unsigned ray, struct meetings *out)
{
    double best = INFINITY, next = INFINITY;
    *out = (struct meetings){.count = 0};
    for (unsigned n = 0; n < INSTANCES * TRIANGLES; n++) {
        double t;
        if (!meet_triangle(&scene->rays[ray], scene->transforms[top][n / TRIANGLES], scene->vertices[n % TRIANGLES],
                           &t))
            return false;
        if (t < 0)
            continue;
        out->distances[out->count] = t;
        out->primitives[out->count++] = n % TRIANGLES;
        out->sum += (n % TRIANGLES + 1) * (n / TRIANGLES + 1);
        next = fmin(next, fmax(t, best));
        if (t < best) {
            best = t;
            out->nearest = (struct hit){1, n % TRIANGLES, FIRST_INDEX + n / TRIANGLES, (float)t};
        }
    }
    return !out->count || next - best > 1e-3;
}

static bool is_near(float got, double want)
{
    return fabs(got - want) < 2e-3 * (1 + fabs(want));
}

static void check_nearest(struct vt *vt, unsigned ray, unsigned answer, const struct hit *got, const struct hit *want)
{
    if (got->kind != want->kind || (want->kind && (got->primitive != want->primitive || got->index != want->index ||
                                                   !is_near(got->distance, want->distance))))
        vt_fail(vt, "ray %u, answer %u: %u %u of %u at %f, not %u %u of %u at %f", ray, answer, got->kind,
                got->primitive, got->index, got->distance, want->kind, want->primitive, want->index, want->distance);
}

/* ---- what each way says ---- */

typedef void (*check_fn)(struct vt *vt, const struct scene *scene, unsigned ray, const struct meetings *want,
                         const uint32_t answers[ANSWERS][4]);

struct way {
    struct vt_spirv code;
    check_fn check;
    unsigned answers; /* that are the nearest of the ray */
    bool is_of_two;   /* odd rays are at the second structure */
    VkShaderStageFlagBits stage;
};

static void check_all(struct vt *vt, const struct scene *scene, unsigned ray, const struct meetings *want,
                      const uint32_t answers[ANSWERS][4])
{
    float nearest;
    (void)scene;
    memcpy(&nearest, &answers[0][3], sizeof(nearest));
    if (answers[0][0] != want->count || answers[0][1] != want->sum || answers[0][2] != 0)
        vt_fail(vt, "ray %u has %u candidates (sum %u, committed %u), not %u (%u, 0)", ray, answers[0][0],
                answers[0][1], answers[0][2], want->count, want->sum);
    if (want->count && !is_near(nearest, want->nearest.distance))
        vt_fail(vt, "ray %u has a candidate at %f, not %f", ray, nearest, want->nearest.distance);
}

static void check_terminate(struct vt *vt, const struct scene *scene, unsigned ray, const struct meetings *want,
                            const uint32_t answers[ANSWERS][4])
{
    struct hit got;
    bool is_one = !want->count;
    (void)scene;
    memcpy(&got, answers[0], sizeof(got));
    if (got.kind != (want->count ? 1 : 0) || answers[1][0] != got.kind || answers[1][2])
        vt_fail(vt, "ray %u: kind %u after %u candidates, more %u", ray, got.kind, answers[1][0], answers[1][2]);
    for (unsigned n = 0; n < want->count; n++)
        is_one |= got.primitive == want->primitives[n] && is_near(got.distance, want->distances[n]);
    if (!is_one || (want->count && answers[1][1] != got.primitive))
        vt_fail(vt, "ray %u: %u at %f is none of its meetings, the candidate was %u", ray, got.primitive, got.distance,
                answers[1][1]);
}

/* Every third ray is not sent. */
static void check_branches(struct vt *vt, const struct scene *scene, unsigned ray, const struct meetings *want,
                           const uint32_t answers[ANSWERS][4])
{
    struct hit got;
    const struct hit nothing = {0};
    (void)scene;
    memcpy(&got, answers[0], sizeof(got));
    check_nearest(vt, ray, 0, &got, ray % 3 == 2 ? &nothing : &want->nearest);
}

static void check_values(struct vt *vt, const struct scene *scene, unsigned ray, const struct meetings *want,
                         const uint32_t answers[ANSWERS][4])
{
    struct hit got;
    float floats[5]; /* the least distance, what is wrong with transforms, three numbers of the matrix */
    memcpy(&got, answers[0], sizeof(got));
    check_nearest(vt, ray, 0, &got, &want->nearest);
    if (!want->nearest.kind)
        return;
    memcpy(floats, &answers[1][3], sizeof(floats));
    const unsigned instance = want->nearest.index - FIRST_INDEX;
    const float(*m)[4] = scene->transforms[0][instance];
    if (answers[1][0] != instance || answers[1][1] != FIRST_OFFSET + instance || answers[1][2] != 1 ||
        floats[0] != scene->rays[ray].least)
        vt_fail(vt, "ray %u: instance %u, offset %u, flags %u, least distance %f", ray, answers[1][0], answers[1][1],
                answers[1][2], floats[0]);
    if (!(floats[1] < 1e-2f) || floats[2] != m[0][3] || floats[3] != m[1][3] || floats[4] != m[2][0])
        vt_fail(vt, "ray %u: transforms are wrong by %f; (%f, %f, %f) instead of (%f, %f, %f)", ray, floats[1],
                floats[2], floats[3], floats[4], m[0][3], m[1][3], m[2][0]);
}

static void check_rays(struct vt *vt, const struct scene *scene, const struct way *way,
                       const uint32_t (*answers)[ANSWERS][4])
{
    unsigned compared = 0, met = 0;
    static struct meetings want;
    for (unsigned n = 0; n < RAYS; n++) {
        if (!expect_result(scene, way->is_of_two && n & 1, n, &want))
            continue;
        compared++;
        met += want.count != 0;
        if (way->check)
            way->check(vt, scene, n, &want, answers[n]);
        for (unsigned i = 0; i < way->answers; i++) {
            struct hit got;
            memcpy(&got, answers[n][i], sizeof(got));
            check_nearest(vt, n, i, &got, &want.nearest);
        }
    }
    if (compared < RAYS / 2 || met < RAYS / 16)
        vt_fail(vt, "%u of %u rays were compared, %u met something", compared, RAYS, met);
}

/* ---- running ---- */

static VkDescriptorSetLayout make_set_layout(struct vt *vt)
{
    const VkShaderStageFlags stages =
        VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 2, stages, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, stages, NULL}};
    VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .bindingCount = COUNT_OF(bindings),
                                            .pBindings = bindings};
    VkDescriptorSetLayout layout;
    VT_CHECK(vt, vkCreateDescriptorSetLayout(vt->device, &info, NULL, &layout));
    vt_defer(vt, vt_destroy_set_layout, (uint64_t)layout);
    return layout;
}

static VkDescriptorSet make_set(struct vt *vt, const struct scene *scene, VkDescriptorSetLayout layout,
                                const struct vt_buffer *answers)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2},
                                          {VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 2}};
    VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                            .maxSets = 1,
                                            .poolSizeCount = COUNT_OF(sizes),
                                            .pPoolSizes = sizes};
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VT_CHECK(vt, vkCreateDescriptorPool(vt->device, &pool_info, NULL, &pool));
    vt_defer(vt, vt_destroy_set_pool, (uint64_t)pool);
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &layout};
    VT_CHECK(vt, vkAllocateDescriptorSets(vt->device, &info, &set));
    const VkAccelerationStructureKHR handles[2] = {scene->tops[0].handle, scene->tops[1].handle};
    const VkWriteDescriptorSetAccelerationStructureKHR structures = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        .accelerationStructureCount = 2,
        .pAccelerationStructures = handles};
    const struct vt_buffer rays = vt_buffer(vt, sizeof(scene->rays), scene->rays);
    const VkDescriptorBufferInfo infos[2] = {{rays.buffer, 0, VK_WHOLE_SIZE}, {answers->buffer, 0, VK_WHOLE_SIZE}};
    const VkWriteDescriptorSet writes[2] = {{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .pNext = &structures,
                                             .dstSet = set,
                                             .descriptorCount = 2,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR},
                                            {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                             .dstSet = set,
                                             .dstBinding = 1,
                                             .descriptorCount = 2,
                                             .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                             .pBufferInfo = infos}};
    vkUpdateDescriptorSets(vt->device, COUNT_OF(writes), writes, 0, NULL);
    return set;
}

static void dispatch(struct vt *vt, const struct scene *scene, const struct way *way, VkDescriptorSetLayout set_layout,
                     VkDescriptorSet set)
{
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(VkDeviceAddress)};
    VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                              .setLayoutCount = 1,
                                              .pSetLayouts = &set_layout,
                                              .pushConstantRangeCount = 1,
                                              .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    VT_CHECK(vt, vkCreatePipelineLayout(vt->device, &layout_info, NULL, &layout));
    vt_defer(vt, vt_destroy_layout, (uint64_t)layout);
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = way->code.size_B, .pCode = way->code.words};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"},
                                        .layout = layout};
    VkPipeline pipeline;
    VT_CHECK(vt, vkCreateShaderModule(vt->device, &module_info, NULL, &info.stage.module));
    VkResult result = vkCreateComputePipelines(vt->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    vkDestroyShaderModule(vt->device, info.stage.module, NULL);
    VT_CHECK(vt, result);
    vt_defer(vt, vt_destroy_pipeline, (uint64_t)pipeline);
    VkCommandBuffer commands = vt_begin(vt);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(VkDeviceAddress),
                       &scene->tops[0].address);
    vkCmdDispatch(commands, RAYS / 64, 1, 1);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

/* A point for each ray, or a picture of as many pixels. */
static void draw(struct vt *vt, const struct way *way, VkDescriptorSetLayout set_layout, VkDescriptorSet set)
{
    const bool is_vertex = way->stage == VK_SHADER_STAGE_VERTEX_BIT;
    if (is_vertex ? !vt->features.features.vertexPipelineStoresAndAtomics
                  : !vt->features.features.fragmentStoresAndAtomics)
        vt_skip(vt, "the stage cannot store");
    struct vt_target target = vt_target(vt, VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT);
    struct vt_graphics graphics;
    vt_graphics_init(&graphics, &target, is_vertex ? way->code : vt_screen_vert,
                     is_vertex ? vt_constant_frag : way->code);
    graphics.assembly.topology = is_vertex ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    graphics.sets[0] = set_layout;
    graphics.set_count = 1;
    vt_make_pipeline(vt, &graphics, &target);
    VkCommandBuffer commands = vt_begin(vt);
    vt_begin_rendering(commands, &target);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, graphics.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(commands, is_vertex ? RAYS : 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    vt_full_barrier(commands);
    vt_submit(vt, commands);
}

static void run_rays(struct vt *vt, const void *argument)
{
    static struct scene scene;
    const struct way *way = argument;
    rays_need(vt);
    make_scene(&scene);
    build_scene(vt, &scene);
    const struct vt_buffer answers = vt_buffer(vt, RAYS * sizeof(uint32_t[ANSWERS][4]), NULL);
    memset(answers.map, 0xee, RAYS * sizeof(uint32_t[ANSWERS][4]));
    VkDescriptorSetLayout set_layout = make_set_layout(vt);
    VkDescriptorSet set = make_set(vt, &scene, set_layout, &answers);
    if (way->stage)
        draw(vt, way, set_layout, set);
    else
        dispatch(vt, &scene, way, set_layout, set);
    check_rays(vt, &scene, way, answers.map);
}

#define WAY(name, ...)                                                                                                 \
    {                                                                                                                  \
        name, run_rays, &(const struct way)                                                                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, sizeof(name)                                                                                             \
    }
const struct vt_case vt_ray_query_cases[] = {
    WAY("all_candidates", CODE(ray_ways_all), check_all),
    WAY("terminate", CODE(ray_ways_terminate), check_terminate),
    WAY("two_by_turns", CODE(ray_ways_two), .answers = 2),
    WAY("array", CODE(ray_ways_array), .answers = 4),
    WAY("branches", CODE(ray_ways_branches), check_branches),
    WAY("values", CODE(ray_ways_values), check_values),
    WAY("address", CODE(ray_ways_address), .answers = 1),
    WAY("structures", CODE(ray_ways_scenes), .answers = 1, .is_of_two = true),
    WAY("vertex", CODE(ray_stage_vert), .answers = 1, .stage = VK_SHADER_STAGE_VERTEX_BIT),
    WAY("fragment", CODE(ray_stage_frag), .answers = 1, .stage = VK_SHADER_STAGE_FRAGMENT_BIT),
};
const size_t vt_ray_query_count = COUNT_OF(vt_ray_query_cases);
