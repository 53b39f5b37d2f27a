#!/usr/bin/env python3
"""chips.table → chips.c: one `struct amd_chip` per block. Refuses a missing, unknown or doubled key and bitmaps that do
not add up to the counts beside them."""
import re
import shlex
import sys

TEXTS = ["codename", "marketing", "llvm_cpu"]
SYMBOLS = {"gfx": "AMD_", "family": "AMD_FAMILY_", "vram_type": "AMD_VRAM_"}
NUMBERS = """apu device_id pci_bus pci_rev chip_rev external_rev shader_engines shader_arrays_per_engine cu_per_array cu_active
    cu_ao_mask wave_size vgprs_per_simd_lane rb_count rb_enabled_mask gfx_contexts tcc_count tcc_disabled_mask mall_size_B
    ce_ram_size_B gs_vgt_table_depth gs_prim_buffer_depth max_gs_waves_per_vgt double_offchip_lds_buf
    pa_sc_tile_steering_override counter_freq_kHz engine_clock_max_kHz engine_clock_min_kHz memory_clock_max_kHz
    memory_clock_min_kHz pcie_gen pcie_lanes vram_bit_width va_start va_end high_va_start high_va_end va_align_B
    pte_fragment_size_B gart_page_size_B ids_flags gb_addr_config""".split()
LISTS = {"cu_bitmap": 16, "cu_ao_bitmap": 16, "vram": 3, "vram_visible": 3, "gtt": 3, "ip_gfx": 6, "ip_compute": 6,
         "ip_sdma": 6, "fw_me": 2, "fw_pfp": 2, "fw_mec": 2}
KEYS = TEXTS + list(SYMBOLS) + NUMBERS + list(LISTS)
GB_ADDR_CONFIG_DW = 0x263e


class TableError(Exception):
    pass


def parse(path):
    chips = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = shlex.split(line, comments=True)
            if not words:
                continue
            key, values = words[0], words[1:]
            where = f"{path}:{number}"
            if key == "chip":
                chips.append({"name": values[0], "mmr": [], "where": where})
            elif key == "mmr":
                chips[-1]["mmr"].append([int(v, 0) for v in values])
            elif key not in KEYS or key in chips[-1]:
                raise TableError(f"{where}: unknown or doubled key '{key}'")
            elif key in LISTS:
                if len(values) != LISTS[key]:
                    raise TableError(f"{where}: '{key}' takes {LISTS[key]} numbers")
                chips[-1][key] = [int(v, 0) for v in values]
            else:
                chips[-1][key] = int(values[0], 0) if key in NUMBERS else values[0]
    return chips


def check(chip):
    def require(ok, text):
        if not ok:
            raise TableError(f"{chip['where']}: chip {chip['name']}: {text}")

    missing = [key for key in KEYS if key not in chip]
    require(not missing, f"missing {', '.join(missing)}")
    require(sum(bin(m).count("1") for m in chip["cu_bitmap"]) == chip["cu_active"], "cu_bitmap and cu_active disagree")
    require(chip["rb_enabled_mask"] >> chip["rb_count"] == 0, "rb_enabled_mask has more backends than rb_count")
    for index, mask in enumerate(chip["cu_bitmap"]):
        inside = index // 4 < chip["shader_engines"] and index % 4 < chip["shader_arrays_per_engine"]
        require(inside or mask == 0, f"cu_bitmap[{index // 4}][{index % 4}] is outside the chip")
        require(mask >> chip["cu_per_array"] == 0, "an array has more CUs than cu_per_array")
    require([GB_ADDR_CONFIG_DW, 0xffffffff, chip["gb_addr_config"]] in chip["mmr"], "gb_addr_config is not its mmr row")


def braces(values):
    return "{" + ", ".join(f"{v:#x}" for v in values) + "}"


def write(chips, out):
    out.write("/* Generated from chips.table. */\n#include \"amd/hw/chip.h\"\n\n")
    for chip in chips:
        name = re.sub(r"\W", "_", chip["name"])
        rows = ", ".join(braces(row) for row in chip["mmr"])
        out.write(f"static const struct amd_chip_mmr mmrs_{name}[] = {{{rows}}};\n")
        out.write(f"static const struct amd_chip chip_{name} = {{\n    .name = \"{chip['name']}\",\n")
        for key in KEYS:
            value = chip[key]
            if key in TEXTS:
                text = f'"{value}"'
            elif key in SYMBOLS:
                text = SYMBOLS[key] + value
            elif key in NUMBERS:
                text = f"{value:#x}"
            elif LISTS[key] == 16:
                text = "{" + ", ".join(braces(value[i:i + 4]) for i in range(0, 16, 4)) + "}"
            else:
                text = braces(value)
            out.write(f"    .{key} = {text},\n")
        out.write(f"    .mmrs = mmrs_{name},\n    .mmr_count = {len(chip['mmr'])},\n}};\n\n")
    names = ", ".join("&chip_" + re.sub(r"\W", "_", chip["name"]) for chip in chips)
    out.write(f"const struct amd_chip *const amd_chips[] = {{{names}}};\n")
    out.write(f"const size_t amd_chip_count = {len(chips)};\n")


def main():
    chips = parse(sys.argv[1])
    for chip in chips:
        check(chip)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        write(chips, out)


if __name__ == "__main__":
    try:
        main()
    except TableError as error:
        sys.exit(str(error))
