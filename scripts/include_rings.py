#!/usr/bin/env python3
"""Prints the rings of the include graph: sets of modules of which each includes all others, directly or not.

A module is a .c file and the header of its name. Two modules in a ring cannot be read, tested or moved one without the
other. `include_rings.py [ROOT] [ROOM…]` looks at src/ROOM (all rooms without one); it ends with 1 if there is a ring of
more modules than --allow says (default: any number is allowed)."""
import argparse
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def module_of(name):
    return re.sub(r"\.[ch]$", "", name)


def include_graph(src, rooms):
    """Module → the modules it includes, of the files below `rooms`; tests are no part of it."""
    graph = {}
    for path in sorted(src.rglob("*.[ch]")):
        name = path.relative_to(src).as_posix()
        if "tests" in path.parts or (rooms and not any(name.startswith(room.rstrip("/") + "/") for room in rooms)):
            continue
        includes = {module_of(used) for used in INCLUDE.findall(path.read_text(encoding="utf-8"))}
        graph.setdefault(module_of(name), set()).update(includes - {module_of(name)})
    return {module: used & graph.keys() for module, used in graph.items()}


def rings(graph):
    """The strongly connected components with more than one module (Tarjan, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in graph:
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("rooms", nargs="*")
    parser.add_argument("--allow", type=int, default=sys.maxsize, help="the most modules that a ring may have")
    args = parser.parse_args()
    found = rings(include_graph(pathlib.Path(args.root) / "src", args.rooms))
    for ring in found:
        print(f"{len(ring)} modules:")
        print("\n".join(f"    {module}" for module in ring))
    if not found:
        print("no rings")
    return 1 if any(len(ring) > args.allow for ring in found) else 0


if __name__ == "__main__":
    sys.exit(main())
