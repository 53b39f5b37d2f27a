#!/usr/bin/env python3
"""`tuff decode` and `tuff dis` of an Adreno's streams and code from outside: exit codes, silence where nothing went wrong, clear words where something did."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

TUFF = os.path.abspath(sys.argv[1])
OK, FAILED, USAGE = 0, 1, 2
WAIT_FOR_IDLE = 0x70268000


def decode(data, *options, gpu="adreno-635"):
    return subprocess.run([TUFF, "decode", "--gpu", gpu, *options, "-"], input=data, capture_output=True, timeout=60)


def dis(data, *options):
    return subprocess.run([TUFF, "dis", "--gpu", "adreno-635", *options, "-"], input=data, capture_output=True, timeout=60)


def words(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def section(kind, payload):
    return words(kind, len(payload)) + payload


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[:300].decode()}\nstderr: {result.stderr[:300].decode()}"


def dis_cases(report):
    add, end = (0x00030002, 0x40100001), (0, 0x03000000)
    result = dis(words(*add, *end), "--offset", "--hex")
    report.case("code is disassembled", result.returncode == OK and not result.stderr and result.stdout ==
                b"00000000: 00030002 40100001          add.f r0.y, r0.z, r0.w\n00000008: 00000000 03000000          end\n", shown(result))
    result = dis(words(0xffffffff, 0xffffffff, *end))
    report.case("a word that is no instruction is an error with its place", result.returncode == FAILED and b"byte offset 0x0: no such" in result.stderr
                and result.stdout == b".long 0xffffffff\n.long 0xffffffff\nend\n", shown(result))
    result = dis(words(*end, 0))
    report.case("half an instruction is an error with its place", result.returncode == FAILED and b"byte offset 0x8: the file ends" in result.stderr,
                shown(result))


def main():
    report = tap.Tap()
    dis_cases(report)
    capture = section(3, words(0x1000, 4, 0)) + section(12, words(WAIT_FOR_IDLE)) + section(6, words(0x1000, 1, 0))
    for gpu in ("adreno-635", "adreno-618"):
        result = decode(words(WAIT_FOR_IDLE), gpu=gpu)
        report.case(f"{gpu}: a stream is decoded", result.returncode == OK and b"CP_WAIT_FOR_IDLE" in result.stdout and not result.stderr,
                    shown(result))
    result = decode(capture)
    report.case("a capture is known by its first bytes", result.returncode == OK and b"stream 0x000000001000, 1 dwords\n00000000  CP_WAIT_FOR_IDLE"
                in result.stdout, shown(result))
    result = decode(words(0x48880001, 0x1), "--policy", "--all")
    report.case("--all prints fields that are zero", result.returncode == OK and b"FORCE_LRZ_DIS=0" in result.stdout, shown(result))
    for name, data, needle in (("an empty stream", b"", b"empty"), ("a word that is no header", words(WAIT_FOR_IDLE, 0), b"0x4"),
                               ("a capture that is cut off", capture[:-2], b"cut off"), ("a stream that ends in a word", words(WAIT_FOR_IDLE) + b"\x70", b"0x4")):
        result = decode(data)
        report.case(f"{name} is an error with its place", result.returncode == FAILED and needle in result.stderr, shown(result))
    result = decode(bytes((0x1f, 0x8b, 8, 0)))
    report.case("a compressed capture is known as such", result.returncode == FAILED and b"zcat" in result.stderr, shown(result))
    result = decode(b"", "--sdma")
    report.case("an Adreno has no streams of a DMA engine", result.returncode == USAGE and b"DMA" in result.stderr, shown(result))
    result = decode(b"", gpu="adreno-7")
    report.case("a chip that is not there is named", result.returncode == USAGE and b"adreno-7" in result.stderr, shown(result))
    return report.done()


sys.exit(main())
