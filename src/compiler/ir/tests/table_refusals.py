#!/usr/bin/env python3
"""The reader of ops.table and immediates.table refuses what cannot be true, and names the line. Each case is one mistake in good tables."""
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
IR = os.path.join(HERE, "..")
sys.path.insert(0, os.path.join(HERE, "../../../../tests"))
import tap  # noqa: E402

# (what is wrong, the file, the text that is replaced, by what, what the complaint must contain)
CASES = [
    ("an operation that stands twice", "ops.table", "isub       iN", "iadd       iN", "'iadd' stands there twice"),
    ("an unknown property", "ops.table", ": commutes associates packs float : a + b", ": comutes float : a + b", "'comutes' is no property"),
    ("an unknown memory", "ops.table", "reads ubo", "reads bou", "'bou' is no memory"),
    ("an unknown immediate", "ops.table", "{var}", "{variable}", "no 'variable'"),
    ("an unknown kind", "ops.table", "fsqrt      fN = fN", "fsqrt      gN = gN", "'gN' is no operand"),
    ("a width that nothing has", "ops.table", "lo16       x16 = x32", "lo16       x16 = x24", "'x24' is no operand"),
    ("no equals sign", "ops.table", "hi32       x32 = x64", "hi32       x32 x64", "is not NAME RESULT = OPERANDS"),
    ("a column too few", "ops.table", "elect      b1 = : divergent cross :", "elect      b1 = : divergent cross", "columns"),
    ("dots before the last operand", "ops.table", "vec        xN* = xN…", "vec        xN* = xN… xN", "only the last operand"),
    ("widths of a letter that the row lacks", "ops.table", "umul24     u32 = u32 u32 :", "umul24     u32 = u32 u32  N=32 :", "N= without an N"),
    ("widths that no value has", "ops.table", "fexp2      fN = fN  N=16,32", "fexp2      fN = fN  N=16,24", "24 is no width"),
    ("a meaning for what has no result", "ops.table", "break      - = : jump effect :", "break      - = : jump effect : a", "without a scalar result"),
    ("a meaning for a vector", "ops.table", "bits_vec   x16x2 = x32 :  :", "bits_vec   x16x2 = x32 :  : a", "without a scalar result"),
    ("too many operands", "ops.table", "bitselect  x32 = x32 x32 x32", "bitselect  x32 = x32 x32 x32 x32 x32 x32", "too many operands"),
    ("an immediate that stands twice", "immediates.table", "sat          dec 1", "signs        dec 1", "'signs' stands there twice"),
    ("an unknown form of immediate", "immediates.table", "set          dec", "set          decimal", "is no immediate"),
    ("a bound that is no number", "immediates.table", "sat          dec 1", "sat          dec one", "immediates.table:"),
]


def complaint(folder, file, old, new, own=()):
    path = os.path.join(folder, file)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    if old not in text:
        return f"the case is stale: '{old}' does not stand in {file}", 0
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(old, new, 1))
    run = subprocess.run([sys.executable, "-B", os.path.join(folder, "gen_ir.py"), folder, *own], stderr=subprocess.PIPE, text=True)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
    return run.stderr, run.returncode


def main():
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ops.table", "immediates.table", "gen_ir.py"):
            shutil.copy(os.path.join(IR, name), folder)
        for what, file, old, new, expected in CASES:
            text, code = complaint(folder, file, old, new)
            ok = code != 0 and expected in text and "Traceback" not in text and f"{file}:" in text
            report.case(what, ok, f"exit code {code}, expected '{expected}' and {file}'s line in: {text}")
        own = os.path.join(folder, "own.table")
        for what, row, expected in (("an operation of its own that all have", "iadd       xN = xN :  :", "'iadd' stands in another table, too"),
                                    ("a mistake in a table of its own", "mine       x24 = x32 :  :", "own.table:1: 'x24' is no operand")):
            with open(own, "w", encoding="utf-8") as stream:
                stream.write(row + "\n")
            text, code = complaint(folder, "ops.table", "fadd", "fadd", [own])
            report.case(what, code != 0 and expected in text, text)
        text, code = complaint(folder, "ops.table", "fadd", "fadd")
        report.case("the tables as they are", code == 0, text)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
