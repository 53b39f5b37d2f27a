#!/usr/bin/env python3
"""The lane language refuses what has no meaning, with file and line, and knows what a meaning touches."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ISA = os.path.join(HERE, "..")
sys.path[:0] = [os.path.join(HERE, "../../../../tests"), ISA]
import dialect  # noqa: E402
import lane   # noqa: E402
import table  # noqa: E402
import tap    # noqa: E402

# (what is wrong, format, operands, properties, meaning, what the complaint must contain)
REFUSED = [
    ("no meaning", "vop2", "d:u32 = s0:u32", "", "?", "has no meaning"),
    ("types that differ", "vop2", "d:u32 = s0:u32 s1:f32", "", "d = s0 + s1", "'+' between u32 and f32"),
    ("a result of another type", "vop2", "d:u32 = s0:i32", "", "d = s0", "is i32, u32 is wanted"),
    ("a destination that is not written", "vop2", "d:u32 sd:mask = s0:u32", "", "d = s0", "'sd' is never written"),
    ("a source that is not read", "vop2", "d:u32 = s0:u32 s1:u32", "", "d = s0", "'s1' is never read"),
    ("a local that is not used", "vop2", "d:u32 = s0:u32", "", "t = s0; d = s0", "'t' is never used"),
    ("a name that is nothing", "vop2", "d:u32 = s0:u32", "", "d = s0 + x", "'x' is no operand"),
    ("a primitive that does not exist", "vop2", "d:u32 = s0:u32", "", "d = frobnicate(s0)", "is no primitive"),
    ("a primitive of other types", "vop2", "d:u32 = s0:u32", "", "d = popcount(f32(s0))", "popcount cannot take (f32)"),
    ("a literal too large", "vop2", "d:u16 = s0:u16", "", "d = s0 & 0x10000", "does not fit u16"),
    ("a float made an integer by a cast", "vop2", "d:u32 = s0:f32", "", "d = u32(s0)", "cannot become u32"),
    ("a condition that is a number", "vop2", "d:u32 = s0:u32", "", "d = s0 ? s0 : 1", "bool is wanted"),
    ("scc of a lane", "vop2", "d:u32 = s0:u32", "", "d = s0; scc = s0 != 0", "'scc' is never used"),
    ("a state that cannot be written", "vop2", "d:u32 = s0:u32", "", "d = s0; lane = s0", "'lane' cannot be written"),
    ("half a statement", "vop2", "d:u32 = s0:u32", "", "d = s0 +", "an expression expected"),
    ("an open bracket", "vop2", "d:u32 = s0:u32", "", "d = (s0", "')' expected"),
    ("an unknown sign", "vop2", "d:u32 = s0:u32", "", "d = s0 $ 1", "cannot read"),
    ("a statement without effect", "vop2", "d:u32 = s0:u32", "", "d = s0; s0 + 1", "must assign or have an effect"),
    ("bitwise and of floats", "vop2", "d:f32 = s0:f32", "", "d = s0 & s0", "'&' between f32"),
    ("a relative operand without the property", "vop1", "d:b32 = s0:b32", "", "d = rel(s0, m0)", "needs the property 'relative'"),
    ("another lane without the property", "vop1", "d:b32 = s0:b32", "", "d = readfirstlane(s0)", "needs the property 'wave'"),
]

# (name, reads, writes, operands read, operands written, float class)
TOUCHES = [
    ("s_addc_u32", {"scc"}, {"scc"}, {"s0", "s1"}, {"d"}, "none"),
    ("s_add_u32", set(), {"scc"}, {"s0", "s1"}, {"d"}, "none"),
    ("s_and_saveexec_b64", {"exec"}, {"exec", "scc"}, {"s0"}, {"d"}, "none"),
    ("s_call_b64", {"pc"}, {"pc"}, {"imm"}, {"d"}, "none"),
    ("s_cmovk_i32", {"scc"}, set(), {"imm", "d"}, {"d"}, "none"),
    ("s_setreg_b32", set(), {"hwreg", "mode"}, {"imm", "s0"}, set(), "none"),
    ("s_movrels_b32", {"m0"}, set(), {"s0"}, {"d"}, "none"),
    ("v_fmac_f32", {"exec", "mode"}, set(), {"s0", "s1", "d"}, {"d"}, "f32"),
    ("v_cmpx_lt_f64", {"exec", "mode"}, {"exec"}, {"s0", "s1"}, set(), "f64"),
    ("v_div_fmas_f32", {"exec", "mode", "vcc"}, set(), {"s0", "s1", "s2"}, {"d"}, "f32"),
    ("v_add_co_ci_u32", {"exec"}, set(), {"s0", "s1", "s2"}, {"d", "sd"}, "none"),
    ("v_cvt_f16_f32", {"exec", "mode"}, set(), {"s0"}, {"d"}, "f16"),
    ("v_swap_b32", {"exec"}, set(), {"s0", "d"}, {"s0", "d"}, "none"),
    ("v_mbcnt_lo_u32_b32", {"exec", "lane"}, set(), {"s0", "s1"}, {"d"}, "none"),
    ("v_interp_p2_f32", {"exec", "mode", "param"}, set(), {"s0", "d"}, {"d"}, "f32"),
    ("v_readfirstlane_b32", {"exec"}, set(), {"s0"}, {"d"}, "none"),
    ("v_readlane_b32", set(), set(), {"s0", "s1"}, {"d"}, "none"),
]


def row_of(fmt, operands, properties, meaning):
    row, errors = table.Row("x.table", 7, fmt), table.Errors()
    row.name, row.properties, row.meaning = "v_test", properties.split(), meaning
    table.read_operands(row, operands, errors)
    assert not errors.list, errors.list
    return row


def refuse(report):
    for what, fmt, operands, properties, meaning, wanted in REFUSED:
        said = "nothing"
        try:
            dialect.parse(row_of(fmt, operands, properties, meaning))
        except lane.LaneError as error:
            said = str(error)
        report.case(f"refuses {what}", wanted in said and said.startswith("x.table:7:"), f"'{meaning}': {said}")


def touch(report):
    rows = {row.name: row for row in table.read(ISA)}
    for name, reads, writes, sources, results, fp_class in TOUCHES:
        ast = dialect.parse(rows[name])
        got = (lane.implicit_reads(ast), lane.implicit_writes(ast), lane.reads_operands(ast), lane.writes_operands(ast),
               lane.fp_class(ast))
        report.case(f"knows what {name} touches", got == (reads, writes, sources, results, fp_class), f"{got}")


def generator(report):
    """A row of GFX10.3 without a meaning stops the build."""
    with tempfile.TemporaryDirectory() as folder:
        for file in os.listdir(ISA):
            if file.endswith(".table"):
                shutil.copy(os.path.join(ISA, file), folder)
        path = os.path.join(folder, "vop2.table")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("| d = s0 ^ s1", "| ?", 1))
        run = subprocess.run([sys.executable, "-B", os.path.join(ISA, "gen_lane.py"), folder, "check"], capture_output=True, text=True)
        report.case("the generator stops at a row without a meaning", run.returncode == 1 and "v_xor_b32: has no meaning" in run.stderr,
                    run.stdout + run.stderr)


def main():
    report = tap.Tap()
    refuse(report)
    touch(report)
    generator(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
