#!/usr/bin/env python3
"""Names in a tree of several families: `symbols.py SOURCE BUILD NM`.

A family's external symbols carry its prefix, for all families are linked into one library: the second `decode` would be a link error or bind
silently to the first. And a shared room never names a family: what is written for one would not hold for the next."""
import json
import pathlib
import re
import subprocess
import sys

import tap

# A family's folder in src, and how its external names begin.
PREFIXES = {"amd": ("amd_", "radeon_"), "adreno": ("adreno_",), "mali": ("mali_",)}
# The one symbol that every model's library has: kernel's registry looks for it.
COMMON = {"tuff_kernel_model"}

# Rooms that no family may be named in, with the files that must: a path below the room, and why.
ROOMS = {
    "util": {},
    "hw": {},
    "isa": {},
    "compiler": {name: "SPIR-V has instructions and extended sets of a vendor's name"
                 for name in ("spirv/sp.h", "spirv/sp_glsl.c", "spirv/sp_module.c")},
    "vulkan": {},
    "model": {},
    "kernel": {"models.table": "the one table of all models"},
    "shim": {},
}
FAMILY = re.compile(
    r"(?<![a-z0-9.])(amd|amdgpu|amdvlk|ati|radeon|radv|rdna\d?|gcn|gfx(?:9|1\d)\w*|navi\d*|vangogh|adreno|turnip|freedreno|ir3|msm|a[67]xx|a6\d\d|qcom|"
    r"qualcomm|mali|panthor|panfrost|panvk|valhall|bifrost|midgard|csf)(?![a-z])", re.IGNORECASE)
# Names of the APIs themselves may hold a vendor's: VK_AMD_buffer_marker, SpvOpGroupIAddNonUniformAMD.
API = re.compile(r"\b(VK_|SPV_|Spv|PFN_vk|vk(?=[A-Z])|Vk(?=[A-Z]))\w+")
SOURCES = (".c", ".h", ".py", ".table", ".build", ".S")


def wrong_symbols(family, lines):
    """The symbols of `nm -A -g --defined-only` that lack the family's prefix."""
    found = set()
    for line in lines:
        words = line.split()
        if len(words) < 3 or words[-1] in COMMON or words[-1].startswith("_"):
            continue
        if not words[-1].startswith(PREFIXES[family]):
            found.add(words[-1])
    return sorted(found)


def named_families(text):
    """(line number, word) of every family that is named."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for match in FAMILY.finditer(API.sub("", line)):
            found.append((number, match.group(1)))
    return found


def libraries_of(build, family):
    """The static libraries of the family's rooms that the build makes; files of older builds may lie beside them."""
    targets = json.loads((build / "meson-info/intro-targets.json").read_text(encoding="utf-8"))
    files = [pathlib.Path(file) for target in targets if target["type"] == "static library" for file in target["filename"]]
    folder = build.resolve() / "src" / family
    return sorted(file for file in files if file.is_relative_to(folder) and "tests" not in file.relative_to(folder).parts)


def check_symbols(report, build, nm):
    total = 0
    for family, prefixes in PREFIXES.items():
        libraries = libraries_of(build, family)
        if not libraries:
            continue
        run = subprocess.run([nm, "-A", "-g", "--defined-only", *map(str, libraries)], capture_output=True, text=True, check=True)
        lines = run.stdout.splitlines()
        wrong = wrong_symbols(family, lines)
        total += len(lines)
        report.case(f"external symbols of {family} begin with {' or '.join(prefixes)}", not wrong, "\n".join(wrong[:50]))
    report.case(f"{total} symbols were looked at", total > 1000)


def check_rooms(report, source):
    for room, exceptions in ROOMS.items():
        folder = source / "src" / room
        files = [path for path in sorted(folder.rglob("*")) if path.suffix in SOURCES and "tests" not in path.relative_to(folder).parts]
        found, used = [], set()
        for path in files:
            name = path.relative_to(folder).as_posix()
            words = named_families(path.read_text(encoding="utf-8"))
            if name in exceptions:
                used.add(name)
            else:
                found += [f"src/{room}/{name}:{number}: '{word}'" for number, word in words]
        report.case(f"src/{room} names no family ({len(files)} files)", files and not found, "\n".join(found[:50]))
        for name in exceptions.keys() - used:
            report.case(f"src/{room}/{name} is still there", False, "an exception of this test that nothing needs")


def main():
    report = tap.Tap()
    # First that the checks can fail at all.
    report.case("a symbol without the family's prefix is found", wrong_symbols("amd", ["a.o: 0 T isa_decode", "a.o: 0 T amd_x"]) == ["isa_decode"])
    report.case("a family's prefix is not another's", wrong_symbols("adreno", ["a.o: 0 T amd_isa_decode"]) == ["amd_isa_decode"])
    report.case("a family's name is found", named_families("x\n/* as GFX10.3 has it */ amd_reg_find()") == [(2, "GFX10"), (2, "amd")])
    report.case("a vendor in an API's name is none", named_families("VK_AMD_buffer_marker SpvOpFooAMD vkCmdWriteBufferMarkerAMD famd amds") == [])
    check_symbols(report, pathlib.Path(sys.argv[2]), sys.argv[3])
    check_rooms(report, pathlib.Path(sys.argv[1]))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
