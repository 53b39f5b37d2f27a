#!/usr/bin/env python3
"""Our compiler beside RADV's (ACO) on the corpus of tests/shaders, for the same chip, in one run:

    compiler.py --model RUN_MODEL --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [--rounds 5] [--data FILE] [NAME]...

One estimator, ours, judges both binaries from their code alone: instructions, size, registers that the code names, inverse throughput; wave64 for both.
A loop counts eight times in the estimate, however often it turns: where one compiler unrolls and the other does not, inverse throughput cannot be compared, so
that the means are also given for the shaders where both have the same number of loops.
Prints geometric means of the ratios ours / ACO's and the worst shaders of each figure. Compile time is the processor time of the thread for
SPIR-V to code, best of the rounds, the two in turn; only a release build says anything about it. ACO's includes the rest of vkCreateComputePipelines.
`--data` keeps what was measured, of which docs/generate.py makes the tables (bench/compiler_report.py)."""
import argparse
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "shaders"), str(ROOT / "bench")]
import compiler_report  # noqa: E402
import judge  # noqa: E402

LAST_SHAPE = "w32-plain"  # of run_model.c
RUN_ON = ROOT / "tests" / "vulkan" / "run_on.py"
FIGURES = ("instructions", "size", "vgprs", "throughput", "time")
WORDS = re.compile(r";\s*((?:[0-9a-fA-F]{8}\s*)+)$")
BRANCHES = (0xBF82, *range(0xBF84, 0xBF8A))  # s_branch, s_cbranch_*: what stands in the upper half of the word
REPEATED = re.compile(r"repeated (\d+) times")


def words_of(assembly):
    """The machine words of ACO's listing: they stand after each instruction; a run of equal instructions is printed once."""
    result, last = [], []
    for line in assembly.splitlines():
        found = WORDS.search(line.rstrip())
        if found:
            last = [int(w, 16) for w in found.group(1).split()]
            result += last
        else:
            again = REPEATED.search(line)
            if again:
                result += last * int(again.group(1))
    return result


def radv(options, shaders, directory, arguments, done, flags=""):
    command = [sys.executable, str(RUN_ON), "--tuff", options.tuff, "--flags", flags, "radv", options.vulkan, arguments[0]]
    lines, killers = judge.run_list(command, shaders, directory, arguments[1:], done)
    if lines is None:
        sys.exit("RADV is not installed")
    for name, why in killers.items():
        print(f"# RADV failed on {name}: {why}")
    return lines


def figures(options, directory, names, suffix):
    """{name: {figure: value}} of the files NAME + suffix."""
    paths = {str(pathlib.Path(directory) / (name + suffix)): name for name in names}
    present = [path for path in paths if pathlib.Path(path).exists()]
    if not present:
        return {}
    ran = subprocess.run([options.model, "--figures", "64", *present], capture_output=True, text=True, check=True)
    result = {}
    for line in ran.stdout.splitlines():
        words = line.split()
        values = {words[i]: int(words[i + 1]) for i in range(2, len(words), 2)}
        result[paths[words[1]]] = values
    return result


def count_loops(path):
    """Jumps backwards."""
    words = [w for (w,) in struct.iter_unpack("<I", pathlib.Path(path).read_bytes())]
    return sum(w >> 16 in BRANCHES and w >> 15 & 1 for w in words)


def second_word(line):
    return (line.split() + ["", ""])[1]


def times(options, shaders, directory):
    best = {"ours": {}, "aco": {}}
    for _ in range(2):
        ours, _ = judge.run_list([options.model, "--time"], shaders, directory, [str(options.rounds)], second_word)
        theirs = radv(options, shaders, directory, ["--time", str(options.rounds)], second_word, "nocache")
        for key, lines in (("ours", ours), ("aco", theirs)):
            for line in lines:
                word, name, value = (line.split() + ["", "", ""])[:3]
                if word == "time":
                    best[key][name] = min(best[key].get(name, math.inf), float(value))
    return best


def collect(options, shaders, directory):
    """{name: (ours, aco)}, each {figure: value}"""
    judge.run_list([options.model, "--compile"], shaders, directory, [directory], lambda line: judge.last_word(line, LAST_SHAPE))
    radv(options, shaders, directory, ["--code", directory], second_word)
    names = [s.name for s in shaders]
    for name in names:
        assembly = pathlib.Path(directory) / (name + ".assembly")
        if assembly.exists():
            words = words_of(assembly.read_text(encoding="utf-8", errors="replace"))
            (pathlib.Path(directory) / (name + ".aco.code")).write_bytes(struct.pack(f"<{len(words)}I", *words))
    ours, aco = figures(options, directory, names, ".w64.code"), figures(options, directory, names, ".aco.code")
    taken = times(options, shaders, directory)
    result = {}
    for name in names:
        if name not in ours or name not in aco:
            print(f"# {name} is left out: {'ours' if name not in ours else 'ACO'} has no code")
            continue
        ours[name]["time"], aco[name]["time"] = taken["ours"].get(name, math.nan), taken["aco"].get(name, math.nan)
        # A register file is given out in blocks; ACO may name none at all.
        for side in (ours[name], aco[name]):
            side["vgprs"] = max(side["vgprs"], 1)
        for side, suffix in ((ours[name], ".w64.code"), (aco[name], ".aco.code")):
            side["loops"] = count_loops(pathlib.Path(directory) / (name + suffix))
        result[name] = ours[name], aco[name]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--vulkan", required=True)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--keep", help="a directory for the code of both")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    shaders = [s for s in judge.load(options.modules, options.names) if s.on_rig]
    with tempfile.TemporaryDirectory() as temporary:
        found = collect(options, shaders, options.keep or temporary)
    if not found:
        sys.exit("nothing was compared")
    kept = compiler_report.kept_shaders(FIGURES, FIGURES, "radv", "gfx1030", found)
    print("\n".join(compiler_report.shaders_table(kept)))
    if options.data:
        compiler_report.write(options.data, kept)


if __name__ == "__main__":
    main()
