"""Which cases of dEQP-VK to run: the names the binary has, less what the must-pass list excludes and what uses a stage that is
not implemented, and of the rest a deterministic sample that reaches every group. Nothing here runs anything."""
import collections
import fnmatch
import glob
import hashlib
import itertools
import math
import os
import re

PACKAGE = "dEQP-VK"

# Names of cases that need what no model implements. They are judged by the name alone, as the must-pass list is all that is known
# of them. Tessellation is not among them: one family has it, and on the others the driver offers nothing or the model stops,
# which is counted apart.
PUT_OFF = re.compile(
    r"(?<![a-z])mesh|(?<![a-z])task"
    r"|(?<![a-z])ray_?(tracing|query|gen)|acceleration_structure|closest_?hit|any_?hit|[._](rgen|r?ahit|r?chit|r?isect|rmiss|rcall)(?![a-z0-9])"
    r"|\.(sect|miss|call)(\.|$)"
    r"|video|sparse|shading_rate", re.IGNORECASE)

EXCLUSION_FILES = ("test-issues.txt", "excluded-tests.txt", "android-tests.txt")  # of the must-pass list vk-default


def read_names(lines):
    """The names in a case list as deqp-vk writes it ("TEST: name", "GROUP: name") or in a bare one."""
    for line in lines:
        line = line.strip()
        if line.startswith("TEST: "):
            yield line[6:]
        elif line.startswith(PACKAGE + "."):
            yield line


def read_exclusions(directory):
    """The patterns of the must-pass list's sources: a directory with *.txt, as external/vulkancts/mustpass/main/src."""
    patterns = []
    for name in EXCLUSION_FILES:
        path = os.path.join(directory, name)
        if not os.path.exists(path):
            raise FileNotFoundError(f"{path}: not a directory of must-pass sources; there are {glob.glob(os.path.join(directory, '*'))}")
        with open(path, encoding="utf-8") as file:
            patterns += [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return patterns


def keep(names, patterns):
    """Names that no pattern excludes and that use nothing unimplemented. Returns the names kept and how many each reason left
    out."""
    excluded = re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns)) if patterns else None
    kept, left = [], collections.Counter()
    for name in names:
        if excluded and excluded.match(name):
            left["must-pass exclusion"] += 1
        elif PUT_OFF.search(name[len(PACKAGE):]):
            left["stage put off"] += 1
        else:
            kept.append(name)
    return kept, left


def order_key(text):
    return hashlib.sha256(text.encode()).digest()[:8]


class Group:
    """A node of the tree of names."""
    def __init__(self, path):
        self.path = path
        self.groups = {}
        self.cases = []

    def add(self, name):
        node = self
        parts = name.split(".")
        for i in range(node.path.count(".") + 1, len(parts) - 1):
            child = node.groups.get(parts[i])
            if child is None:
                child = node.groups[parts[i]] = Group(".".join(parts[:i + 1]))
            node = child
        node.cases.append(name)

    def ordered(self):
        """Every case below, so that any beginning of the sequence is spread evenly over the sub-groups, at every level: the sub-groups take
        turns, in an order that depends on nothing but their names."""
        streams = [(order_key(child.path), child.ordered()) for child in self.groups.values()]
        if self.cases:
            streams.append((order_key(self.path), iter(sorted(self.cases, key=order_key))))
        turns = collections.deque(stream for _, stream in sorted(streams, key=lambda item: item[0]))
        while turns:
            stream = turns.popleft()
            for name in itertools.islice(stream, 1):
                yield name
                turns.append(stream)


def top_group(name):
    return name.split(".", 2)[1]


def shares(sizes, total, minimum):
    """How many cases each group gives: at least `minimum` (or all it has), and the rest by the square root of its size, for two groups have half
    of all cases. {group: size} -> {group: share}; deterministic."""
    given = {group: min(minimum, size) for group, size in sizes.items()}
    while True:
        open_groups = sorted(group for group in sizes if given[group] < sizes[group])
        rest = total - sum(given.values())
        if rest <= 0 or not open_groups:
            return given
        weight = sum(math.sqrt(sizes[group]) for group in open_groups)
        added = {group: min(int(rest * math.sqrt(sizes[group]) / weight), sizes[group] - given[group]) for group in open_groups}
        if not any(added.values()):
            added = {group: 1 for group in open_groups[:rest]}
        for group, count in added.items():
            given[group] += count


def sample(names, total, minimum=20):
    """About `total` of the names, sorted: neighbours share their groups, which deqp-vk builds as a whole."""
    groups = {}
    for name in names:
        top = top_group(name)
        if top not in groups:
            groups[top] = Group(f"{PACKAGE}.{top}")
        groups[top].add(name)
    sizes = collections.Counter(top_group(name) for name in names)
    chosen = []
    for group, share in shares(sizes, total, minimum).items():
        chosen += itertools.islice(groups[group].ordered(), share)
    return sorted(chosen)
