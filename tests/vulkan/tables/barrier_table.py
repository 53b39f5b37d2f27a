#!/usr/bin/env python3
"""What our driver writes into the command stream for a barrier, beside what Mesa's driver writes for the same one: never fewer waits and cache operations, and each that
is more has its reason in the family's barriers.txt.

    barrier_table.py [--gpu NAME] [--print] RUN_ON TUFF BARRIER_TABLE        --print writes the table of docs/barriers.md

The model dumps every submitted stream (TUFF_DEBUG=ibs) of any driver, `tuff decode` prints it; between the two dispatches that barrier_table.c marks stands what is
compared. What packets do is the family's (tests/<gpu>/vulkan/barriers.py), and where a submission is several streams, how they are recorded."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import models  # noqa: E402
from tap import Tap  # noqa: E402

ARGUMENTS = sys.argv[1:]
GPU = models.take_option(ARGUMENTS)
FAMILY = models.module(GPU, "vulkan/barriers.py")
RECORD = getattr(FAMILY, "record", None)
EXTRAS = models.ROOT / "tests" / models.find(GPU).family / "vulkan" / "barriers.txt"
FIRST, LAST = (re.compile("^" + FAMILY.MARK.format(count)) for count in (3, 5)) if not RECORD else (None, None)


def packets(tuff, path):
    """The packets of a stream, each as one line of text."""
    text = subprocess.run([tuff, "decode", "--gpu", GPU, str(path)], capture_output=True, text=True, check=False).stdout
    found = []
    for line in text.splitlines():
        if re.match(r"^[0-9a-f]{8}  ", line):
            found.append(line[10:])
        elif found:
            found[-1] += " " + line.strip()
    return found


def joined(streams):
    """Streams in the order in which they ran; where one ends in a jump to the next part of it, both as one."""
    whole = []
    for stream in streams:
        if whole and whole[-1] and re.match(r"INDIRECT_BUFFER .*CHAIN=1", whole[-1][-1]):
            whole[-1].pop()
            whole[-1] += stream
        else:
            whole.append(stream)
    return whole


def record(run_on, tuff, program, driver):
    """The rows of the table in their order, each with its packets between the marks; None where the driver is missing."""
    if RECORD:
        return RECORD(run_on, tuff, program, driver)
    with tempfile.TemporaryDirectory() as dump:
        environment = os.environ | {"TUFF_DEBUG": "ibs", "TUFF_DUMP": dump}
        ran = subprocess.run([sys.executable, run_on, "--tuff", tuff, "--gpu", GPU, driver, program], env=environment, capture_output=True, text=True, check=False)
        if ran.returncode == 77:
            return None
        if ran.returncode:
            sys.exit(f"barrier_table on {driver} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        names = [line[4:] for line in ran.stdout.splitlines() if line.startswith("row ")]
        files = sorted(pathlib.Path(dump).iterdir(), key=lambda path: int(path.stem.rsplit("-", 1)[1]))
        streams = []
        for stream in joined([packets(tuff, path) for path in files]):
            first = [i for i, packet in enumerate(stream) if FIRST.match(packet)]
            last = [i for i, packet in enumerate(stream) if LAST.match(packet)]
            if first and last:
                streams.append(stream[first[0] + 1:last[-1]])
        if len(streams) != len(names):
            sys.exit(f"{driver}: {len(streams)} streams with both marks for {len(names)} rows")
        return dict(zip(names, streams))


def read_extras(path):
    """A list of (pattern of rows, words, reason): `PATTERN | WORDS | reason`."""
    extras = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, words, reason = (part.strip() for part in line.split(" | ", 2))
            extras.append((re.compile(pattern), set(words.split()), reason))
    return extras


def in_order(words):
    return " ".join(word for word in FAMILY.ORDER if word in words) or "-"


def judge(tap, name, ours, theirs, extras, used):
    mine, wanted = FAMILY.effects(ours), FAMILY.effects(theirs)
    detail = f"ours: {in_order(mine)}\n{FAMILY.JUDGE_NAME}: {in_order(wanted)}\nour packets:\n" + "\n".join(ours) + f"\n{FAMILY.JUDGE_NAME}'s packets:\n" + "\n".join(theirs)
    tap.case(f"{name}: as much as {FAMILY.JUDGE_NAME}", not wanted - mine, f"missing: {in_order(wanted - mine)}\n{detail}")
    unexplained = mine - wanted
    for i, (pattern, words, _) in enumerate(extras):
        if pattern.fullmatch(name) and words & (mine - wanted):
            used.add(i)
            unexplained -= words
    tap.case(f"{name}: nothing more without a reason", not unexplained, f"more: {in_order(unexplained)}\n{detail}")


def table(barriers):
    """Barriers with the same effects in one row, from {name: (our words, the judge's)}."""
    rows = {}
    for name, (mine, wanted) in barriers.items():
        less, more = in_order(wanted - mine), in_order(mine - wanted)
        rows.setdefault((in_order(wanted), "" if more == "-" else more, "" if less == "-" else less), []).append(name)
    head = ["barriers", f"what {FAMILY.JUDGE_NAME} writes", "what ours writes besides", "what ours leaves out"]
    lines = [[" · ".join(grouped(names)), *words] for words, names in rows.items()]
    is_used = [any(line[column] for line in lines) for column in range(len(head))]
    return ["| " + " | ".join(cell for cell, used in zip(line, is_used) if used) + " |" for line in (head, ["---"] * len(head), *lines)]


def grouped(names):
    """`memory: a`, `memory: b` as "memory: a; b"."""
    kinds = {}
    for name in names:
        kind, _, rest = name.partition(": ")
        kinds.setdefault(kind, []).append(rest)
    return [f"**{kind}**: " + "; ".join(rests) for kind, rests in kinds.items()]


def main():
    show = "--print" in ARGUMENTS
    run_on, tuff, program = [word for word in ARGUMENTS if word != "--print"]
    theirs = record(run_on, tuff, program, FAMILY.JUDGE)
    if theirs is None:
        return Tap().skip_all(f"{FAMILY.JUDGE} is not installed")
    ours = record(run_on, tuff, program, "tuff")
    if show:
        print("\n".join(table({name: (FAMILY.effects(stream), FAMILY.effects(theirs[name])) for name, stream in ours.items()})))
        return 0
    extras = read_extras(EXTRAS)
    tap, used = Tap(), set()
    for name, stream in ours.items():
        judge(tap, name, stream, theirs[name], extras, used)
    for i, (pattern, words, reason) in enumerate(extras):
        tap.case(f"still there: {pattern.pattern}: {' '.join(sorted(words))}", i in used, f"nothing of it is more than {FAMILY.JUDGE_NAME}'s now: take it off the list ({reason})")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
