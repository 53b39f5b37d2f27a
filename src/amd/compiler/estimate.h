/* How long instructions take on GFX10.3, in cycles of a SIMD: what scheduling weighs and what the statistics add up.
 * Round numbers: they say what is near and what is far, not what a chip measures. */
#ifndef AMD_COMPILER_ESTIMATE_H
#define AMD_COMPILER_ESTIMATE_H

#include "amd/isa/isa.h"

enum estimate_unit {
    ESTIMATE_SALU,
    ESTIMATE_VALU,
    ESTIMATE_TRANS,
    ESTIMATE_SMEM,
    ESTIMATE_LDS,
    ESTIMATE_VMEM,
    ESTIMATE_EXPORT,
    ESTIMATE_BRANCH,
    ESTIMATE_UNITS,
};

struct estimate {
    uint8_t unit;   /* enum estimate_unit */
    uint8_t issue;  /* cycles that the unit is busy with it */
    uint16_t ready; /* cycles until its result can be read */
};

static inline struct estimate estimate_of(unsigned op, unsigned wave_size)
{
    const struct isa_op_info *info = isa_info(op);
    unsigned passes = wave_size / 32;
    bool stores = info->memory == ISA_MEMORY_STORE;
    bool samples = info->properties & (ISA_PROP_SAMPLE | ISA_PROP_GATHER4);
    switch (info->latency) {
    case ISA_LATENCY_SALU:
        return (struct estimate){ESTIMATE_SALU, 1, 2};
    case ISA_LATENCY_BRANCH:
    case ISA_LATENCY_MESSAGE:
        return (struct estimate){ESTIMATE_BRANCH, info->latency == ISA_LATENCY_BRANCH ? 8 : 1, 1};
    case ISA_LATENCY_SMEM:
        return (struct estimate){ESTIMATE_SMEM, 1, 180};
    case ISA_LATENCY_TRANS:
        return (struct estimate){ESTIMATE_TRANS, (uint8_t)(4 * passes), 10};
    case ISA_LATENCY_QUARTER:
        return (struct estimate){ESTIMATE_VALU, (uint8_t)(4 * passes), 8};
    case ISA_LATENCY_F64:
        return (struct estimate){ESTIMATE_VALU, (uint8_t)(16 * passes), 22};
    case ISA_LATENCY_LDS:
        return (struct estimate){ESTIMATE_LDS, (uint8_t)(2 * passes), 30};
    case ISA_LATENCY_VMEM:
        return (struct estimate){ESTIMATE_VMEM, (uint8_t)((samples ? 4 : 2) * passes),
                                 stores    ? 1
                                 : samples ? 400
                                           : 320};
    case ISA_LATENCY_EXPORT:
        return (struct estimate){ESTIMATE_EXPORT, (uint8_t)(4 * passes), 16};
    default:
        return (struct estimate){ESTIMATE_VALU, (uint8_t)passes, 5};
    }
}

/* Waves that share a SIMD, by the VGPRs of one. */
static inline unsigned estimate_waves(unsigned wave_size, unsigned vgprs)
{
    unsigned granule = wave_size == 32 ? 16 : 8, total = wave_size == 32 ? 1024 : 512;
    unsigned each = (vgprs + granule - 1) / granule * granule;
    unsigned waves = total / (each ? each : granule);
    return waves > 16 ? 16 : waves;
}

#endif
