/* Local memory that a stage leaves for the next one of its wave, as IR: the outputs of a vertex or evaluation shader
 * that a geometry or control shader follows. Each primitive or patch of the wave has a part, in which its vertices
 * lie one after the other, a slot of four dwords for each location. */
#include <string.h>

#include "adreno/compiler/compiler.h"
#include "adreno/compiler/lower_adreno.h"
#include "adreno/hw/chip.h"

#define MAX_PATCH_POINTS 32

/* ---- the plan ---- */

static bool reads_primitive_id(const struct ir_shader *shader)
{
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_load_sysval && ir_imm(instr, IR_IMM_SYSVAL) == IR_SYSVAL_primitive_id)
                return true;
        }
    }
    return false;
}

/* The outputs of a stream are stored before each emission into it. */
static void note_streams(const struct ir_shader *geometry, uint8_t buffer_stream_out[IR_XFB_BUFFERS])
{
    uint8_t streams[STAGE_LOCATIONS][4] = {0};
    bool is_pending[STAGE_LOCATIONS][4] = {0};
    ir_foreach_block (geometry, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_store_output) {
                const uint32_t location = stage_location(instr, ir_src(instr, 1)), first = ir_imm(instr, IR_IMM_COMP);
                for (uint32_t i = 0; i < stage_dwords(ir_src(instr, 0)); i++)
                    is_pending[(location + (first + i) / 4) % STAGE_LOCATIONS][(first + i) % 4] = true;
            }
            for (uint32_t i = 0; instr->op == IR_OP_emit_vertex && i < STAGE_LOCATIONS * 4; i++) {
                if (is_pending[i / 4][i % 4])
                    streams[i / 4][i % 4] = (uint8_t)ir_imm(instr, IR_IMM_STREAM);
                is_pending[i / 4][i % 4] = false;
            }
        }
    }
    for (uint32_t i = 0; i < geometry->num_captures; i++) {
        const struct ir_capture *capture = &geometry->captures[i];
        buffer_stream_out[capture->buffer] = streams[capture->location % STAGE_LOCATIONS][capture->component % 4];
    }
}

void adreno_plan_handover(const struct ir_shader *first, const struct ir_shader *second, unsigned vertices,
                          struct adreno_handover *plan_out)
{
    memset(plan_out, 0, sizeof(*plan_out));
    plan_out->is_there = true;
    plan_out->vertices = (uint8_t)vertices;
    plan_out->has_primitive_id = reads_primitive_id(second);
    plan_out->vertex_B = (uint16_t)(16 * stage_slots_of_loads(second, IR_OP_load_per_vertex, 1, false, plan_out->slot));
    stage_slots_note_stores(first, plan_out->stored);
    if (second->stage != IR_STAGE_geometry)
        return;
    if (adreno_reads_results(second))
        plan_out->results_B = (uint16_t)(ADRENO_RESULT_B * (second->gs.invocations ? second->gs.invocations : 1));
    note_streams(second, plan_out->buffer_stream);
}

/* A control shader always knows its primitive's number, for it leaves that in memory. */
void adreno_plan_control(const struct ir_shader *vertex, const struct ir_shader *control,
                         const struct adreno_chip *chip, unsigned vertices, struct adreno_handover *plan_out)
{
    adreno_plan_handover(vertex, control, vertices ? vertices : MAX_PATCH_POINTS, plan_out);
    plan_out->has_unknown_vertices = !vertices;
    plan_out->has_primitive_id = plan_out->has_patch_number = true;
    plan_out->second_bit = chip && chip->tess_uses_shared ? 16 : 0;
}

/* ---- parts of the header ---- */

struct ir_value *adreno_header_field(struct ir_builder *b, struct ir_value *header, unsigned first, unsigned bits)
{
    struct ir_value *above = first ? ir_ushr(b, header, ir_const(b, 32, first)) : header;
    return first + bits >= 32 ? above : ir_iand(b, above, ir_const(b, 32, (1u << bits) - 1));
}

struct ir_value *adreno_handover_part(struct ir_builder *b, const struct adreno_handover *plan, struct ir_value *header,
                                      unsigned first_bit)
{
    return ir_imul(b, adreno_header_field(b, header, first_bit, 6), ir_const(b, 32, adreno_part_B(plan)));
}

/* ---- values: dwords, so that those of 16 bits have one each ---- */

/* Values in local memory have a dword for each component of 16 bits. */
static void adreno_store_dwords(struct ir_builder *b, struct ir_value *value, struct ir_value *address, uint32_t base_B)
{
    if (value->bits != 16) {
        ir_store_shared(b, value, address, base_B, 4, 0);
        return;
    }
    for (uint32_t i = 0; i < value->comps; i++)
        ir_store_shared(b, ir_u2u(b, 32, ir_extract(b, value, i)), address, base_B + i * 4, 4, 0);
}

static struct ir_value *load_component(struct ir_builder *b, uint8_t bits, struct ir_value *address, uint32_t base_B)
{
    return bits == 16 ? ir_u2u(b, 16, ir_load_shared(b, 32, 1, address, base_B, 4, 0))
                      : ir_load_shared(b, bits, 1, address, base_B, 4, 0);
}

/* An output that the first stage did not store is zero: local memory would say anything. */
struct ir_value *adreno_load_handover(struct ir_builder *b, const struct adreno_handover *plan,
                                      const struct ir_instr *instr, struct ir_value *part)
{
    struct ir_value *vertex = ir_src(instr, 0), *offset = ir_src(instr, 1), *comps[IR_MAX_COMPS];
    const uint32_t location = stage_location(instr, offset), step = instr->def.bits == 64 ? 2 : 1;
    const bool is_computed = !ir_is_const(offset);
    struct ir_value *address = ir_iadd(b, part, ir_imul(b, vertex, ir_const(b, 32, plan->vertex_B)));
    if (is_computed)
        address = ir_iadd(b, address, ir_ishl(b, offset, ir_const(b, 32, 4)));
    for (uint32_t i = 0; i < instr->def.comps; i++) {
        const uint32_t comp = ir_imm(instr, IR_IMM_COMP) + i * step;
        const bool is_there = comp < 4 && (is_computed || plan->stored[location] >> comp & 1);
        comps[i] = is_there ? load_component(b, instr->def.bits, address, plan->slot[location] * 16u + comp * 4)
                            : ir_const(b, instr->def.bits, 0);
    }
    return ir_vec(b, instr->def.comps, comps);
}

/* ---- the first stage ---- */

bool adreno_lower_handover(struct ir_shader *shader, const void *options)
{
    const struct adreno_handover *plan = options;
    struct ir_builder start = ir_builder_at_start(shader, ir_region_first(&shader->body));
    struct ir_value *header = ir_fiber_header(&start);
    struct ir_value *vertex = adreno_header_field(&start, header, ADRENO_HEADER_VERTEX);
    struct ir_value *address = ir_iadd(&start, adreno_handover_part(&start, plan, header, 0),
                                       ir_imul(&start, vertex, ir_const(&start, 32, plan->vertex_B)));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op != IR_OP_store_output)
                continue;
            if (!ir_is_const(ir_src(instr, 1)))
                ir_fail(shader, "an output that is indexed by a computed number");
            const uint8_t slot = plan->slot[stage_location(instr, ir_src(instr, 1))];
            struct ir_builder b = ir_builder_before(shader, instr);
            if (slot != STAGE_NO_SLOT)
                adreno_store_dwords(&b, ir_src(instr, 0), address, slot * 16u + ir_imm(instr, IR_IMM_COMP) * 4);
            ir_remove(instr);
        }
    }
    shader->num_outputs = shader->num_captures = 0;
    shader->vs.clip_distances = shader->vs.cull_distances = 0;
    return true;
}
