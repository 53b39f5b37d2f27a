/* A ray and a node of a tree: image_bvh64_intersect_ray. The descriptor is a constant: node numbers are addresses
 * (ray_layout.h), so that one tree is all of memory. */
#include "amd/compiler/ray_layout.h"
#include "amd/compiler/select.h"
#include "amd/hw/descriptors.h"

#define ADDRESSES 12 /* node (two), extent, origin, direction, inverse direction */
#define BVH_TYPE 8
/* A ray that passes between two boxes by rounding meets both. */
#define GROWN_BY 6

static mir_temp tree(struct select *ctx)
{
    const struct amd_desc_BVH desc = {
        .BOX_GROW = GROWN_BY, .BOX_SORT_EN = 1, .SIZE = RAY_BVH_SIZE, .TRIANGLE_RETURN_MODE = 1, .TYPE = BVH_TYPE};
    uint32_t words[4];
    mir_temp parts[4];
    amd_pack_desc_BVH(AMD_GFX10_3, words, &desc);
    for (unsigned i = 0; i < 4; i++)
        parts[i] = amd_sel_copy(ctx, MIR_S(1), mir_const(words[i]));
    return amd_sel_vector(ctx, false, 4, parts);
}

bool amd_sel_ray(struct select *ctx, struct ir_instr *instr)
{
    if (instr->op != IR_OP_bvh_ray)
        return false;
    mir_temp address[ADDRESSES], result = amd_sel_temp(ctx, MIR_V(4));
    unsigned count = 0;
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        const struct ir_value *value = ir_src(instr, i);
        for (unsigned dword = 0; dword < amd_sel_value_dwords(value); dword++)
            address[count++] = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, value, dword));
    }
    mir_temp rsrc = tree(ctx);
    struct mir_instr *out = amd_sel_instr(ctx, ISA_OP_IMAGE_BVH64_INTERSECT_RAY, 1, 2 + ADDRESSES - 1);
    out->defs[0] = mir_result(result);
    out->operands[0] = mir_use(address[0]);
    out->operands[1] = mir_use(rsrc);
    for (unsigned i = 1; i < ADDRESSES; i++)
        out->operands[1 + i] = mir_use(address[i]);
    out->mem.dmask = 0xf;
    out->mem.unorm = 1;
    out->mem.r128 = 1;
    out->mem.nsa = 1;
    out->mem.addr_count = ADDRESSES;
    out->sync = MIR_SYNC_IMAGE | MIR_SYNC_CAN_REORDER;
    amd_sel_define(ctx, &instr->def, result);
    return true;
}
