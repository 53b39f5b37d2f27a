/* The first VGPRs that a pixel shader may have, between the files that fill them. */
#ifndef AMD_MODEL_SPI_PS_INPUT_H
#define AMD_MODEL_SPI_PS_INPUT_H

#include "amd/model/spi/spi_ps.h"

/* Bits of SPI_PS_INPUT_ENA and _ADDR, in the order of the VGPRs. */
enum input {
    INPUT_PERSP_SAMPLE,
    INPUT_PERSP_CENTER,
    INPUT_PERSP_CENTROID,
    INPUT_PERSP_PULL,
    INPUT_LINEAR_SAMPLE,
    INPUT_LINEAR_CENTER,
    INPUT_LINEAR_CENTROID,
    INPUT_LINE_STIPPLE,
    INPUT_POS_X,
    INPUT_POS_Y,
    INPUT_POS_Z,
    INPUT_POS_W,
    INPUT_FRONT_FACE,
    INPUT_ANCILLARY,
    INPUT_SAMPLE_COVERAGE,
    INPUT_POS_FIXED,
    INPUT_COUNT,
};

extern const uint8_t amd_spi_ps_input_rows[INPUT_COUNT]; /* VGPRs of each */

#endif
