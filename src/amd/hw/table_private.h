/* What the generated tables and table.c share, and nobody else needs. */
#ifndef AMD_HW_TABLE_PRIVATE_H
#define AMD_HW_TABLE_PRIVATE_H

#include "amd/hw/table.h"

#define AMD_REG_LIMIT_B 0x40000u
#define AMD_IMAGE_FORMAT_LIMIT 512u

/* 256 bytes of register space are a page of 64 row numbers, plus one; page 0 is empty. */
extern const uint16_t amd_reg_pages[][64];
extern const uint8_t amd_reg_directory[AMD_GFX_COUNT][AMD_REG_LIMIT_B >> 8];
extern const uint8_t amd_packet_index[AMD_GFX_COUNT][256];
extern const uint8_t amd_image_format_index[AMD_GFX_COUNT][AMD_IMAGE_FORMAT_LIMIT];

#endif
