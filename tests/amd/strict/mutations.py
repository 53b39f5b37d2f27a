#!/usr/bin/env python3
"""Judge of strict mode: takes one wait, one hazard's nop or one initialisation out of programs that other compilers wrote, and asks whether it is missed.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT PROGRAM [ARGUMENT]...
    mutations.py --clean SUBJECT PROGRAM [ARGUMENT]...

PROGRAM runs on the model, prints whatever it likes and must be clean as it is. Each mutant is one run with one instruction exchanged (TUFF_STRICT_PATCH,
docs/strict.md); it is caught if the run reports "strict mode:". Not every mutant can be: a wait may be redundant, an uninitialised value may not matter. So
what is demanded is a share for each kind, and every survivor is listed with --survivors."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from mutants import Mutant, judge_mutants  # noqa: E402

S_NOP_0 = 0xBF800000
VM_MAX, EXP_MAX, LGKM_MAX = 63, 7, 63
COUNTERS = ("vmcnt", "expcnt", "lgkmcnt")


# ---- kinds of mutants ----

def exchange(kind, inst, words, what):
    return Mutant(kind, inst, ":".join([f"{inst.va:x}", *(f"{word:08x}" for word in words)]), what)


def unpack(imm):
    return (imm & 15) | (imm >> 14 & 3) << 4, imm >> 4 & 7, imm >> 8 & 63


def pack(vm, exp, lgkm):
    return (vm & 15) | (vm >> 4) << 14 | exp << 4 | lgkm << 8


def why_redundant(code, i):
    """A reason why the wait at code[i] keeps no register from harm, as far as its neighbours show; None where they show
    nothing."""
    before = [inst for inst in code[max(i - 4, 0):i] if inst.name != "s_waitcnt_vscnt"]
    waits = unpack(code[i].words[0] & 0xFFFF)
    if before and before[-1].name == "s_barrier":
        return "after a barrier, before which everything was waited for"
    if waits == (0, 0, 0):
        return "at the entry of a function, which knows nothing of its caller"
    if before and " glc dlc" in before[-1].text:
        return "after a volatile load, for the order of memory"
    if waits[:2] == (VM_MAX, EXP_MAX) and code[i + 1].text.startswith("exp pos") and any(inst.name == "s_sendmsg" for inst in code[max(i - 12, 0):i]):
        return "between a message and the position, for their order"
    return None


def removed_waits(code):
    """Each wait becomes a nop."""
    for i, inst in enumerate(code):
        if inst.name == "s_waitcnt_vscnt":
            yield exchange("wait for stores", inst, [S_NOP_0], "s_nop 0")
        elif inst.name.startswith("s_waitcnt") and inst.name != "s_waitcnt_depctr":
            yield exchange("redundant wait" if why_redundant(code, i) else "wait", inst, [S_NOP_0], "s_nop 0")


def weakened_waits(code):
    """Each counter is waited down to one more than it should."""
    for i, inst in enumerate(code):
        if inst.name != "s_waitcnt" or why_redundant(code, i):
            continue
        counts, limits = unpack(inst.words[0] & 0xFFFF), (VM_MAX, EXP_MAX, LGKM_MAX)
        waited = [n for n in range(3) if counts[n] < limits[n]]
        for n in waited if len(waited) == 1 else []:
            weaker = [count + (k == n) for k, count in enumerate(counts)]
            yield exchange("weaker wait", inst, [inst.words[0] & 0xFFFF0000 | pack(*weaker)], f"{COUNTERS[n]}({weaker[n]})")


def removed_nops(code):
    for inst in code:
        if inst.name == "s_nop" and inst.words[0] & 15:
            yield exchange("hazard nop", inst, [S_NOP_0], "s_nop 0")


def vgprs(text):
    """The VGPRs that an instruction names."""
    result = set()
    for first, last, single in re.findall(r"\bv\[(\d+):(\d+)\]|\bv(\d+)\b", text):
        result |= {int(single)} if single else set(range(int(first), int(last) + 1))
    return result


FAR_B = 16384


def programs(code):
    """Code up to an s_endpgm, or to a wide gap: what is never reached is not listed."""
    current = []
    for inst in code:
        if current and inst.va - current[-1].va > FAR_B:
            yield current
            current = []
        current.append(inst)
        if inst.name == "s_endpgm":
            yield current
            current = []
    if current:
        yield current


def sources(inst):
    """Places of VGPR sources: (word, lowest bit, what)."""
    first = inst.words[0]
    if inst.text.startswith(("v_nop", "v_readlane", "v_writelane")):
        return []
    if not first >> 31 and len(inst.words) == 1:  # VOP1, VOP2, VOPC
        places = [(0, 0, "src0")] if first & 0x100 else []
        return places + ([] if first >> 25 in (0x3F,) else [(0, 9, "src1")])
    if first >> 26 == 0x37:  # FLAT, GLOBAL
        places = [(1, 0, "address")]
        return places + ([(1, 8, "data")] if "_store_" in inst.name else [])
    if first >> 26 == 0x36 and inst.name.startswith("ds_"):
        return [(1, 0, "address")]
    if first >> 26 in (0x3E,):  # EXP
        return [(1, 0, "src0")]
    return []


def uninitialised_reads(code):
    """A source becomes a register that the program writes only later: the highest of them."""
    for program in programs(code):
        later = [set()]
        for inst in reversed(program):
            later.append(later[-1] | vgprs(inst.text))
        later.reverse()
        seen = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}  # the hardware may have written these
        for i, inst in enumerate(program):
            seen |= vgprs(inst.text)
            unset = later[i + 1] - seen
            if not unset:
                continue
            for word, bit, what in sources(inst):
                words = list(inst.words)
                words[word] = words[word] & ~(0xFF << bit) | max(unset) << bit
                yield exchange("uninitialised", inst, words, f"{what} = v{max(unset)}")


KINDS = (removed_waits, weakened_waits, removed_nops, uninitialised_reads)

# What share of the mutants of a sample must be caught, set below what was measured: in samples of 40 of clang's kernels 35 (wave32) and 33 (wave64) removed
# waits, 38 and 36 weakened ones, 37 and 36 unwritten operands. The survivors of these samples have not been examined;
# docs/strict.md describes those of an earlier set. Not demanded at all: waits for stores (0 of 40: memory order between waves is
# not checked) and waits that this script takes for redundant by their neighbours.
DEMANDED = {"wait": 0.8, "weaker wait": 0.85, "hazard nop": 1.0, "uninitialised": 0.9}


if __name__ == "__main__":
    sys.exit(judge_mutants(__doc__, KINDS, DEMANDED))
