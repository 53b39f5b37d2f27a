/* MUBUF: buffers by descriptor, with the range checks and the swizzle of GFX10.3. Not for: typed buffers (ta_buffer.c).
 */
#include <string.h>

#include "amd/model/sq/sq_buffer_address.h"
#include "amd/model/sq/sq_memory_span.h"
#include "util/bits.h"

/* Where each lane's element lies, or one dword of it: a swizzled element wider than a dword is not contiguous, and one
 * at the end of its buffer may be inside with its first dwords alone. */
#define WHOLE_ELEMENT UINT32_MAX
static bool resolve_places(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, unsigned row,
                           struct sq_places *places, unsigned need)
{
    uint32_t soffset_B = *(const uint32_t *)sq_at(wave, uop->s[2]);
    uint64_t exec = sq_exec(wave);
    const struct isa_op_info *info = isa_info(uop->inst->op);
    unsigned dwords = info->operands[0].count;
    uint32_t size_B =
        info->memory == ISA_MEMORY_ATOMIC ? (info->element == ISA_TYPE_B64 ? 8 : 4) : sq_access_size_B(info, dwords);
    uint32_t part_B = row == WHOLE_ELEMENT ? size_B : 4;

    for (unsigned i = 0; i < wave->lanes; i++) {
        places->at[i] = NULL;
        if (!(exec >> i & 1))
            continue;
        uint32_t index, offset_B;
        sq_buffer_lane(wave, uop, b, i, &index, &offset_B);
        const uint32_t further_B = row == WHOLE_ELEMENT ? 0 : row * 4;
        if (!sq_buffer_in_range(b, index, (uint64_t)offset_B + further_B, soffset_B, part_B))
            continue;
        uint64_t va = sq_buffer_address(b, index, offset_B + further_B, soffset_B);
        if (!sq_resolve(wave, uop, va, part_B, need, &places->at[i]))
            return false;
        if (!b->add_lane) /* else a lane's own memory */
            sq_note(wave, uop, va, part_B, need);
    }
    return true;
}

/* Lanes' own memory, as scratch is: dwords of all lanes side by side, without records, so that one look at all of it is
 * enough. */
#define MAX_OWN_B 4096 /* of a lane */
struct own {
    uint8_t *host;                /* of the first lane's first dword */
    uint32_t offset_B[LANES_MAX]; /* of a lane's; 0 where it is not active */
    uint32_t stride;              /* lanes that lie between two dwords of one */
    bool is_same;                 /* active lanes have one offset: */
    uint32_t most_B;
};

/* False: it is not such memory, or there may be more to say. */
static bool find_own(const struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, unsigned row,
                     unsigned need, struct own *own)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    const struct isa_mem *mem = &uop->inst->mem;
    const bool is_dword = row != WHOLE_ELEMENT || sq_access_size_B(info, info->operands[0].count) == 4;
    if (!b->swizzle || !b->add_lane || mem->idxen || wave->lanes > b->index_stride || !is_dword ||
        info->memory == ISA_MEMORY_ATOMIC || b->check != SQ_CHECK_EMPTY || !b->records)
        return false;
    const uint32_t *vaddr = mem->offen ? sq_at(wave, uop->s[0]) : NULL;
    const uint32_t further_B = uop->imm + (row == WHOLE_ELEMENT ? 0 : row * 4),
                   soffset_B = *(const uint32_t *)sq_at(wave, uop->s[2]);
    uint32_t most_B = 0, least_B = UINT32_MAX, odd = 0;
    for (unsigned i = 0; i < wave->lanes; i++) {
        const uint32_t given_B = vaddr ? vaddr[i] : 0, active = wave->exec_full ? UINT32_MAX : wave->exec_lanes[i],
                       offset_B = (given_B + further_B) & active;
        own->offset_B[i] = offset_B;
        most_B = MAX2(most_B, offset_B);
        least_B = MIN2(least_B, offset_B | ~active);
        odd |= offset_B;
    }
    if (most_B >= MAX_OWN_B || odd % 4)
        return false;
    own->stride = b->index_stride;
    own->is_same = least_B == most_B;
    own->most_B = most_B;
    own->host = gpu_space_whole(wave->memory, b->base_va + soffset_B, (uint64_t)(most_B + 4) * b->index_stride, need);
    return own->host;
}

/* Lanes of `active`, or all where it is NULL. */
static void copy_lanes(uint32_t *restrict to, const uint32_t *restrict from, const uint32_t *restrict active,
                       unsigned lanes)
{
    if (!active) {
        memcpy(to, from, lanes * sizeof(*to));
        return;
    }
    for (unsigned i = 0; i < lanes; i++)
        to[i] = (from[i] & active[i]) | (to[i] & ~active[i]);
}

static void load_own(const struct sq_wave *wave, const struct own *own, uint32_t *row)
{
    const uint32_t *active = wave->exec_full ? NULL : wave->exec_lanes;
    uint32_t values[LANES_MAX];
    if (own->is_same) {
        copy_lanes(row, (const uint32_t *)(own->host + own->most_B * own->stride), active, wave->lanes);
        return;
    }
    for (unsigned i = 0; i < wave->lanes; i++)
        memcpy(&values[i], own->host + own->offset_B[i] * own->stride + i * 4, sizeof(values[i]));
    copy_lanes(row, values, active, wave->lanes);
}

/* The dwords beside a lane's own are other lanes' of this wave: they may be written back. */
static void store_own(const struct sq_wave *wave, const struct own *own, const uint32_t *row)
{
    const uint64_t exec = sq_exec(wave);
    if (own->is_same) {
        copy_lanes((uint32_t *)(own->host + own->most_B * own->stride), row, wave->exec_full ? NULL : wave->exec_lanes,
                   wave->lanes);
        return;
    }
    for (unsigned i = 0; i < wave->lanes; i++) {
        if (exec >> i & 1)
            memcpy(own->host + own->offset_B[i] * own->stride + i * 4, &row[i], sizeof(row[i]));
    }
}

/* A row of dwords of lanes' own memory. False: it is another one's. */
static bool move_own(const struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, unsigned row,
                     unsigned need, uint32_t *rows)
{
    struct own own;
    if (!find_own(wave, uop, b, row, need, &own))
        return false;
    if (need == GPU_PERM_READ)
        load_own(wave, &own, rows);
    else
        store_own(wave, &own, rows);
    return true;
}

/* A raw buffer, as nearly all are: one range of bytes, without records. False: lane by lane. */
static bool find_span(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, uint32_t size_B,
                      unsigned need, struct sq_span *span)
{
    const struct isa_mem *mem = &uop->inst->mem;
    if (b->check != SQ_CHECK_RAW || b->swizzle || b->add_lane || mem->idxen)
        return false;
    uint64_t soffset_B = *(const uint32_t *)sq_at(wave, uop->s[2]);
    bool any = soffset_B + size_B <= b->records;
    return amd_sq_span_find(wave, b->base_va + soffset_B, mem->offen ? sq_at(wave, uop->s[0]) : NULL, uop->imm,
                            any ? b->records - (uint32_t)soffset_B - size_B : 0, any, size_B, need, span);
}

static bool move_row(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, unsigned row,
                     unsigned need, uint32_t *to)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    struct sq_places places;
    if (move_own(wave, uop, b, row, need, to))
        return true;
    if (!resolve_places(wave, uop, b, row, &places, need))
        return false;
    if (info->memory == ISA_MEMORY_LOAD)
        amd_sq_load(wave, info, &places, to, 1);
    else
        amd_sq_store(wave, info, &places, to, 1);
    return true;
}

/* Dword by dword: each is in range or not. What is loaded may go where the address comes from, which is needed up to
 * the last one. */
static void move_rows(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, unsigned need,
                      uint32_t *rows, unsigned dwords)
{
    const struct isa_mem *mem = &uop->inst->mem;
    const size_t rows_B = (size_t)dwords * wave->lanes * 4;
    const sq_place address_end = uop->s[0] + (mem->idxen + mem->offen) * wave->lanes * 4;
    const bool is_in_place = need == GPU_PERM_READ && uop->s[0] < uop->d + rows_B && uop->d < address_end;
    uint32_t kept[4 * LANES_MAX], *to = is_in_place ? kept : rows;
    if (is_in_place)
        memcpy(kept, rows, rows_B);
    for (unsigned row = 0; row < dwords; row++) {
        if (!move_row(wave, uop, b, row, need, to + row * wave->lanes))
            return;
    }
    if (is_in_place)
        memcpy(rows, kept, rows_B);
}

/* Whether some lane's first dword is in range and its last one is not. */
static bool is_split(const struct sq_wave *wave, const struct sq_uop *uop, const struct sq_buffer *b, uint32_t size_B)
{
    const uint32_t soffset_B = *(const uint32_t *)sq_at(wave, uop->s[2]);
    bits_foreach (sq_exec(wave), lane) {
        uint32_t index, offset_B;
        sq_buffer_lane(wave, uop, b, (unsigned)lane, &index, &offset_B);
        if (sq_buffer_in_range(b, index, offset_B, soffset_B, 4) &&
            !sq_buffer_in_range(b, index, offset_B, soffset_B, size_B))
            return true;
    }
    return false;
}

void amd_sq_buffer(struct sq_wave *wave, const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    struct sq_buffer b = sq_buffer_unpack(sq_at(wave, uop->s[1]), &uop->inst->mem);
    uint32_t *rows = sq_at(wave, uop->d);
    unsigned dwords = info->operands[0].count;
    bool is_atomic = info->memory == ISA_MEMORY_ATOMIC;
    unsigned need = is_atomic                          ? GPU_PERM_READ | GPU_PERM_WRITE
                    : info->memory == ISA_MEMORY_STORE ? GPU_PERM_WRITE
                                                       : GPU_PERM_READ;
    struct sq_places places;
    const bool has_rows = dwords > 1 && !is_atomic;

    if (b.swizzle && has_rows) {
        move_rows(wave, uop, &b, need, rows, dwords);
        return;
    }

    uint32_t size_B = is_atomic ? (info->element == ISA_TYPE_B64 ? 8 : 4) : sq_access_size_B(info, dwords);
    struct sq_span span;
    const bool is_span = find_span(wave, uop, &b, size_B, need, &span);
    if (has_rows && !(is_span && amd_sq_span_is_whole(wave, &span)) && is_split(wave, uop, &b, size_B)) {
        move_rows(wave, uop, &b, need, rows, dwords);
        return;
    }
    if (is_span) {
        if (!is_atomic && size_B >= 4) {
            if (info->memory == ISA_MEMORY_LOAD)
                amd_sq_span_load(wave, &span, rows, dwords);
            else
                amd_sq_span_store(wave, &span, rows, dwords);
            return;
        }
        amd_sq_span_places(wave, &span, &places);
    } else if (move_own(wave, uop, &b, WHOLE_ELEMENT, need, rows) ||
               !resolve_places(wave, uop, &b, WHOLE_ELEMENT, &places, need)) {
        return;
    }
    if (info->memory == ISA_MEMORY_LOAD) {
        amd_sq_load(wave, info, &places, rows, dwords);
    } else if (info->memory == ISA_MEMORY_STORE) {
        amd_sq_store(wave, info, &places, rows, dwords);
    } else {
        unsigned value_dwords = info->element == ISA_TYPE_B64 ? 2 : 1;
        amd_sq_atomic(wave, info, &places, rows, dwords > value_dwords ? rows + value_dwords * wave->lanes : NULL,
                      uop->inst->mem.glc ? rows : NULL);
    }
}
