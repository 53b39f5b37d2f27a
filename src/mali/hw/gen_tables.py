#!/usr/bin/env python3
"""Mali's small tables: `gen_tables.py formats|clumps|chips TABLE OUTPUT`, each to the C file of its name (table.h, chip.h)."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../hw"))
import rows  # noqa: E402

NUMERICS = ("UNORM", "SNORM", "UINT", "SINT", "FLOAT", "FIXED", "EXP")
KINDS = ("tile", "position", "rtz", "yuv")
CHANNELS = "rgbaxdse"
LIMIT = 256

CHIP = rows.Keys(
    "marketing device_tree compatible",
    """gpu_id gpu_rev csf_id l2_features tiler_features mem_features mmu_features thread_features max_threads thread_max_workgroup_size
    thread_max_barrier_size coherency_features texture_features_0 texture_features_1 texture_features_2 texture_features_3 as_present shader_present
    l2_present tiler_present core_features csg_slot_count cs_slot_count cs_reg_count scoreboard_slot_count unpreserved_cs_reg_count
    timestamp_frequency_Hz max_freq_Hz tile_buffer_B""", "")


def index(name, numbers):
    return f"const uint8_t {name}[{LIMIT}] = {{\n    " + ", ".join(f"[{number}] = {row + 1}" for row, number in enumerate(numbers)) + "};\n"


def formats(path):
    out, numbers = ['/* Generated from formats.table. */\n#include "mali/hw/table.h"\n\n', "const struct mali_format mali_formats[] = {\n"], []
    for where, (name, number, bits, channels, numeric, codec, *kinds) in rows.lines(path):
        number, bits = int(number), int(bits)
        channels = [] if channels == "-" else channels.split("/")
        if any(not re.fullmatch(rf"[{CHANNELS}]\d+", c) for c in channels) or sum(int(c[1:]) for c in channels) != bits or len(channels) > 4:
            raise rows.TableError(f"{where}: {name}: its channels do not make {bits} bits")
        if number in numbers or not 0 < number < LIMIT or numeric not in NUMERICS or any(kind not in KINDS for kind in kinds):
            raise rows.TableError(f"{where}: {name}: its number is taken, or a word is unknown")
        numbers.append(number)
        letters = ", ".join(f"'{c[0]}'" for c in channels) or "0"
        widths = ", ".join(c[1:] for c in channels) or "0"
        flags = "".join(f", .is_{kind} = true" for kind in kinds)
        out.append(f'    {{"{name}", {number}, {bits}, {len(channels)}, {{{letters}}}, {{{widths}}}, MALI_NUMERIC_{numeric}, FORMAT_{"UNDEFINED" if codec == "-" else codec}{flags}}},\n')
    return out + [f"}};\nconst unsigned mali_format_count = {len(numbers)};\n", index("mali_format_index", numbers)]


def clumps(path):
    out, numbers = ['/* Generated from clumps.table. */\n#include "mali/hw/table.h"\n\n', "const struct mali_clump mali_clumps[] = {\n"], []
    for where, (name, number, bits, block, *codec) in rows.lines(path):
        number, bits, (width, height) = int(number), int(bits), (int(n) for n in block.split("x"))
        if number in numbers or not 0 <= number < LIMIT or bits % 8 or len(codec) > 1:
            raise rows.TableError(f"{where}: {name}: its number is taken, or it has no bytes")
        numbers.append(number)
        out.append(f'    {{"{name}", {number}, {bits // 8}, {width}, {height}, FORMAT_{codec[0] if codec else "UNDEFINED"}}},\n')
    return out + [f"}};\nconst unsigned mali_clump_count = {len(numbers)};\n", index("mali_clump_index", numbers)]


def chips(path):
    out = ['/* Generated from chips.table. */\n#include "mali/hw/chip.h"\n\nconst struct mali_chip mali_chips[] = {\n']
    blocks = rows.read_blocks(path, "chip", CHIP)
    for block in blocks:
        out += ["    {\n", *rows.plain_members(block, CHIP), "    },\n"]
    return out + [f"}};\nconst unsigned mali_chip_count = {len(blocks)};\n"]


if __name__ == "__main__":
    rows.main({"formats": formats, "clumps": clumps, "chips": chips})
