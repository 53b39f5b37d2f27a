#!/usr/bin/env python3
"""Runs a libFuzzer program a number of times that is always the same, from the same seed and the same inputs:

    run.py PROGRAM RUNS LONGEST_INPUT ARTIFACTS SEEDS

libFuzzer keeps what reaches something new in its first directory: here one that is thrown away, so that no run depends on the one before. What crashes the program is left in the
directory ARTIFACTS."""
import subprocess
import sys
import tempfile


def main():
    program, runs, longest, artifacts, seeds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as found:
        return subprocess.call([program, f"-runs={runs}", "-seed=1", f"-max_len={longest}", "-timeout=20", "-rss_limit_mb=2048", "-print_final_stats=1",
                                f"-artifact_prefix={artifacts}/", found, seeds])


if __name__ == "__main__":
    sys.exit(main())
