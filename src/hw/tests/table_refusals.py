#!/usr/bin/env python3
"""The table reader refuses what cannot be true, and names the line. Each case is a small table with one mistake."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "../../../tests")]
import table  # noqa: E402
import tap  # noqa: E402

SPACES = {"context": (0x28000, 0x30000), "uconfig": (0x30000, 0x40000)}
FAMILY = table.Family(
    "toy", "toy/hw", {"old": "TOY_OLD", "main": "TOY_MAIN", "new": "TOY_NEW"}, parameter=("enum toy", "toy"), complete="main", unit_B=1,
    limit=0x40000, spaces=SPACES, clear_space="context",
    packets=(table.PacketKind("packet", "pkt", "packets.h", header="toy_header"), table.PacketKind("dma", "dma", "dma.h", opcode=(0, 16)),
             table.PacketKind("word", "word", "words.h", opcode=(56, 8), is_word=True)),
    tails={"regs-context": ("regs", SPACES["context"][0])})

HEAD = "reg A . 0x28000 . context ; implemented\n"
CASES = [
    ("a good table", HEAD + "    F 3:0\n    G 31:4\n", None),
    ("fields that overlap", HEAD + "    F 3:0\n    G 4:3\n", "overlap"),
    ("fields that overlap on one generation only",
     "reg A 0x28000 0x28000 . context ; implemented\n    F 3:0|1:0|-\n    G 2\n", "overlap on old"),
    ("a field outside the register", HEAD + "    F 32:30\n", "does not fit"),
    ("a field there twice", HEAD + "    F 0\n    F 1\n", "twice"),
    ("two registers at one offset", HEAD + "    F 0\nreg B . 0x28000 . context ; implemented\n    F 0\n", "both at 0x28000"),
    ("an array that runs into a register",
     "reg A_# . 0x28000 . context [4 +0x4] ; implemented\n    F 0\nreg B . 0x28008 . context ; implemented\n    F 0\n", "both at 0x28008"),
    ("an offset outside its space", "reg A . 0x28000 . uconfig ; implemented\n    F 0\n", "not in uconfig space"),
    ("a register without a policy", "reg A . 0x28000 . context\n    F 0\n", "policy"),
    ("ignored without a reason", "reg A . 0x28000 . context ; ignored\n    F 0\n", "reason"),
    ("a reason that was not written", "reg A . 0x28000 . context ; ignored: because\n    F 0\n", "no reason 'because'"),
    ("a default that does not fit", "reg A . 0x28000 . context clear=0x10 ; implemented\n    F 3:0\n", "does not fit"),
    ("a default that is asked for and not there", "reg A . 0x28000 . context ; stop-unless DEFAULT: two words\n    F 3:0\n", "no default"),
    ("a type that does not exist", HEAD + "    F 3:0 COLOUR\n", "no type"),
    ("an enum too large for its field", HEAD + "    F 0 E\n", "do not fit 1 bits"),
    ("an only value that does not fit", HEAD + "    F 0 ; only 2: two words\n", "does not fit"),
    ("an only value that has no name", HEAD + "    F 3:0 E ; only FOUR: two words\n", "'FOUR'"),
    ("a condition on a field that is not there", "packet P . 0x10 . ; implemented\n    1 F 3:0 when G=1\n", "depends on G"),
    ("a condition on a value that is not there", "packet P . 0x10 . ; implemented\n    1 E 3:0 E\n    1 F 7:4 when E=SIX\n", "'SIX'"),
    ("fields under one condition that overlap",
     "packet P . 0x10 . ; implemented\n    1 E 3:0 E\n    2 F 3:0 when E=ONE\n    2 G 3:0 when E=ONE,TWO\n", "overlap"),
    ("a field in a packet's header", "packet P . 0x10 . ; implemented\n    0 F 3:0\n", "header"),
    ("a field in the operation of a DMA packet", "dma P . 0x1 . ; implemented\n    0 F 15\n", "are the operation's"),
    ("a DMA packet with a tail and no count", "dma P . 0x1 . ; implemented\n    1 F 15\n    tail counted\n", "no COUNT"),
    ("a DMA packet with two conditions",
     "dma P . 0x1 . ; implemented\n    0 A 16\n    0 B 17\n    1 F 15 when A=1\n    2 G 15 when B=1\n", "one condition"),
    ("a word of more than 64 bits", "word P . 0x1 . ; implemented\n    2 F 15\n", "more than a word"),
    ("a word that is not always the same", "word P . 0x1 . ; implemented\n    0 A 16\n    1 F 15 when A=1\n", "not always the same"),
    ("a power of two with too many bits", HEAD + "    F 6:0 pow2\n", "up to 6 bits"),
    ("a signed number that is stored less", HEAD + "    F 6:0 int+1\n", "no type"),
    ("an only value below what can be stored", HEAD + "    F 3:0 uint+1 ; only 0: two words\n", "does not fit"),
    ("packets that cannot be distinguished",
     "packet P . 0x10 . ; implemented\n    1 F 3:0\npacket Q . 0x10 . ; implemented\n    1 F 3:0\n", "cannot be distinguished"),
    ("fields of which one moved onto the other", "descriptor D 2\n    0 F 1.3:0|3:0|1.7:4\n    1 G 3:0|3:0|3:0 when F=1\n    1 H 31\n", "overlap on old"),
    ("a wide register that runs into its neighbour",
     "reg A . 0x28000 . context wide ; implemented\n    F 63:0 va\nreg B . 0x28004 . context ; implemented\n    F 0\n", "both at 0x28004"),
    ("a wide register whose halves stop by value", "reg A . 0x28000 . context wide ; stop-unless 0: two words\n    F 63:0 va\n", "one by one"),
    ("a tail that nothing defines", "packet P . 0x10 . ; implemented\n    1 F 3:0\n    tail regs-shader\n", "unknown tail"),
    ("a tail that repeats more than there is", "packet P . 0x10 . ; implemented\n    1 F 3:0\n    tail repeat 2\n", "no 2 dwords"),
    ("a field after a descriptor's end", "descriptor D 1\n    0 F 39:0\n", "after the end"),
]


def complaint(folder, text):
    paths = []
    for name, content in (("reasons", "why because of that\n"), ("enums", "enum E\n    ONE 1\n    TWO 2\n"), ("regs_x", text)):
        paths.append(os.path.join(folder, name + ".table"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(content)
    try:
        table.load(FAMILY, paths)
    except table.TableError as error:
        return str(error)
    return None


def main():
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name, text, expected in CASES:
            found = complaint(folder, text)
            if expected is None:
                report.case(f"{name} is accepted", found is None, found)
            else:
                report.case(f"{name}: refused, with file and line",
                            found is not None and expected in found and "regs_x.table:" in found, f"said: {found}")
    return report.done()


sys.exit(main())
