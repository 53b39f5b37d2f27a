#!/usr/bin/env python3
"""The table of models (src/kernel/models.table) for the tests: which there are, which one a test runs on by default, and the
option --gpu.

    models.py TUFF      judges the table's own uses: the lists in the documents and in the help of the command TUFF are equal to it, and its reader
                        refuses bad rows; and no room or test outside of a family names a model"""
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src" / "kernel"), str(ROOT / "tests")]
import gen_models  # noqa: E402

MODELS = gen_models.parse(ROOT / "src" / "kernel" / "models.table")
NAMES = [model.name for model in MODELS]
DEFAULT = NAMES[0]
DRIVEN = [model.name for model in MODELS if model.tests != "shim"]  # those that a Vulkan driver of ours is for
BUSES = {"pci": "PCI", "platform": "platform"}

# A list in a document stands between these two lines.
BEGIN, END = "<!-- models.table -->", "<!-- end of models.table -->"


def find(name):
    """The row of a model."""
    return next(model for model in MODELS if model.name == name)


def family(name):
    """What tests for any GPU need to know of a model's family: its tests/<family>/family.py."""
    return module(name, "family.py")


def module(name, path):
    """A file of the tests of a model's family, as a module."""
    place = ROOT / "tests" / find(name).family / path
    spec = importlib.util.spec_from_file_location(f"{find(name).family}_{place.stem}", place)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def mesa_drivers():
    """Mesa's Vulkan drivers that run on models, by their names in run_on.py, and their files of the loader's."""
    return {family(model.name).VULKAN: family(model.name).VULKAN_ICD for model in MODELS}


def folder(path, name):
    """A place for a model's files in a folder that tests of several share; the default model has the folder itself."""
    if name == DEFAULT:
        return path
    place = pathlib.Path(path) / name
    place.mkdir(parents=True, exist_ok=True)
    return str(place)


def add_option(parser):
    """--gpu NAME for a test that runs on any model."""
    parser.add_argument("--gpu", choices=NAMES, default=DEFAULT, metavar="NAME", help=f"the model to run on: {', '.join(NAMES)} (default {DEFAULT})")


def take_option(arguments):
    """The same for a test without a parser: takes `--gpu NAME` off the front of its arguments, and returns the name."""
    if arguments[:1] != ["--gpu"]:
        return DEFAULT
    name = arguments[1]
    del arguments[:2]
    if name not in NAMES:
        sys.exit(f"no model '{name}'; known are {', '.join(NAMES)}")
    return name


def markdown():
    """The list as documents have it."""
    rows = [f"| `{model.name}` | {model.gpu} | `{model.driver}`, {BUSES[model.bus]} |" for model in MODELS]
    return "\n".join(["| model | GPU | kernel driver, bus |", "| --- | --- | --- |", *rows])


# ---- the judge ----

def judge_documents(report):
    lists = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for text in re.findall(re.escape(BEGIN) + r"\n(.*?)\n" + re.escape(END), path.read_text(encoding="utf-8"), re.S):
            lists += 1
            report.case(f"{path.relative_to(ROOT)} lists the models of the table", text == markdown(), f"it should be\n{markdown()}")
    report.case("a document lists the models", lists > 0)


def judge_help(report, tuff):
    listed = re.compile(r"^  (\S+) +(.*)$", re.M)
    expected = [(model.name, model.gpu + (", the default" if model.name == DEFAULT else "")) for model in MODELS]
    for command in ("run", "info", "shim", "asm", "dis", "compile", "decode"):
        text = subprocess.run([tuff, command, "--help"], capture_output=True, text=True, check=False).stdout
        found = listed.findall(text.partition("\nModels:\n")[2])
        report.case(f"tuff {command} --help lists the models of the table", found == expected, text)


def judge_reader(report):
    good = 'one  amd  amdgpu  pci  all  "A GPU"\n'
    bad = {
        "a row that is too short": "one amd amdgpu pci all\n",
        "a name twice": good + good,
        "an unknown bus": good.replace("pci", "isa"),
        "a name with a comma": good.replace("one", "one,two"),
        "a name that TUFF_GPU means otherwise": good.replace("one", "all"),
        "a name that is too long": good.replace("one", "x" * 32),
        "no row": "# nothing\n",
        "more rows than a set has bits": "".join(good.replace("one", f"m{i}") for i in range(65)),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "models.table"
        path.write_text(good, encoding="utf-8")
        report.case("the reader takes a good row", [model.name for model in gen_models.parse(path)] == ["one"])
        for name, text in bad.items():
            path.write_text(text, encoding="utf-8")
            try:
                gen_models.parse(path)
                refused = False
            except gen_models.TableError:
                refused = True
            report.case(f"the reader refuses {name}", refused, text)


def judge_rooms(report):
    """A model's name stands in the table, in the rooms and tests of its family, and nowhere else: all others take it from the table."""
    name = re.compile("|".join(rf"(?<![A-Za-z0-9-]){re.escape(model.name)}(?![A-Za-z0-9-])" for model in MODELS))
    report.case("a model's name would be found", name.search(f'open("{DEFAULT}")') is not None and name.search(f"x{DEFAULT}") is None)
    families = {model.family for model in MODELS}
    files = [path for folder in ("src", "tests", "bench", "scripts", "demo") for path in sorted((ROOT / folder).rglob("*"))
             if path.is_file() and path.suffix in (".c", ".h", ".py", ".build", ".table", ".txt", "") and path.relative_to(ROOT).parts[1] not in families]
    found = [path.relative_to(ROOT).as_posix() for path in files if path.name != "models.table" and name.search(path.read_text(encoding="utf-8", errors="replace"))]
    report.case(f"none of {len(files)} files outside of the families names a model", bool(files) and not found, "\n".join(found))


def judge_families(report):
    for model in MODELS:
        facts = family(model.name)
        report.case(f"tests/{model.family}/family.py knows {model.name}", model.name in facts.VULKAN_NAMES and model.name in facts.GALLIUM_NAMES)


def main():
    import tap
    report = tap.Tap()
    judge_families(report)
    judge_rooms(report)
    judge_documents(report)
    judge_help(report, sys.argv[1])
    judge_reader(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
