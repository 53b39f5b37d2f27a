#!/usr/bin/env python3
"""Writes lane_ops.h, the C of one lane of every meaning: `gen_lane.py OUTPUT`. A wrong meaning is an error with file and line."""
import sys

import dialect
import lane_c
import meanings


def main():
    text = ["/* Generated from meanings.table by gen_lane.py. */", "#ifndef MALI_ISA_LANE_OPS_H\n#define MALI_ISA_LANE_OPS_H\n",
            '#include "mali/isa/lane_valhall.h"\n']
    text += [lane_c.emit_lane(dialect.parse(row)) for row in meanings.read()]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(text + ["#endif\n"]))


if __name__ == "__main__":
    main()
