/* Which handler an image or typed buffer instruction gets, and what its name says beyond the properties of its row. */
#include "amd/model/texture/ta.h"

#include <string.h>

/* Names are words between underscores. */
static bool has_word(const char *name, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = name; (at = strchr(at, '_')); at++) {
        if (strncmp(at + 1, word, length) == 0 && (at[1 + length] == '_' || at[1 + length] == '\0'))
            return true;
    }
    return false;
}

static uint32_t image_flags(const struct isa_inst *inst)
{
    const char *name = amd_isa_op_name(ISA_GFX10_3, inst->op);
    return (has_word(name, "lz") ? TA_LEVEL_ZERO : 0) | (has_word(name, "pck") ? TA_PACKED : 0) |
           (has_word(name, "sgn") ? TA_SIGNED : 0);
}

/* x, xy, xyz or xyzw. */
static uint32_t buffer_channels(const struct isa_inst *inst)
{
    const char *name = amd_isa_op_name(ISA_GFX10_3, inst->op);
    return (uint32_t)strlen(strrchr(name, '_') + 1);
}

sq_run_fn amd_ta_handler(const struct isa_inst *inst, const struct isa_op_info *info, uint32_t *flags_out)
{
    if (info->helper == ISA_HELPER_IMAGE_BVH) {
        *flags_out = 0;
        return inst->mem.tfe || inst->mem.lwe ? NULL : amd_ta_ray;
    }
    if (info->format == ISA_FORMAT_MIMG) {
        *flags_out = image_flags(inst);
        /* lwe asks for a report of a clamped level; r128 is an image without arrays, levels or metadata. No compiler
         * uses either. */
        if (inst->mem.lwe || inst->mem.r128 || (inst->mem.tfe && info->properties & ISA_PROP_MSAA))
            return NULL;
    } else {
        *flags_out = buffer_channels(inst);
    }
    switch (info->helper) {
    case ISA_HELPER_IMAGE_LOAD:
    case ISA_HELPER_IMAGE_MSAA_LOAD:
        return amd_ta_load;
    case ISA_HELPER_IMAGE_STORE:
        return amd_ta_store;
    case ISA_HELPER_IMAGE_ATOMIC:
        return amd_ta_atomic;
    case ISA_HELPER_IMAGE_SAMPLE:
    case ISA_HELPER_IMAGE_GATHER4:
        return amd_ta_sample;
    case ISA_HELPER_IMAGE_GET_LOD:
        return amd_ta_get_lod;
    case ISA_HELPER_IMAGE_GET_RESINFO:
        return amd_ta_get_resinfo;
    case ISA_HELPER_BUFFER_LOAD_FORMAT:
    case ISA_HELPER_BUFFER_STORE_FORMAT:
    case ISA_HELPER_TBUFFER_LOAD:
    case ISA_HELPER_TBUFFER_STORE:
        return inst->mem.tfe || inst->mem.lwe ? NULL : amd_ta_buffer_format;
    default:
        return NULL;
    }
}
