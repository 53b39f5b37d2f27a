#!/usr/bin/env python3
"""Our compression (src/util/deflate.c) and our pictures (src/util/png.c) against Python's zlib: what it unpacks is what went in, and no more than 15% larger
than what it would have made of it.

    deflate.py PROGRAM      src/util/tests/png_program.c"""
import os
import random
import subprocess
import sys
import tempfile
import zlib

import pngfile
import tap

PROGRAM = sys.argv[1]
LARGER = 1.15
SMALL_B = 64   # a few bytes more do not count


def compress(data):
    return subprocess.run([PROGRAM], input=data, capture_output=True, timeout=60, check=True).stdout


def inputs():
    dice = random.Random(39)
    noise = dice.randbytes(200_000)
    words = [dice.randbytes(dice.randint(2, 12)) for _ in range(500)]
    yield "nothing", b""
    yield "one byte", b"x"
    yield "two equal bytes", b"xx"
    yield "zeros", bytes(1_000_000)
    yield "noise", noise
    yield "noise of more than one stored block", noise[:65536]
    yield "noise twice, further apart than the window", noise[:40_000] * 2
    yield "noise twice, within the window", noise[:30_000] * 2
    yield "noise twice, at the window's length", noise[:32768] * 2
    yield "every byte once", bytes(range(256))
    yield "words", b"".join(dice.choice(words) for _ in range(60_000))
    yield "two letters", bytes(dice.choice(b"ab") for _ in range(200_000))
    yield "a period of 258", bytes(i % 258 & 255 for i in range(100_000))
    yield "a period of 259", bytes(i % 259 & 255 for i in range(100_000))
    yield "noise, then zeros, then noise", noise[:50_000] + bytes(100_000) + noise[50_000:]
    # Counts of symbols that grow as Fibonacci's numbers want codes longer than the 15 bits that there are.
    counts = [1, 1]
    while len(counts) < 25:
        counts.append(counts[-1] + counts[-2])
    skewed = [byte for byte, count in enumerate(counts) for _ in range(count)]
    dice.shuffle(skewed)
    yield "counts as Fibonacci's numbers", bytes(skewed)
    for size in (3, 4, 257, 258, 259, 32767, 32768, 32769, 65535, 65537):
        yield f"{size} bytes of words", (b"".join(dice.choice(words) for _ in range(size)))[:size]
    for seed in range(60):
        mixed = random.Random(seed)
        parts = [mixed.randbytes(mixed.randint(1, 300)) if mixed.random() < 0.5 else bytes([mixed.randrange(4)]) * mixed.randint(1, 900) for _ in range(mixed.randint(1, 200))]
        yield f"a mixture, seed {seed}", b"".join(mixed.choice(parts) for _ in range(mixed.randint(1, 400)))


def judge_streams(report):
    for name, data in inputs():
        ours, peers = compress(data), zlib.compress(data, 6)
        try:
            same, why = zlib.decompress(ours) == data, "other bytes"
        except zlib.error as error:
            same, why = False, str(error)
        report.case(f"zlib unpacks {name}", same, why)
        report.case(f"{name}: {len(ours)} bytes, zlib {len(peers)}", len(ours) <= LARGER * len(peers) + SMALL_B)


def draw(width, height, color):
    return b"".join(bytes(color(x, y)) for y in range(height) for x in range(width))


def pictures():
    dice = random.Random(39)
    yield "a flat colour", 300, 200, lambda x, y: (10, 20, 30)
    yield "a gradient", 300, 200, lambda x, y: (x * 255 // 300, y * 255 // 200, (x + y) // 2 & 255)
    yield "squares", 301, 203, lambda x, y: (255, 255, 255) if (x // 20 + y // 20) % 2 else (0, 40, 90)
    yield "noise", 100, 100, lambda x, y: dice.randbytes(3)
    yield "noise on a gradient", 200, 300, lambda x, y: (x + dice.randrange(4), y * 200 // 300 + dice.randrange(4), 128)
    yield "a pixel", 1, 1, lambda x, y: (1, 2, 3)
    yield "a row", 777, 1, lambda x, y: (x & 255, x >> 8, 0)
    yield "a column", 1, 777, lambda x, y: (y & 255, y >> 8, 0)


def judge_pictures(report, folder):
    for name, width, height, color in pictures():
        rgb = draw(width, height, color)
        for order in ("rgba", "bgra"):
            pixels = bytearray(b"\x55" * (width * height * 4))
            for channel in range(3):
                pixels[order.index("rgb"[channel])::4] = rgb[channel::3]
            path = os.path.join(folder, f"{name}.png")
            result = subprocess.run([PROGRAM, path, str(width), str(height), order], input=pixels, capture_output=True, timeout=60, check=False)
            report.case(f"{name}, {order}: what is written is what is read", result.returncode == 0 and pngfile.read(path) == (width, height, rgb), result.stdout.decode())
        best = min(len(zlib.compress(b"".join(bytes([kind]) + row for kind, row in rows), 6)) for rows in ways(rgb, width, height))
        report.case(f"{name}: {os.path.getsize(path)} bytes, zlib {best}", os.path.getsize(path) <= LARGER * best + 57 + SMALL_B)
    for path in (os.path.join(folder, "no/such/folder.png"), folder):
        result = subprocess.run([PROGRAM, path, "1", "1", "rgba"], input=b"1234", capture_output=True, timeout=60, check=False)
        report.case(f"{os.path.relpath(path, folder)} cannot be written, and no other file is left", result.returncode == 1 and result.stdout and
                    all(name.endswith(".png") for name in os.listdir(folder)), result.stdout.decode())


def ways(rgb, width, height):
    """Rows without a filter, and all with that of the pixel on the left, or above."""
    rows = [rgb[y * width * 3:(y + 1) * width * 3] for y in range(height)]
    yield [(0, row) for row in rows]
    yield [(1, bytes((a - b) & 255 for a, b in zip(row, bytes(3) + row))) for row in rows]
    yield [(2, bytes((a - b) & 255 for a, b in zip(row, above))) for row, above in zip(rows, [bytes(width * 3), *rows])]


def main():
    report = tap.Tap()
    judge_streams(report)
    with tempfile.TemporaryDirectory() as folder:
        judge_pictures(report, folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
