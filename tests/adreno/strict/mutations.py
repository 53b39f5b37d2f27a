#!/usr/bin/env python3
"""Judge of strict mode: takes one (ss), one (sy) or one delay out of programs that Turnip wrote, and asks whether strict mode notices.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT PROGRAM [ARGUMENT]...
    mutations.py --clean SUBJECT PROGRAM [ARGUMENT]...

PROGRAM runs on the model and must be clean as it is. Each mutant is one run with one instruction exchanged (TUFF_STRICT_PATCH, docs/strict.md); it is
caught if the run reports "strict mode:". Not every mutant can be: Mesa's compiler places some waits by rule, whatever came before."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from mutants import Mutant, judge_mutants  # noqa: E402

SS, SY, JP = 1 << 44, 1 << 60, 1 << 59
REPEAT = 7 << 40
# Bits that are a number of nops in category 2 and 3 where nothing repeats.
NOPS = {2: 1 << 43 | 1 << 51, 3: 1 << 43 | 1 << 15}
INSTRUCTION_B = 8


def category(inst):
    return inst.words[0] >> 61


def bare(inst):
    """The name without flags."""
    return re.sub(r"^(\([^)]*\)\s*)+", "", inst.text).split()[0]


def exchange(kind, changes, what):
    """`changes`: instructions and the words that take their places."""
    return Mutant(kind, changes[0][0], ",".join(f"{inst.va:x}:{inst.words[0]:x}:{word:x}" for inst, word in changes), what)


def before(code, i):
    """The name of the instruction before code[i]; delays that the compiler put between them are not looked at."""
    while i and code[i].va - code[i - 1].va == INSTRUCTION_B:
        i -= 1
        if bare(code[i]) != "nop":
            return bare(code[i])
    return ""


def why_by_rule(code, i):
    """A reason for which the compiler places waits whatever came before, as far as the neighbours show."""
    previous = before(code, i)
    if previous.startswith(("bar", "fence")):
        return "after a barrier, for the order of memory"
    if bare(code[i]) == "shpe":
        return "at the end of a preamble"
    if previous in ("predt", "predf"):
        return "after a predicate"
    return None


def removed_waits(code):
    for bit, name in ((SS, "(ss)"), (SY, "(sy)")):
        for i, inst in enumerate(code):
            if name not in inst.text or not inst.words[0] & bit:
                continue
            yield exchange(f"{name} by rule" if why_by_rule(code, i) else name, [(inst, inst.words[0] & ~bit)], f"without {name}")


def removed_delays(code):
    for i, inst in enumerate(code):
        word = inst.words[0]
        if re.search(r"\(nop\d\)", inst.text):
            yield exchange("delay", [(inst, word & ~NOPS[category(inst)])], "without nops")
        if bare(inst) != "nop" or word & (SS | SY | JP) or i + 1 == len(code):
            continue
        if before(code, i) == "prede":
            continue  # six slots by rule
        after = code[i + 1]
        # The nop goes after the instruction that it stood before; where that cannot be moved, it gets shorter.
        if after.va == inst.va + INSTRUCTION_B and category(after) and not after.words[0] & JP:
            yield exchange("delay", [(inst, after.words[0]), (after, word)], "after the next one")
        elif word & REPEAT:
            yield exchange("delay", [(inst, word & ~REPEAT)], "without its repeat")


# What share of the mutants of a sample must be caught: in samples of 24 all are. Not demanded: waits that the compiler places by rule.
DEMANDED = {"(ss)": 0.85, "(sy)": 0.85, "delay": 0.85}

if __name__ == "__main__":
    sys.exit(judge_mutants(__doc__, (removed_waits, removed_delays), DEMANDED))
