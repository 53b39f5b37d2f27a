#!/usr/bin/env python3
"""Runs a Vulkan program on a chosen driver, and nothing else of this machine's Vulkan:

    run_on.py lavapipe PROGRAM [ARGUMENT]...
    run_on.py [--icd FILE] swiftshader PROGRAM [ARGUMENT]...   the one inside of Chromium (apt install chromium-common), or FILE's
    run_on.py --tuff TUFF [--flags RADV_DEBUG] [--perftest RADV_PERFTEST] radv PROGRAM [ARGUMENT]...   on the modelled gfx1030
    run_on.py --tuff TUFF tuff PROGRAM [ARGUMENT]...   our own driver, of the same build as the command TUFF, on the modelled gfx1030

Ends with the program's exit code; with 77, which means "skipped" to Meson, where the driver is not installed."""
import argparse
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ICDS = {"lavapipe": "lvp_icd", "radv": "radeon_icd", "tuff": "tuff_icd", "swiftshader": "vk_swiftshader_icd"}
# No package puts SwiftShader where the loader looks; browsers bring one along.
BROWSERS = ("/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome")


def find_manifest(driver):
    """The loader's file of a driver that this machine brings; None if it has none."""
    folders = ("/usr/share/vulkan/icd.d", *(BROWSERS if driver == "swiftshader" else ()))
    found = [path for folder in folders for path in sorted(glob.glob(f"{folder}/{ICDS[driver]}*.json"))]
    return found[0] if found else None


def manifest(driver, tuff, icd=None):
    """The loader's file of a driver. Ours is never taken from the machine: it would judge another build."""
    if icd:
        if not os.path.isfile(icd):
            sys.exit(f"no {icd}")
        return icd
    if driver == "tuff":
        path = pathlib.Path(tuff or "").resolve().parent.parent / "icd" / "tuff_icd.json"
        if not path.is_file():
            sys.exit(f"no {path}: --tuff names the command `tuff` of a build")
        return str(path)
    found = find_manifest(driver)
    if not found:
        print(f"1..0 # SKIP {driver} is not installed")
        sys.exit(77)
    return found


def needs_other_cpu():
    """A virtual Neoverse V1 without SVE: the LLVM inside lavapipe and SwiftShader knows the core by its number and uses SVE all the same."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    if "0xd40" in text and not re.search(r"^Features.*\bsve\b", text, re.M):
        return text.replace("0xd40", "0xd0c")
    return None


def on_llvm(command, environment):
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
    parser.add_argument("--icd")
    parser.add_argument("--flags", default="")
    parser.add_argument("--perftest", default="")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    environment = dict(os.environ)
    environment["VK_ICD_FILENAMES"] = environment["VK_DRIVER_FILES"] = manifest(options.driver, options.tuff, options.icd)
    if options.driver in ("lavapipe", "swiftshader"):
        return on_llvm(options.command, environment)
    if options.driver == "tuff":
        environment["TUFF_GPU"] = "gfx1030"
        return subprocess.call(options.command, env=environment)
    environment.update(RADV_DEBUG=options.flags, RADV_PERFTEST=options.perftest, MESA_SHADER_CACHE_DISABLE="true")
    return subprocess.call([options.tuff, "shim", "gfx1030", "--", *options.command], env=environment)


if __name__ == "__main__":
    sys.exit(main())
