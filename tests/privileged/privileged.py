#!/usr/bin/env python3
"""Programs with more rights than their caller: no variable of ours has an effect in them, least of all those that name a library to load or a file to write.

    privileged.py SOURCE_ROOT CLIENT LIBRARY INTRUDER

By the source (every look at the environment is secure_getenv's), and by a set-user-id copy of CLIENT, beside the same program without that bit, in which each
of the variables has its effect."""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import models  # noqa: E402
import tap  # noqa: E402

NOBODY = 65534
PLAIN = re.compile(r"(?<![A-Za-z0-9_])(getenv|environ)\b(?!\.)")


def code_of(text):
    """Without comments and strings."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', " ", text, flags=re.S)


def judge_source(report, root):
    report.case("a plain getenv would be found", PLAIN.search(code_of('const char *x = getenv("A"); /* getenv */')) is not None)
    report.case("secure_getenv and comments are not", PLAIN.search(code_of('x = secure_getenv("getenv"); /* getenv */')) is None)
    src = pathlib.Path(root) / "src"
    files = [path for path in sorted(src.rglob("*.[ch]")) if "tests" not in path.relative_to(src).parts]
    found = [path.relative_to(root).as_posix() for path in files if PLAIN.search(code_of(path.read_text(encoding="utf-8")))]
    report.case(f"none of {len(files)} files reads the environment but by secure_getenv", bool(files) and not found, "\n".join(found))


class Room:
    """A folder that every user may write to, with the program in it."""

    def __init__(self, folder, client, library, intruder):
        self.folder, self.library = pathlib.Path(folder), library
        folder_mode = 0o1777
        os.chmod(folder, folder_mode)
        self.traps = self.folder / "traps"
        self.traps.mkdir()
        self.traps.chmod(0o755)
        shutil.copy(intruder, self.traps / f"libtuff_model_{models.find(models.DEFAULT).family}.so")
        for name in ("plain", "raised"):
            shutil.copy(client, self.folder / name)
            (self.folder / name).chmod(0o755)
        os.chown(self.folder / "raised", NOBODY, NOBODY)
        (self.folder / "raised").chmod(0o755 | stat.S_ISUID)
        self.runs = 0

    def run(self, program, **extra):
        """What the program said, and the names of the files that it made."""
        self.runs += 1
        place = self.folder / f"run{self.runs}"
        place.mkdir()
        place.chmod(0o777)
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TUFF_")}
        environment |= {key: value.replace("@", str(place)) for key, value in extra.items()}
        done = subprocess.run([str(self.folder / program), self.library], env=environment, cwd=place, capture_output=True, text=True, timeout=120, check=False)
        shown = f"{' '.join(f'{k}={v}' for k, v in extra.items())} {program}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr, sorted(path.name for path in place.iterdir()), shown


# A variable, and what shows its effect: text that is printed, or a file that is written.
EFFECTS = {
    "TUFF_MODEL_PATH names a library": ({"TUFF_MODEL_PATH": "{traps}"}, "intruder", None),
    "TUFF_TRACE names a file": ({"TUFF_TRACE": "@/trace.txt"}, None, "trace.txt"),
    "TUFF_DEBUG and TUFF_DUMP name files": ({"TUFF_DEBUG": "ibs", "TUFF_DUMP": "@"}, None, "tuff-ib-"),
    "TUFF_PRESENT_PNG names a file": ({"TUFF_PRESENT_PNG": "@/picture.png"}, None, "picture.png"),
    "TUFF_GPU chooses the devices": ({"TUFF_GPU": "nonsense"}, "no GPU 'nonsense'", None),
    "TUFF_LOG lets much be said": ({"TUFF_LOG": "debug"}, "tuff: info", None),
}


def has_effect(text, files, said, made):
    return said in text if said else any(name.startswith(made) for name in files)


def judge_runs(report, room):
    text, files, shown = room.run("plain", TUFF_GPU=models.DEFAULT)
    report.case("the program runs, with its caller's rights", "privileged 0\n" in text and "done\n" in text and not files, shown)
    text, files, shown = room.run("raised")
    if "privileged 1\n" not in text:
        report.skip("a program with more rights", "the system gives none here (a file system without set-user-id?)")
        return
    if "no library" in text:
        report.skip("a program with more rights", "it may not read the build tree")
        return
    report.case("the program runs, with more rights", "done\n" in text and not files, shown)
    for name, (variables, said, made) in EFFECTS.items():
        variables = {key: value.format(traps=room.traps) for key, value in variables.items()}
        text, files, shown = room.run("plain", **({"TUFF_GPU": models.DEFAULT} | variables))
        report.case(f"{name}: in a program of the caller's", has_effect(text, files, said, made), f"{files}\n{shown}")
        text, files, shown = room.run("raised", **variables)
        report.case(f"{name}: not in one with more rights", "done\n" in text and not has_effect(text, files, said, made) and not files, f"{files}\n{shown}")


def main():
    root, client, library, intruder = sys.argv[1:5]
    report = tap.Tap()
    judge_source(report, root)
    if os.geteuid() != 0:
        report.skip("a program with more rights", "only root can make one of another user")
        return report.done()
    with tempfile.TemporaryDirectory() as folder:
        judge_runs(report, Room(folder, client, os.path.abspath(library), intruder))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
