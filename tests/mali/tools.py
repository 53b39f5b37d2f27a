#!/usr/bin/env python3
"""`tuff decode` of a Mali's streams from outside: exit codes, silence where nothing went wrong, clear words where something did."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

TUFF = os.path.abspath(sys.argv[1])
OK, FAILED, USAGE = 0, 1, 2
MOVE32, RUN_COMPUTE, UNKNOWN = 0x022100000000003f, 0x0400000000000001, 0xee00000000000000
CAPTURE = b"""CS 0 on subqueue 1 binaries

main_cs@10000{
    MOVE32 r33, #0x3f
} // main_cs@10000

Buffer: streams gpu 10000

000000  3F 00 00 00 00 00 21 02 00 00 00 00 00 00 00 00
"""


def decode(data, *options, gpu="mali-g610"):
    return subprocess.run([TUFF, "decode", "--gpu", gpu, *options, "-"], input=data, capture_output=True, timeout=60)


def words(*numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[:300].decode()}\nstderr: {result.stderr[:300].decode()}"


def main():
    report = tap.Tap()
    for gpu in ("mali-g610", "mali-g710"):
        result = decode(words(MOVE32, RUN_COMPUTE), gpu=gpu)
        report.case(f"{gpu}: a stream is decoded with its registers", result.returncode == OK and not result.stderr and
                    b"00000000  MOVE32 IMMEDIATE=0x3f DESTINATION=r33\n" in result.stdout and b"COMPUTE_WORKGROUP_SIZE" in result.stdout and
                    b"X=64 Y=1 Z=1" in result.stdout, shown(result))
    result = decode(CAPTURE)
    report.case("the text of Mesa's decoder is known as a capture", result.returncode == OK and
                b"stream 0x000000010000, 1 instructions, queue 1\n00000000  MOVE32" in result.stdout, shown(result))
    result = decode(words(0x0500000000000000), "--policy")
    report.case("--policy says where the model stops", result.returncode == OK and b"[stop: " in result.stdout, shown(result))
    for name, data, needle in (("an empty stream", b"", b"empty"), ("an opcode that does not exist", words(MOVE32, UNKNOWN), b"0x8"),
                               ("half an instruction", words(MOVE32) + b"\1\0\0\0", b"cut off")):
        result = decode(data)
        report.case(f"{name} is an error with its place", result.returncode == FAILED and needle in result.stderr, shown(result))
    result = decode(b"", gpu="mali-g7")
    report.case("a chip that is not there is named", result.returncode == USAGE and b"mali-g7" in result.stderr, shown(result))
    return report.done()


sys.exit(main())
