#!/usr/bin/env python3
"""Modules at the universal limits of SPIR-V compile, on the stack of 256 KiB that an application's thread may have; what is beyond is refused for its own reason, and no
cost grows as a square.

    limits.py --tuff TUFF

That they give the right result is judged on the model: src/amd/compiler/tests, `limits`."""
import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..")]
import grow  # noqa: E402
import tap  # noqa: E402

STACK_B = 256 << 10
HOLDS = (("control flow nested 1,023 deep", "nesting", 1023), ("a switch of 16,383 cases", "cases", 16383), ("calls 1,000 deep", "chain", 1000),
         ("a loop with 5,000 ways out", "breaks", 5000),
         ("functions that call the next one twice, 15 deep,", "doubling", 15))
REFUSED = (("control flow nested 5,000 deep", "nesting", 5000, "control flow nests deeper than 4096"),
           ("functions that call the next one twice, 30 deep,", "doubling", 30, "with its calls expanded, the shader has 28991029248 words; 5323771 are the most for a module of its size"),
           ("functions that call the next one twice, 1,000 deep,", "doubling", 1000, "with its calls expanded, the shader has 1152921504606846976 words"))
# bench/growth.py measures exponents, those of loops alone too: the checks of debug builds, which this runs on, are a square there. Here a square (2) is told from what is near-linear (1), on any machine. Kind, size; four times as many besides.
GROWS = (("statements", 8000), ("blocks", 1000), ("loads", 1000), ("live", 2000), ("calls", 8000), ("breaks", 2000), ("body", 1000), ("cases", 1500))
STEEPEST = 1.6
LEAST_S = 0.02


def compile_module(tuff, folder, kind, count):
    path = os.path.join(folder, f"{kind}.spv")
    grow.write(kind, count, path)

    def restrict():
        resource.setrlimit(resource.RLIMIT_STACK, (STACK_B, STACK_B))
    return subprocess.run([tuff, "compile", "--figures", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=restrict)


def processor_s(tuff, folder, kind, count):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    compile_module(tuff, folder, kind, count)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def judge_growth(report, tuff, folder):
    start_s = min(processor_s(tuff, folder, "statements", 1) for _ in range(3))
    for kind, count in GROWS:
        for _ in range(3):  # a machine with much to do may disturb one
            few_s, many_s = (max(processor_s(tuff, folder, kind, n) - start_s, LEAST_S) for n in (count, 4 * count))
            exponent = math.log(many_s / few_s) / math.log(4)
            if exponent < STEEPEST:
                break
        report.case(f"{kind}: {count} and four times as many grow by an exponent below {STEEPEST}", exponent < STEEPEST, f"{few_s:.3f} s, {many_s:.3f} s: {exponent:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuff", required=True)
    tuff = parser.parse_args().tuff
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        for what, kind, count in HOLDS:
            run = compile_module(tuff, folder, kind, count)
            report.case(f"{what} compile", run.returncode == 0 and "; code " in run.stdout,
                        f"exit code {run.returncode}: {run.stderr}; grow.py {kind} {count} x.spv; tuff compile --figures x.spv")
        for what, kind, count, reason in REFUSED:
            run = compile_module(tuff, folder, kind, count)
            report.case(f"{what} are refused at once, and the reason is named", run.returncode == 1 and reason in run.stderr, f"exit code {run.returncode}: {run.stderr}")
        judge_growth(report, tuff, folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
