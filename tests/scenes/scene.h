/* The scenes: small pictures that use Vulkan as applications do, each drawn by one function. Plain Vulkan on the loader
 * by the layer of tests/vulkan (vt.h); tests/pictures.py draws them on two drivers and compares. A scene is the same
 * each time, takes its content from formulas, and has no step that magnifies rounding. Where a driver lacks a feature
 * that the scene is about, the scene may come to the same picture in another way, so that there is a judge. */
#ifndef TESTS_SCENES_SCENE_H
#define TESTS_SCENES_SCENE_H

#include "scene_math.h"
#include "vt/vt_graphics.h"

#define SCENE_WIDTH 400
#define SCENE_HEIGHT 300

struct scene {
    const char *name;
    const char *what; /* what of Vulkan it is about, for the reader of a failure */
    void (*draw)(struct vt *vt, uint8_t *rgba_out);
    /* The share of pixels in which two right drivers may differ beyond tests/pictures.py's own limits, or 0, and
     * why. */
    double share;
    const char *reason;
    bool keeps_state; /* its frame goes on where the last one ended: buffers are made before it */
};

extern const struct scene scene_light_table[], scene_texture_table[], scene_blend_table[], scene_compute_table[],
    scene_state_table[], scene_raster_table[]; /* they end with a row without a name */

extern const struct vt_spirv scene_mesh_vert_code; /* takes a struct scene_object */

/* ---- targets and pipelines ---- */

/* A target of the picture's size with a colour of this format and depth, if its format is not 0. */
struct vt_target scene_target(struct vt *vt, VkFormat color, VkFormat depth);

/* A pipeline state for meshes (struct scene_vertex at binding 0): depth test and back faces culled, where the target
 * has depth. */
void scene_graphics(struct vt_graphics *graphics, const struct vt_target *target, struct vt_spirv vertex,
                    struct vt_spirv fragment);

/* One for a triangle over the whole target: no vertices, no depth. */
void scene_screen_graphics(struct vt_graphics *graphics, const struct vt_target *target, struct vt_spirv fragment);

/* Make the pipeline with these sets' layouts. */
void scene_pipeline(struct vt *vt, struct vt_graphics *graphics, const struct vt_target *target,
                    const struct vt_set *sets, uint32_t set_count);

void scene_bind(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct vt_set *sets,
                uint32_t set_count);

/* Source over: alpha and one minus alpha. */
void scene_blend(struct vt_graphics *graphics, VkBlendFactor source, VkBlendFactor destination);

/* A gradient behind a scene, for the first draw in a target. */
void scene_backdrop(struct vt *vt, VkCommandBuffer commands, const struct vt_target *target, struct vec3 top,
                    struct vec3 bottom);

/* How long a frame takes: bench/run.py asks. `seconds` 0: each is submitted once. */
struct scene_frames {
    double seconds;
    bool may_differ; /* of the first one: scene::keeps_state */
    uint32_t runs;   /* of which the times are, after a warm-up */
    double median_s, best_s, cpu_s;
};
extern struct scene_frames scene_frames;

/* Copy this image to the picture, submit and wait; as often as scene_frames says, and the picture must stay the same
 * unless it may differ. */
void scene_finish(struct vt *vt, VkCommandBuffer commands, struct vt_image *image, uint8_t *rgba_out);

/* A colour as it is to the shader through one more full-screen pass: tone mapping into a target of 8 bits, submitted.
 */
void scene_tone_map(struct vt *vt, VkCommandBuffer commands, struct vt_image *hdr, float exposure, uint8_t *rgba_out);

/* ---- compute ---- */

struct scene_compute {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    struct vt_set set;
};

struct scene_compute scene_compute(struct vt *vt, struct vt_spirv code, const VkSpecializationInfo *constants,
                                   const struct vt_binding *bindings, uint32_t count);
void scene_dispatch(VkCommandBuffer commands, const struct scene_compute *compute, const void *push, uint32_t push_B,
                    uint32_t x, uint32_t y, uint32_t z);

/* ---- meshes ---- */

struct scene_vertex {
    struct vec3 position, normal;
    float u, v;
};

struct scene_mesh {
    struct vt_buffer vertices, indices; /* of 16 bits */
    uint32_t index_count;
};

/* A surface of (columns + 1) x (rows + 1) points: `at` gives the point for u and v from 0 to 1; normals come from its
 * neighbours. Its outside is where u x v points. */
typedef struct vec3 (*scene_surface)(float u, float v);
struct scene_mesh scene_grid(struct vt *vt, uint32_t columns, uint32_t rows, scene_surface at);

struct vec3 scene_flat(float u, float v);      /* y = 0, x and z from -1 to 1 */
struct scene_mesh scene_sphere(struct vt *vt); /* radius 1 */
struct scene_mesh scene_torus(struct vt *vt);  /* in the plane of x and z, radii 1 and 0.35 */
struct scene_mesh scene_knot(struct vt *vt);   /* about radius 1.5 */
struct scene_mesh scene_vase(struct vt *vt);   /* a surface of revolution from y = 0 to 2 */
struct scene_mesh scene_box(struct vt *vt);    /* from -1 to 1 */
struct scene_mesh scene_floor(struct vt *vt);  /* y = 0, x and z from -1 to 1, u and v from 0 to 1 */

/* The push constants of mesh.vert: 128 bytes. */
struct scene_object {
    struct mat4 clip;
    float model[3][4]; /* rows */
    float color[4];
};

/* Push the object, bind and draw the mesh. */
void scene_draw(VkCommandBuffer commands, const struct vt_graphics *graphics, const struct scene_mesh *mesh,
                struct mat4 view_projection, struct mat4 model, struct vec3 color, float alpha);
/* scene_draw in two steps. */
void scene_push(VkCommandBuffer commands, const struct vt_graphics *graphics, struct mat4 view_projection,
                struct mat4 model, struct vec3 color, float alpha);
void scene_draw_mesh(VkCommandBuffer commands, const struct scene_mesh *mesh, uint32_t instances);

/* Of a picture's shape: from a place to a place, as wide as this (radians from top to bottom). */
struct mat4 scene_camera(struct vec3 from, struct vec3 to, float fov_y);

/* ---- textures ---- */

/* Of 8 bits per channel, sRGB or not; levels below the first by blits. The texture's layout is that of shaders. */
struct vt_image scene_texture(struct vt *vt, VkFormat format, uint32_t width, uint32_t height, bool mip_mapped,
                              const void *texels);

/* Each level of all layers from the one above it. All levels are destinations of transfers; they end as the shaders' to
 * read. */
void scene_make_levels(VkCommandBuffer commands, struct vt_image *image);

/* Linear, with levels, repeated or clamped. */
VkSampler scene_sampler(struct vt *vt, VkSamplerAddressMode mode);

/* Smooth noise between 0 and 1 with a period of `cells` in u and v from 0 to 1; its octaves' sum. */
float scene_noise(float u, float v, uint32_t cells, uint32_t seed);
float scene_fractal(float u, float v, uint32_t cells, uint32_t octaves, uint32_t seed);

/* A hue from 0 to 1 as a clear colour. */
struct vec3 scene_hue(float hue, float saturation, float value);

static inline uint8_t scene_byte(float value)
{
    return (uint8_t)(value <= 0 ? 0 : value >= 1 ? 255 : value * 255 + 0.5f);
}

#endif
