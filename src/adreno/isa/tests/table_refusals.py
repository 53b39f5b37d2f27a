#!/usr/bin/env python3
"""The reader of the instruction tables refuses what cannot be true, and names the line. src/isa/tests/refusals.py says what a case is."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../isa/tests"))
import refusals  # noqa: E402

CASES = [
    ("bits that stand twice", "encodings.table", "    39:37 = 0\n    36:0  ignored", "    39:36 = 0\n    36:0  ignored", "bit 36 stands 2 times"),
    ("a bit that is nowhere", "encodings.table", "    47:45 = 0\n", "    47:46 = 0\n", "bit 45 stands 0 times"),
    ("a value that does not fit", "encodings.table", "63:61 = 7", "63:61 = 8", "does not fit"),
    ("pieces of another width", "encodings.table", "offset[7:0]", "offset[8:0]", "has not 8 bits"),
    ("an unknown class", "encodings.table", "dst gpr conv", "dst grp conv", "needs its class"),
    ("an unknown flag", "encodings.table", "src0.neg", "src0.minus", "is no flag"),
    ("an opcode too large for its field", "ops.table", "| 63 |", "| 64 |", "does not fit"),
    ("a name that stands twice", "ops.table", "\nret  ", "\nnop  ", "nop stands in line"),
    ("a layout that does not exist", "ops.table", "| branch_2 ", "| branch_3 ", "no layout branch_3"),
    ("an operand that the layout lacks", "ops.table", "| src0 #src1 ", "| src0 #src3 ", "has no operand src3"),
    ("a suffix without its field", "ops.table", "| cluster  ", "| cond     ", "suffix cond"),
    ("an unknown property", "ops.table", "| nop half", "| nop hlaf", "unknown property"),
]

sys.exit(refusals.main(os.path.join(HERE, ".."), CASES))
