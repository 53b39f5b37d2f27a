#!/usr/bin/env python3
"""What a dialect has and what it has not: state, primitives and effects are the family's, and another family's are refused."""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../../tests")]
import toy  # noqa: E402
from toy import jit_c, lane, lane_c  # noqa: E402
import tap  # noqa: E402


def ast_of(text, properties=()):
    return lane.parse(toy.Row(text, 1, properties), toy.TOY)


def refused(report, name, text, expected, properties=()):
    try:
        ast_of(text, properties)
        said = "nothing"
    except lane.LaneError as error:
        said = str(error)
    report.case(f"{name} is refused, with file and line", expected in said and said.startswith("toy.py:1:"), said)


def main():
    report = tap.Tap()
    refused(report, "state that the dialect has not", "x | d:u32 = s0:u32 | d = s0 + scc", "'scc' is no operand")
    refused(report, "a primitive that the dialect has not", "x | d:u32 = s0:u32 | d = quadmask(s0)", "is no primitive")
    refused(report, "saturation without a clamp bit", "x | d:u32 = s0:u32 | d = clamp ? s0 : 0", "'clamp' is no operand")
    refused(report, "a write of state that only is read", "x | d:u32 = s0:u32 | d = s0; lane = s0", "cannot be written")
    refused(report, "an effect of another type", "x | = s0:u64 | tell(s0)", "u32 is wanted")
    try:
        lane.Dialect({}, "x", primitives={"fma": "FFF F"})
        said = "nothing"
    except lane.LaneError as error:
        said = str(error)
    report.case("a dialect cannot change a primitive of the language", "fma" in said, said)

    ast = ast_of("x | d:f32 = s0:f32 s1:f32 | d = flag ? s0 * s1 : s0")
    report.case("an executor that keeps the active lanes itself has no state for them", lane.implicit_reads(ast) == {"flag", "mode"},
                lane.implicit_reads(ast))
    ast = ast_of("x | = s0:u32 | tell(twice(s0))")
    text = lane_c.emit_lane(ast)
    report.case("effects and own primitives carry the prefix", "toy_lane_tell(a, toy_lane_twice_u32(s0))" in text, text)
    report.case("effects reach the executor by the dialect's parameter", "struct toy_wave *a" in text, text)
    report.case("effects say what they write", lane.implicit_writes(ast) == {"told"}, lane.implicit_writes(ast))

    programs = toy.Programs()
    lines, calls, _ = jit_c.lower(programs, ast_of("x | d:u32 = s0:u32 s1:u32 | d = s0 + s1"))
    expected = ["    const jit_value t0 = toy_jit_read_row(b, b->op->s[0]);", "    const jit_value t1 = toy_jit_read_row(b, b->op->s[1]);",
                "    const jit_value t2 = toy_jit_add(b, t0, t1);", "    toy_jit_write_row(b, b->op->d, t2);"]
    report.case("a meaning becomes a lane program by the family's builder", lines == expected and calls is None, "\n".join(lines or []))
    lines, calls, _ = jit_c.lower(programs, ast_of("x | d:u32 = s0:u32 | d = twice(s0)"))
    report.case("what lane programs have not is a call", calls and "toy_jit_calls[TOY_X][0]" in "".join(lines), str(lines))
    lines, _, _ = jit_c.lower(programs, ast_of("x | d:u64 = s0:u64 | d = s0"))
    report.case("what is neither stays with the interpreter", lines is None, str(lines))
    return report.done()


sys.exit(main())
