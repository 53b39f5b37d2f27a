#!/usr/bin/env python3
"""Programs of many different constants: all of them give the right result, and those that are gone leave no memory behind.

    test_constants.py --tuff TUFF --gpu NAME --program BENCH_GROW [--passing COUNT]

The program looks at each result itself, but for the module's, which is computed here."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "shaders")]
import grow  # noqa: E402
import tap  # noqa: E402

CONSTANTS = 100000   # of one module
LIVING = 860         # pipelines of a hundred constants each: more than fit into the 16 MiB that constants once had
MOST_KEPT_MB = 160   # of programs that are gone, however many: what the model keeps decoded until it forgets, on each worker


def figures(options, *words):
    """What bench_grow prints, by name, or nothing; and the command with its output."""
    command = [sys.executable, str(ROOT / "tests" / "vulkan" / "run_on.py"), "--tuff", options.tuff, "--gpu", options.gpu, "tuff", options.program, *words]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    line = [line.split() for line in ran.stdout.splitlines() if line.startswith("create_s")]
    told = f"{' '.join(command)}: code {ran.returncode}\n{ran.stdout}"
    return ({name: float(value) for name, value in zip(line[0][::2], line[0][1::2])} if line and not ran.returncode else None), told


def expected_word():
    x = 0
    for i in range(CONSTANTS):
        x = ((x * 1664525) & grow.U32) ^ grow.mixed(i)
    return x


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--gpu", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--passing", type=int, default=1500)
    options = parser.parse_args()
    report = tap.Tap()
    found, told = figures(options, "programs", str(LIVING))
    report.case(f"{LIVING} living pipelines of 100 other constants each are right, each twice", found, told)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.spv")
        grow.write("constants", CONSTANTS, path)
        found, told = figures(options, "module", path)
        report.case(f"one program of {CONSTANTS:,} constants is right", found and found["result"] == expected_word(), f"expected {expected_word()}; {told}")
    found, told = figures(options, "passing", str(options.passing))
    kept_MB = (found["peak_kB"] - found["base_kB"]) / 1024 if found else 0
    report.case(f"{options.passing} pipelines that come and go are right and leave at most {MOST_KEPT_MB} MB", found and kept_MB <= MOST_KEPT_MB, f"{kept_MB:.0f} MB; {told}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
