"""What came of the programs, kept in the build directory: for the next command, which does not run again what passed on this same
tree, and as JUnit's XML for other people's tools."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import xml.sax.saxutils

from testing.runner import Result
from testing.tap_reader import FAILED, GAP, SKIPPED, Case

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
END = {"ended": True}
ABSENT = re.compile(r"\bnot (here|installed)\b|cannot be had")  # in reasons of skips: another command may bring it


def tree_state(root, compilers):
    """A digest of all files of the source tree and of the compilers: what a result is about."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = sorted(set(listed.stdout.split("\0")) - {""})
    else:  # an unpacked tarball
        names = sorted(str(path.relative_to(root)) for path in pathlib.Path(root).rglob("*")
                       if path.is_file() and not path.relative_to(root).parts[0].startswith("build") and "__pycache__" not in path.parts)
    digest = hashlib.sha256()
    for name in names:
        path = pathlib.Path(root) / name
        if path.is_file():
            digest.update(f"{name}\0{os.access(path, os.X_OK)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    for compiler in compilers:
        found = os.path.realpath(shutil.which(compiler) or compiler)
        digest.update(f"{found}\0{os.path.getmtime(found) if os.path.exists(found) else 0}\0".encode())
    return digest.hexdigest()


def pack(result):
    cases = [[case.name] if case.outcome == "passed" else [case.name, case.outcome, case.reason, case.notes] for case in result.cases]
    return {"title": result.title, "suites": result.suites, "cases": cases, "flaws": result.flaws, "skipped": result.skipped_whole,
            "errors": result.errors if result.failed else "", "wall_s": round(result.wall_s, 3), "cpu_s": round(result.cpu_s, 3)}


def unpack(entry):
    result = Result(entry["title"], entry["suites"])
    for words in entry["cases"]:
        case = Case(words[0], *(words[1:3] or ["passed"]))
        case.notes = words[3] if len(words) > 3 else []
        result.cases.append(case)
    result.flaws, result.skipped_whole, result.errors = entry["flaws"], entry["skipped"], entry["errors"]
    result.wall_s, result.cpu_s = entry["wall_s"], entry["cpu_s"]
    return result


class Record:
    """One file for each command: a line of JSON for each program as it ends, so that an interrupted run has its own, too. The first names the tree, the
    last says that the command came to its end."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def entries(self):
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except OSError:
            return []
        entries = []
        for line in lines:
            try:
                entries.append(json.loads(line))
            except ValueError:
                break  # the end of a run that was cut off
        return entries

    def read(self, state=None):
        """Results by title; none where they are of another tree than `state`."""
        entries = self.entries()
        if not entries or state not in (None, entries[0].get("state")):
            return {}
        return {entry["title"]: unpack(entry) for entry in entries if "title" in entry}

    def whole_state(self):
        """The tree that it is about; None where the command did not come to its end."""
        entries = self.entries()
        return entries[0]["state"] if len(entries) > 1 and entries[-1] == END else None

    def append(self, entry):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def begin(self, state):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        self.append({"state": state})

    def add(self, result):
        self.append(pack(result))

    def end(self):
        self.append(END)


def holds(result):
    """Whether a result stands for a run: it passed, and nothing was left out that may be here by now."""
    return not result.failed and result.skipped_whole is None and not any(ABSENT.search(reason) for _, reason in result.skips())


# ---- JUnit ----

def quote(text):
    return xml.sax.saxutils.quoteattr(NOT_IN_XML.sub("?", text))


def case_lines(result, repeat):
    each_s = result.wall_s / max(len(result.cases), 1)
    for case in result.cases:
        head = f"<testcase classname={quote(result.title)} name={quote(case.name)} time=\"{each_s:.3f}\""
        if case.outcome == FAILED:
            text = "\n".join([*case.notes, case.reason, f"repeat: {repeat}"]).strip()
            yield f"{head}><failure message={quote(case.notes[0] if case.notes else 'failed')}>{xml.sax.saxutils.escape(NOT_IN_XML.sub('?', text))}</failure></testcase>"
        elif case.outcome in (SKIPPED, GAP):
            yield f"{head}><skipped message={quote(case.reason)}/></testcase>"
        else:
            yield f"{head}/>"
    head = f"<testcase classname={quote(result.title)} name={quote(result.title)} time=\"{result.wall_s:.3f}\""
    if result.flaws:
        text = "\n".join([*result.flaws, result.errors, f"repeat: {repeat}"])
        yield f"{head}><error message={quote('; '.join(result.flaws))}>{xml.sax.saxutils.escape(NOT_IN_XML.sub('?', text))}</error></testcase>"
    elif result.skipped_whole is not None and not result.cases:
        yield f"{head}><skipped message={quote(result.skipped_whole)}/></testcase>"


def write_junit(path, results, repeat):
    """`repeat(result)` is the command that runs a program again."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n')
        for result in results:
            errors = 1 if result.flaws else 0
            extra = 1 if result.flaws or (result.skipped_whole is not None and not result.cases) else 0
            file.write(f"<testsuite name={quote(result.title)} tests=\"{len(result.cases) + extra}\" failures=\"{len(result.failures)}\" errors=\"{errors}\" "
                       f"skipped=\"{len(result.skips())}\" time=\"{result.wall_s:.3f}\">\n")
            file.writelines(line + "\n" for line in case_lines(result, repeat(result)))
            file.write("</testsuite>\n")
        file.write("</testsuites>\n")
