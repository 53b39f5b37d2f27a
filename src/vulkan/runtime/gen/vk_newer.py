"""Reads newer.table: extensions that the installed registry may not know, or knows in an earlier version. merge() adds what it
lacks to the registry's tree, as elements of vk.xml, so that all else reads one registry."""
import pathlib
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

TABLE = pathlib.Path(__file__).with_name("newer.table")


@dataclass
class Row:
    kind: str  # value, enum, flags, handle, struct, type, command, known
    words: list
    condition: str  # of `when`
    lines: list = field(default_factory=list)  # what stands below it

    @property
    def is_alias(self):
        return "=" in self.words

    @property
    def alias(self):
        return self.words[-1]


@dataclass
class Extension:
    name: str
    number: str
    type: str  # instance, device, or version: then it is one of Vulkan itself
    version: str
    is_grown: bool = False  # the rows are what this version has beyond an earlier one
    needs: str = ""
    promoted: str = ""
    unconditional: bool = False  # what its blocks bring is there without what they depend on
    without: list = field(default_factory=list)  # what is left out of them
    primary: list = field(default_factory=list)  # commands that primary command buffers alone may record
    nameless: list = field(default_factory=list)  # enumerations whose values have no names here
    extends: dict = field(default_factory=dict)  # of a structure those that it extends
    rows: list = field(default_factory=list)

    @property
    def version_name(self):
        return f"{self.name.upper()}_SPEC_VERSION"


@dataclass
class Declared:
    """A member or a parameter."""

    text: str  # as C declares it
    name: str
    type: str
    length: str


def declared(line):
    match = re.fullmatch(r"(.*?)(?: \[([^\]]+)\])?", line)
    text, length = match[1], match[2] or ""
    name = re.search(r"(\w+)(?:\[\w+\])*$", text)[1]
    kind = re.sub(r"\b(?:const|struct)\b", "", text).split("*")[0].split()[0]
    return Declared(text, name, kind, length)


def read(path=TABLE):
    extensions = []
    condition = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        depth = len(line) - len(line.lstrip())
        if words[0] == "core":
            extensions.append(Extension("core", "0", "", "0"))
        elif words[0] == "version":
            extensions.append(Extension(words[1], "0", "version", "0"))
            condition = ""
        elif words[0] in ("extension", "grown"):
            extensions.append(Extension(*words[1:], is_grown=words[0] == "grown"))
            condition = ""
        elif depth == 8:
            extensions[-1].rows[-1].lines.append(line.strip())
        elif words[0] == "when":
            condition = words[1]
        elif words[0] in ("needs", "promoted"):
            setattr(extensions[-1], words[0], words[1])
        elif words[0] == "unconditional":
            extensions[-1].unconditional = True
        elif words[0] in ("without", "primary", "nameless"):
            getattr(extensions[-1], words[0]).extend(words[1:])
        elif words[0] == "extends":
            extensions[-1].extends[words[1]] = words[2:]
        else:
            extensions[-1].rows.append(Row(words[0], words[1:], condition))
    return extensions


def number_attributes(words):
    """Of `bit N`, `N` or `= NAME`."""
    if words[0] == "=":
        return {"alias": words[1]}
    return {"bitpos": words[1]} if words[0] == "bit" else {"value": words[0]}


def element(parent, tag, attributes=None, **more):
    return ET.SubElement(parent, tag, {**(attributes or {}), **{k: v for k, v in more.items() if v}})


def add_declared(parent, tag, line):
    item = declared(line)
    node = element(parent, tag, {"len": item.length} if item.length else {})
    before, after = item.text.split(item.type, 1)
    between, dimensions = re.fullmatch(r"(.*?)\b" + item.name + r"((?:\[\w+\])*)", after).groups()
    node.text = before
    kind = element(node, "type")
    kind.text, kind.tail = item.type, between
    name = element(node, "name")
    name.text, name.tail = item.name, dimensions
    return node


def add_struct(types, row):
    name, structure_type = row.words[:2]
    extends = ",".join(row.words[3:])
    node = element(types, "type", {"category": "struct", "name": name}, structextends=extends)
    if structure_type != "-":
        add_declared(node, "member", "VkStructureType sType").set("values", structure_type)
        add_declared(node, "member", "const void* pNext")
    for line in row.lines:
        add_declared(node, "member", line)


def add_command(commands, row):
    returns, name, *levels = row.words
    node = element(commands, "command", cmdbufferlevel=",".join(levels))
    proto = element(node, "proto")
    element(proto, "type").text = returns
    element(proto, "name").text = name
    for line in row.lines:
        add_declared(node, "param", line)


def add_row(root, row):
    """What the row declares; the name that a <require> lists, and as what."""
    types, commands = root.find("types"), root.find("commands")
    name = row.words[0]
    if row.kind == "value":
        return "enum", {"extends": name, "name": row.words[1], **number_attributes(row.words[2:])}
    if row.kind == "known":
        return "type" if name.startswith("Vk") else "command", {"name": name}
    if row.kind == "command":
        if row.is_alias:
            element(commands, "command", {"name": name, "alias": row.alias})
        else:
            add_command(commands, row)
            name = row.words[1]
        return "command", {"name": name}
    if row.kind == "type":
        found = next(t for t in types if (t.get("name") or t.findtext("name")) == row.alias)
        element(types, "type", {"category": found.get("category"), "name": name, "alias": row.alias})
    elif row.kind == "struct":
        add_struct(types, row)
    elif row.kind == "enum":
        element(types, "type", {"category": "enum", "name": name})
        enum = element(root, "enums", {"name": name, "type": row.words[1], "bitwidth": row.words[2]})
        for line in row.lines:
            words = line.split()
            element(enum, "enum", {"name": words[0], **number_attributes(words[1:])})
    elif row.kind == "flags":
        node = element(types, "type", {"category": "bitmask"}, bitvalues=row.words[2].strip("-"))
        element(node, "type").text = "VkFlags64" if row.words[1] == "64" else "VkFlags"
        element(node, "name").text = name
    elif row.kind == "handle":
        node = element(types, "type", {"category": "handle", "objtypeenum": row.words[1], "parent": row.words[2]})
        element(node, "type").text = "VK_DEFINE_NON_DISPATCHABLE_HANDLE"
        element(node, "name").text = name
    else:
        raise ValueError(f"a row of the kind {row.kind}")
    return "type", {"name": name}


def node_of(root, extension):
    """Where the extension's rows belong; None where the registry has them."""
    if extension.type == "version":
        if any(f.get("name") == extension.name and "vulkan" in (f.get("api") or "").split(",") for f in root.findall("feature")):
            return None
        number = "%s.%s" % re.fullmatch(r"VK_VERSION_(\d+)_(\d+)", extension.name).groups()
        place = max(i for i, node in enumerate(root) if node.tag == "feature") + 1
        node = ET.Element("feature", {"api": "vulkan", "name": extension.name, "number": number})
        root.insert(place, node)
        return node
    found = next((e for e in root.findall("extensions/extension")
                  if e.get("name") == extension.name and "vulkan" in (e.get("supported") or "").split(",")), None)
    if extension.is_grown:
        version = next(e for e in found.iter("enum") if e.get("name") == extension.version_name)
        if int(version.get("value")) >= int(extension.version):
            return None
        version.set("value", extension.version)
        return found
    if found is not None:
        return None
    node = element(root.find("extensions"), "extension",
                   {"name": extension.name, "number": extension.number, "type": extension.type, "supported": "vulkan"},
                   depends=extension.needs, promotedto=extension.promoted)
    element(element(node, "require"), "enum", {"name": extension.version_name, "value": extension.version})
    return node


def merge(root):
    for extension in read():
        node = node_of(root, extension)
        for row in extension.rows if node is not None else ():
            tag, attributes = add_row(root, row)
            element(element(node, "require", depends=row.condition), tag, attributes)
