#!/usr/bin/env python3
"""What our driver offers is tested: each extension and each feature that `tuff info` names has a line in offered.txt, and what the line names is there.

    offered.py TUFF VULKAN_CASES

A thing that is offered without a line fails, and so does a line that names what is not offered, a case that does not exist, or a file without its word."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from tap import Tap  # noqa: E402


def read_table(path):
    """Names, with what is said of each."""
    table = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        names, bar, places = line.partition(" | ")
        for name in names.split(", "):
            if not bar or name in table:
                sys.exit(f"{path}:{number}: {'twice' if bar else 'no bar'}: {name}")
            table[name] = [place.strip() for place in places.split("; ")]
    return table


def wrong_with(place, cases):
    """None, or why nothing is tested there."""
    kind, _, rest = place.partition(" ")
    if place == "dEQP":
        return None
    if kind == "case":
        return None if rest in cases else f"no case is called {rest}"
    if kind == "shader":
        return None if (ROOT / "tests" / "shaders" / rest).is_file() else f"tests/shaders has no {rest}"
    if kind == "text":
        file, _, word = rest.partition(" ")
        path = ROOT / file
        return None if word and path.is_file() and word in path.read_text(encoding="utf-8") else f"{file} does not say {word}"
    return f"what is {place}?"


def main():
    tuff, program = sys.argv[1:3]
    tap = Tap()
    gpus = [gpu for gpu in json.loads(subprocess.run([tuff, "info", "--json"], capture_output=True, check=True).stdout) if gpu["driver"]]
    cases = set(subprocess.run([program, "--list"], capture_output=True, check=True, text=True).stdout.splitlines())
    offered = {name for gpu in gpus for name in (*gpu["extensions"], *(name for name, on in gpu["features"].items() if on))}
    table = read_table(HERE / "offered.txt")
    for name in sorted(offered - set(table)):
        tap.case(f"{name} is tested", False, "it is offered, and tests/vulkan/offer/offered.txt does not say where it is tested")
    for name, places in table.items():
        wrong = [why for why in (wrong_with(place, cases) for place in places) if why]
        # Nodes of the machine, or window systems that were not built, take some extensions away: a line may wait for them.
        tap.case(f"{name} is tested", not wrong and (name in offered or name.startswith("VK_")), "; ".join(wrong) or "it is not offered")
    alone = sorted(name for name, places in table.items() if places == ["dEQP"])
    tap.note(f"by dEQP-VK alone: {', '.join(alone)}")
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
