#!/usr/bin/env python3
"""Stands in for deqp-vk in the runner's own test: lists its cases and "runs" them, and what a case does is in its name. Once a case lost the
device it stays lost to this process, as with a real driver; a case without memory is the last of its process, which ends as if all were run."""
import os
import signal
import sys
import time

NAMES = [f"dEQP-VK.{group}.{kind}.{what}_{i}" for group in ("alpha", "beta") for kind in ("good", "bad") for i in range(4)
         for what in (("pass", "unsupported", "quality") if kind == "good" else ("fail", "crash", "hang", "lost", "putoff", "latelost", "internal", "resource"))]
LOST = "tuff: error: amd/model: context 1 lost on graphics ring 0, job 1: not implemented"


def say(text):
    print(text, flush=False)  # through a terminal it is flushed line by line, through a pipe it would not be


def option(name):
    return next((argument.split("=", 1)[1] for argument in sys.argv if argument.startswith(f"--{name}=")), None)


def model(text):
    sys.stdout.flush()
    os.write(2, text.encode())


def run(name, lost):
    say(f"\nTest case '{name}'..")
    what = name.rsplit(".", 1)[1].split("_")[0]
    if what == "crash":
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "hang":
        time.sleep(1000)
    if what == "lost":
        model(f"{LOST}\nregister CB_SOMETHING = 1: not modelled\n")
    if what == "putoff":
        model(f"{LOST}\nDRAW_INDEX_AUTO: mesh shaders are not modelled (VGT_SHADER_STAGES_EN)\n")
    if lost and what != "unsupported":
        say("  Fail (vkQueueSubmit(): VK_ERROR_DEVICE_LOST at somewhere.cpp:1)")
        return True
    words = {"pass": "Pass (all of it)", "unsupported": "NotSupported (no such feature at some.cpp:3)", "quality": "QualityWarning (rough)",
             "internal": "InternalError (an assertion)", "latelost": "Pass (who cares)", "resource": "ResourceError (out of memory)"}
    say(f"  {words.get(what, 'Fail (wrong: got 2 at (1, 1))')}")
    return what in ("lost", "putoff", "latelost")


def main():
    if option("deqp-runmode"):
        for package, names in (("dEQP-VK", NAMES), ("dEQP-VK-experimental", ["dEQP-VK-experimental.a.b"])):
            with open(option("deqp-caselist-export-file").replace("${packageName}", package), "w", encoding="utf-8") as file:
                file.write(f"GROUP: {package}\n" + "".join(f"TEST: {name}\n" for name in names))
        return 0
    with open(option("deqp-caselist-file"), encoding="utf-8") as file:
        wanted = set(file.read().split())
    say("dEQP Core 1.3.5.2 starting..")
    if os.environ.get("FAKE_DEQP") == "broken":
        return 3
    lost = False
    for name in NAMES:
        if name in wanted:
            lost = run(name, lost)
            if ".resource_" in name:
                break
    say("\nDONE!\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
