"""Reads vk.xml into plain objects for the gen_*.py programs beside it: commands, structures, enums, handles, extensions.

What is read is not the file itself but what vk_surface.py makes of it: the same of every registry from 1.3.239 on. Knows nothing of
what is generated.
"""
import argparse
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

import vk_newer
import vk_surface
from vk_surface import item_of, parse_alternatives

# The loader's own commands have no handle to dispatch on: they belong to the instance kind.
KINDS = ("instance", "physical_device", "device")
KIND_OF_HANDLE = {
    "VkInstance": "instance",
    "VkPhysicalDevice": "physical_device",
    "VkDevice": "device",
    "VkQueue": "device",
    "VkCommandBuffer": "device",
    "VkExternalComputeQueueNV": "device",
}


@dataclass
class Param:
    name: str
    type: str
    declaration: str  # as C declares it: "const float blendConstants[4]"
    pointer: bool
    const: bool
    length: str = ""  # the registry's `len`
    count: str = ""  # the same as a C expression, where it is a formula


@dataclass
class Command:
    name: str
    returns: str
    params: list
    canonical: str = ""  # the name whose slot it shares; its own where it is no alias
    kind: str = ""
    platform: str = ""  # the define that guards it, of the canonical name
    levels: list = field(default_factory=list)  # "primary", "secondary": which command buffers may record it
    # Any of these sets suffices; a set holds ("version", (1, 1)) and ("extension", name) items, all needed.
    alternatives: list = field(default_factory=list)

    @property
    def slot(self):
        return self.canonical[2:]

    @property
    def is_global(self):
        return self.kind == "instance" and (not self.params or self.params[0].type != "VkInstance")


@dataclass
class Member:
    name: str
    type: str
    pointer: bool
    array: bool
    declaration: str = ""  # as C declares it
    length: str = ""  # the registry's `len`
    count: str = ""  # the same as a C expression, where it is a formula
    selector: str = ""  # of a union: the member that says which one counts
    selection: list = field(default_factory=list)  # in a union: the selector's values for this member


@dataclass
class Struct:
    name: str
    structure_type: str  # VK_STRUCTURE_TYPE_… or "" where it has no sType
    members: list
    extends: list
    platform: str = ""
    aliases: list = field(default_factory=list)


@dataclass
class Enum:
    name: str
    bitmask: bool
    bits: int
    values: dict = field(default_factory=dict)  # value -> name


@dataclass
class Handle:
    name: str
    object_type: str
    dispatchable: bool
    parent: str
    platform: str = ""


@dataclass
class Extension:
    name: str
    number: int
    kind: str  # "instance" or "device"
    spec_version: int
    platform: str
    promoted_to: str
    needs: list  # clauses, all needed; a clause is a list of items of which one suffices

    @property
    def field(self):
        return self.name[3:]


def clauses_of(alternatives):
    """The same condition the other way round: all of the clauses, one item of each."""
    clauses = [[]]
    for alternative in alternatives:
        clauses = [clause + [item] for clause in clauses for item in sorted(alternative)]
    unique = {tuple(sorted(set(clause))) for clause in clauses}
    # A clause that contains another one says nothing more.
    return [list(c) for c in sorted(unique) if not any(set(o) < set(c) for o in unique)]


class Registry:
    def __init__(self, path):
        root = ET.parse(path).getroot()
        vk_newer.merge(root)
        self.root = vk_surface.reduce(root)
        self.platforms = {p.get("name"): p.get("protect") for p in self.root.findall("platforms/platform")}
        self.tags = [t.get("name") for t in self.root.findall("tags/tag")]
        self.versions = []  # (1, 0), (1, 1), …
        self.extensions = []
        self.commands = {}
        self.structs = {}
        self.unions = {}  # name -> Struct without sType
        self.enums = {}
        self.handles = {}
        self.flags = {}  # VkXFlags -> (VkXFlagBits or "", bits)
        self.guards = {}  # type or command -> platform define, where a supported extension with a platform introduces it
        self.known = {}  # types and commands that some supported version or extension requires, in their order there
        self.provisions = {}  # command -> alternatives
        self.base_types = {}

        blocks = self._blocks()
        self._read_requirements(blocks)
        self._read_types()
        self._read_enums()
        self._read_commands()

    # A block is one <require> of a version or an extension, with the condition under which it counts.
    def _blocks(self):
        blocks = []
        for feature in self.root.findall("feature"):
            version = tuple(int(part) for part in feature.get("number").split("."))
            self.versions.append(version)
            blocks += [(require, self._conditions(("version", version), require), "") for require in feature.findall("require")]
        for node in self.root.findall("extensions/extension"):
            extension = self._read_extension(node)
            self.extensions.append(extension)
            own = ("extension", extension.name)
            blocks += [(require, self._conditions(own, require), extension.platform) for require in node.findall("require")]
        self.extensions.sort(key=lambda extension: extension.name)
        return blocks

    @staticmethod
    def _conditions(owner, require):
        more = parse_alternatives(require.get("depends")) if require.get("depends") else [frozenset()]
        return [alternative | {owner} for alternative in more]

    def _read_extension(self, node):
        spec_version = int(next(e.get("value") for e in node.iter("enum")))
        needs = clauses_of(parse_alternatives(node.get("depends"))) if node.get("depends") else []
        return Extension(name=node.get("name"), number=int(node.get("number")), kind=node.get("type"), spec_version=spec_version,
                         platform=self.platforms.get(node.get("platform"), ""), promoted_to=node.get("promotedto") or "", needs=needs)

    def _read_requirements(self, blocks):
        """Which types and commands exist, behind which guard, and which conditions provide a command."""
        for require, conditions, platform in blocks:
            for node in require:
                if node.tag not in ("type", "command"):
                    continue
                name = node.get("name")
                first = name not in self.known
                self.known.setdefault(name, len(self.known))
                # What any unguarded block introduces is always declared.
                if not platform:
                    self.guards.pop(name, None)
                elif first:
                    self.guards[name] = platform
                if node.tag == "command":
                    provided = self.provisions.setdefault(name, [])
                    provided.extend(c for c in conditions if c not in provided)

    def _read_types(self):
        for node in self.root.findall("types/type"):
            name, category = node.get("name"), node.get("category")
            if category == "struct" and node.get("alias"):
                if node.get("alias") in self.structs:
                    self.structs[node.get("alias")].aliases.append(name)
            elif category == "struct":
                self._read_struct(node, name)
            elif category == "union" and not node.get("alias"):
                self.unions[name] = Struct(name, "", [read_member(m) for m in node.findall("member")], [],
                                           self.guards.get(name, ""))
            elif category == "handle" and not node.get("alias"):
                self.handles[name] = Handle(name, node.get("objtypeenum"), node.findtext("type") == "VK_DEFINE_HANDLE",
                                            node.get("parent") or "", self.guards.get(name, ""))
            elif category == "bitmask" and not node.get("alias"):
                bits = 64 if node.findtext("type") == "VkFlags64" else 32
                self.flags[name] = (node.get("bitvalues") or "", bits)
            elif category == "basetype":
                self.base_types[name] = node.findtext("type")

    def _read_struct(self, node, name):
        members = []
        structure_type = ""
        for member in node.findall("member"):
            members.append(read_member(member))
            if member.findtext("name") == "sType":
                structure_type = (member.get("values") or "").split(",")[0]
        self.structs[name] = Struct(name, structure_type, members, (node.get("structextends") or "").split(","),
                                    self.guards.get(name, ""))

    def _read_enums(self):
        for node in self.root.findall("enums"):
            enum = Enum(node.get("name"), node.get("type") == "bitmask", int(node.get("bitwidth")))
            self.enums[enum.name] = enum
            for value in node.findall("enum"):
                number = int(value.get("value"), 0) if value.get("value") else 1 << int(value.get("bitpos"))
                enum.values.setdefault(number, value.get("name"))

    def _read_commands(self):
        aliases = {}
        for node in self.root.findall("commands/command"):
            if node.get("alias"):
                aliases[node.get("name")] = node.get("alias")
                continue
            name = node.findtext("proto/name")
            params = [read_param(p) for p in node.findall("param")]
            self.commands[name] = Command(name, node.findtext("proto/type"), params, canonical=name,
                                          levels=(node.get("cmdbufferlevel") or "").split(","))
        for name, target in aliases.items():
            original = self.commands[target]
            self.commands[name] = Command(name, original.returns, original.params, canonical=target)
        self.commands = dict(sorted(self.commands.items()))
        for command in self.commands.values():
            first = command.params[0].type if command.params else ""
            command.kind = KIND_OF_HANDLE.get(first, "instance")
            command.alternatives = self.provisions[command.name]
            command.platform = self.guards.get(command.canonical, "")

    def slots(self, kind):
        """One command per slot, in a fixed order: the canonical ones of this kind."""
        return [c for c in self.commands.values() if c.kind == kind and c.canonical == c.name]

    def aliases_of(self, command):
        return [c for c in self.commands.values() if c.canonical == command.name and c is not command]

    def tag_of(self, name):
        """The author's tag at the end of a name, or an empty string."""
        return next((tag for tag in sorted(self.tags, key=len, reverse=True) if name.endswith(tag)), "")

    def author_of(self, struct):
        """The tag of an extension's structure that no version has taken over; of others an empty string."""
        tags = [self.tag_of(name) for name in (struct.name, *struct.aliases)]
        return tags[0] if all(tags) else ""


def declaration_of(node):
    parts = [node.text or ""]
    for child in node:
        parts.append("".join(child.itertext()))
        parts.append(child.tail or "")
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def read_param(node):
    text = declaration_of(node)
    return Param(node.findtext("name"), node.findtext("type"), text, "*" in text or "[" in text, text.startswith("const"),
                 node.get("len") or "", node.get("altlen") or node.get("len") or "")


def read_member(node):
    text = declaration_of(node)
    return Member(node.findtext("name"), node.findtext("type"), "*" in text, "[" in text, text, node.get("len") or "",
                  node.get("altlen") or node.get("len") or "", node.get("selector") or "",
                  (node.get("selection") or "").split(","))


class StringPool:
    """Many strings as one array of characters: offsets need no relocation when the library is loaded."""

    def __init__(self):
        self.offsets = {}
        self.size = 0

    def add(self, text):
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.size += len(text) + 1
        return self.offsets[text]

    def definition(self, name):
        lines = [f'    "{text}\\0"' for text in self.offsets]
        return f"static const char {name}[] =\n" + "\n".join(lines or ['    ""']) + ";\n"


def guarded(platform, line, otherwise=None):
    if not platform:
        return line
    middle = f"\n#else\n{otherwise}" if otherwise is not None else ""
    return f"#ifdef {platform}\n{line}{middle}\n#endif"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def arguments(description, outputs, extra=None):
    """The command line that all generators share: the registry, then one option for each output."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--xml", required=True, help="vk.xml")
    for output in outputs:
        parser.add_argument(f"--{output}", required=True, help=f"the {output} file to write")
    for name, text in (extra or {}).items():
        parser.add_argument(f"--{name}", required=True, help=text)
    return parser.parse_args()
