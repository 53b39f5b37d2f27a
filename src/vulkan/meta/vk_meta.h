/* Meta operations: copies between images and memory, blits, clears and resolves, made of dispatches and of rectangles
 * that are drawn. This room chooses the operation, walks regions, layers and aspects, reinterprets formats, writes the
 * shaders as IR and keeps what was compiled by a key. A family gives struct vk_meta_ops: how descriptors are written,
 * how a dispatch and a draw are recorded, what of the application's state must come back, and hooks for what its
 * hardware does better.
 *
 *     vkCmdCopyImage2 ─▶ regions, aspects ─▶ ops->copy_image ─ true ─▶ done by the family
 *                                                 │ false
 *                                                 ▼
 *                               shader by key ─▶ ops->dispatch
 *
 * The commands are in vk_meta_device_entrypoints, which a driver names in struct vk_driver; its own functions come
 * first. Not for: changes of layout and metadata, which are the family's (they may use vk_meta_shader). */
#ifndef VULKAN_META_VK_META_H
#define VULKAN_META_VK_META_H

#include <pthread.h>
#include <stdbool.h>

#include "util/map.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"

struct ir_builder;
struct ir_shader;
struct ir_value;
struct vk_attachment;
struct vk_graphics_pipeline;
struct vk_image;
struct vk_image_view;
struct vk_pipeline;
struct vk_rendering;
struct vk_sampler;
struct vk_shader;

/* ---- what a shader is given ---- */

/* All shaders see one set with this many bindings of one descriptor each, and the first bytes of the push constants. */
#define VK_META_BINDINGS 4
#define VK_META_PUSH_B 128

/* One level of an image, as a shader reads or writes it or as it is drawn into. */
struct vk_meta_view {
    struct vk_image *image;
    VkImageAspectFlags aspects;
    VkFormat format; /* any with elements of the same size, whatever the image was created with */
    VkImageViewType type;
    uint32_t level, first_layer, layers;
};

/* The create info for a family whose views are made of such. */
VkImageViewCreateInfo vk_meta_view_info(const struct vk_meta_view *view);

enum vk_meta_binding_kind {
    VK_META_SAMPLED_IMAGE, /* for `tex`, as an application's: compressed texels are decompressed on the way */
    VK_META_LOADED_IMAGE,  /* for image loads alone, decompressed in the same way */
    VK_META_STORAGE_IMAGE, /* for loads and stores of the bytes that are in memory: no metadata is read or written */
    VK_META_SAMPLE_MAP,    /* struct vk_meta_sample_map_ops */
    VK_META_SAMPLER,
};

struct vk_meta_binding {
    enum vk_meta_binding_kind kind;
    union {
        struct vk_meta_view view;
        const struct vk_sampler *sampler;
    };
};

/* ---- what is drawn ---- */

/* A rectangle in some layers of the targets. */
struct vk_meta_rectangle {
    VkRect2D rect;
    uint32_t first_layer, layers;
    bool predicated; /* as the application's draws are */
};

/* Room for what a family must put back after draws. */
#define VK_META_SAVED_B 8192
struct vk_meta_saved {
    _Alignas(16) uint8_t bytes[VK_META_SAVED_B];
};

/* ---- what is copied ---- */

/* The shape of an image in a shader. */
enum vk_meta_shape {
    VK_META_1D,
    VK_META_2D,
    VK_META_3D,
    VK_META_MS
};

/* One aspect and level of an image from an element on. An element is a texel, or a block of compressed ones. */
struct vk_meta_side {
    struct vk_image *image;
    VkImageAspectFlagBits aspect;
    uint32_t level;
    VkImageLayout layout;
    enum vk_meta_shape shape;
    uint32_t element_B;
    uint32_t first[3];    /* z: a layer or slice */
    VkFormat read_format; /* ops->read_format's answer of a side that is read, else VK_FORMAT_UNDEFINED */
};

/* Elements of an image to or from memory. */
struct vk_meta_memory_copy {
    struct vk_meta_side image;
    uint32_t extent[3]; /* elements; z: layers or slices */
    uint64_t va;
    uint32_t row, slice; /* elements from one to the next */
    bool to_image;
};

struct vk_meta_image_copy {
    struct vk_meta_side src, dst; /* with elements of the same size and as many samples */
    uint32_t extent[3];           /* elements; z: layers or slices */
};

/* All texels of a level become the same. */
struct vk_meta_fill {
    struct vk_image *image;
    VkImageLayout layout;
    uint32_t level, first_layer;
    uint32_t extent[3]; /* z: layers or slices */
    uint32_t element_B;
    uint32_t words[4]; /* of an element */
};

/* ---- what a family gives ---- */

/* Facts that a compiler must know besides the IR. */
struct vk_meta_shader_info {
    bool writes_target; /* a fragment shader that writes a colour: */
    uint32_t target;    /* the target's number */
    uint32_t target_traits;
};

/* For hardware that keeps the samples of a pixel in any order: a map says where each is. All three or none. */
struct vk_meta_sample_map_ops {
    /* Whether the map must be looked at where an attachment of colour is read in a layout. */
    bool (*is_used)(const struct vk_command_buffer *cmd, const struct vk_image *image, VkImageLayout layout);
    /* In a shader: the map's word for a pixel (x, y, layer), of a binding of VK_META_SAMPLE_MAP. 0: all samples are the
     * first one. */
    struct ir_value *(*fetch)(struct ir_builder *b, uint32_t binding, struct ir_value *const at[3]);
    /* Which sample of the image to read for one of the pixel's. */
    struct ir_value *(*place)(struct ir_builder *b, struct ir_value *word, uint32_t sample);
};

/* Recording functions keep their first error in the command buffer (vk_command_buffer_set_error) and may be called
 * after one. Pointers are valid during the call. */
struct vk_meta_ops {
    /* Compiles a shader of this room or of the family's own that vk_meta_shader asks for. The IR stays the caller's. On
     * success *shader_out is one reference. Any thread, one at a time for a device. */
    VkResult (*compile)(struct vk_device *device, struct ir_shader *ir, const struct vk_meta_shader_info *info,
                        struct vk_shader **shader_out);
    /* All that compiled code depends on of the format of the target that it writes, in VK_META_TRAIT_BITS bits: formats
     * with the same traits share a pipeline. NULL: it does not depend on the format. */
    uint32_t (*target_traits)(VkFormat format);
    /* The number by which a shader writes the attachment while commands have moved outputs. NULL: its own. */
    uint32_t (*target_slot)(const struct vk_command_buffer *cmd, uint32_t attachment);
    /* A topology that draws the rectangle between three of its corners, as a number for vk_dynamic_graphics_state's,
     * for hardware that has one. VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST: a triangle is drawn whose half is the rectangle,
     * and the scissor cuts it. */
    uint32_t rectangle_topology;

    /* Whether rectangles can be drawn into targets of this format: on this queue at all, and with this format. Depth
     * and stencil formats are not asked for. */
    bool (*can_draw)(const struct vk_command_buffer *cmd, VkFormat format);

    /* Workgroups of a compute shader with bindings and push constants of their own. What the application has bound
     * comes back; its predicate and queries do not see the dispatch. Waits for nothing. */
    void (*dispatch)(struct vk_command_buffer *cmd, const struct vk_shader *shader,
                     const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                     const uint32_t groups[3]);

    /* Around draws: everything that the four functions below change, and the command buffer's dynamic_state and
     * rendering, are kept in `saved` and come back. In between the room writes dynamic_state; layers are counted by
     * instances and not by views; queries do not count, and no predicate is looked at but for rectangles that say so.
     */
    void (*draw_begin)(struct vk_command_buffer *cmd, struct vk_meta_saved *saved);
    void (*draw_end)(struct vk_command_buffer *cmd, const struct vk_meta_saved *saved);
    /* The only target from now on, instead of those of the rendering: a colour, or depth and stencil as far as the
     * view's aspects say. What the family makes of the view it keeps in `saved`, until the next call or draw_end. */
    void (*set_target)(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, const struct vk_meta_view *view,
                       VkImageLayout layout);
    /* The bindings of the next draws. */
    void (*bind)(struct vk_command_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count);
    /* Three vertices and `layers` instances from `first_layer` on, with the pipeline's vertex and fragment shaders and
     * all of the state in dynamic_state; its viewport and scissor are the rectangle. */
    void (*draw)(struct vk_command_buffer *cmd, struct vk_graphics_pipeline *pipeline,
                 const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B);

    /* Between what the room records: memory written by the first accesses is seen by the second ones. As a barrier of
     * the application on the image (NULL: on all memory), without a change of layout. */
    void (*barrier)(struct vk_command_buffer *cmd, const struct vk_image *image, VkPipelineStageFlags2 src_stages,
                    VkAccessFlags2 src_access, VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access);

    /* ---- hooks, each of which may be NULL ---- */

    /* The format in which the bits of a level must be loaded, channel by channel, because it may be compressed in this
     * layout and the compression depends on the format. VK_FORMAT_UNDEFINED: it is plain. */
    VkFormat (*read_format)(const struct vk_command_buffer *cmd, const struct vk_image *image, uint32_t level,
                            VkImageLayout layout);

    /* True: the family has recorded it. False: nothing has been recorded, and this room does it. */
    bool (*copy_memory)(struct vk_command_buffer *cmd, const struct vk_meta_memory_copy *copy);
    bool (*copy_image)(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *copy);
    bool (*fill_image)(struct vk_command_buffer *cmd, const struct vk_meta_fill *fill);
    /* A clear of an attachment of vk_command_buffer::rendering; its aspects are present. With a view mask the layers
     * are those of its bits, whatever the rectangle says. */
    bool (*clear_attachment)(struct vk_command_buffer *cmd, const VkClearAttachment *clear,
                             const struct vk_meta_rectangle *rectangle, uint32_t view_mask);
    /* A resolve of a colour that `rendering` ends with, between draw_begin and draw_end; its writes are seen as those
     * of the room's draws are. */
    bool (*resolve_attachment)(struct vk_command_buffer *cmd, const struct vk_attachment *attachment,
                               const struct vk_rendering *rendering);

    const struct vk_meta_sample_map_ops *sample_map;
};

/* ---- for a device ---- */

/* vk_device::meta: shaders and pipelines by key. */
struct vk_meta {
    const struct vk_meta_ops *ops;
    pthread_mutex_t lock;
    struct map64 shaders;   /* struct vk_shader */
    struct map64 pipelines; /* struct vk_graphics_pipeline */
};

VkResult vk_meta_init(struct vk_device *device, const struct vk_meta_ops *ops);
void vk_meta_finish(struct vk_device *device); /* of a device whose init failed, too */

/* ---- for a family's renderings ---- */

/* The load operations of a rendering that is set (vk_command_buffer::rendering), and its resolves at its end. */
void vk_meta_clear_rendering(struct vk_command_buffer *cmd, const VkRenderingInfo *info);
void vk_meta_resolve_rendering(struct vk_command_buffer *cmd);

/* For copy_image of a family whose shaders cannot store to images of several samples: the copy is drawn. */
void vk_meta_copy_samples(struct vk_command_buffer *cmd, const struct vk_meta_image_copy *copy);

/* For set_target: the rendering of a view alone, which the family has made an image view of, with its layers. */
struct vk_meta_target {
    VkRenderingAttachmentInfo attachment;
    VkRenderingInfo info;
};
void vk_meta_target_init(struct vk_meta_target *target, const struct vk_meta_view *view,
                         const struct vk_image_view *image_view, uint32_t layers, VkImageLayout layout);

/* ---- for a family's own operations ---- */

/* A key's top byte; the rest says which shader of the operation's it is. */
enum vk_meta_operation {
    VK_META_COPY_TO_IMAGE = 1,
    VK_META_COPY_FROM_IMAGE,
    VK_META_COPY_IMAGE,
    VK_META_FILL_IMAGE,
    VK_META_BLIT,
    VK_META_RESOLVE,
    VK_META_RECTANGLE, /* the vertex shader of all draws */
    VK_META_CLEAR,
    VK_META_COPY_SAMPLES,
    VK_META_SORT_BLOCKS, /* vk_meta_sort.c */
    VK_META_SORT_MERGE,
    VK_META_FAMILY = 0x80, /* from here on the family's */
};
#define VK_META_KEY(operation, rest) ((uint64_t)(operation) << 56 | (rest))

/* Writes the body of a shader; of a compute shader it sets the workgroup size, too (vk_meta_build.h). */
typedef void (*vk_meta_build_fn)(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops);

/* The compute shader of a key, made where it is not there yet; NULL, with the command buffer's error set, where it
 * cannot be made. It lives as long as the device. */
const struct vk_shader *vk_meta_shader(struct vk_command_buffer *cmd, uint64_t key, vk_meta_build_fn build_fn);

/* Starts it; nothing, where there is no shader or no workgroup. */
void vk_meta_dispatch(struct vk_command_buffer *cmd, const struct vk_shader *shader,
                      const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                      const uint32_t groups[3]);

enum vk_meta_shape vk_meta_shape(const struct vk_image *image);
VkImageViewType vk_meta_view_type(enum vk_meta_shape shape); /* with all layers */

/* A format of unsigned integers with elements of `element_B` bytes (1, 2, 4, 8, 12, 16), for copies of bits. */
VkFormat vk_meta_raw_format(uint32_t element_B);

/* The texel that a clear writes, in the format's bits. False for formats without a codec. `words_out` holds the block's
 * bytes, the rest is zero. */
bool vk_meta_pack_color(VkFormat format, const VkClearColorValue *value, uint32_t words_out[4]);

/* ---- draws ----
 *
 *     struct vk_meta_saved saved;
 *     vk_meta_draw_begin(cmd, &saved);
 *     … vk_meta_set_target, if not those of the rendering; vk_meta_bind; cmd->rec->dynamic_state …
 *     vk_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
 *     vk_meta_draw_end(cmd, &saved);
 *
 * The depth of a rectangle is word 0 of the push constants. */
void vk_meta_draw_begin(struct vk_command_buffer *cmd, struct vk_meta_saved *saved);
void vk_meta_draw_end(struct vk_command_buffer *cmd, const struct vk_meta_saved *saved);

/* Bits 32 to 55 of a pipeline's key: the target that it writes. `build_fn` makes the fragment shader. */
#define VK_META_TRAIT_BITS 20
uint64_t vk_meta_target_key(const struct vk_meta_ops *ops, VkFormat format, uint32_t target);
static inline uint32_t vk_meta_key_target(uint64_t key)
{
    return key >> 32 & 7;
}
/* NULL, with the command buffer's error set, where it cannot be made. */
struct vk_graphics_pipeline *vk_meta_pipeline(struct vk_command_buffer *cmd, uint64_t key, vk_meta_build_fn build_fn);

/* A level of an image in its own format, with the layers from one on. */
struct vk_meta_view vk_meta_view(struct vk_image *image, VkImageAspectFlags aspects, uint32_t level,
                                 uint32_t first_layer);
/* The part of an image that a view shows. */
struct vk_meta_view vk_meta_view_of(const struct vk_image_view *view, VkImageAspectFlags aspects);

void vk_meta_set_target(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, const struct vk_meta_view *view,
                        VkImageLayout layout);
/* Depth and stencil are written: no tests. */
void vk_meta_depth_state(struct vk_command_buffer *cmd, VkImageAspectFlags aspects, uint32_t stencil);
void vk_meta_bind(struct vk_command_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count);
void vk_meta_draw(struct vk_command_buffer *cmd, struct vk_graphics_pipeline *pipeline,
                  const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B);

/* ---- between the files of this room ---- */

/* The shader of a key. The lock is held. */
VkResult vk_meta_get_shader(struct vk_device *device, uint32_t stage, const struct vk_meta_shader_info *info,
                            uint64_t key, vk_meta_build_fn build_fn, struct vk_shader **shader_out);
void vk_meta_destroy_pipeline(struct vk_device *device, struct vk_graphics_pipeline *pipeline);

static inline const struct vk_meta_ops *vk_meta_ops_of(const struct vk_command_buffer *cmd)
{
    return cmd->base.device->meta->ops;
}

#endif
