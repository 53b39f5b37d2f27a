/* The shared part of scheduling before and after allocation: the memory that an instruction touches, and the clause
 * that it can be part of. */
#ifndef AMD_COMPILER_SCHEDULE_H
#define AMD_COMPILER_SCHEDULE_H

#include "amd/compiler/mir.h"

#define SCHED_KINDS 4 /* of memory that is ordered: the low bits of enum mir_sync */

/* Bits of the kinds that the instruction touches, 0 where its place among others does not matter. */
unsigned amd_sched_memory_of(const struct mir_instr *instr, bool *writes_out);
/* Loads of one number may follow one another in a clause; 0: none. */
unsigned amd_sched_clause_of(const struct mir_instr *instr);
/* Time, caches, counters, modes, volatile memory, exports: nothing moves across, whatever registers say. */
bool amd_sched_is_fence(const struct mir_instr *instr);

#endif
