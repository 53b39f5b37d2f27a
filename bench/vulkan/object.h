/* A small lit triangle with a descriptor set, push constants and two pipelines: what the scenes of recording and of
 * pipeline creation draw. Its draws are counted by an occlusion query, so that a recording that lost one is found.
 * Not for: executed work (graphics.c). */
#ifndef BENCH_VULKAN_OBJECT_H
#define BENCH_VULKAN_OBJECT_H

#include "draw.h"

#define OBJECT_QUERIES 1000 /* as many as there are secondary command buffers */

struct object {
    struct draw_target target;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet sets[2];
    struct draw_pipeline_info info;
    struct draw_pipeline pipelines[2]; /* with the same layout */
    struct bench_buffer vertices;
    VkCommandPool pool; /* of what is recorded again and again */
    VkCommandBuffer commands;
    VkQueryPool queries; /* OBJECT_QUERIES of them; the first is around the pass where that has no secondary buffers */
};

extern struct object object; /* of the scene; a process has one */

void object_make(struct bench *b);

/* Begin object.commands: the pass, the query, and what the first draw needs. */
void object_begin(struct bench *b, VkSubpassContents contents);
void object_end(struct bench *b);

/* Commands that can stand between two draws; i is the number of the draw. */
void object_bind_set(VkCommandBuffer commands, uint32_t i);
void object_bind_pipeline(VkCommandBuffer commands, uint32_t i);
void object_push(VkCommandBuffer commands, uint32_t i);
/* All of it. */
void object_bind_all(VkCommandBuffer commands);

/* Submits the recording. Is the triangle there and lit, and do so many queries count so many draws in all? */
bool object_check(struct bench *b, uint32_t draws, uint32_t queries);

#endif
