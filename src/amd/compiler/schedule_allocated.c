/* Scheduling behind allocation: not written yet. Order before allocation (schedule.c) is all there is; this step is kept
 * for what copies and reloads leave behind. */
#include "amd/compiler/mir.h"

void mir_schedule_allocated(struct mir_program *program)
{
    (void)program;
}
