/* Formats of colour targets: the hardware's format, number type and component swap as a format of util/format and an
 * order of components. */
#include "amd/model/cb/cb.h"

#include <string.h>

#include "util/bits.h"

/* A row names the format whose components stand at the hardware's X, Y, Z, W (X lowest), and which component of it each
 * of those is. */
struct row {
    uint8_t count;          /* components */
    uint8_t place[4];       /* X, Y, Z, W → component of the format */
    enum format formats[8]; /* by enum amd_NUMBER_TYPE */
};

#define STANDARD                                                                                                       \
    {                                                                                                                  \
        0, 1, 2, 3                                                                                                     \
    }
#define REVERSED                                                                                                       \
    {                                                                                                                  \
        3, 2, 1, 0                                                                                                     \
    }

static const struct row rows[] = {
    [AMD_COLOR_FORMAT_8] = {1,
                            STANDARD,
                            {FORMAT_R8_UNORM, FORMAT_R8_SNORM, FORMAT_R8_USCALED, FORMAT_R8_SSCALED, FORMAT_R8_UINT,
                             FORMAT_R8_SINT, FORMAT_R8_SRGB, FORMAT_UNDEFINED}},
    [AMD_COLOR_FORMAT_16] = {1,
                             STANDARD,
                             {FORMAT_R16_UNORM, FORMAT_R16_SNORM, FORMAT_R16_USCALED, FORMAT_R16_SSCALED,
                              FORMAT_R16_UINT, FORMAT_R16_SINT, FORMAT_UNDEFINED, FORMAT_R16_SFLOAT}},
    [AMD_COLOR_FORMAT_8_8] = {2,
                              STANDARD,
                              {FORMAT_R8G8_UNORM, FORMAT_R8G8_SNORM, FORMAT_R8G8_USCALED, FORMAT_R8G8_SSCALED,
                               FORMAT_R8G8_UINT, FORMAT_R8G8_SINT, FORMAT_R8G8_SRGB, FORMAT_UNDEFINED}},
    [AMD_COLOR_FORMAT_32] = {1,
                             STANDARD,
                             {[AMD_NUMBER_TYPE_UINT] = FORMAT_R32_UINT,
                              [AMD_NUMBER_TYPE_SINT] = FORMAT_R32_SINT,
                              [AMD_NUMBER_TYPE_FLOAT] = FORMAT_R32_SFLOAT}},
    [AMD_COLOR_FORMAT_16_16] = {2,
                                STANDARD,
                                {FORMAT_R16G16_UNORM, FORMAT_R16G16_SNORM, FORMAT_R16G16_USCALED, FORMAT_R16G16_SSCALED,
                                 FORMAT_R16G16_UINT, FORMAT_R16G16_SINT, FORMAT_UNDEFINED, FORMAT_R16G16_SFLOAT}},
    [AMD_COLOR_FORMAT_10_11_11] = {3, STANDARD, {[AMD_NUMBER_TYPE_FLOAT] = FORMAT_B10G11R11_UFLOAT_PACK32}},
    [AMD_COLOR_FORMAT_2_10_10_10] = {4,
                                     STANDARD,
                                     {FORMAT_A2B10G10R10_UNORM_PACK32, FORMAT_A2B10G10R10_SNORM_PACK32,
                                      FORMAT_A2B10G10R10_USCALED_PACK32, FORMAT_A2B10G10R10_SSCALED_PACK32,
                                      FORMAT_A2B10G10R10_UINT_PACK32, FORMAT_A2B10G10R10_SINT_PACK32}},
    [AMD_COLOR_FORMAT_8_8_8_8] = {4,
                                  STANDARD,
                                  {FORMAT_R8G8B8A8_UNORM, FORMAT_R8G8B8A8_SNORM, FORMAT_R8G8B8A8_USCALED,
                                   FORMAT_R8G8B8A8_SSCALED, FORMAT_R8G8B8A8_UINT, FORMAT_R8G8B8A8_SINT,
                                   FORMAT_R8G8B8A8_SRGB, FORMAT_UNDEFINED}},
    [AMD_COLOR_FORMAT_32_32] = {2,
                                STANDARD,
                                {[AMD_NUMBER_TYPE_UINT] = FORMAT_R32G32_UINT,
                                 [AMD_NUMBER_TYPE_SINT] = FORMAT_R32G32_SINT,
                                 [AMD_NUMBER_TYPE_FLOAT] = FORMAT_R32G32_SFLOAT}},
    [AMD_COLOR_FORMAT_16_16_16_16] = {4,
                                      STANDARD,
                                      {FORMAT_R16G16B16A16_UNORM, FORMAT_R16G16B16A16_SNORM,
                                       FORMAT_R16G16B16A16_USCALED, FORMAT_R16G16B16A16_SSCALED,
                                       FORMAT_R16G16B16A16_UINT, FORMAT_R16G16B16A16_SINT, FORMAT_UNDEFINED,
                                       FORMAT_R16G16B16A16_SFLOAT}},
    [AMD_COLOR_FORMAT_32_32_32_32] = {4,
                                      STANDARD,
                                      {[AMD_NUMBER_TYPE_UINT] = FORMAT_R32G32B32A32_UINT,
                                       [AMD_NUMBER_TYPE_SINT] = FORMAT_R32G32B32A32_SINT,
                                       [AMD_NUMBER_TYPE_FLOAT] = FORMAT_R32G32B32A32_SFLOAT}},
    [AMD_COLOR_FORMAT_5_6_5] = {3, STANDARD, {FORMAT_B5G6R5_UNORM_PACK16}},
    [AMD_COLOR_FORMAT_1_5_5_5] = {4, {2, 1, 0, 3}, {FORMAT_A1R5G5B5_UNORM_PACK16}},
    [AMD_COLOR_FORMAT_5_5_5_1] = {4, REVERSED, {FORMAT_R5G5B5A1_UNORM_PACK16}},
    [AMD_COLOR_FORMAT_4_4_4_4] = {4, REVERSED, {FORMAT_R4G4B4A4_UNORM_PACK16}},
    [AMD_COLOR_FORMAT_5_9_9_9] = {3, STANDARD, {[AMD_NUMBER_TYPE_FLOAT] = FORMAT_E5B9G9R9_UFLOAT_PACK32}},
};

/* Which component of the colour X, Y, Z and W are, by number of components and swap. */
static const uint8_t swaps[5][4][4] = {
    [1] = {{0}, {1}, {2}, {3}},
    [2] = {{0, 1}, {0, 3}, {1, 0}, {3, 0}},
    [3] = {{0, 1, 2}, {0, 1, 3}, {2, 1, 0}, {3, 1, 0}},
    [4] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {3, 2, 1, 0}, {3, 0, 1, 2}},
};

enum format amd_cb_format(enum amd_COLOR_FORMAT format, enum amd_NUMBER_TYPE type, enum amd_COMP_SWAP swap,
                          uint8_t from[4])
{
    if ((unsigned)format >= ARRAY_SIZE(rows) || !rows[format].count)
        return FORMAT_UNDEFINED;
    const struct row *row = &rows[format];
    for (unsigned k = 0; k < 4; k++)
        from[k] = (uint8_t)k;
    for (unsigned k = 0; k < row->count; k++)
        from[row->place[k]] = swaps[row->count][swap][k];
    return row->formats[type];
}
