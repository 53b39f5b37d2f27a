/* Inside of the ETC2 and EAC decoders. All of them are bit-exact by specification: ETC2 gives 8-bit codes, EAC numbers
 * of 11 bits, which stand here in 16 as the specification extends them.
 *
 * ETC2 colours of blocks with alpha lie in the second eight bytes of a block, the alpha in the first. */
#ifndef UTIL_FORMAT_ETC2_H
#define UTIL_FORMAT_ETC2_H

#include <stdbool.h>
#include <stdint.h>

/* Eight bytes to sixteen texels. With `punchthrough` the bit that would choose individual colours says instead that the
 * block is opaque. */
void etc2_decode_colour(uint8_t (*dst)[4], const uint8_t *block, bool punchthrough);

/* Eight bytes to the alpha of sixteen texels. */
void etc2_decode_alpha(uint8_t (*dst)[4], const uint8_t *block);

/* Eight bytes to one channel of sixteen texels that lie `stride` numbers apart: unorm16, or snorm16 as two's
 * complement. */
void eac_decode(uint16_t *dst, unsigned stride, const uint8_t *block, bool is_signed);

#endif
