"""What is made of the newest Vulkan registry and SPIR-V grammar of Debian (scripts/headers) is what is made of the installed ones, and
the C that meets those headers compiles against them without a warning. Skipped where they are not there.

    newest_headers.py SOURCE_ROOT BUILD_ROOT VK_XML"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import judges
from tap import Tap

# Sources that see Vulkan's or SPIR-V's headers. The rest of the tree does not know them.
SEES_HEADERS = re.compile(r"src/(vulkan/(runtime|wsi|meta)|icd|compiler/spirv|(amd|adreno|mali)/driver)/(?!.*tests/)[\w/]*\.c$")
MUST_BE = 200  # sources that are compiled, at the least


def surface(root, xml):
    """The tree that every generator reads, as text."""
    sys.path.insert(0, str(root / "src/vulkan/runtime/gen"))
    import vk_newer
    import vk_surface
    tree = ET.parse(xml).getroot()
    vk_newer.merge(tree)
    return ET.tostring(vk_surface.reduce(tree), encoding="unicode")


def first_difference(ours, theirs):
    for at, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"installed: ...{ours[max(at - 80, 0):at + 80]}...\nnewest:    ...{theirs[max(at - 80, 0):at + 80]}...\nsurface.table says which is ours"
    return f"{len(ours)} and {len(theirs)} characters"


def commands(build):
    """Of each source that sees the headers the compiler's words, without what names the output."""
    found = {}
    for row in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = os.path.relpath(build / row["file"], build)
        if SEES_HEADERS.search(path):
            words = [word for word in shlex.split(row["command"]) if word not in ("ccache", "-MD", "-c", "-g")]
            for option in ("-o", "-MF", "-MQ"):
                at = words.index(option)
                del words[at:at + 2]
            found.setdefault(path, words)
    return found


def compile_all(build, includes):
    """(source, what the compiler says) of those that do not compile cleanly."""
    def check(item):
        path, words = item
        ran = subprocess.run([words[0], "-fsyntax-only", *includes, *words[1:], "-fdiagnostics-color=never"], cwd=build, capture_output=True, text=True, check=False)
        return (path, ran.stderr) if ran.returncode or "warning:" in ran.stderr else None

    rows = commands(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return len(rows), [result for result in pool.map(check, rows.items()) if result]


def main():
    root, build, xml = (pathlib.Path(word) for word in sys.argv[1:4])
    tap, headers = Tap(), judges.newest_headers()
    if not headers.is_here():
        return tap.skip_all("the newest headers are not here; `scripts/headers` brings them")
    include = headers.root / "usr/include"
    newest = headers.root / "usr/share/vulkan/registry/vk.xml"
    version = re.search(r"#define VK_HEADER_VERSION (\d+)", (include / "vulkan/vulkan_core.h").read_text(encoding="utf-8"))[1]
    ours, theirs = surface(root, xml), surface(root, newest)
    tap.case(f"the registry of headers {version} gives the tables that the installed one gives ({len(ours)} characters)", ours == theirs,
             first_difference(ours, theirs))
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "compiler/spirv"
        made.mkdir(parents=True)
        grammar = include / "spirv/unified1"
        ran = subprocess.run([sys.executable, str(root / "src/compiler/spirv/gen_spirv.py"), str(grammar / "spirv.core.grammar.json"),
                              str(grammar / "extinst.glsl.std.450.grammar.json"), str(made)], capture_output=True, text=True, check=False)
        tap.case("the newest SPIR-V grammar can be read", ran.returncode == 0, ran.stderr)
        count, failed = compile_all(build, [f"-I{folder}", f"-I{include}"])
        told = "\n".join(f"{path}: " + "; ".join(re.findall(r"(?:error|warning): .*", text)[:3]) for path, text in failed)
        tap.case(f"{count} sources compile against the newest headers without a warning", not failed and count >= MUST_BE, told or f"{count} alone")
        made_of = (made / "sp_tables.c").read_text(encoding="utf-8") if ran.returncode == 0 else ""
        (made / "sp_tables.c").write_text(made_of, encoding="utf-8")
        words = next(iter(commands(build).values()))
        ran = subprocess.run([words[0], "-fsyntax-only", f"-I{folder}", f"-I{include}", *words[1:-1], "-fdiagnostics-color=never", str(made / "sp_tables.c")], cwd=build,
                             capture_output=True, text=True, check=False)
        tap.case("so does what is made of the newest grammar", made_of and ran.returncode == 0 and "warning:" not in ran.stderr, ran.stderr)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
