#!/usr/bin/env python3
"""Modules at the universal limits of SPIR-V compile, on the stack of 256 KiB that an application's thread may have; what is beyond is refused for its own reason.

    limits.py --tuff TUFF

That they give the right result is judged on the model: src/amd/compiler/tests, `limits`."""
import argparse
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
         ("a loop with 5,000 ways out", "breaks", 5000))
REFUSED = (("control flow nested 5,000 deep", "nesting", 5000, "control flow nests deeper than 4096"),)


def compile_module(tuff, folder, kind, count):
    path = os.path.join(folder, f"{kind}.spv")
    grow.write(kind, count, path)

    def restrict():
        resource.setrlimit(resource.RLIMIT_STACK, (STACK_B, STACK_B))
    return subprocess.run([tuff, "compile", "--figures", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=restrict)


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
            report.case(f"{what} are refused, and the reason is named", run.returncode == 1 and reason in run.stderr, f"exit code {run.returncode}: {run.stderr}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
