"""The sRGB tables: linear values of the 256 codes, and the thresholds between neighbouring codes as floats, exact by
decimal arithmetic of 60 digits; both ways as sums of powers, too (srgb_cubic.h). Writes srgb_tables.c."""
import itertools
import math
import struct
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60

FIRST_BITS = 0x39000000  # as in channel.h
SHIFT = 16
HALF_SHIFT = 13
ONE_BITS = 0x3F800000
CUBIC_SHIFT = 22
MARGIN = 1e-4  # of a code: more than arithmetic of floats is wrong by
NODES = (-0.9239, -0.3827, 0.3827, 0.9239)  # Chebyshev's
MOVES = (0, 4e-4, -4e-4, 8e-4, -8e-4, 1.6e-3, -1.6e-3)
CODES_BELOW = 14  # subtracted from a code before its octave is looked at: so all pieces, eight an octave, are fine enough
FIRST_PLACE = 16  # of codes in pieces, less the former
CODE_SHIFT = 20
ULPS = [sign * step / 10 for step in range(7) for sign in (1, -1)][1:]  # that a place is moved beside the curve
MIDDLES, TRIED = 512, 8  # in a piece


def bits_to_decimal(bits):
    return Decimal(struct.unpack('<f', struct.pack('<I', bits))[0])


def nearest_bits(value):
    """The float nearest to a positive decimal; no value here lies on a tie."""
    bits = struct.unpack('<I', struct.pack('<f', float(value)))[0]
    if not bits:
        return 0
    return min((bits - 1, bits, bits + 1), key=lambda candidate: abs(bits_to_decimal(candidate) - value))


def decode(encoded):
    """The curve from an encoded value in [0, 1] to a linear one (Khronos Data Format Specification, sRGB EOTF)."""
    if encoded <= Decimal('0.04045'):
        return encoded / Decimal('12.92')
    return ((encoded + Decimal('0.055')) / Decimal('1.055')) ** Decimal('2.4')


def encode(linear):
    if linear <= Decimal('0.0031308'):
        return linear * Decimal('12.92')
    return Decimal('1.055') * linear ** (1 / Decimal('2.4')) - Decimal('0.055')


def threshold_bits(code):
    """The smallest float that encodes to at least code + 1/2, and so to the next code."""
    half_way = (Decimal(code) + Decimal('0.5')) / 255
    bits = nearest_bits(decode(half_way))
    while encode(bits_to_decimal(bits)) >= half_way:
        bits -= 1
    while encode(bits_to_decimal(bits)) < half_way:
        bits += 1
    return bits


def steps(thresholds):
    """Of each bucket its first code, above what the bits of a float within it need to reach the next one."""
    entries = []
    for start in range(FIRST_BITS, ONE_BITS + 1, 1 << SHIFT):
        inside = [t for t in thresholds if start < t < start + (1 << SHIFT)]
        if len(inside) > 1:
            sys.exit(f'gen_srgb: bucket {start:#x} has {len(inside)} thresholds')
        missing = start + (1 << SHIFT) - inside[0] if inside else 0
        entries.append(sum(t <= start for t in thresholds) << SHIFT | missing)
    if entries[0] >> SHIFT != 0:
        sys.exit('gen_srgb: the first bucket does not start at code 0')
    return entries


def codes_of_halves(thresholds):
    """Codes of the floats that a half can be, from 2^-13 to 1: those with ten bits of fraction."""
    return [sum(t <= bits for t in thresholds) for bits in range(FIRST_BITS, ONE_BITS + 1, 1 << HALF_SHIFT)]


def to_float(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def float_of(bits):
    return struct.unpack('<f', struct.pack('<I', bits))[0]


def cubic_through(places, codes, rounded=to_float):
    """The coefficients, from the constant on, of the polynomial that has these codes at these places (Newton)."""
    slopes = list(codes)
    for step in range(1, len(places)):
        for i in range(len(places) - 1, step - 1, -1):
            slopes[i] = (slopes[i] - slopes[i - 1]) / (places[i] - places[i - step])
    out = slopes[-1:]
    for x, value in zip(places[-2::-1], slopes[-2::-1]):
        # value + X * out - x * out, by powers of X
        out = [a - x * b for a, b in zip([value] + out, out + [0.0])]
    return [rounded(value) for value in out]


def evaluate(coefficients, x):
    value = 0.0
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def distance(coefficients, start, codes):
    """How far the halves of a piece stay away from where they would come to another code, at least."""
    least = 1.0
    for bits in range(start, start + (1 << CUBIC_SHIFT), 1 << HALF_SHIFT):
        x, value = float_of(bits), coefficients[3]
        for coefficient in coefficients[2::-1]:
            value = to_float(value * x + coefficient)
        least = min(least, 0.5 - abs(value - codes[(bits - FIRST_BITS) >> HALF_SHIFT]))
    return least


def cubics(codes):
    """Of each piece, which are half an octave, a polynomial that rounds to the code of every half in it. Through four
    places of the curve it does so nearly everywhere; where it does not, they are moved a little."""
    pieces = [[0.0] * 4] * 32
    for start in range(FIRST_BITS, ONE_BITS, 1 << CUBIC_SHIFT):
        low, high = (float_of(bits) for bits in (start, start + (1 << CUBIC_SHIFT)))
        places = [low + (high - low) * (0.5 + node / 2) for node in NODES]
        curve = [float(encode(Decimal(x)) * 255) for x in places]
        for moves in itertools.product(MOVES, repeat=4):
            cubic = cubic_through(places, [code + move for code, move in zip(curve, moves)])
            if distance(cubic, start, codes) > MARGIN:
                break
        else:
            sys.exit(f'gen_srgb: no polynomial from {start:#x} on')
        pieces[start >> CUBIC_SHIFT & 31] = cubic
    pieces[ONE_BITS >> CUBIC_SHIFT & 31] = [255.0, 0.0, 0.0, 0.0]
    return pieces


def curve(code):
    """Above the straight part, as good as a float can be."""
    return ((code / 255 + 0.055) / 1.055) ** 2.4


def linear_by_cubic(middle, coefficients, code):
    value = coefficients[3]
    for coefficient in coefficients[2::-1]:
        value = to_float(value * (code - middle) + coefficient)
    return value


def ulps(value):
    return abs(to_float(value) - value) / 2.0 ** (math.frexp(value)[1] - 24)


def linear_cubic(low, end, linear):
    """The middle of a piece of the codes from low on, less CODES_BELOW, and the coefficients by the distance from there,
    which come to the very float of each code. Through four places of the curve, or a little beside it, a polynomial comes
    near enough to all of them; rounding loses least where distances are small and the polynomial has a float, or nearly so,
    at the middle."""
    nodes = [(low + end - 1 + node * (end - 1 - low)) / 2 for node in NODES]
    for moves in itertools.product(ULPS, repeat=4):
        values = [curve(node) * (1 + move * 2.0 ** -24) for node, move in zip(nodes, moves)]
        rough = cubic_through([node - low for node in nodes], values, float)
        if not all(to_float(evaluate(rough, code - low)) == linear[code] for code in range(low, end)):
            continue
        middles = sorted((low + (end - low) * (i + 0.5) / MIDDLES for i in range(MIDDLES)),
                         key=lambda middle: ulps(evaluate(rough, middle - low)))
        for middle in middles[:TRIED]:
            coefficients = cubic_through([node - middle for node in nodes], values)
            if all(linear_by_cubic(middle, coefficients, code) == linear[code] for code in range(low, end)):
                return [middle - CODES_BELOW] + coefficients
    return sys.exit(f'gen_srgb: no polynomial from code {low} on')


def linear_cubics(linear):
    pieces = [None] * 32
    for octave in (FIRST_PLACE << n for n in range(4)):
        for low in range(octave, 2 * octave, octave // 8):
            bits = struct.unpack('<I', struct.pack('<f', low))[0]
            first, end = low + CODES_BELOW, min(low + octave // 8 + CODES_BELOW, 256)
            pieces[bits >> CODE_SHIFT & 31] = linear_cubic(first, end, linear) if first < end else [0.0] * 5
    return pieces


def rows(values, text, per_line):
    for start in range(0, len(values), per_line):
        yield '    ' + ', '.join(text(v) for v in values[start:start + per_line]) + ','


def main():
    thresholds = [threshold_bits(code) for code in range(255)]
    linear = [nearest_bits(decode(Decimal(code) / 255)) for code in range(256)]
    codes = codes_of_halves(thresholds)
    pieces = cubics(codes)
    as_float = [float_of(bits).hex() + 'f' for bits in linear]
    linear_pieces = linear_cubics([float_of(bits) for bits in linear])
    out = ['/* Generated by gen_srgb.py. */', '#include "util/format/channel.h"', '#include "util/format/srgb_cubic.h"', '',
           '/* A line of what is permuted is one load. */', '#define ALIGNED __attribute__((aligned(64)))', '',
           'ALIGNED const float format_srgb_to_linear_table[256] = {', *rows(as_float, str, 6), '};', '',
           'const uint32_t format_srgb_step[] = {', *rows(steps(thresholds), lambda v: f'{v:#x}', 12), '};', '',
           '/* Bytes may be read as the first ones of dwords: three more follow. */',
           'const uint8_t format_srgb_of_half[] = {', *rows(codes + [0] * 3, str, 24), '};', '',
           'ALIGNED const float format_srgb_cubic[4][32] = {',
           *(line for k in range(4) for line in ('{', *rows([c[k].hex() + 'f' for c in pieces], str, 4), '},')), '};', '',
           'ALIGNED const float format_srgb_linear_cubic[5][32] = {',
           *(line for k in range(5) for line in ('{', *rows([c[k].hex() + 'f' for c in linear_pieces], str, 4), '},')), '};',
           '']
    with open(sys.argv[1], 'w') as file:
        file.write('\n'.join(out))


if __name__ == '__main__':
    main()
