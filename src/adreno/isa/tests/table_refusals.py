#!/usr/bin/env python3
"""The reader of the instruction tables refuses what cannot be true, and names the line. Each case is one mistake in good tables."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ISA = os.path.join(HERE, "..")
sys.path.insert(0, os.path.join(HERE, "../../../../tests"))
import tap  # noqa: E402

FILES = ("encodings.table", "ops.table", "table.py", "gen_isa.py")
# (what is wrong, the file, the text that is replaced, by what, what the complaint must contain)
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


def complaint(folder, file, old, new):
    for name in FILES:
        shutil.copy(os.path.join(ISA, name), folder)
    path = os.path.join(folder, file)
    text = open(path, encoding="utf-8").read()
    if old not in text:
        return f"'{old}' is not in {file}: the case is out of date"
    with open(path, "w", encoding="utf-8") as output:
        output.write(text.replace(old, new, 1))
    run = subprocess.run([sys.executable, "-B", os.path.join(folder, "gen_isa.py"), folder], capture_output=True, text=True, check=False)
    return run.stderr if run.returncode else ""


def main():
    report = tap.Tap()
    for what, file, old, new, needle in CASES:
        with tempfile.TemporaryDirectory() as folder:
            text = complaint(folder, file, old, new)
            report.case(f"{what} is refused", needle in text and f"{file}:" in text, text)
    with tempfile.TemporaryDirectory() as folder:
        report.case("the tables as they are pass", complaint(folder, "ops.table", "nop", "nop") == "")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
