/* Resource tables, and the buffers in them: LD_BUFFER, LEA_BUFFER by bytes, LEA_BUF and LEA_BUF_IMM by elements.
 *
 * A handle has the number of a table in its upper byte and an index below; the tables are a list of the launch's. What
 * a table does not have reads as zeros. */
#include "mali/hw/descriptors.h"
#include "mali/model/coherence.h"
#include "mali/model/gpu.h"
#include "mali/model/sc/core.h"
#include "mali/model/sc/memory.h"
#include "mali/model/sc/message.h"

#define OUTPUT_TABLE 61   /* what the tiler has allocated for a vertex */
#define RESOURCE_TABLE 62 /* the launch's tables themselves, as buffers */

static bool find_descriptor(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, uint32_t words[8])
{
    const struct mali_launch *launch = warp->launch;
    const uint32_t table = handle >> 24, index = handle & 0xffffff;
    uint32_t entry[4];
    memset(words, 0, 32);
    if (table >= launch->resource_count)
        return true;
    MALI_READS(launch->queue, MALI_CLIENT_DESCRIPTOR, launch->resources_va + table * 16ull, sizeof(entry));
    if (!mali_sc_read(warp, uop, launch->resources_va + table * 16ull, entry, sizeof(entry)))
        return false;
    const struct mali_desc_RESOURCE resource = mali_unpack_desc_RESOURCE(entry);
    if ((index + 1) * 32ull > resource.SIZE)
        return true;
    MALI_READS(launch->queue, MALI_CLIENT_DESCRIPTOR, resource.ADDRESS + index * 32ull, 32);
    return mali_sc_read(warp, uop, resource.ADDRESS + index * 32ull, words, 32);
}

const uint32_t *mali_sc_descriptor(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle)
{
    struct sc_resource *resource = &warp->core->resources[(handle ^ handle >> 20) % SC_RESOURCES];
    if (resource->serial == warp->launch->serial && resource->handle == handle)
        return resource->words;
    resource->serial = 0;
    if (!find_descriptor(warp, uop, handle, resource->words))
        return NULL;
    resource->serial = warp->launch->serial;
    resource->handle = handle;
    return resource->words;
}

/* The fields of a buffer's descriptor; nothing where it is none. */
struct buffer {
    uint64_t va;
    uint64_t size_B;
    uint32_t stride_B;
};

/* The memory of a table's descriptors. */
static bool find_table(struct mali_warp *warp, const struct sc_uop *uop, uint32_t table, struct buffer *buffer_out)
{
    uint32_t entry[4];
    if (table >= warp->launch->resource_count)
        return true;
    if (!mali_sc_read(warp, uop, warp->launch->resources_va + table * 16ull, entry, sizeof(entry)))
        return false;
    const struct mali_desc_RESOURCE resource = mali_unpack_desc_RESOURCE(entry);
    *buffer_out = (struct buffer){resource.ADDRESS, resource.SIZE, 0};
    return true;
}

static bool find_buffer(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, struct buffer *buffer_out)
{
    *buffer_out = (struct buffer){0};
    if (handle >> 24 == RESOURCE_TABLE)
        return find_table(warp, uop, handle & 0xffffff, buffer_out);
    const uint32_t *words = mali_sc_descriptor(warp, uop, handle);
    if (!words)
        return false;
    const struct mali_desc_BUFFER buffer = mali_unpack_desc_BUFFER(words);
    if (buffer.TYPE == MALI_DESCRIPTOR_TYPE_NULL)
        return true;
    if (buffer.TYPE != MALI_DESCRIPTOR_TYPE_BUFFER) {
        mali_sc_fault(warp, uop, MALI_FAULT_INSTRUCTION, "handle 0x%08x is of a descriptor of type %u, not of a buffer",
                      handle, buffer.TYPE);
        return false;
    }
    *buffer_out = (struct buffer){buffer.ADDRESS, buffer.SIZE,
                                  buffer.BUFFER_TYPE == MALI_BUFFER_TYPE_STRUCTURE ? buffer.STRIDE : 0};
    return true;
}

/* Active lanes that have the same handle as the first of them. */
static uint64_t lanes_with(const uint32_t *handles, uint32_t handle, uint64_t lanes)
{
    uint32_t same[MALI_ROW_LANES];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        same[i] = handles[i] == handle ? UINT32_MAX : 0;
    return lanes_to_mask(same, MALI_ROW_LANES) & lanes;
}

void mali_sc_each_handle(struct mali_warp *warp, const struct sc_uop *uop, const uint32_t *handles,
                         bool (*ask)(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, uint64_t lanes))
{
    uint64_t left = warp->active;
    while (left && warp->state != MALI_WARP_FAULTED) {
        const uint32_t handle = handles[__builtin_ctzll(left)];
        const uint64_t lanes = lanes_with(handles, handle, left);
        if (!ask(warp, uop, handle, lanes))
            mali_sc_stopped(warp, uop);
        left &= ~lanes;
    }
}

/* The host's memory of a buffer, where all of it is mapped. */
static const uint8_t *view_of(struct mali_warp *warp, const struct buffer *buffer, unsigned need)
{
    struct mali_core *core = warp->core;
    const uint32_t changes = gpu_space_changes(warp->memory, buffer->va);
    for (unsigned i = 0; i < SC_VIEWS; i++) {
        const struct sc_view *view = &core->views[i];
        if (view->va == buffer->va && view->size_B == buffer->size_B && view->changes == changes && view->need == need)
            return view->host;
    }
    struct sc_view *view = &core->views[core->next_view++ % SC_VIEWS];
    *view = (struct sc_view){buffer->va, buffer->size_B,
                             gpu_space_whole(warp->memory, buffer->va, buffer->size_B, need), changes, need};
    return view->host;
}

const uint8_t *mali_sc_buffer_view(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, unsigned need,
                                   uint64_t *size_B_out)
{
    struct buffer buffer;
    if (!find_buffer(warp, uop, handle, &buffer)) { /* reported when the instruction comes */
        warp->state = MALI_WARP_RUNNING;
        warp->fault.kind = MALI_FAULT_NONE;
        return NULL;
    }
    *size_B_out = buffer.size_B;
    if (buffer.size_B > INT32_MAX || (uop->run == mali_sc_run_lea_buffer && buffer.stride_B > 1))
        return NULL;
    return buffer.size_B ? view_of(warp, &buffer, need) : (const uint8_t *)warp; /* not looked at */
}

/* ---- loads ---- */

/* The common shape of the offsets of all lanes. */
struct shape {
    uint32_t most;       /* the largest */
    bool is_same;        /* one offset */
    bool is_consecutive; /* words one after the other */
};

static struct shape shape_of(const uint32_t *offsets)
{
    uint32_t most = 0, other = 0, gap = 0;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        most = offsets[i] > most ? offsets[i] : most;
        other |= offsets[i] ^ offsets[0];
        gap |= offsets[i] ^ (offsets[0] + i * 4);
    }
    return (struct shape){most, !other, !gap};
}

/* Words of a buffer that is mapped: `count` of each lane. What is outside of it is zero. */
static void load_words(const uint8_t *host, uint64_t size_B, const uint32_t *offsets, uint32_t count, uint32_t *rows,
                       uint64_t lanes)
{
    const struct shape shape = shape_of(offsets);
    const bool is_inside = lanes == UINT64_MAX && shape.most + count * 4ull <= size_B;
    if (is_inside && count == 1 && shape.is_consecutive) {
        memcpy(rows, host + offsets[0], MALI_ROW_LANES * 4);
        return;
    }
    if (is_inside) {
        for (uint32_t n = 0; n < count; n++) {
            uint32_t word, *row = rows + n * MALI_ROW_LANES;
            const uint8_t *from = host + n * 4;
            memcpy(&word, from + offsets[0], 4);
            for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
                if (!shape.is_same)
                    memcpy(&word, from + offsets[i], 4);
                row[i] = word;
            }
        }
        return;
    }
    sc_foreach_lane(lanes, i)
    {
        const bool is_there = (uint64_t)offsets[i] + count * 4 <= size_B;
        for (uint32_t n = 0; n < count; n++) {
            uint32_t word = 0;
            if (is_there)
                memcpy(&word, host + offsets[i] + n * 4, 4);
            rows[n * MALI_ROW_LANES + i] = word;
        }
    }
}

/* s[0]: offsets; s[1]: handles; d: registers; imm2: bits; imm: whole words, as they are. */
static bool load_buffer(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, uint64_t lanes)
{
    struct buffer buffer;
    if (!find_buffer(warp, uop, handle, &buffer))
        return true; /* the fault is there */
    const uint32_t *s = sc_at(warp, uop->s[0]), size_B = uop->imm2 / 8;
    uint32_t offsets[MALI_ROW_LANES], *rows = sc_at(warp, uop->d);
    memcpy(offsets, s, sizeof(offsets)); /* they may be in the registers of the result */
    const uint8_t *host = uop->imm && buffer.size_B ? view_of(warp, &buffer, GPU_PERM_READ) : NULL;
    if (host) {
        load_words(host, buffer.size_B, offsets, size_B / 4, rows, lanes);
        return true;
    }
    host = !uop->imm && size_B <= 4 && buffer.size_B ? view_of(warp, &buffer, GPU_PERM_READ) : NULL;
    sc_foreach_lane(host ? lanes : 0, i)
    {
        uint32_t words[4] = {0};
        if ((uint64_t)offsets[i] + size_B <= buffer.size_B)
            memcpy(words, host + offsets[i], size_B);
        mali_sc_load_lane(uop->inst, uop->imm2, words, rows, i);
    }
    sc_foreach_lane(host ? 0 : lanes, i)
    {
        uint32_t words[4] = {0};
        if ((uint64_t)offsets[i] + size_B <= buffer.size_B &&
            !mali_sc_read(warp, uop, buffer.va + offsets[i], words, size_B))
            return true;
        mali_sc_load_lane(uop->inst, uop->imm2, words, rows, i);
    }
    return true;
}

void mali_sc_run_load_buffer(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t handles[MALI_ROW_LANES];
    memcpy(handles, sc_at(warp, uop->s[1]), sizeof(handles));
    mali_sc_each_handle(warp, uop, handles, load_buffer);
}

/* ---- addresses ---- */

/* By bytes, of all lanes, in a buffer whose addresses have one upper half. */
static bool all_addresses(const struct buffer *buffer, const uint32_t *offsets, uint32_t *d)
{
    const uint32_t low = (uint32_t)buffer->va, high = (uint32_t)(buffer->va >> 32), size_B = (uint32_t)buffer->size_B;
    const uint32_t no_low = (uint32_t)MALI_TEX_NOWHERE, no_high = (uint32_t)(MALI_TEX_NOWHERE >> 32);
    if (buffer->stride_B > 1 || (uint64_t)low + buffer->size_B > UINT32_MAX)
        return false;
    for (unsigned i = 0; i < MALI_ROW_LANES; i++) {
        d[MALI_ROW_LANES + i] = offsets[i] < size_B ? high : no_high;
        d[i] = offsets[i] < size_B ? low + offsets[i] : no_low;
    }
    return true;
}

static bool buffer_address(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, uint64_t lanes)
{
    struct buffer buffer;
    if (!find_buffer(warp, uop, handle, &buffer))
        return true;
    uint32_t s[MALI_ROW_LANES], *d = sc_at(warp, uop->d);
    memcpy(s, sc_at(warp, uop->s[0]), sizeof(s)); /* it may be among the results */
    if (lanes == UINT64_MAX && all_addresses(&buffer, s, d))
        return true;
    const uint32_t stride_B = buffer.stride_B ? buffer.stride_B : 1;
    sc_foreach_lane(lanes, i)
    {
        const uint64_t offset_B = (uint64_t)s[i] * stride_B;
        const uint64_t va = offset_B < buffer.size_B ? buffer.va + offset_B : MALI_TEX_NOWHERE;
        d[i] = (uint32_t)va;
        d[MALI_ROW_LANES + i] = (uint32_t)(va >> 32);
    }
    return true;
}

void mali_sc_run_lea_buffer(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint32_t handles[MALI_ROW_LANES];
    memcpy(handles, sc_at(warp, uop->s[1]), sizeof(handles));
    mali_sc_each_handle(warp, uop, handles, buffer_address);
}

/* imm: the handle. */
static void run_lea_buffer_immediate(struct mali_warp *warp, const struct sc_uop *uop)
{
    const struct mali_warp_hooks *hooks = warp->launch->hooks;
    if (uop->imm >> 24 != OUTPUT_TABLE) {
        if (!buffer_address(warp, uop, uop->imm, warp->active))
            mali_sc_stopped(warp, uop);
        return;
    }
    if (!hooks || !hooks->output_address) {
        mali_sc_fault(warp, uop, MALI_FAULT_INSTRUCTION, "the address of an output, outside of a vertex shader");
        return;
    }
    uint32_t linear[MALI_ROW_LANES], *d = sc_at(warp, uop->d);
    memcpy(linear, sc_at(warp, uop->s[0]), sizeof(linear));
    if (!hooks->output_address(warp, OUTPUT_TABLE, uop->imm & 0xffffff, linear, d, d + MALI_ROW_LANES, warp->active))
        mali_sc_stopped(warp, uop);
}

/* ---- translation ---- */

bool mali_sc_translate_buffer(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const bool is_load = inst->op >= MALI_ISA_OP_LD_BUFFER_I8 && inst->op <= MALI_ISA_OP_LD_BUFFER_I128;
    const bool is_immediate = inst->op == MALI_ISA_OP_LEA_BUF_IMM;
    if (!is_load && !is_immediate && inst->op != MALI_ISA_OP_LEA_BUFFER && inst->op != MALI_ISA_OP_LEA_BUF)
        return false;
    const sc_place s0 = mali_sc_source(builder, 0), s1 = is_immediate ? 0 : mali_sc_source(builder, 1);
    struct sc_uop *uop = mali_sc_build(builder, is_load        ? mali_sc_run_load_buffer
                                                : is_immediate ? run_lea_buffer_immediate
                                                               : mali_sc_run_lea_buffer);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->d = mali_sc_register_place(inst->staging[0].reg);
    uop->imm2 = is_load ? mali_sc_access_bits(inst->op) : 0;
    uop->imm = is_immediate ? mali_tex_handle(inst->number[0], inst->number[1])
                            : uop->imm2 % 32 == 0 && !inst->field[MALI_ISA_FIELD_LANE32];
    return true;
}
