"""bc.table to bc_tables.c, the tables that bc.c, bc6h.c and bc7.c decode with. Checks that modes fill their blocks and anchors lie in
their subsets: a slip of the pen in the table stops the build."""
import re
import struct
import sys
from decimal import Decimal
from fractions import Fraction

sys.dont_write_bytecode = True
import gen_srgb

FIELD = re.compile(r'([rgb])([wxyz])(\d+)(?:\.\.(\d+))?$')


def fail(text):
    sys.exit(f'gen_bc: {text}')


def read(path):
    """The rows of the table; a line that starts with blanks goes on with the row above."""
    rows = []
    with open(path) as file:
        for line in file:
            line = line.split('#')[0].rstrip()
            if not line:
                continue
            if line[0].isspace():
                rows[-1] += ' ' + line.strip()
            else:
                rows.append(line)
    return [row.split() for row in rows]


def options(words):
    return dict(word.split('=') for word in words)


def bc7_mode(words):
    mode = int(words[1])
    values = options(words[2:])
    p_bits = values.pop('p')
    subsets, partition, rotation, selector, colour, alpha, index, index2 = (
        int(values[key]) for key in ('subsets', 'partition', 'rotation', 'selector', 'colour', 'alpha', 'index', 'index2'))
    p_count = {'none': 0, 'subset': subsets, 'endpoint': subsets * 2}[p_bits]
    total = (mode + 1 + partition + rotation + selector + subsets * 2 * (colour * 3 + alpha) + p_count + index * 16 - subsets
             + (index2 * 16 - 1 if index2 else 0))
    if total != 128:
        fail(f'BC7 mode {mode} has {total} bits')
    return (f'    {{.subsets = {subsets}, .partition_bits = {partition}, .rotation_bits = {rotation}, .selector_bits = {selector}, '
            f'.colour_bits = {colour}, .alpha_bits = {alpha}, .p_bits = BC7_P_{p_bits.upper()}, .index_bits = {index}, .index2_bits = {index2}}},')


def bc6h_mode(words):
    code, mode_bits = (int(n) for n in words[1].split('/'))
    colon = words.index(':')
    values = options(words[2:colon])
    endpoint, transformed, subsets = (int(values[key]) for key in ('endpoint', 'transformed', 'subsets'))
    delta = [int(n) for n in values['delta'].split(',')]
    fields, seen = [], set()
    for token in words[colon + 1:]:
        match = FIELD.match(token)
        if not match:
            fail(f'"{token}" is no field of BC6H')
        channel, point = 'rgb'.index(match[1]), 'wxyz'.index(match[2])
        first, last = int(match[3]), int(match[4] if match[4] is not None else match[3])
        low, count = min(first, last), abs(first - last) + 1
        bits = {(point, channel, bit) for bit in range(low, low + count)}
        if bits & seen:
            fail(f'BC6H mode {code} has {token} twice')
        seen |= bits
        fields.append(f'{{{point}, {channel}, {low}, {count}, {int(last > first)}}}')
    wanted = {(point, channel, bit) for point in range(subsets * 2) for channel in range(3)
              for bit in range(delta[channel] if point else endpoint)}
    if seen != wanted:
        fail(f'BC6H mode {code}: fields differ from the endpoints by {sorted(seen ^ wanted)}')
    total = mode_bits + len(seen) + (5 if subsets == 2 else 0) + (3 if subsets == 2 else 4) * 16 - subsets
    if total != 128:
        fail(f'BC6H mode {code} has {total} bits')
    # Every low five bits that select this mode.
    codes = [code] if mode_bits == 5 else [high << 2 | code for high in range(8)]
    text = (f'    {{.mode_bits = {mode_bits}, .endpoint_bits = {endpoint}, .delta_bits = {{{delta[0]}, {delta[1]}, {delta[2]}}}, '
            f'.transformed = {transformed}, .subsets = {subsets}, .field_count = {len(fields)},\n     .fields = {{{", ".join(fields)}}}}},')
    return codes, text


def partition(words):
    subsets = ''.join(words[2:6])
    anchors = [int(n) for n in words[7:]]
    for subset, anchor in enumerate(anchors, 1):
        if int(subsets[anchor]) != subset:
            fail(f'{words[0]} {words[1]}: the anchor of subset {subset} lies in subset {subsets[anchor]}')
    return sum(int(s) << 2 * i for i, s in enumerate(subsets)), anchors + [0] * (2 - len(anchors))


def float_text(bits):
    return struct.unpack('<f', struct.pack('<I', bits))[0].hex() + 'f'


def colour_tables(name, denominator):
    """Of every step n / denominator: the number, the number through the sRGB curve, and the nearest 8-bit code."""
    exact = [Decimal(n) / denominator for n in range(denominator + 1)]
    out = []
    for suffix, values in (('unorm', exact), ('srgb', [gen_srgb.decode(value) for value in exact])):
        out += [f'const float bc_{name}_{suffix}[] = {{', *gen_srgb.rows([gen_srgb.nearest_bits(v) for v in values], float_text, 6), '};', '']
    codes = [round(Fraction(255 * n, denominator)) for n in range(denominator + 1)]
    return out + [f'const uint8_t bc_{name}_code[] = {{', *gen_srgb.rows(codes, str, 24), '};', '']


def main():
    table, path = sys.argv[1:]
    rows = read(table)
    out = ['/* Generated by gen_bc.py from bc.table. */', '#include "util/format/bc.h"', '']
    out += ['const struct bc7_mode bc7_modes[8] = {', *(bc7_mode(row) for row in rows if row[0] == 'bc7'), '};', '']
    index_of, modes = [-1] * 32, []
    for row in rows:
        if row[0] == 'bc6h':
            codes, text = bc6h_mode(row)
            for code in codes:
                if index_of[code] != -1:
                    fail(f'two modes of BC6H answer to {code}')
                index_of[code] = len(modes)
            modes.append(text)
    out += [f'const struct bc6h_mode bc6h_modes[{len(modes)}] = {{', *modes, '};', '', '/* By the low five bits of a block; -1: reserved. */',
            'const int8_t bc6h_mode_index[32] = {', *gen_srgb.rows(index_of, str, 16), '};', '']
    for kind, name in (('two', 'bc_partition2'), ('three', 'bc_partition3')):
        found = [partition(row) for row in rows if row[0] == kind]
        if len(found) != 64:
            fail(f'{len(found)} partitions into {kind}')
        out += [f'const struct bc_partition {name}[64] = {{',
                *gen_srgb.rows(found, lambda p: f'{{{p[0]:#010x}u, {{{p[1][0]}, {p[1][1]}}}}}', 5), '};', '']
    out += colour_tables('steps186', 186) + colour_tables('steps378', 378)
    with open(path, 'w') as file:
        file.write('\n'.join(out))


if __name__ == '__main__':
    main()
