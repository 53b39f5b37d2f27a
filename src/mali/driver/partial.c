/* Rendering in parts: when the heap of the tiler is exhausted, the fragment subqueue, which waits for the bins, renders
 * what they hold so far and gives the chunks back. The stream that does so is the queue's, and finds in memory what to
 * render, for each tiler context of the pass:
 *
 *   the first part     loads and clears as the pass says, and stores everything
 *   all further ones   load what the part before has stored
 *
 * The frames of the pass itself are then of the second kind, too. A context that holds no chunk is left alone: a pass
 * of many layers has many of them, and one that is exhausted at each would render all layers every time. */
#include <stddef.h>

#include "mali/driver/cmd.h"
#include "mali/driver/stream_flow.h"
#include "mali/hw/regs_fragment.h"

#define CONTEXT_B (4u * MALI_DESC_TILER_CONTEXT_DW)
#define COMPLETED_B 40 /* of the ends of a context's list of chunks: two addresses */

/* Scratch registers of the handler: the first ones are the wait's that it interrupts. */
enum {
    PLAN = 4, /* a pair */
    TILERS = 6,
    FRAMES = 7,
    ENTRY = 8,    /* a pair: of the plan */
    TILER = 10,   /* a pair */
    CHUNKS = 12,  /* two pairs */
    NEXT = 12,    /* two pairs */
    NOTHING = 16, /* a pair */
};

/* ---- the handler ---- */

static void begin_tilers(struct mali_stream *s)
{
    mali_put_load64(s, mali_scratch_pair(TILER), mali_scratch_pair(PLAN), offsetof(struct mali_plan, tilers_va));
    mali_put_load32(s, mali_scratch(TILERS), mali_scratch_pair(PLAN), offsetof(struct mali_plan, tilers));
}

static void go_to_next_tiler(struct mali_stream *s)
{
    mali_put_add64(s, mali_scratch_pair(TILER), mali_scratch_pair(TILER), (int32_t)CONTEXT_B);
    mali_put_add32(s, mali_scratch(TILERS), mali_scratch(TILERS), -1);
}

/* All frames of a context; the next part of them is of another kind, and so is their end. */
static void render_frames(struct mali_stream *s)
{
    const struct mali_d frame = mali_d(MALI_SR(FRAGMENT_FBD)), entry = mali_scratch_pair(ENTRY);
    struct mali_block has_frames, frames;
    mali_put_load32(s, mali_scratch(FRAMES), entry, offsetof(struct mali_plan_tiler, frames));
    mali_if_begin(s, &has_frames, MALI_CS_CONDITION_GREATER, mali_scratch(FRAMES));
    mali_put_load64(s, frame, entry, offsetof(struct mali_plan_tiler, part));
    mali_put_load(s, mali_scratch(NEXT), 0xf, entry, offsetof(struct mali_plan_tiler, next));
    mali_put_store(s, mali_scratch(NEXT), 0xf, entry, offsetof(struct mali_plan_tiler, part));
    mali_loop_begin(s, &frames);
    mali_put_run_fragment(s, MALI_TILE_RENDER_ORDER_Z_ORDER);
    mali_put_add64(s, frame, frame, MALI_FRAME_STRIDE_B);
    mali_put_add32(s, mali_scratch(FRAMES), mali_scratch(FRAMES), -1);
    mali_loop_end(s, &frames, MALI_CS_CONDITION_GREATER, mali_scratch(FRAMES));
    mali_if_end(s, &has_frames);
}

/* The low half of a link to a chunk has its size: none is zero. */
static void render_partly(struct mali_stream *s)
{
    struct mali_block tilers, has_chunks;
    mali_put_load64(s, mali_d(MALI_SR(FRAGMENT_BOX)), mali_scratch_pair(PLAN), offsetof(struct mali_plan, box));
    mali_put_add64(s, mali_scratch_pair(ENTRY), mali_scratch_pair(PLAN), offsetof(struct mali_plan, of));
    begin_tilers(s);
    mali_put_resources(s, (struct mali_resources){.has_fragment = true});
    mali_loop_begin(s, &tilers);
    mali_put_load64(s, mali_scratch_pair(CHUNKS), mali_scratch_pair(TILER), COMPLETED_B);
    mali_if_begin(s, &has_chunks, MALI_CS_CONDITION_NEQUAL, mali_scratch(CHUNKS));
    render_frames(s);
    mali_if_end(s, &has_chunks);
    mali_put_add64(s, mali_scratch_pair(ENTRY), mali_scratch_pair(ENTRY), sizeof(struct mali_plan_tiler));
    go_to_next_tiler(s);
    mali_loop_end(s, &tilers, MALI_CS_CONDITION_GREATER, mali_scratch(TILERS));
    mali_put_resources(s, (struct mali_resources){0});
    mali_put_wait(s, MALI_WORK_SLOTS);
}

/* The contexts are empty again. */
static void return_chunks(struct mali_stream *s)
{
    struct mali_block tilers;
    begin_tilers(s);
    mali_loop_begin(s, &tilers);
    mali_put_load(s, mali_scratch(CHUNKS), 0xf, mali_scratch_pair(TILER), COMPLETED_B);
    mali_put_finish_fragment(s, mali_scratch_pair(CHUNKS), mali_scratch_pair(CHUNKS + 2), false, MALI_NOW);
    mali_set64(s, mali_scratch_pair(NOTHING), 0);
    mali_put_store64(s, mali_scratch_pair(NOTHING), mali_scratch_pair(TILER), 0);
    mali_put_store64(s, mali_scratch_pair(NOTHING), mali_scratch_pair(TILER), COMPLETED_B);
    mali_put_store64(s, mali_scratch_pair(NOTHING), mali_scratch_pair(TILER), COMPLETED_B + 8);
    go_to_next_tiler(s);
    mali_loop_end(s, &tilers, MALI_CS_CONDITION_GREATER, mali_scratch(TILERS));
}

VkResult mali_queue_handler_init(struct mali_queue *queue)
{
    struct mali_context *context = queue->context->vk.map;
    struct mali_stream *s = &queue->handler;
    mali_put_load64(s, mali_scratch_pair(PLAN), mali_context_reg(), offsetof(struct mali_context, plan_va));
    render_partly(s);
    return_chunks(s);
    /* The next part reads by textures what this one has written. */
    mali_set64(s, mali_scratch_pair(NOTHING), 0);
    mali_put_flush(s, MALI_CS_FLUSH_MODE_NONE, MALI_CS_FLUSH_MODE_NONE, true, mali_scratch(NOTHING),
                   (struct mali_deferred){.slot = MALI_SLOT_FLUSH});
    mali_put_wait(s, 1u << MALI_SLOT_FLUSH);
    mali_stream_end(s);
    const struct mali_piece piece = mali_stream_first(s);
    context->handler_va = piece.va;
    context->handler_B = piece.size_B;
    return s->error;
}

/* ---- a pass ---- */

static int16_t entry_at(uint32_t tiler)
{
    return (int16_t)(offsetof(struct mali_plan, of) + tiler * sizeof(struct mali_plan_tiler));
}

void mali_plan_begin(struct mali_stream *s, uint64_t plan_va, const struct mali_plan_tiler *of, uint32_t tilers)
{
    const mali_reg_set before = mali_stream_allow(s, MALI_REGS_SCRATCH);
    mali_set64(s, mali_scratch_pair(PLAN), plan_va);
    for (uint32_t i = 0; i < tilers; i++) { /* the last run of this recording may have rendered parts */
        mali_set64(s, mali_scratch_pair(NEXT), of[i].part);
        mali_set64(s, mali_scratch_pair(NEXT + 2), of[i].end);
        mali_put_store(s, mali_scratch(NEXT), 0xf, mali_scratch_pair(PLAN), entry_at(i));
    }
    mali_put_store64(s, mali_scratch_pair(PLAN), mali_context_reg(), offsetof(struct mali_context, plan_va));
    mali_put_load(s, mali_scratch(CHUNKS), 7, mali_context_reg(), offsetof(struct mali_context, handler_va));
    mali_stream_settle(s);
    mali_put_handler(s, mali_scratch_pair(CHUNKS), mali_scratch(CHUNKS + 2));
    mali_stream_allow_again(s, before);
}

void mali_plan_end(struct mali_stream *s)
{
    mali_stream_forget(s); /* the handler may have run */
    mali_set64(s, mali_scratch_pair(NOTHING), 0);
    mali_put_handler(s, mali_scratch_pair(NOTHING), mali_scratch(NOTHING));
}

void mali_plan_choose(struct mali_stream *s, uint64_t plan_va, uint32_t tiler)
{
    mali_set64(s, mali_scratch_pair(PLAN), plan_va);
    mali_put_load64(s, mali_d(MALI_SR(FRAGMENT_FBD)), mali_scratch_pair(PLAN),
                    (int16_t)(entry_at(tiler) + offsetof(struct mali_plan_tiler, end)));
}
