/* Series: small draws that follow each other and differ in their indices and VFD_INDEX_OFFSET alone are one draw of
 * several parts. They wait until something else comes, which nothing can tell: whoever looks at what they give must
 * wait for them first, by a packet. Then their vertices and fragments share waves, the workers share all of them, and
 * what a draw costs besides is paid once.
 *
 * To a shader that cannot be seen but by lanes that look at each other, so both programs must be lane by lane
 * (sp/lanewise.h). Nor is a draw the first to wait: one before it was made with the same registers, and has shown what
 * they say.
 *
 * Not for: instances, views, stages after the vertex shader, stream out, passes that write or read visibility; strict
 * mode, whose reports name a draw; or while caches are followed. */
#include "adreno/hw/regs_vfd.h"
#include "adreno/model/pc/pc.h"
#include "adreno/model/sp/lanewise.h"
#include "util/strbuf.h"

bool adreno_pc_add_part(struct adreno_pc *pc, const struct adreno_draw *draw)
{
    const struct pc_part part = {.count = draw->count,
                                 .first_index = draw->first_index,
                                 .max_indices = draw->max_indices,
                                 .index_va = draw->index_va,
                                 .index_offset = pc->gpu->regs[ADRENO_REG_VFD_INDEX_OFFSET]};
    return array_push(&pc->parts, part) ||
           adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
}

static bool is_small(const struct adreno_draw *draw)
{
    return draw->may_wait && draw->instance_count == 1 && draw->count <= PC_BATCH_PRIMS;
}

static bool is_lanewise(struct adreno_pc *pc, uint64_t va)
{
    const uint64_t epoch = atomic_load_explicit(&pc->gpu->code_epoch, memory_order_relaxed) + 1;
    const unsigned slot = (unsigned)(va >> 7 ^ va >> 14) % PC_PROGRAMS;
    if (pc->programs[slot].va != va || pc->programs[slot].epoch != epoch) {
        pc->programs[slot].va = va;
        pc->programs[slot].epoch = epoch;
        pc->programs[slot].is_lanewise = adreno_sp_is_lanewise(pc->gpu->space, va);
    }
    return pc->programs[slot].is_lanewise;
}

/* The number of a vertex, as the vertex shader sees it, has no offset of the draw's in it. */
static bool has_plain_numbers(const struct adreno_pc *pc)
{
    return pc->vfd.vertex_id_reg == ADRENO_NO_REG ||
           adreno_unpack_VFD_MODE_CNTL(pc->gpu->regs[ADRENO_REG_VFD_MODE_CNTL]).VERTEX;
}

bool adreno_pc_series_begins(struct adreno_pc *pc)
{
    const struct adreno_draw *draw = pc->draw;
    return is_small(draw) && !pc->is_strict && !pc->gpu->coherence && draw->pass != ADRENO_PASS_BINNING && !draw->bin &&
           !draw->has_gs && !draw->has_tess && !pc->streamout.is_on && pc->state.view_count == 1 &&
           pc->state.kind != RASTER_RECT && has_plain_numbers(pc);
}

/* Of the draw before, whose programs these still are. They are looked at when a draw follows that could be of its
 * series: most do not have one, and programs are long. */
static bool has_lanewise_programs(struct adreno_pc *pc)
{
    return is_lanewise(pc, pc->vertex_launch.program_va) &&
           (!pc->gras.has_shader || is_lanewise(pc, pc->fragment_launch.program_va));
}

bool adreno_pc_series_takes(struct adreno_pc *pc, const struct adreno_draw *draw)
{
    struct adreno_draw *last = &pc->series;
    if (!pc->gpu->has_series || !is_small(draw) || pc->waiting == PC_SERIES_PARTS || draw->topology != last->topology ||
        draw->source != last->source || draw->index_size != last->index_size || draw->pass != last->pass || draw->bin ||
        draw->has_gs || draw->has_tess || (!pc->waiting && !has_lanewise_programs(pc)))
        return false;
    if (!pc->waiting++)
        last->count = pc->parts.count = 0;
    last->count += draw->count;
    return true;
}

bool adreno_draws_finish(struct adreno_gpu *gpu)
{
    struct adreno_pc *pc = gpu->pc;
    const uint32_t draws = pc->waiting;
    gpu->has_series = false;
    pc->waiting = 0;
    if (!draws || adreno_is_stopped(gpu) || adreno_pc_draw_parts(pc, &pc->series))
        return true;
    strbuf_printf(&gpu->stop.text, " (of %u draws before this packet)", draws);
    return false;
}
