"""Generates C from the meanings of the ALU rows. Not for: the language (src/isa/lane.py), the tables (table.py), encodings (gen_isa.py).

    gen_lane.py TABLES ops OUTPUT           lane_ops.h: one inline function a row
    gen_lane.py TABLES functions OUTPUT     lane_functions.h: declarations and the list LANE_FUNCTIONS(X)
    gen_lane.py TABLES FORMAT[,FORMAT] OUT  C of the wrappers of these formats
    gen_lane.py TABLES check                only checks

A GFX10.3 row of an ALU format that has no meaning, or a wrong one, is an error with file and line; all are reported.
"""
import sys

import dialect
import lane
import lane_c
import lane_wrappers
import table

GENERATED = "/* Generated from the instruction tables by gen_lane.py. */\n"


def asts(directory, formats):
    """The Asts of all GFX10.3 rows of the formats; exits 1 with every error."""
    found, errors = [], []
    for row in table.read(directory):
        if row.format not in formats or "gfx10_3" not in row.opcodes:
            continue
        try:
            found.append(dialect.parse(row))
        except lane.LaneError as error:
            errors.append(str(error))
    if errors:
        print("\n".join(errors), file=sys.stderr)
        sys.exit(1)
    return found


def ops(found):
    text = [GENERATED, "#ifndef AMD_ISA_LANE_OPS_H\n#define AMD_ISA_LANE_OPS_H\n", '#include "amd/isa/lane_rdna.h"\n']
    text += [lane_c.emit_lane(ast) for ast in found if not ast.is_wave]
    return "\n".join(text + ["#endif\n"])


def wrapper_name(ast):
    return f"amd_{'sop' if ast.is_scalar else 'vec'}_{ast.row.name}"


def functions(found):
    """X(name, format, kind, fp class): kind is scalar, vector or wave."""
    text = [GENERATED, "#ifndef AMD_ISA_LANE_FUNCTIONS_H\n#define AMD_ISA_LANE_FUNCTIONS_H\n",
            '#include "amd/isa/lane_vector.h"\n', "#define LANE_FUNCTIONS(X) \\"]
    for ast in found:
        kind = "scalar" if ast.is_scalar else "wave" if ast.is_wave else "vector"
        text.append(f"    X({ast.row.name}, {ast.row.format}, {kind}, LANE_FP_{lane.fp_class(ast).upper()}) \\")
    text.append("")
    text += [f"lane_{'scalar' if ast.is_scalar else 'vector'}_fn {wrapper_name(ast)};" for ast in found]
    return "\n".join(text + ["", "#endif\n"])


def wrappers(found):
    text = [GENERATED, '#include "amd/isa/lane/lane_functions.h"\n#include "amd/isa/lane/lane_ops.h"\n']
    for ast in found:
        emit = lane_wrappers.emit_scalar if ast.is_scalar else lane_wrappers.emit_wave if ast.is_wave else lane_wrappers.emit_vector
        text.append(emit(ast))
    return "\n".join(text)


def main():
    directory, what = sys.argv[1:3]
    every = dialect.SCALAR_FORMATS[:4] + dialect.VECTOR_FORMATS
    if what == "check":
        print(f"{len(asts(directory, every))} meanings")
        return
    text = (ops(asts(directory, every)) if what == "ops" else functions(asts(directory, every)) if what == "functions"
            else wrappers(asts(directory, what.split(","))))
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
