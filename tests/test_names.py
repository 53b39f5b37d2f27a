#!/usr/bin/env python3
"""The rules of names.py, each by a text that keeps it and by ones that break it; and its table."""
import sys

import documents
import names
from tap import Tap

TREE = documents.Tree(["src/model/there.c", "src/model/there.h", "src/amd/hw/there.table", "tests/there.py"], {"made.h"})

GOOD = """/* The heap's free lists, by size; there.c fills them, made.h and src/model/there.{c,h} have the sizes. What a
 * list has is found by find_list. */
#include "model/there.h"

// A line of its own,
// and one more: gone is no file, nor is a.b or vkCmdDraw.
static const struct ops list_ops = {.find = find_list, .run = run_list};

/* "What" may stand in text: "// The same". */
static struct heap *find_list(struct lists *lists) /* The list's heap. */
{
    return lists->find(lists, "/* What is this? */");
}

static inline void draw(struct pass *pass);

static void begins_anew(void **state);

static void run(void **state)
{
}
"""

LONG = "a word " * 18

BAD = (
    (names.bare_verbs, "static void find(struct heap *heap)\n{\n}\n"),
    (names.bare_verbs, "static inline bool run(void);\n"),
    (names.bare_verbs, "static const struct heap *\nget(struct heap *heap, void **state_out);\n"),
    (names.bare_verbs, "static VKAPI_ATTR void VKAPI_CALL release(void *memory);\n"),
    (names.pointing_comments, "/* What a draw needs. */"),
    (names.pointing_comments, "/*\n * What a draw needs. */"),
    (names.pointing_comments, "int x; // The same for y"),
    (names.pointing_comments, "// Those that are left.\n// More."),
    (names.pointing_comments, "/** Of those, the first. */"),
    (names.wide_comments, f"/* {LONG}*/"),
    (names.wide_comments, f"/* short\n * {LONG}\n */"),
    (names.wide_comments, f"    // short\n    // {LONG}"),
    (names.dead_names, "/* See gone.c. */"),
    (names.dead_names, "// src/model/gone.h says why"),
    (names.dead_names, "/* of amd/hw/gone.table */"),
)

TABLE = "# rooms\nsrc/a.c verb comment  # why\n\nsrc/b.c wide\n"


def main():
    report = Tap()
    for rule, (check, says, _) in names.RULES.items():
        found = check(GOOD, TREE)
        report.case(f"a good text {says}", not found, str(found))
        assert any(broken == check for broken, _ in BAD), rule
    for check, text in BAD:
        first = text.strip().split("\n")[0][:40]
        report.case(f"{check.__name__} is found: {first}", len(check(text, TREE)) == 1, f"found {check(text, TREE)} in {text!r}")
    rows = names.read_table(TABLE)
    report.case("the table has a file and its rules in a row", rows == [("src/a.c", "verb"), ("src/a.c", "comment"), ("src/b.c", "wide")], str(rows))
    left = names.unneeded(rows, {"src/a.c": {"verb": [(1, "run")]}, "src/b.c": {"wide": [(2, "")]}})
    report.case("an entry that its file does not need is found", left == ["src/a.c comment"], str(left))
    gone = names.unneeded(rows, {"src/a.c": {"verb": [(1, "run")], "comment": [(1, "What")]}})
    report.case("an entry of a file that is gone is found", gone == ["src/b.c wide"], str(gone))
    found = names.functions_of("static int find_it(void)\n{\n}\nstruct a *run_it(int x,\n                 int y)\n{\n    if (x) {\n    }\n}\nint told(void);\n")
    report.case("functions are those that are defined", found == {"find_it", "run_it"}, str(found))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
