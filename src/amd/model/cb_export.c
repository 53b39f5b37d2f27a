/* Exported colours as numbers. */
#include "amd/model/cb.h"

#include <string.h>

#include "amd/hw/enums.h"
#include "util/half.h"

/* Two 16-bit channels a row: R and G in the first, B and A in the second. */
static uint16_t channel16(const uint32_t rows[4][CB_MAX_LANES], unsigned lane, unsigned c)
{
    return (uint16_t)(rows[c / 2][lane] >> (c & 1) * 16);
}

static float snorm16(uint16_t code)
{
    float value = (float)(int16_t)code / 32767.0f;
    return value < -1 ? -1 : value;
}

void cb_convert(const struct cb_target *target, const uint32_t rows[4][CB_MAX_LANES], uint32_t first, uint32_t end, union cb_color *colors)
{
    for (uint32_t lane = first; lane < end; lane++) {
        union cb_color *color = &colors[lane];
        switch ((enum amd_EXPORT_FORMAT)target->export_format) {
        case AMD_EXPORT_FORMAT_32_R:
        case AMD_EXPORT_FORMAT_32_GR:
            for (unsigned c = 0; c < 4; c++)
                color->u[c] = rows[c][lane];
            break;
        case AMD_EXPORT_FORMAT_32_AR: /* alpha comes in the second channel */
            color->u[0] = rows[0][lane];
            color->u[1] = color->u[2] = 0;
            color->u[3] = rows[1][lane];
            break;
        case AMD_EXPORT_FORMAT_32_ABGR:
            for (unsigned c = 0; c < 4; c++)
                color->u[c] = rows[c][lane];
            break;
        case AMD_EXPORT_FORMAT_FP16_ABGR:
            for (unsigned c = 0; c < 4; c++)
                color->f[c] = half_to_float(channel16(rows, lane, c));
            break;
        case AMD_EXPORT_FORMAT_UNORM16_ABGR:
            for (unsigned c = 0; c < 4; c++)
                color->f[c] = (float)channel16(rows, lane, c) / 65535.0f;
            break;
        case AMD_EXPORT_FORMAT_SNORM16_ABGR:
            for (unsigned c = 0; c < 4; c++)
                color->f[c] = snorm16(channel16(rows, lane, c));
            break;
        case AMD_EXPORT_FORMAT_UINT16_ABGR:
            for (unsigned c = 0; c < 4; c++)
                color->u[c] = channel16(rows, lane, c);
            break;
        case AMD_EXPORT_FORMAT_SINT16_ABGR:
            for (unsigned c = 0; c < 4; c++)
                color->i[c] = (int16_t)channel16(rows, lane, c);
            break;
        default:
            memset(color, 0, sizeof(*color));
            break;
        }
    }
}
