/* Between two stages that hand their values over in memory: which locations the second reads and the first writes, and
 * a slot of four dwords for each of those that is read. Where the slots lie is the family's. Beside it what all
 * tessellators leave to shaders. */
#ifndef COMPILER_LOWER_STAGE_SLOTS_H
#define COMPILER_LOWER_STAGE_SLOTS_H

#include "compiler/ir/ir_builder.h"

#define STAGE_LOCATIONS (IR_LOCATION_VAR0 + 64)
#define STAGE_NO_SLOT 0xff

/* The location that an access begins at, as far as that is known. */
static inline uint32_t stage_location(const struct ir_instr *instr, const struct ir_value *offset)
{
    const uint64_t at = ir_imm(instr, IR_IMM_LOCATION) + (ir_is_const(offset) ? ir_const_u64(offset) : 0);
    return at < STAGE_LOCATIONS ? (uint32_t)at : STAGE_LOCATIONS - 1;
}

/* Dwords of a value, where each component has one or more of its own. */
static inline uint32_t stage_dwords(const struct ir_value *value)
{
    return value->comps * (value->bits == 64 ? 2u : 1u);
}

/* Locations that loads of this kind name, as slots in their order; the offset is operand `offset` of the load. Where it
 * is computed, all locations of the interface have one: elements lie one after the other. Returns how many there
 * are. */
uint32_t stage_slots_of_loads(const struct ir_shader *shader, enum ir_op load, uint32_t offset, bool is_patch,
                              uint8_t slots_out[STAGE_LOCATIONS]);
/* Components that stores of outputs name, as bits by location. */
void stage_slots_note_stores(const struct ir_shader *shader, uint8_t stored_out[STAGE_LOCATIONS]);

/* gl_TessCoord of a tessellator that gives two coordinates; `domain` is an ir_primitive. */
struct ir_value *stage_tess_coord(struct ir_builder *b, unsigned domain);

#endif
