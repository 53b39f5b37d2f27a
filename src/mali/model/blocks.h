/* Who calls whom between the blocks. All return false after mali_stop. Work is done and in memory when a call returns;
 * they are called by the queue's own thread, and several queues call at the same time. */
#ifndef MALI_MODEL_BLOCKS_H
#define MALI_MODEL_BLOCKS_H

#include "mali/model/gpu.h"

/* ---- sc: shader core ---- */

bool mali_sc_create(struct mali_gpu *gpu); /* sets gpu->sc; false: no memory */
void mali_sc_destroy(struct mali_gpu *gpu);

/* Programs may have changed in memory: what was decoded of them is compared before it is used again. */
void mali_sc_invalidate_code(struct mali_gpu *gpu);
/* An address space goes away, and what was decoded from it. No job of it runs. */
void mali_sc_forget_space(struct mali_gpu *gpu, const struct gpu_space *space);

/* RUN_COMPUTE and RUN_COMPUTE_INDIRECT, which differ in how tasks are cut: both take the counts of workgroups from
 * registers 37 to 39. */
bool mali_sc_run_compute(struct mali_run *run);

/* ---- tiler ---- */

bool mali_tiler_create(struct mali_gpu *gpu); /* sets gpu->tiler; false: no memory */
void mali_tiler_destroy(struct mali_gpu *gpu);

/* RUN_IDVS, RUN_TILING, RUN_FULLSCREEN: primitives go to the bins of the tiler context in register 40. */
bool mali_tiler_run_idvs(struct mali_run *run);
bool mali_tiler_run_tiling(struct mali_run *run);
bool mali_tiler_run_fullscreen(struct mali_run *run);

/* FINISH_TILING: no more primitives for the tiler context in register 40, and for others of its pass; their completed
 * chunks are in memory then. */
bool mali_tiler_finish(struct mali_run *run);

/* FINISH_FRAGMENT: the chunks from `first_va` to `last_va`, each of which begins with the address of the next, are free
 * for the queue's heap again. Both are 0 where there is nothing. */
bool mali_tiler_free_chunks(struct mali_queue *queue, uint64_t first_va, uint64_t last_va);

/* ---- frag: fragment endpoint ---- */

bool mali_frag_create(struct mali_gpu *gpu); /* sets gpu->frag; false: no memory */
void mali_frag_destroy(struct mali_gpu *gpu);

/* RUN_FRAGMENT: render the tiles of the bounds in register 42 with the framebuffer descriptor in register 40. In an
 * exception handler bins are read that a tiler, which sleeps in mali_cs_starve, goes on filling afterwards. */
bool mali_frag_run(struct mali_run *run);

/* ---- cs: what the tiler asks of the command-stream machine ---- */

/* How often chunks came back to the queue's heap; 0 where it has none. */
uint32_t mali_cs_freed(const struct mali_queue *queue);

/* A chunk for the queue's heap, as links of chunks have it: asks the kernel, and where it has none lets the exception
 * handler of some queue of the group free chunks (mali_tiler_free_chunks is called meanwhile, by another thread or from
 * inside this call). `freed` is mali_cs_freed() before the caller found the heap's own list empty: what came back since
 * then ends this. True with *chunk_out != 0: a new chunk. True with 0: chunks were freed, look again at the list. The
 * caller holds no lock, and its bins are complete up to here. */
bool mali_cs_starve(struct mali_queue *queue, uint32_t freed, uint64_t *chunk_out);

#endif
