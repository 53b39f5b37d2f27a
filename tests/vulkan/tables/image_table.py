#!/usr/bin/env python3
"""Are our images laid out like those of Mesa's driver? Runs image_table.c on both over the same model, and compares the size, alignment and subresource layouts of every
image that both support, and where the family says what may differ, the features and modifiers of every format.

    image_table.py [--gpu NAME] RUN_ON TUFF PROGRAM

What only one of the drivers has, and why an image may differ, is the family's (tests/<gpu>/vulkan/images.py). Memory types are not compared: Mesa has more of them."""
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import models  # noqa: E402
from tap import Tap  # noqa: E402

ARGUMENTS = sys.argv[1:]
GPU = models.take_option(ARGUMENTS)
FAMILY = models.module(GPU, "vulkan/images.py")
SHOWN = 10


def run(command):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
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
            images.setdefault(name, re.sub(r"( \d+ \d+) 0x[0-9a-f]+", r"\1", answer))
    return formats, modifiers, images


def compare_formats(tap, ours, theirs):
    wrong = []
    for number, features in theirs.items():
        for what, our, their in zip(("linear", "optimal", "buffer"), ours[number], features):
            extra, missing = our & ~their & ~FAMILY.ours_alone(number), their & ~our & ~FAMILY.theirs_alone(number)
            if extra or missing:
                wrong.append(f"format {number}, {what}: we have 0x{extra:x} more and 0x{missing:x} less")
    tap.case(f"features of {len(theirs)} formats: every difference has a reason", not wrong, "\n".join(wrong))


def compare_modifiers(tap, ours, theirs):
    """In the judge's order of preference."""
    wrong = []
    for number, their in theirs.items():
        our, wanted = ours[number], FAMILY.shared_modifiers(their)
        if FAMILY.has_modifiers(number) and (list(our) != wanted or any(our[modifier] & ~their[modifier] & ~FAMILY.ours_alone(number) for modifier in our)):
            wrong.append(f"format {number}: {[hex(m) for m in our]}, {FAMILY.JUDGE_NAME} {[hex(m) for m in their]}")
    tap.case(f"modifiers of {sum(bool(m) for m in ours.values())} formats are {FAMILY.JUDGE_NAME}'s", any(ours.values()) and not wrong, "\n".join(wrong))


def compare_images(tap, ours, theirs, how):
    same, wrong, reasons, alone = collections.Counter(), collections.defaultdict(list), collections.Counter(), [0, 0]
    for name in (name for name in theirs if name in ours):  # others have modifiers that we have not
        group, our, their = name.split()[1], ours[name], theirs[name]
        if our == their:
            same[group] += "unsupported" not in their
        elif "unsupported" in our or "unsupported" in their:
            alone["unsupported" in their] += 1
        elif FAMILY.reason(name, our, their):
            reasons[FAMILY.reason(name, our, their)] += 1
        else:
            wrong[group].append(f"{name}\n  {FAMILY.JUDGE_NAME}{their}\n  Tuff{our}")
    for group in sorted(set(same) | set(wrong)):
        shown = "\n".join(wrong[group][:SHOWN])
        tap.case(f"{group}: {same[group]} images are laid out like {FAMILY.JUDGE_NAME}'s", not wrong[group], f"{len(wrong[group])} differ\n{shown}\n{how}")
    total = sum(same.values())
    tap.case(f"at least {FAMILY.LEAST} different images were compared: {total}", total >= FAMILY.LEAST)
    for reason, count in reasons.items():
        tap.note(f"{count} differ: {reason}")
    tap.note(f"supported by {FAMILY.JUDGE_NAME} alone: {alone[0]}, by us alone: {alone[1]}")
    tap.case("the images that only one driver has are few", sum(alone) < total // 20)


def main():
    run_on, tuff, program = ARGUMENTS
    tap, found = Tap(), []
    for driver in (FAMILY.JUDGE, "tuff"):
        how = [sys.executable, run_on, "--tuff", tuff, "--gpu", GPU, driver, program]
        status, lines, errors = run(how)
        if status == 77:
            tap.skip("image layouts", f"{driver} is not installed")
            return tap.done()
        if not tap.case(f"{driver} answers", status == 0, f"{' '.join(how)}\n{errors}"):
            return tap.done()
        found.append(read(lines))
    (their_formats, their_modifiers, their_images), (our_formats, our_modifiers, our_images) = found
    if hasattr(FAMILY, "ours_alone"):
        compare_formats(tap, our_formats, their_formats)
        compare_modifiers(tap, our_modifiers, their_modifiers)
    compare_images(tap, our_images, their_images, " ".join(how))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
