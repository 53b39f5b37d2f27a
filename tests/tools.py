#!/usr/bin/env python3
"""The `tuff` command from outside: help, exit codes, silence where nothing went wrong, clear words where something did."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import models
import tap

TUFF = os.path.abspath(sys.argv[1])
OK, FAILED, USAGE = 0, 1, 2


def run(*args, data=b""):
    return subprocess.run([TUFF, *args], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def shown(result):
    return (f"exit {result.returncode}\nstdout: {(result.stdout or b'')[:300].decode(errors='replace')}\n"
            f"stderr: {result.stderr[:300].decode(errors='replace')}")


def help_cases(report):
    result = run("--help")
    listed = re.findall(r"^  (\w+)  ", result.stdout.decode(), re.M)
    report.case("tuff --help lists the subcommands", result.returncode == OK and not result.stderr and "dis" in listed, shown(result))
    for name in listed:
        result = run(name, "--help")
        report.case(f"tuff {name} --help says how it is used",
                    result.returncode == OK and not result.stderr and result.stdout.startswith(f"usage: tuff {name}".encode()),
                    shown(result))
        result = run(name, "--no-such-option")
        report.case(f"tuff {name} refuses an unknown option",
                    result.returncode == USAGE and b"no-such-option" in result.stderr and not result.stdout, shown(result))
    result = run()
    report.case("tuff alone is a usage error", result.returncode == USAGE and b"usage:" in result.stderr, shown(result))
    result = run("disassemble")
    report.case("an unknown subcommand is named", result.returncode == USAGE and b"'disassemble'" in result.stderr, shown(result))


def in_shell(*options, script, **more):
    return subprocess.run([TUFF, "run", *options, "--", "sh", "-c", script], capture_output=True, timeout=60, **more)


def run_cases(report):
    """`tuff run` before and after the program: what it accepts, what it passes to the program, what of the program's end it
    passes on."""
    def case(name, result, code, *needles):
        report.case(f"run: {name}", result.returncode == code and all(needle in result.stderr + result.stdout for needle in needles), shown(result))

    case("no program", run("run"), USAGE, b"no program")
    case("no program after --", run("run", "--gpu", models.DEFAULT, "--"), USAGE, b"no program")
    case("an option without its value", run("run", "--png"), USAGE, b"--png needs a value")
    for words in ("nonsense", f"{models.DEFAULT},nonsense", f"nonsense,{models.DEFAULT}"):
        case(f"--gpu {words}: an unknown GPU", run("run", "--gpu", words, "true"), USAGE, b"no GPU 'nonsense'", b"tuff info")
    for words in ("", ",", f"{models.DEFAULT},"):
        case(f"--gpu '{words}': a name is missing", run("run", "--gpu", words, "true"), USAGE, b"no GPU ''")
    for words in (*models.NAMES, "all", ",".join(models.NAMES), f"real,{models.DEFAULT}"):
        case(f"--gpu {words}", in_shell("--gpu", words, script='echo "$TUFF_GPU"'), OK, f"{words}\n".encode())
    for frames in ("0", "-3", "x", "", "99999999999999999999"):
        case(f"--frames '{frames}'", run("run", f"--frames={frames}", "true"), USAGE, b"no number of frames")
    case("a program that is not there", run("run", "--", "/no/such/program"), 127, b"/no/such/program", b"No such file")
    case("a folder for a program", run("run", "--", "/tmp"), 126, b"Permission denied")
    case("the exit code is the program's", in_shell(script="exit 7"), 7)
    case("and its signal", in_shell(script="kill -SEGV $$"), -signal.SIGSEGV)
    case("what the program finds in its environment", in_shell(f"--gpu={models.NAMES[-1]}", "--frames", "3", "--as-gpu", "--claim-conformance",
                                                               script='echo "$TUFF_GPU $TUFF_PRESENT_FRAMES $TUFF_DEVICE_TYPE $TUFF_CLAIM_CONFORMANCE"'), OK,
         f"{models.NAMES[-1]} 3 gpu 1\n".encode())
    case("no other driver is left", in_shell(script='echo "$VK_DRIVER_FILES|$VK_ICD_FILENAMES|$VK_ADD_DRIVER_FILES|"',
                                             env={**os.environ, "VK_ADD_DRIVER_FILES": "/x", "VK_DRIVER_FILES": "/y"}), OK, b"_icd.json||\n")
    case("arguments of the program that look like ours are the program's",
         subprocess.run([TUFF, "run", "echo", "--png", "--help"], capture_output=True, timeout=60), OK, b"--png --help\n")


def picture_cases(report):
    def case(name, result, code, *needles):
        report.case(f"run --png: {name}", result.returncode == code and all(needle in result.stderr + result.stdout for needle in needles), shown(result))

    for place, why in (("/no/such/folder/x.png", b"No such file"), ("/tmp", b"directory"), ("", b"No such file"), ("/dev/null", b"regular"), ("/proc/x.png", b"No such file")):
        case(f"'{place}' is refused before the program runs", in_shell("--png", place, script="echo ran >&2"), FAILED, b"cannot write", why)
        report.case(f"run --png: and '{place}' is as it was", not os.path.isfile(place))
    with tempfile.TemporaryDirectory(prefix="with blank ") as folder:
        png = os.path.join(folder, "a picture.png")
        case("a program that presents nothing is reported", in_shell("--png", png, script="true"), FAILED, b"presented nothing", b"a picture.png")
        report.case("run --png: and leaves no file", not os.path.exists(png))
        case("its own failure comes first", in_shell("--png", png, script="exit 9"), 9, b"presented nothing")
        case("its signal too", in_shell("--png", png, script="kill -ABRT $$"), -signal.SIGABRT)
        case("a program that is not there", run("run", "--png", png, "--", "/no/such/program"), 127, b"No such file")
        case("the path is absolute for a program that changes its folder",
             in_shell("--png", "b.png", script='cd /; echo "$TUFF_PRESENT_PNG"; echo x >"$TUFF_PRESENT_PNG"', cwd=folder), OK, b"/b.png\n")
        old = os.path.join(folder, "b.png")
        case("an old picture is not a new one", in_shell("--png", old, script="true"), FAILED, b"presented nothing")
        report.case("run --png: and stays", os.path.exists(old))
        waiting = [TUFF, "run", "--png", png, "--", "sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.1; done"]
        with subprocess.Popen(waiting, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.readline()
            process.terminate()
            report.case("run --png: SIGTERM goes to the program", process.wait(timeout=60) == 5)
        with subprocess.Popen([*waiting[:-1], "echo $$; exec sleep 1000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            child = int(process.stdout.readline())
            process.kill()
            process.wait(timeout=60)
        for _ in range(1200):
            if not os.path.exists(f"/proc/{child}"):
                break
            time.sleep(0.05)
        report.case("run --png: the program does not outlive a killed tuff", not os.path.exists(f"/proc/{child}"))
        link = os.path.join(folder, "another name")
        os.symlink(os.path.abspath(TUFF), link)
        linked = subprocess.run([link, "run", "--", "sh", "-c", 'test -f "$VK_DRIVER_FILES"'], capture_output=True, cwd="/", timeout=60)
        case("tuff itself may be called by a link from another folder", linked, OK)


def info_cases(report):
    result = run("info")
    report.case("info names every model", result.returncode == OK and all(f"{name}: ".encode() in result.stdout for name in models.NAMES), shown(result))
    for words in (*models.NAMES, "real", "all", f"real,{models.DEFAULT}"):
        result = run("info", "--gpu", words)
        named = set(re.findall(r"^(\S+): ", result.stdout.decode(), re.M))
        wanted = set(models.NAMES if words == "all" else words.split(","))
        report.case(f"info --gpu {words} names these alone", result.returncode == OK and named == wanted, shown(result))
    for option in (["--gpu", "nonsense"], ["--gpu"], [f"--gpu={models.DEFAULT},"]):
        result = run("info", *option)
        report.case(f"info {' '.join(option)} is a usage error", result.returncode == USAGE and b"tuff info" in result.stderr and not result.stdout, shown(result))
    result = run("info", "--json")
    try:
        gpus = {gpu["gpu"]: gpu for gpu in json.loads(result.stdout)}
    except ValueError:
        gpus = {}
    without = [name for name, gpu in gpus.items() if gpu["driver"] is None]
    report.case("info --json: models without a driver of ours are those of the table", without == [model.name for model in models.MODELS if model.tests == "shim"], str(without))
    good = set(models.NAMES) <= gpus.keys() and all(name in without or
        gpu["features"].get("synchronization2") is True and "VK_KHR_swapchain" in gpu["extensions"] and gpu["vulkan"].startswith(("1.3.", "1.4.")) and
        gpu["heaps"] and gpu["queues"][0]["graphics"] for name, gpu in gpus.items())
    report.case("info --json is JSON with features, extensions, heaps and queues", result.returncode == OK and good, shown(result))
    listed = run("info", "--features", "--extensions").stdout.split()
    missing = [name for gpu in gpus.values() for name in (*gpu.get("features", ()), *gpu.get("extensions", ())) if name.encode() not in listed]
    report.case("info --features --extensions names the same", bool(gpus) and not missing, str(missing[:10]))
    result = run("info", models.DEFAULT)
    report.case("info refuses an argument", result.returncode == USAGE and models.DEFAULT.encode() in result.stderr, shown(result))
    result = run("--version")
    report.case("tuff --version", result.returncode == OK and re.fullmatch(rb"tuff \d+\.\d+\.\d+\n", result.stdout) is not None, shown(result))


def list_cases(report):
    """Other people's programs see every model that a driver of ours is for, with its vendor, side by side."""
    if not shutil.which("vulkaninfo"):
        report.skip("vulkaninfo lists all models", "vulkaninfo is not installed")
        return
    for how, result in (("tuff run --gpu all", in_shell("--gpu", "all", script="exec vulkaninfo --summary")),
                        ("TUFF_GPU=all", in_shell(script="TUFF_GPU=all exec vulkaninfo --summary"))):
        text = result.stdout.decode(errors="replace")
        found = re.findall(r"vendorID +=\s*(\S+)\n(?:.*\n)*?\tdeviceName +=.* on model (\S+)\n(?:.*\n)*?\tdriverName +=\s*(\S+)", text)
        vendors = {name: vendor for vendor, name, driver in found if driver == "tuff"}
        families = {models.find(name).family: vendor for name, vendor in vendors.items() if name in models.DRIVEN}
        report.case(f"{how}: vulkaninfo lists every model with a driver of ours, and no other", result.returncode == OK and sorted(vendors) == sorted(models.DRIVEN), text[-3000:])
        report.case(f"{how}: {len(families)} families of {len(families)} vendors", len({model.family for model in models.MODELS}) == len(families) == len(set(vendors.values())), str(vendors))


def gpu_cases(report):
    """Commands that take a GPU of any family: each model is known, or refused with the names of those that are."""
    for command in ("asm", "dis", "decode", "compile"):
        result = run(command, "--gpu", "nonsense", "-")
        report.case(f"{command}: an unknown GPU is a usage error that names the known ones",
                    result.returncode == USAGE and b"'nonsense'" in result.stderr and models.DEFAULT.encode() in result.stderr, shown(result))
    for model in models.MODELS:
        for command in ("asm", "dis", "decode"):
            result = run(command, "--gpu", model.name, "/no/such/file")
            report.case(f"{command}: {model.name} is known", result.returncode == FAILED and b"/no/such/file" in result.stderr, shown(result))
        result = run("compile", "--gpu", model.name, "/no/such/file")
        refused = f"no compiler for '{model.name}'".encode() in result.stderr and models.DEFAULT.encode() in result.stderr
        report.case(f"compile: {model.name} has a compiler, or is refused with those that have",
                    refused if result.returncode == USAGE else result.returncode == FAILED and b"/no/such/file" in result.stderr, shown(result))


def main():
    report = tap.Tap()
    run_cases(report)
    picture_cases(report)
    info_cases(report)
    help_cases(report)
    gpu_cases(report)
    list_cases(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
