#!/usr/bin/env python3
"""The documents' own rules. They are reference: wrapped at 100 columns, in short paragraphs, about the software and not about
how it was made, and what they name is there.

    documents.py ROOT           checks README.md, CONTRIBUTING.md and docs/*.md
    documents.py --wrap ROOT    wraps them
    documents.py --words ROOT   counts their words

Tables, code, diagrams and headings keep their lines. docs/log/ is not looked at: it holds dated notes of measurements.
tests/test_documents.py has a bad example of each rule."""
import functools
import pathlib
import re
import subprocess
import sys
import textwrap

import tap

COLUMNS = 100
PARAGRAPH_WORDS = 120
FENCE = re.compile(r"^\s*(```|~~~)")
ITEM = re.compile(r"^(\s*)([-*]|\d+\.) ")
DRAWN = re.compile(r"[─│┌┐└┘├┤┬┴┼═║▶◀▲▼]")  # a line of a diagram
SEPARATOR = re.compile(r"\|\s*:?-{3,}:?\s*\|")  # of a table's head from its rows
MAKING = re.compile(r"\b([Ii]ssues? \d+|[Ss]eeds? (radv|turnip|panvk|vulkan-runtime|amd-hardware)|(this|last|next) session|this branch)\b")
DIARY = re.compile(r"\b(once more|this time|[Tt]he same later|[Ll]ater the same day|(at the end of )?that day|(an )?earlier session|formerly|[Mm]ended since|"
                   r"[Ss]ince then|no longer is|is mended|it is mended|the last time|yesterday|at first and|not any more|any more now|used to be|"
                   r"does now|are now|is now|[Aa]nd now|were mended|was mended|at commit [0-9a-f]{7})\b")
LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
ROOMS = ("src", "docs", "tests", "bench", "scripts", "demo", ".ci")
PATH = re.compile(r"(?<![\w/.:~}>-])((?:%s)/[\w./*{},<>+-]+)" % "|".join(map(re.escape, ROOMS)))
FILE = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:c|h|py|md|table|build))`")
FUNCTION = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.[ch])`: (`\w+`(?:, `\w+`)*)")  # `file.c`: `function`, `another`
MADE = re.compile(r"<|[A-Z]{3,}")  # <family>, NAME: a pattern of names, not one


def documents(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


# ---- wrapping ----

def is_literal(line):
    """A line that wrapping would break: a table's, a heading's, a picture's or a diagram's."""
    return line.lstrip().startswith(("|", "![", "<", ">")) or line.startswith("#") or not line.strip() or bool(DRAWN.search(line))


class Blocks:
    """Tells prose from what keeps its lines, one line after the other: fences, and indented code, in lists too."""

    def __init__(self):
        self.in_fence, self.after_blank, self.item_indent, self.in_code = False, True, None, False

    def is_prose(self, line):
        if FENCE.match(line):
            self.in_fence = not self.in_fence
            return False
        if self.in_fence:
            return False
        if not line.strip():
            self.after_blank = True
            return False
        indent, item = len(line) - len(line.lstrip()), ITEM.match(line)
        text_at = 4 if self.item_indent is None else self.item_indent + 4  # where code begins here
        if indent >= text_at and (self.after_blank or self.in_code):
            self.in_code, self.after_blank = True, False
            return False
        self.in_code = False
        if item:
            self.item_indent = len(item.group(0))
        elif indent == 0 and self.after_blank:
            self.item_indent = None
        self.after_blank = False
        return not is_literal(line)


def wrap(text):
    out, paragraph, blocks = [], [], Blocks()

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
        if not blocks.is_prose(line):
            flush()
            out.append(line)
            continue
        if ITEM.match(line):
            flush()
        paragraph.append(line)
    flush()
    return "\n".join(out)


def prose(text):
    """The document with everything but its prose as empty lines, so that numbers of lines stay."""
    blocks = Blocks()
    return [line if blocks.is_prose(line) else "" for line in text.split("\n")]


def paragraphs(text):
    """(number of the first line, words) of each paragraph, an item of a list being one."""
    found, current = [], []
    for number, line in enumerate(prose(text) + [""], 1):
        if current and (not line or ITEM.match(line)):
            found.append((current[0], sum(current[1:])))
            current = []
        if line:
            current = [*(current or [number]), len(line.split())]
    return found


# ---- the rules: each gives the lines that break it, with what is wrong there ----

def long_lines(text, _document, _tree):
    """Lines of prose over the limit that could have been broken at a blank."""
    return [(n, "") for n, line in enumerate(prose(text), 1) if len(line) > COLUMNS and " " in line[:COLUMNS].strip()]


def broken_tables(text, _document, _tree):
    """A table's rows in one line: somebody wrapped it."""
    found, blocks = [], Blocks()
    for number, line in enumerate(text.split("\n"), 1):
        blocks.is_prose(line)
        if SEPARATOR.search(line) and not blocks.in_fence and not blocks.in_code and re.search(r"\w", line):
            found.append((number, ""))
    return found


def uneven_tables(text, _document, _tree):
    """Rows that have another number of cells than their table's head."""
    found, width = [], None
    blocks = Blocks()
    for number, line in enumerate(text.split("\n"), 1):
        blocks.is_prose(line)
        if blocks.in_fence or blocks.in_code or not line.lstrip().startswith("|"):
            width = None
            continue
        cells = len(re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", line.strip())))
        width = width or cells
        if cells != width:
            found.append((number, f"{cells - 2} cells, {width - 2} in the head"))
    return found


def long_paragraphs(text, _document, _tree):
    return [(n, f"{words} words") for n, words in paragraphs(text) if words > PARAGRAPH_WORDS]


def told_making(text, _document, _tree):
    return [(n, match.group(0)) for n, line in enumerate(text.split("\n"), 1) if (match := MAKING.search(line))]


def told_diary(text, _document, _tree):
    joined = prose(text)
    found = [(n, match.group(0)) for n, line in enumerate(joined, 1) if (match := DIARY.search(line))]
    for number, (line, following) in enumerate(zip(joined, joined[1:]), 1):  # a phrase that a line's end divides
        match = DIARY.search(f"{line} {following.strip()}") if line and following else None
        if match and match.start() < len(line) < match.end():
            found.append((number, match.group(0)))
    return found


def alternatives(path):
    """a/{b,c}.h as a/b.h and a/c.h."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [one for word in match.group(1).split(",") for one in alternatives(path[:match.start()] + word + path[match.end():])]


class Tree:
    """The files of the repository, and those that its build makes, by their names."""

    def __init__(self, names, made=(), root=None):
        self.root = root
        self.files, self.patterns = set(names), [re.escape(one).replace(r"\*", r"\w+") for one in made if "*" in one]
        self.folders = {str(parent) for name in names for parent in pathlib.PurePosixPath(name).parents}
        self.endings = {name[i:] for name in names for i in [0, *(m.end() for m in re.finditer("/", name))]} | set(made)

    @classmethod
    def of(cls, root):
        """What git knows of, and what the build makes: the names in meson.build and in generators."""
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=False)
        names = listed.stdout.splitlines() if listed.returncode == 0 else []
        if not names:  # a tarball has no list
            names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        names = [name for name in names if (root / name).exists()]
        makers = [root / name for name in names if name.endswith("meson.build") or re.search(r"(^|/)gen[^/]*\.py$", name)]
        text = "\n".join(path.read_text(encoding="utf-8") for path in makers)
        made = set(re.findall(r"\b[\w-]+\.[ch]\b", text))
        made |= {f"{prefix}*{suffix}" for prefix, suffix in re.findall(r"'(\w+)' \+ \w+ \+ '(\.[ch])'", text)}  # 'lane_' + name + '.c'
        return cls(names, made, root)

    def text_of(self, path):
        return (self.root / path).read_text(encoding="utf-8") if self.root else ""

    @functools.cached_property
    def all(self):
        return self.files | self.folders

    def has(self, path):
        path = path.rstrip("/")
        if "*" in path:
            pattern = re.compile(re.escape(path).replace(r"\*\*", ".*").replace(r"\*", "[^/]*"))
            return any(pattern.fullmatch(name) for name in self.all)
        return path in self.files or path in self.folders

    @functools.cache
    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def has_word(self, ending, word):
        """Whether a file whose path ends so has the word."""
        return any(re.search(rf"\b{word}\b", self.text(name)) for name in self.files if name == ending or name.endswith("/" + ending))

    def has_ending(self, name):
        return name in self.endings or any(re.fullmatch(pattern, name) for pattern in self.patterns)


def dead_links(text, document, tree):
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            place = pathlib.PurePosixPath(document).parent
            for part in pathlib.PurePosixPath(path).parts:
                place = place.parent if part == ".." else place / part
            if path and not tree.has(str(place)):
                found.append((number, target))
            elif anchor and anchor not in headings(text if not path else tree.text_of(str(place))):
                found.append((number, target))
    return found


def headings(text):
    """The anchors of a document's headings, as GitHub makes them."""
    return {re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-") for line in text.split("\n") if line.startswith("#")}


def dead_names(text, _document, tree):
    """Files that are named and are not there: paths that begin with a folder of ours, and names of sources in backticks."""
    found, blocks = [], Blocks()
    for number, line in enumerate(text.split("\n"), 1):
        blocks.is_prose(line)
        for path in PATH.findall(line.replace("\\*", "*")):  # as prose has to write it
            path = path.rstrip(".,:;-")
            if not MADE.search(path):
                found += [(number, one) for one in alternatives(path) if not (tree.has(one) or tree.has_ending(one))]
        if not blocks.in_fence and not blocks.in_code:
            found += [(number, name) for name in FILE.findall(line) if name.split("/")[0] not in ROOMS and not MADE.search(name) and not tree.has_ending(name)]
    return found


def dead_functions(text, _document, tree):
    """A function that is named with its file, and is not there."""
    return [(number, word) for number, line in enumerate(text.split("\n"), 1) for name, words in FUNCTION.findall(line)
            for word in re.findall(r"\w+", words) if not tree.has_word(name, word)]


RULES = (
    (long_lines, f"is wrapped at {COLUMNS} columns", "mend by: tests/documents.py --wrap ."),
    (broken_tables, "has whole tables", "each row on a line of its own"),
    (uneven_tables, "has rows as wide as their tables", "as many cells as the head has"),
    (long_paragraphs, f"has paragraphs of at most {PARAGRAPH_WORDS} words", "make a table, a list or several paragraphs of it"),
    (told_making, "speaks of the software", "not of its making"),
    (told_diary, "is no diary", "say what is; notes of measurements go to docs/log/"),
    (dead_links, "links to what is there", "mend or remove the link"),
    (dead_names, "names files that are there", "name the file as it is called"),
    (dead_functions, "names functions that are there", "name the function as it is called, or its file"),
)


def unlisted(names, index):
    """Documents that the index does not link to."""
    linked = {target.rpartition("/")[2] for target in LINK.findall(index)}
    return [name for name in names if name not in linked | {"README.md"}]


def faults(rule, text, document, tree):
    return "; ".join(f"line {n}{': ' if why else ''}{why}" for n, why in rule(text, document, tree)[:8])


def main():
    root = pathlib.Path(sys.argv[-1])
    if sys.argv[1] == "--wrap":
        for path in documents(root):
            path.write_text(wrap(path.read_text(encoding="utf-8")), encoding="utf-8")
        return 0
    if sys.argv[1] == "--words":
        for path in documents(root):
            print(f"{len(path.read_text(encoding='utf-8').split()):7} {path.relative_to(root)}")
        return 0
    report, tree = tap.Tap(), Tree.of(root)
    missing = unlisted([path.name for path in documents(root)], (root / "docs/README.md").read_text(encoding="utf-8"))
    report.case("docs/README.md lists every document", not missing, f"{', '.join(missing)}; give it a row")
    for path in documents(root):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(root))
        for rule, says, remedy in RULES:
            wrong = faults(rule, text, name, tree)
            report.case(f"{name} {says}", not wrong, f"{wrong}; {remedy}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
