/* Inputs of runs besides registers: constants of the constant file, and memory that they load dwords from. Both are
 * brought before the code runs, so that nothing in it can fail.
 *
 * A buffer's memory is found by its descriptor; an element that is not there reads as zero. Local memory has no such
 * rule: a lane that leaves it stops the job. The code clamps addresses and remembers such lanes, and the wave is
 * stopped afterwards; which of the run's loads it was is not known then (TUFF_DEBUG=nojit finds out).
 *
 * Not for: descriptors that differ between lanes, elements of other sizes, stores. All of them stay
 * micro-operations. */
#include <stddef.h>

#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/memory.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/uops.h"

#define MOST_DW (1u << 29) /* that JIT_LOAD reaches */

static uint32_t view_at(uint32_t view)
{
    return (uint32_t)(offsetof(struct adreno_wave, views) + view * sizeof(struct exec_view));
}

static jit_value splat_input(struct sp_jit_builder *b, uint32_t offset_B)
{
    return lane_program_emit(&b->exec.program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE, offset_B);
}

/* ---- constants ---- */

void adreno_sp_jit_lower_constant(struct sp_jit_builder *b)
{
    struct sp_jit_inputs *inputs = &b->inputs;
    uint32_t slot = 0;
    while (slot < inputs->constant_count && inputs->constants[slot] != b->uop->imm)
        slot++;
    if (slot == ADRENO_WAVE_SCALARS || b->uop->s[0] == SP_CONSTANT_NARROWED) {
        b->exec.program.failed = true;
        return;
    }
    if (slot == inputs->constant_count) {
        inputs->constants[inputs->constant_count++] = (uint16_t)b->uop->imm;
        b->constant_values[slot] = splat_input(b, (uint32_t)offsetof(struct adreno_wave, scalars) + slot * 4);
    }
    const jit_value value = b->constant_values[slot];
    adreno_sp_jit_write_row(
        b, b->uop->d, b->uop->s[0] == SP_CONSTANT_HALF ? lane_program_zero_extend(&b->exec.program, value, 16) : value);
}

/* ---- buffers ---- */

bool adreno_sp_jit_is_dwords(const struct sp_uop *uop, struct sp_dword_access *access_out)
{
    const bool is_one = uop->run == adreno_sp_run_request ? adreno_sp_is_dword_load(uop->inst, access_out)
                                                          : adreno_sp_is_dword_ibo(uop->inst, access_out);
    return is_one && access_out->index < ADRENO_ISA_REG_SHARED &&
           (uop->run == adreno_sp_run_stib || !sp_is_shared(access_out->data));
}

static struct sp_jit_view *new_view(struct sp_jit_builder *b)
{
    if (b->inputs.view_count == ADRENO_WAVE_VIEWS) {
        b->exec.program.failed = true;
        return NULL;
    }
    struct sp_jit_view *view = &b->inputs.views[b->inputs.view_count++];
    *view = (struct sp_jit_view){.uop = b->uop};
    return view;
}

static struct sp_jit_view *buffer_view(struct sp_jit_builder *b, const struct sp_dword_access *access, unsigned need)
{
    for (uint32_t i = 0; i < b->inputs.view_count; i++) {
        struct sp_jit_view *view = &b->inputs.views[i];
        if (view->kind == SP_JIT_BUFFER && view->need == need && view->access.kind == access->kind &&
            view->access.base == access->base && view->access.descriptor == access->descriptor) {
            view->access.needs_plain |= access->needs_plain;
            return view;
        }
    }
    struct sp_jit_view *view = new_view(b);
    if (view) {
        view->kind = SP_JIT_BUFFER;
        view->access = *access;
        view->need = need;
    }
    return view;
}

uint32_t adreno_sp_jit_view_at(struct sp_jit_builder *b, const struct sp_uop *uop, const struct sp_dword_access *access,
                               unsigned need, uint32_t least)
{
    b->uop = uop;
    struct sp_jit_view *view = buffer_view(b, access, need);
    if (!view)
        return 0;
    view->least = least > view->least ? least : view->least;
    return view_at((uint32_t)(view - b->inputs.views));
}

sp_place adreno_sp_jit_row_place(const struct sp_jit_builder *b, unsigned component)
{
    return (sp_place)(offsetof(struct adreno_wave, rows) + (size_t)(component & 0xff) * b->wave->lanes * 4);
}

/* Where a lane loads its element from: neighbours as jit_near.c knows them, others with an operation less. */
static jit_value element(struct lane_program *p, jit_value at, jit_value limit, jit_value *is_good_out)
{
    uint32_t step;
    if (jit_find_step(p->insts, p->count, at, &step) && step == 1) {
        const jit_value offset = lane_program_element(p, at, limit, is_good_out);
        return lane_program_and(p, offset, *is_good_out);
    }
    *is_good_out = lane_program_lt_u(p, at, limit);
    return lane_program_shift_by(p, JIT_SHL, lane_program_and(p, at, *is_good_out), 2);
}

/* Instructions do not tell buffers from images: it is what the wave at hand has there. Code that is made for a buffer
 * is no good with an image, nor is all that stands around the load. */
static bool is_buffer(const struct sp_jit_builder *b, const struct sp_dword_access *access)
{
    const struct adreno_sp *sp = b->wave->sp;
    const uint32_t *words = adreno_sp_find_descriptor(b->wave, access->kind, access->base, access->descriptor);
    struct tpl1_buffer buffer;
    return !words || (adreno_tpl1_buffer(sp->tpl1, &sp->tpl1_state, words, &buffer) &&
                      (buffer.is_dwords || !access->needs_plain));
}

static void lower_buffer(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    struct sp_dword_access load;
    const uint32_t at_B = adreno_sp_jit_is_dwords(b->uop, &load) && is_buffer(b, &load)
                              ? adreno_sp_jit_view_at(b, b->uop, &load, GPU_PERM_READ, 0)
                              : 0;
    if (!at_B) {
        p->failed = true;
        return;
    }
    const jit_value index = adreno_sp_jit_read_row(b, adreno_sp_jit_row_place(b, load.index));
    const jit_value limit = splat_input(b, at_B + (uint32_t)offsetof(struct exec_view, limit));
    for (unsigned n = 0; n < 4; n++) {
        if (!(load.wrmask >> n & 1))
            continue;
        const uint32_t further = load.offset + n;
        jit_value at = further ? lane_program_add(p, index, lane_program_const(p, further)) : index, is_good;
        jit_value good_B = element(p, at, limit, &is_good);
        jit_value loaded = lane_program_emit(p, JIT_LOAD, good_B, JIT_NONE, JIT_NONE, at_B);
        adreno_sp_jit_write_row(b, adreno_sp_jit_row_place(b, load.data + n), lane_program_and(p, loaded, is_good));
    }
}

/* ---- constants by a0.x ---- */

static struct sp_jit_view *constants_view(struct sp_jit_builder *b)
{
    for (uint32_t i = 0; i < b->inputs.view_count; i++) {
        if (b->inputs.views[i].kind == SP_JIT_CONSTANTS)
            return &b->inputs.views[i];
    }
    struct sp_jit_view *view = new_view(b);
    if (view)
        view->kind = SP_JIT_CONSTANTS;
    return view;
}

static void lower_constant_relative(struct sp_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    struct sp_jit_view *view = b->uop->s[0] == SP_CONSTANT_WORD ? constants_view(b) : NULL;
    if (!view) {
        p->failed = true;
        return;
    }
    const uint32_t at_B = view_at((uint32_t)(view - b->inputs.views));
    const jit_value limit = splat_input(b, at_B + (uint32_t)offsetof(struct exec_view, limit));
    const jit_value address = adreno_sp_jit_read_row(b, adreno_sp_jit_row_place(b, ADRENO_ISA_REG_A0));
    const jit_value at = lane_program_add(p, address, lane_program_const(p, b->uop->imm));
    const jit_value is_good = lane_program_lt_u(p, at, limit);
    const jit_value good_B = lane_program_shift_by(p, JIT_SHL, lane_program_and(p, at, is_good), 2);
    const jit_value loaded = lane_program_emit(p, JIT_LOAD, good_B, JIT_NONE, JIT_NONE, at_B);
    adreno_sp_jit_write_row(b, b->uop->d, lane_program_and(p, loaded, is_good));
}

/* ---- local memory ---- */

#define MOST_FURTHER_B 0xffffu

static bool is_local_load(const struct sp_uop *uop)
{
    const int16_t *f = uop->inst->field;
    const struct adreno_isa_operand *operands = uop->inst->operands;
    return !uop->imm && sp_type_size_B((unsigned)f[ADRENO_ISA_FIELD_TYPE]) == 4 && f[ADRENO_ISA_FIELD_OFFSET] >= 0 &&
           f[ADRENO_ISA_FIELD_SIZE] >= 1 && f[ADRENO_ISA_FIELD_SIZE] <= 8 &&
           operands[ADRENO_ISA_PLACE_SRC0].kind == ADRENO_ISA_OPERAND_GPR &&
           operands[ADRENO_ISA_PLACE_SRC0].value < ADRENO_ISA_REG_SHARED &&
           operands[ADRENO_ISA_PLACE_DST].kind == ADRENO_ISA_OPERAND_GPR &&
           operands[ADRENO_ISA_PLACE_DST].value + f[ADRENO_ISA_FIELD_SIZE] <= ADRENO_ISA_REG_SHARED;
}

/* Loads from the same register's value share one check, of the first one's address and the furthest byte after it. What
 * comes before that has another one: a sum of register and offset may wrap, so that only its result tells where it
 * is. */
static struct sp_jit_view *local_view(struct sp_jit_builder *b, jit_value base, uint32_t first_B)
{
    struct lane_program *p = &b->exec.program;
    for (uint32_t i = 0; i < b->inputs.view_count; i++) {
        struct sp_jit_view *view = &b->inputs.views[i];
        if (view->kind == SP_JIT_LOCAL && view->base == base && view->first_B <= first_B)
            return view;
    }
    struct sp_jit_view *view = new_view(b);
    if (!view)
        return NULL;
    const uint32_t at_B = view_at(b->inputs.view_count - 1);
    const jit_value limit = splat_input(b, at_B + (uint32_t)offsetof(struct exec_view, limit));
    const jit_value first = lane_program_add(p, base, lane_program_const(p, first_B));
    const jit_value is_lost = lane_program_lt_u(p, limit, first);
    view->kind = SP_JIT_LOCAL;
    view->base = base;
    view->first_B = first_B;
    view->clamped = lane_program_min_u(p, first, limit);
    b->lost = b->lost == JIT_NONE ? is_lost : lane_program_or(p, b->lost, is_lost);
    b->inputs.has_local = true;
    return view;
}

static void lower_local(struct sp_jit_builder *b)
{
    const struct adreno_isa_inst *inst = b->uop->inst;
    const unsigned dst = (unsigned)inst->operands[ADRENO_ISA_PLACE_DST].value;
    const uint32_t first_B = (uint32_t)inst->field[ADRENO_ISA_FIELD_OFFSET];
    const unsigned count = (unsigned)inst->field[ADRENO_ISA_FIELD_SIZE];
    jit_value base =
        adreno_sp_jit_read_row(b, adreno_sp_jit_row_place(b, (unsigned)inst->operands[ADRENO_ISA_PLACE_SRC0].value));
    struct sp_jit_view *view = local_view(b, base, first_B);
    if (!view || first_B + count * 4 > MOST_FURTHER_B) {
        b->exec.program.failed = true;
        return;
    }
    const uint32_t further_B = first_B - view->first_B;
    view->end_B = further_B + count * 4 > view->end_B ? further_B + count * 4 : view->end_B;
    const uint32_t at_B = view_at((uint32_t)(view - b->inputs.views));
    jit_value values[8];
    for (unsigned n = 0; n < count; n++)
        values[n] = lane_program_emit(&b->exec.program, JIT_LOAD, view->clamped, JIT_NONE, JIT_NONE,
                                      at_B | (further_B + n * 4) << 16);
    for (unsigned n = 0; n < count; n++)
        adreno_sp_jit_write_row(b, adreno_sp_jit_row_place(b, dst + n), values[n]);
}

const struct sp_jit_row *adreno_sp_jit_input(const struct sp_uop *uop)
{
    static const struct sp_jit_row buffer = {NULL, lower_buffer, false}, local = {NULL, lower_local, false},
                                   relative = {NULL, lower_constant_relative, false};
    struct sp_dword_access load;
    if (uop->run == adreno_sp_uop_constant_relative)
        return uop->s[0] == SP_CONSTANT_WORD ? &relative : NULL;
    if (uop->run == adreno_sp_run_load)
        return is_local_load(uop) ? &local : NULL;
    if (uop->run != adreno_sp_run_request && uop->run != adreno_sp_run_ldib)
        return NULL;
    return adreno_sp_jit_is_dwords(uop, &load) ? &buffer : NULL;
}

/* ---- before and after the code ---- */

static bool bring_view(struct adreno_wave *wave, const struct sp_jit_view *from, struct exec_view *to)
{
    if (from->kind == SP_JIT_LOCAL) {
        const uint32_t size_B = wave->launch->local_size_B;
        *to = (struct exec_view){wave->local, size_B - from->end_B};
        return wave->local && size_B >= from->end_B;
    }
    if (from->kind == SP_JIT_CONSTANTS) {
        *to = (struct exec_view){(const uint8_t *)wave->constants, wave->launch->constants_dw};
        return true;
    }
    const uint32_t *words =
        adreno_sp_descriptor(wave, from->uop, from->access.kind, from->access.base, from->access.descriptor);
    const struct sp_view *view = words ? adreno_sp_view(wave, words, from->need) : NULL;
    if (!view || (from->access.needs_plain && !view->is_plain) || view->count > MOST_DW || view->count < from->least)
        return false;
    *to = (struct exec_view){view->host, view->count};
    return true;
}

bool adreno_sp_jit_bring(struct adreno_wave *wave, const struct sp_jit_inputs *inputs)
{
    const uint32_t count = wave->launch->constants_dw;
    for (uint32_t i = 0; i < inputs->constant_count; i++) {
        const uint32_t index = inputs->constants[i];
        wave->scalars[i] = index < count ? wave->constants[index] : 0;
    }
    if (inputs->view_count && !lane_mask_any(wave->active))
        return false; /* nothing is loaded, and no descriptor looked at */
    for (uint32_t i = 0; i < inputs->view_count; i++) {
        if (!bring_view(wave, &inputs->views[i], &wave->views[i]))
            return false;
    }
    return true;
}

void adreno_sp_jit_check(struct adreno_wave *wave, const struct sp_jit_inputs *inputs)
{
    uint32_t lost = 0;
    if (wave->is_full) {
        for (unsigned i = 0; i < wave->lanes; i++)
            lost |= wave->lost_lanes[i];
    } else {
        for (unsigned i = 0; i < wave->lanes; i++)
            lost |= wave->lost_lanes[i] & wave->active_lanes[i];
    }
    if (__builtin_expect(!lost, 1))
        return;
    for (uint32_t i = 0; i < inputs->view_count; i++) {
        if (inputs->views[i].kind == SP_JIT_LOCAL) {
            adreno_sp_fault(wave, inputs->views[i].uop, ADRENO_FAULT_MEMORY,
                            "local memory, which has %u bytes, is left here or by a load that follows",
                            wave->launch->local_size_B);
            return;
        }
    }
}
