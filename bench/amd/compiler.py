#!/usr/bin/env python3
"""Our compiler beside RADV's (ACO) on the corpus of tests/shaders, for the same chip, in one run:

    compiler.py --model RUN_MODEL --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [--rounds 5] [--markdown FILE] [NAME]...

One estimator, ours, judges both binaries from their code alone: instructions, size, registers that the code names, inverse throughput; wave64 for both.
A loop counts eight times in the estimate, however often it turns: where one compiler unrolls and the other does not, inverse throughput cannot be compared, so
that the means are also given for the shaders where both have the same number of loops.
Prints a line for each compute shader, geometric means of the ratios ours / ACO's, and the five worst. Compile time is the processor time of the thread for
SPIR-V to code, best of the rounds, the two in turn; only a release build says anything about it. ACO's includes the rest of vkCreateComputePipelines.
`--markdown` replaces what stands between the marks in that file."""
import argparse
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "shaders"))
import judge  # noqa: E402

LAST_SHAPE = "w32-plain"  # of run_model.c
RUN_ON = ROOT / "tests" / "vulkan" / "run_on.py"
FIGURES = ("instructions", "size", "vgprs", "throughput", "time")
MARKS = ("<!-- begin figures -->\n", "<!-- end figures -->\n")
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


def ratio(pair, figure):
    return pair[0][figure] / pair[1][figure]


def geometric_mean(values):
    good = [v for v in values if v > 0 and not math.isnan(v)]
    return math.exp(sum(map(math.log, good)) / len(good)) if good else math.nan


def report(found):
    lines = ["| shader | " + " | ".join(FIGURES) + " |", "| --- |" + " --- |" * len(FIGURES)]
    for name, pair in sorted(found.items()):
        cells = [f"{pair[0][f]:.0f} / {pair[1][f]:.0f} = {ratio(pair, f):.2f}" for f in FIGURES]
        lines.append(f"| {name.removesuffix('_comp')} | " + " | ".join(cells) + " |")
    means = {f: geometric_mean([ratio(pair, f) for pair in found.values()]) for f in FIGURES}
    summary = [f"{len(found)} shaders, ours / ACO's, geometric means: " + ", ".join(f"{f} {means[f]:.3f}" for f in FIGURES) + ".", ""]
    same = {name: pair for name, pair in found.items() if pair[0]["loops"] == pair[1]["loops"]}
    summary += [f"The {len(same)} of them where both have the same number of loops: "
                + ", ".join(f"{f} {geometric_mean([ratio(pair, f) for pair in same.values()]):.3f}" for f in FIGURES) + ".", ""]
    for f in FIGURES:
        worst = sorted(found, key=lambda name: -ratio(found[name], f))[:5]
        above = sum(ratio(pair, f) > 4 for pair in found.values())
        summary.append(f"- {f}: worst " + ", ".join(f"{name.removesuffix('_comp')} {ratio(found[name], f):.2f}" for name in worst) + f"; {above} above 4.")
    return summary, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--vulkan", required=True)
    parser.add_argument("--tuff", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("--keep", help="a directory for the code of both")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    shaders = [s for s in judge.load(options.modules, options.names) if s.on_rig]
    with tempfile.TemporaryDirectory() as temporary:
        found = collect(options, shaders, options.keep or temporary)
    if not found:
        sys.exit("nothing was compared")
    summary, table = report(found)
    print("\n".join(table + [""] + summary))
    if options.markdown:
        text = options.markdown.read_text(encoding="utf-8")
        before, _, rest = text.partition(MARKS[0])
        _, _, after = rest.partition(MARKS[1])
        options.markdown.write_text(before + MARKS[0] + "\n".join(summary + [""] + table) + "\n" + MARKS[1] + after, encoding="utf-8")


if __name__ == "__main__":
    main()
