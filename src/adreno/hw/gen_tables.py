#!/usr/bin/env python3
"""Adreno's small tables: `gen_tables.py formats|chips TABLE OUTPUT`. formats.table → formats.c; chips.table → chips.c, one `struct adreno_chip` per
block, which refuses a missing, unknown or doubled key."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../hw"))
import rows  # noqa: E402

NUMERICS = ("UNORM", "SNORM", "UINT", "SINT", "FLOAT", "FIXED", "EXP")
KINDS = ("alpha", "x", "dest", "depth", "plane", "video")
LIMIT = 256

CHIP = rows.Keys(
    "marketing device_tree compatible",
    """chip_id gpu_id speed_bin max_freq_Hz gmem_size_B gmem_base ccu_count sp_count tile_align_w tile_align_h tile_max_w tile_max_h gmem_align_w gmem_align_h
    vsc_pipes shared_memory_B fibers_per_sp wave_granularity reg_size_vec4 instr_cache_size highest_bank_bit ubwc_swizzle macrotile_mode va_size_B
    sysmem_ccu_depth_B sysmem_ccu_color_B gmem_ccu_color_fraction priorities max_sets vs_inputs rb_dbg_eco_cntl rb_dbg_eco_cntl_blit rb_rbp_cntl sp_dbg_eco_cntl
    sp_chicken_bits tpl1_dbg_eco_cntl vpc_dbg_eco_cntl gras_dbg_eco_cntl hlsq_dbg_eco_cntl uche_client_pf pc_power_cntl""",
    """has_cp_reg_write has_8bpp_ubwc has_z24uint_s8uint has_lpac has_shading_rate has_getfiberid has_movs has_dp2acc has_dp4acc
    has_tex_filter_cubic has_sample_locations has_multiview_mask has_storage_16bit has_ubwc_linear_levels has_lrz_fast_clear has_lrz_direction has_lrz_feedback has_per_view_viewport
    has_scalar_alu has_cached_coherent has_prr has_isam_v has_ssbo_imm_offsets has_pred_bit has_sad tess_uses_shared quirk_indirect_draw_wfm
    quirk_depth_bounds_need_depth_test quirk_blit_wfi""",
    {"protected": lambda words: (int(words[0], 0), int(words[1], 0), {"write": "true", "all": "false"}[words[2]])})


def split_same(words):
    """The kinds of a format, and the formats of util/format that have its bits, by the fields of struct adreno_format. What is no word of these
    stays among the kinds."""
    if "as" not in words:
        return words, {}
    at = words.index("as")
    kinds, fields, same = words[:at], {"format": words[at + 1]}, words[at + 2:]
    if same[:1] == ["low"]:
        fields["low_format"], same = same[1], same[2:]
    if same[:1] == ["srgb"]:
        fields["srgb_format"], same = fields["format"].replace("UNORM", "SRGB"), same[1:]
    return kinds + same, fields


def formats(path):
    out, seen = ['/* Generated from formats.table. */\n#include "adreno/hw/table.h"\n#include "util/format/format_enum.h"\n\n',
                 "const struct adreno_format adreno_formats[] = {\n"], {}
    for where, (name, number, bits, widths, numeric, *rest) in rows.lines(path):
        number, bits = int(number), int(bits)
        widths = [] if widths == "-" else [int(w) for w in widths.split("/")]
        block = [1, 1]
        if rest and rest[0] == "block":
            block, rest = [int(w) for w in rest[1].split("x")], rest[2:]
        rest, same = split_same(rest)
        if number in seen or not 0 < number < LIMIT or numeric not in NUMERICS or any(kind not in KINDS for kind in rest):
            raise rows.TableError(f"{where}: {name}: its number is taken, or a word is unknown")
        if widths and sum(widths) != bits:
            raise rows.TableError(f"{where}: {name}: channels of {sum(widths)} bits in {bits}")
        seen[number] = len(seen)
        kinds = "".join(f", .is_{kind} = true" for kind in rest) + "".join(f", .{field} = FORMAT_{name}" for field, name in same.items())
        out.append(f'    {{"{name}", {number}, {bits}, {len(widths)}, {{{", ".join(map(str, widths)) or 0}}}, ADRENO_NUMERIC_{numeric}, '
                   f"{block[0]}, {block[1]}{kinds}}},\n")
    out.append(f"}};\nconst unsigned adreno_format_count = {len(seen)};\nconst uint8_t adreno_format_index[{LIMIT}] = {{\n    ")
    out.append(", ".join(f"[{number}] = {row + 1}" for number, row in sorted(seen.items())) + "};\n")
    return out


def chips(path):
    out = ['/* Generated from chips.table. */\n#include "adreno/hw/chip.h"\n\n']
    blocks = rows.read_blocks(path, "chip", CHIP)
    for number, chip in enumerate(blocks):
        ranges = ", ".join(f"{{{first:#x}, {last:#x}, {readable}}}" for first, last, readable in chip["protected"])
        out.append(f"static const struct adreno_protected protected_{number}[] = {{{ranges}}};\n")
    out.append("const struct adreno_chip adreno_chips[] = {\n")
    for number, chip in enumerate(blocks):
        out += ["    {\n", *rows.plain_members(chip, CHIP)]
        out.append(f"        .protected_ranges = protected_{number},\n        .protected_count = {len(chip['protected'])},\n    }},\n")
    return out + [f"}};\nconst unsigned adreno_chip_count = {len(blocks)};\n"]


if __name__ == "__main__":
    rows.main({"formats": formats, "chips": chips})
