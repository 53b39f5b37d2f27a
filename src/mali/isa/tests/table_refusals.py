#!/usr/bin/env python3
"""The reader of the instruction tables refuses what cannot be true, and names the line. src/isa/tests/refusals.py says what a case is."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../isa/tests"))
import refusals  # noqa: E402

CASES = [
    ("bits that two things claim", "ops.table", "offset@34:8s", "offset@35:8s", "offset shares bits"),
    ("a field over an opcode", "ops.table", "20:16=0x9  | round", "20:16=0x9  | cond slot round", "shares bits"),
    ("an opcode that does not fit", "ops.table", "20:16=0x9 ", "18:16=0x9 ", "does not fit in 3 bits"),
    ("bits that are not in the word", "ops.table", "target@15:8", "target@8:15", "not in the word"),
    ("a field that does not exist", "ops.table", "conservative eq absolute", "conservative eq near", "no field near"),
    ("a selection that does not exist", "ops.table", "s0.combine s1", "s0.combined s1", "no selection combined"),
    ("an operand that is none", "ops.table", "dst s0.wide ", "dest s0.wide", "is no operand"),
    ("a name that stands twice", "ops.table", "\nST_TILE ", "\nLD_TILE ", "LD_TILE stands in line"),
    ("rows that fit one word", "ops.table", "FLUSH.v2f16  | 098 | 19:16=0x1", "FLUSH.v2f16  | 098 | 19:16=0x0", "fit one word"),
    ("a unit that does not exist", "ops.table", "| VT\n", "| TV\n", "no unit TV"),
    ("more values than bits hold", "fields.table", "*rte rtp rtn rtz", "*rte rtp rtn rtz rta", "5 values"),
    ("two defaults", "fields.table", "*rte rtp", "*rte *rtp", "2 defaults"),
    ("too few constants", "fields.table", " 0x42480000", "", "there are 32 constants"),
]

sys.exit(refusals.main(os.path.join(HERE, ".."), CASES))
