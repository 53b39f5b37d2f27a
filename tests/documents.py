#!/usr/bin/env python3
"""The documents' own rules: prose is wrapped at 100 columns, and the text speaks of the software, not of how it was made.

    documents.py ROOT           checks README.md, CONTRIBUTING.md and docs/*.md
    documents.py --wrap ROOT    wraps them

Tables, code and headings keep their lines."""
import pathlib
import re
import sys
import textwrap

import tap

COLUMNS = 100
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^(\s*)([-*]|\d+\.) ")
HISTORY = re.compile(r"\b([Ii]ssues? \d|[Ss]eeds? (radv|turnip|panvk|vulkan-runtime|amd-hardware)|(this|last|next) session|this branch)\b")


def documents(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


def is_literal(line):
    """A line that wrapping would break: a table's, a heading's, a picture's, or indented code outside of lists."""
    return line.startswith(("|", "#", "![", "<", ">")) or not line.strip()


def wrap(text):
    out, paragraph = [], []
    in_fence = in_list = False

    def flush():
        if not paragraph:
            return
        match = ITEM.match(paragraph[0])
        indent = len(match.group(0)) if match else len(paragraph[0]) - len(paragraph[0].lstrip())
        first = paragraph[0][:indent]
        words = " ".join([paragraph[0][indent:], *(line.strip() for line in paragraph[1:])])
        out.extend(textwrap.wrap(words, COLUMNS, initial_indent=first, subsequent_indent=" " * indent,
                                 break_long_words=False, break_on_hyphens=False))
        paragraph.clear()

    for line in text.split("\n"):
        if FENCE.match(line):
            flush()
            in_fence = not in_fence
            out.append(line)
            continue
        indented = line.startswith("    ") and not in_list and not paragraph
        if in_fence or is_literal(line) or indented:
            flush()
            out.append(line)
            if line.strip() and not indented and not line.startswith(" "):
                in_list = False
            continue
        if ITEM.match(line):
            flush()
            in_list = True
        elif not line.startswith(" ") and not paragraph:
            in_list = False
        paragraph.append(line)
    flush()
    return "\n".join(out)


def long_lines(text):
    """Lines of prose over the limit that could have been broken at a blank."""
    found, in_fence = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            in_fence = not in_fence
        elif len(line) > COLUMNS and not in_fence and not is_literal(line) and not line.startswith("    "):
            if " " in line[:COLUMNS].strip():
                found.append(number)
    return found


def main():
    if sys.argv[1] == "--wrap":
        for path in documents(pathlib.Path(sys.argv[2])):
            path.write_text(wrap(path.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    root = pathlib.Path(sys.argv[1])
    report = tap.Tap()
    for path in documents(root):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        lines = long_lines(text)
        report.case(f"{name} is wrapped at {COLUMNS} columns", not lines,
                    f"lines {', '.join(map(str, lines[:8]))}; mend by: tests/documents.py --wrap .")
        told = [n for n, line in enumerate(text.split("\n"), 1) if HISTORY.search(line)]
        report.case(f"{name} speaks of the software", not told, f"lines {', '.join(map(str, told[:8]))} speak of its making")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
