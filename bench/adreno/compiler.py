#!/usr/bin/env python3
"""Our compiler for A6xx beside Mesa's (ir3, in Turnip over the shim) on the corpus of tests/shaders, for the same chip:

    compiler.py --ours BENCH_ADRENO_COMPILER --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [--judge turnip-26.1] [--rounds 5] [--data FILE] [NAME]...
    compiler.py --ours BENCH_ADRENO_COMPILER --scenes SCENES --tuff TUFF [--judge turnip-26.1] [--data FILE]

bench/compiler.py says what is compared and how. slots: instructions with their repeats and nops, as they are issued; nops of them; ss, sy: instructions that wait; stall: slots that they may
wait for; registers: vec4 that the code names (src/adreno/compiler/statistics.c)."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import compiler  # noqa: E402

SATURATED = re.compile(r"((?:\([^)]*\))*\s*[a-z][\w.]* )\(sat\)(.*)$")  # Mesa writes it after the name


def reorder(found):
    """Ours writes it before the mark of repeats or nops."""
    marks, name = re.match(r"((?:\((?!rpt|nop)[^)]*\))*)(.*)", found.group(1)).groups()
    return f"{marks}(sat){name.strip()} {found.group(2)}"


def instructions(assembly):
    """The lines of a listing that are instructions and labels, of the program itself: what stands between shps and shpe is the preamble's."""
    lines = [line.strip() for line in assembly.splitlines()]
    code, is_preamble = [], False
    for line in lines:
        name = line.split(")")[-1].strip()
        is_preamble |= name.startswith("shps")
        if line and line[0] not in ";@:" and not line.startswith("Native code") and not (is_preamble and not line.endswith(":")):
            code.append(SATURATED.sub(reorder, line))
        if name == "shpe":
            is_preamble = False
        if name == "end":
            break
    return "\n".join(code) + "\n"


ADRENO = compiler.Family(("slots", "nops", "ss", "sy", "ss_stall", "sy_stall", "cycles", "registers"), ("slots", "cycles", "registers"), "turnip-26.1", "adreno-635",
                         {"IR3_SHADER_DEBUG": "nocache"}, instructions)

if __name__ == "__main__":
    compiler.main(ADRENO, __doc__)
