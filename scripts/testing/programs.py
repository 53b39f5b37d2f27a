"""The test programs of a build, as Meson knows them, and the command that each belongs to: `make test`, `make check` or `make
matrix`. Runs nothing but Meson's and ninja's questions."""
import collections
import json
import pathlib
import subprocess

STAGES = ("test", "check", "matrix")  # each has what those before it have, but for matrix
LATER = STAGES[1:]                    # suites of tests/**/meson.build that leave a program to another command
LEVEL_DEFINED = "-DHOST_LEVEL="       # a compiler's argument (src/meson.build)


class Program:
    def __init__(self, build, entry, targets, of_level):
        self.build = build  # its directory
        self.name = entry["name"]
        self.command = entry["cmd"]
        self.environment = {key: str(value) for key, value in entry["env"].items()}
        self.folder = entry["workdir"] or build
        self.limit_s = entry["timeout"] or 0
        self.speaks_tap = entry["protocol"] == "tap"
        self.suites = [suite.partition(":")[2] for suite in entry["suite"]]
        self.stage = next((suite for suite in self.suites if suite in LATER), STAGES[0])
        self.needs = sorted({name for target in entry["depends"] for name in targets.get(target, [])})  # ninja's targets
        self.is_of_level = self.command[0] in of_level  # compiled for a level of host instructions

    @property
    def title(self):
        return f"{pathlib.Path(self.build).name}: {self.name}"

    def matches(self, pattern):
        """A suite, or a part of the name; with the build before it where that is not the first."""
        directory, colon, name = pattern.partition(": ")
        if colon and directory == pathlib.Path(self.build).name:
            return name in self.suites or name in self.name
        return pattern in self.suites or pattern in self.name


def introspect(build, what):
    return json.loads((pathlib.Path(build) / "meson-info" / f"intro-{what}.json").read_text(encoding="utf-8"))


def built_levels(build):
    """The levels of host instructions that a configured build directory has: each has a library of what the models share."""
    return {target["name"].removeprefix("model_") for target in introspect(build, "targets") if target["name"].startswith("model_") and target["type"] == "static library"}


def read_programs(build):
    """All programs of a configured build directory."""
    root = pathlib.Path(build).resolve()
    targets = {target["id"]: [str(pathlib.Path(name).relative_to(root)) for name in target["filename"]] for target in introspect(build, "targets")}
    of_level = {name for target in introspect(build, "targets") for name in target["filename"]
                if any(LEVEL_DEFINED in word for source in target["target_sources"] for word in source.get("parameters", []))}
    programs = [Program(str(root), entry, targets, of_level) for entry in introspect(build, "tests")]
    # Rooms may call their tests alike.
    counts = collections.Counter(program.name for program in programs)
    for program in programs:
        if counts[program.name] > 1:
            program.name = f"{program.name} of {program.suites[-1]}"
    return programs
