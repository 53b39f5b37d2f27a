/* Launches of moves: all workgroups of a dispatch whose program is a copy (sq_move.h), without a wave for each.
 *
 * Such a program runs once, on a wave of the launch's own, and is looked at: what depends on the workgroup's number? If
 * the offsets of lanes do not, and the addresses of all copies are a sum of one number that does and something that
 * does not, or the same with exclusive ors, then workgroups differ by these numbers alone. A workgroup is then the few
 * scalar instructions that make them, two comparisons with pages that are known, and a place at which the plan of all
 * copies (sq_move_plan.h) begins.
 *
 * Sums are of 64 bits, by s_add_u32 and s_addc_u32, so that a carry is no case of its own.
 *
 * Not for: workgroups of several waves or with inactive lanes, branches, scalars of the hardware's state, squares that
 * are none. Those run as waves, and so does every workgroup whose pages do not allow the access, so that a fault is
 * found and told where it always is. */
#ifndef AMD_MODEL_SQ_MOVE_LAUNCH_H
#define AMD_MODEL_SQ_MOVE_LAUNCH_H

#include "amd/model/sq/sq_move.h"
#include "amd/model/sq/sq_registers.h"

struct sq_move_launch;

/* `wave` is set up for one workgroup of the launch, at its first instruction, and stays the launch's own; `varying` are
 * the registers in which workgroups differ. NULL: not for this launch. */
struct sq_move_launch *amd_sq_move_launch_begin(struct sq_move *move, struct sq_wave *wave, uint64_t program_va,
                                                const struct sq_registers *varying);

/* A workgroup by the values of these registers, in their order; SQ_MOVES_WAVES at most before they are done. False: it
 * must run as a wave. */
bool amd_sq_move_launch_add(struct sq_move_launch *launch, const uint32_t *varying);
void amd_sq_move_launch_do(struct sq_move_launch *launch);

#endif
