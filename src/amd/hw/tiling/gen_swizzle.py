#!/usr/bin/env python3
"""swizzle.table → swizzle.c: modes, 256-byte orders and, for each topology, the rows of the R, Z and thick D modes.
Refuses a row that is missing, doubled, of the wrong length, or that does not fill its block: within one block every
coordinate must have an address of its own, which is a matrix over GF(2) of full rank."""
import re
import sys

SIZES = [1, 2, 4, 8, 16]
ROW_NAMES = [f"{mode}{samples}" for mode in ("R", "vR", "Z", "vZ") for samples in (1, 2, 4, 8)] + ["T1"]
MICRO_TYPES = ["S", "D", "S3", "D3"]
META_NAMES = ["htile", "cmask", "cmask8", "dcc", "dcc16"]
DIMS = ["1d", "2d", "3d"]
AXES = "xyzs"
BLOCK_VAR = 255
MAX_PIPE_BITS, MAX_TAIL_BITS, MAX_ORDER_BITS = 5, 6, 8


class TableError(Exception):
    pass


def terms(text):
    """"x6^y9" as a set of (axis, bit)."""
    if text == ".":
        return frozenset()
    found = [(term[0], int(term[1:])) for term in text.split("^") if re.fullmatch(r"[xyzs]\d+", term)]
    if len(found) != len(text.split("^")) or len(set(found)) != len(found):
        raise TableError(f"bad address bit '{text}'")
    return frozenset(found)


def parse(path):
    table = {"modes": [], "micro": {}, "topologies": []}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            try:
                parse_line(table, words)
            except (TableError, ValueError, IndexError) as error:
                raise TableError(f"{path}:{number}: {error}") from error
    return table


def parse_line(table, words):
    if words[0] == "mode":
        block = BLOCK_VAR if words[3] == "var" else int(words[3])
        dims = [DIMS.index(dim) for dim in words[6:]]
        table["modes"].append((int(words[1]), words[2], block, words[4], words[5], dims))
    elif words[0] == "micro":
        table["micro"][words[1], int(words[2])] = [terms(word) for word in words[3:]]
    elif words[0] == "topology":
        pipes, packers = (int(word.split("=")[1]) for word in words[1:])
        table["topologies"].append({"pipes": pipes, "packers": packers, "rows": {}, "meta": {}})
    elif words[0] == "pipe":
        topology = table["topologies"][-1]
        low, top = split_bar(words[1:])
        topology["pipe"] = low + top
        if len(low) != topology["pipes"] or len(top) != (topology["pipes"] == topology["packers"]):
            raise TableError("number of pipe bits")
    elif words[0] == "meta":
        topology = table["topologies"][-1]
        added, order = split_bar(words[2:])
        if words[1] not in META_NAMES or len(added) != len(topology["pipe"]):
            raise TableError(f"meta row '{words[1]}'")
        topology["meta"][words[1]] = (added, order)
    else:
        topology = table["topologies"][-1]
        added, tail = split_bar(words[2:])
        if len(added) != len(topology["pipe"]):
            raise TableError("one added term for each pipe bit")
        for name in words[1].split(","):
            key = (name, int(words[0]))
            if name not in ROW_NAMES or key[1] not in SIZES or key in topology["rows"]:
                raise TableError(f"unknown or doubled row {key}")
            check_block(table, topology, key, added, tail)
            topology["rows"][key] = (added, tail)


def split_bar(words):
    at = words.index("|") if "|" in words else len(words)
    return [terms(word) for word in words[:at]], [terms(word) for word in words[at + 1:]]


def micro_order(table, kind, size, samples_log2):
    if kind == "Z":
        order = [("s", bit) for bit in range(samples_log2)]
        order += [("xy"[bit % 2], bit // 2) for bit in range(8)]
        return [frozenset([bit]) for bit in order[:8 - SIZES.index(size)]]
    if kind == "R":
        kind = "S" if size <= 2 else "D"
    return table["micro"][kind, size]


def block_bits(kind, block_log2, size, samples_log2):
    """The coordinate bits inside one block."""
    element = SIZES.index(size)
    if kind == "D3":
        width, height, depth = [(6, 5, 5), (5, 5, 5), (5, 5, 4), (5, 4, 4), (4, 4, 4)][element]
    else:
        count = block_log2 - element - samples_log2
        wide = samples_log2 % 2 == 0 or block_log2 % 2 == 1
        width = (count + wide) // 2
        height, depth = count - width, 0
    return [(axis, bit) for axis, bits in zip(AXES, (width, height, depth, samples_log2)) for bit in range(bits)]


def check_block(table, topology, key, added, tail):
    name, size = key
    kind = "D3" if name == "T1" else name.lstrip("v")[0]
    samples_log2 = int(name[-1]).bit_length() - 1
    block_log2 = 14 + topology["pipes"] if name[0] == "v" else 16
    pipe = [base ^ extra for base, extra in zip(topology["pipe"], added)]
    pipes = topology["pipes"]
    address = micro_order(table, kind, size, samples_log2) + pipe[:pipes] + tail + pipe[pipes:]
    if len(address) + SIZES.index(size) != block_log2:
        raise TableError(f"{name} of {size} bytes has {len(address)} address bits")
    inside = block_bits(kind, block_log2, size, samples_log2)
    rows = [sum(1 << at for at, bit in enumerate(inside) if bit in mask) for mask in address]
    rank = 0
    for column in range(len(inside)):
        pivot = next((row for row in rows if row >> column & 1), None)
        if pivot is not None:
            rank += 1
            rows.remove(pivot)
            rows = [row ^ pivot if row >> column & 1 else row for row in rows]
    if rank != len(inside) or len(inside) != len(address):
        raise TableError(f"{name} of {size} bytes is not one-to-one within its block")


def check_complete(table):
    for kind in MICRO_TYPES:
        for element, size in enumerate(SIZES):
            if len(table["micro"].get((kind, size), [])) != 8 - element:
                raise TableError(f"micro {kind} {size}")
    for topology in table["topologies"]:
        for name in ROW_NAMES:
            largest = 16 if name[-2] == "R" or name == "T1" else 8 if name[-1] == "1" else 4
            for size in SIZES:
                wanted = size <= largest and not (name[0] == "v" and topology["pipes"] <= 2)
                if ((name, size) in topology["rows"]) != wanted:
                    raise TableError(f"pipes={topology['pipes']} packers={topology['packers']}: row {name} {size}")


def mask(bits):
    values = [sum(1 << bit for axis, bit in bits if axis == wanted) for wanted in AXES]
    return "{" + ", ".join(f"0x{value:x}" for value in values) + "}"


def masks(bits, limit):
    if len(bits) > limit:
        raise TableError("too many address bits")
    return "{" + ", ".join(mask(bit) for bit in bits) + "}"


def emit(table, out):
    out.write('/* Generated from swizzle.table by gen_swizzle.py. */\n#include "amd/hw/tiling/swizzle_data.h"\n\n')
    out.write("const struct amd_swizzle_info amd_swizzle_infos[AMD_SW_COUNT] = {\n")
    for number, name, block, kind, xor, dims in table["modes"]:
        letter = {"-": "AMD_SWIZZLE_XOR_NONE", "T": "AMD_SWIZZLE_XOR_BLOCK", "X": "AMD_SWIZZLE_XOR_FULL"}[xor]
        dim_mask = sum(1 << dim for dim in dims)
        out.write(f'    [AMD_SW_{name}] = {{"{name}", {block}, \'{kind}\', {letter}, {dim_mask}}},\n')
    out.write("};\n")
    for number, name, *_ in table["modes"]:
        out.write(f'_Static_assert(AMD_SW_{name} == {number}, "the hardware\'s number");\n')
    out.write("\nconst struct amd_coord_bits amd_swizzle_micro[4][5][8] = {\n")
    for kind in MICRO_TYPES:
        orders = ", ".join(masks(table["micro"][kind, size], 8) for size in SIZES)
        out.write(f"    {{{orders}}},\n")
    out.write("};\n\n")
    rows = []
    out.write("const struct amd_swizzle_topology amd_swizzle_topologies[] = {\n")
    for topology in table["topologies"]:
        emit_topology(topology, rows, out)
    out.write(f"}};\nconst unsigned amd_swizzle_topology_count = {len(table['topologies'])};\n\n")
    out.write("const struct amd_swizzle_row amd_swizzle_rows[] = {\n    {{{0}}, 0, {{0}}},\n")
    for added, tail in rows:
        out.write(f"    {{{masks(added, MAX_PIPE_BITS)}, {len(tail)}, {masks(tail, MAX_TAIL_BITS)}}},\n")
    out.write("};\n")


def emit_topology(topology, rows, out):
    out.write(f"    {{{topology['pipes']}, {topology['packers']}, {len(topology['pipe'])}, ")
    out.write(masks(topology["pipe"], MAX_PIPE_BITS) + ", {")
    for name in ROW_NAMES:
        numbers = []
        for size in SIZES:
            row = topology["rows"].get((name, size))
            if row is not None and row not in rows:
                rows.append(row)
            numbers.append(str(0 if row is None else rows.index(row) + 1))
        out.write("{" + ", ".join(numbers) + "}, ")
    out.write("}, {")
    for name in META_NAMES:
        added, order = topology["meta"].get(name, topology["meta"]["dcc"])
        out.write(f"{{{masks(added, MAX_PIPE_BITS)}, {len(order)}, {masks(order, MAX_ORDER_BITS)}}}, ")
    out.write("}},\n")


def main():
    table = parse(sys.argv[1])
    check_complete(table)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        emit(table, out)


if __name__ == "__main__":
    try:
        main()
    except TableError as error:
        sys.exit(f"gen_swizzle.py: {error}")
