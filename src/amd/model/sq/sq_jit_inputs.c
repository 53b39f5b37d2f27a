/* Inputs of runs besides registers: memory that they load from and attributes that they interpolate. Both are brought
 * before the code runs, so that nothing in it can fail.
 *
 * Of memory, what a descriptor names is found once, with all of its pages; from then on a lane's offset below the limit
 * is good and one above it reads as zero. Each dword of a buffer is looked at for itself, unless offsets are known to
 * be aligned and so is the end. Of a lane whose first one is good all may be loaded, for the host can read a little
 * more than there is (GPU_SPACE_BEHIND_B). Attributes are tables that the launching block fills, an entry for each of
 * the primitives that a wave has quads of, or, where the host has no instruction for that, rows.
 *
 * Stores are for parts of whole programs (sq_whole.h). A few lanes run all of a part before the next ones begin it, so
 * what a lane stores must be nothing that another lane's loads or other stores of the part are for: two accesses of one
 * buffer must leave each lane bytes of its own, buffers must be found to lie apart. What a lane outside of the range
 * stores is dropped.
 *
 * Not for: accesses by index, of less than a dword, swizzled or checked by records, of userptr or absent pages;
 * attributes of halves. All of them stay micro-operations. */
#include "amd/model/sq/sq_buffer_address.h"
#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_jit_build.h"
#include "amd/model/sq/sq_memory.h"

#define MOST_B (1u << 31) /* that JIT_LOAD reaches */

/* ---- memory ---- */

static void find_view(const struct sq_wave *wave, struct sq_jit_view *view, const uint32_t *words)
{
    const struct isa_mem plain = {0};
    const struct sq_buffer buffer = sq_buffer_unpack(words, &plain);
    memcpy(view->found_words, words, sizeof(view->found_words));
    view->is_known = true;
    view->changes = gpu_space_changes(wave->memory, buffer.base_va);
    view->host = NULL;
    if (buffer.check != SQ_CHECK_RAW || buffer.swizzle || buffer.add_lane || buffer.records > MOST_B)
        return;
    const unsigned need = view->is_written ? GPU_PERM_WRITE : GPU_PERM_READ;
    view->host = buffer.records ? gpu_space_whole(wave->memory, buffer.base_va, buffer.records, need)
                                : (const uint8_t *)wave->lds; /* not looked at */
}

/* Whether memory that is written lies apart from all that must be. */
static bool are_apart(const struct sq_wave *wave, const struct sq_jit_view *views, uint32_t written)
{
    const struct exec_view *here = &wave->views[written];
    const uintptr_t first = (uintptr_t)here->host, end = first + here->limit + views[written].size_B - 1;
    if (!here->limit)
        return true;
    if (gpu_space_has_aliases(wave->memory))
        return false;
    for (uint32_t bits = views[written].apart; bits; bits &= bits - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(bits);
        const uintptr_t other = (uintptr_t)wave->views[i].host;
        if (wave->views[i].limit && other < end && first < other + wave->views[i].limit + views[i].size_B - 1)
            return false;
    }
    return true;
}

/* Whether no dword of a piece is in range where not all of them are. */
static bool ends_with_piece(uint64_t size_B, uint32_t piece_B)
{
    return size_B % piece_B < 4;
}

static bool bring_views(struct sq_wave *wave, struct sq_jit_view *views, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct sq_jit_view *view = &views[i];
        const uint8_t *host = wave->lds;
        uint64_t from_B = 0, size_B = wave->lds_size_B;
        if (view->is_wave) {
            wave->views[i].host = (const uint8_t *)wave;
            wave->views[i].limit = 0;
            continue;
        }
        if (!view->is_shared) {
            const uint32_t *words = sq_at(wave, view->words);
            uint64_t high_va = (uint64_t)words[1] << 32; /* says which window the address is in */
            if (__builtin_expect(!view->is_known || memcmp(view->found_words, words, sizeof(view->found_words)) ||
                                     view->changes != gpu_space_changes(wave->memory, high_va),
                                 0))
                find_view(wave, view, words);
            if (!view->host)
                return false;
            host = view->host;
            from_B = *(const uint32_t *)sq_at(wave, view->soffset);
            size_B = words[2];
        }
        /* Out of range, an offset of zero is loaded from and the result not used. */
        bool any = from_B + view->size_B <= size_B;
        if (any && view->piece_B && !ends_with_piece(size_B - from_B, view->piece_B))
            return false;
        wave->views[i].host = any ? host + from_B : (const uint8_t *)wave;
        wave->views[i].limit = any ? (uint32_t)(size_B - from_B - view->size_B + 1) : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (views[i].apart && !are_apart(wave, views, i))
            return false;
    }
    return true;
}

static uint32_t view_of(struct sq_jit_builder *b, struct sq_jit_view wanted)
{
    struct sq_jit_inputs *p = &b->places.inputs;
    uint32_t i = 0;
    while (i < p->view_count && (p->views[i].is_shared != wanted.is_shared || p->views[i].is_wave != wanted.is_wave ||
                                 p->views[i].is_written != wanted.is_written || p->views[i].words != wanted.words ||
                                 p->views[i].soffset != wanted.soffset || p->views[i].size_B != wanted.size_B))
        i++;
    if (i == SQ_VIEWS) {
        b->exec.program.failed = true;
        return 0;
    }
    if (i == p->view_count)
        p->views[p->view_count++] = wanted;
    return i;
}

/* Bytes of two accesses of one buffer: a lane's lie closer together than the lanes do. */
static bool are_own(const struct sq_jit_builder *b, const struct sq_jit_access *x, const struct sq_jit_access *y)
{
    const uint64_t first = MIN2(x->imm, y->imm), end = MAX2((uint64_t)x->imm + x->size_B, (uint64_t)y->imm + y->size_B);
    uint32_t step_B;
    if (x->row != y->row || x->row == JIT_NONE ||
        !jit_find_step(b->exec.program.insts, b->exec.program.count, x->row, &step_B))
        return false;
    return MIN2(step_B, -step_B) >= end - first;
}

/* Two accesses of a part of which one writes. False: lanes may meet there. */
static bool may_run_together(struct sq_jit_builder *b, const struct sq_jit_access *x, const struct sq_jit_access *y)
{
    struct sq_jit_view *views = b->places.inputs.views, *of_x = &views[x->view], *of_y = &views[y->view];
    if (of_x->is_shared != of_y->is_shared)
        return true;
    if (of_x->is_shared || (of_x->words == of_y->words && of_x->soffset == of_y->soffset))
        return are_own(b, x, y);
    if (of_x->is_written)
        of_x->apart |= 1u << y->view;
    else
        of_y->apart |= 1u << x->view;
    return true;
}

/* An access of a part, beside those before. It fails the program where they must not run together. */
static void add_access(struct sq_jit_builder *b, struct sq_jit_access access)
{
    struct sq_jit_places *p = &b->places;
    const bool is_written = p->inputs.views[access.view].is_written;
    p->is_written |= is_written;
    if (p->access_count == SQ_JIT_ACCESSES) {
        b->exec.program.failed |= p->is_written;
        return;
    }
    if (is_written && access.size_B > 4 && !are_own(b, &access, &access)) /* dwords are not stored lane by lane */
        b->exec.program.failed = true;
    for (uint32_t i = 0; i < p->access_count; i++) {
        if ((is_written || p->inputs.views[p->accesses[i].view].is_written) &&
            !may_run_together(b, &access, &p->accesses[i]))
            b->exec.program.failed = true;
    }
    p->accesses[p->access_count++] = access;
}

/* A lane's offset: a row, JIT_NONE where there is none, and a constant. */
struct offset {
    jit_value row;
    uint32_t imm;
};

static struct offset offset_of(struct sq_jit_builder *b, bool has_row, uint32_t imm)
{
    return (struct offset){has_row ? amd_sq_jit_read_row(b, b->uop->s[0]) : JIT_NONE, imm};
}

static uint32_t pointer_of(uint32_t view)
{
    return (uint32_t)(offsetof(struct sq_wave, views) + view * sizeof(struct exec_view));
}

/* The offset's value, and the lanes whose first dword is in range. */
static jit_value find_offset(struct sq_jit_builder *b, uint32_t view, struct offset from, unsigned dwords,
                             jit_value *good_out)
{
    struct lane_program *p = &b->exec.program;
    const jit_value constant = lane_program_const(p, from.imm), offset = from.row == JIT_NONE ? constant
                                                                         : from.imm
                                                                             ? lane_program_add(p, from.row, constant)
                                                                             : from.row;
    const uint32_t pointer = (uint32_t)(offsetof(struct sq_wave, views) + view * sizeof(struct exec_view));
    *good_out = lane_program_lt_u(p, offset,
                                  lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                                    pointer + (uint32_t)offsetof(struct exec_view, limit)));
    add_access(b, (struct sq_jit_access){view, from.row, from.imm, dwords * 4});
    return offset;
}

/* Accesses that lie in pieces of a buffer that ends with one, as far as can be seen now: then a lane's first dword
 * speaks for all. */
static bool are_in_pieces(struct sq_jit_builder *b, uint32_t number, jit_value offset, unsigned dwords)
{
    struct sq_jit_view *view = &b->places.inputs.views[number];
    const unsigned bits = dwords == 2 ? 3 : 4;
    uint32_t low;
    if (dwords == 1 || view->is_shared)
        return true;
    const uint32_t *words = sq_at(b->wave, view->words), *soffset = sq_at(b->wave, view->soffset);
    if (!lane_program_low_bits(&b->exec.program, offset, bits, &low) || low + dwords * 4 > 1u << bits ||
        !ends_with_piece((uint64_t)words[2] - *soffset, 1u << bits))
        return false;
    view->piece_B = MAX2(view->piece_B, 1u << bits);
    return true;
}

/* Whether a dword after a lane's first one is in range, too. */
static jit_value is_in_range(struct sq_jit_builder *b, uint32_t view, jit_value offset, unsigned i)
{
    struct lane_program *p = &b->exec.program;
    const jit_value limit = lane_program_emit(p, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                              pointer_of(view) + (uint32_t)offsetof(struct exec_view, limit));
    const jit_value left_B = lane_program_sub(p, lane_program_max_u(p, limit, offset), offset);
    return lane_program_lt_u(p, lane_program_const(p, i * 4), left_B);
}

/* `dwords` of every lane from its offset on. */
static void load_dwords(struct sq_jit_builder *b, uint32_t view, struct offset from, unsigned dwords, jit_value *values)
{
    jit_value is_good, offset = find_offset(b, view, from, dwords, &is_good),
                       good = lane_program_and(&b->exec.program, offset, is_good);
    const bool is_whole = are_in_pieces(b, view, offset, dwords);
    for (unsigned i = 0; i < dwords; i++) {
        jit_value loaded =
            lane_program_emit(&b->exec.program, JIT_LOAD, good, JIT_NONE, JIT_NONE, pointer_of(view) | i * 4 << 16);
        values[i] =
            lane_program_and(&b->exec.program, loaded, i && !is_whole ? is_in_range(b, view, offset, i) : is_good);
    }
}

/* Stores `dwords` of every lane, of the rows from `first` on. */
static void store_dwords(struct sq_jit_builder *b, uint32_t view, struct offset from, unsigned dwords, sq_place first)
{
    struct lane_program *p = &b->exec.program;
    jit_value is_good, offset = find_offset(b, view, from, dwords, &is_good);
    const bool is_whole = are_in_pieces(b, view, offset, dwords);
    for (unsigned i = 0; i < dwords; i++) {
        const jit_value good = i && !is_whole ? is_in_range(b, view, offset, i) : is_good;
        lane_program_emit(p, JIT_WRITE, offset, amd_sq_jit_read_row(b, first + i * b->lanes * 4),
                          b->places.active == JIT_NONE ? good : lane_program_and(p, good, b->places.active),
                          pointer_of(view) | i * 4 << 16);
    }
}

static void write_rows(struct sq_jit_builder *b, const jit_value *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        amd_sq_jit_write_row(b, b->uop->d + i * b->lanes * 4, values[i]);
}

static bool is_store(const struct sq_jit_builder *b)
{
    return isa_info(b->uop->inst->op)->memory == ISA_MEMORY_STORE;
}

static void lower_buffer(struct sq_jit_builder *b)
{
    const struct sq_uop *uop = b->uop;
    unsigned dwords = isa_info(uop->inst->op)->operands[0].count;
    if (amd_sq_jit_changes(b, uop->s[1], 4) || amd_sq_jit_changes(b, uop->s[2], 1)) {
        b->exec.program.failed = true;
        return;
    }
    const uint32_t view = view_of(
        b, (struct sq_jit_view){.words = uop->s[1], .soffset = uop->s[2], .size_B = 4, .is_written = is_store(b)});
    const struct offset from = offset_of(b, uop->inst->mem.offen, uop->imm);
    jit_value values[4];
    if (is_store(b)) {
        store_dwords(b, view, from, dwords, uop->d);
        return;
    }
    load_dwords(b, view, from, dwords, values);
    write_rows(b, values, dwords);
}

static void lower_shared(struct sq_jit_builder *b)
{
    unsigned dwords = isa_info(b->uop->inst->op)->operands[0].count;
    uint32_t view = view_of(b, (struct sq_jit_view){.is_shared = true, .size_B = dwords * 4});
    jit_value values[4];
    load_dwords(b, view, offset_of(b, true, b->uop->imm), dwords, values);
    write_rows(b, values, dwords);
}

static void lower_shared2(struct sq_jit_builder *b)
{
    unsigned dwords = isa_info(b->uop->inst->op)->operands[0].count / 2;
    uint32_t view = view_of(b, (struct sq_jit_view){.is_shared = true, .size_B = dwords * 4});
    jit_value values[4];
    for (unsigned which = 0; which < 2; which++)
        load_dwords(b, view, offset_of(b, true, amd_sq_ds_offset2_B(b->uop, which, dwords * 4)), dwords,
                    values + which * dwords);
    write_rows(b, values, 2 * dwords);
}

/* One lane's value for all, of a row that the loop does not change: so the wave has it. */
static void lower_lane_read(struct sq_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    struct sq_jit_places *places = &b->places;
    const sq_place row = b->uop->s[0];
    uint32_t known = 0;
    while (known < places->lane_read_count && places->lane_reads[known] != row)
        known++;
    p->failed |= row < offsetof(struct sq_wave, vgpr) || known == SQ_JIT_LANE_READS;
    if (p->failed)
        return;
    places->lane_reads[known] = row;
    places->lane_read_count = MAX2(places->lane_read_count, known + 1);
    const uint32_t view = view_of(b, (struct sq_jit_view){.is_wave = true});
    const jit_value lane =
        lane_program_and(p, amd_sq_jit_read_scalar(b, b->uop->s[1]), lane_program_const(p, b->lanes - 1));
    const jit_value from_B =
        lane_program_add(p, lane_program_shift_by(p, JIT_SHL, lane, 2), lane_program_const(p, row));
    amd_sq_jit_write_scalar(b, b->uop->d, lane_program_emit(p, JIT_LOAD, from_B, JIT_NONE, JIT_NONE, pointer_of(view)));
}

/* ---- attributes ---- */

#define ONE_DW 12 /* P0, P10 and P20 of four channels */
_Static_assert(ONE_DW <= LANES_GROUP, "an attribute has less room than a row");

/* The rows that an instruction looks at, one bit for each of enum sq_interpolant; 0: not for host code. */
static unsigned rows_of(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_V_INTERP_P1_F32:
        return 1 << SQ_P0 | 1 << SQ_P10;
    case ISA_OP_V_INTERP_P2_F32:
        return 1 << SQ_P20;
    case ISA_OP_V_INTERP_MOV_F32:
        return 1 << SQ_P0 | 1 << SQ_P10 | 1 << SQ_P20;
    default:
        return 0;
    }
}

bool amd_sq_jit_is_one(struct sq_wave *wave, unsigned attribute)
{
    return wave->hooks && wave->hooks->one_attribute && wave->hooks->one_attribute(wave, attribute);
}

static void bring_ones(struct sq_wave *wave, const struct sq_jit_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->one_count; i++)
        memcpy(wave->attributes + i * ONE_DW, wave->hooks->one_attribute(wave, inputs->ones[i]), ONE_DW * 4);
}

typedef uint32_t table[3][4][SQ_TABLE];
_Static_assert(SQ_TABLES * sizeof(table) <= sizeof(((struct sq_wave *)0)->attributes), "room for tables");

static void bring_attributes(struct sq_wave *wave, const struct sq_jit_inputs *inputs)
{
    if (inputs->has_tables) {
        wave->hooks->tables(wave, inputs->ones, inputs->one_count, wave->entry_of_lane, (table *)wave->attributes);
        return;
    }
    for (uint32_t i = 0; i < inputs->attribute_count; i++) {
        const struct sq_uop *uop = inputs->attributes[i].uop;
        uint32_t *next = wave->attributes + inputs->attributes[i].first_row * wave->lanes, *rows[3];
        for (unsigned which = SQ_P0; which <= SQ_P20; which++) {
            bool is_used = rows_of(uop->inst) >> which & 1;
            rows[which] = is_used ? next : sq_interpolant(wave, which);
            next += is_used ? wave->lanes : 0;
        }
        wave->hooks->attribute(wave, uop, uop->imm / 4, uop->imm % 4, rows[SQ_P0], rows[SQ_P10], rows[SQ_P20]);
    }
}

static uint32_t attribute_of(struct sq_jit_builder *b)
{
    struct sq_jit_inputs *p = &b->places.inputs;
    unsigned used = rows_of(b->uop->inst), count = (unsigned)__builtin_popcount(used);
    for (uint32_t i = 0; i < p->attribute_count; i++) {
        const struct sq_uop *other = p->attributes[i].uop;
        if (other->imm == b->uop->imm && rows_of(other->inst) == used)
            return p->attributes[i].first_row;
    }
    if (p->attribute_rows + count > SQ_ATTRIBUTE_ROWS) {
        b->exec.program.failed = true;
        return 0;
    }
    p->attributes[p->attribute_count++] = (struct sq_jit_attribute){b->uop, p->attribute_rows};
    p->attribute_rows += count;
    return p->attribute_rows - count;
}

/* The attribute's number among those that the code looks at. */
static uint32_t one_of(struct sq_jit_builder *b)
{
    struct sq_jit_inputs *p = &b->places.inputs;
    uint32_t attribute = b->uop->imm / 4, i = 0;
    while (i < p->one_count && p->ones[i] != attribute)
        i++;
    if (i == p->one_count) /* fewer than there are rows */
        p->ones[p->one_count++] = (uint8_t)attribute;
    return i;
}

/* An entry of one of its tables. */
static jit_value look_up(struct sq_jit_builder *b, uint32_t one, unsigned which)
{
    struct lane_program *p = &b->exec.program;
    const uint32_t in_table = ((which * 4 + b->uop->imm % 4) * SQ_TABLE) * 4;
    if (b->places.entry_of_lane == JIT_NONE)
        b->places.entry_of_lane =
            lane_program_emit(p, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, offsetof(struct sq_wave, entry_of_lane));
    return lane_program_emit(p, JIT_TABLE, b->places.entry_of_lane, JIT_NONE, JIT_NONE,
                             (uint32_t)(offsetof(struct sq_wave, attributes) + one * sizeof(table)) + in_table);
}

static void lower_with_tables(struct sq_jit_builder *b)
{
    const uint32_t one = one_of(b), channel = b->uop->imm % 4;
    b->places.inputs.has_tables = true;
    b->places.inputs.attribute_count = 1; /* there are some */
    if (one == SQ_TABLES) {
        b->places.inputs.one_count = SQ_TABLES;
        b->exec.program.failed = true;
        return;
    }
    for (unsigned which = SQ_P0; which <= SQ_P20; which++) {
        if (!(rows_of(b->uop->inst) >> which & 1))
            continue;
        const jit_value value = b->is_one ? lane_program_emit(&b->exec.program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                                              (uint32_t)offsetof(struct sq_wave, attributes) +
                                                                  (one * ONE_DW + channel + which * 4) * 4)
                                          : look_up(b, one, which);
        amd_sq_jit_write_row(b, amd_sq_jit_interpolant(b, which), value);
    }
}

/* The kernel that follows reads them as temporaries. */
static void lower_attribute(struct sq_jit_builder *b)
{
    if (JIT_HAS_TABLES && b->wave->hooks && b->wave->hooks->tables) {
        lower_with_tables(b);
        return;
    }
    const uint32_t first_row = attribute_of(b);
    if (b->exec.program.failed)
        return;
    const uint32_t one = one_of(b) * ONE_DW + b->uop->imm % 4, row_B = b->lanes * 4,
                   at = offsetof(struct sq_wave, attributes);
    uint32_t place = at + first_row * row_B;
    for (unsigned which = SQ_P0; which <= SQ_P20; which++) {
        if (!(rows_of(b->uop->inst) >> which & 1))
            continue;
        jit_value value = b->is_one ? lane_program_emit(&b->exec.program, JIT_SPLAT, JIT_NONE, JIT_NONE, JIT_NONE,
                                                        at + (one + which * 4) * 4)
                                    : lane_program_emit(&b->exec.program, JIT_ROW, JIT_NONE, JIT_NONE, JIT_NONE, place);
        amd_sq_jit_write_row(b, amd_sq_jit_interpolant(b, which), value);
        place += row_B;
    }
}

/* ---- both ---- */

bool amd_sq_jit_bring(struct sq_wave *wave, struct sq_jit_inputs *inputs, bool is_one)
{
    if (inputs->attribute_count && (!wave->hooks || !wave->hooks->attribute))
        return false;
    if (inputs->has_tables && !wave->hooks->tables)
        return false;
    if (!bring_views(wave, inputs->views, inputs->view_count))
        return false;
    if (is_one)
        bring_ones(wave, inputs);
    else
        bring_attributes(wave, inputs);
    return true;
}

bool amd_sq_jit_finds(struct sq_wave *wave, struct sq_jit_inputs *inputs)
{
    return bring_views(wave, inputs->views, inputs->view_count);
}

bool amd_sq_jit_is_host_buffer(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_jit_view view = {.words = uop->s[1], .soffset = uop->s[2], .size_B = 4};
    return uop->run != amd_sq_buffer || bring_views(wave, &view, 1);
}

amd_sq_jit_lower amd_sq_jit_input_lowering(const struct sq_uop *uop)
{
    if (uop->run == amd_sq_uop_attribute)
        return rows_of(uop->inst) ? lower_attribute : NULL;
    const struct isa_op_info *info = isa_info(uop->inst->op);
    const struct isa_mem *mem = &uop->inst->mem;
    if (info->memory != ISA_MEMORY_LOAD || sq_access_size_B(info, 1) < 4)
        return NULL;
    if (uop->run == amd_sq_buffer)
        return mem->idxen || mem->lds ? NULL : lower_buffer;
    if (mem->gds)
        return NULL;
    return uop->run == amd_sq_ds_load ? lower_shared : uop->run == amd_sq_ds_load2 ? lower_shared2 : NULL;
}

amd_sq_jit_lower amd_sq_jit_loop_lowering(const struct sq_uop *uop)
{
    return uop->inst->op == ISA_OP_V_READLANE_B32 && uop->run == amd_sq_alu_kernels[ISA_OP_V_READLANE_B32]
               ? lower_lane_read
               : NULL;
}

amd_sq_jit_lower amd_sq_jit_store_lowering(const struct sq_uop *uop)
{
    const struct isa_op_info *info = isa_info(uop->inst->op);
    if (info->memory != ISA_MEMORY_STORE || sq_access_size_B(info, 1) < 4 || uop->run != amd_sq_buffer)
        return NULL;
    return uop->inst->mem.idxen || uop->inst->mem.lds ? NULL : lower_buffer;
}
