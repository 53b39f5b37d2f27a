"""astc.table to astc_tables.c, the tables that astc.c decodes with. Checks that no two block modes have the same number and that
unquantised values fill their range from end to end: a typing error in the table stops the build."""
import sys

sys.dont_write_bytecode = True
import gen_bc
import gen_srgb

WEIGHT_RANGES = 12
FIRST_COLOUR_RANGE = 4  # 0..5
MAX_WEIGHTS, MIN_WEIGHT_BITS, MAX_WEIGHT_BITS = 64, 24, 96


def fail(text):
    sys.exit(f'gen_astc: {text}')


def read_range(words):
    values = gen_bc.options(words[2:])
    row = {key: int(values.get(key, 0)) for key in ('trits', 'quints', 'bits')}
    row.update(max=int(words[1]), colour=values.get('colour'), weight=values.get('weight'), weights=values.get('weights'))
    base = 3 if row['trits'] else 5 if row['quints'] else 1
    if row['max'] != (base << row['bits']) - 1:
        fail(f'a range to {row["max"]} is not coded by these bits')
    return row


def sequence_bits(row, count):
    """The bits of `count` integers ("Data Size Determination")."""
    return -(-count * 8 * row['trits'] // 5) - (-count * 7 * row['quints'] // 3) + count * row['bits']


def repeat(value, bits, wanted):
    out, have = 0, 0
    while have < wanted:
        out, have = out << bits | value, have + bits
    return out >> (have - wanted)


def scramble(value, row, spec, width):
    """Of `width` + 1 bits: unquantisation of an integer with a trit or a quint."""
    pattern, factor = spec.split('*')
    if len(pattern) != width + 1:
        fail(f'"{pattern}" has {len(pattern)} bits')
    bit = {chr(ord('a') + i): value >> i & 1 for i in range(row['bits'])}
    bit['0'] = 0
    low = (1 << width + 1) - 1 if bit['a'] else 0
    middle = sum(bit[letter] << width - i for i, letter in enumerate(pattern))
    high = value >> row['bits']
    number = (high * int(factor) + middle) ^ low
    return (low & 1 << width - 1) | number >> 2


def unquantised(row, kind, width):
    out = []
    for value in range(row['max'] + 1):
        if row['trits'] or row['quints']:
            if kind == 'weight' and row['weights']:
                out.append(int(row['weights'].split(',')[value]))
            else:
                out.append(scramble(value, row, row[kind], width))
        else:
            out.append(repeat(value, row['bits'], width))
    if len(set(out)) != len(out) or min(out) != 0 or max(out) != (1 << width) - 1:
        fail(f'the {kind}s of the range to {row["max"]} do not fill theirs: {out}')
    return out


def trits(code):
    """Five trits of eight bits ("Integer Sequence Encoding")."""
    def bits(high, low, of=code):
        return of >> low & (1 << high - low + 1) - 1

    if bits(4, 2) == 7:
        rest, t3, t4 = bits(7, 5) << 2 | bits(1, 0), 2, 2
    else:
        rest = bits(4, 0)
        t4, t3 = (2, bits(7, 7)) if bits(6, 5) == 3 else (bits(7, 7), bits(6, 5))
    if bits(1, 0, rest) == 3:
        t2, t1, pair = 2, bits(4, 4, rest), bits(3, 2, rest)
    elif bits(3, 2, rest) == 3:
        return [bits(1, 0, rest), 2, 2, t3, t4]
    else:
        t2, t1, pair = bits(4, 4, rest), bits(3, 2, rest), bits(1, 0, rest)
    return [2 if pair & 2 else pair, t1, t2, t3, t4]


def quints(code):
    """Three quints of seven bits."""
    def bits(high, low, of=code):
        return of >> low & (1 << high - low + 1) - 1

    if bits(2, 1) == 3 and bits(6, 5) == 0:
        return [4, 4, 4 if code & 1 else bits(4, 3)]
    if bits(2, 1) == 3:
        q2, rest = 4, bits(4, 3) << 3 | (3 - bits(6, 5)) << 1 | code & 1
    else:
        q2, rest = bits(6, 5), bits(4, 0)
    return [bits(4, 3, rest), 4, q2] if bits(2, 0, rest) == 5 else [bits(2, 0, rest), bits(4, 3, rest), q2]


def match(pattern, number):
    """The letters' values, or None if the number is not of this row."""
    found = dict.fromkeys('dpwhxyz', 0)
    for i, letter in enumerate(pattern):
        bit = number >> 10 - i & 1
        if letter in '01':
            if bit != int(letter):
                return None
        else:
            found[letter] = found[letter] << 1 | bit
    return found if found['x'] or found['y'] else None


def size(text, found):
    letter, _, add = text.partition('+')
    return found[letter] + int(add) if add else int(text)


def block_mode(rows, ranges, number):
    """As the C initialiser; a grid of no width where the mode is reserved or no block can hold its weights."""
    matches = [(row, match(row[1], number)) for row in rows]
    matches = [(row, found) for row, found in matches if found]
    if len(matches) > 1:
        fail(f'block mode {number:#x} answers to {matches}')
    if not matches:
        return '{0}'
    (row, found), = matches
    values = gen_bc.options(row[2:])
    width, height = size(values['width'], found), size(values['height'], found)
    index = found['p'] * 6 + (found['x'] << 2 | found['y'] << 1 | found['z']) - 2
    count = width * height << found['d']
    bits = sequence_bits(ranges[index], count)
    if count > MAX_WEIGHTS or not MIN_WEIGHT_BITS <= bits <= MAX_WEIGHT_BITS:
        return '{0}'
    return f'{{{width}, {height}, {index}, {found["d"]}, {bits}}}'


def colour_range(ranges, pairs, bits):
    """The largest range in which so many pairs of integers fit into the bits; 0: none."""
    return max((i for i in range(FIRST_COLOUR_RANGE, len(ranges)) if sequence_bits(ranges[i], 2 * pairs) <= bits), default=0)


def main():
    table, path = sys.argv[1:]
    rows = gen_bc.read(table)
    ranges = [read_range(row) for row in rows if row[0] == 'range']
    modes = [row for row in rows if row[0] == 'mode']
    if [row['max'] for row in ranges] != sorted(row['max'] for row in ranges):
        fail('the ranges do not stand in ascending order')

    weights = [[n + (n > 32) for n in unquantised(row, 'weight', 6)] for row in ranges[:WEIGHT_RANGES]]
    colours = [unquantised(row, 'colour', 8) for row in ranges[FIRST_COLOUR_RANGE:]]
    by_number = [block_mode(modes, ranges, number) for number in range(2048)]

    def lists(values):
        for row in values:
            yield '    {'
            yield from gen_srgb.rows(row, str, 24)
            yield '    },'

    out = ['/* Generated by gen_astc.py from astc.table. */', '#include "util/format/astc.h"', '',
           f'const struct astc_range astc_ranges[{len(ranges)}] = {{',
           *gen_srgb.rows(ranges, lambda r: f'{{{r["trits"]}, {r["quints"]}, {r["bits"]}}}', 8), '};', '',
           'const struct astc_mode astc_modes[2048] = {', *gen_srgb.rows(by_number, str, 8), '};', '',
           'const uint8_t astc_trits[256][5] = {',
           *gen_srgb.rows([trits(n) for n in range(256)], lambda t: '{' + ', '.join(map(str, t)) + '}', 6), '};', '',
           'const uint8_t astc_quints[128][3] = {',
           *gen_srgb.rows([quints(n) for n in range(128)], lambda q: '{' + ', '.join(map(str, q)) + '}', 8), '};', '',
           f'const uint8_t astc_weights[{len(weights)}][32] = {{', *lists(weights), '};', '',
           f'const uint8_t astc_colours[{len(ranges)}][256] = {{', *['    {0},'] * FIRST_COLOUR_RANGE, *lists(colours), '};', '',
           'const uint8_t astc_colour_range[10][128] = {',
           *lists([[colour_range(ranges, pairs, bits) if pairs else 0 for bits in range(128)] for pairs in range(10)]), '};', '']
    with open(path, 'w') as file:
        file.write('\n'.join(out))


if __name__ == '__main__':
    main()
