#!/usr/bin/env python3
"""Our compiler for Valhall beside Mesa's (in PanVK over the shim) on the corpus of tests/shaders, for the same chip:

    compiler.py --ours BENCH_MALI_COMPILER --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [--judge panvk-26.1] [--rounds 5] [--data FILE] [NAME]...

bench/compiler.py says what is compared and how. messages: instructions that leave the execution engine, for memory above all; private: of them, those to a thread's own memory, spills and
arrays; waits: instructions after which slots are waited for; registers: those that the code names (src/mali/compiler/statistics.c)."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import compiler  # noqa: E402


LAST = re.compile(r"\b(r\d+)\^")  # Mesa writes the mark of a last use after the register
NAMES = {"LD_PKA": "LD_BUFFER", "LEA_PKA": "LEA_BUFFER", "IDPADD": "IDP", "LD_GCLK_U64": "LD_GCLK.u64.system_timestamp"}  # other names of the same instructions
HALF = re.compile(r"\.h([01])\b")  # one half of a source; ours writes both that are read
OF_HALVES = re.compile(r"[US]16_TO_|F16_TO_[US]32|MKVEC\.v2i16")


def instructions(assembly):
    """The lines of a listing that are instructions."""
    code = []
    for line in (LAST.sub(r"^\1", line.strip()) for line in assembly.splitlines()):
        if OF_HALVES.match(line):
            line = HALF.sub(r".h\1\1", line)
        for theirs, ours in NAMES.items():
            line = line.replace(theirs, ours, 1) if line.startswith(theirs) else line
        if line:
            code.append(line)
    return "\n".join(code) + "\n"


MALI = compiler.Family(("instructions", "messages", "private", "waits", "registers"), ("instructions", "registers"), "panvk-26.1", "mali-g610", {}, instructions,
                       left_out={"integer_functions_comp": "PanVK's compiler does not end"})

if __name__ == "__main__":
    compiler.main(MALI, __doc__)
