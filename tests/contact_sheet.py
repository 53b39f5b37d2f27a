#!/usr/bin/env python3
"""A contact sheet of pictures that our programs wrote: each at a third of its size, or at another part of it, in rows, as a PNG that is small enough for docs/.

    contact_sheet.py [--shrink N] OUT.png COLUMNS FILE.png..."""
import argparse
import sys

import pngfile

SHRINK = 3
GAP = 4
BACK = 24           # a dark grey


def shrunk(path, by):
    """Rows of RGB bytes, each pixel the mean of `by` by `by`."""
    width, height, rgb = pngfile.read(path)
    area, rows = by ** 2, []
    for y in range(0, height - by + 1, by):
        sums = [sum(column) for column in zip(*(rgb[(y + i) * width * 3:(y + i + 1) * width * 3] for i in range(by)))]
        rows.append(bytes((sum(sums[x * 3 + c + 3 * i] for i in range(by)) + area // 2) // area
                          for x in range(0, width - by + 1, by) for c in range(3)))
    return width // by, height // by, rows


def filtered(row, above):
    """The row after the filter of PNG that leaves the least: the difference to the left, above, or the nearer of them and the corner (Paeth)."""
    left, corner = b"\0\0\0" + row[:-3], b"\0\0\0" + above[:-3]

    def paeth(a, b, c):
        p = a + b - c
        return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
    ways = {1: left, 2: above, 4: bytes(map(paeth, left, above, corner))}
    packed = {kind: bytes((x - y) & 255 for x, y in zip(row, guess)) for kind, guess in ways.items()}
    kind = min(packed, key=lambda k: sum(min(b, 256 - b) for b in packed[k]))
    return bytes([kind]) + packed[kind]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shrink", type=int, default=SHRINK, metavar="N")
    parser.add_argument("out")
    parser.add_argument("columns", type=int)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    out, columns = options.out, options.columns
    tiles = [shrunk(path, options.shrink) for path in options.files]
    width, height = tiles[0][0], tiles[0][1]
    across, down = columns * (width + GAP) + GAP, -(-len(tiles) // columns) * (height + GAP) + GAP
    sheet = [bytearray([BACK] * across * 3) for _ in range(down)]
    for i, (_, _, rows) in enumerate(tiles):
        left, top = GAP + i % columns * (width + GAP), GAP + i // columns * (height + GAP)
        for y, row in enumerate(rows):
            # Six bits a channel look the same and are much smaller.
            sheet[top + y][left * 3:(left + width) * 3] = bytes(b & 0xfc | b >> 6 for b in row)
    raw, above = b"", bytes(across * 3)
    for row in sheet:
        raw += filtered(bytes(row), above)
        above = bytes(row)
    pngfile.write_rows(out, across, down, raw, 9)
    return 0


if __name__ == "__main__":
    sys.exit(main())
