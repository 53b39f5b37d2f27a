#!/usr/bin/env python3
"""`tuff install` and `tuff uninstall`: what is written where, whether programs find it, that exactly it is removed, and one sentence for whatever is wrong.

    tuff_install.py TUFF CLIENT OLD_LOADER      a build tree's command; loader_client.c, which lists GPUs; old_loader.c"""
import contextlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

import models
import tap

TUFF, CLIENT, OLD_LOADER = map(os.path.abspath, sys.argv[1:4])
OK, FAILED, USAGE = 0, 1, 2
E_MACHINE_AT = 18
OTHER_MACHINE, OTHER_NAME = (b"\xb7\0", "AArch64") if platform.machine() == "x86_64" else (b"\x3e\0", "x86-64")


def run(*command, before=(), **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TUFF_", "VK_", "XDG_")) and name not in ("HOME", "DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run([*before, *map(str, command)], env={**clean, **environment}, cwd="/", capture_output=True, text=True, timeout=100, check=False)


def shown(result):
    return f"exit {result.returncode}\nstdout: {result.stdout[-900:]}\nstderr: {result.stderr[-900:]}"


def files_below(folder):
    return sorted(str(path) for path in pathlib.Path(folder).rglob("*") if path.is_file() or path.is_symlink())


def folders_below(folder):
    return sorted(str(path) for path in pathlib.Path(folder).rglob("*") if path.is_dir())


class Refusals:
    """Commands that fail with one sentence, which has these words."""

    def __init__(self, report):
        self.report = report

    def case(self, name, result, *words, code=FAILED):
        told = result.stderr.strip().splitlines()
        self.report.case(f"refused: {name}", result.returncode == code and len(told) == 1 and not result.stdout and all(word in told[0] for word in words), shown(result))


@contextlib.contextmanager
def fresh_home():
    """A home with a folder and a file of its user's."""
    with tempfile.TemporaryDirectory(prefix="a home ") as folder:
        home = pathlib.Path(folder)
        (home / ".local/bin").mkdir(parents=True)
        (home / ".local/bin/mine").write_text("mine\n", encoding="utf-8")
        yield home


def judge_user(report):
    with fresh_home() as home:
        before = files_below(home), folders_below(home)
        result = run(TUFF, "install", "--user", HOME=str(home))
        if not report.case("tuff install --user", result.returncode == OK and "installed Tuff" in result.stdout, shown(result)):
            return
        report.case("it says how to remove it, and that the folder is not in PATH", "tuff uninstall --user" in result.stdout and "not in PATH" in result.stdout, shown(result))
        manifests = list((home / ".local/share/vulkan/icd.d").glob("tuff_icd.*.json"))
        library = json.loads(manifests[0].read_text(encoding="utf-8"))["ICD"]["library_path"] if len(manifests) == 1 else ""
        report.case("one manifest is where loaders look, and names the library by its whole name", library.startswith(str(home)) and os.path.isfile(library), f"{manifests} {library}")
        listed = [line for line in (home / ".local/share/tuff/installed.list").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        report.case("the list names every file that is new, and no other", sorted(line for line in listed if not line.endswith("/")) == sorted(set(files_below(home)) - set(before[0])),
                    "\n".join(listed))
        seen = run(CLIENT, "devices", HOME=str(home))
        report.case("a program finds the model with no variable of ours", models.DEFAULT in seen.stdout, shown(seen))
        tuff = home / ".local/bin/tuff"
        seen = run(tuff, "run", "--gpu", models.NAMES[-1], "--", CLIENT, "devices", HOME=str(home))
        report.case("the installed tuff runs a program", models.NAMES[-1] in seen.stdout, shown(seen))
        again = run(TUFF, "install", "--user", HOME=str(home))
        report.case("installed again, it replaces itself", again.returncode == OK, shown(again))
        gone = run(tuff, "uninstall", HOME=str(home))
        report.case("the installed tuff removes itself, and leaves what was there before", gone.returncode == OK and (files_below(home), folders_below(home)) == before,
                    shown(gone) + "\n".join(files_below(home) + folders_below(home)))


def judge_places(report):
    with fresh_home() as home:
        data = home / "data of mine"
        result = run(TUFF, "install", "--user", HOME=str(home), XDG_DATA_HOME=str(data))
        report.case("XDG_DATA_HOME has the manifest", result.returncode == OK and len(list(data.glob("vulkan/icd.d/tuff_icd.*.json"))) == 1, shown(result))
        seen = run(CLIENT, "devices", HOME=str(home), XDG_DATA_HOME=str(data))
        report.case("where a program finds it", models.DEFAULT in seen.stdout, shown(seen))
        gone = run(TUFF, "uninstall", "--user", HOME=str(home))
        report.case("and where it is removed, whatever XDG_DATA_HOME is then", gone.returncode == OK and not data.exists(), shown(gone))
        prefix = home / "elsewhere"
        result = run(TUFF, "install", "--prefix", prefix, HOME=str(home), PATH=f"{prefix}/bin:{os.environ['PATH']}")
        report.case("--prefix says which variables lead to it", result.returncode == OK and "XDG_DATA_DIRS" in result.stdout and "not in PATH" not in result.stdout, shown(result))
        stale = prefix / "share/old"
        stale.write_text("of an earlier version\n", encoding="utf-8")
        with open(prefix / "share/tuff/installed.list", "a", encoding="utf-8") as file:
            file.write(f"{stale}\n")
        result = run(TUFF, "install", "--prefix", prefix)
        report.case("a file of an earlier version that is no longer is removed", result.returncode == OK and not stale.exists(), shown(result))
        judge_moved(report, home, prefix)


def judge_moved(report, home, prefix):
    moved = home / "moved"
    shutil.move(prefix, moved)
    result = run(moved / "bin/tuff", "run", "--", CLIENT, "devices", HOME=str(home))
    report.case("a tree that was moved runs where it stands", models.DEFAULT in result.stdout, shown(result))
    os.unlink(moved / "share/tuff/installed.list")
    result = run(moved / "bin/tuff", "install", "--user", HOME=str(home))
    report.case("and can be installed", result.returncode == OK and os.access(home / ".local/bin/tuff", os.X_OK), shown(result))
    refusals = Refusals(report)
    refusals.case("the one in its own place", run(home / ".local/bin/tuff", "install", "--user", HOME=str(home)), "already")
    alone = shutil.copy(moved / "bin/tuff", home / "tuff")
    refusals.case("the command was moved without its tree", run(alone, "install", "--user", HOME=str(home)), "libvulkan_tuff.so", "beside this command", "install or build it anew")
    library = next(moved.glob("lib/**/libvulkan_tuff.so"))
    with open(library, "r+b") as file:
        file.seek(E_MACHINE_AT)
        file.write(OTHER_MACHINE)
    for name, arguments in (("tuff install", ["install", "--user"]), ("tuff run", ["run", "--", "true"]), ("tuff info", ["info"])):
        refusals.case(f"{name}, of a library for another architecture", run(moved / "bin/tuff", *arguments, HOME=str(home)), "libvulkan_tuff.so", f"built for {OTHER_NAME}", "take the tarball for")
    library.write_text("no library", encoding="utf-8")
    refusals.case("a file that is no library", run(moved / "bin/tuff", "run", "--", "true"), "libvulkan_tuff.so", "it is no library")


def judge_refusals(report):
    refusals = Refusals(report)
    refusals.case("no home", run(TUFF, "install", "--user"), "HOME is not set", "--prefix")
    refusals.case("a home that is not there", run(TUFF, "install", "--user", HOME="/no/such/home"), "'/no/such/home', which is no folder")
    refusals.case("uninstall without a home", run(TUFF, "uninstall", "--user"), "HOME is not set")
    result = run(TUFF, "install", "--user", "--prefix", "/tmp")
    report.case("refused: two places", result.returncode == USAGE and "--user and --prefix" in result.stderr, shown(result))
    with fresh_home() as home:
        refusals.case("nothing to uninstall", run(TUFF, "uninstall", "--user", HOME=str(home)), "put nothing here", "installed.list")
        mine = home / ".local/bin/tuff"
        mine.write_text("a program of mine\n", encoding="utf-8")
        refusals.case("a file that somebody else put there", run(TUFF, "install", "--user", HOME=str(home)), f"'{mine}' is there and not by `tuff install`")
        report.case("which stays, alone", mine.read_text(encoding="utf-8") == "a program of mine\n" and len(files_below(home)) == 2, "\n".join(files_below(home)))
        mine.unlink()
        (home / ".local/share").write_text("a file\n", encoding="utf-8")
        refusals.case("a file where a folder should be", run(TUFF, "install", "--user", HOME=str(home)), ".local/share", "Not a directory")
        (home / ".local/share").unlink()
        (home / ".local/share/tuff").mkdir(parents=True)
        (home / ".local/share/tuff/installed.list").write_text("no path\n", encoding="utf-8")
        refusals.case("a list that is none", run(TUFF, "uninstall", "--user", HOME=str(home)), "installed.list")


def judge_folders(report):
    """A folder that cannot be written, and a disk that is full; mounting is root's alone, and root may write everywhere else."""
    refusals = Refusals(report)
    with tempfile.TemporaryDirectory() as folder:
        for name, options, words in (("a read-only folder", "ro", ("Read-only file system", "--user")), ("a full disk", "size=2M", ("No space left on device",))):
            inside = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o {options} none '{folder}' && \"$@\"; code=$?; find '{folder}' -type f >&2; exit $code", "sh"]
            if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
                report.skip(f"refused: {name}", "mounting is not allowed here")
                continue
            refusals.case(f"{name}, in which nothing is left", run(TUFF, "install", "--prefix", f"{folder}/tuff", before=inside), f"cannot write '{folder}/tuff", *words)
        if os.geteuid() != 0:
            os.chmod(folder, 0o555)
            refusals.case("a folder of another user's", run(TUFF, "install", "--prefix", f"{folder}/tuff"), "Permission denied", "as root", "--user")
            os.chmod(folder, 0o755)


def judge_loader(report):
    with fresh_home() as home:
        old = home / "old"
        old.mkdir()
        shutil.copy(OLD_LOADER, old / "libvulkan.so.1")
        result = run(TUFF, "install", "--user", HOME=str(home), LD_LIBRARY_PATH=str(old))
        told = result.stderr.strip().splitlines()
        report.case("an old loader gets one sentence, and the installation is made", result.returncode == OK and len(told) == 1 and "1.2.162" in told[0] and "newer libvulkan.so.1" in told[0],
                    shown(result))


def main():
    report = tap.Tap()
    judge_user(report)
    judge_places(report)
    judge_refusals(report)
    judge_folders(report)
    judge_loader(report)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
