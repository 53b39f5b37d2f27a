#!/usr/bin/env python3
"""The first run on a machine that lacks something, of a program that takes no model, or with a word that is mistyped: one sentence says what is wrong and what
to do, and what can go on goes on.

    first_run.py TUFF CLIENT OLD_LOADER      CLIENT: src/icd/tests/loader_client.c, which lists GPUs, or takes one; OLD_LOADER: old_loader.c"""
import os
import shutil
import subprocess
import sys
import tempfile

import models
import tap

TUFF, CLIENT, OLD_LOADER = map(os.path.abspath, sys.argv[1:4])
OK, FAILED, USAGE = 0, 1, 2
HINT = "used none"
SWITCHES = ["--as-gpu", "--claim-conformance"]


def run(*command, before=(), **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TUFF_") or name == "TUFF_MODEL_PATH"}
    return subprocess.run([*before, *command], env={**clean, **environment}, capture_output=True, text=True, timeout=100, check=False)


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[-600:]}\nstderr: {result.stderr[-900:]}"


def lines_with(text, word):
    return [line for line in text.splitlines() if word in line]


def hint_cases(report):
    def case(name, result, count, *words, code=OK):
        hints = lines_with(result.stderr, HINT)
        good = len(hints) == count and HINT not in result.stdout and all(word in hints[0] for word in words)
        return report.case(f"hint: {name}", good and result.returncode == code, shown(result))

    listing = [CLIENT, "devices"]
    program = os.path.basename(CLIENT)
    case("a program that lists GPUs and takes none gets one line", run(TUFF, "run", "--", *listing), 1, f"'{program}'", *SWITCHES, "--no-hint")
    case("one that takes a GPU gets none", run(TUFF, "run", "--", CLIENT, "device"), 0)
    case("one that is no Vulkan program gets none", run(TUFF, "run", "--", "true"), 0)
    case("--no-hint", run(TUFF, "run", "--no-hint", "--", *listing), 0)
    case("TUFF_HINT=0", run(TUFF, "run", "--", *listing, TUFF_HINT="0"), 0)
    case("TUFF_LOG=error", run(TUFF, "run", "--", *listing, TUFF_LOG="error"), 0)
    case("outside of tuff run there is none", run(TUFF, "run", "--", "sh", "-c", f"unset TUFF_HINT; exec '{CLIENT}' devices"), 0)
    result = run(TUFF, "run", "--as-gpu", "--", *listing)
    case("a switch that is given is not named", result, 1, SWITCHES[1])
    report.case("hint: nor is it there", SWITCHES[0] not in "".join(lines_with(result.stderr, HINT)), shown(result))
    case("with both there is none", run(TUFF, "run", *SWITCHES, "--", *listing), 0)
    case("one line for a whole tree of programs", run(TUFF, "run", "--", "sh", "-c", f"'{CLIENT}' devices; '{CLIENT}' devices; ('{CLIENT}' devices) & wait"), 1)
    case("one line for a tuff run in a tuff run", run(TUFF, "run", "--", TUFF, "run", "--", *listing), 1)
    case("none where a program of the tree takes a GPU", run(TUFF, "run", "--", "sh", "-c", f"'{CLIENT}' device; '{CLIENT}' devices"), 0)
    case("a program that closes all files that it does not know gets it, too",
         run(TUFF, "run", "--", sys.executable, "-c", f"import subprocess; subprocess.run(['{CLIENT}', 'devices'], close_fds=True)"), 1)
    case("the exit code stays the program's", run(TUFF, "run", "--", "sh", "-c", f"'{CLIENT}' devices; exit 5"), 1, code=5)
    with tempfile.TemporaryDirectory() as folder:
        case("with --png, too", run(TUFF, "run", "--png", os.path.join(folder, "x.png"), "--", *listing), 1, code=FAILED)


def loader_cases(report, folder):
    old, broken = (os.path.join(folder, name) for name in ("old", "broken"))
    os.mkdir(old)
    os.mkdir(broken)
    shutil.copy(OLD_LOADER, os.path.join(old, "libvulkan.so.1"))
    with open(os.path.join(broken, "libvulkan.so.1"), "wb") as file:
        file.write(b"no library" * 100)

    def case(name, result, *words):
        told = lines_with(result.stderr, "tuff run: ")
        report.case(f"loader: {name}", result.returncode == OK and result.stdout == "ran\n" and len(told) == bool(words) and all(word in told[0] for word in words), shown(result))

    def ran(**environment):
        return run(TUFF, "run", "--", "echo", "ran", **environment)
    case("this machine's is good enough", ran())
    case("one of Vulkan 1.2 gets one sentence, and the program runs", ran(LD_LIBRARY_PATH=old), "1.2.162", "newer libvulkan.so.1")
    shutil.copy(os.path.join(broken, "libvulkan.so.1"), os.path.join(folder, "libdrm.so.2"))
    result = run(TUFF, "run", "--", CLIENT, "device", LD_LIBRARY_PATH=folder)
    report.case("loader: without libdrm there are the models all the same", result.returncode == OK and "gpu 0x" in result.stdout, shown(result))
    case("none gets one sentence that names the package, and the program runs", ran(LD_LIBRARY_PATH=broken), "no Vulkan loader", "libvulkan1", "vulkan-loader", "vulkan-icd-loader")


def missing_cases(report, folder):
    bare = os.path.join(folder, "bare")
    os.mkdir(bare)
    tuff = shutil.copy(TUFF, bare)

    def case(name, result, code, *words):
        told = result.stderr.strip().splitlines()
        report.case(f"missing: {name}", result.returncode == code and len(told) == 1 and all(word in told[0] for word in words), shown(result))
    case("tuff run without its driver", run(tuff, "run", "--", "true"), FAILED, "tuff_run_icd.json", "install or build")
    case("tuff info without its driver", run(tuff, "info"), FAILED, "libvulkan_tuff.so", "install or build")
    case("tuff shim without its library", run(tuff, "shim", models.DEFAULT, "--", "true"), FAILED, "libtuff_shim.so", "TUFF_SHIM_LIBRARY")
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(TUFF))), "src/icd/libvulkan_tuff.so")
    shutil.copy(library, bare)
    manifest = os.path.join(bare, "icd.json")
    with open(manifest, "w", encoding="utf-8") as file:
        file.write('{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}' % os.path.join(bare, "libvulkan_tuff.so"))
    # Meson names the folders of the libraries that a test depends on in LD_LIBRARY_PATH.
    result = run(CLIENT, "devices", VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest, TUFF_GPU=models.DEFAULT, TUFF_MODEL_PATH="", LD_LIBRARY_PATH="")
    told = lines_with(result.stderr, "TUFF_MODEL_PATH")
    report.case("missing: a model's library is named, with the folder that it should be in", len(told) == 1 and "libtuff_model_" in told[0] and bare in told[0] and
                result.returncode >= 0, shown(result))
    case("a program that is not there", run(TUFF, "run", "--", "no-such-program"), 127, "no-such-program", "PATH")
    here = os.path.join(folder, "here")
    os.mkdir(here)
    shutil.copy("/bin/true", os.path.join(here, "a-program"))
    result = subprocess.run([TUFF, "run", "--", "a-program"], cwd=here, capture_output=True, text=True, timeout=60, check=False)
    case("a program that is in the folder and not in PATH", result, 127, "./a-program")


def word_cases(report):
    def case(name, result, *words):
        report.case(f"words: {name}", any(all(word in line for word in words) for line in result.stderr.splitlines()), shown(result))
    near = models.DEFAULT[:-1]
    case("a GPU", run(TUFF, "run", "--gpu", near, "--", "true"), f"no GPU '{near}'", f"did you mean '{models.DEFAULT}'")
    case("a GPU in TUFF_GPU", run(TUFF, "run", "--", CLIENT, "devices", TUFF_GPU=near), f"no GPU '{near}'", f"did you mean '{models.DEFAULT}'")
    case("a word of TUFF_DEBUG", run(TUFF, "run", "--", CLIENT, "device", TUFF_DEBUG="noj1t,shaders"), "unknown word 'noj1t'", "did you mean 'nojit'")
    case("a word of TUFF_LOG", run(TUFF, "run", "--", CLIENT, "device", TUFF_LOG="wran"), "TUFF_LOG=wran", "did you mean 'warn'")
    case("a variable", run(TUFF, "run", "--", "true", TUFF_GPUS="all"), "TUFF_GPUS", "did you mean TUFF_GPU?")
    case("a variable that is like none", run(TUFF, "run", "--", "true", TUFF_ZZZZZZZZ="1"), "nothing reads the variable TUFF_ZZZZZZZZ")
    case("an option", run(TUFF, "run", "--as_gpu", "--", "true"), "no option '--as_gpu'", "did you mean '--as-gpu'")
    case("a command", run(TUFF, "inof"), "no command 'inof'", "did you mean 'info'")


def folder_cases(report):
    """A machine without /dev/shm, and one where it cannot be written; root's alone to try."""
    for name, mount in (("there is no /dev/shm", "umount -l /dev/shm 2>/dev/null || mount -t tmpfs -o ro,size=4k none /dev/shm"), ("/dev/shm is read-only", "mount -t tmpfs -o ro,size=4k none /dev/shm")):
        inside = ["unshare", "-m", "sh", "-c", f"{mount} && exec \"$@\"", "sh"]
        if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
            report.skip(f"folders: {name}", "mounting is not allowed here")
            continue
        result = run(TUFF, "run", "--", CLIENT, "device", before=inside)
        report.case(f"folders: {name}, and a program runs", result.returncode == OK and "gpu 0x" in result.stdout, shown(result))
    with tempfile.TemporaryDirectory() as folder:
        result = run(TUFF, "run", "--", CLIENT, "device", HOME="/no/such/home", XDG_CACHE_HOME=os.path.join(folder, "none"), TMPDIR="/no/such/folder")
        report.case("folders: no home, no cache and no TMPDIR, and a program runs", result.returncode == OK and "gpu 0x" in result.stdout and not os.listdir(folder), shown(result))


def main():
    report = tap.Tap()
    hint_cases(report)
    with tempfile.TemporaryDirectory() as folder:
        loader_cases(report, folder)
        missing_cases(report, folder)
    word_cases(report)
    folder_cases(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
