#!/usr/bin/env python3
"""The include rule of docs/architecture.md: which room may include which. Fails with the file, the line and the rule that it
breaks.

The rule keeps the driver and the model apart: they meet at the kernel's interface alone. Tests may include anything."""
import pathlib
import re
import sys

import tap

GPUS = ("amd", "mali", "adreno")

# A room and the rooms that may include it, besides itself. "<gpu>" stands for one family, the same on both sides of a row.
RULES = {
    "util": {"*"},
    "hw": {"<gpu>/hw", "<gpu>/compiler", "<gpu>/driver", "<gpu>/model", "tools"},
    "isa": {"<gpu>/isa", "<gpu>/model", "model"},
    "compiler/ir": {"compiler/lower", "compiler/machine", "compiler/spirv", "vulkan/runtime", "vulkan/meta", "<gpu>/compiler", "<gpu>/driver", "tools"},
    "compiler/lower": {"<gpu>/compiler"},
    "compiler/machine": {"<gpu>/compiler"},
    "compiler/spirv": {"vulkan/runtime", "tools"},
    "<gpu>/hw": {"<gpu>/compiler", "<gpu>/driver", "<gpu>/model", "tools"},
    "<gpu>/isa": {"<gpu>/compiler", "<gpu>/driver", "<gpu>/model", "tools"},
    "<gpu>/compiler": {"<gpu>/driver", "tools"},
    "kernel": {"vulkan/runtime", "vulkan/wsi", "<gpu>/driver", "<gpu>/model", "model/drm", "shim", "tools"},
    "model": {"model/drm", "<gpu>/model"},
    "model/drm": {"<gpu>/model"},
    "vulkan/runtime": {"vulkan/meta", "vulkan/wsi", "<gpu>/driver", "icd"},
    "vulkan/meta": {"<gpu>/driver"},
    "vulkan/wsi": {"<gpu>/driver", "icd"},
    "<gpu>/driver": {"icd"},
    "<gpu>/model": set(),
    "icd": set(),
    "shim": set(),
    "tools": set(),
}

ROOMS = sorted({room.replace("<gpu>", gpu) for room in RULES for gpu in GPUS}, key=len, reverse=True)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def room_of(path):
    return next((room for room in ROOMS if path == room or path.startswith(room + "/")), None)


def allowed(user, used):
    """None when `user` may include `used`, else the rule in words."""
    if user == used:
        return None
    family = used.split("/")[0]
    row = used.replace(family, "<gpu>", 1) if family in GPUS else used
    users = RULES[row]
    if "*" in users:
        return None
    for candidate in users:
        if user in ([candidate.replace("<gpu>", family)] if family in GPUS else [candidate.replace("<gpu>", g) for g in GPUS]):
            return None
    return f"{row} may be included by {', '.join(sorted(users)) if users else 'no other room'}"


def violations(file, text):
    """Every include of `file` (a path below src/) that breaks the rule, as one line each."""
    user = room_of(file)
    if user is None:
        return [f"src/{file}: stands in no room of the architecture"]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        used = room_of(match.group(1))
        if used is None:
            found.append(f'src/{file}:{number}: "{match.group(1)}" does not name its room')
            continue
        broken = allowed(user, used)
        if broken:
            found.append(f"src/{file}:{number}: {user} includes {used}, but {broken}")
    return found


def main():
    report = tap.Tap()

    # First that the rule can fail at all: a checker that accepts everything would look the same as a clean tree.
    report.case("a driver that includes its model is refused",
                violations("amd/driver/x.c", '#include "amd/model/cp.h"') != [])
    report.case("a model that includes another family's hardware is refused",
                violations("mali/model/x.c", '#include "amd/hw/chip.h"') != [])
    report.case("a model may include its own hardware tables",
                violations("amd/model/x.c", '#include "amd/hw/chip.h"\n#include <stdio.h>') == [])
    report.case("GPU memory that includes the kernel driver's model is refused",
                violations("model/memory.c", '#include "model/drm/drm_fence.h"') != [])
    report.case("an include that names no room is refused", violations("util/x.c", '#include "arena.h"') != [])

    src = pathlib.Path(sys.argv[1]) / "src"
    files = [path for path in sorted(src.rglob("*.[ch]")) if "tests" not in path.relative_to(src).parts]
    for path in files:
        name = path.relative_to(src).as_posix()
        found = violations(name, path.read_text(encoding="utf-8"))
        if found:
            report.case(f"{name} keeps the include rule", False, "\n".join(found))
    report.case(f"the include rule was looked at in all {len(files)} files of src", len(files) > 0)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
