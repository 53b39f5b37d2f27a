/* VkRenderPass, fully in the runtime: a render pass is a plan, made once at its creation, of dynamic renderings and of
 * the barriers between them. Recording one calls the driver's CmdBeginRendering, CmdEndRendering and
 * CmdPipelineBarrier2 through the device's table, and vk_device::next_subpass where subpasses are joined.
 *
 * A subpass's dependency on itself needs nothing here: the application records its barrier inside the rendering, and a
 * driver must take vkCmdPipelineBarrier2 there. */
#ifndef VULKAN_RUNTIME_VK_RENDER_PASS_H
#define VULKAN_RUNTIME_VK_RENDER_PASS_H

#include "vulkan/runtime/object/vk_object.h"

struct vk_command_buffer;
struct vk_rendering_formats; /* vk_graphics_state.h */

struct vk_pass_attachment {
    VkFormat format;
    VkImageAspectFlags aspects; /* of the format */
    VkSampleCountFlagBits samples;
    VkAttachmentDescriptionFlags flags;
    VkAttachmentLoadOp load_op, stencil_load_op;
    VkAttachmentStoreOp store_op, stencil_store_op;
    /* The stencil layouts equal the others where the application did not distinguish them, and may then be a combined
     * layout such as VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL. So everywhere in this file. */
    VkImageLayout initial_layout, initial_stencil_layout;
    VkImageLayout final_layout, final_stencil_layout;
};

/* An attachment in its role in one subpass, with the operations of this subpass and not those of the whole pass: what
 * an earlier subpass wrote is loaded, what a later one reads is stored. */
struct vk_subpass_attachment {
    uint32_t index;             /* in vk_render_pass::attachments, or VK_ATTACHMENT_UNUSED */
    VkImageAspectFlags aspects; /* an input attachment's are those that shaders may read */
    VkImageLayout layout, stencil_layout;
    VkAttachmentLoadOp load_op, stencil_load_op;
    VkAttachmentStoreOp store_op, stencil_store_op;
};

/* The old layout is what the attachment's last use left. */
struct vk_pass_transition {
    uint32_t attachment;
    VkImageAspectFlags aspects;
    VkImageLayout old_layout, new_layout;
    uint32_t last_subpass; /* that used the attachment; VK_SUBPASS_EXTERNAL: none did */
};

/* The barrier before a subpass or after the last one: all dependencies together, implicit ones too, and the layouts
 * that change. Without stages and transitions there is no barrier. */
struct vk_pass_barrier {
    VkPipelineStageFlags2 src_stages, dst_stages;
    VkAccessFlags2 src_access, dst_access;
    bool is_global; /* a dependency of the application is among them, which holds for all memory */
    const struct vk_pass_transition *transitions;
    uint32_t transition_count;
};

/* A clear that no load operation of the subpass's rendering can do: of an attachment that is only read, or of views
 * that are used for the first time beside others that are not. */
struct vk_subpass_clear {
    uint32_t attachment;
    VkImageAspectFlags aspects;
    uint32_t view_mask; /* 0 without multiview */
    VkImageLayout layout, stencil_layout;
};

/* An attachment that joined subpasses draw into, with the operations of all of them together. */
struct vk_joined_reference {
    struct vk_subpass_attachment own, resolve;
    VkResolveModeFlagBits depth_mode, stencil_mode; /* of a resolve */
};

struct vk_subpass {
    uint64_t serial; /* of all that the process has ever had; not 0 */
    VkSubpassDescriptionFlags flags;
    uint32_t view_mask; /* 0 without multiview */
    uint32_t color_count, input_count;
    const struct vk_subpass_attachment *colors, *color_resolves /* as many as colors */, *inputs;
    struct vk_subpass_attachment depth_stencil, depth_stencil_resolve;
    VkResolveModeFlagBits depth_resolve_mode, stencil_resolve_mode;
    struct vk_subpass_attachment shading_rate;
    VkExtent2D shading_rate_texel;
    VkSampleCountFlagBits samples;    /* of colour and depth; 0 without any attachment: the pipeline's own */
    VkImageAspectFlags feedback_loop; /* attachments that shaders may read while they are written */
    const VkFormat *color_formats;    /* VK_FORMAT_UNDEFINED for an unused attachment */
    VkFormat depth_format, stencil_format;

    /* It goes on with the rendering of the subpass before it; what of that one it waits for is `within`. */
    bool is_joined;
    struct vk_pass_barrier within;
    /* Of the first of joined subpasses: all that they draw into. 0: no subpass is joined to it. */
    const struct vk_joined_reference *joined;
    uint32_t joined_count;

    /* Of a joined subpass: before the rendering that it goes on with. */
    struct vk_pass_barrier before;
    const struct vk_subpass_clear *clears; /* between the barrier and the rendering */
    uint32_t clear_count;
};

struct vk_render_pass {
    struct vk_object_base base;
    VkRenderPassCreateFlags flags;
    uint32_t attachment_count;
    const struct vk_pass_attachment *attachments;
    uint32_t subpass_count;
    const struct vk_subpass *subpasses;
    uint32_t view_mask; /* of all subpasses */
    struct vk_pass_barrier after;
};

VK_DEFINE_CASTS(vk_render_pass, VkRenderPass)

/* ---- joined subpasses ----
 *
 * A family that keeps attachments on the chip while it draws sets vk_device::max_joined_colors: subpasses that hand
 * nothing but pixels to each other are then one rendering. Its vkCmdBeginRendering finds this in the chain: all
 * attachments that the subpasses draw into, which are loaded or cleared when the rendering begins and stored and
 * resolved when it ends. VkRenderingInfo's own attachments are those of the first subpass, and some of these.
 * vk_device::next_subpass names those of the next one, and what has to be waited for: writes to the same pixels
 * alone. */
#define VK_STRUCTURE_TYPE_JOINED_RENDERING ((VkStructureType)0x7ff00001) /* above all registered ones */
struct vk_joined_attachment {
    VkImageAspectFlags aspects;              /* of the format */
    VkRenderingAttachmentInfo info, stencil; /* of colour or depth, and of stencil */
};
struct vk_joined_rendering {
    VkStructureType sType;
    const void *pNext;
    uint32_t count;
    const struct vk_joined_attachment *attachments;
};

/* The input attachments of each joined subpass, by number: in the chain of vkCmdBeginRendering's and next_subpass's
 * information. VK_NULL_HANDLE: unused. */
#define VK_STRUCTURE_TYPE_SUBPASS_INPUTS ((VkStructureType)0x7ff00002)
struct vk_subpass_inputs {
    VkStructureType sType;
    const void *pNext;
    uint32_t count;
    const VkImageView *views;
};

/* For vk_render_pass.c: joins what can be joined of a finished plan; `references` has room for all references of it. */
void vk_render_pass_join(struct vk_render_pass *pass, const VkRenderPassCreateInfo2 *info, uint32_t max_colors,
                         struct vk_joined_reference *references);

/* The facts about a subpass's attachments that its pipelines must know. */
void vk_render_pass_formats(const struct vk_render_pass *pass, uint32_t subpass,
                            struct vk_rendering_formats *formats_out);

/* For vkBeginCommandBuffer: what a secondary command buffer that continues a rendering inherits, from a
 * render pass or from the chain. NULL where it continues none. `storage` must outlive the answer. */
const VkCommandBufferInheritanceRenderingInfo *
vk_inheritance_rendering_info(VkCommandBufferLevel level, const VkCommandBufferBeginInfo *info,
                              VkCommandBufferInheritanceRenderingInfo *storage);

/* The subpass that a secondary command buffer continues. NULL where it continues none of a render pass. */
const struct vk_subpass *vk_inheritance_subpass(VkCommandBufferLevel level, const VkCommandBufferBeginInfo *info);

/* vk_subpass::feedback_loop of the subpass that a secondary command buffer continues; 0 where it continues none. */
VkImageAspectFlags vk_inheritance_feedback_loop(VkCommandBufferLevel level, const VkCommandBufferBeginInfo *info);

/* The layout that `layout` means for one aspect, depth or stencil, of an image that has both. */
VkImageLayout vk_image_layout_of_aspect(VkImageLayout layout, VkImageAspectFlagBits aspect);

/* The render pass that is being recorded: vk_command_buffer::pass, made by the first vkCmdBeginRenderPass of a command
 * buffer and kept for the next. */
struct vk_pass_instance;

/* For the command buffer's reset and end of life. NULL is allowed. */
void vk_pass_instance_destroy(struct vk_command_buffer *command_buffer);

#endif
