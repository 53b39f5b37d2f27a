#!/usr/bin/env python3
"""Names in a tree of several families: `symbols.py SOURCE BUILD NM`.

A family's external symbols carry its prefix, for all families are linked into one library: the second `decode` would be a link error or bind
silently to the first. A shared room never names a family: what is written for one would not hold for the next. And what one source file alone
uses is static: nothing else can come to depend on it, and the compiler says when it is of no use any more."""
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

# What others look up by name: the C library, libFuzzer. Besides these, all that a shared library exports.
ENTRY_POINTS = re.compile(r"main$|LLVMFuzzer|_")
# A list of handlers declares all of them, X(packet, handler, …), wherever each stands.
HANDLER = re.compile(r"\bX\(([^()\n]*)\)")


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


def read_symbols(lines):
    """(object, kind, symbol) of what `nm -A -g` prints."""
    for line in lines:
        match = re.match(r"(.+?):\s*(?:[0-9a-f]+)?\s+(\w)\s+(\S+)$", line)
        if match:
            yield match.groups()


def used_alone(symbols, source_of):
    """(source, symbol) of each external function that no other source needs. A source may be compiled into several objects. Data are left out:
    headers that are made of shaders define arrays."""
    defined, needed = {}, {}
    for name, kind, symbol in symbols:
        if kind in "Uwv":
            needed.setdefault(symbol, set()).add(source_of[name])
        elif kind == "T":
            defined.setdefault(symbol, set()).add(source_of[name])
    return sorted((min(sources), symbol) for symbol, sources in defined.items() if not needed.get(symbol, set()) - sources)


def compiled_objects(source, build):
    """Object → its source, of all C that the build compiles; generated sources are left out: a generator writes the same for all families."""
    objects, others = {}, []
    for row in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = (pathlib.Path(row["directory"]) / row["file"]).resolve()
        output = str(build / row["output"])
        if path.suffix == ".c" and path.is_relative_to(source) and not path.is_relative_to(build.resolve()):
            objects[output] = path.relative_to(source).as_posix()
        else:
            others.append(output)
    return objects, others


def words_of_sources(source):
    """Word → the C files that have it, compiled or not: fuzzers, host code of other processors, what a host's instructions leave out."""
    words = {}
    for folder in ("src", "tests", "bench", "demo"):
        for path in (source / folder).rglob("*.c"):
            for word in set(re.findall(r"[A-Za-z_]\w+", path.read_text(encoding="utf-8"))):
                words.setdefault(word, set()).add(path.relative_to(source).as_posix())
    return words


def handlers(source):
    headers = (path.read_text(encoding="utf-8") for path in (source / "src").rglob("*.h"))
    return {word.strip() for text in headers for words in HANDLER.findall(text) for word in words.split(",")}


def exports(build, nm):
    libraries = [file for target in json.loads((build / "meson-info/intro-targets.json").read_text(encoding="utf-8"))
                 if target["type"] in ("shared library", "shared module") for file in target["filename"]]
    run = subprocess.run([nm, "-D", "--defined-only", *libraries], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in run.stdout.splitlines() if len(line.split()) == 3}


def check_statics(report, source, build, nm):
    sample = [("a.o", "T", "shared"), ("a.o", "T", "alone"), ("a2.o", "T", "alone"), ("a2.o", "U", "alone"), ("b.o", "U", "shared"), ("b.o", "R", "words")]
    report.case("a function that one source alone uses is found", used_alone(sample, {"a.o": "a.c", "a2.o": "a.c", "b.o": "b.c"}) == [("a.c", "alone")])
    objects, others = compiled_objects(source, build)
    missing = [name for name in [*objects, *others] if not pathlib.Path(name).is_file()]
    report.case("everything is built", not missing, f"{len(missing)} objects are not, {missing[0] if missing else ''}: ninja -C {build}")
    if missing:
        return
    names, lines = [*objects, *others], []
    for at in range(0, len(names), 500):
        lines += subprocess.run([nm, "-A", "-g", *names[at:at + 500]], capture_output=True, text=True, check=True).stdout.splitlines()
    allowed = handlers(source) | exports(build, nm)
    words = words_of_sources(source)
    alone = used_alone(read_symbols(lines), {**objects, **{name: name for name in others}})
    wrong = [f"{path}: {symbol}" for path, symbol in alone
             if words.get(symbol) == {path} and symbol not in allowed and not ENTRY_POINTS.match(symbol)]
    report.case(f"what one source alone uses is static ({len(objects)} objects)", not wrong, "\n".join(wrong[:50]))


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
    source, build, nm = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    check_symbols(report, build, nm)
    check_statics(report, source.resolve(), build, nm)
    check_rooms(report, source)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
