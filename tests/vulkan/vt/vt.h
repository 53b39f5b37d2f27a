/* The end-to-end cases' own small layer over Vulkan: a device, resources that are freed when a case ends, and failures
 * that end a case from anywhere in it. Cases are plain Vulkan on the loader, offscreen; each computes its expected
 * result on the CPU. Whichever driver the loader finds runs them. */
#ifndef TESTS_VULKAN_VT_H
#define TESTS_VULKAN_VT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct vt_resource;

/* Extensions that are enabled where the device has them, with all of their features. */
enum vt_extension {
    VT_PUSH_DESCRIPTOR,
    VT_INDEX_TYPE_UINT8,
    VT_VERTEX_ATTRIBUTE_DIVISOR,
    VT_ROBUSTNESS2,
    VT_CUSTOM_BORDER_COLOR,
    VT_PROVOKING_VERTEX,
    VT_DEPTH_CLIP_ENABLE,
    VT_DEPTH_CLIP_CONTROL,
    VT_SHADER_STENCIL_EXPORT,
    VT_CONDITIONAL_RENDERING,
    VT_MULTI_DRAW,
    VT_EXPLICIT_VERTEX,
    VT_DISCARD_RECTANGLES,
    VT_CONSERVATIVE,
    VT_LINE_RASTERIZATION,
    VT_POST_DEPTH_COVERAGE,
    VT_ATOMIC_FLOAT,
    VT_ATOMIC_FLOAT2,
    VT_IMAGE_ATOMIC_INT64,
    VT_PRIMITIVES_GENERATED,
    VT_VIEW_2D_OF_3D,
    VT_VIEW_MIN_LOD,
    VT_NON_SEAMLESS_CUBE,
    VT_BORDER_SWIZZLE,
    VT_SHADER_CLOCK,
    VT_GATHER_BIAS_LOD,
    VT_VERTEX_INPUT_DYNAMIC,
    VT_EXTENDED_DYNAMIC_STATE2,
    VT_EXTENDED_DYNAMIC_STATE3,
    VT_COLOR_WRITE_ENABLE,
    VT_MUTABLE_DESCRIPTOR,
    VT_BUFFER_MARKER,
    VT_TRANSFORM_FEEDBACK,
    VT_GLOBAL_PRIORITY,
    VT_DEFERRED_HOST_OPERATIONS,
    VT_MEMORY_BUDGET,
    VT_CALIBRATED_TIMESTAMPS,
    VT_MODULE_IDENTIFIER,
    VT_EXTERNAL_MEMORY_FD,
    VT_EXTERNAL_MEMORY_DMA_BUF,
    VT_EXTERNAL_MEMORY_HOST,
    VT_EXTERNAL_SEMAPHORE_FD,
    VT_EXTERNAL_FENCE_FD,
    VT_DRAW_INDIRECT_COUNT_AMD,
    VT_IMAGE_LOAD_STORE_LOD,
    VT_AMD_HALF_FLOAT,
    VT_AMD_INT16,
    VT_TRINARY_MINMAX,
    VT_LOAD_STORE_OP_NONE,
    VT_TOPOLOGY_LIST_RESTART,
    VT_SAMPLE_LOCATIONS,
    VT_FEEDBACK_LOOP_LAYOUT,
    VT_PIPELINE_LIBRARY,
    VT_GRAPHICS_PIPELINE_LIBRARY,
    VT_PIPELINE_ROBUSTNESS,
    VT_WORKGROUP_LAYOUT,
    VT_YCBCR_IMAGE_ARRAYS,
    VT_4444_FORMATS,
    VT_PIPELINE_EXECUTABLE,
    VT_MESH_SHADER,
    VT_SHADING_RATE,
    VT_BARYCENTRIC,
    VT_ACCELERATION_STRUCTURE,
    VT_RAY_QUERY,
    VT_RAY_TRACING_PIPELINE,
    VT_RAY_TRACING_MAINTENANCE1,
    VT_PERFORMANCE_QUERY,
    VT_DEPTH_RANGE_UNRESTRICTED,
    VT_YCBCR_2PLANE_444,
    VT_DESCRIPTOR_BUFFER,
    VT_MAINTENANCE5,
    VT_MAINTENANCE6,
    VT_MAINTENANCE7,
    VT_MAP_MEMORY2,
    VT_SHADER_OBJECT,
    VT_FILTER_CUBIC,
    VT_HOST_IMAGE_COPY,
    VT_LOCAL_READ,
    VT_DEPTH_BIAS_CONTROL,
    VT_MEMORY_PRIORITY,
    VT_PAGEABLE_MEMORY,
    VT_POSITION_FETCH,
    VT_EXTENSION_COUNT,
};

struct vt {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue; /* graphics and compute */
    uint32_t family;
    VkQueue compute_queue; /* of a family without graphics; NULL: there is none */
    uint32_t compute_family;
    VkQueue transfer_queue; /* of a family that does nothing but copy; without one the queue above */
    uint32_t transfer_family;
    VkCommandPool commands;
    VkPhysicalDeviceMemoryProperties memory;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkDriverId driver;
    VkPhysicalDeviceFeatures2 features; /* what the device has; all of it is enabled */
    VkPhysicalDeviceVulkan11Features features11;
    VkPhysicalDeviceVulkan12Features features12;
    VkPhysicalDeviceVulkan13Features features13;
    bool has[VT_EXTENSION_COUNT];
    bool has_task_shader, has_mesh_queries, has_mesh_views; /* with VT_MESH_SHADER */
    bool has_mesh_rates; /* with VT_MESH_SHADER and VT_SHADING_RATE */
    bool has_indirect_traces, has_indirect_traces2, has_primitive_culling; /* with VT_RAY_TRACING_PIPELINE */
    bool is_validated;   /* Debian 12's layers listen, which know no newer rules */

    /* of the running case */
    jmp_buf end;
    char message[1024];
    bool skipped;
    struct vt_resource *resources; /* newest first */

    const struct vt_library_way *way; /* how all graphics pipelines of vt_make_pipeline are made; NULL: in one piece */
    const char *code_prefix; /* files with the code of graphics pipelines begin so (vt_code.c); NULL: none are written */
    unsigned num_codes;      /* pipelines so far */
};

struct vt_case {
    const char *name;
    void (*run)(struct vt *vt, const void *argument);
    const void *argument; /* of cases that share a function */
};

/* Tables of cases, one per file. */
extern const struct vt_case vt_compute_cases[], vt_transfer_cases[], vt_sync_cases[], vt_subgroup_cases[], vt_draw_cases[], vt_image_cases[], vt_storage_cases[],
    vt_sampling_cases[], vt_descriptor_cases[], vt_render_cases[], vt_raster_cases[], vt_depth_cases[], vt_blend_cases[], vt_msaa_cases[], vt_metadata_cases[], vt_query_cases[];
extern const size_t vt_compute_count, vt_transfer_count, vt_sync_count, vt_subgroup_count, vt_draw_count, vt_image_count, vt_storage_count, vt_sampling_count,
    vt_descriptor_count, vt_render_count, vt_raster_count, vt_depth_count, vt_blend_count, vt_msaa_count, vt_metadata_count, vt_query_count;

extern const struct vt_case vt_texture_cases[], vt_extension_cases[], vt_extension_compute_cases[], vt_dynamic_cases[], vt_meta_cases[], vt_ycbcr_cases[], vt_xfb_cases[], vt_host_cases[],
    vt_share_cases[], vt_shader_cases[], vt_state_cases[], vt_look_cases[], vt_branch_cases[], vt_large_copy_cases[], vt_newer_cases[], vt_contents_cases[], vt_hidden_cases[], vt_subpass_cases[], vt_subpass_self_cases[], vt_geometry_cases[], vt_tessellation_cases[], vt_tessellation_stage_cases[], vt_queue_cases[], vt_queue_copy_cases[],
    vt_mesh_cases[];
extern const size_t vt_texture_count, vt_extension_count, vt_extension_compute_count, vt_dynamic_count, vt_meta_count, vt_ycbcr_count, vt_xfb_count, vt_host_count,
    vt_share_count, vt_shader_count, vt_state_count, vt_look_count, vt_branch_count, vt_large_copy_count, vt_newer_count, vt_contents_count, vt_hidden_count, vt_subpass_count, vt_subpass_self_count, vt_geometry_count, vt_tessellation_count, vt_tessellation_stage_count, vt_queue_count, vt_queue_copy_count,
    vt_mesh_count;

extern const struct vt_case vt_sparse_cases[], vt_sparse_image_cases[], vt_sparse_residency_cases[];
extern const size_t vt_sparse_count, vt_sparse_image_count, vt_sparse_residency_count;

extern const struct vt_case vt_db_cases[], vt_db_data_cases[], vt_db_command_cases[], vt_db_draw_cases[],
    vt_db_more_cases[];
extern const size_t vt_db_count, vt_db_data_count, vt_db_command_count, vt_db_draw_count, vt_db_more_count;

extern const struct vt_case vt_rays_cases[];
extern const size_t vt_rays_count;

extern const struct vt_case vt_rays_build_cases[], vt_rays_change_cases[];
extern const size_t vt_rays_build_count, vt_rays_change_count;

extern const struct vt_case vt_blit_layers_cases[], vt_pressure_cases[];
extern const size_t vt_blit_layers_count, vt_pressure_count;

extern const struct vt_case vt_position_cases[];
extern const size_t vt_position_count;

extern const struct vt_case vt_perf_cases[];
extern const size_t vt_perf_count;

extern const struct vt_case vt_area_cases[];
extern const size_t vt_area_count;

extern const struct vt_case vt_streams_cases[];
extern const size_t vt_streams_count;

extern const struct vt_case vt_host_copy_cases[];
extern const size_t vt_host_copy_count;

extern const struct vt_case vt_ray_query_cases[];
extern const size_t vt_ray_query_count;

extern const struct vt_case vt_ray_call_cases[], vt_ray_pipeline_cases[], vt_ray_table_cases[];
extern const size_t vt_ray_call_count, vt_ray_pipeline_count, vt_ray_table_count;

extern const struct vt_case vt_bound_cases[], vt_task_cases[], vt_mesh_query_cases[], vt_mesh_view_cases[];
extern const size_t vt_bound_count, vt_task_count, vt_mesh_query_count, vt_mesh_view_count;

const struct vt_case *vt_library_list(size_t *count_out);

extern const struct vt_case vt_local_read_cases[];
extern const size_t vt_local_read_count;

extern const struct vt_case vt_barycentric_cases[];
extern const size_t vt_barycentric_count;

extern const struct vt_case vt_shading_rate_cases[], vt_shading_rate_cover_cases[], vt_shading_rate_state_cases[];
extern const size_t vt_shading_rate_count, vt_shading_rate_cover_count, vt_shading_rate_state_count;

extern const struct vt_case vt_shader_object_cases[], vt_shader_object_compute[], vt_shader_object_feedback[],
    vt_shader_object_scenes[], vt_shader_object_stages[];
extern const size_t vt_shader_object_count, vt_shader_object_compute_count, vt_shader_object_feedback_count,
    vt_shader_object_scene_count, vt_shader_object_stage_count;

/* Opens the first device. What the validation layers say with one of these severities becomes the message of the
 * running case; 0: without the layers. */
void vt_open(struct vt *vt, VkDebugUtilsMessageSeverityFlagsEXT listen);
void vt_write_code(struct vt *vt, VkPipeline pipeline); /* vt_code.c: to files of code_prefix */

/* End the case. */
_Noreturn void vt_fail(struct vt *vt, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void vt_skip(struct vt *vt, const char *reason);

#define VT_CHECK(vt, call)                                                                                             \
    do {                                                                                                               \
        VkResult result_ = (call);                                                                                     \
        if (result_ != VK_SUCCESS)                                                                                     \
            vt_fail(vt, "%s: VkResult %d", #call, result_);                                                            \
    } while (0)

/* ---- resources: all are freed when the case ends ---- */

struct vt_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_B;
    void *map; /* NULL for device-local memory that the host does not see */
    VkDeviceAddress address;
};

/* A buffer with every usage that the cases need, in memory that the host sees; filled with `data`, or with zeros if
 * that is NULL. */
struct vt_buffer vt_buffer(struct vt *vt, VkDeviceSize size_B, const void *data);

/* A buffer in device-local memory, without a map where the device keeps such memory apart; its contents are
   undefined. */
struct vt_buffer vt_local_buffer(struct vt *vt, VkDeviceSize size_B);

/* The first with more usages. */
struct vt_buffer vt_buffer_of_usage(struct vt *vt, VkDeviceSize size_B, VkBufferUsageFlags more);

struct vt_spirv {
    const uint32_t *words;
    size_t size_B;
};
#define VT_SPIRV(name) ((struct vt_spirv){name, sizeof(name)})

/* Of compute_cases.c: an array of push constants; every built-in id of a dispatch. */
extern const struct vt_spirv vt_push_comp, vt_ids_comp;

struct vt_compute {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSetLayout set_layout;
};

/* A compute pipeline with `buffers` storage buffers at set 0, bindings 0 and up, and 128 bytes of push constants. */
struct vt_compute vt_compute(struct vt *vt, struct vt_spirv code, uint32_t buffers, const VkSpecializationInfo *specialization);

/* A set with these storage buffers. */
VkDescriptorSet vt_storage_set(struct vt *vt, VkDescriptorSetLayout layout, const struct vt_buffer *const *buffers, uint32_t count);

/* ---- recording ---- */

VkCommandBuffer vt_begin(struct vt *vt);
void vt_submit(struct vt *vt, VkCommandBuffer commands); /* ends, submits and waits */

/* Everything before is visible to everything after, the host included. */
void vt_full_barrier(VkCommandBuffer commands);

/* Run a pipeline of vt_compute on buffers, from nothing to the end. */
void vt_run_compute(struct vt *vt, struct vt_spirv code, const struct vt_buffer *const *buffers, uint32_t count, const void *push, uint32_t push_B,
                    uint32_t x, uint32_t y, uint32_t z);

/* ---- expectations ---- */

/* Compare words; fails with the first difference. */
void vt_expect_words(struct vt *vt, const uint32_t *got, const uint32_t *expected, size_t count, const char *what);

/* A stream of numbers that is the same everywhere. */
uint32_t vt_random(uint64_t *state);

/* At the end of a case. */
void vt_free_resources(struct vt *vt);

/* count queries; statistics are 0 but for those of pipelines. */
VkQueryPool vt_query_pool(struct vt *vt, VkQueryType type, uint32_t count, VkQueryPipelineStatisticFlags statistics);

/* A command of an extension. */
#define VT_LOAD(vt, name) ((PFN_vk##name)(void *)vkGetDeviceProcAddr((vt)->device, "vk" #name))

/* Let a resource that a case made itself be destroyed with it. */
void vt_defer(struct vt *vt, void (*destroy)(struct vt *vt, uint64_t handle), uint64_t handle);
void vt_destroy_set_layout(struct vt *vt, uint64_t handle);
void vt_destroy_set_pool(struct vt *vt, uint64_t handle);
void vt_destroy_layout(struct vt *vt, uint64_t handle);
void vt_destroy_pipeline(struct vt *vt, uint64_t handle);
void vt_destroy_module(struct vt *vt, uint64_t handle);

#endif
