"""Debian's llvm-mc as a judge of AMD machine code: batches of words in, text and re-encoded bytes out.

Every block of words is followed by a marker instruction, so that the answer shows which block a line belongs to. LLVM 14 aborts
on some words (docs/isa-judge.md); a batch that crashes is split in two until the block at fault stands alone. Not for: deciding
what is right. That is the caller's."""
import os
import re
import subprocess

# It crashes on some words by its own fault; a symbolised backtrace of each would take most of the time.
os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"

TOOL = "llvm-mc"
MARKER = 0x7E0002FF | 0xEE << 17  # v_mov_b32_e32 v238, <literal>; the literal is the number of the block
MARKER_TEXT = re.compile(r"^v_mov_b32_e32 v238, 0x([0-9a-f]+)$")
INLINE_MAX = 64  # block numbers start after the inline constants, else LLVM would print and count them as such


def arguments(gpu, wave):
    result = ["-arch=amdgcn", f"-mcpu={gpu}"]
    if wave == 64 and not gpu.startswith("gfx9"):
        result.append("-mattr=+wavefrontsize64,-wavefrontsize32")
    return result


def block_bytes(words):
    return "[" + ",".join(f"0x{b:02x}" for w in words for b in int(w).to_bytes(4, "little")) + "]"


def disassemble(blocks, gpu="gfx1030", wave=32):
    """For each block (a list of words) the list of (text, bytes as LLVM encodes that instruction again); None where LLVM
    crashed."""
    lines = []
    for i, words in enumerate(blocks):
        lines.append(block_bytes(words))
        lines.append(block_bytes([MARKER, i + INLINE_MAX + 1]))
    run = subprocess.run([TOOL, "-disassemble", "--show-encoding", *arguments(gpu, wave)], input="\n".join(lines) + "\n",
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    if run.returncode not in (0, 1):
        if len(blocks) == 1:
            return [None]
        middle = len(blocks) // 2
        return disassemble(blocks[:middle], gpu, wave) + disassemble(blocks[middle:], gpu, wave)
    result, current = [], []
    for line in run.stdout.splitlines():
        text, found, encoding = line.partition("; encoding: [")
        if not found:
            continue
        text = text.strip()
        marker = MARKER_TEXT.match(text)
        if marker and int(marker.group(1), 16) == len(result) + INLINE_MAX + 1:
            result.append(current)
            current = []
        else:
            current.append((text, bytes(int(b, 16) for b in encoding.rstrip("]").split(","))))
    if len(result) != len(blocks):
        raise RuntimeError(f"llvm-mc answered {len(result)} of {len(blocks)} blocks")
    return result


def assemble(texts, gpu="gfx1030", wave=32):
    """For each line of text its bytes, or None where LLVM refuses it."""
    source = "\n".join(t.replace("\n", " ") for t in texts) + "\n"
    run = subprocess.run([TOOL, "--show-encoding", *arguments(gpu, wave)], input=source, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, errors="replace")
    if run.returncode not in (0, 1):
        if len(texts) == 1:
            return [None]
        middle = len(texts) // 2
        return assemble(texts[:middle], gpu, wave) + assemble(texts[middle:], gpu, wave)
    refused = {int(m.group(1)) for m in re.finditer(r"^<stdin>:(\d+):\d+: error", run.stderr, re.M)}
    encoded = []
    for line in run.stdout.splitlines():
        _, found, encoding = line.partition("; encoding: [")
        if found:
            encoded.append(encoding.rstrip("]").split(","))
    result, position = [], 0
    for number in range(1, len(texts) + 1):
        if number in refused:
            result.append(None)
            continue
        item = encoded[position]
        position += 1
        result.append(bytes(int(b, 16) for b in item) if all(b.startswith("0x") for b in item) else None)
    if position != len(encoded):
        raise RuntimeError(f"llvm-mc assembled {len(encoded)} of {position} lines")
    return result
