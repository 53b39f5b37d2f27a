/* Compiled shaders: one object per stage, shared by every pipeline that would compile to the same, and what a driver
 * does to make, bind and describe them. A pipeline (vk_pipeline.h) is a handful of references to these.
 *
 * A shader is known by its key, a hash of everything that went into it: the stages' words, entry names and
 * specialization, the layouts, robustness, subgroup sizes, flags, and what the driver adds of the graphics state. There
 * are two places where a key is looked up: the application's VkPipelineCache, and the device's table of all living
 * shaders. The table holds no references: who destroys all pipelines and caches has no shaders left. */
#ifndef VULKAN_RUNTIME_VK_SHADER_H
#define VULKAN_RUNTIME_VK_SHADER_H

#include "vulkan/runtime/vk_pipeline_cache.h"
#include "vulkan/runtime/vk_pipeline_layout.h"

struct ir_shader;
struct vk_command_buffer;
struct vk_graphics_state;
struct vk_hasher;
struct vk_pipeline;
struct vk_shader;

/* What a driver does with one compiled shader. */
struct vk_shader_ops {
    /* The last reference is gone: free everything; the end is vk_shader_free. The GPU does not run it any more, for the
     * application may not destroy a pipeline in use. Any thread may call it. */
    void (*destroy)(struct vk_device *device, struct vk_shader *shader);
    /* The shader as bytes for a pipeline cache's file: *size_B is the room and becomes the size; NULL asks for the
     * size. False: it cannot be stored. NULL: no shader of this kind can. */
    bool (*serialize)(struct vk_device *device, const struct vk_shader *shader, void *data, size_t *size_B);

    /* VK_KHR_pipeline_executable_properties; all three may be NULL. They follow the specification's rule of arrays:
     * with NULL they set the count, otherwise write at most *count elements, set it to what was written and answer
     * VK_INCOMPLETE where there are more. `index` is of the executables of this shader. */
    VkResult (*get_executable_properties)(struct vk_device *device, const struct vk_shader *shader, uint32_t *count,
                                          VkPipelineExecutablePropertiesKHR *properties);
    VkResult (*get_executable_statistics)(struct vk_device *device, const struct vk_shader *shader, uint32_t index,
                                          uint32_t *count, VkPipelineExecutableStatisticKHR *statistics);
    VkResult (*get_executable_internal_representations)(struct vk_device *device, const struct vk_shader *shader,
                                                        uint32_t index, uint32_t *count,
                                                        VkPipelineExecutableInternalRepresentationKHR *representations);
};

/* Begins the driver's shader. Nothing in it changes once it was handed to the runtime: many threads read it. */
struct vk_shader {
    struct vk_cached cached;
    struct vk_device *device;
    const struct vk_shader_ops *ops;
    VkShaderStageFlagBits stage;
    struct vk_shader *next_living; /* in the device's table; vk_shader.c's alone */
    bool living;                   /* it is in the table */
};

/* Zeroed memory of `size_B` bytes that begins with the base; NULL without memory. It is the device's memory, for a
 * shader outlives the pipeline it was compiled for. `key` is the compile info's. */
void *vk_shader_create(struct vk_device *device, size_t size_B, const struct vk_shader_ops *ops,
                       VkShaderStageFlagBits stage, const uint8_t key[VK_HASH_SIZE_B]);
void vk_shader_free(struct vk_device *device, struct vk_shader *shader); /* the end of ops->destroy */

static inline struct vk_shader *vk_shader_ref(struct vk_shader *shader)
{
    vk_cached_ref(&shader->cached);
    return shader;
}

static inline void vk_shader_unref(struct vk_device *device, struct vk_shader *shader) /* NULL is allowed */
{
    vk_cached_unref(device, shader ? &shader->cached : NULL);
}

/* What accesses out of bounds may do. Never DEVICE_DEFAULT: that is resolved by the features that were enabled. */
struct vk_robustness {
    VkPipelineRobustnessBufferBehaviorEXT storage_buffers, uniform_buffers, vertex_inputs;
    VkPipelineRobustnessImageBehaviorEXT images;
};

/* The pipeline's create flags that a compiler may look at; they are part of the key, others are not. */
#define VK_SHADER_CREATE_FLAGS                                                                                         \
    (VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT | VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT |               \
     VK_PIPELINE_CREATE_DISPATCH_BASE_BIT | VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |                            \
     VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR)

/* One stage to compile. */
struct vk_shader_compile_info {
    VkShaderStageFlagBits stage;
    VkShaderStageFlags next_stages; /* of the same pipeline, behind this one; 0: the last */
    const uint8_t *key;             /* for vk_shader_create */
    /* Fresh from the front end and the driver's preprocess. The driver may change it in any way; it stays the
     * runtime's, which destroys it behind the call. */
    struct ir_shader *ir;
    VkPipelineCreateFlags flags; /* of VK_SHADER_CREATE_FLAGS */
    struct vk_robustness robustness;
    uint32_t required_subgroup_size; /* 0: the driver chooses */
    bool allow_varying_subgroup_size, require_full_subgroups;
    struct vk_descriptor_set_layout *const *set_layouts; /* NULL entries: sets that nobody uses */
    uint32_t set_layout_count;
    VkPushConstantRange push; /* what this stage may read; size 0: nothing */
};

/* What the front end must know of the device, by stage. The arrays must live as long as the device. */
struct vk_spirv_limits {
    const uint32_t *refused_capabilities; /* SpvCapability numbers that the device does not advertise */
    uint32_t num_refused_capabilities;
    uint32_t max_shared_B;       /* 0: 64 KiB */
    uint32_t buffer_alignment_B; /* what every bound buffer's address is a multiple of; 0: 4 */
};

/* What a driver does so that the runtime can implement pipelines. Set vk_device.shader_ops right after vk_device_init.
 * All may be called from several threads at once, but for the cmd_ ones, which are recording. */
struct vk_device_shader_ops {
    uint32_t graphics_state_flags; /* enum vk_graphics_state_fill_flags */

    /* Optional; zeroes stand in `limits_out`. */
    void (*spirv_limits)(struct vk_device *device, VkShaderStageFlagBits stage, struct vk_spirv_limits *limits_out);

    /* Add to the key what of the graphics state `compile` reads for these stages; whatever is forgotten here gives a
     * pipeline a shader that was compiled for another's state. Also anything else about the device that changes code
     * (debug switches). `state` is NULL for compute. May be NULL. */
    void (*hash_state)(struct vk_device *device, const struct vk_graphics_state *state, VkShaderStageFlags stages,
                       struct vk_hasher *hasher);

    /* Optional: passes right behind the front end that depend on nothing but the device. A library runs them once for
     * all pipelines that link it. */
    void (*preprocess)(struct vk_device *device, struct ir_shader *ir);

    /* All stages of a pipeline together, in the order of the pipeline, so that they can be linked. `state` is NULL for
     * compute. On success every shaders_out[i] holds one reference; on an error none does. VK_ERROR_OUT_OF_HOST_MEMORY,
     * VK_ERROR_OUT_OF_DEVICE_MEMORY, or VK_ERROR_UNKNOWN for code that the compiler cannot take (after a message in the
     * log). */
    VkResult (*compile)(struct vk_device *device, uint32_t count, const struct vk_shader_compile_info *infos,
                        const struct vk_graphics_state *state, struct vk_shader **shaders_out);

    /* A shader of bytes that some serialize wrote once and that may be anything by now; NULL where they are not right.
     * May be NULL: then files keep no shaders. */
    struct vk_shader *(*deserialize)(struct vk_device *device, VkShaderStageFlagBits stage,
                                     const uint8_t key[VK_HASH_SIZE_B], const void *data, size_t size_B);

    /* Optional, a pair: make pipeline->driver_data, whatever a driver wants to have ready before the first bind
     * (register packets). Called once for each pipeline that can be bound, when its layout and shaders are set; `state`
     * is NULL for compute and gone behind the call. After an error finish is not called. */
    VkResult (*pipeline_init)(struct vk_device *device, struct vk_pipeline *pipeline,
                              const struct vk_graphics_state *state, const VkAllocationCallbacks *allocator);
    void (*pipeline_finish)(struct vk_device *device, struct vk_pipeline *pipeline,
                            const VkAllocationCallbacks *allocator);

    /* vkCmdBindPipeline: these shaders from now on. A graphics bind names all graphics stages, with NULL for those that
     * are to be empty. */
    void (*cmd_bind_shaders)(struct vk_command_buffer *command_buffer, uint32_t count,
                             const VkShaderStageFlagBits *stages, struct vk_shader *const *shaders);
    /* Optional: the rest of a bind, with the pipeline's driver_data. Behind cmd_bind_shaders, and for graphics behind
     * the copy of the pipeline's static state into the command buffer's. */
    void (*cmd_bind_pipeline)(struct vk_command_buffer *command_buffer, struct vk_pipeline *pipeline);
};

/* The kind that pipeline caches know shaders by, and the list of all kinds that the runtime has: vk_device_init sets
 * vk_device.cached_kinds to it. */
extern const struct vk_cached_ops vk_shader_cached_ops;
extern const struct vk_cached_ops *const vk_runtime_cached_kinds[];

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

/* A fresh shader into both places; where another with its key came first, the reference moves to that one. */
struct vk_shader *vk_shader_publish(struct vk_device *device, struct vk_pipeline_cache *cache,
                                    struct vk_shader *shader);

#endif
