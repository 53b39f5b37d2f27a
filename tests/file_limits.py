#!/usr/bin/env python3
"""RLIMIT_FSIZE must not end a program: a file gets its size by file_resize (util/file_limit.h), which holds SIGXFSZ back, and by nothing else.

    file_limits.py ROOT"""
import pathlib
import re
import sys

import tap

HOME = "util/file_limit.c"
GROWS = re.compile(r"\b(f?truncate(?:64)?|posix_fallocate(?:64)?|fallocate(?:64)?)\s*\((?![^;]*FALLOC_FL_KEEP_SIZE)")


def violations(text):
    """The lines that make a file larger themselves."""
    return [f"{text.count(chr(10), 0, match.start()) + 1}: {match[1]}" for match in GROWS.finditer(text)]


def main():
    src = pathlib.Path(sys.argv[1]) / "src"
    report = tap.Tap()
    report.case("ftruncate is noticed", violations("if (ftruncate(fd, 4096))\n") == ["1: ftruncate"])
    report.case("a hole that changes no size is allowed", not violations("fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4);"))
    files = [path for path in sorted(src.rglob("*.c")) if "tests" not in path.parts and path.relative_to(src).as_posix() != HOME]
    for path in files:
        found = violations(path.read_text(encoding="utf-8"))
        if found:
            report.case(f"{path.relative_to(src)} gives a file its size by file_resize", False, "\n".join(found))
    report.case(f"files get their sizes in one place, in all {len(files)} files of src", len(files) > 0)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
