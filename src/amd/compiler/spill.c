/* Not written yet: does nothing. */
#include "amd/compiler/mir.h"

void mir_spill(struct mir_program *program)
{
    (void)program;
}
