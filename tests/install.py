#!/usr/bin/env python3
"""`meson install`: into a folder with a blank in its name, by DESTDIR; what lies where, and whether it runs from there.

    install.py MESON BUILD PREFIX LIBDIR DATADIR BINDIR LEVELS

What was installed is run, not what was built; then it is uninstalled."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import models
import tap

MESON, BUILD, PREFIX, LIBDIR, DATADIR, BINDIR, LEVELS = sys.argv[1:8]
MODEL_LIBRARY = f"libtuff_model_{models.find(models.DEFAULT).family}.so"
SUFFIXES = ["" if level == "baseline" else f"_{level}" for level in LEVELS.split(",")]  # of a model's library for each level of host instructions (src/meson.build)
MODEL_LIBRARIES = [MODEL_LIBRARY.replace(".so", f"{level}.so") for level in SUFFIXES]
FILES = ("libvulkan_tuff.so", "libtuff_shim.so", *sorted({f"libtuff_model_{model.family}{level}.so" for model in models.MODELS for level in SUFFIXES}))


def below(root, path):
    return root + os.path.join(PREFIX, path)


def clean_environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TUFF_", "VK_", "XDG_")) and k not in ("DISPLAY", "WAYLAND_DISPLAY", "LD_LIBRARY_PATH", "LD_PRELOAD")}
    return {**kept, **more}


def run(command, cwd="/", **more):
    return subprocess.run(command, env=clean_environment(**more), cwd=cwd, capture_output=True, text=True, timeout=120)


def shown(result):
    return f"exit {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-1500:]}"


def tree(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names)


def judge_files(report, root):
    for name in FILES:
        report.case(f"{name} is in the folder of libraries", os.path.isfile(below(root, f"{LIBDIR}/{name}")), "\n".join(tree(root)))
    manifests = glob.glob(glob.escape(below(root, f"{DATADIR}/vulkan/icd.d")) + "/tuff_icd.*.json")
    if not report.case("one manifest is where the loader looks", len(manifests) == 1, "\n".join(tree(root))):
        return None
    with open(manifests[0], encoding="utf-8") as file:
        icd = json.load(file)["ICD"]
    report.case("it names the library by its place after staging", icd["library_path"] == os.path.join(PREFIX, LIBDIR, "libvulkan_tuff.so"), str(icd))
    report.case("it claims Vulkan 1.4", icd["api_version"].startswith("1.4."), str(icd))
    commands = re.findall(r"^  (\w+)  ", run([below(root, f"{BINDIR}/tuff"), "--help"]).stdout, re.M)
    texts = sorted(os.path.basename(path) for path in tree(root) if path.endswith((".1", "/tuff.bash", "/_tuff")))
    report.case("manual pages and completions are there", texts == sorted(["tuff.1", *(f"tuff-{name}.1" for name in commands), "tuff.bash", "_tuff"]), "\n".join(texts))
    report.case("nothing else of the build is installed", len(tree(root)) == len(FILES) + len(texts) + 3, "\n".join(tree(root)))
    return manifests[0]


def judge_tuff(report, root):
    tuff = below(root, f"{BINDIR}/tuff")
    result = run([tuff, "info"])
    report.case("tuff info finds the driver and the models", result.returncode == 0 and all(f"{name}: " in result.stdout for name in models.NAMES), shown(result))
    result = run([tuff, "decode", "-"])
    report.case("tuff decode runs", result.returncode == 1 and "empty" in result.stderr, shown(result))
    if not shutil.which("vulkaninfo"):
        report.skip("tuff run vulkaninfo", "vulkaninfo is not installed")
        return
    result = run([tuff, "run", "--", "vulkaninfo", "--summary"])
    report.case("tuff run runs a program on the model", result.returncode == 0 and f"model {models.DEFAULT}" in result.stdout, shown(result))
    result = run([tuff, "run", "--", "sh", "-c", "test \"${VK_DRIVER_FILES#\"$1\"}\" != \"$VK_DRIVER_FILES\"", "sh", root + "/"])
    report.case("with the driver of its own tree", result.returncode == 0, shown(result))
    result = run([tuff, "shim", models.DEFAULT, "--", "sh", "-c", "ls /dev/dri; cat /proc/$$/maps"])
    report.case("tuff shim offers a node, by the installed library",
                result.returncode == 0 and "renderD128" in result.stdout and below(root, f"{LIBDIR}/libtuff_shim.so") in result.stdout, shown(result))
    alone = os.path.join(root, "link to tuff")
    os.symlink(tuff, alone)
    result = run([alone, "run", "--", "vulkaninfo", "--summary"], cwd=root)
    report.case("through a link, too", result.returncode == 0 and f"model {models.DEFAULT}" in result.stdout, shown(result))
    os.unlink(alone)


def judge_loader(report, root, manifest):
    """As after a real installation: the loader finds the manifest by itself. The staged library stands elsewhere than it says, so a copy says where."""
    if not shutil.which("vulkaninfo"):
        report.skip("the loader finds the driver", "vulkaninfo is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="home of ") as home:
        folder = os.path.join(home, "share", "vulkan", "icd.d")
        os.makedirs(folder)
        with open(manifest, encoding="utf-8") as file:
            text = file.read().replace(PREFIX + "/", root + PREFIX + "/")
        with open(os.path.join(folder, os.path.basename(manifest)), "w", encoding="utf-8") as file:
            file.write(text)
        data = os.path.join(home, "share")
        seen = run(["vulkaninfo", "--summary"], XDG_DATA_DIRS=data)
        report.case("a program finds the model with no variable of ours", seen.returncode == 0 and f"model {models.DEFAULT}" in seen.stdout, shown(seen))
        report.case("as a CPU, so that who has a card takes the card", "PHYSICAL_DEVICE_TYPE_CPU" in seen.stdout, shown(seen))
        without = run(["vulkaninfo", "--summary"], XDG_DATA_DIRS=data, TUFF_GPU="none")
        report.case("TUFF_GPU=none offers no model", f"model {models.DEFAULT}" not in without.stdout, shown(without))
        libraries = [below(root, f"{LIBDIR}/{name}") for name in MODEL_LIBRARIES]
        for level in libraries[1:]:
            os.rename(level, level + ".away")
        try:
            slower = run(["vulkaninfo", "--summary"], XDG_DATA_DIRS=data)
            report.case("without a library for this machine's level the baseline's serves", slower.returncode == 0 and f"model {models.DEFAULT}" in slower.stdout, shown(slower))
            os.rename(libraries[0], libraries[0] + ".away")
            lost = run(["vulkaninfo", "--summary"], XDG_DATA_DIRS=data)
            report.case("without the model's library it says what is missing, and does not crash",
                        0 <= lost.returncode < 128 and MODEL_LIBRARY in lost.stderr and f"model {models.DEFAULT}" not in lost.stdout, shown(lost))
        finally:
            for library in libraries:
                os.rename(library + ".away", library)


def judge_uninstall(report, root):
    """Ninja's uninstall takes the folder of the installation from the log that it wrote."""
    result = subprocess.run(["ninja", "-C", BUILD, "uninstall"], capture_output=True, text=True, timeout=120, env=clean_environment())
    report.case("ninja uninstall leaves nothing", result.returncode == 0 and not tree(root), shown(result) + "\n".join(tree(root)))


def main():
    report = tap.Tap()
    with tempfile.TemporaryDirectory(prefix="a prefix with blanks ", dir=BUILD) as root:
        installed = run([MESON, "install", "-C", BUILD, "--no-rebuild", "--quiet"], DESTDIR=root)
        if report.case("meson install with DESTDIR", installed.returncode == 0, shown(installed)):
            manifest = judge_files(report, root)
            if manifest:
                judge_tuff(report, root)
                judge_loader(report, root, manifest)
            judge_uninstall(report, root)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
