"""Reduces a registry to the part of Vulkan that we offer or name: the versions up to 1.4 and the extensions of surface.table and of
newer.table, each thing under one name. Registries from 1.3.239 on give one and the same tree, whatever was promoted, renamed, split or
added since: what is generated does not depend on the headers that are installed (tests/newest_headers.py).

Knows the registry's schema, old and new; nothing of what is generated from it."""
import itertools
import pathlib
import re
import xml.etree.ElementTree as ET

import vk_newer

TABLE = pathlib.Path(__file__).with_name("surface.table")
NEWEST = (1, 4)
# What came later goes by the names that it had as an extension: older headers have no others.
NEWEST_OF_NAMES = (1, 3)


def supports_vulkan(api):
    return api is None or "vulkan" in api.split(",")


def item_of(name):
    match = re.fullmatch(r"VK_(?:[A-Z]+_)?VERSION_(\d+)_(\d+)", name)
    return ("version", (int(match[1]), int(match[2]))) if match else ("extension", name)


def parse_alternatives(text):
    """`A+B`, `A,B` and parentheses -> a list of sets, any of which suffices."""
    tokens = re.findall(r"[A-Za-z_0-9:]+|[+,()]", text)
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def operand():
        nonlocal position
        token = tokens[position]
        position += 1
        if token == "(":
            inner = alternatives()
            position += 1  # the closing parenthesis
            return inner
        return [frozenset([item_of(token)])]

    def conjunction():
        nonlocal position
        result = operand()
        while peek() == "+":
            position += 1
            right = operand()
            result = [a | b for a in result for b in right]
        return result

    def alternatives():
        nonlocal position
        result = conjunction()
        while peek() == ",":
            position += 1
            result = result + conjunction()
        return result

    return alternatives()


def strip_other_apis(node):
    """Vulkan SC and the like have declarations of their own beside ours."""
    for child in list(node):
        is_ours = supports_vulkan(child.get("supported") if child.tag == "extension" else child.get("api"))
        if child.tag in ("comment", "deprecate", "remove") or not is_ours:
            text = child.tail or ""
            place = list(node).index(child)
            if place:
                node[place - 1].tail = (node[place - 1].tail or "") + text
            else:
                node.text = (node.text or "") + text
            node.remove(child)
        else:
            child.attrib.pop("api", None)
            strip_other_apis(child)


def name_of(node):
    return node.get("name") or node.findtext("name") or node.findtext("proto/name")


def number_of(node, number):
    """The value of an enumeration's constant, or None where it has none of its own."""
    if node.get("offset") is not None:
        value = 1000000000 + (int(node.get("extnumber") or number) - 1) * 1000 + int(node.get("offset"))
        return {"value": str(-value if node.get("dir") == "-" else value)}
    return next(({key: node.get(key)} for key in ("bitpos", "value") if node.get(key) is not None), None)


class Spelling:
    """Names that stand for the same thing, and the one of them that we use: that of the earliest version up to NEWEST_OF_NAMES, else Khronos's,
    else EXT's, else the first of a vendor's, else a later version's."""

    def __init__(self, tags):
        self.tags = sorted(tags, key=len, reverse=True)
        self.target = {}
        self.offered = set()
        self.late = set()  # of these what no version up to NEWEST_OF_NAMES and no extension has
        self.chosen = {}
        self.groups = {}

    def add(self, name, target):
        self.target.setdefault(name, target)

    def root(self, name):
        while name in self.target:
            name = self.target[name]
        return name

    def choose(self):
        for name in [*self.target, *self.offered]:
            self.groups.setdefault(self.root(name), {self.root(name)}).add(name)
        for root, names in self.groups.items():
            self.chosen[root] = min(names, key=lambda name: self.rank(name, root))

    def group(self, name):
        return self.groups.get(self.root(name), {name})

    def tag(self, name):
        return next((tag for tag in self.tags if name.endswith(tag)), "")

    def rank(self, name, root):
        tag = self.tag(name)
        place = {"": 0 if name in self.offered else 2, "KHR": 0, "EXT": 1}.get(tag, 3)
        return name not in self.offered, name in self.late, tag != "" and name in self.offered, place, name != root, name

    def of(self, name):
        return self.chosen.get(self.root(name), name)

    def within(self, text):
        return re.sub(r"\b(?:Vk|VK_|vk)\w+", lambda match: self.of(match[0]), text)


class Surface:
    def __init__(self, root):
        self.root = root
        strip_other_apis(root)
        self.core, *rows = vk_newer.read(TABLE)
        self.extensions = {row.name: row for row in [*rows, *vk_newer.read()] if not row.is_grown and row.type != "version"}
        self.versions = {row.name: row.version for row in vk_newer.read() if row.is_grown}
        self.platforms = {node.get("name"): node.get("platform") for node in root.findall("extensions/extension")}
        self.features = root.findall("feature")
        self.numbers = {}
        self.spelling = Spelling([tag.get("name") for tag in root.findall("tags/tag")])
        self.read_names()
        self.blocks = self.read_blocks()
        for owner, require in self.blocks:
            left_out = (self.core if isinstance(owner, tuple) else owner).without
            for node in [node for node in require if name_of(node) in left_out]:
                require.remove(node)
        early = set()
        for owner, require in self.blocks:
            names = {name_of(node) for node in require}
            self.spelling.offered |= names
            early |= set() if isinstance(owner, tuple) and owner > NEWEST_OF_NAMES else names
        self.spelling.late = self.spelling.offered - early
        # No block lists the values that a version's enumeration began with.
        for node in self.root.findall("enums"):
            if node.get("name") in early and not self.spelling.tag(node.get("name")):
                self.spelling.offered.update(value.get("name") for value in node.findall("enum") if not value.get("alias"))
        self.spelling.choose()

    def read_names(self):
        """What every name of the whole registry stands for."""
        owners = [(node, node.get("number")) for node in self.root.findall("extensions/extension")]
        for owner, number in [*((node, None) for node in self.features), *owners]:
            for node in owner.findall("require/enum"):
                self.read_name(node, number_of(node, number))
        for node in self.root.findall("enums/enum"):
            self.read_name(node, number_of(node, None))
        for node in [*self.root.findall("types/type"), *self.root.findall("commands/command")]:
            self.read_name(node, None)

    def read_name(self, node, number):
        if node.get("alias"):
            self.spelling.add(node.get("name"), node.get("alias"))
        elif number:
            self.numbers.setdefault(node.get("name"), number)

    def read_blocks(self):
        """(owner, <require>) of what we know; the owner is a version or an extension's row."""
        blocks = []
        for feature in self.features:
            version = tuple(int(part) for part in feature.get("number").split("."))
            if version <= NEWEST:
                blocks += [(version, require) for require in feature.findall("require") if self.conditions(require)]
        for node in self.root.findall("extensions/extension"):
            row = self.extensions.get(node.get("name"))
            if row:
                blocks += [(row, require) for require in node.findall("require") if self.conditions(require)]
        return blocks

    def conditions(self, require):
        """The alternatives that we know under which a block counts; empty for never. What a version took over is there with it."""
        conditions = [frozenset()]
        for attribute in ("feature", "extension", "depends"):
            if require.get(attribute):
                conditions = [a | b for a in conditions for b in parse_alternatives(require.get(attribute))]
        known = [c for c in conditions if all(value <= NEWEST if kind == "version" else value in self.extensions for kind, value in c)]
        return [frozenset(choice) for c in known for choice in itertools.product(*(self.also(item) for item in sorted(c)))]

    def also(self, item):
        promoted = item[0] == "extension" and self.extensions[item[1]].promoted
        version = item_of(promoted) if promoted else item
        return [item, version] if version != item and version[0] == "version" and version[1] <= NEWEST else [item]

    def text_of(self, conditions):
        least = {c for c in conditions if not any(other < c for other in conditions)}
        return ",".join(sorted("+".join(sorted(self.item_text(item) for item in c)) for c in least))

    @staticmethod
    def item_text(item):
        return "VK_VERSION_%d_%d" % item[1] if item[0] == "version" else item[1]

    # ---- the tree that is read instead ----

    def tree(self):
        out = ET.Element("registry")
        platforms = ET.SubElement(out, "platforms")
        for node in sorted(self.root.findall("platforms/platform"), key=name_of):
            if node.get("name") in {self.platforms.get(name) for name in self.extensions}:
                ET.SubElement(platforms, "platform", {"name": node.get("name"), "protect": node.get("protect")})
        self.write_commands(out)
        self.write_types(out)
        self.write_owners(out)
        self.write_tags(out)
        return out

    def definitions(self, path):
        """Our name -> the element that defines it."""
        found = {}
        for node in self.root.findall(path):
            if name_of(node) and not node.get("alias"):
                found.setdefault(self.spelling.of(name_of(node)), node)
        return found

    def names_here(self, tag):
        """Our name -> the other names by which blocks of ours have it."""
        found = {}
        for _, require in self.blocks:
            for node in require.findall(tag):
                found.setdefault(self.spelling.of(node.get("name")), set()).add(node.get("name"))
        return found

    def write_commands(self, out):
        commands = ET.SubElement(out, "commands")
        definitions = self.definitions("commands/command")
        for name, others in sorted(self.names_here("command").items()):
            node = definitions[name]
            levels = "primary" if name in self.core.primary else node.get("cmdbufferlevel")
            written = ET.SubElement(commands, "command", {"cmdbufferlevel": levels} if levels else {})
            proto = ET.SubElement(written, "proto")
            ET.SubElement(proto, "type").text = self.spelling.of(node.findtext("proto/type"))
            ET.SubElement(proto, "name").text = name
            for param in node.findall("param"):
                self.write_declared(written, param, ())
            for other in sorted(others - {name}):
                ET.SubElement(commands, "command", {"name": other, "alias": name})

    def write_declared(self, parent, node, keys):
        """A member or a parameter, spelled in one way: registries differ in spaces, in <enum> around the length of an array, which
        has no `len` in the older ones, and in the const of pNext."""
        before, after = (node.text or "").lstrip(), "".join(piece for child in node for piece in self.pieces_after(child))
        kind, name = self.spelling.of(node.findtext("type")), node.findtext("name")
        between, dimensions = after.split("\0")
        if name == "pNext":
            before = "const "
        attributes = {key: self.spelling.within(node.get(key)) for key in keys if node.get(key)}
        if not dimensions or node.tag == "param":
            attributes.update({key: self.spelling.within(node.get(key)) for key in ("len", "altlen") if node.get(key)})
        written = ET.SubElement(parent, node.tag, attributes)
        written.text = before
        for tag, text, tail in (("type", kind, re.sub(r"\s+", " ", between)), ("name", name, dimensions)):
            child = ET.SubElement(written, tag)
            child.text, child.tail = text, tail

    def pieces_after(self, child):
        """What stands behind the type: `* ` and the like, a mark for the name, and dimensions."""
        if child.tag == "name":
            yield "\0"
        elif child.tag == "enum":
            yield self.spelling.of(child.text)
        yield (child.tail or "") if child.tag == "type" else (child.tail or "").rstrip()

    def known_types(self, out, listed, definitions):
        """Those that blocks of ours list, and those that commands and structures take."""
        known = set()
        waiting = [*listed, *(node.text for node in out.iter("type") if node.text)]
        while waiting:
            name = self.spelling.of(waiting.pop())
            if name in known or name not in definitions:
                continue
            known.add(name)
            waiting += [node.text for node in definitions[name].iter("type") if node.text and node is not definitions[name]]
            waiting += [definitions[name].get(key) for key in ("requires", "bitvalues") if definitions[name].get(key)]
        return known

    def write_types(self, out):
        definitions, listed = self.definitions("types/type"), self.names_here("type")
        self.types = self.known_types(out, listed, definitions)
        filled = self.write_enums(out)
        self.types = {name for name in self.types if self.is_whole(definitions[name], filled)}
        types = ET.SubElement(out, "types")
        for name in sorted(self.types):
            node = definitions[name]
            category = node.get("category") or ""
            if category not in ("struct", "union", "handle", "bitmask", "basetype", "enum"):
                continue
            written = ET.SubElement(types, "type", self.type_attributes(node, category, name))
            if category in ("handle", "bitmask", "basetype"):
                ET.SubElement(written, "type").text = node.findtext("type")
            for member in node.findall("member"):
                self.write_declared(written, member, ("values", "selector", "selection"))
            for other in sorted(listed.get(name, set()) - {name}) if category == "struct" else ():
                ET.SubElement(types, "type", {"category": category, "name": other, "alias": name})

    def is_whole(self, node, enums):
        """Enumerations without values of ours, and handles whose kind of object is not ours, are mentioned alone."""
        category = node.get("category")
        if category == "handle":
            return self.spelling.of(node.get("objtypeenum")) in enums["VkObjectType"]
        return category != "enum" or self.spelling.of(name_of(node)) in enums

    def type_attributes(self, node, category, name):
        attributes = {"category": category, "name": name}
        for key in ("objtypeenum", "parent"):
            if node.get(key):
                attributes[key] = self.spelling.within(node.get(key))
        bits = self.spelling.of(node.get("bitvalues") or node.get("requires") or "")
        if category == "bitmask" and bits in self.types:
            attributes["bitvalues"] = bits
        extends = self.core.extends.get(name) or (node.get("structextends") or "").split(",")
        extended = sorted({self.spelling.of(e) for e in extends} & self.types)
        if extended:
            attributes["structextends"] = ",".join(extended)
        return attributes

    def write_enums(self, out):
        """Each with all of its values, wherever these are introduced. Returns those that have any."""
        enums = {}
        for node in self.root.findall("enums"):
            name = self.spelling.of(node.get("name"))
            if node.get("type") in ("enum", "bitmask") and name in self.types and name not in self.core.nameless:
                attributes = {"name": name, "type": node.get("type"), "bitwidth": node.get("bitwidth") or "32"}
                values = {self.value_name(v.get("name"), name): number_of(v, None) for v in node.findall("enum") if not v.get("alias")}
                enums[name] = attributes, values
        for _, require in self.blocks:
            for node in require.findall("enum"):
                enum, name = self.spelling.of(node.get("extends") or ""), self.spelling.of(node.get("name"))
                if enum in enums:
                    enums[enum][1][name] = self.numbers[self.spelling.root(name)]
        for name, (attributes, values) in sorted((name, enum) for name, enum in enums.items() if enum[1]):
            written = ET.SubElement(out, "enums", attributes)
            for value, number in sorted(values.items()):
                ET.SubElement(written, "enum", {"name": value, **number})
        return {name: values for name, (_, values) in enums.items() if values}

    def value_name(self, value, enum):
        """Of a value that came with its enumeration and that no block lists: by the author of the enumeration, where there is such a name."""
        name, tag = self.spelling.of(value), self.spelling.tag(enum)
        if name in self.spelling.offered or not tag:
            return name
        return next((n for n in sorted(self.spelling.group(value)) if self.spelling.tag(n) == tag), name)

    def write_owners(self, out):
        """Versions and extensions with the commands that they bring, and with the types that a platform's extension alone has."""
        unguarded, provisions = ET.Element("require"), self.provisions()
        for version in sorted({owner for owner, _ in self.blocks if isinstance(owner, tuple)}):
            attributes = {"api": "vulkan", "name": self.item_text(("version", version)), "number": "%d.%d" % version}
            node = ET.SubElement(out, "feature", attributes)
            if version == (1, 0):
                node.append(unguarded)
            self.write_provided(node, provisions.get(("version", version), {}))
        extensions = ET.SubElement(out, "extensions")
        guarded = set()
        for row in sorted(self.extensions.values(), key=lambda row: int(row.number)):
            requires = [r for owner, r in self.blocks if owner is row]
            node = self.write_extension(extensions, row)
            self.write_provided(node, provisions.get(("extension", row.name), {}))
            own = {self.spelling.of(t.get("name")) for r in requires for t in r.findall("type")} if self.platforms.get(row.name) else ()
            for name in sorted(self.only_by(row, own)):
                ET.SubElement(node.find("require"), "type", {"name": name})
                guarded.add(name)
        names = {node.get("name") for node in out.findall("types/type")} - guarded
        for name in sorted(names):
            ET.SubElement(unguarded, "type", {"name": name})

    def only_by(self, row, names):
        others = {self.spelling.of(t.get("name")) for owner, r in self.blocks if owner is not row for t in r.findall("type")}
        return set(names) & self.types - others

    def write_extension(self, parent, row):
        attributes = {"name": row.name, "number": row.number, "type": row.type, "supported": "vulkan", "depends": row.needs,
                      "promotedto": row.promoted, "platform": self.platforms.get(row.name) or ""}
        node = ET.SubElement(parent, "extension", {key: value for key, value in attributes.items() if value})
        version = self.versions.get(row.name, row.version)
        ET.SubElement(ET.SubElement(node, "require"), "enum", {"name": row.version_name, "value": version})
        return node

    def provisions(self):
        """(owner, condition) -> commands. An alternative of a command stands with the newest extension that it names."""
        found = {}
        for owner, require in self.blocks:
            for node in require.findall("command"):
                found.setdefault(node.get("name"), set()).update(self.alternatives(node.get("name"), owner, require))
        rows = {}
        for name, alternatives in found.items():
            by_owner = {}
            for alternative in (a for a in alternatives if not any(other < a for other in alternatives)):
                owner = max(alternative, key=lambda item: (item[0] == "extension", self.order(item)))
                by_owner.setdefault(owner, set()).add(alternative - {owner})
            for owner, conditions in by_owner.items():
                rows.setdefault(owner, {}).setdefault(self.text_of(conditions), []).append(name)
        return rows

    def order(self, item):
        return int(self.extensions[item[1]].number) if item[0] == "extension" else item[1]

    def alternatives(self, name, owner, require):
        if isinstance(owner, tuple):
            return [c | {("version", owner)} for c in self.conditions(require)]
        own = ("extension", owner.name)
        if owner.unconditional:
            return [frozenset([own])]
        # One that another author's extension has of this one's making is there with the version that took this one over, too.
        owners = [own] if self.spelling.tag(name) == owner.name.split("_")[1] else self.also(own)
        return [c | {item} for c in self.conditions(require) for item in owners]

    def write_provided(self, node, provided):
        for condition, names in sorted(provided.items()):
            require = ET.SubElement(node, "require", {"depends": condition} if condition else {})
            for name in sorted(names):
                ET.SubElement(require, "command", {"name": name})

    def write_tags(self, out):
        names = {name_of(node) for node in out.findall("types/type")}
        tags = ET.SubElement(out, "tags")
        for tag in sorted(self.spelling.tags):
            if any(name.endswith(tag) for name in names):
                ET.SubElement(tags, "tag", {"name": tag})


def reduce(root):
    return Surface(root).tree()


def main():
    import sys
    root = ET.parse(sys.argv[1]).getroot()
    vk_newer.merge(root)
    tree = reduce(root)
    ET.indent(tree)
    sys.stdout.write(ET.tostring(tree, encoding="unicode") + "\n")


if __name__ == "__main__":
    main()
