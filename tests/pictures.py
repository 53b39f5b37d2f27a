#!/usr/bin/env python3
"""Pictures: the same program on RADV over the model and on lavapipe. Two drivers, two GPUs, one picture, but for what Vulkan leaves open: rounding of
colours, and which of two pixels an edge touches. A difference writes both pictures and a third that shows it.

    pictures.py RUN_ON TUFF FOLDER PROGRAM..."""
import os
import struct
import subprocess
import sys
import zlib

import tap

NEAR = 8            # of 255: rounding, filtering and interpolation
EDGES = 0.002       # the share of pixels that may differ by more: edges


def read_png(path):
    """Width, height and the RGB bytes, row by row, of a PNG that our programs write."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, width = zlib.decompress(packed), size[0]
    return width, size[1], b"".join(raw[y * (width * 3 + 1) + 1:(y + 1) * (width * 3 + 1)] for y in range(size[1]))


def write_png(path, width, height, rgb):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + rgb[y * width * 3:(y + 1) * width * 3] for y in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def compare(folder, name, driver="radv"):
    """(None, figures) when the pictures agree, else (what is wrong, figures); then a picture of the difference is left behind."""
    model, peer = (os.path.join(folder, f"{name}_{which}.png") for which in (driver, "lavapipe"))
    width, height, ours = read_png(model)
    other = read_png(peer)
    if other[:2] != (width, height):
        return f"{width}x{height} against {other[0]}x{other[1]}", ""
    far = [abs(a - b) for a, b in zip(ours, other[2])]
    pixels = sum(max(far[i:i + 3]) > NEAR for i in range(0, len(far), 3))
    figures = f"{pixels} of {width * height} pixels differ by more than {NEAR}, the largest difference is {max(far)}"
    blank = len(set(ours)) < 16
    if not blank and pixels <= EDGES * width * height:
        return None, figures
    shown = os.path.join(folder, f"{name}_difference.png")
    write_png(shown, width, height, bytes(min(255, d * 4) for d in far))
    return f"{'the picture is blank; ' if blank else ''}{figures}; see {model}, {peer}, {shown}", figures


def main():
    run_on, tuff, folder = sys.argv[1:4]
    report = tap.Tap()
    for program in sys.argv[4:]:
        name = os.path.basename(program)
        skipped = None
        for driver, options in (("lavapipe", []), ("radv", ["--tuff", tuff])):
            picture = os.path.join(folder, f"{name}_{driver}.png")
            result = subprocess.run([sys.executable, run_on, *options, driver, program, picture], capture_output=True, text=True, timeout=200)
            if result.returncode == 77:
                skipped = f"{driver} is not installed"
            elif not report.case(f"{name} runs on {driver}", result.returncode == 0, result.stdout + result.stderr):
                skipped = "it did not run"
        if skipped:
            report.skip(f"{name}: the same picture", skipped)
            continue
        wrong, figures = compare(folder, name)
        report.note(figures)
        report.case(f"{name}: the same picture on RADV over the model and on lavapipe", wrong is None, wrong)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
