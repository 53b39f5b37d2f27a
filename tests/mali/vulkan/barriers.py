"""What a barrier is in Mali's streams (tests/vulkan/tables/barrier_table.py): waits for work of the same queue, signals and waits between queues, flushes of caches.

A submission is up to three streams, which name each other by counters in memory: the trace of the model has all of them. A row is run alone, so that they belong to
it; what counts is everything but the wait and the flush that a command buffer ends with. PanVK leaves out dispatches that do nothing, so there are no marks. Caches are
the whole GPU's: which queue flushes them makes no difference."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

JUDGE = "panvk-26.1"
JUDGE_NAME = "PanVK"
QUEUES = "VFC"  # vertices, fragments, compute: their numbers in the group, in both drivers
PROGRESS_B = {"tuff": 64, JUDGE: 16}  # from one queue's counter to the next
JUDGE_END = "LOAD_MULTIPLE OFFSET=96 "  # of its context: a list of what the end of a command buffer in the compute queue waits for the others to write
WORK_SLOTS = 0xf8  # of the scoreboard, in both drivers
ORDER = ("C_DONE", *(f"{one}>{two}" for one in QUEUES for two in QUEUES if one != two), "CLEAN", "INVALIDATE", "READ_ONLY")


def number(line, field):
    found = re.search(rf"\b{field}=(\w+)", line)
    return int(found.group(1), 0) if found else 0


def register(line, field):
    found = re.search(rf"\b{field}=([rd]\d+)", line)
    return found.group(1) if found else None


def read_trace(path, driver):
    """Lines of instructions, each with its queue and the driver before it."""
    streams, found = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        start = re.match(r"^# process \d+, group \d+, queue (\d), job", line)
        if start:
            streams.append((int(start.group(1)), []))
        elif streams:
            streams[-1][1].append(line)
    for queue, lines in streams:
        end = max((i for i, line in enumerate(lines) if line.endswith("WAIT WAIT_MASK=0xff")), default=len(lines))
        end = min([i for i, line in enumerate(lines) if driver == JUDGE and JUDGE_END in line] + [end])
        found += [f"{driver} {QUEUES[queue]} {line[10:]}" for line in lines[:end] if re.match(r"^[0-9a-f]{8}  ", line)]
    return found


def record(run_on, tuff, program, driver):
    """The rows of the table in their order, each with its instructions; None where the driver is missing."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        while True:
            trace = pathlib.Path(folder) / f"{len(rows)}.txt"
            ran = subprocess.run([sys.executable, run_on, "--tuff", tuff, "--gpu", "mali-g610", driver, program, str(len(rows))],
                                 env=os.environ | {"TUFF_TRACE": str(trace)}, capture_output=True, text=True, check=False)
            if ran.returncode == 77:
                return None
            if ran.returncode:
                sys.exit(f"barrier_table on {driver} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
            names = [line[4:] for line in ran.stdout.splitlines() if line.startswith("row ")]
            if not names:
                return rows
            rows[names[0]] = read_trace(trace, driver)


def flushed(line):
    l2, lsc = (re.search(rf"\b{name}_FLUSH_MODE=(\w+)", line) for name in ("L2", "LSC"))
    modes = {mode.group(1) for mode in (l2, lsc) if mode}
    return {"CLEAN" if modes else None, "INVALIDATE" if "CLEAN_INVALIDATE" in modes else None, "READ_ONLY" if number(line, "OTHER_INVALIDATE") else None}


def effects(stream):
    """What the instructions do, as a set of words."""
    found, added = set(), {}
    for text in stream:
        driver, queue, line = text.split(" ", 2)
        name = line.split()[0]
        if name == "ADD_IMMEDIATE64":
            added[queue, register(line, "DESTINATION")] = number(line, "IMMEDIATE")
        elif name == "SYNC_WAIT64":
            found.add(f"{QUEUES[added[queue, register(line, 'ADDRESS')] // PROGRESS_B[driver]]}>{queue}")
        elif name == "FLUSH_CACHE2":
            found |= flushed(line)
        if queue == "C" and number(line, "WAIT_MASK") & WORK_SLOTS:
            found.add("C_DONE")
    return found - {None}
