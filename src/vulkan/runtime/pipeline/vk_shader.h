/* Compiled shaders, and what a driver does so that the runtime can implement pipelines.
 *
 *   IR of all stages ── compile ──▶ code: bytes ── load ──▶ shader: what the GPU runs, shared by pipelines
 *                                    ▲    │
 *                       a cache's file ◀──┘
 *
 * Code is bytes that mean the same in another process: what a compiler knows and nothing that a device gave out. A
 * shader is loaded from code, fresh or from a file, in one way, and keeps the code for the next file.
 *
 * Both are known by a key, a hash of everything that went into the code: the stages' words, entry names and
 * specialization, the layouts, robustness, subgroup sizes, flags, and what the driver adds of the graphics state. A key
 * is looked up in the application's VkPipelineCache and in the device's table of all living shaders. The table holds
 * no references: when all pipelines and caches are destroyed, no shaders are left. */
#ifndef VULKAN_RUNTIME_VK_SHADER_H
#define VULKAN_RUNTIME_VK_SHADER_H

#include "vulkan/runtime/descriptor/vk_pipeline_layout.h"
#include "vulkan/runtime/pipeline/vk_pipeline_cache.h"

struct ir_shader;
struct vk_command_buffer;
struct vk_graphics_state;
struct vk_hasher;
struct vk_pipeline;
struct vk_ray_group;
struct vk_shader_report;

struct vk_code {
    VkShaderStageFlagBits stage;
    uint8_t key[VK_HASH_SIZE_B];
    size_t size_B;
    _Alignas(8) uint8_t bytes[];
};

/* For the compiler to fill; NULL without memory. It is the device's memory, as a shader's is. */
struct vk_code *vk_code_create(struct vk_device *device, VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B],
                               size_t size_B);
void vk_code_destroy(struct vk_device *device, struct vk_code *code); /* NULL is allowed */

/* Begins the driver's shader. Nothing in it changes once it is loaded: many threads read it. */
struct vk_shader {
    struct vk_cached cached;
    struct vk_device *device;
    const struct vk_code *code;    /* its own, as long as it lives */
    struct vk_shader *next_living; /* in the device's table; vk_shader.c's alone */
    bool living;                   /* it is in the table */
};

static inline VkShaderStageFlagBits vk_shader_stage(const struct vk_shader *shader)
{
    return shader->code->stage;
}

static inline struct vk_shader *vk_shader_ref(struct vk_shader *shader)
{
    vk_cached_ref(&shader->cached);
    return shader;
}

static inline void vk_shader_unref(struct vk_device *device, struct vk_shader *shader) /* NULL is allowed */
{
    vk_cached_unref(device, shader ? &shader->cached : NULL);
}

/* The behaviour of accesses out of bounds. Never DEVICE_DEFAULT: that is resolved by the features that were enabled. */
struct vk_robustness {
    VkPipelineRobustnessBufferBehaviorEXT storage_buffers, uniform_buffers, vertex_inputs;
    VkPipelineRobustnessImageBehaviorEXT images;
};

/* The pipeline's create flags that a compiler may look at; they are part of the key, others are not. */
#define VK_SHADER_CREATE_FLAGS                                                                                         \
    (VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT | VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT |               \
     VK_PIPELINE_CREATE_DISPATCH_BASE_BIT | VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |                            \
     VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR |                                                     \
     VK_PIPELINE_CREATE_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR | VK_PIPELINE_CREATE_RAY_TRACING_SKIP_AABBS_BIT_KHR)

#define VK_SHADER_STAGES_OF_RAYS                                                                                       \
    (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |          \
     VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)

/* One stage to compile. */
struct vk_stage_job {
    VkShaderStageFlagBits stage;
    VkShaderStageFlags next_stages; /* of the same pipeline, after this one; 0: the last */
    const uint8_t *key;             /* for vk_code_create */
    /* Fresh from the front end. The driver may change it in any way; it stays the runtime's, which destroys it after
     * the call. */
    struct ir_shader *ir;
    VkPipelineCreateFlags flags; /* of VK_SHADER_CREATE_FLAGS */
    struct vk_robustness robustness;
    uint32_t required_subgroup_size; /* 0: the driver chooses */
    bool allow_varying_subgroup_size, require_full_subgroups;
    struct vk_descriptor_set_layout *const *set_layouts; /* NULL entries: sets that nothing uses */
    uint32_t set_layout_count;
    /* The range that this stage, or of shaders that call one another any of them, may read; size 0: nothing. */
    VkPushConstantRange push;
};

/* Whether the program can tell how large subgroups are, or was promised that they are full. */
bool vk_stage_knows_subgroup_size(const struct vk_stage_job *job);

/* The device's limits for the front end. */
struct vk_spirv_limits {
    const uint32_t *refused_capabilities; /* SpvCapability numbers that the device does not advertise */
    uint32_t num_refused_capabilities;
    uint32_t max_shared_B;       /* 0: 64 KiB */
    uint32_t max_subgroup_size;  /* that a program may meet; 0: 64 */
    uint32_t buffer_alignment_B; /* what every bound buffer's address is a multiple of; 0: 4 */
};

#define VK_RAY_HANDLE_B 32

/* A driver's half of pipelines: vk_device.codegen, set right after vk_device_init. All functions may be called from
 * several threads at once, but for `bind`, which is recording. */
struct vk_codegen {
    struct vk_spirv_limits limits;
    uint32_t graphics_state_flags; /* enum vk_graphics_state_fill_flags */

    /* The graphics state that `compile` reads for these stages, for the key; a field that is forgotten here gives a
     * pipeline a shader that was compiled for another's state. Also anything else about the device that changes code
     * (debug switches). `state` is NULL for compute. May be NULL. */
    void (*add_to_key)(struct vk_device *device, const struct vk_graphics_state *state, VkShaderStageFlags stages,
                       struct vk_hasher *hasher);

    /* All stages of a pipeline together, in the order of the pipeline, so that they can be linked. `state` is NULL for
     * compute. On success every codes_out[i] is the caller's; on an error none is. VK_ERROR_OUT_OF_HOST_MEMORY, or
     * VK_ERROR_UNKNOWN for code that the compiler cannot take (after a message in the log). */
    VkResult (*compile)(struct vk_device *device, uint32_t count, const struct vk_stage_job *jobs,
                        const struct vk_graphics_state *state, struct vk_code **codes_out);

    /* `compile` also takes the stages of a part of a pipeline, before the rest is known: libraries have code then, and
     * linking joins it. state->subsets says what is known: without FRAGMENT_SHADER whatever comes after the rasteriser
     * may read any output, without VERTEX_INPUT and FRAGMENT_OUTPUT rows and formats of these may be anything, as if
     * commands set them. What fits together is known at `bake`. */
    bool compiles_parts;

    /* Fills the driver's part of a shader of `shader_size_B` bytes, which is zeroed but for the base. The code may come
     * from a file, whose checksum was right: an error other than memory's says that its bytes are not. */
    size_t shader_size_B;
    VkResult (*load)(struct vk_device *device, struct vk_shader *shader);
    /* The reverse, in any thread. The GPU does not run the shader any more, for the application may not destroy a
     * pipeline in use. */
    void (*unload)(struct vk_device *device, struct vk_shader *shader);
    /* Whether shaders that were found by their keys, by vk_stage_index and NULL where there is none, are those of one
     * pipeline or of one part of it: each is right in itself, but a file may have them of different ones. Then they are
     * compiled anew. May be NULL. */
    bool (*fits)(struct vk_shader *const *shaders);
    /* VK_KHR_pipeline_executable_properties, in the words of vk_shader_report.h. May be NULL. */
    void (*describe)(const struct vk_shader *shader, struct vk_shader_report *report);

    /* Ray tracing pipelines, where a driver has them: how much of the stack a shader needs, and what a record of the
     * binding table begins with. Both say the same of a shader in every pipeline that has it. */
    uint32_t (*ray_stack_B)(const struct vk_shader *shader);
    void (*ray_handle)(const struct vk_ray_group *group, uint8_t handle_out[VK_RAY_HANDLE_B]);

    /* Optional, a pair: make pipeline->driver_data, whatever a driver wants to have ready before the first bind
     * (register packets). Called once for each pipeline that can be bound, when its layout and shaders are set; `state`
     * is gone after the call; NULL for compute, and for pipelines of vulkan/meta, whose state is all dynamic. After an
     * error unbake is not called. */
    VkResult (*bake)(struct vk_device *device, struct vk_pipeline *pipeline, const struct vk_graphics_state *state,
                     const VkAllocationCallbacks *allocator);
    void (*unbake)(struct vk_device *device, struct vk_pipeline *pipeline, const VkAllocationCallbacks *allocator);

    /* The rest of vkCmdBindPipeline, when the command buffer has the pipeline's static state: its shaders and its
     * driver_data from now on. NULL where a driver has a vkCmdBindPipeline of its own. */
    void (*bind)(struct vk_command_buffer *command_buffer, struct vk_pipeline *pipeline);
};

/* A shader of the code, which becomes the shader's; on an error it stays the caller's. For shaders that no key finds:
 * those of a pipeline come by vk_shader_find and vk_shader_publish. */
VkResult vk_shader_load(struct vk_device *device, struct vk_code *code, struct vk_shader **shader_out);
/* Takes a driver's own code, which is destroyed on an error. */
VkResult vk_shader_take(struct vk_device *device, struct vk_code *code, struct vk_shader **shader_out);
/* The result of a compilation that has failed, of its text: back ends begin it with "out of memory" where it is
 * that. */
VkResult vk_compile_error(const char *text);
/* The key of such code. */
extern const uint8_t vk_no_key[VK_HASH_SIZE_B];

/* The kind that pipeline caches know shaders by, and the list of all kinds that the runtime has: vk_device_init sets
 * vk_device.cached_kinds to it. */
extern const struct vk_cached_ops vk_shader_cached_ops;
extern const struct vk_cached_ops *const vk_runtime_cached_kinds[];

/* ---- for vk_device.c ---- */

void vk_shader_table_init(struct vk_device *device);
void vk_shader_table_finish(struct vk_device *device);

/* ---- for vk_pipeline*.c ---- */

/* A key's last byte is the stage's number: so that a file cannot give a shader out for one of another stage. */
static inline void vk_key_set_stage(uint8_t key[VK_HASH_SIZE_B], VkShaderStageFlagBits stage)
{
    key[VK_HASH_SIZE_B - 1] = (uint8_t)__builtin_ctz(stage);
}
static inline bool vk_key_has_stage(const uint8_t key[VK_HASH_SIZE_B], VkShaderStageFlagBits stage)
{
    return key[VK_HASH_SIZE_B - 1] == __builtin_ctz(stage);
}

/* By key: in `cache` (which may be NULL), then among the device's living shaders. A reference or NULL; *in_cache_out
 * says whether the cache had it. One that only lived is put into the cache. */
struct vk_shader *vk_shader_find(struct vk_device *device, struct vk_pipeline_cache *cache,
                                 const uint8_t key[VK_HASH_SIZE_B], bool *in_cache_out);

/* Neither place finds the shader any more; those that have it keep it. */
void vk_shader_forget(struct vk_device *device, struct vk_pipeline_cache *cache, struct vk_shader *shader);

/* A fresh shader into both places; where another with its key came first, the reference moves to that one. */
struct vk_shader *vk_shader_publish(struct vk_device *device, struct vk_pipeline_cache *cache,
                                    struct vk_shader *shader);

#endif
