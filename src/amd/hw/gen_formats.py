#!/usr/bin/env python3
"""formats.table → hw_formats.c: Radeon's image and buffer formats."""
import sys

GFX = {"gfx9": "AMD_GFX9", "gfx10.3": "AMD_GFX10_3", "gfx11": "AMD_GFX11"}


class TableError(Exception):
    pass


def quote(text):
    return '"' + text + '"'


def formats_c(path):
    """One line per format."""
    out, rows = ['/* Generated from formats.table. */\n#include "amd/hw/table.h"\n\n'], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            name, cells, bits, widths, numeric, rest = words[0], words[1:3], int(words[3]), words[4], words[5], words[6:]
            widths = [int(w) for w in widths.split("/")] if widths[0].isdigit() else [0] * int(widths.strip("x-") or 0)
            block = rest[rest.index("block") + 1].split("x") if "block" in rest else ["1", "1"]
            if any(widths) and sum(widths) > bits:
                raise TableError(f"{path}:{number}: {name}: channels of {sum(widths)} bits in {bits}")
            numbers = [-1] + [-1 if c == "-" else int(c) for c in cells]
            if any(numbers[g] >= 0 and numbers[g] == r[1][g] for r in rows for g in range(3)):
                raise TableError(f"{path}:{number}: {name}: that number is taken")
            rows.append((name, numbers))
            out.append(f"#define FORMAT_{len(rows) - 1} {{{quote(name)}, {{{', '.join(map(str, numbers))}}}, {bits}, {len(widths)}, "
                       f"{{{', '.join(map(str, widths)) or 0}}}, AMD_NUMERIC_{numeric}, {block[0]}, {block[1]}, "
                       f"{'true' if 'fmask' in rest else 'false'}, {'true' if 'video' in rest else 'false'}}}\n")
    out.append("const struct amd_image_format amd_image_formats[] = {" + ", ".join(f"FORMAT_{i}" for i in range(len(rows))) + "};\n")
    out.append(f"const unsigned amd_image_format_count = {len(rows)};\n")
    out.append("const uint8_t amd_image_format_index[AMD_GFX_COUNT][AMD_IMAGE_FORMAT_LIMIT] = {\n")
    for column, generation in enumerate(GFX):
        entries = ", ".join(f"[{n[column]}] = {i + 1}" for i, (_, n) in enumerate(rows) if n[column] >= 0)
        out.append(f"    [{GFX[generation]}] = {{{entries}}},\n")
    return out + ["};\n"]


def main():
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.writelines(formats_c(sys.argv[1]))


if __name__ == "__main__":
    try:
        main()
    except TableError as error:
        sys.exit(str(error))
