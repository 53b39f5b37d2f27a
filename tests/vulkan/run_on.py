#!/usr/bin/env python3
"""Runs a Vulkan program on a chosen driver, and nothing else of this machine's Vulkan:

    run_on.py lavapipe PROGRAM [ARGUMENT]...
    run_on.py --tuff TUFF [--flags RADV_DEBUG] [--perftest RADV_PERFTEST] radv PROGRAM [ARGUMENT]...   on the modelled gfx1030

Ends with the program's exit code; with 77, which means "skipped" to Meson, where the driver is not installed."""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ICDS = {"lavapipe": "lvp_icd", "radv": "radeon_icd"}


def manifest(driver):
    found = sorted(glob.glob(f"/usr/share/vulkan/icd.d/{ICDS[driver]}*.json"))
    if not found:
        print(f"1..0 # SKIP {driver} is not installed")
        sys.exit(77)
    return found[0]


def needs_other_cpu():
    """A virtual Neoverse V1 without SVE: the LLVM inside lavapipe knows the core by its number and uses SVE all the same."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    if "0xd40" in text and not re.search(r"^Features.*\bsve\b", text, re.M):
        return text.replace("0xd40", "0xd0c")
    return None


def on_lavapipe(command, environment):
    environment["MESA_SHADER_CACHE_DISABLE"] = "true"
    shown = needs_other_cpu()
    # Without the right to mount, the program may still run: not every shader meets the fault.
    if shown is None or subprocess.call(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL) != 0:
        return subprocess.call(command, env=environment)
    with tempfile.NamedTemporaryFile("w", suffix=".cpuinfo") as file:
        file.write(shown)
        file.flush()
        script = 'mount --bind "$1" /proc/cpuinfo && shift && exec "$@"'
        return subprocess.call(["unshare", "--mount", "sh", "-c", script, "sh", file.name, *command], env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("driver", choices=ICDS)
    parser.add_argument("--tuff")
    parser.add_argument("--flags", default="")
    parser.add_argument("--perftest", default="")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    environment = dict(os.environ)
    environment["VK_ICD_FILENAMES"] = environment["VK_DRIVER_FILES"] = manifest(options.driver)
    if options.driver == "lavapipe":
        return on_lavapipe(options.command, environment)
    environment.update(RADV_DEBUG=options.flags, RADV_PERFTEST=options.perftest, MESA_SHADER_CACHE_DISABLE="true")
    return subprocess.call([options.tuff, "shim", "gfx1030", "--", *options.command], env=environment)


if __name__ == "__main__":
    sys.exit(main())
