/* Scenes that are drawn twice: by a pipeline, and by shader objects with every state set by a command. */
#ifndef TESTS_VULKAN_OBJECTS_H
#define TESTS_VULKAN_OBJECTS_H

#include "vt/vt_graphics.h"
#include "vulkan/runtime/gen/vk_newer.h"

/* The stages of graphics, in their order; the last is the fragment's. */
#define OBJECT_STAGES 7
extern const VkShaderStageFlagBits object_stages[OBJECT_STAGES];

enum object_way {
    OBJECTS_UNLINKED,
    OBJECTS_LINKED,
    OBJECTS_OF_BINARIES,
    OBJECTS_IN_SECONDARY,
    OBJECTS_AMONG_PIPELINES,
    OBJECT_WAYS,
};

/* State that stands in chains. What is zero is the default. */
struct scene_state {
    VkProvokingVertexModeEXT provoking;
    VkLineRasterizationModeEXT line_mode;
    uint16_t stipple; /* pattern; 0: off */
    VkConservativeRasterizationModeEXT conservative;
    bool has_clip, clip; /* depth clipping apart from clamping */
    bool from_minus_one;
    VkTessellationDomainOrigin origin;
    uint32_t hidden_colors; /* by vkCmdSetColorWriteEnableEXT */
};

struct scene {
    struct vt *vt;
    struct vt_target target;
    struct vt_graphics graphics; /* points into itself, as that does */
    struct scene_state more;
    struct vt_vertex vertices[24];
    uint32_t num_vertices, instances;
    struct vt_buffer buffers[4]; /* of vertices; the first is made of `vertices` where nothing else is there */
    uint32_t num_buffers;
    uint16_t indices[32];
    uint32_t num_indices; /* 0: none */
    uint32_t groups[3];   /* of a draw by mesh shaders */
    float push[32];
    struct vt_set set;
    struct vt_image resolved;
    struct vt_constants constants;
    bool is_blank;   /* nothing is to be seen */
    bool is_rounded; /* pictures may differ by a code */
    /* chains of the pipeline */
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking;
    VkPipelineRasterizationLineStateCreateInfoEXT lines;
    VkPipelineRasterizationConservativeStateCreateInfoEXT conservative;
    VkPipelineRasterizationDepthClipStateCreateInfoEXT clip;
    VkPipelineViewportDepthClipControlCreateInfoEXT range;
    VkPipelineTessellationDomainOriginStateCreateInfo origin;
    VkPipelineColorWriteCreateInfoEXT color_writes;
    VkBool32 color_enables[VT_MAX_TARGETS];
};

typedef void (*scene_fn)(struct vt *vt, struct scene *scene, int argument);

/* Three triangles of different depths, over each other, on a target of 64×64. */
void scene_init(struct vt *vt, struct scene *scene, VkFormat format, struct vt_spirv vertex, struct vt_spirv fragment);

/* The scene with plain vertices with colours. */
void scene_init_plain(struct vt *vt, struct scene *scene);
void scene_needs(struct vt *vt, bool has, const char *what); /* skips where it is not there */

/* Draws by two pipelines, the second made of libraries, and compares; everything is freed with the case. */
void scene_compare_libraries(struct vt *vt, struct scene *scene, const struct vt_library_way *way);

/* ---- objects ---- */

struct objects {
    VkShaderEXT shaders[OBJECT_STAGES]; /* VK_NULL_HANDLE: no such stage */
};

void need_objects(struct vt *vt);
VkShaderEXT object_of(struct vt *vt, const VkShaderCreateInfoEXT *info);
/* The binary of a shader, and a shader of it. The bytes live as long as the case. */
void *binary_of(struct vt *vt, VkShaderEXT shader, size_t *size_B);
/* The stages of a pipeline of `graphics`, one create info for each that is there. Returns how many. */
uint32_t object_infos(const struct vt_graphics *graphics, VkShaderCreateInfoEXT infos_out[OBJECT_STAGES]);
void make_objects(struct vt *vt, const struct vt_graphics *graphics, enum object_way way, struct objects *out);
void bind_objects(struct vt *vt, VkCommandBuffer commands, const struct objects *objects);

/* ---- state: object_state.c ---- */

/* All state, by commands. */
void set_state(struct vt *vt, VkCommandBuffer commands, const struct scene *scene);
void set_graphics_state(struct vt *vt, VkCommandBuffer commands, const struct vt_graphics *graphics,
                        const struct scene_state *more);
/* Chains `more` into the state of the pipeline. */
void scene_chain_state(struct scene *scene);

/* ---- tables of scenes ---- */

struct scene_case {
    scene_fn make;
    int argument;
    enum object_way way;
};

void case_scene(struct vt *vt, const void *argument);

#define WAY(name, fn, argument, way_name, way)                                                                         \
    {                                                                                                                  \
        name way_name, case_scene, &(const struct scene_case)                                                          \
        {                                                                                                              \
            fn, argument, way                                                                                          \
        }                                                                                                              \
    }
#define SCENE(name, fn, argument)                                                                                      \
    WAY(name, fn, argument, "", OBJECTS_UNLINKED), WAY(name, fn, argument, ", linked", OBJECTS_LINKED),                \
        WAY(name, fn, argument, ", of binaries", OBJECTS_OF_BINARIES),                                                 \
        WAY(name, fn, argument, ", in a secondary", OBJECTS_IN_SECONDARY),                                             \
        WAY(name, fn, argument, ", among pipelines", OBJECTS_AMONG_PIPELINES)
#define BOTH(name, fn, argument)                                                                                       \
    WAY(name, fn, argument, "", OBJECTS_UNLINKED), WAY(name, fn, argument, ", among pipelines", OBJECTS_AMONG_PIPELINES)

#endif
