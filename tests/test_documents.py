#!/usr/bin/env python3
"""The rules of documents.py, each by a text that keeps it and by one that breaks it, and the wrapper by what it must leave alone."""
import sys

import documents
from tap import Tap

TREE = documents.Tree(["docs/there.md", "docs/picture.svg", "src/model/there.c", "src/model/there.h", "src/amd/model/sq/sq_there.c"], {"made.h"})
TREE.text = lambda name: f"bool {name.rpartition('/')[2][:-2]}_run(void);"  # a file's one function
DOCUMENT = "docs/example.md"

GOOD = """# Title

A short paragraph about [another document](there.md), [a heading](#title) and `there.c`; its header
is in src/model (`there.h`: `there_run`), as `model/there.h` and src/model/there.{c,h}, `made.h` and
src/*/model/sq say.

| head | of a table |
| --- | --- |
| a cell | `a | b` in code |

- An item.

        a ─▶ diagram ── of an item ─┐
                                    └─▶ that is wider than what can be wrapped, and so on and on and on and on

  | level | lanes |
  | --- | --- |
  | AArch64 | 4 |

  More of the item, which is prose and as long as a line may be, but not any longer than that,
  no.
"""

BAD = (
    (documents.long_lines, "a word " * 20),
    (documents.long_lines, "- item\n  " + "a word " * 20),
    (documents.broken_tables, "- **Levels**\n\n  | level | lanes | | --- | --- | | AArch64 | 4 |"),
    (documents.uneven_tables, "| a | b |\n| --- | --- |\n| 1 | 2 | 3 |"),
    (documents.uneven_tables, "- item\n\n  | a | b |\n  | --- | --- |\n  | 1 |"),
    (documents.long_paragraphs, "word " * (documents.PARAGRAPH_WORDS + 1)),
    (documents.long_paragraphs, "- item\n- " + "word\n  " * (documents.PARAGRAPH_WORDS + 1)),
    (documents.told_making, "As issue 39 asks."),
    (documents.told_diary, "It ran once more, and passed."),
    (documents.told_diary, "It ran once\nmore, and passed."),
    (documents.told_diary, "The same later: all pass."),
    (documents.told_diary, "All pass at the end of that day."),
    (documents.told_diary, "An earlier session found that it fails."),
    (documents.told_diary, "Seven cases failed, which was mended."),
    (documents.told_diary, "Copies are now moves of memory."),
    (documents.dead_links, "See [this](gone.md)."),
    (documents.dead_links, "See [this](../src/model/gone.c)."),
    (documents.dead_links, "See [this](#gone)."),
    (documents.dead_links, "See [this](there.md#gone)."),
    (documents.dead_names, "It stands in src/model/gone.c."),
    (documents.dead_names, "It stands in docs/gone.md, section two."),
    (documents.dead_names, "It stands in `gone.c`."),
    (documents.dead_names, "It stands in `model/gone.h`."),
    (documents.dead_names, "It stands in src/model/{there,gone}.c."),
    (documents.dead_names, "    src/model/gone.c      what it is"),
    (documents.dead_functions, "A draw begins in `there.c`: `there_run`, `gone_run`."),
    (documents.dead_functions, "A draw begins in `sq_there.c`: `there_run`."),
)

LITERAL = """- **Levels** of instructions:

  | level | lanes |
  | --- | --- |
  | AArch64 | 4 |

- Held, with all that follow:

        one line of code
        and another one

  Back to prose.

        └ more of a diagram
        a line of it without a sign

    code behind a list's end is an item's code

1. An item that has

       code of a numbered item
       in two lines

Prose.

    indented code
    stays as it is

```
fenced code
stays, too
```
"""


def main():
    report = Tap()
    for rule, _, _ in documents.RULES:
        wrong = documents.faults(rule, GOOD, DOCUMENT, TREE)
        report.case(f"{rule.__name__} lets a good text be", not wrong, wrong)
    for number, (rule, text) in enumerate(BAD, 1):
        report.case(f"{rule.__name__} sees a bad text ({number})", bool(documents.faults(rule, text, DOCUMENT, TREE)), text)
    judged = {rule for rule, _ in BAD}
    report.case("every rule has a bad example", all(rule in judged for rule, _, _ in documents.RULES))
    unlisted = documents.unlisted(["README.md", "there.md", "gone.md"], "| [there.md](there.md) | [one](../CONTRIBUTING.md) |")
    report.case("a document that the index has not is seen", unlisted == ["gone.md"], str(unlisted))
    wrapped = documents.wrap(LITERAL)
    report.case("tables, diagrams and code of lists keep their lines", wrapped == LITERAL, wrapped)
    long = "- " + "word " * 30 + "\n\n" + "  " + "more " * 30 + "\n"
    wrapped = documents.wrap(long)
    report.case("an item's paragraphs are wrapped below its text", max(map(len, wrapped.split("\n"))) <= documents.COLUMNS and "\n  word" in wrapped and "\n\n  more" in wrapped, wrapped)
    report.case("a wrapped text stays as it is", documents.wrap(wrapped) == wrapped, wrapped)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
