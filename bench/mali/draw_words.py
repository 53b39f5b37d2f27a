#!/usr/bin/env python3
"""Instructions of the command stream for a draw, of 64 bits each, on our driver and on PanVK: never more.

    draw_words.py RUN_ON TUFF BENCH_VULKAN

The scenes of bench_vulkan that record draws are submitted once with a trace of the model, which decodes every stream of either driver. What stands from one RUN_IDVS of the
vertex queue to the next is a draw; nearly all are alike, and the commonest count is what is compared."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS))
from tap import Tap  # noqa: E402

GPU, JUDGE = "mali-g610", "panvk-26.1"
SCENES = {"record": "nothing new", "record_set": "another set", "record_pipe": "another pipeline", "record_push": "other push constants"}
DRAWS = 300
LEAST = 0.9  # of the draws have the commonest count: others begin a chunk
SKIPPED = 77


def count(command, scene):
    """How often a draw costs how many instructions; None where the driver is missing."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.txt")
        ran = subprocess.run([*command, "--verify", scene], env=os.environ | {"TUFF_TRACE": trace, "BENCH_DRAWS": str(DRAWS)}, capture_output=True, text=True, check=False)
        if ran.returncode == SKIPPED:
            return None
        if ran.returncode:
            sys.exit(f"{scene} on {command[-2]} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        counts, words, queue = collections.Counter(), None, None
        with open(trace, encoding="utf-8") as lines:
            for line in lines:
                start = re.match(r"# process \d+, group \d+, queue (\d), job", line)
                if start:
                    queue, words = start.group(1), None
                elif queue == "0" and re.match(r"[0-9a-f]{8}  [A-Z]", line):
                    if words is not None:
                        words += 1
                    if line[10:].startswith("RUN_IDVS"):
                        counts[words] += 1
                        words = 0
        return counts


def main():
    run_on, tuff, program = sys.argv[1:]
    tap = Tap()
    for scene, what in SCENES.items():
        ours, theirs = (count([sys.executable, run_on, "--tuff", tuff, "--gpu", GPU, driver, program], scene) for driver in ("tuff", JUDGE))
        if theirs is None:
            tap.skip(f"a draw with {what}", f"{JUDGE} is not installed")
            continue
        (mine, often), (wanted, _) = (counts.most_common(1)[0] for counts in (ours, theirs))
        tap.note(f"a draw with {what}: {mine} instructions, {JUDGE} {wanted}")
        tap.case(f"a draw with {what} has no more instructions than on {JUDGE}", mine is not None and 0 < mine <= wanted and often >= LEAST * DRAWS, f"{ours}\n{theirs}")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
