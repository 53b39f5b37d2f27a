#!/usr/bin/env python3
"""`tuff asm` and `tuff dis` of a Mali's code from outside: both ways, exit codes, clear words where something went wrong."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

TUFF = os.path.abspath(sys.argv[1])
OK, FAILED = 0, 1
SOURCE = b"""again: FADD.f32 r1, ^r2, 0x3F800000.neg // one less
  BRANCHZ.reconverge r1, offset:again
  NOP.end
"""
TEXT = b"FADD.f32 r1, ^r2, 0x3F800000.neg\nBRANCHZ.reconverge r1, offset:-2\nNOP.end\n"


def run(command, data, *options):
    return subprocess.run([TUFF, command, "--gpu", "mali-g610", *options, "-"], input=data, capture_output=True, timeout=60)


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[:300]!r}\nstderr: {result.stderr[:300].decode()}"


def main():
    report = tap.Tap()
    made = run("asm", SOURCE, "-o", "/dev/stdout")
    report.case("a program is assembled", made.returncode == OK and len(made.stdout) == 24 and not made.stderr, shown(made))
    back = run("dis", made.stdout)
    report.case("and comes back", back.returncode == OK and back.stdout == TEXT and not back.stderr, shown(back))
    bad = run("asm", b"NOP\nFADD.f32 r0, u0, u2\n", "-o", "/dev/stdout")
    report.case("what cannot be read together is refused with its line", bad.returncode == FAILED and b":2: no such" in bad.stderr, shown(bad))
    bad = run("dis", struct.pack("<Q", 1 << 63))
    report.case("a word that is no instruction is an error with its place", bad.returncode == FAILED and b"byte offset 0x0: no such" in bad.stderr,
                shown(bad))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
