#!/usr/bin/env python3
"""Rings of modules: sets of source files of which each needs all others, directly or not. Files in a ring can only be
read, tested and moved together. And rings of a model's blocks, by includes: blocks are layers, of which each knows those
below it.

    module_rings.py ROOT ARCHIVE…       archives by symbols: who calls or reads what another defines; the models' blocks
                                        by includes; TAP, fails for each ring
    module_rings.py --includes ROOT [ROOM…]   by includes, a .c file and the header of its name as one; prints them

Tables of entry points hold weak references, which are no need. Uses nm of binutils."""
import pathlib
import re
import subprocess
import sys

import tap

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
DEFINED = "TDRBVW"
MODELS = ("amd/model", "adreno/model", "mali/model", "model")


def rings(graph):
    """The strongly connected components with more than one module (Tarjan, without recursion), the largest first."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            module, left = work[-1]
            used = next(left, None)
            if used is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == index[module]:
                    ring = []
                    while not ring or ring[-1] != module:
                        ring.append(stack.pop())
                        on_stack.discard(ring[-1])
                    if len(ring) > 1:
                        found.append(sorted(ring))
            elif used not in index:
                index[used] = low[used] = len(index)
                stack.append(used)
                on_stack.add(used)
                work.append((used, iter(sorted(graph[used]))))
            elif used in on_stack:
                low[module] = min(low[module], index[used])
    return sorted(found, key=lambda ring: (-len(ring), ring))


def include_graph(src, rooms):
    """Module → the modules it includes, of the files below `rooms`; tests are no part of it."""
    graph = {}
    for path in sorted(src.rglob("*.[ch]")):
        name = path.relative_to(src).as_posix()
        if "tests" in path.parts or (rooms and not any(name.startswith(room.rstrip("/") + "/") for room in rooms)):
            continue
        module = re.sub(r"\.[ch]$", "", name)
        used = {re.sub(r"\.[ch]$", "", include) for include in INCLUDE.findall(path.read_text(encoding="utf-8"))}
        graph.setdefault(module, set()).update(used - {module})
    return {module: used & graph.keys() for module, used in graph.items()}


def block_graph(files, room):
    """Block → the blocks it includes. `files` are (path below src, text). A block is a folder of the room; headers beside
    the folders are below all blocks, sources beside them above: they tie the blocks together."""
    graph = {}
    for name, text in files:
        parts = name[len(room) + 1:].split("/")
        if "tests" in parts:
            continue
        block = parts[0] if len(parts) > 1 else f"{room}/*{name[-2:]}"
        used = graph.setdefault(block, set())
        for include in INCLUDE.findall(text):
            if include.startswith(room + "/"):
                below = include[len(room) + 1:].split("/")
                used.add(below[0] if len(below) > 1 else f"{room}/*.h")
    return {block: (used & graph.keys()) - {block} for block, used in graph.items()}


def blocks_of(src, room):
    return block_graph([(path.relative_to(src).as_posix(), path.read_text(encoding="utf-8"))
                        for path in sorted((src / room).rglob("*.[ch]"))], room)


def symbol_graph(text):
    """Object → the objects of the same archive whose symbols it needs, of what `nm -A` prints."""
    defined, needed = {}, {}
    for line in text.splitlines():
        match = re.match(r"(?:.*[:/])?([^:/]+)\.c\.o:\s*(?:[0-9a-f]+)?\s+(\w)\s+(\S+)$", line)
        if not match:
            continue
        module, kind, symbol = match.groups()
        needed.setdefault(module, set())
        if kind in DEFINED:
            defined[symbol] = module
        elif kind == "U":
            needed[module].add(symbol)
    return {module: {defined[s] for s in symbols if s in defined} - {module} for module, symbols in needed.items()}


def main():
    if sys.argv[1:2] == ["--includes"]:
        for ring in rings(include_graph(pathlib.Path(sys.argv[2]) / "src", sys.argv[3:])):
            print(f"{len(ring)} modules:", *ring)
        return 0
    report = tap.Tap()
    # First that a ring is found at all.
    sample = "lib.a:a.c.o:0 T fa\nlib.a:a.c.o: U fb\nlib.a:b.c.o:0 T fb\nlib.a:b.c.o: U fc\nlib.a:c.c.o:0 T fc\nlib.a:c.c.o: U fa\n"
    report.case("a ring of three is found", rings(symbol_graph(sample)) == [["a", "b", "c"]])
    report.case("a chain is none", rings(symbol_graph(sample.replace("lib.a:c.c.o: U fa\n", ""))) == [])
    sample = [("m/a/a.h", '#include "m/b/b.h"'), ("m/b/b.c", '#include "m/a/a.h"'), ("m/b/b.h", ""), ("m/top.c", '#include "m/a/a.h"'), ("m/all.h", "")]
    report.case("a ring of two blocks is found", rings(block_graph(sample, "m")) == [["a", "b"]])
    report.case("what ties blocks together is above them, what they share below",
                rings(block_graph(sample[:1] + sample[2:] + [("m/b/c.h", '#include "m/all.h"')], "m")) == [])
    src = pathlib.Path(sys.argv[1]) / "src"
    for room in MODELS:
        graph = blocks_of(src, room)
        found = rings(graph)
        report.case(f"{room}: no ring among {len(graph)} blocks", len(graph) > 4 and not found,
                    "\n".join(" ".join(ring) for ring in found))
    for archive in sys.argv[2:]:
        text = subprocess.run(["nm", "-A", archive], capture_output=True, text=True, check=True).stdout
        graph = symbol_graph(text)
        found = rings(graph)
        report.case(f"{pathlib.Path(archive).name}: no ring among {len(graph)} modules", len(graph) > 1 and not found,
                    "\n".join(" ".join(ring) for ring in found))
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
