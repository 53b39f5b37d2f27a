/* TUFF_DEBUG=coherence: before an instruction of the load-store pipe runs, what it will access is shown to
 * model/coherence. The texture unit does so by itself. Local storage is left out: each thread and each workgroup has
 * its own, and jobs that run side by side share the memory. */
#include "mali/model/coherence.h"

#include "mali/hw/descriptors.h"
#include "mali/model/gpu.h"
#include "mali/model/sc/code.h"
#include "mali/model/sc/memory.h"
#include "mali/model/tex/tex.h"

static bool is_local(const struct mali_warp *warp, unsigned lane, uint64_t va)
{
    const struct mali_launch *launch = warp->launch;
    const uint64_t tls = warp->tls[lane] | (uint64_t)warp->tls[MALI_ROW_LANES + lane] << 32;
    const uint64_t wls = warp->wls[lane] | (uint64_t)warp->wls[MALI_ROW_LANES + lane] << 32;
    return va - tls < launch->tls_size_B || va - wls < launch->wls_size_B;
}

/* s[0]: addresses; imm: client; imm2: bits of a lane. */
static void note_access(struct mali_warp *warp, const struct sc_uop *uop, bool is_write, uint64_t lanes)
{
    struct coherence_actor *actor = warp->launch->queue->coherence;
    const uint32_t *low = sc_at(warp, uop->s[0]);
    sc_foreach_lane(actor ? lanes : 0, i)
    {
        const uint64_t address = low[i] | (uint64_t)low[MALI_ROW_LANES + i] << 32;
        const uint64_t va = address + (uint64_t)(int64_t)(int32_t)uop->inst->number[0];
        if (mali_tex_is_nowhere(va) || is_local(warp, i, va))
            continue;
        if (is_write)
            coherence_write(actor, uop->imm, 0, va, uop->imm2 / 8);
        else
            coherence_read(actor, uop->imm, 0, va, uop->imm2 / 8);
    }
}

static void run_load(struct mali_warp *warp, const struct sc_uop *uop)
{
    note_access(warp, uop, false, warp->active);
}

static void run_store(struct mali_warp *warp, const struct sc_uop *uop)
{
    const bool is_forced = uop->inst->field[MALI_ISA_FIELD_ACCESS] == MALI_ISA_ACCESS_FORCE;
    note_access(warp, uop, true, is_forced ? warp->active : sc_writers(warp));
}

static void run_atomic(struct mali_warp *warp, const struct sc_uop *uop)
{
    note_access(warp, uop, true, sc_writers(warp));
}

/* s[0]: offsets; s[1]: handles. What is no buffer is reported by the instruction itself. */
static void run_load_buffer(struct mali_warp *warp, const struct sc_uop *uop)
{
    struct coherence_actor *actor = warp->launch->queue->coherence;
    const uint32_t *offsets = sc_at(warp, uop->s[0]), *handles = sc_at(warp, uop->s[1]), size_B = uop->imm2 / 8;
    sc_foreach_lane(actor ? warp->active : 0, i)
    {
        const uint32_t *words = handles[i] >> 24 >= 60 ? NULL : mali_sc_descriptor(warp, uop, handles[i]);
        if (!words)
            continue;
        const struct mali_desc_BUFFER buffer = mali_unpack_desc_BUFFER(words);
        if (buffer.TYPE == MALI_DESCRIPTOR_TYPE_BUFFER && (uint64_t)offsets[i] + size_B <= buffer.SIZE)
            coherence_read(actor, MALI_CLIENT_SHADER, 0, buffer.ADDRESS + offsets[i], size_B);
    }
}

void mali_sc_coherence_before(struct sc_builder *builder)
{
    const unsigned op = builder->inst->op;
    const bool is_atomic = op >= MALI_ISA_OP_ATOM1_RETURN_I32 && op <= MALI_ISA_OP_ATOM_RETURN_I64;
    const bool is_load = op >= MALI_ISA_OP_LOAD_I8 && op <= MALI_ISA_OP_LOAD_I128;
    const bool is_store = op >= MALI_ISA_OP_STORE_I8 && op <= MALI_ISA_OP_STORE_I128;
    const bool is_buffer = op >= MALI_ISA_OP_LD_BUFFER_I8 && op <= MALI_ISA_OP_LD_BUFFER_I128;
    if (!is_atomic && !is_load && !is_store && !is_buffer)
        return;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = is_buffer ? mali_sc_source(builder, 1) : 0;
    struct sc_uop *uop = mali_sc_build(builder, is_atomic  ? run_atomic
                                                : is_load  ? run_load
                                                : is_store ? run_store
                                                           : run_load_buffer);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->imm = is_atomic ? MALI_CLIENT_ATOMIC : MALI_CLIENT_SHADER;
    uop->imm2 = mali_sc_access_bits(op);
}
