/* The curve of sRGB for numbers that have no more bits of fraction than a half, as sums of powers whose factors a host permutes.
 * Not for other floats: theirs is the table of channel.h. */
#ifndef UTIL_FORMAT_SRGB_CUBIC_H
#define UTIL_FORMAT_SRGB_CUBIC_H

/* Factors from the constant on, by these bits of the number, & 31: the sum lies nearest to the number's code. Generated
 * (srgb_tables.c). */
extern const float format_srgb_cubic[4][32];
#define FORMAT_SRGB_CUBIC_SHIFT 22

#endif
