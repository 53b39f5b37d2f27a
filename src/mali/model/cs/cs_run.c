/* Instructions that give work to the endpoints: it runs later, with the registers as they are now. */
#include <string.h>

#include "mali/hw/regs_idvs.h"
#include "mali/model/cs/cs_machine.h"

/* Bits of REQ_RESOURCE. */
enum {
    NEEDS_COMPUTE = 1 << 0,
    NEEDS_FRAGMENT = 1 << 1,
    NEEDS_TILER = 1 << 2,
    NEEDS_IDVS = 1 << 3,
};

struct endpoint {
    bool (*run)(struct mali_run *run);
    enum cs_iterator iterator;
    unsigned resources;    /* any of them */
    unsigned first, count; /* registers that it reads */
};

static const struct endpoint endpoints[256] = {
    [MALI_CS_RUN_COMPUTE] = {mali_sc_run_compute, CS_ITERATOR_COMPUTE, NEEDS_COMPUTE, 0, 40},
    [MALI_CS_RUN_COMPUTE_INDIRECT] = {mali_sc_run_compute, CS_ITERATOR_COMPUTE, NEEDS_COMPUTE, 0, 40},
    [MALI_CS_RUN_TILING] = {mali_tiler_run_tiling, CS_ITERATOR_TILER, NEEDS_TILER | NEEDS_IDVS, 0, 61},
    [MALI_CS_RUN_IDVS] = {mali_tiler_run_idvs, CS_ITERATOR_TILER, NEEDS_IDVS, 0, 61},
    [MALI_CS_RUN_FULLSCREEN] = {mali_tiler_run_fullscreen, CS_ITERATOR_TILER, NEEDS_TILER | NEEDS_IDVS, 40, 21},
    [MALI_CS_FINISH_TILING] = {mali_tiler_finish, CS_ITERATOR_TILER, NEEDS_TILER | NEEDS_IDVS, 40, 2},
    [MALI_CS_RUN_FRAGMENT] = {mali_frag_run, CS_ITERATOR_FRAGMENT, NEEDS_FRAGMENT, 40, 4},
};

bool mali_cs_req_resource(struct mali_cs *m, uint64_t word)
{
    m->resources = word & (NEEDS_COMPUTE | NEEDS_FRAGMENT | NEEDS_TILER | NEEDS_IDVS);
    return true;
}

static bool do_run(struct mali_cs *m, struct cs_op *op)
{
    const unsigned opcode = MALI_CS_OPCODE(op->run.word);
    if (!endpoints[opcode].run(&op->run))
        return false;
    if (m->actor && opcode == MALI_CS_FINISH_TILING)
        mali_cs_coherence_flush(m, op->run.word);
    return true;
}

/* Memory that is not mapped is found by the endpoint. */
static void copy_uniforms(struct mali_cs *m, struct mali_run_uniforms *out, unsigned reg)
{
    const uint64_t fau = m->regs[reg] | (uint64_t)m->regs[reg + 1] << 32, size_B = (fau >> 56) * 8;
    out->fau = 0;
    if (size_B && size_B <= sizeof(out->words) &&
        gpu_space_read(m->queue->space, fau & 0xffffffffffffull, out->words, size_B) == size_B)
        out->fau = fau;
}

/* Stores before it in the stream are seen, those after it are not. */
static bool take_uniforms(struct mali_cs *m, struct mali_run *run)
{
    run->uniforms[0].fau = run->uniforms[1].fau = 0;
    switch (MALI_CS_OPCODE(run->word)) {
    case MALI_CS_RUN_IDVS: {
        if (!mali_cs_finish_memory(m))
            return false;
        copy_uniforms(m, &run->uniforms[0], 8);
        if (mali_unpack_cs_RUN_IDVS(run->word).VARYING_FAU_SELECT)
            copy_uniforms(m, &run->uniforms[1], 10);
        return true;
    }
    case MALI_CS_RUN_COMPUTE:
    case MALI_CS_RUN_COMPUTE_INDIRECT: /* the selection is in the same place */
        if (!mali_cs_finish_memory(m))
            return false;
        copy_uniforms(m, &run->uniforms[0], 8 + 2 * mali_unpack_cs_RUN_COMPUTE(run->word).FAU_SELECT);
        return true;
    default:
        return true;
    }
}

/* Registers that an instruction names itself, which the endpoint reads in its own copy; and what is not modelled. */
static bool check_fields(struct mali_cs *m, uint64_t word)
{
    uint64_t dcd_va;
    uint32_t draw_id;
    switch (MALI_CS_OPCODE(word)) {
    case MALI_CS_RUN_FULLSCREEN:
        return mali_cs_get64(m, mali_unpack_cs_RUN_FULLSCREEN(word).DCD, &dcd_va);
    case MALI_CS_RUN_IDVS:
        return !mali_unpack_cs_RUN_IDVS(word).DRAW_ID_REGISTER_ENABLE ||
               mali_cs_get32(m, mali_unpack_cs_RUN_IDVS(word).DRAW_ID, &draw_id);
    case MALI_CS_RUN_FRAGMENT:
        return !mali_unpack_cs_RUN_FRAGMENT(word).ENABLE_TEM ||
               CS_STOP(m, "RUN_FRAGMENT: tile enable maps are not modelled");
    default:
        return true;
    }
}

/* ---- draws that run together ---- */

#define MOST_DRAWS 2048
/* Registers of RUN_IDVS that draws of one operation may have of their own: they stand side by side. */
#define FIRST_OWN MALI_SR(IDVS_INDEX_COUNT)
#define END_OWN (MALI_SR(IDVS_INSTANCE_OFFSET) + 1)
_Static_assert(END_OWN - FIRST_OWN == 5, "the registers of struct mali_run_draw");

static bool has_same_uniforms(const struct mali_run_uniforms *a, const struct mali_run_uniforms *b)
{
    return a->fau == b->fau && memcmp(a->words, b->words, (size_t)(a->fau >> 56) * 8) == 0;
}

/* The operation that was issued last, if the draw in hand can be more of it: nothing came between, and nothing that the
 * instruction reads differs but for its vertices. NULL: it cannot. */
static struct cs_op *find_same(struct mali_cs *m, const struct cs_op *op)
{
    if (list_is_empty(&m->ops) || m->actor || m->queue->gpu->has_mutations || m->queue->gpu->is_strict)
        return NULL;
    struct cs_op *last = container_of(m->ops.prev, struct cs_op, node);
    const struct mali_run *before = &last->run;
    const bool is_same = MALI_CS_OPCODE(op->run.word) == MALI_CS_RUN_IDVS && last->action == do_run &&
                         before->word == op->run.word && !last->is_running && !op->is_progress &&
                         last->slot == m->endpoint_slot && last->more.count < MOST_DRAWS &&
                         memcmp(before->regs, m->regs, FIRST_OWN * sizeof(*m->regs)) == 0 &&
                         memcmp(before->regs + END_OWN, m->regs + END_OWN,
                                (endpoints[MALI_CS_RUN_IDVS].count - END_OWN) * sizeof(*m->regs)) == 0;
    return is_same && has_same_uniforms(&before->uniforms[0], &op->run.uniforms[0]) &&
                   has_same_uniforms(&before->uniforms[1], &op->run.uniforms[1])
               ? last
               : NULL;
}

static bool add_draw(struct mali_cs *m, struct cs_op *op)
{
    const struct mali_cs_RUN_IDVS f = mali_unpack_cs_RUN_IDVS(op->run.word);
    const struct mali_run_draw draw = {
        .index_count = m->regs[MALI_SR(IDVS_INDEX_COUNT)],
        .instance_count = m->regs[MALI_SR(IDVS_INSTANCE_COUNT)],
        .index_offset = m->regs[MALI_SR(IDVS_INDEX_OFFSET)],
        .vertex_offset = m->regs[MALI_SR(IDVS_VERTEX_OFFSET)],
        .instance_offset = m->regs[MALI_SR(IDVS_INSTANCE_OFFSET)],
        .id = f.DRAW_ID_REGISTER_ENABLE ? m->regs[f.DRAW_ID] : 0,
    };
    if (!array_push(&op->more, draw))
        return CS_STOP(m, "no memory for an operation");
    op->run.more = op->more.data;
    op->run.more_count = op->more.count;
    return true;
}

/* RUN_* and FINISH_TILING. A queue with an error gives no work to endpoints until ERROR_BARRIER. */
bool mali_cs_run_endpoint(struct mali_cs *m, uint64_t word)
{
    const struct endpoint *endpoint = &endpoints[MALI_CS_OPCODE(word)];
    if (m->queue->gpu->is_strict && !(m->resources & endpoint->resources))
        return CS_STRICT(m, "REQ_RESOURCE has not asked for what runs this");
    if (!mali_cs_check_read(m, endpoint->first, endpoint->count) || !check_fields(m, word))
        return false;
    if (m->has_error)
        return true;
    struct cs_op *op = mali_cs_op(m, word, do_run);
    if (!op || !take_uniforms(m, &op->run))
        return false;
    op->iterator = endpoint->iterator;
    op->is_progress = word >> 32 & 1; /* PROGRESS_INCREMENT, in the same place of all of them */
    struct cs_op *same = find_same(m, op);
    if (same)
        return add_draw(m, same);
    memcpy(op->run.regs, m->regs, sizeof(op->run.regs));
    return mali_cs_issue(m, op, m->endpoint_slot);
}
