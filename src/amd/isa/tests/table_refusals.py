#!/usr/bin/env python3
"""The readers of the instruction tables refuse what cannot be true, and name the line. src/isa/tests/refusals.py says what a case is."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../isa/tests"))
import refusals  # noqa: E402

CASES = [
    ("an opcode that belongs to another row", "sop2.table", "s_sub_u32         | 0x01 | 0x01", "s_sub_u32         | 0x01 | 0x00",
     "opcode 0x0 of gfx10_3 belongs to s_add_u32"),
    ("a name that stands twice", "sopp.table", "s_wakeup ", "s_barrier", "s_barrier stands already"),
    ("an unknown property", "smem.table", "| load ", "| laod ", "unknown property 'laod'"),
    ("a property twice", "smem.table", "| load   ", "| load load ", "stands twice"),
    ("an unknown type", "exp.table", "src0:b32", "src0:b33", "no known type"),
    ("an operand twice", "exp.table", "src1:b32", "src0:b32", "'src0' stands twice"),
    ("no equals sign", "exp.table", "= src0", "src0", "exactly one '='"),
    ("a column too few", "exp.table", "| helper export", "", "6 columns"),
    ("an opcode that is no number", "exp.table", "| 0x00    |", "| zero    |", "'zero' is no opcode"),
    ("a segment missing", "flat.table", "| flat load ", "| load ", "needs one segment"),
    ("address words out of order", "mimg.table", "compare grad coords", "coords compare grad", "out of order"),
    ("an operand without a field", "ds.table", "data0:b32", "data9:b32", "has no place in ds"),
    ("bits that overlap", "encodings.table", "    29:23 op\n", "    30:23 op\n", "overlap"),
    ("a value that does not fit", "encodings.table", "31:30 = 0b10", "31:30 = 0b100", "does not fit"),
    ("pieces of another width", "encodings.table", "38 attr[1:0]", "38 attr[2:0]", "not as many"),
    ("a generation that does not exist", "encodings.table", "layout sop2 gfx9", "layout sop2 gfx8", "'gfx8' is unknown"),
    ("an opcode too large for its field", "sopc.table", "| 0x00    |", "| 0x80    |", "does not fit"),
    ("a name for a number twice", "names.table", "hwreg      2 ", "hwreg      1 ", "stands twice"),
]

sys.exit(refusals.main(os.path.join(HERE, ".."), CASES))
