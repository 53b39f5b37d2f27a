/* Primitive assembly: the registers of the clipper and of setup as the rasteriser's state. The work itself is
 * model/raster's. Not for: which vertices make a primitive (ge_*.c), or samples (sc.h). */
#ifndef AMD_MODEL_PA_H
#define AMD_MODEL_PA_H

#include "amd/hw/regs_pa.h"
#include "amd/model/registers.h"
#include "model/raster/raster.h"

/* NULL, or what the model does not implement. */
const char *amd_pa_state_init(struct raster_state *state, enum amd_gfx gfx, const struct cp_registers *registers);

#endif
