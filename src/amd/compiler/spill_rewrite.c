/* Values that spill.c has chosen are stored where they are written and loaded where they are read. */
#include "amd/compiler/spill.h"
#include "util/bits.h"

static uint32_t slot_of(struct spiller *spiller, mir_temp temp)
{
    struct mir_program *program = spiller->program;
    uint32_t *next = spiller->vector ? &program->num_vgpr_slots : &program->num_sgpr_slots;
    if (spiller->slot[temp] == SPILL_NO_SLOT) {
        spiller->slot[temp] = *next;
        *next += spiller_class_of(spiller, temp).dwords;
    }
    return spiller->slot[temp];
}

#define REACH_B 2048 /* of an access, with the longest tuple after: the offset field has 12 bits */

/* Vectors need the descriptor of private memory and the wave's offset in it. Returns the slot as the access counts it.
 */
static uint32_t add_private(struct spiller *spiller, struct mir_builder *builder, uint32_t slot,
                            struct mir_operand *operands)
{
    struct mir_program *program = spiller->program;
    if (!spiller->vector)
        return slot;
    program->wants_scratch = !program->scratch_rsrc;
    if (!program->scratch_rsrc || !program->scratch_offset)
        amd_mir_fail(program, "VGPRs do not suffice, and this stage was given no private memory");
    operands[0] = mir_use(program->scratch_rsrc);
    operands[1] = mir_use(program->scratch_offset);
    uint32_t far_B = slot * 4 & ~(uint32_t)(REACH_B - 1);
    if (far_B) { /* the scalar part of an address is not swizzled: it counts bytes of the wave */
        mir_temp offset = amd_mir_new_temp(program, MIR_S(1));
        amd_spill_reserve(spiller);
        spiller->keep[offset] = true;
        struct mir_instr *add = amd_mir_new_instr(builder, ISA_OP_S_ADD_U32, 1, 2);
        add->defs[0] = mir_result(offset);
        add->operands[0] = mir_use(program->scratch_offset);
        add->operands[1] = mir_const(far_B * program->wave_size);
        operands[1] = mir_use(offset);
    }
    return slot - far_B / 4;
}

static void build_store(struct spiller *spiller, struct mir_block *block, struct list *place, struct mir_operand value,
                        uint32_t slot)
{
    struct mir_builder builder = {spiller->program, block, place};
    struct mir_operand private_memory[2];
    uint32_t near_slot = add_private(spiller, &builder, slot, private_memory);
    struct mir_instr *store = amd_mir_new_instr(&builder, MIR_P_SPILL, 0, spiller->vector ? 3 : 1);
    store->operands[0] = value;
    if (spiller->vector)
        memcpy(&store->operands[1], private_memory, sizeof(private_memory));
    store->imm = near_slot;
    *(spiller->vector ? &spiller->program->spilled_vgprs : &spiller->program->spilled_sgprs) +=
        spiller_class_of(spiller, value.temp).dwords;
}

/* A fresh temporary with the value, before `place`. */
static mir_temp build_load(struct spiller *spiller, struct mir_block *block, struct list *place, mir_temp temp)
{
    struct mir_program *program = spiller->program;
    struct mir_builder builder = {program, block, place};
    struct mir_instr *def = program->temps[temp].def;
    mir_temp fresh = amd_mir_new_temp(program, spiller_class_of(spiller, temp));
    amd_spill_reserve(spiller);
    spiller->keep[fresh] = true;
    if (amd_spill_is_constant(def)) {
        struct mir_instr *again = amd_mir_new_instr(&builder, MIR_P_COPY, 1, 1);
        again->defs[0] = mir_result(fresh);
        again->operands[0] = def->operands[0];
        return fresh;
    }
    struct mir_operand private_memory[2];
    uint32_t near_slot = add_private(spiller, &builder, slot_of(spiller, temp), private_memory);
    struct mir_instr *load = amd_mir_new_instr(&builder, MIR_P_RELOAD, 1, spiller->vector ? 2 : 0);
    load->defs[0] = mir_result(fresh);
    if (spiller->vector)
        memcpy(load->operands, private_memory, sizeof(private_memory));
    load->imm = near_slot;
    return fresh;
}

/* Where an edge's copies of this file stand. */
static struct list *edge_place(struct mir_block *block, bool vector)
{
    struct list *place = &block->instrs;
    for (struct list *link = block->instrs.prev; link != &block->instrs; link = link->prev) {
        unsigned op = container_of(link, struct mir_instr, link)->op;
        if (op == MIR_P_BRANCH || op == MIR_P_CBRANCH)
            place = link;
        if (vector && op == MIR_P_LOGICAL_END)
            return link;
    }
    return place;
}

static bool operand_waits(const struct spiller *spiller, const struct mir_operand *operand)
{
    return operand->kind == MIR_TEMP && spiller_class_of(spiller, operand->temp).vector == spiller->vector &&
           spiller->chosen[operand->temp];
}

/* A store into a phi's slot destroys what another phi of the same block reads from it. */
static bool is_phi_of(const struct mir_block *block, mir_temp temp)
{
    mir_foreach_instr(block, phi)
    {
        if (!mir_is_phi(phi))
            break;
        if (phi->defs[0].temp == temp)
            return true;
    }
    return false;
}

static void store_phi(struct spiller *spiller, struct mir_block *block, struct list *place, mir_temp result,
                      struct mir_operand operand)
{
    struct mir_program *program = spiller->program;
    struct mir_builder builder = {program, block, place};
    if (operand.kind == MIR_UNDEF)
        return;
    if (operand.kind != MIR_TEMP || spiller_class_of(spiller, operand.temp).vector != spiller->vector) {
        mir_temp fresh = amd_mir_new_temp(program, spiller_class_of(spiller, result));
        amd_spill_reserve(spiller);
        spiller->keep[fresh] = true;
        struct mir_instr *copy = amd_mir_new_instr(&builder, MIR_P_COPY, 1, 1);
        copy->defs[0] = mir_result(fresh);
        copy->operands[0] = operand;
        operand = mir_use(fresh);
    }
    build_store(spiller, block, place, operand, slot_of(spiller, result));
}

static bool is_stored(const struct spiller *spiller, const struct mir_instr *phi)
{
    mir_temp result = phi->defs[0].temp;
    return spiller_class_of(spiller, result).vector == spiller->vector && spiller->chosen[result];
}

/* A phi of the same kind that is not done yet and reads the slot of `temp`; NULL: none. */
static struct mir_instr *reader_of(const struct spiller *spiller, const struct mir_block *to, unsigned pred,
                                   unsigned op, const struct mir_instr *but)
{
    mir_foreach_instr(to, phi)
    {
        if (!mir_is_phi(phi))
            break;
        if (phi->op == op && phi != but && !phi->pass_flags && is_stored(spiller, phi) &&
            operand_waits(spiller, &phi->operands[pred]) && phi->operands[pred].temp == but->defs[0].temp)
            return phi;
    }
    return NULL;
}

static void load_operand(struct spiller *spiller, struct mir_block *block, struct list *place,
                         struct mir_operand *operand)
{
    if (operand_waits(spiller, operand))
        *operand = mir_use(build_load(spiller, block, place, operand->temp));
}

/* From memory to memory, each only when no other still reads its slot; of a cycle one value is held meanwhile. */
static void store_phis(struct spiller *spiller, struct mir_block *block, struct list *place, struct mir_block *to,
                       unsigned pred, unsigned op)
{
    for (bool left = true; left;) {
        struct mir_instr *stuck = NULL;
        bool progress = false;
        mir_foreach_instr(to, phi)
        {
            if (!mir_is_phi(phi))
                break;
            if (phi->op != op || phi->pass_flags || !is_stored(spiller, phi))
                continue;
            stuck = phi;
            if (reader_of(spiller, to, pred, op, phi))
                continue;
            load_operand(spiller, block, place, &phi->operands[pred]);
            store_phi(spiller, block, place, phi->defs[0].temp, phi->operands[pred]);
            phi->pass_flags = 1;
            progress = true;
        }
        left = stuck != NULL;
        if (left && !progress)
            load_operand(spiller, block, place, &reader_of(spiller, to, pred, op, stuck)->operands[pred]);
    }
}

/* At the end of a predecessor: phis in registers first take what stores would destroy, then the others are stored, then
 * the rest is loaded. */
static void rewrite_edge(struct spiller *spiller, struct mir_block *block, struct mir_block *to, unsigned pred,
                         unsigned op)
{
    struct list *place = edge_place(block, op == MIR_P_PHI);
    for (unsigned pass = 0; pass < 2; pass++) {
        mir_foreach_instr(to, phi)
        {
            if (!mir_is_phi(phi))
                break;
            struct mir_operand *operand = &phi->operands[pred];
            phi->pass_flags = 0;
            if (phi->op == op && !is_stored(spiller, phi) &&
                (pass == 1 || (operand->kind == MIR_TEMP && is_phi_of(to, operand->temp))))
                load_operand(spiller, block, place, operand);
        }
        if (pass == 0)
            store_phis(spiller, block, place, to, pred, op);
    }
}

static void rewrite_edges(struct spiller *spiller)
{
    struct mir_program *program = spiller->program;
    mir_foreach_block(program, block)
    {
        if (list_is_empty(&block->instrs) || !mir_is_phi(container_of(block->instrs.next, struct mir_instr, link)))
            continue;
        for (unsigned i = 0; i < block->num_linear_preds; i++)
            rewrite_edge(spiller, &program->blocks[block->linear_preds[i]], block, i, MIR_P_LINEAR_PHI);
        for (unsigned i = 0; i < block->num_logical_preds; i++)
            rewrite_edge(spiller, &program->blocks[block->logical_preds[i]], block, i, MIR_P_PHI);
        mir_foreach_instr(block, phi)
        {
            if (!mir_is_phi(phi))
                break;
            mir_temp result = phi->defs[0].temp;
            if (spiller_class_of(spiller, result).vector == spiller->vector && spiller->chosen[result])
                list_remove(&phi->link);
        }
    }
}

static void rewrite_operands(struct spiller *spiller, struct mir_block *block, struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mir_operand *operand = &instr->operands[i];
        if (operand->kind != MIR_TEMP || spiller_class_of(spiller, operand->temp).vector != spiller->vector ||
            !spiller->chosen[operand->temp])
            continue;
        mir_temp old = operand->temp, fresh = build_load(spiller, block, &instr->link, old);
        for (unsigned j = i; j < instr->num_operands; j++) {
            if (instr->operands[j].kind == MIR_TEMP && instr->operands[j].temp == old)
                instr->operands[j].temp = fresh;
        }
    }
}

/* Where a value is stored that an instruction writes: behind it, and where private memory's descriptor is known. */
static struct list *behind(const struct mir_program *program, const struct mir_instr *instr)
{
    const struct mir_instr *rsrc = program->temps[program->scratch_rsrc].def;
    return (instr->op == MIR_P_START && program->scratch_rsrc ? rsrc : instr)->link.next;
}

void amd_spill_rewrite(struct spiller *spiller)
{
    struct mir_program *program = spiller->program;
    rewrite_edges(spiller);
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (mir_is_phi(instr))
                continue;
            rewrite_operands(spiller, block, instr);
            struct list *place = spiller->vector ? behind(program, instr) : instr->link.next;
            bool constant = amd_spill_is_constant(instr);
            for (unsigned i = 0; i < instr->num_defs; i++) {
                mir_temp temp = instr->defs[i].temp;
                if (!temp || spiller_class_of(spiller, temp).vector != spiller->vector || !spiller->chosen[temp])
                    continue;
                spiller->keep[temp] = true; /* what is left of it is short */
                if (constant)
                    list_remove(&instr->link);
                else
                    build_store(spiller, block, place, mir_use(temp), slot_of(spiller, temp));
            }
        }
    }
    memset(spiller->chosen, 0, spiller->capacity * sizeof(bool));
}
