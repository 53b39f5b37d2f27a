/* The shared part of the cases of ray tracing pipelines: a wall of cells in three layers, pipelines of programs
 * (shaders/trace.*), tables, and launches.
 *
 * A layer is an instance, at Z 1, 2 and 3, of one structure: a triangle or a box in each cell, none in every fourth
 * column, the upper half of the rows as a second geometry. Rays start at Z -1 and go two units along Z for each unit of
 * distance, so they meet the layers at 1, 1.5 and 2. */
#ifndef TESTS_VULKAN_TRACE_H
#define TESTS_VULKAN_TRACE_H

#include "cases/rays/rays_scene.h"

#define TRACE_WIDTH 16
#define TRACE_HEIGHT 8
#define TRACE_RAYS (TRACE_WIDTH * TRACE_HEIGHT)
#define TRACE_LAYERS 3
#define TRACE_WORDS 16 /* of an answer */
#define TRACE_MAX_GROUPS 10
#define TRACE_MAX_RECORDS 10

/* By the names in shaders/trace.*; trace.c has their code. */
enum trace_program {
    TRACE_NONE,
    GENERATE_IDS,
    GENERATE_TRACE,
    GENERATE_LIVE,
    GENERATE_LOOP,
    GENERATE_BRANCH,
    GENERATE_TWO,
    GENERATE_BIG,
    GENERATE_SMALL,
    GENERATE_CALL,
    GENERATE_CALLS,
    GENERATE_SCENES,
    GENERATE_RECORDS,
    GENERATE_FIXED,
    GENERATE_QUERY,
    MISS_FLAT,
    MISS_ALL,
    MISS_OTHER,
    MISS_BIG,
    MISS_SMALL,
    MISS_CALL,
    MISS_DEEP,
    HIT_FLAT,
    HIT_ALL,
    HIT_SPACES,
    HIT_BIG,
    HIT_SMALL,
    HIT_BOX,
    HIT_DEEP,
    HIT_SHADOW,
    HIT_CALL,
    HIT_INDEXED,
    HIT_FIXED,
    HIT_QUERY,
    HIT_MASK,
    HIT_CORNERS,
    ANY_IGNORE,
    ANY_TERMINATE,
    ANY_COUNT,
    ANY_ATOMIC,
    ANY_ALL,
    ANY_CORNERS,
    ANY_BOX_IGNORE,
    ANY_BOX_ALL,
    BOX_PLANE,
    BOX_SOME,
    BOX_THREE,
    BOX_KINDS,
    BOX_TWO,
    BOX_TOLD,
    CALL_ADD,
    CALL_TURN,
    CALL_NESTED,
    CALL_BIG,
    TRACE_PROGRAMS,
};

/* A group of boxes has an intersection shader, a general group a general one; all others are of triangles. */
struct trace_group {
    enum trace_program general, closest, any, intersection;
};

/* A record of the table: of the group with this number, before a word for the shader. */
struct trace_record {
    int group; /* one more than the number; 0: there is none, and the record is zeros */
    uint32_t number;
};

enum trace_table {
    TRACE_GENERATE,
    TRACE_MISS,
    TRACE_HIT,
    TRACE_CALL,
    TRACE_TABLES,
};

struct trace_push {
    uint32_t flags, mask, offset, stride, miss, more;
    float least, most;
};

enum trace_way {
    TRACE_DIRECT,
    TRACE_INDIRECT,
    TRACE_INDIRECT2,
    TRACE_SECONDARY,
    TRACE_ON_COMPUTE,
};

/* How shaders get their descriptors. */
enum trace_binding {
    TRACE_BY_SET,
    TRACE_WITH_OFFSET, /* a dynamic one of the words */
    TRACE_PUSHED,
    TRACE_IN_BUFFER, /* a descriptor buffer */
};

struct trace_setup {
    struct trace_group groups[TRACE_MAX_GROUPS]; /* up to the first without programs, but for `empty_groups` */
    unsigned empty_groups;                       /* of triangles, without any shader, after these */
    struct trace_record records[TRACE_TABLES][TRACE_MAX_RECORDS]; /* up to `num_records`, or the last with a group */
    unsigned num_records[TRACE_TABLES];
    unsigned first_record[TRACE_TABLES]; /* where the launch's table begins */
    uint32_t stride_B[TRACE_TABLES];     /* 0: the least */
    uint32_t depth;                      /* of recursion; 0: 1 */
    uint32_t stack_levels;               /* the stack has room for so many shaders, set dynamically; 0: not */
    VkPipelineCreateFlags flags;
    const VkSpecializationInfo *fixed;
    bool reads_reports; /* an intersection shader looks at what became of its reports */

    bool boxes[TRACE_LAYERS];
    VkGeometryFlagsKHR geometry_flags[2];
    VkBuildAccelerationStructureFlagsKHR build_flags; /* of triangles and boxes */
    VkGeometryInstanceFlagsKHR instance_flags;
    uint32_t record_offsets[TRACE_LAYERS];
    bool is_second_null; /* the second structure is none; otherwise it has the last layer alone */
    bool is_first_null;

    struct trace_push push;
    uint32_t size[3]; /* of the launch; zeros: a ray for each cell */
    enum trace_way way;
    bool is_late; /* what an indirect launch reads is written by the GPU, right before it */
    enum trace_binding binding;
    bool needs_cull_mask; /* as a built-in */
};

struct trace {
    struct vt *vt;
    const struct trace_setup *setup;
    uint32_t handle_B, handle_align_B, base_align_B; /* of the device */
    struct rays_structure scenes[2];
    struct vt_buffer answers, words, counts, several[4];
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorSet set;
    VkPipeline pipeline;
    VkStridedDeviceAddressRegionKHR regions[TRACE_TABLES];
};

/* The word of `words` at this place, and each of `several`. */
static inline uint32_t trace_word(uint32_t n)
{
    return 7 + 3 * n * n;
}
#define TRACE_SEVERAL 500

/* Skips the case where the device has no such pipelines, or not what the setup needs. Makes all but the pipeline. */
void trace_open(struct trace *trace, struct vt *vt, const struct trace_setup *setup);

/* The corners of a cell's triangle as they are built; x is no number where there is none. */
void trace_fill_triangle(float out[3][3], unsigned x, unsigned y);

/* trace_scene.c: for trace_open. */
void trace_build_scenes(struct trace *trace);

/* The create info of a pipeline, in one piece. `flags` are added to the setup's; libraries may be NULL. */
struct trace_create {
    VkPipelineShaderStageCreateInfo stages[4 * TRACE_MAX_GROUPS];
    VkRayTracingShaderGroupCreateInfoKHR groups[TRACE_MAX_GROUPS];
    VkPipelineDynamicStateCreateInfo dynamic;
    VkPipelineLibraryCreateInfoKHR libraries;
    VkRayTracingPipelineInterfaceCreateInfoKHR interface;
    VkRayTracingPipelineCreateInfoKHR info;
};
/* Of the groups from `first` on. The modules are made and freed with the case. */
void trace_describe(struct trace *trace, unsigned first, unsigned count, struct trace_create *out);
VkPipeline trace_create(struct trace *trace, const struct trace_create *create);
VkPipeline trace_pipeline(struct trace *trace);

/* All tables, with the handles of the pipeline. */
void trace_fill_tables(struct trace *trace, VkPipeline pipeline);
/* Pieces of a launch: the pipeline, the set and push constants; these again; the launch itself. */
void trace_bind(struct trace *trace, VkCommandBuffer commands);
void trace_push(struct trace *trace, VkCommandBuffer commands);
void trace_command(struct trace *trace, VkCommandBuffer commands);
/* Launches and waits; the answers are in trace->answers. */
void trace_launch(struct trace *trace);

/* From nothing to the answers. */
void trace_run(struct trace *trace, struct vt *vt, const struct trace_setup *setup);

#endif
