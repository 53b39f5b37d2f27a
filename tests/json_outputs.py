#!/usr/bin/env python3
"""What the commands write as JSON (docs/json.md) is read by Python's reader, has the keys that the document lists, and says what their text says; also where
the input is wrong.

    json_outputs.py TUFF SHADER GLSLANG      (SHADER: one of tests/shaders)"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import models
import tap

TUFF, SOURCE, GLSLANG = os.path.abspath(sys.argv[1]), *sys.argv[2:]
DOCUMENT = (pathlib.Path(__file__).resolve().parent.parent / "docs/json.md").read_text(encoding="utf-8")
OK, FAILED, USAGE = 0, 1, 2


def run(*args, data=b""):
    return subprocess.run([TUFF, *args], input=data, capture_output=True, timeout=100, check=False)


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[:400].decode(errors='replace')}\nstderr: {result.stderr[:300].decode(errors='replace')}"


def read(result):
    try:
        return json.loads(result.stdout)
    except ValueError:
        return None


def documented(command):
    """The keys of the outermost objects."""
    section = DOCUMENT.split(f"## tuff {command}\n")[1].split("\n## ")[0]
    return {key for row in re.findall(r"^\| ([^|]*) \|", section, re.M) for key in re.findall(r"`(\w+)`", row)}


def strange_bytes():
    """For each family: noise, so that some of it is an instruction or a packet and most is not."""
    dice = random.Random(7)
    for model in models.MODELS:
        for size in (0, 1, 6, 64, 4096):
            yield model.name, dice.randbytes(size)


def judge_info(report):
    result = run("info", "--json")
    gpus = read(result)
    driven = [gpu for gpu in gpus or [] if gpu["driver"]]
    report.case("info: JSON with the keys of the document", result.returncode == OK and bool(driven) and all(set(gpu) == documented("info --json") for gpu in driven) and
                {gpu["gpu"] for gpu in gpus} >= set(models.NAMES), shown(result))


def judge_code(report):
    for gpu, data in strange_bytes():
        name = f"dis --gpu {gpu} of {len(data)} bytes"
        result, text = run("dis", "--gpu", gpu, "--json", "-", data=data), run("dis", "--gpu", gpu, "--offset", "-", data=data)
        code = read(result)
        report.case(f"{name}: JSON", code is not None and result.returncode == text.returncode and result.stderr == text.stderr, shown(result))
        if not code or not data:
            report.case(f"{name}: the error is told", bool(code) and set(code) == {"error"} and result.returncode == FAILED, shown(result))
            continue
        lines = [f"{i['offset']:08x}: {i['text']}" for i in code["instructions"]]
        report.case(f"{name}: with the keys of the document, and what the text says", set(code) == documented("dis --json") and lines == text.stdout.decode().splitlines() and
                    sum(len(i["words"]) for i in code["instructions"]) == len(data) // 4 and code["gpu"] == gpu, shown(result))


def judge_streams(report):
    for gpu, data in strange_bytes():
        name = f"decode --gpu {gpu} of {len(data)} bytes"
        result, text = run("decode", "--gpu", gpu, "--json", "-", data=data), run("decode", "--gpu", gpu, "-", data=data)
        stream = read(result)
        told = [line for line in result.stderr.decode().splitlines() if "offset 0x" in line]
        report.case(f"{name}: JSON with the keys of the document", stream is not None and set(stream) == documented("decode --json") - {"packets"} and
                    result.returncode == text.returncode and result.stderr == text.stderr, shown(result))
        if stream is None:
            continue
        offsets = [packet["offset"] for part in stream["streams"] for packet in part["packets"]]
        wanted = [int(offset, 16) for offset in re.findall(r"^([0-9a-f]{8,})  ", text.stdout.decode(), re.M)]
        report.case(f"{name}: every packet of the text, and every problem", offsets == wanted and stream["problem_count"] == len(told) and
                    len(stream["problems"]) == min(100, len(told)), f"{len(offsets)} of {len(wanted)}\n{shown(result)}")
        packets = [packet for part in stream["streams"] for packet in part["packets"]]
        words = re.sub(r"\s+", " ", re.sub(r"^[0-9a-f]{8,}  ", "", text.stdout.decode(), flags=re.M)).split()
        ours = " ".join(" ".join([packet["text"], *packet["details"]]) for packet in packets).split()
        report.case(f"{name}: no word of the text is lost", ours == words, shown(result))


def judge_compiler(report, shader):
    for model in models.MODELS:
        if run("compile", "--gpu", model.name, shader).returncode == USAGE:
            continue  # no compiler for it
        for options in ([], ["--figures"], ["--ir"]):
            name = f"compile --gpu {model.name} {' '.join(options)}"
            result, text = run("compile", "--gpu", model.name, *options, "--json", shader), run("compile", "--gpu", model.name, *options, shader)
            code = read(result)
            keys = documented("compile --json") - ({"code"} if "--figures" in options else set()) - (set() if "--ir" in options else {"ir"})
            report.case(f"{name}: JSON with the keys of the document", result.returncode == OK and code is not None and set(code) == keys and code["stage"] == "compute" and
                        code["figures"]["code_bytes"] > 0, shown(result))
            if code is not None:
                lines = code.get("ir", []) + code.get("code", [])
                report.case(f"{name}: what the text says", [line for line in text.stdout.decode().split("\n") if line and not line.startswith("; ")] ==
                            [line for line in lines if line and not line.startswith("; ")], shown(text))


def judge_errors(report, folder):
    strange = os.path.join(folder, os.fsdecode(b'a "\\\xff\n\xc3\xa4'))
    with open(strange, "wb") as file:
        file.write(b"\0" * 8)
    result = run("dis", "--json", strange)
    code = read(result)
    report.case("a file's name may have any bytes", code is not None and code["file"].endswith('a "\\\ufffd\n\u00e4'), shown(result))
    for command in ("dis", "compile", "decode"):
        for name in ("/no/such/file", folder):
            result = run(command, "--json", name)
            told = read(result)
            report.case(f"{command} --json {os.path.basename(name)}: the error is JSON, too", result.returncode == FAILED and told is not None and set(told) == {"error"} and
                        told["error"].encode() in result.stderr, shown(result))
        result = run(command, "--json", "--no-such-option", "x")
        report.case(f"{command}: a command line that is wrong writes nothing", result.returncode == USAGE and not result.stdout, shown(result))
    result = run("compile", "--json", "-", data=b"not a module")
    report.case("compile: what is no shader is an error in JSON", result.returncode == FAILED and "error" in (read(result) or {}), shown(result))
    result = run("run", "--json", "--", "true")
    report.case("run --json without --stat is a usage error", result.returncode == USAGE and b"--stat" in result.stderr, shown(result))


def main():
    report = tap.Tap()
    judge_info(report)
    judge_code(report)
    judge_streams(report)
    with tempfile.TemporaryDirectory() as folder:
        judge_errors(report, folder)
        shader = os.path.join(folder, "shader.spv")
        if os.path.exists(GLSLANG):
            subprocess.run([GLSLANG, "-V", "--target-env", "vulkan1.3", "-I" + os.path.dirname(SOURCE), SOURCE, "-o", shader], capture_output=True, check=True)
            judge_compiler(report, shader)
        else:
            report.skip("the compiler's JSON", "glslangValidator is not installed")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
