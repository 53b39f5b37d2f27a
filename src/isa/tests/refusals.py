"""Judges a reader of instruction tables by mistakes: what cannot be true is refused, with file and line. A family's table_refusals.py has the cases.

A case is what is wrong, the file, the text that is replaced, by what, and what the complaint must contain: one mistake in good tables."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../tests"))
import tap  # noqa: E402

# The generator's copy in another folder finds what the families share here.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.path.abspath(os.path.join(HERE, ".."))}


def generate(folder):
    return subprocess.run([sys.executable, "-B", os.path.join(folder, "gen_isa.py"), folder], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
                          check=False)


def complaint(folder, file, old, new):
    """(lines, exit code) of the generator where `old` is `new`. The file is as it was then."""
    path = os.path.join(folder, file)
    with open(path, encoding="utf-8") as table:
        text = table.read()
    if old not in text:
        return [f"the case is out of date: '{old}' is not in {file}"], 0
    with open(path, "w", encoding="utf-8") as table:
        table.write(text.replace(old, new, 1))
    run = generate(folder)
    with open(path, "w", encoding="utf-8") as table:
        table.write(text)
    return run.stderr.splitlines(), run.returncode


def main(isa, cases):
    """All cases of the tables of a folder, and these tables as they are."""
    report = tap.Tap()
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(isa):
            if name.endswith((".table", ".py")):
                shutil.copy(os.path.join(isa, name), folder)
        for what, file, old, new, expected in cases:
            lines, code = complaint(folder, file, old, new)
            is_named = any(expected in line and f"{file}:" in line for line in lines)
            report.case(f"{what} is refused", code == 1 and is_named, "\n".join([f"exit {code}, expected '{file}:LINE: …{expected}', got:", *lines]))
        run = generate(folder)
        report.case("the tables as they are pass", run.returncode == 0, run.stderr)
    return report.done()
