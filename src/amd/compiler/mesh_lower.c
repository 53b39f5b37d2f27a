/* The operations of a mesh shader that its frame must know of: numbers of workgroups and invocations, outputs, waiting,
 * what a task shader left. */
#include "amd/compiler/mesh.h"
#include "amd/compiler/select.h"
#include "util/bits.h"

/* ---- numbers ---- */

/* The hardware counts workgroups; a draw has them in three dimensions. */
static struct ir_value *workgroup_id(const struct mesh *m, struct ir_builder *b)
{
    struct ir_value *sizes = ir_load_sysval(b, 32, 3, IR_SYSVAL_num_workgroups), *parts[3], *left = m->group;
    for (unsigned i = 0; i < 2; i++) {
        struct ir_value *size = ir_extract(b, sizes, i), *next = ir_udiv(b, left, size);
        parts[i] = ir_isub(b, left, ir_imul(b, next, size));
        left = next;
    }
    parts[2] = left;
    return ir_vec(b, 3, parts);
}

static struct ir_value *local_id(const struct mesh *m, struct ir_builder *b)
{
    struct ir_value *parts[3], *left = m->item;
    for (unsigned i = 0; i < 2; i++) {
        struct ir_value *size = ir_const(b, 32, m->mesh->workgroup_size[i]), *next = ir_udiv(b, left, size);
        parts[i] = ir_isub(b, left, ir_imul(b, next, size));
        left = next;
    }
    parts[2] = left;
    return ir_vec(b, 3, parts);
}

/* Other workgroups wrote to the same place before: past the caches that do not know of it. */
static struct ir_value *load_payload(const struct mesh *m, struct ir_builder *b, uint8_t bits, uint8_t comps,
                                     struct ir_value *offset, uint32_t base_B, uint32_t align_B,
                                     uint32_t align_offset_B)
{
    if (!m->options->stage || !m->options->stage->has_task)
        ir_fail(m->shader, "a payload without a task shader");
    struct ir_value *ring =
        ir_load_desc(b, 4, ir_const(b, 32, AMD_RING_SET), ir_const(b, 32, 16 * AMD_RING_TASK_PAYLOAD));
    struct ir_value *slot = ir_iand(b, ir_task_entry(b), ir_const(b, 32, AMD_TASK_ENTRIES - 1)),
                    *place = ir_imul(b, slot, ir_const(b, 32, AMD_TASK_PAYLOAD_B));
    return ir_load_ssbo(b, bits, comps, ring, ir_iadd(b, place, offset), base_B, align_B, align_offset_B,
                        IR_ACCESS_COHERENT);
}

static bool lower_sysval(const struct mesh *m, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(m->shader, instr);
    struct ir_value *value;
    switch (ir_imm(instr, IR_IMM_SYSVAL)) {
    case IR_SYSVAL_workgroup_id:
        value = workgroup_id(m, &b);
        break;
    case IR_SYSVAL_local_id:
        value = local_id(m, &b);
        break;
    case IR_SYSVAL_local_index:
        value = m->item;
        break;
    case IR_SYSVAL_subgroup_id:
        value = m->number;
        break;
    case IR_SYSVAL_num_subgroups:
        value = ir_const(&b, 32, m->group_waves);
        break;
    case IR_SYSVAL_draw_index:
        if (!m->options->stage || !m->options->stage->has_task)
            return false;
        value = load_payload(m, &b, 32, 1, ir_const(&b, 32, 0), AMD_TASK_DRAW_B, 4, 0);
        break;
    default:
        return false;
    }
    ir_replace_uses(&instr->def, value);
    return true;
}

/* ---- outputs ---- */

/* Three indices of eight bits and whether the primitive is culled share a word. */
static void store_byte(const struct mesh *m, struct ir_builder *b, struct ir_value *primitive, struct ir_value *value,
                       uint32_t at)
{
    ir_store_shared(b, ir_u2u(b, 8, value), ir_ishl(b, primitive, ir_const(b, 32, 2)), m->indices_B + at, 1, 0);
}

static void store_channel(struct ir_builder *b, struct ir_value *value, struct ir_value *address, uint32_t base_B)
{
    if (value->bits != 64) {
        ir_store_shared(b, value, address, base_B, 4, 0);
        return;
    }
    ir_store_shared(b, ir_lo32(b, value), address, base_B, 4, 0);
    ir_store_shared(b, ir_hi32(b, value), address, base_B + 4, 4, 0);
}

static void store_output(const struct mesh *m, struct ir_instr *store)
{
    struct ir_builder b = ir_builder_before(m->shader, store);
    struct ir_value *value = ir_src(store, 0), *item = ir_src(store, 1), *offset = ir_src(store, 2);
    const uint32_t location = mesh_location(store, offset), comp = ir_imm(store, IR_IMM_COMP);
    if (location == IR_LOCATION_primitive_indices || location == IR_LOCATION_cull_primitive) {
        for (uint32_t i = 0; i < value->comps; i++)
            store_byte(m, &b, item, ir_extract(&b, value, i), location == IR_LOCATION_cull_primitive ? 3 : comp + i);
        return;
    }
    const bool of_primitive = m->is_of_primitive[location];
    struct ir_value *address =
        ir_imul(&b, item, ir_const(&b, 32, of_primitive ? m->primitive_stride_B : m->vertex_stride_B));
    if (!ir_is_const(offset)) {
        uint32_t element_dw = 0;
        for (unsigned i = 0; i < 4; i++)
            element_dw += m->output_bits[location][i] != 0;
        address = ir_iadd(&b, address, ir_imul(&b, offset, ir_const(&b, 32, element_dw * 4)));
    }
    const uint32_t first_B = of_primitive ? m->primitives_B : m->vertices_B, words = value->bits == 64 ? 2 : 1;
    for (uint32_t i = 0; i < value->comps && comp + i * words < 4; i++)
        store_channel(&b, ir_extract(&b, value, i), address, first_B + m->output_dw[location][comp + i * words] * 4u);
}

/* The first invocation's counts are the workgroup's. */
static void set_counts(const struct mesh *m, struct ir_instr *instr)
{
    struct ir_builder b = ir_builder_before(m->shader, instr);
    struct ir_value *zero = ir_const(&b, 32, 0);
    ir_builder_push_if(&b, ir_ieq(&b, m->item, zero));
    for (uint32_t i = 0; i < 2; i++)
        ir_store_shared(&b, ir_src(instr, i), zero, m->counts_B + i * 4, 4, 0);
    ir_builder_pop_if(&b);
}

/* ---- waiting ---- */

static void count_wait(const struct mesh *m, struct ir_instr *barrier)
{
    struct ir_builder b = ir_builder_before(m->shader, barrier);
    struct ir_value *zero = ir_const(&b, 32, 0), *before = ir_load_var(&b, 32, 1, zero, m->waits->index);
    ir_store_var(&b, ir_iadd(&b, before, ir_const(&b, 32, 1)), zero, m->waits->index);
}

/* ---- all of them ---- */

static bool is_wanted(const struct mesh *m, const struct ir_instr *instr)
{
    return instr->op == IR_OP_store_per_vertex || instr->op == IR_OP_set_mesh_outputs ||
           instr->op == IR_OP_load_sysval || instr->op == IR_OP_load_vertex_output || instr->op == IR_OP_load_payload ||
           (m->has_followers && mesh_is_wait(instr));
}

/* All of them first: an if takes blocks apart. */
static struct ir_instr **collect_instrs(const struct mesh *m, uint32_t *count_out)
{
    struct ir_instr **found = NULL;
    for (unsigned turn = 0; turn < 2; turn++) {
        uint32_t count = 0;
        ir_foreach_block (m->shader, block) {
            ir_foreach_instr (block, instr) {
                if (!is_wanted(m, instr))
                    continue;
                if (turn)
                    found[count] = instr;
                count++;
            }
        }
        if (!turn)
            found = ir_alloc_scratch(m->shader, (count + 1) * sizeof(struct ir_instr *));
        *count_out = count;
    }
    return found;
}

void amd_mesh_lower(struct mesh *m)
{
    uint32_t count;
    struct ir_instr **found = collect_instrs(m, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct ir_instr *instr = found[i];
        switch (instr->op) {
        case IR_OP_store_per_vertex:
            store_output(m, instr);
            break;
        case IR_OP_set_mesh_outputs:
            set_counts(m, instr);
            break;
        case IR_OP_barrier:
            count_wait(m, instr);
            continue;
        case IR_OP_load_sysval:
            if (!lower_sysval(m, instr))
                continue;
            break;
        case IR_OP_load_payload: {
            struct ir_builder b = ir_builder_before(m->shader, instr);
            ir_replace_uses(&instr->def, load_payload(m, &b, instr->def.bits, instr->def.comps, ir_src(instr, 0),
                                                      ir_imm(instr, IR_IMM_BASE), ir_imm(instr, IR_IMM_ALIGN),
                                                      ir_imm(instr, IR_IMM_ALIGN_OFFSET)));
            break;
        }
        default:
            ir_fail(m->shader, "an output of a mesh shader that is read");
        }
        ir_remove(instr);
    }
}
