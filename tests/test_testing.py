#!/usr/bin/env python3
"""The runner of the tests (scripts/test, scripts/testing/): what it takes for a failure, what it ends, what it keeps; and the whole
command on a tree of a few programs, which is built in a folder of its own."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import types
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from tap import Tap  # noqa: E402
from testing.record import Record, holds, tree_state, write_junit  # noqa: E402
from testing.runner import Result, Run, Runner  # noqa: E402
from testing.tap_reader import GAP, TapReader  # noqa: E402


def read(text, code=0):
    """The reader, and the result that it makes, of a program's words."""
    reader, result = TapReader(), Result("x")
    for line in text.splitlines():
        reader.read(line)
    reader.end(code)
    result.cases, result.flaws, result.skipped_whole = reader.cases, reader.flaws, reader.skipped_whole
    return result


# ---- TAP ----

def judge_reader(report):
    for name, text, code, passed, failed in (
            ("a good program", "1..2\nok 1 - a\nok 2 - b\n", 0, 2, 0),
            ("cmocka's plan", "\t1..1\nok 1 - a\n", 0, 1, 0),
            ("a plan at the end", "ok 1 - a\n1..1\n", 0, 1, 0),
            ("a failure", "1..2\nok 1 - a\nnot ok 2 - b\n# why\n", 1, 1, 1),
            ("a failure of a program that ends well", "1..1\nnot ok 1 - b\n", 0, 0, 1),
            ("a skip", "1..1\nok 1 - a # SKIP not installed\n", 0, 1, 0),
            ("a failure that calls itself a skip", "1..1\nnot ok 1 - a # SKIP x\n", 0, 0, 1),
            ("a known gap", "1..1\nnot ok 1 - a # TODO later\n", 0, 0, 0),
            ("a known gap that passes", "1..1\nok 1 - a # TODO later\n", 0, 0, 1),
            ("a program that breaks off", "1..3\nok 1 - a\n", 0, 1, 1),
            ("a program that breaks off by a signal", "1..1\nok 1 - a\n", -11, 1, 1),
            ("no plan", "ok 1 - a\n", 0, 1, 1),
            ("two plans", "1..1\nok 1 - a\n1..1\n", 0, 1, 1),
            ("numbers out of order", "1..2\nok 1 - a\nok 3 - b\n", 0, 2, 1),
            ("a program that gives up", "1..1\nok 1 - a\nBail out! no memory\n", 0, 1, 1),
            ("silence", "", 0, 0, 1)):
        result = read(text, code)
        report.case(f"{name}: {passed} passed, {failed} failed", (result.passed, result.failed) == (passed, failed),
                    f"{result.passed} passed, {result.failed} failed, {result.flaws}")
    whole = read("1..0 # SKIP the driver is not here\n")
    report.case("a program may be skipped whole, with the reason", whole.skips() == [("", "the driver is not here")] and not whole.failed, whole.skips())
    gap = read("1..1\nnot ok 1 - a # TODO no such instruction\n")
    report.case("a gap is told with its reason", gap.cases[0].outcome == GAP and gap.skips() == [("a", "no such instruction")], gap.skips())
    noted = read("1..1\nnot ok 1 - a\n# expected 3\n# repeat: x\n", 1)
    report.case("what a failure says is kept", noted.failures[0].notes == ["expected 3", "repeat: x"], noted.failures[0].notes)


# ---- programs ----

def program(code, name="x", limit_s=30, tap=True):
    return types.SimpleNamespace(command=[sys.executable, "-c", code], name=name, title=f"build: {name}", suites=["unit"], environment={}, folder=None,
                                 limit_s=limit_s, speaks_tap=tap)


def judge_runs(report):
    result = Run(program("print('1..1\\nok 1 - a', flush=True); import sys; sys.stderr.write('odd \\x01')")).run(lambda _: None)
    report.case("a program's cases and time are known", result.passed == 1 and not result.failed and result.wall_s > 0 and result.cpu_s > 0, result.flaws)
    for code, flaw in ((77, None), (0, None), (3, "ended with 3")):
        result = Run(program(f"raise SystemExit({code})", tap=False)).run(lambda _: None)
        ok = result.flaws == ([flaw] if flaw else []) and (result.skipped_whole is not None) == (code == 77)
        report.case(f"exit code {code} of a program without TAP", ok, (result.flaws, result.skipped_whole))
    bytes_code = "import sys; sys.stdout.buffer.write(b'1..1\\nok 1 - \\xff\\n')"
    report.case("bytes that are no text end nothing", Run(program(bytes_code)).run(lambda _: None).passed == 1)
    nowhere = program("")
    nowhere.command = ["/nowhere/at/all"]
    report.case("a program that cannot be started has failed", Run(nowhere).run(lambda _: None).failed == 1)
    start = time.monotonic()
    hang = "import subprocess, sys; print('1..1', flush=True); subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    result = Run(program(hang, limit_s=0.25)).run(lambda _: None)
    report.case("a program that hangs is ended, with what it started", result.failed == 1 and time.monotonic() - start < 20 and "ended after" in " ".join(result.flaws),
                result.flaws)
    seen = []
    programs = [program("print('1..1\\nok 1 - a')", str(i)) for i in range(7)]
    Runner(lambda p: seen.append(f"begun {p.name}"), lambda p, case: seen.append(f"told {p.name}"), lambda p, result: seen.append(f"ended {p.name}"), 3).run(programs)
    report.case("each of several programs begins, tells and ends once", sorted(seen) == sorted(f"{word} {i}" for word in ("begun", "told", "ended") for i in range(7)), seen)


# ---- results ----

def judge_record(report, folder):
    record = Record(folder / "results.jsonl")
    good, bad = read("1..2\nok 1 - a\nok 2 - b # SKIP not supported\n"), read("1..1\nnot ok 1 - \x01<&>\n# \x02 why\n", 1)
    good.title, bad.title = "build: good", "build: bad"
    record.begin("state")
    record.add(good)
    record.add(bad)
    kept = record.read("state")
    report.case("results are read as they were written", [case.name for case in kept["build: good"].cases] == ["a", "b"] and kept["build: bad"].failures[0].notes == ["\x02 why"],
                list(kept))
    report.case("results of another tree are not taken", not record.read("another state"))
    with open(folder / "results.jsonl", "a", encoding="utf-8") as file:
        file.write('{"title": "build: cut o')
    report.case("what an interrupted run left is read up to its end", sorted(record.read("state")) == ["build: bad", "build: good"])
    for name, result, stands in (("that passed", good, True), ("that failed", bad, False), ("that was skipped whole", read("1..0 # SKIP it is not here\n"), False),
                                 ("with a judge that is not here", read("1..1\nok 1 - a # SKIP radv is not installed\n"), False)):
        report.case(f"a result {name} {'stands' if stands else 'does not stand'} for a run", holds(result) == stands)
    write_junit(folder / "junit.xml", [good, bad], lambda result: f"make test T='{result.title}'")
    root = xml.etree.ElementTree.parse(folder / "junit.xml").getroot()
    failure = root.find(".//failure")
    report.case("JUnit's XML has every case, and what repeats a failure", len(root.findall(".//testcase")) == 3 and "repeat: make test T='build: bad'" in failure.text, failure.text)


def judge_state(report, folder):
    tree = folder / "tree"
    tree.mkdir()
    (tree / "a.c").write_text("int a;\n", encoding="utf-8")
    first = tree_state(tree, [])
    report.case("a tree's state is the same twice", first == tree_state(tree, []))
    (tree / "a.c").write_text("int b;\n", encoding="utf-8")
    second = tree_state(tree, [])
    (tree / "b.c").write_text("", encoding="utf-8")
    report.case("a file that changes or comes is another state", len({first, second, tree_state(tree, [])}) == 3)


# ---- the whole command ----

MESON = """project('few', 'c')
python = find_program('python3')
executable('one', 'one.c')
option = get_option('host_levels')
foreach name, suites : {'good': ['unit'], 'bad': ['rule'], 'later': ['judge', 'check'], 'last': ['judge', 'matrix']}
  test(name, python, args: [files('say.py'), name, meson.project_source_root() / 'ran'], protocol: 'tap', suite: suites)
endforeach
"""
OPTIONS = """option('tests', type: 'feature', value: 'auto')
option('fuzzers', type: 'boolean', value: false)
option('host_levels', type: 'array', value: ['all'])
"""
SAY = """import os, sys
with open(sys.argv[2], 'a') as file:
    file.write(sys.argv[1] + ' ')
good = sys.argv[1] != 'bad' or os.path.exists(os.path.join(os.path.dirname(sys.argv[2]), 'mended'))
print('1..2\\nok 1 - first of ' + sys.argv[1])
print(('ok' if good else 'not ok') + ' 2 - second of ' + sys.argv[1] + '\\n# because')
sys.exit(0 if good else 1)
"""


def run_test(tree, *words):
    (tree / "ran").unlink(missing_ok=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NINJA", "MESON"))}
    done = subprocess.run([sys.executable, str(tree / "scripts" / "test"), *words], capture_output=True, text=True, cwd=tree, env=environment, check=False)
    ran = sorted((tree / "ran").read_text(encoding="utf-8").split()) if (tree / "ran").exists() else []
    lines = done.stdout.splitlines()
    return done.returncode, lines[-1] if lines else "", ran, done.stdout + done.stderr


def judge_command(report, folder):
    tree = folder / "few programs"
    shutil.copytree(ROOT / "scripts", tree / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in (("meson.build", MESON), ("meson_options.txt", OPTIONS), ("say.py", SAY), ("one.c", "int main(void) { return 0; }\n"), (".gitignore", "/build*\n/ran\n__pycache__\n")):
        (tree / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tree)], check=True, capture_output=True)

    code, last, ran, text = run_test(tree, "test")
    report.case("a failure: the last line counts it, and the command ends with 1", (code, last, ran) == (1, "3 passed, 1 failed", ["bad", "good"]), text)
    report.case("the failure is told with what repeats it", "repeat: make test T=bad" in text and "failed build-test: bad" in text and "because" in text, text)
    report.case("what was asked for is in build-test/junit.xml", len(xml.etree.ElementTree.parse(tree / "build-test" / "junit.xml").getroot().findall(".//testcase")) == 4)
    code, last, ran, text = run_test(tree, "check")
    report.case("the larger command runs what failed and what is its own; what passed only under the sanitizers", ran == ["bad", "good", "later"], (ran, text))
    report.case("and counts all", code == 1 and last == "7 passed, 1 failed", text)
    code, last, _, text = run_test(tree, "--sum")
    report.case("the sum of both counts each once", code == 1 and last == "7 passed, 1 failed", text)
    kept = tree / "build-test" / "results-check.jsonl"
    lines = kept.read_text(encoding="utf-8").splitlines(keepends=True)
    kept.write_text("".join(lines[:-2]), encoding="utf-8")
    code, last, _, text = run_test(tree, "--sum")
    report.case("of a command that did not come to its end the sum says so", code == 1 and "failed make check (it did not come to its end)" in text, text)
    (tree / "mended").write_text("", encoding="utf-8")
    code, last, ran, text = run_test(tree, "check")
    report.case("where the tree is another, all runs again", code == 0 and last == "8 passed, 0 failed" and ran.count("good") == 2, (ran, text))
    code, last, ran, text = run_test(tree, "test", "later")
    report.case("a test of a larger command by its name", code == 0 and ran == ["later"] and last == "2 passed, 0 failed", (ran, text))
    code, last, ran, text = run_test(tree, "test", "nothing of the kind")
    report.case("a name that no test has", code == 1 and ran == [] and "no test of `make test` is called nothing of the kind" in text, text)
    code, last, ran, text = run_test(tree, "matrix")
    report.case("the matrix is what is left", code == 0 and ran == ["last"] and last == "2 passed, 0 failed", (ran, text))
    code, last, ran, text = run_test(tree, "good")
    report.case("one test by its name", code == 0 and ran == ["good"] and last == "2 passed, 0 failed", (ran, text))
    (tree / "one.c").write_text("int main(void) { return nothing; }\n", encoding="utf-8")
    code, last, ran, text = run_test(tree, "test")
    report.case("a build that fails is one failure, with the compiler's words", code == 1 and last == "0 passed, 1 failed" and "nothing" in text, text)
    code, _, ran, text = run_test(tree, "--list")
    listed = [line.split("  [")[0].split() for line in text.splitlines()]
    expected = [["test", "build-test:", "good"], ["test", "build-test:", "bad"], ["check", "build-test:", "later"], ["check", "build-sanitize:", "good"], ["matrix", "build-test:", "last"]]
    report.case("the list says which command a test belongs to", all(line in listed for line in expected), text)


def main():
    report = Tap()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        judge_reader(report)
        judge_runs(report)
        judge_record(report, folder)
        judge_state(report, folder)
        judge_command(report, folder)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
