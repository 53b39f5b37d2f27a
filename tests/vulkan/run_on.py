#!/usr/bin/env python3
"""Runs a Vulkan program on a chosen driver, and nothing else of this machine's Vulkan:

    run_on.py lavapipe PROGRAM [ARGUMENT]...
    run_on.py [--icd FILE] swiftshader PROGRAM [ARGUMENT]...   the one inside of Chromium (apt install chromium-common), or FILE's
    run_on.py --tuff TUFF [--gpu NAME] [--flags WORDS] [--perftest WORDS] MESA PROGRAM [ARGUMENT]...   Mesa's driver for a model's family, on the model
    run_on.py --tuff TUFF [--gpu NAME] tuff PROGRAM [ARGUMENT]...   our own driver, of the same build as the command TUFF, on a model

NAME is a row of src/kernel/models.table, by default the first. MESA is VULKAN of its family (tests/<gpu>/family.py), and VULKAN_SWITCHES
says which variables the WORDS are for.

radv-25.0 or lavapipe-26.1 is the driver of a newer release, which scripts/judges brings (scripts/judges.txt names them); PROGRAM is no script then, for
the release's own loader starts it. Ends with the program's exit code; with 77, which means "skipped" to Meson, where the driver is not installed."""
import argparse
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import judges  # noqa: E402
import models  # noqa: E402

ICDS = {"lavapipe": "lvp_icd", **models.mesa_drivers(), "tuff": "tuff_icd", "swiftshader": "vk_swiftshader_icd"}
# No package puts SwiftShader where the loader looks; browsers bring one along.
BROWSERS = ("/usr/lib/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome")
# Drivers of Mesa: the newer releases have them, too.
OF_MESA = ("lavapipe", *models.mesa_drivers())


def names():
    """All drivers by the names that they are chosen by."""
    return [*ICDS, *(f"{driver}-{row.name}" for driver in OF_MESA for row in judges.table())]


def judge_of(driver):
    """The kind of a driver, and the judge that has it; None for one of this machine's."""
    kind, _, release = driver.partition("-")
    return kind, judges.Judge(release) if release else None


def needs_model(driver):
    """Whether a driver is ours, or runs on a model of ours: those take --tuff and --gpu."""
    kind = judge_of(driver)[0]
    return kind == "tuff" or kind in models.mesa_drivers()


def newest(kind):
    """The driver of a kind in the newest release that is here, this machine's own included."""
    here = [name for name in (f"{kind}-{row.name}" for row in judges.table()) if find_manifest(name)]
    return here[-1] if here else kind


def skip(reason):
    """Who runs this program takes 77 for "skipped"; a test that imports it speaks TAP, where Meson takes such a code as an error."""
    print(f"1..0 # SKIP {reason}")
    sys.exit(77 if __name__ == "__main__" else 0)


def find_manifest(driver):
    """The loader's file of a driver that this machine or a judge brings; None if there is none."""
    kind, judge = judge_of(driver)
    if judge:
        return judge.manifest(ICDS[kind]) if judge.is_here() else None
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
        _, judge = judge_of(driver)
        skip(f"{driver} is not here; `{judges.COMMAND} {judge.name}` brings it" if judge else f"{driver} is not installed")
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
    parser.add_argument("driver", choices=names())
    parser.add_argument("--tuff")
    parser.add_argument("--icd")
    models.add_option(parser)
    parser.add_argument("--flags", default="")
    parser.add_argument("--perftest", default="")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    environment = dict(os.environ)
    environment["VK_ICD_FILENAMES"] = environment["VK_DRIVER_FILES"] = manifest(options.driver, options.tuff, options.icd)
    kind, judge = judge_of(options.driver)
    command = judge.command(options.command) if judge else options.command
    if kind in ("lavapipe", "swiftshader"):
        return on_llvm(command, environment)
    if kind == "tuff":
        environment["TUFF_GPU"] = options.gpu
        return subprocess.call(command, env=environment)
    if models.family(options.gpu).VULKAN != kind:
        sys.exit(f"{options.driver} is no driver for {options.gpu}")
    switches = models.family(options.gpu).VULKAN_SWITCHES
    if options.perftest and "perftest" not in switches:
        sys.exit(f"{options.driver} has no --perftest")
    environment.update({variable: getattr(options, name) for name, variable in switches.items()}, MESA_SHADER_CACHE_DISABLE="true",
                       **models.family(options.gpu).VULKAN_ENVIRONMENT)
    return subprocess.call([options.tuff, "shim", options.gpu, "--", *command], env=environment)


if __name__ == "__main__":
    sys.exit(main())
