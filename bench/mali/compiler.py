#!/usr/bin/env python3
"""Our compiler for Valhall beside Mesa's (in PanVK over the shim) on the corpus of tests/shaders, for the same chip:

    compiler.py --ours BENCH_MALI_COMPILER --vulkan RUN_VULKAN --tuff TUFF --modules DIRECTORY [--judge panvk-26.1] [--rounds 5] [--markdown FILE] [NAME]...

bench/compiler.py says what is compared and how. messages: instructions that leave the execution engine, for memory above all; private: of them, those to a thread's own memory, spills and
arrays; waits: instructions after which slots are waited for; registers: those that the code names (src/mali/compiler/statistics.c)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import compiler  # noqa: E402


def instructions(assembly):
    return assembly


MALI = compiler.Family(("instructions", "messages", "private", "waits", "registers"), ("instructions", "registers"), "panvk-26.1", "mali-g610", {}, instructions)

if __name__ == "__main__":
    compiler.main(MALI, __doc__)
