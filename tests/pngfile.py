"""Reads and writes pictures as PNG: eight bits for each of red, green and blue. Alpha, where others write it, is left out."""
import itertools
import struct
import zlib


def add_bytes(a, b):
    """Sums of bytes, each alone, of two rows at once: the highest bits apart, so that none is carried to the next byte."""
    low, high = (int.from_bytes(bytes([byte]) * len(a), "little") for byte in (0x7f, 0x80))
    x, y = int.from_bytes(a, "little"), int.from_bytes(b, "little")
    return (((x & low) + (y & low)) ^ ((x ^ y) & high)).to_bytes(len(a), "little")


def paeth(left, above, both):
    a, b, c = abs(above - both), abs(left - both), abs(left + above - 2 * both)
    return left if a <= b and a <= c else above if b <= c else both


def unfilter(kind, row, above, channels):
    if kind == 0:
        return row
    if kind == 1:
        out = bytearray(len(row))
        for channel in range(channels):
            out[channel::channels] = bytes(value & 255 for value in itertools.accumulate(row[channel::channels]))
        return bytes(out)
    if kind == 2:
        return add_bytes(row, above)
    out = bytearray(row)
    for i, value in enumerate(row):
        left, both = (out[i - channels], above[i - channels]) if i >= channels else (0, 0)
        out[i] = value + ((left + above[i]) // 2 if kind == 3 else paeth(left, above[i], both)) & 255
    return bytes(out)


def without_alpha(row):
    out = bytearray(len(row) // 4 * 3)
    for channel in range(3):
        out[channel::3] = row[channel::4]
    return bytes(out)


def chunks(path):
    """(kind, body) of each chunk."""
    with open(path, "rb") as file:
        data = file.read()
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body, checksum = data[at + 8:at + 8 + length], data[at + 8 + length:at + 12 + length]
        if checksum != struct.pack(">I", zlib.crc32(kind + body)):
            raise ValueError(f"{path}: the checksum of {kind.decode()} is wrong")
        yield kind, body
        at += 12 + length


def read(path):
    """Width, height and the RGB bytes, row by row."""
    packed = b""
    for kind, body in chunks(path):
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
    if depth != 8 or colour not in (2, 6):
        raise ValueError(f"{path}: not eight bits for each of red, green and blue")
    channels, raw, rows = {2: 3, 6: 4}[colour], zlib.decompress(packed), []
    size, above = width * channels, bytes(width * channels)
    for start in range(0, height * (size + 1), size + 1):
        above = unfilter(raw[start], raw[start + 1:start + 1 + size], above, channels)
        rows.append(above if channels == 3 else without_alpha(above))
    return width, height, b"".join(rows)


def write_rows(path, width, height, rows, level=6):
    """`rows`: each with its filter before it."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b""))


def write(path, width, height, rgb):
    write_rows(path, width, height, b"".join(b"\0" + rgb[y * width * 3:(y + 1) * width * 3] for y in range(height)))
