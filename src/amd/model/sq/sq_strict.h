/* Strict mode (TUFF_DEBUG=strict): a program that relies on what the hardware does not promise is stopped with a
 * report. docs/strict.md has the rules.
 *
 * Three things are checked, each in a file of its own:
 *  - results that are still on their way, and the hazards that software must avoid (sq_strict_pending.c);
 *  - what depends on registers and LDS words that nothing has written (sq_strict_shadow.c): every wave runs beside two
 *    shadows of itself that differ from it in nothing but those, and whatever leaves the wave must be the same in all
 *    three;
 *  - registers beyond those that the wave was given.
 *
 * The translator puts a check before every instruction and its image in the shadows after it. Without strict mode
 * there is neither. */
#ifndef AMD_MODEL_SQ_STRICT_H
#define AMD_MODEL_SQ_STRICT_H

#include "amd/model/sq/sq_code.h"

struct sq_launch;
struct sq_workgroup;
struct sq_strict_group;

/* Strict mode's state of a workgroup, beside its waves. NULL: out of memory. */
struct sq_strict_group *amd_sq_strict_group_create(void);
void amd_sq_strict_group_destroy(struct sq_strict_group *strict);

/* Called for each wave before the hardware's initial values are written: fills registers with garbage, as they may be
 * on hardware. False: out of memory. */
bool amd_sq_strict_begin(struct sq_workgroup *group, struct sq_wave *wave, const struct sq_launch *launch);

/* Around the micro-operations of one instruction; `first` is the number of the first of them. False: out of memory. */
bool amd_sq_strict_before(struct sq_builder *builder, const struct isa_inst *inst);
void amd_sq_strict_behind(struct sq_builder *builder, const struct isa_inst *inst, uint32_t first);

/* The mutation test (sq_strict_patch.c): exchange words before they are decoded; list them. */
void amd_sq_strict_patch(uint64_t va, uint32_t *words, uint32_t count);
void amd_sq_strict_list(uint64_t va, const uint32_t *words, uint32_t lanes, const struct isa_inst *inst);

#endif
