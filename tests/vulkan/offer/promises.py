#!/usr/bin/env python3
"""Whether our driver keeps what its version and its extensions promise: the limits and features (promises.c), the commands (the runtime names those that no table has),
and whether vulkaninfo gets through all of it.

    promises.py [--gpu NAME] RUN_ON TUFF PROMISES"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import models  # noqa: E402
from tap import Tap  # noqa: E402

# What vulkaninfo says of itself where there is no window system.
ARGUMENTS = sys.argv[1:]
GPU = models.take_option(ARGUMENTS)
PROFILE = "2022"  # the newest of Khronos's Roadmap profiles that all of our GPUs keep
HARMLESS = re.compile(r"XDG_RUNTIME_DIR|VK_KHR_swapchain not supported|Failed to validate extensions in list")


def run(words, program, **extra):
    run_on, tuff = words
    command = [sys.executable, run_on, "--tuff", tuff, "--gpu", GPU, "tuff", *program]
    done = subprocess.run(command, env=os.environ | extra, capture_output=True, text=True, check=False)
    return done, f"{' '.join(f'{k}={v}' for k, v in extra.items())} {' '.join(command)}\nended with {done.returncode}\n{done.stderr}"


def main():
    tap = Tap()
    *words, program = ARGUMENTS
    done, detail = run(words, [program, PROFILE], TUFF_LOG="debug")
    lines = done.stdout.splitlines()
    for i, line in enumerate(lines):
        found = re.match(r"(ok|not ok) \d+ - (.*)", line)
        if found:
            tap.case(found.group(2), found.group(1) == "ok", lines[i + 1] if i + 1 < len(lines) else "")
    tap.case("the program ended by itself", done.returncode in (0, 1) and any(line.startswith("1..") for line in lines), detail)
    missing = sorted(set(re.findall(r"promises (\w+) and does not have it", done.stderr)))
    tap.case("every command of the version and of the extensions is there", not missing, " ".join(missing))
    if shutil.which("vulkaninfo"):
        done, detail = run(words, ["vulkaninfo"])
        complaints = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"\berror\b|\bfail|\bwarning\b", line, re.I) and not HARMLESS.search(line)]
        tap.case("vulkaninfo has nothing to complain of", done.returncode == 0 and not complaints, "\n".join(complaints) + detail)
        tap.case("vulkaninfo shows that it is a model", "on a functional model" in done.stdout, detail)
    else:
        tap.skip("vulkaninfo", "not installed")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
