#!/usr/bin/env python3
"""What our driver writes into the command stream for a barrier, beside what RADV writes for the same one: never fewer waits and cache operations, and each that is more
has its reason in barrier_extra.txt.

    barrier_table.py [--print] RUN_ON TUFF BARRIER_TABLE        --print writes the table of docs/barriers.md

The model dumps every submitted stream (TUFF_DEBUG=ibs) of any driver, `tuff decode` prints it; between the two dispatches that
barrier_table.c marks stands what is compared. Waits are compared by what they reach: an end-of-pipe event that is waited for has
waited for pixels, and a wait for pixels is also one for vertices."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from tap import Tap  # noqa: E402

GCR = ("GLI_INV", "GLM_WB", "GLM_INV", "GLK_INV", "GLV_INV", "GL1_INV", "GL2_INV", "GL2_WB")
PIPE_EVENTS = {"CACHE_FLUSH_AND_INV_TS_EVENT": {"CB_DATA", "DB_DATA"}, "FLUSH_AND_INV_CB_DATA_TS": {"CB_DATA"}, "FLUSH_AND_INV_DB_DATA_TS": {"DB_DATA"},
               "BOTTOM_OF_PIPE_TS": set()}
EVENTS = {"CS_PARTIAL_FLUSH": {"CS_WAIT"}, "PS_PARTIAL_FLUSH": {"PS_WAIT"}, "VS_PARTIAL_FLUSH": {"VS_WAIT"}, "FLUSH_AND_INV_CB_META": {"CB_META"},
          "FLUSH_AND_INV_DB_META": {"DB_META"}, "VGT_FLUSH": {"VGT_FLUSH"}}
ORDER = ("VS_WAIT", "PS_WAIT", "CS_WAIT", "DMA_WAIT", "CB_DATA", "CB_META", "DB_DATA", "DB_META", *GCR, "PFP_SYNC", "VGT_FLUSH")
FIRST, LAST = re.compile(r"^DISPATCH_DIRECT .*DIM_X=3 DIM_Y=1 DIM_Z=1 "), re.compile(r"^DISPATCH_DIRECT .*DIM_X=5 DIM_Y=1 DIM_Z=1 ")


def packets(tuff, path):
    """The packets of a stream, each as one line of text."""
    text = subprocess.run([tuff, "decode", str(path)], capture_output=True, text=True, check=False).stdout
    found = []
    for line in text.splitlines():
        if re.match(r"^[0-9a-f]{8}  ", line):
            found.append(line[10:])
        elif found:
            found[-1] += " " + line.strip()
    return found


def fields(packet):
    return dict(re.findall(r"(\w+)=(\S+)", packet))


def caches(words):
    return {name for name in GCR if words.get(name, "0") not in ("0", "NOP")}


def effects(stream):
    """What the packets between the marks do, as a set of words."""
    found = set()
    for i, packet in enumerate(stream):
        name, words = packet.split()[0], fields(packet)
        if name == "EVENT_WRITE":
            found |= EVENTS.get(words["EVENT_TYPE"], set())
        elif name == "ACQUIRE_MEM":
            # The front of the command processor waits for it, too (src/amd/driver/radeon_order.c).
            found |= caches(words) | {"PFP_SYNC"}
        elif name == "RELEASE_MEM":
            # Of use here only if the stream waits for its word.
            if any(later.startswith("WAIT_REG_MEM") and fields(later).get("ADDR") == words.get("ADDR") for later in stream[i:]):
                found |= PIPE_EVENTS.get(words["EVENT_TYPE"], set()) | caches(words) | {"PS_WAIT"}
        elif name == "PFP_SYNC_ME":
            found.add("PFP_SYNC")
        elif name == "DMA_DATA" and words.get("CP_SYNC") == "1":
            found.add("DMA_WAIT")
    if "PS_WAIT" in found:
        found.add("VS_WAIT")
    return found


def record(run_on, tuff, program, driver):
    """The rows of the table in their order, each with its packets between the marks; None where the driver is missing."""
    with tempfile.TemporaryDirectory() as dump:
        environment = os.environ | {"TUFF_DEBUG": "ibs", "TUFF_DUMP": dump}
        ran = subprocess.run([sys.executable, run_on, "--tuff", tuff, driver, program], env=environment, capture_output=True, text=True, check=False)
        if ran.returncode == 77:
            return None
        if ran.returncode:
            sys.exit(f"barrier_table on {driver} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        names = [line[4:] for line in ran.stdout.splitlines() if line.startswith("row ")]
        files = sorted(pathlib.Path(dump).iterdir(), key=lambda path: int(path.stem.rsplit("-", 1)[1]))
        streams = []
        for path in files:
            stream = packets(tuff, path)
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
    return " ".join(word for word in ORDER if word in words) or "-"


def judge(tap, name, ours, theirs, extras, used):
    mine, wanted = effects(ours), effects(theirs)
    detail = f"ours: {in_order(mine)}\nRADV: {in_order(wanted)}\nour packets:\n" + "\n".join(ours) + "\nRADV's packets:\n" + "\n".join(theirs)
    tap.case(f"{name}: as much as RADV", not wanted - mine, f"missing: {in_order(wanted - mine)}\n{detail}")
    unexplained = mine - wanted
    for i, (pattern, words, _) in enumerate(extras):
        if pattern.fullmatch(name) and words & (mine - wanted):
            used.add(i)
            unexplained -= words
    tap.case(f"{name}: nothing more without a reason", not unexplained, f"more: {in_order(unexplained)}\n{detail}")


def main():
    show = "--print" in sys.argv
    run_on, tuff, program = [word for word in sys.argv[1:] if word != "--print"]
    theirs = record(run_on, tuff, program, "radv")
    if theirs is None:
        print("1..0 # SKIP RADV is not installed")
        return 77
    ours = record(run_on, tuff, program, "tuff")
    if show:
        print("| barrier | RADV | ours |\n| --- | --- | --- |")
        for name, stream in ours.items():
            mine, wanted = effects(stream), effects(theirs[name])
            less, more = wanted - mine, mine - wanted
            same = "the same" if not less | more else (f"without {in_order(less)} " if less else "") + (f"and {in_order(more)}" if more else "")
            print(f"| {name} | {in_order(wanted)} | {same} |")
        return 0
    extras = read_extras(pathlib.Path(__file__).resolve().parent / "barrier_extra.txt")
    tap, used = Tap(), set()
    for name, stream in ours.items():
        judge(tap, name, stream, theirs[name], extras, used)
    for i, (pattern, words, reason) in enumerate(extras):
        tap.case(f"still there: {pattern.pattern}: {' '.join(sorted(words))}", i in used, f"nothing of it is more than RADV's now: take it off the list ({reason})")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
