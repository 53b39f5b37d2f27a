/* Loads and stores of buffers, addresses and private memory. What is not for the scalar cache (select_scalar.c) is cut
 * into pieces that the vector instructions have: 16, 12, 8, 4, 2 and 1 bytes, by the alignment that is known. */
#include "amd/compiler/select_memory.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

#define MAX_MUBUF_OFFSET_B 4095

/* ---- pieces of vector accesses ---- */

/* How the next bytes of an access are moved: at most 16, by what is left and by alignment. */
static unsigned piece_B(unsigned left_B, unsigned align_B)
{
    if (align_B >= 4 && left_B >= 4)
        return MIN2(left_B & ~3u, 16u);
    return align_B >= 2 && left_B >= 2 ? 2 : 1;
}

/* Pieces loaded at byte offsets become dwords. */
struct gather {
    mir_temp dwords[64];
};

static void gather_piece(struct select *ctx, struct gather *gather, unsigned at_B, unsigned size_B, mir_temp loaded)
{
    unsigned dword = at_B / 4, shift = at_B % 4 * 8;
    if (size_B >= 4) {
        for (unsigned i = 0; i < size_B / 4; i++)
            gather->dwords[dword + i] = amd_sel_dword(ctx, loaded, i);
        return;
    }
    if (!gather->dwords[dword])
        gather->dwords[dword] =
            shift ? amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(shift), mir_use(loaded)) : loaded;
    else
        gather->dwords[dword] =
            amd_sel_vop3(ctx, ISA_OP_V_LSHL_OR_B32, mir_use(loaded), mir_const(shift), mir_use(gather->dwords[dword]));
}

static void split_loaded(struct select *ctx, struct gather *gather, unsigned at_B, unsigned size_B, mir_temp loaded)
{
    if (size_B <= 4) {
        gather_piece(ctx, gather, at_B, size_B, loaded);
        return;
    }
    struct mir_instr *split = amd_sel_instr(ctx, MIR_P_SPLIT, size_B / 4, 1);
    split->operands[0] = mir_use(loaded);
    for (unsigned i = 0; i < size_B / 4; i++) {
        gather->dwords[at_B / 4 + i] = amd_sel_temp(ctx, MIR_V(1));
        split->defs[i] = mir_result(gather->dwords[at_B / 4 + i]);
    }
}

/* The bytes [at, at + size) of a value in VGPRs. */
static mir_temp value_piece(struct select *ctx, const struct ir_value *value, unsigned at_B, unsigned size_B)
{
    mir_temp parts[4];
    if (size_B >= 4) {
        for (unsigned i = 0; i < size_B / 4; i++)
            parts[i] = amd_sel_value_dword(ctx, value, at_B / 4 + i);
        return amd_sel_vector(ctx, true, size_B / 4, parts);
    }
    mir_temp dword = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, value, at_B / 4));
    return at_B % 4 ? amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(at_B % 4 * 8), mir_use(dword)) : dword;
}

/* ---- buffers ---- */

/* Where an access to a buffer goes. */
struct place {
    mir_temp rsrc;
    struct mir_operand vaddr;   /* VGPR or none */
    struct mir_operand soffset; /* SGPR or constant */
    uint32_t imm_B;
};

static struct place buffer_place(struct select *ctx, const struct ir_value *handle, const struct ir_value *offset,
                                 uint32_t base_B)
{
    struct place place = {.rsrc = amd_sel_sgpr(ctx, handle), .soffset = mir_const(0), .imm_B = base_B};
    if (ir_is_const(offset)) {
        place.imm_B += (uint32_t)ir_const_u64(offset);
    } else if (amd_sel_place_of(ctx, offset) == SEL_SGPR) {
        place.soffset = mir_use(amd_sel_sgpr(ctx, offset));
    } else {
        /* A constant that was added to the offset goes into the instruction, if it cannot wrap around. */
        const struct ir_instr *add = ir_def_instr(offset);
        if (add->op == IR_OP_iadd && (add->flags & IR_FLAG_NUW) && ir_is_const(ir_src(add, 1)) &&
            place.imm_B + ir_const_u64(ir_src(add, 1)) <= MAX_MUBUF_OFFSET_B) {
            place.imm_B += (uint32_t)ir_const_u64(ir_src(add, 1));
            offset = ir_src(add, 0);
        }
        place.vaddr = mir_use(amd_sel_vgpr(ctx, offset));
    }
    return place;
}

/* The immediate of a piece, when the instruction's field is too short for it the rest goes to an SGPR. */
static struct place piece_place(struct select *ctx, const struct place *from, unsigned at_B)
{
    struct place place = *from;
    place.imm_B += at_B;
    if (place.imm_B > MAX_MUBUF_OFFSET_B) {
        uint32_t more = place.imm_B & ~(uint32_t)MAX_MUBUF_OFFSET_B;
        place.imm_B &= MAX_MUBUF_OFFSET_B;
        place.soffset = place.soffset.kind == MIR_CONST
                            ? mir_use(amd_sel_copy(ctx, MIR_S(1), mir_const(more)))
                            : mir_use(amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, place.soffset, mir_const(more)));
    }
    return place;
}

static void set_cache(struct mir_instr *instr, uint32_t access, bool load)
{
    instr->mem.glc = access & (IR_ACCESS_COHERENT | IR_ACCESS_VOLATILE) ? 1 : 0;
    instr->mem.dlc = load && instr->mem.glc;
    instr->mem.slc = access & IR_ACCESS_NONTEMPORAL ? 1 : 0;
    instr->sync |= access & IR_ACCESS_VOLATILE ? MIR_SYNC_VOLATILE : 0;
    if (load && (access & IR_ACCESS_READONLY))
        instr->sync |= MIR_SYNC_CAN_REORDER;
}

static void put_place(struct mir_instr *instr, unsigned first, const struct place *place)
{
    instr->operands[first] = place->vaddr;
    instr->operands[first + 1] = mir_use(place->rsrc);
    instr->operands[first + 2] = place->soffset;
    instr->mem.offset = (int32_t)place->imm_B;
    instr->mem.offen = place->vaddr.kind != MIR_NONE;
}

static const uint16_t buffer_loads[] = {
    [1] = ISA_OP_BUFFER_LOAD_UBYTE,   [2] = ISA_OP_BUFFER_LOAD_USHORT,   [4] = ISA_OP_BUFFER_LOAD_DWORD,
    [8] = ISA_OP_BUFFER_LOAD_DWORDX2, [12] = ISA_OP_BUFFER_LOAD_DWORDX3, [16] = ISA_OP_BUFFER_LOAD_DWORDX4};
static const uint16_t buffer_stores[] = {
    [1] = ISA_OP_BUFFER_STORE_BYTE,    [2] = ISA_OP_BUFFER_STORE_SHORT,    [4] = ISA_OP_BUFFER_STORE_DWORD,
    [8] = ISA_OP_BUFFER_STORE_DWORDX2, [12] = ISA_OP_BUFFER_STORE_DWORDX3, [16] = ISA_OP_BUFFER_STORE_DWORDX4};
static const uint16_t global_loads[] = {
    [1] = ISA_OP_GLOBAL_LOAD_UBYTE,   [2] = ISA_OP_GLOBAL_LOAD_USHORT,   [4] = ISA_OP_GLOBAL_LOAD_DWORD,
    [8] = ISA_OP_GLOBAL_LOAD_DWORDX2, [12] = ISA_OP_GLOBAL_LOAD_DWORDX3, [16] = ISA_OP_GLOBAL_LOAD_DWORDX4};
static const uint16_t global_stores[] = {
    [1] = ISA_OP_GLOBAL_STORE_BYTE,    [2] = ISA_OP_GLOBAL_STORE_SHORT,    [4] = ISA_OP_GLOBAL_STORE_DWORD,
    [8] = ISA_OP_GLOBAL_STORE_DWORDX2, [12] = ISA_OP_GLOBAL_STORE_DWORDX3, [16] = ISA_OP_GLOBAL_STORE_DWORDX4};

static void define_gathered(struct select *ctx, struct ir_instr *instr, const struct gather *gather)
{
    amd_sel_define_elems(ctx, &instr->def, amd_sel_value_dwords(&instr->def), gather->dwords);
}

static void buffer_load(struct select *ctx, struct ir_instr *instr, const struct place *place, unsigned align_B,
                        uint32_t access, uint16_t sync)
{
    struct gather gather = {{0}};
    unsigned size_B = amd_sel_size_B(&instr->def);
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = piece_B(size_B - at, align_B);
        struct place here = piece_place(ctx, place, at);
        mir_temp loaded = amd_sel_temp(ctx, MIR_V((uint8_t)div_round_up(piece, 4)));
        struct mir_instr *out = amd_sel_instr(ctx, buffer_loads[piece], 1, 3);
        out->defs[0] = mir_result(loaded);
        put_place(out, 0, &here);
        out->sync = sync;
        set_cache(out, access, true);
        split_loaded(ctx, &gather, at, piece, loaded);
        at += piece;
    }
    define_gathered(ctx, instr, &gather);
}

static void buffer_store(struct select *ctx, const struct ir_value *value, const struct place *place, unsigned align_B,
                         uint32_t access, uint16_t sync)
{
    unsigned size_B = amd_sel_size_B(value);
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = piece_B(size_B - at, align_B);
        struct place here = piece_place(ctx, place, at);
        mir_temp data = value_piece(ctx, value, at, piece);
        struct mir_instr *out = amd_sel_instr(ctx, buffer_stores[piece], 0, 4);
        out->operands[0] = mir_use(data);
        put_place(out, 1, &here);
        out->sync = sync;
        set_cache(out, access, false);
        at += piece;
    }
}

static void load_buffer(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *handle = ir_src(instr, 0), *offset = ir_src(instr, 1);
    uint32_t base_B = ir_imm(instr, IR_IMM_BASE), access = ir_imm(instr, IR_IMM_ACCESS);
    bool constant = instr->op == IR_OP_load_ubo || !ctx->writes_buffers;
    uint16_t sync = (uint16_t)(MIR_SYNC_BUFFER | (constant ? MIR_SYNC_CAN_REORDER : 0));
    if (amd_sel_load_is_scalar(ctx, instr) && amd_sel_place_of(ctx, &instr->def) == SEL_SGPR) {
        mir_temp rsrc = amd_sel_sgpr(ctx, handle);
        struct mir_operand soffset = amd_sel_scalar_offset(ctx, offset, &base_B);
        amd_sel_scalar_value(ctx, instr, true, rsrc, soffset, base_B, MIR_SYNC_BUFFER | MIR_SYNC_CAN_REORDER);
        return;
    }
    struct place place = buffer_place(ctx, handle, offset, base_B);
    buffer_load(ctx, instr, &place, amd_sel_alignment(instr), access, sync);
}

static void store_buffer(struct select *ctx, struct ir_instr *instr)
{
    struct place place = buffer_place(ctx, ir_src(instr, 1), ir_src(instr, 2), ir_imm(instr, IR_IMM_BASE));
    mir_temp saved = amd_sel_exact_begin(ctx);
    buffer_store(ctx, ir_src(instr, 0), &place, amd_sel_alignment(instr), ir_imm(instr, IR_IMM_ACCESS),
                 MIR_SYNC_BUFFER);
    amd_sel_exact_end(ctx, saved);
}

/* ---- addresses ---- */

/* A 64-bit address in VGPRs with as much of the constant as the instruction's field does not hold. */
mir_temp amd_sel_global_address(struct select *ctx, const struct ir_value *address, uint32_t more_B)
{
    mir_temp whole = amd_sel_vgpr(ctx, address);
    if (!more_B)
        return whole;
    mir_temp low = amd_sel_temp(ctx, MIR_V(1)), high = amd_sel_temp(ctx, MIR_V(1)),
             carry = amd_sel_temp(ctx, ctx->program->lane_mask);
    mir_temp none = amd_sel_temp(ctx, ctx->program->lane_mask), from_low = amd_sel_dword(ctx, whole, 0),
             from_high = amd_sel_dword(ctx, whole, 1);
    mir_temp constant = amd_sel_copy(ctx, MIR_V(1), mir_const(more_B)),
             zero = amd_sel_copy(ctx, MIR_V(1), mir_const(0));
    struct mir_instr *add = amd_sel_instr(ctx, ISA_OP_V_ADD_CO_U32, 2, 2);
    add->defs[0] = mir_result(low);
    add->defs[1] = mir_result(carry);
    add->operands[0] = mir_use(constant);
    add->operands[1] = mir_use(from_low);
    struct mir_instr *addc = amd_sel_instr(ctx, ISA_OP_V_ADD_CO_CI_U32, 2, 3);
    addc->defs[0] = mir_result(high);
    addc->defs[1] = mir_result(none);
    addc->operands[0] = mir_use(zero);
    addc->operands[1] = mir_use(from_high);
    addc->operands[2] = mir_use(carry);
    return amd_sel_vector(ctx, true, 2, (mir_temp[]){low, high});
}

/* A scalar address to which each lane adds 32 bits of its own. */
static bool scalar_base(struct select *ctx, const struct ir_value *address, struct sel_global *place)
{
    const struct ir_instr *add = ir_def_instr(address);
    if (add->op != IR_OP_iadd)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct ir_value *base = ir_src(add, i), *offset = ir_src(add, 1 - i);
        const struct ir_instr *wide = ir_def_instr(offset);
        if (amd_sel_place_of(ctx, base) != SEL_SGPR || wide->op != IR_OP_u2u || ir_src(wide, 0)->bits != 32)
            continue;
        place->vaddr = amd_sel_vgpr(ctx, ir_src(wide, 0));
        place->saddr = mir_use(amd_sel_sgpr(ctx, base));
        return true;
    }
    return false;
}

static struct sel_global global_place(struct select *ctx, const struct ir_value *address, uint32_t base_B,
                                      unsigned size_B)
{
    struct sel_global place = {.saddr = {.kind = MIR_NONE},
                               .imm_B = base_B + size_B <= MAX_GLOBAL_OFFSET_B ? base_B : 0};
    if (place.imm_B != base_B || !scalar_base(ctx, address, &place))
        place.vaddr = amd_sel_global_address(ctx, address, base_B - place.imm_B);
    return place;
}

void amd_sel_global_load(struct select *ctx, struct ir_instr *instr, const struct sel_global *place, uint32_t access,
                         uint16_t sync)
{
    struct gather gather = {{0}};
    const unsigned size_B = amd_sel_size_B(&instr->def), align_B = amd_sel_alignment(instr);
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = piece_B(size_B - at, align_B);
        mir_temp loaded = amd_sel_temp(ctx, MIR_V((uint8_t)div_round_up(piece, 4)));
        struct mir_instr *out = amd_sel_instr(ctx, global_loads[piece], 1, 2);
        out->defs[0] = mir_result(loaded);
        out->operands[0] = mir_use(place->vaddr);
        out->operands[1] = place->saddr;
        out->mem.offset = (int32_t)(place->imm_B + at);
        out->sync = sync;
        set_cache(out, access, true);
        split_loaded(ctx, &gather, at, piece, loaded);
        at += piece;
    }
    define_gathered(ctx, instr, &gather);
}

static void load_global(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *address = ir_src(instr, 0);
    uint32_t base_B = ir_imm(instr, IR_IMM_BASE), access = ir_imm(instr, IR_IMM_ACCESS);
    if (amd_sel_load_is_scalar(ctx, instr) && amd_sel_place_of(ctx, &instr->def) == SEL_SGPR) {
        amd_sel_scalar_value(ctx, instr, false, amd_sel_sgpr(ctx, address), (struct mir_operand){.kind = MIR_NONE},
                             base_B, MIR_SYNC_BUFFER | MIR_SYNC_CAN_REORDER);
        return;
    }
    const struct sel_global place = global_place(ctx, address, base_B, amd_sel_size_B(&instr->def));
    amd_sel_global_load(ctx, instr, &place, access, MIR_SYNC_BUFFER);
}

static void store_global(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *value = ir_src(instr, 0);
    unsigned size_B = amd_sel_size_B(value), align_B = amd_sel_alignment(instr);
    struct sel_global place = global_place(ctx, ir_src(instr, 1), ir_imm(instr, IR_IMM_BASE), size_B);
    mir_temp saved = amd_sel_exact_begin(ctx);
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = piece_B(size_B - at, align_B);
        mir_temp data = value_piece(ctx, value, at, piece);
        struct mir_instr *out = amd_sel_instr(ctx, global_stores[piece], 0, 3);
        out->operands[0] = mir_use(place.vaddr);
        out->operands[1] = mir_use(data);
        out->operands[2] = place.saddr;
        out->mem.offset = (int32_t)(place.imm_B + at);
        out->sync = MIR_SYNC_BUFFER;
        set_cache(out, ir_imm(instr, IR_IMM_ACCESS), false);
        at += piece;
    }
    amd_sel_exact_end(ctx, saved);
}

/* ---- private memory ---- */

static mir_temp amd_sel_scratch_rsrc(struct select *ctx)
{
    if (!ctx->scratch_rsrc)
        sel_fail(ctx, "internal: private memory without its descriptor");
    return ctx->scratch_rsrc;
}

/* Private memory, or another part of a function's or its callee's frame, or any part of the stack. */
static struct place scratch_place(struct select *ctx, struct ir_instr *instr)
{
    mir_temp start = amd_sel_arg(ctx, AMD_ARG_SCRATCH_OFFSET), frame = ctx->arg[AMD_ARG_SP];
    struct place place = {.rsrc = amd_sel_scratch_rsrc(ctx), .imm_B = ir_imm(instr, IR_IMM_BASE)};
    const struct ir_value *offset = NULL;
    switch (instr->op) {
    case IR_OP_load_incoming:
    case IR_OP_store_incoming:
        if (!ctx->program->is_function)
            sel_fail(ctx, "nothing calls this shader, and it reads what a caller left");
        place.soffset = mir_use(frame);
        return place;
    case IR_OP_load_outgoing:
    case IR_OP_store_outgoing:
        place.soffset = mir_use(amd_sel_next_frame(ctx));
        return place;
    case IR_OP_load_stack:
    case IR_OP_store_stack:
        place.soffset = mir_use(start);
        break;
    default:
        place.soffset = mir_use(frame ? frame : start);
        place.imm_B += amd_sel_frame_args_B(ctx);
        break;
    }
    offset = ir_src(instr, instr->def.bits ? 0 : 1);
    if (ir_is_const(offset))
        place.imm_B += (uint32_t)ir_const_u64(offset);
    else
        place.vaddr = mir_use(amd_sel_vgpr(ctx, offset));
    return place;
}

static void scratch_access(struct select *ctx, struct ir_instr *instr)
{
    bool load = instr->def.bits != 0;
    struct place place = scratch_place(ctx, instr);
    if (place.imm_B > MAX_MUBUF_OFFSET_B - 64) {
        place.vaddr = place.vaddr.kind == MIR_NONE
                          ? mir_use(amd_sel_copy(ctx, MIR_V(1), mir_const(place.imm_B)))
                          : mir_use(amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, mir_const(place.imm_B), place.vaddr));
        place.imm_B = 0;
    }
    /* A lane's dwords lie apart: an element of the swizzle is four bytes. */
    unsigned align_B = ir_has_imm(instr, IR_IMM_ALIGN) ? MIN2(amd_sel_alignment(instr), 4u) : 4;
    const struct ir_value *value = load ? &instr->def : ir_src(instr, 0);
    unsigned size_B = amd_sel_size_B(value);
    struct gather gather = {{0}};
    for (unsigned at = 0; at < size_B;) {
        unsigned piece = MIN2(piece_B(size_B - at, align_B), 4u);
        struct place here = place;
        here.imm_B += at;
        struct mir_instr *out;
        if (load) {
            mir_temp loaded = amd_sel_temp(ctx, MIR_V(1));
            out = amd_sel_instr(ctx, buffer_loads[piece], 1, 3);
            out->defs[0] = mir_result(loaded);
            put_place(out, 0, &here);
            out->sync = MIR_SYNC_SCRATCH;
            gather_piece(ctx, &gather, at, piece, loaded);
        } else {
            mir_temp data = value_piece(ctx, value, at, piece);
            out = amd_sel_instr(ctx, buffer_stores[piece], 0, 4);
            out->operands[0] = mir_use(data);
            put_place(out, 1, &here);
            out->sync = MIR_SYNC_SCRATCH;
        }
        at += piece;
    }
    if (load)
        define_gathered(ctx, instr, &gather);
}

static void buffer_size(struct select *ctx, struct ir_instr *instr)
{
    amd_sel_define(ctx, &instr->def, amd_sel_readfirst(ctx, amd_sel_value_dword(ctx, ir_src(instr, 0), 2)));
}

bool amd_sel_memory(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_load_ubo:
    case IR_OP_load_ssbo:
        load_buffer(ctx, instr);
        return true;
    case IR_OP_store_ssbo:
        store_buffer(ctx, instr);
        return true;
    case IR_OP_load_global:
        load_global(ctx, instr);
        return true;
    case IR_OP_store_global:
        store_global(ctx, instr);
        return true;
    case IR_OP_load_scratch:
    case IR_OP_store_scratch:
    case IR_OP_load_stack:
    case IR_OP_store_stack:
    case IR_OP_load_incoming:
    case IR_OP_store_incoming:
    case IR_OP_load_outgoing:
    case IR_OP_store_outgoing:
        scratch_access(ctx, instr);
        return true;
    case IR_OP_ssbo_size:
        buffer_size(ctx, instr);
        return true;
    default:
        return false;
    }
}
