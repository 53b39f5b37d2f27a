#!/usr/bin/env python3
"""src/tools/command.table and src/tools/environment.table against the code that reads variables and the documents, and what is made
of them against the programs that read it: man, bash, zsh.

    command_table.py ROOT BUILD"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tap

ROOT, BUILD = map(pathlib.Path, sys.argv[1:3])
sys.path.insert(0, str(ROOT / "src/tools"))
import command_rows  # noqa: E402  # pylint: disable=wrong-import-position
import command_texts  # noqa: E402  # pylint: disable=wrong-import-position

TABLES = command_rows.read_tables(ROOT / "src")
# Read by C, by Python, by a shell.
READS = re.compile(r'(?:getenv\(|environ(?:ment)?(?:\.get\(|\[|\.pop\()|getenv\()\s*"(TUFF_\w+)"')


def read_somewhere():
    found = {}
    for folder in ("src", "tests", "bench", "scripts", "demo"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in (".c", ".h", ".py", ""):
                for name in READS.findall(path.read_text(encoding="utf-8", errors="replace")):
                    found.setdefault(name, path.relative_to(ROOT).as_posix())
    return found


def judge_variables(report):
    known, found = {variable.name for variable in TABLES.variables}, read_somewhere()
    report.case("a getenv would be found", READS.findall('secure_getenv("{0}"), os.environ.get("{0}")'.format("TUFF_X")) == ["TUFF_X"] * 2)
    lacking = [f"{name} ({path})" for name, path in found.items() if name not in known]
    report.case("every variable that is read stands in environment.table", not lacking, ", ".join(lacking))
    report.case("every variable of environment.table is read", not known - found.keys(), ", ".join(sorted(known - found.keys())))
    switches = {switch.word for switch in TABLES.switches}
    words = set(re.findall(r'^    X\(\w+, "(\w+)"', (ROOT / "src/util/debug.h").read_text(encoding="utf-8"), re.M))
    report.case("every word of TUFF_DEBUG is among the switches", switches == words and len(words) > 10, str(switches ^ words))


def judge_documents(report):
    for name, text in command_texts.documents(TABLES).items():
        path = ROOT / "docs" / name
        report.case(f"docs/{name} is as the tables have it", path.is_file() and path.read_text(encoding="utf-8") == text, f"mend by: ninja -C {BUILD} documents")


def judge_reader(report):
    bad = {
        "an option without a text": "command a: b\n    option --x\n",
        "an option twice": "command a: b\n    option --x: c\n    option --x: c\n",
        "a value without a kind": "command a: b\n    option --x NAME: c\n",
        "an unknown kind": "command a: b\n    option --x NAME (thing): c\n",
        "a command twice": "command a: b\ncommand a: b\n",
        "a row before any command": "    option --x: c\n",
        "an unknown row": "command a: b\n    potion --x: c\n",
        "operands of an unknown kind": "command a: b\n    operands FILE (thing)\n",
    }
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "command.table"
        path.write_text("command a: b\n    operands FILE (file)\n    option --x NAME (word): c\n        d\n    sets TUFF_X\n", encoding="utf-8")
        option = command_rows.read_commands(path)[0][0].options[0]
        report.case("the reader takes a good row", (option.name, option.value, option.text, option.variable) == ("--x", "NAME", "c d", "TUFF_X"), str(vars(option)))
        for name, text in bad.items():
            path.write_text(text, encoding="utf-8")
            try:
                command_rows.read_commands(path)
                refused = False
            except command_rows.TableError:
                refused = True
            report.case(f"the reader refuses {name}", refused, text)


def judge_pages(report):
    pages = command_texts.man_pages(TABLES, "1")
    report.case("there is a page for tuff and for each command", len(pages) == 1 + len(TABLES.commands))
    if not shutil.which("groff"):
        report.skip("groff reads the manual pages", "groff is not installed")
        return
    for name, text in pages.items():
        result = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-Kutf8"], input=text.encode(), capture_output=True, timeout=60, check=False)
        report.case(f"groff reads {name} without a warning", result.returncode == 0 and not result.stderr and b"\n       tuff" in result.stdout, result.stderr.decode()[:500])


def complete(*words):
    """What bash offers for the last of these words."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tuff; printf "%s\\n" "${COMPREPLY[@]}"'
    result = subprocess.run(["bash", "--norc", "-c", script, "bash", BUILD / "src/tools/tuff.bash", *words], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    return set(result.stdout.split()) if not result.stderr else {result.stderr}


def judge_bash(report):
    if not shutil.which("bash"):
        report.skip("bash completes", "bash is not installed")
        return

    def case(name, offered, wanted):
        report.case(f"bash completes {name}", offered == set(wanted), str(offered))

    models = [model.name for model in TABLES.models]
    case("commands", complete("tuff", ""), [*(command.name for command in TABLES.commands), "--help", "--version"])
    for command in TABLES.commands:
        case(f"options of {command.name}", complete("tuff", command.name, "-"), [*(option.name for option in command.options), "--help"])
        for option in command.options:
            if option.kind == "words":
                case(f"values of {command.name} {option.name}", complete("tuff", command.name, option.name, ""), option.words)
    case("GPUs", complete("tuff", "run", "--gpu", ""), [*models, "real", "all"])
    case("GPUs after =", complete("tuff", "run", "--gpu", "=", "rea"), ["real"])
    case("GPUs after =, before a letter", complete("tuff", "run", "--gpu", "="), [*models, "real", "all"])
    case("another GPU after a comma", complete("tuff", "run", "--gpu", models[0] + ",rea"), [models[0] + ",real"])
    case("files", complete("tuff", "dis", "READM"), ["README.md"])
    case("files after an option with a value", complete("tuff", "dis", "--gpu", models[0], "READM"), ["README.md"])
    case("models", complete("tuff", "shim", models[0]), [models[0]])
    for words in (["run"], ["run", "--png", "x"], ["run", "--"], ["shim", models[0]], ["shim", models[0], "--stat", "--"]):
        case(f"programs after {' '.join(words)}", complete("tuff", *words, "mkfif"), ["mkfifo"])
    case("a program's own arguments", complete("tuff", "run", "cat", "READM"), ["README.md"])
    case("a program's own options not as ours", complete("tuff", "run", "cat", "--gp"), [])


def judge_zsh(report):
    if not shutil.which("zsh"):
        report.skip("zsh reads the completion", "zsh is not installed")
        return
    # Of its completion system only what the file calls, so that no terminal is needed: what _arguments is given is printed.
    script = "_arguments() { print -rl -- \"$@\"; state=argument; words=(run --gpu x); }\n_describe() { }\nsource $1"
    result = subprocess.run(["zsh", "-f", "-c", script, "zsh", BUILD / "src/tools/_tuff"], capture_output=True, text=True, timeout=60, check=False)
    options = [option.name for option in TABLES.commands[0].options]
    report.case("zsh reads the completion", result.returncode == 0 and not result.stderr and all(f"\n{name}" in result.stdout for name in options), result.stdout + result.stderr)


def main():
    report = tap.Tap()
    judge_variables(report)
    judge_documents(report)
    judge_reader(report)
    judge_pages(report)
    judge_bash(report)
    judge_zsh(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
