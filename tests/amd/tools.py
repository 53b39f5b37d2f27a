#!/usr/bin/env python3
"""`tuff asm`, `tuff dis` and `tuff decode` from outside: exit codes, silence where nothing went wrong, clear words where something did."""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

TUFF = os.path.abspath(sys.argv[1])
OK, FAILED, USAGE = 0, 1, 2


def run(*args, data=b"", stdout=subprocess.PIPE):
    return subprocess.run([TUFF, *args], input=data, stdout=stdout, stderr=subprocess.PIPE, timeout=60)


def words(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)


def shown(result):
    return (f"exit {result.returncode}\nstdout: {(result.stdout or b'')[:300].decode(errors='replace')}\n"
            f"stderr: {result.stderr[:300].decode(errors='replace')}")


def good_cases(report):
    source = b"s_mov_b32 s0, 1\nv_add_f32_e32 v1, v2, v3\ns_endpgm\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out put.bin")
        result = run("asm", "--gpu", "gfx1030", "-o", path, "-", data=source)
        report.case("asm is silent where nothing went wrong",
                    result.returncode == OK and not result.stdout and not result.stderr, shown(result))
        result = run("dis", "--gpu", "gfx1030", path)
        report.case("dis prints what asm was given", result.returncode == OK and result.stdout == source and not result.stderr,
                    shown(result))
    nop = words(0xC0001000, 0)
    result = run("decode", "-", data=nop)
    report.case("decode names a NOP packet", result.returncode == OK and b"NOP" in result.stdout and not result.stderr, shown(result))


def bad_input_cases(report):
    def refused(name, result, *needles):
        report.case(name, result.returncode == FAILED and all(needle in result.stderr for needle in needles), shown(result))

    for command in ("dis", "decode", "asm"):
        refused(f"{command}: a file that is not there is named", run(command, "/no/such/file"), b"/no/such/file", b"No such file")
    for command in ("dis", "decode"):
        refused(f"{command}: empty input is an error", run(command, "-"), b"empty")
        refused(f"{command}: input that ends inside a dword is an error with its offset", run(command, "-", data=b"\0\0\0\0\0\0"), b"0x4")
    refused("dis: an instruction cut off before its literal is an error with its offset",
            run("dis", "-", data=words(0xBF810000, 0xBE8003FF)), b"0x4")
    refused("dis: a word that is no instruction is an error with its offset", run("dis", "-", data=words(0xBF810000, 0xFFFFFFFF)), b"0x4")
    refused("decode: a packet longer than the stream is an error with its offset",
            run("decode", "-", data=words(0xC0001000, 0, 0xC0FF1000, 0)), b"0x8")
    refused("asm: a wrong line is named by its number",
            run("asm", "-", data=b"s_endpgm\nv_add_f32 v1, v2, q3\n"), b":2:")
    refused("asm: an unknown mnemonic is named", run("asm", "-", data=b"v_frobnicate_b32 v0, v1\n"), b"v_frobnicate_b32")
    result = run("dis", "--gpu", "gfx9999", "-")
    report.case("an unknown GPU is a usage error that names the known ones", result.returncode == USAGE and b"gfx1030" in result.stderr,
                shown(result))
    with open("/dev/full", "wb") as full:
        result = run("dis", "-", data=words(*[0xBF810000] * 5000), stdout=full)
    report.case("a full disk is a failure", result.returncode == FAILED and b"write" in result.stderr, shown(result))


def main():
    report = tap.Tap()
    good_cases(report)
    bad_input_cases(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
