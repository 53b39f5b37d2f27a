#!/usr/bin/env python3
"""The newer judges without any of them: their table, what a program's command line becomes, and what is said where one is missing."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "vulkan")]
import judges  # noqa: E402
import run_on  # noqa: E402
from tap import Tap  # noqa: E402

BRING = HERE.parent / "scripts" / "judges"


def made_up(folder, name, architecture):
    """A judge of empty files."""
    os.environ["TUFF_JUDGES"] = str(folder)
    judge = judges.Judge(name, architecture)
    libraries = judge.root / "usr/lib" / judges.TRIPLETS[architecture]
    for path in (libraries / "ld-linux-made-up.so.2", judge.root / "usr/bin/vkcube", judge.folder / "icd/lvp_icd.json"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return judge, libraries


def command_lines(tap, folder):
    for architecture in judges.TRIPLETS:
        judge, libraries = made_up(folder, "99.1", architecture)
        start = [f"{libraries}/ld-linux-made-up.so.2", "--library-path", str(libraries)]
        tap.case(f"{architecture}: a program is started by the judge's own loader", judge.command(["./a", "b"]) == [*start, "./a", "b"], judge.command(["./a", "b"]))
        tap.case(f"{architecture}: a program that the judge has is taken from there", judge.command(["vkcube"])[3] == str(judge.root / "usr/bin/vkcube"))
        tap.case(f"{architecture}: others are this machine's", judge.command(["sh"])[3].endswith("/sh") and str(folder) not in judge.command(["sh"])[3])
        own = judge.folder / "own/panfrost_icd.json"
        tap.case(f"{architecture}: it has the drivers of its packages", judge.manifest("lvp_icd") == str(judge.folder / "icd/lvp_icd.json") and judge.manifest("panfrost_icd") is None)
        own.parent.mkdir(exist_ok=True)
        own.touch()
        (own.parent / "lvp_icd.json").touch()
        tap.case(f"{architecture}: one that somebody built is taken where they have none",
                 judge.manifest("panfrost_icd") == str(own) and judge.manifest("lvp_icd") == str(judge.folder / "icd/lvp_icd.json"))
        tap.case(f"{architecture}: a judge that is not whole is not there", not judge.is_here())
        judge.record.write_text("libc6 2.99-1 any\nmesa-vulkan-drivers 99.1.6-1 any\n", encoding="utf-8")
        tap.case(f"{architecture}: one that is has a version", judge.is_here() and judge.version() == "99.1.6-1")


def lacking(tap, folder):
    """A judge that came before the table named all of its packages: it is brought again, which this machine's apt, hidden here, would do."""
    row = judges.table()[-1]
    judge, _ = made_up(folder, row.name, judges.machine())
    environment = {**os.environ, "PATH": str(folder)}
    for record, code in (("\n".join(f"{package} 1 any" for package in row.packages), 0), (f"{row.packages[0]} 1 any", 1)):
        judge.record.write_text(record + "\n", encoding="utf-8")
        ran = subprocess.run([sys.executable, BRING, row.name], env=environment, capture_output=True, text=True, check=False)
        tap.case(f"a judge with {len(record.splitlines())} of {len(row.packages)} packages {'is to be brought again' if code else 'stays as it is'}",
                 ran.returncode == code, ran.stdout + ran.stderr)


def names(tap):
    rows = judges.table()
    tap.case("the table has judges, each with packages", rows and all(row.packages for row in rows), rows)
    tap.case("every judge has the drivers of Mesa", {f"radv-{row.name}" for row in rows} | {f"lavapipe-{row.name}" for row in rows} <= set(run_on.names()))
    tap.case("the drivers of this machine have no release in their names", run_on.judge_of("radv") == ("radv", None) and run_on.judge_of("radv-25.0")[0] == "radv")


def missing(tap, folder):
    name = judges.table()[-1].name
    environment = {**os.environ, "TUFF_JUDGES": str(folder / "none")}
    ran = subprocess.run([sys.executable, run_on.__file__, f"lavapipe-{name}", "true"], env=environment, capture_output=True, text=True, check=False)
    tap.case("what is missing is skipped, and the command that brings it is named", ran.returncode == 77 and f"`scripts/judges {name}`" in ran.stdout, ran.stdout + ran.stderr)
    ran = subprocess.run([sys.executable, BRING, "--list", name], env=environment, capture_output=True, text=True, check=False)
    tap.case("the list names it, too, and brings nothing", ran.stdout == f"{name}: not here; `scripts/judges {name}` brings it\n" and not (folder / "none").exists(), ran.stdout)
    ran = subprocess.run([sys.executable, BRING, name], env={**environment, "PATH": str(folder)}, capture_output=True, text=True, check=False)
    tap.case("without apt there is one line that says so", ran.returncode == 1 and len(ran.stderr.splitlines()) == 1 and "no apt" in ran.stderr, ran.stderr)


def main():
    tap = Tap()
    names(tap)
    with tempfile.TemporaryDirectory() as folder:
        command_lines(tap, pathlib.Path(folder))
        lacking(tap, pathlib.Path(folder))
        missing(tap, pathlib.Path(folder))
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
