#!/usr/bin/env python3
"""Rules of names and comments, held over all C code: a static function's name has a noun, for `find` alone says nothing about the
thing that is found; a comment begins with its thing; it is wrapped at 120 columns, and the files that it names are there.

    names.py ROOT           checks src, tests, bench and demo
    names.py --count ROOT   counts what breaks the rules, by room, and how many functions share their names

tests/names.table lists the files that still break a rule. It can only shrink: an entry that its file does not need fails.
tests/test_names.py has a bad example of each rule."""
import collections
import pathlib
import re
import sys

import documents
import tap

COLUMNS = 120
FOLDERS = ("src", "tests", "bench", "demo")
TABLE = "tests/names.table"
# Words that are verbs first of all. Nouns of the field (draw, query, sample, mask, setup) are names as they are.
VERBS = set("""
    accept account accumulate acquire act add advance agree agrees aim alloc allocate announce answer append applies apply arrive ask
    assemble assign attach bake become begin begins bind blit borrow bring broadcast build bury call carry carve change check choose churn
    clamp classify clean clear clobber close collect combine commit commute compare compares compile complain complete compress compute
    connect contains convert copy correct count covers crash create cross crowd cull cut deallocate decide declare decode define delete
    depend depends describe describes deserialize destroy die differs disassemble discard displace distribute disturb divide download drain
    drop elect emit encode end ends enter enumerate erase eval evaluate exchange execute exists expand expect explain export extend fail
    fails feed fetch fill find finds finish fits flatten flush fold follow forget forward free fuse gather get give go greet grep grow halve
    handle has hear hoist hold holds import includes indent inherit init insert install interpret intersect invalidate invert is issue jam
    join judge keep knows launch leave leaves lift link listen load locate look lose lower make mark match measure meet merge minify miss
    misses mix move multiply must narrow need negate normalize note obey open opens overlap overlaps overwrite pace pack pad paint park
    parse pass passes pause permute pick pin place poll pop preload prepare present proceed progress project prove prune publish push put
    quantize rasterizes reach read reads reallocate reap reconverges record redirect reduce reflect refract refuse relax release reload
    remember remove rename render reorder repair repeat replace report require reserve reset resize resolve restart restore retarget retire
    returns reuse reverse rewrite run saturate save say scan scatter scramble scribble seal search send separate serialize set settle shade
    share shorten show shows signal simplify skip solve sort spare splat split spread start starve step steps stop stops store stretch strip
    submit subtract suits supports swap sweep take tame tell test throttle tidy touches translate turn turns unbake unbind unite unload
    unlock unmap unname unpack unroll unsignal unwrap update upload use vacate verify visit wait waits wake walk want wants watch widen
    withdraw wrap write writes""".split())
STATIC = re.compile(r"^static\b[^;={}()\"#]*?\b(\w+)\((?!void \*\*state\))", re.M)  # but for cmocka's tests, which are statements
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
POINTING = re.compile(r"(The same|What|Those|Of those)\b")
NAMED = re.compile(r"(?<![\w/.*{}<>$-])((?:[\w-]+/)*[\w-]{2,}\.(?:c|h|py|table))\b(?![\w*(-])")
OTHERS = {"vk_icd.h"}  # of somebody else


def comments(text):
    """(line, text) of each comment. Neighbouring lines of // are one, unless code stands before them."""
    found = []
    for match in TOKEN.finditer(text):
        token, line = match.group(0), text.count("\n", 0, match.start()) + 1
        if token[0] != "/":
            continue
        alone = not text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip()
        before = found[-1] if found else None
        if token.startswith("//") and before and alone and before[2] == "//" and before[0] + before[1].count("\n") + 1 == line and before[3]:
            before[1] += "\n" + token
        else:
            found.append([line, token, token[:2], alone])
    return [(line, token) for line, token, _, _ in found]


def first_words(comment):
    return comment.lstrip("/*").lstrip(" \n*")


# ---- the rules: each gives the lines that break it, with what is wrong there ----

def bare_verbs(text, _tree):
    """Static functions that are a verb and nothing else."""
    return [(text.count("\n", 0, match.start()) + 1, match.group(1)) for match in STATIC.finditer(text) if match.group(1) in VERBS]


def pointing_comments(text, _tree):
    return [(line, match.group(0)) for line, comment in comments(text) if (match := POINTING.match(first_words(comment)))]


def wide_comments(text, _tree):
    """Lines of a comment that could have been broken; where code stands before a comment, the line is clang-format's."""
    lines = text.split("\n")
    return [(n, "") for line, comment in comments(text) for n in range(line, line + comment.count("\n") + 1)
            if len(lines[n - 1]) > COLUMNS and re.match(r"\s*(//|/?\*)", lines[n - 1]) and len(lines[n - 1].split()) > 3]


def dead_names(text, tree):
    return [(line, name) for line, comment in comments(text) for name in NAMED.findall(comment) if name not in OTHERS and not tree.has_ending(name)]


RULES = {
    "verb": (bare_verbs, "names functions with a noun", "say what the function works on: find_heap, not find"),
    "comment": (pointing_comments, "begins comments with their thing", "the thing first: not What, The same, Those"),
    "wide": (wide_comments, f"wraps comments at {COLUMNS} columns", "break the line"),
    "file": (dead_names, "names files that are there", "name the file as it is called"),
}


def sources(root, tree):
    return sorted(name for name in tree.files if name.split("/")[0] in FOLDERS and name.endswith((".c", ".h")))


def read_table(text):
    """(file, rule) of each row, in order."""
    rows = [line.split("#")[0].split() for line in text.split("\n")]
    return [(row[0], rule) for row in rows if row for rule in row[1:]]


def faults_of(name, text, tree):
    """rule: its faults in this file."""
    return {rule: wrong for rule, (check, _, _) in RULES.items() if (wrong := check(text, tree))}


def unneeded(excepted, faults):
    """Entries of the table that could go."""
    return [f"{name} {rule}" for name, rule in excepted if rule not in faults.get(name, {})]


def functions_of(text):
    """Names of the functions that a file defines."""
    return set(re.findall(r"^(?!(?:typedef|return|else)\b)[A-Za-z_][\w \t*\n,()]*?\b(\w+)\([^;{}]*\)\s*\{", text, re.M))


def count(root, tree):
    totals, names = collections.Counter(), collections.Counter()
    for name in sources(root, tree):
        text, room = tree.text(name), "/".join(name.split("/")[:3])
        for rule, wrong in faults_of(name, text, tree).items():
            totals[rule, room] += len(wrong)
        if name.startswith("src/"):
            names.update(functions_of(text))
    for rule in RULES:
        print(f"{rule}: {sum(n for (which, _), n in totals.items() if which == rule)}")
        for (which, room), n in sorted(totals.items()):
            if which == rule:
                print(f"  {n:5} {room}")
    shared, functions = sum(n for n in names.values() if n > 1), sum(names.values())
    print(f"functions of src: {functions}, {shared} share their names with another: {100 * shared / functions:.1f} %")


def main():
    root = pathlib.Path(sys.argv[-1])
    tree = documents.Tree.of(root)
    if sys.argv[1] == "--count":
        count(root, tree)
        return 0
    report = tap.Tap()
    excepted = read_table((root / TABLE).read_text(encoding="utf-8"))
    allowed, faults = set(excepted), {name: faults_of(name, tree.text(name), tree) for name in sources(root, tree)}
    for rule, (_, says, remedy) in RULES.items():
        wrong = [(name, found[rule]) for name, found in faults.items() if rule in found and (name, rule) not in allowed]
        told = "; ".join(f"{name}:{line}{': ' if why else ''}{why}" for name, found in wrong[:10] for line, why in found[:3])
        report.case(f"every file {says}", not wrong, f"{told}; {remedy}")
    left = unneeded(excepted, faults)
    report.case(f"{TABLE} lists no file that keeps the rules", not left, f"remove {', '.join(left[:10])}")
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
