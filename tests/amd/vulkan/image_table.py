#!/usr/bin/env python3
"""Are our images laid out like RADV's? Runs image_table.c on RADV over the model and on our driver, and compares the features of every format and the size,
alignment and subresource layouts of every image that both support.

    image_table.py RUN_ON TUFF PROGRAM MANIFEST

Memory types are not compared: RADV has more of them (uncached ones for debugging)."""
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from tap import Tap  # noqa: E402

LEAST = 500  # images that must be compared
SHOWN = 10

# Bits of VkFormatFeatureFlagBits2.
SAMPLED, STORAGE, STORAGE_ATOMIC, UNIFORM_TEXEL, STORAGE_TEXEL, TEXEL_ATOMIC, VERTEX = (1 << bit for bit in range(7))
FILTER_LINEAR = 1 << 12
ACCELERATION, SHADING_RATE, READ_ANY, WRITE_ANY = 1 << 29, 1 << 30, 1 << 31, 1 << 32
AMD = 2  # DRM's number of the vendor
YCBCR = range(1000156000, 1000156034), range(1000330000, 1000330004)
SCALED = [11, 12, 18, 19, 25, 26, 32, 33, 39, 40, 46, 47, 53, 54, 60, 61, 66, 67, 72, 73, 79, 80, 86, 87, 93, 94]
SRGB = [15, 22, 29, 36, 43, 50, 57]


def ours_alone(number):
    """Bits that we have and RADV lacks, with reason."""
    if number in range(1000330000, 1000330004):
        return ~0  # 4:4:4 in two planes: RADV does not know the format, its planes are ordinary
    if number in range(1000156012, 1000156017) or number in range(1000156022, 1000156027):
        return ~0  # planes of 10 and 12 bits in 16: the shader scales
    if any(number in formats for formats in YCBCR):
        return FILTER_LINEAR  # each plane is filtered like any image
    if number in (110, 111):
        return UNIFORM_TEXEL  # 64 bits are read as two channels of 32, whatever the buffer is called
    return 0


def theirs_alone(number):
    """Bits that RADV has and we lack, with reason."""
    allowed = ACCELERATION | SHADING_RATE  # features that are not implemented
    if number in SCALED or number in SRGB or number in (59, 61, 63, 65, 67, 69):
        allowed |= STORAGE_TEXEL | READ_ANY | WRITE_ANY  # a view that no shader could declare
    return allowed


def run(command, environment):
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    return ran.returncode, ran.stdout.splitlines(), ran.stderr


def read(lines):
    formats, modifiers, images = {}, {}, {}
    for line in lines:
        if line.startswith("modifiers "):
            words = line.split()
            modifiers[int(words[1])] = dict(tuple(int(part, 16) for part in word.split(":")) for word in words[2:])
            continue
        if line.startswith("format "):
            words = line.split()
            formats[int(words[1])] = [int(word, 16) for word in words[2:]]
        else:
            name, _, answer = line.partition(":")
            images.setdefault(name, re.sub(r"^( \d+ \d+) 0x[0-9a-f]+", r"\1", answer))
    return formats, modifiers, images


def compare_formats(tap, ours, theirs):
    wrong = []
    for number, features in theirs.items():
        for what, our, their in zip(("linear", "optimal", "buffer"), ours[number], features):
            extra, missing = our & ~their & ~ours_alone(number), their & ~our & ~theirs_alone(number)
            if extra or missing:
                wrong.append(f"format {number}, {what}: we have 0x{extra:x} more and 0x{missing:x} less")
    tap.case(f"features of {len(theirs)} formats: every difference has a reason", not wrong, "\n".join(wrong))


def compare_modifiers(tap, ours, theirs):
    """We have no compressed ones; all others, in RADV's order of preference. A linear image of 3 × 32 bits is not shared."""
    wrong = []
    for number, their in theirs.items():
        plain = {modifier: features for modifier, features in their.items() if not modifier >> 13 & 1 or modifier >> 56 != AMD}
        if any(number in formats for formats in YCBCR) or number in (104, 105, 106, 110, 111):
            continue
        our = ours[number]
        if list(our) != list(plain) or any(our[modifier] & ~plain[modifier] for modifier in our):
            wrong.append(f"format {number}: {[hex(m) for m in our]}, RADV {[hex(m) for m in plain]}")
    tap.case(f"modifiers of {sum(bool(m) for m in ours.values())} formats are RADV's uncompressed ones", any(ours.values()) and not wrong, "\n".join(wrong))


def compare_images(tap, ours, theirs, how):
    same, wrong, ours_only, theirs_only = collections.Counter(), collections.defaultdict(list), 0, 0
    for name, their in theirs.items():
        group, our = name.split()[1], ours.get(name, " missing")
        if our == their:
            same[group] += "unsupported" not in their
        elif "unsupported" in our:
            theirs_only += 1
        elif "unsupported" in their:
            ours_only += 1
        else:
            wrong[group].append(f"{name}\n  RADV{their}\n  Tuff{our}")
    for group in sorted(set(same) | set(wrong)):
        shown = "\n".join(wrong[group][:SHOWN])
        tap.case(f"{group}: {same[group]} images are laid out like RADV's", not wrong[group], f"{len(wrong[group])} differ\n{shown}\n{how}")
    total = sum(same.values())
    tap.case(f"at least {LEAST} different images were compared: {total}", total >= LEAST)
    tap.note(f"supported by RADV alone: {theirs_only}, by us alone: {ours_only}")
    tap.case("the images that only one driver has are few", ours_only + theirs_only < total // 20)


def main():
    run_on, tuff, program, manifest = sys.argv[1:]
    tap = Tap()
    radv = [sys.executable, run_on, "--tuff", tuff, "radv", program]
    status, theirs, errors = run(radv, dict(os.environ))
    if status == 77:
        tap.skip("image layouts", "RADV is not installed")
        return tap.done()
    tap.case("RADV answers", status == 0, f"{' '.join(radv)}\n{errors}")
    environment = dict(os.environ, VK_ICD_FILENAMES=manifest, VK_DRIVER_FILES=manifest, TUFF_GPU="gfx1030")
    status, ours, errors = run([program], environment)
    how = f"VK_ICD_FILENAMES={manifest} TUFF_GPU=gfx1030 {program}"
    if not tap.case("our driver answers", status == 0, f"{how}\n{errors}"):
        return tap.done()
    (our_formats, our_modifiers, our_images), (their_formats, their_modifiers, their_images) = read(ours), read(theirs)
    compare_formats(tap, our_formats, their_formats)
    compare_modifiers(tap, our_modifiers, their_modifiers)
    compare_images(tap, our_images, their_images, how)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
