/* How the graphics blocks read their registers: by name, unpacked, from the files of the command processor. Needs `gfx`
 * and `registers` in scope. The offsets are those of GFX10.3, the generation of this model. */
#ifndef AMD_MODEL_REGISTER_FIELDS_H
#define AMD_MODEL_REGISTER_FIELDS_H

#include "amd/model/registers.h"

#define GET_WORD(name) cp_reg(registers, AMD_REG_##name##_GFX10_3)
#define GET_WORD_AT(name, index) cp_reg(registers, AMD_REG_##name##_GFX10_3 + (index)*AMD_REG_##name##_STRIDE)
#define GET(name) amd_unpack_##name(gfx, GET_WORD(name))
#define GET_AT(name, index) amd_unpack_##name(gfx, GET_WORD_AT(name, index))

#endif
