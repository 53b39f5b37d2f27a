"""Judges the tables that the runtime generates: counted again from vk.xml by the shortest possible reading, and compared
with Khronos's own C and C++ headers, which another generator made from the same registry.

    judge_registry.py DUMP_PROGRAM VK_XML HEADER_DIRECTORY
"""
import collections
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import tap

KINDS = {"VkInstance": "instance", "VkPhysicalDevice": "physical_device", "VkDevice": "device", "VkQueue": "device",
         "VkCommandBuffer": "device", "VkExternalComputeQueueNV": "device"}


TABLES = [pathlib.Path(__file__).resolve().parent.parent / name for name in ("surface.table", "newer.table")]


class Surface:
    """What our tables say of the registry's part that is ours, by the shortest possible reading."""

    def __init__(self):
        text = "\n".join(table.read_text() for table in TABLES)
        self.versions = dict(re.findall(r"^extension (\w+) \d+ \w+ (\d+)", text, re.M)) | dict(re.findall(r"^grown (\w+) \d+ \w+ (\d+)", text, re.M))
        self.without = {name for line in re.findall(r"^    (?:without|nameless) (.*)", text, re.M) for name in line.split()}
        self.unconditional = set(re.findall(r"^extension (\w+) [^\n]*\n(?:    (?:needs|promoted) [^\n]*\n)*    unconditional", text, re.M))
        self.newer = set(re.findall(r"^(?:extension|    (?:value \w+|enum|flags|handle|struct|type|command \w+|command(?= \w+ =))|       ) (\w+)",
                                    TABLES[1].read_text(), re.M))

    def has(self, name):
        version = re.fullmatch(r"VK_(?:[A-Z]+_)?VERSION_1_(\d+)", name)
        return int(version[1]) <= 4 if version else name in self.versions

    def meets(self, require):
        for key in ("depends", "extension", "feature"):
            terms = re.sub(r"[\w:]+", lambda m: str(self.has(m[0])), require.get(key) or "")
            if terms and not eval(terms.replace("+", " and ").replace(",", " or ")):  # pylint: disable=eval-used
                return False
        return "vulkan" in (require.get("api") or "vulkan").split(",")

    def blocks(self, root):
        """(owner, block) of the versions and extensions that are ours."""
        for owner in root.findall("feature") + root.findall("extensions/extension"):
            # A version's name has varied; its number has not.
            name = f"VK_VERSION_{owner.get('number').replace('.', '_')}" if owner.tag == "feature" else owner.get("name")
            if "vulkan" in (owner.get("supported") or owner.get("api") or "").split(",") and self.has(name):
                yield from ((name, require) for require in owner.findall("require") if self.meets(require))

    def names(self, root, tag):
        """Name -> the versions and extensions that bring it."""
        found = collections.defaultdict(set)
        for owner, require in self.blocks(root):
            for node in require.findall(tag):
                if node.get("name") not in self.without and (tag != "enum" or node.get("extends")):
                    found[node.get("name")].add(owner)
                    # One that stands with another author's extension is its own author's, too.
                    found[node.get("name")] |= {name for name in re.findall(r"VK_\w+", " ".join(require.attrib.values()))
                                                if tag == "command" and node.get("name").endswith(name.split("_")[1])}
        return found


def read_headers(directory, names=("*",)):
    paths = sorted(path for name in names for path in pathlib.Path(directory).glob(f"vulkan_{name}.h"))
    return "\n".join(path.read_text() for path in paths)


def commands_of_headers(text):
    found = {}
    for name, params in re.findall(r"VKAPI_ATTR [^;(]*VKAPI_CALL (vk\w+)\(\s*([^;]*?)\);", text):
        found[name] = KINDS.get(params.split()[0], "instance")
    return found


def enums_of_headers(text):
    """enum -> value -> names; aliases are names of the same value."""
    enums = collections.defaultdict(lambda: collections.defaultdict(set))
    for enum, body in re.findall(r"typedef enum (\w+) \{(.*?)\} \w+;", text, re.S):
        values = {}
        for name, value in re.findall(r"(VK_\w+) = ([^,\n]+)", body):
            if "_MAX_ENUM" not in name:
                values[name] = values[value] if value in values else value
        for name, value in values.items():
            if value in values:
                value = values[value]
            if not value.startswith("VK_"):
                enums[enum][int(value, 0)].add(name)
        late = {n: v for n, v in values.items() if v.startswith("VK_")}
        for name, value in late.items():
            target = next((k for k, names in enums[enum].items() if value in names), None)
            if target is not None:
                enums[enum][target].add(name)
    for enum, name, value in re.findall(r"static const (\w+FlagBits\w*) (VK_\w+) = (0x[0-9a-fA-F]+|\d+)ULL;", text):
        enums[enum][int(value, 0)].add(name)
    return enums


def structs_of_headers(text):
    """Structures with an sType -> their VkBool32 members."""
    found = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \w+;", text, re.S):
        members = [line.rstrip(";").split() for line in body.strip().splitlines() if line.strip()]
        if members and members[0][0] == "VkStructureType":
            found[name] = [member[1] for member in members if member[0] == "VkBool32"]
    return found


def difference(ours, theirs):
    ours, theirs = set(ours), set(theirs)
    return f"only ours: {sorted(ours - theirs)[:8]}\nonly theirs: {sorted(theirs - ours)[:8]}"


def add_known(found):
    """Commands of the registry that an extension of newer.table provides, too."""
    extension = None
    for line in TABLES[1].read_text().splitlines():
        words = line.split()
        if words[:1] == ["extension"]:
            extension = words[1]
        elif words[:1] == ["known"] and words[1].startswith("vk"):
            found[words[1]].add(extension)


def newer_aliases():
    """Names that newer.table says are others of the registry's."""
    return dict(re.findall(r"^    (?:value \w+|type|command) (\w+) = (\w+)", TABLES[1].read_text(), re.M))


def leave_out(facts, newer, text):
    """What newer.table declares and these headers do not know."""
    known, aliases = set(re.findall(r"\b(?:VK_|Vk|vk)\w+", text)), newer_aliases()
    for word, column in (("extension", 1), ("enum", 2), ("struct", 0), ("feature", 0), ("handle", 0)):
        facts[word] = [row for row in facts[word] if row[column] in known or row[column] not in newer or aliases.get(row[column]) in known]


def main():
    program, xml, directory = sys.argv[1:4]
    root, surface = ET.parse(xml).getroot(), Surface()
    text = read_headers(directory)
    of_xml, of_headers = surface.names(root, "command"), commands_of_headers(text)
    add_known(of_xml)
    output = subprocess.run([program], input="\n".join([*sorted(set(of_xml) | set(of_headers)), "vkNoSuchCommand"]), capture_output=True,
                            text=True, check=True)
    facts = collections.defaultdict(list)
    for line in output.stdout.splitlines():
        word, *rest = line.split(" ", 1)
        facts[word].append(rest[0].split(" "))

    leave_out(facts, surface.newer, text)
    facts["commands"] = [[int(facts["commands"][0][0]) - sum(name.startswith("vk") and name not in of_xml for name in surface.newer)]]
    report = tap.Tap()
    judge_commands(report, facts, of_xml, of_headers, root)
    judge_extensions(report, facts, text, surface)
    judge_enums(report, facts, text, set(surface.names(root, "enum")))
    judge_structs(report, facts, text, directory, root, set(surface.names(root, "type")))
    return report.done()


def judge_commands(report, facts, of_xml, of_headers, root):
    ours = {row[0]: row[1:] for row in facts["command"] if row[1] != "none"}
    report.case(f"all {len(of_xml)} commands of our part of vk.xml are found, and nothing else",
                set(ours) == set(of_xml) and facts["commands"][0][0] == len(of_xml) and len(of_xml) > 400, difference(ours, of_xml))
    wrong = {name: (ours[name][0], kind) for name, kind in of_headers.items() if name in ours and ours[name][0] != kind}
    counts = collections.Counter(row[0] for row in ours.values())
    report.case(f"each is of the kind that its first parameter says in the headers ({dict(counts)})", not wrong, wrong)
    report.case("an unknown name is not found", ["vkNoSuchCommand", "none"] in facts["command"])

    aliases = newer_aliases() | {c.get("name"): c.get("alias") for c in root.findall("commands/command") if c.get("alias")}
    bad = [a for a, target in aliases.items() if a in ours and target in ours and ours[a][:2] != ours[target][:2]]
    report.case(f"{len(aliases)} aliases share the slot of their command", not bad, bad)

    def meaning(name):
        while name in aliases:
            name = aliases[name]
        return name

    slots, meanings = {tuple(row[:2]) for row in ours.values()}, {meaning(name) for name in ours}
    report.case("no two other commands share a slot", len(slots) == len(meanings), (len(slots), len(meanings)))
    globals_ = sorted(name for name, row in ours.items() if row[2] == "1")
    report.case("four commands need no instance", globals_ == [
        "vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties",
        "vkEnumerateInstanceVersion"], globals_)

    wrong = []
    for name, owners in of_xml.items():
        named = {item for need in ours[name][3:] for item in need.split("+")}
        if not owners <= named or any(not set(need.split("+")) & owners for need in ours[name][3:]):
            wrong.append((name, sorted(owners), sorted(named)))
    report.case("every command needs a version or an extension that provides it", not wrong, wrong)


def judge_extensions(report, facts, text, surface):
    names = dict(re.findall(r'#define (VK_\w+)_EXTENSION_NAME +"(\w+)"', text))
    versions = {names[macro]: int(number) for macro, number in re.findall(r"#define (VK_\w+)_SPEC_VERSION +(\d+)", text) if macro in names}
    ours = {row[1]: int(row[2]) for row in facts["extension"]}
    report.case(f"our {len(ours)} extensions are those of the tables, in their versions",
                ours == {name: int(surface.versions[name]) for name in ours} and len(ours) > 150, difference(ours, surface.versions))
    # Headers may know an earlier version (newer.table has the rest) or a later one, of which we take nothing.
    unknown = [name for name in ours if name not in versions and name not in surface.newer]
    late = [name for name in ours if ours[name] > versions.get(name, 0) and name not in surface.newer and f"grown {name} " not in TABLES[1].read_text()]
    report.case("the headers have each under that name, in that version or a later one", not unknown and not late, (unknown, late))


def judge_enums(report, facts, text, required):
    theirs = enums_of_headers(text)
    same = {name: names for values in theirs.values() for names in values.values() for name in names}
    for name, other in newer_aliases().items():
        if other in same and name not in same:
            same[other].add(name)
            same[name] = same[other]
    wrong, given = [], set()
    for enum, value, name in facts["enum"]:
        # Headers that have promoted an enumeration have it under another name.
        names = same.get(name, set())
        given |= names
        if not any(int(value) in values and name in values[int(value)] for values in theirs.values()):
            wrong.append((enum, value, name, sorted(names)))
    report.case(f"{len(facts['enum'])} enum values have the headers' names and numbers", not wrong and len(facts["enum"]) > 1600, wrong[:8])
    nameless = set().union(*theirs.get("VkDriverId", {0: set()}).values(), *theirs.get("VkVendorId", {0: set()}).values())
    missing = sorted(name for name in required & set(same) if name not in given | nameless)
    report.case("every value that our part of vk.xml adds to an enumeration has a name", not missing, missing[:8])


def judge_structure_types(report, ours, header):
    if not header.exists():
        report.skip("sTypes are those of vulkan.hpp", f"there is no {header}")
        return
    pairs = re.findall(r"using NativeType = Vk(\w+);\s+static [^;]*;\s+"
                       r"static [^;]* structureType\s*= StructureType::e(\w+);", header.read_text())

    def squeeze(text):
        return text.replace("VK_STRUCTURE_TYPE_", "").replace("_", "").lower()

    pairs = [(name, value) for name, value in pairs if "Vk" + name in ours]
    wrong = [(name, value, ours["Vk" + name]) for name, value in pairs if squeeze(ours["Vk" + name]) != squeeze(value)]
    report.case(f"{len(pairs)} sTypes are those of vulkan.hpp", not wrong and len(pairs) > 400, wrong[:8])


def judge_structs(report, facts, text, directory, root, required):
    ours = {row[0]: row[1] for row in facts["struct"]}
    aliases = newer_aliases() | {node.get("name"): node.get("alias") for node in root.findall("types/type[@alias]")}
    other = collections.defaultdict(set)
    for name in {*aliases, *aliases.values()}:
        target = name
        while target in aliases:
            target = aliases[target]
        other[target].add(name)
    spellings = {name: names for names in other.values() for name in names}
    typed = {node.get("name") for node in root.findall("types/type[@category='struct']")
             if node.findtext("member/name") == "sType" and node.find("member").get("values")}
    typed = {name for name in required if spellings.get(name, {name}) & typed}
    missing = sorted(name for name in typed if not spellings.get(name, {name}) & set(ours))
    strange = sorted(name for name in ours if name not in newer_aliases() and not spellings.get(name, {name}) & typed)
    report.case(f"all {len(typed)} structures with an sType in our part of vk.xml are known, and no others",
                not missing and not strange and len(ours) > 400, (missing[:8], strange[:8]))

    judge_structure_types(report, ours, pathlib.Path(directory) / "vulkan_structs.hpp")

    chained = {t.get("name") for t in root.findall("types/type[@structextends]")
               if "VkPhysicalDeviceFeatures2" in t.get("structextends").split(",")}
    given = collections.defaultdict(set)
    for struct, member in facts["feature"]:
        given[struct].add(member)
    declared = structs_of_headers(read_headers(directory, ("core", "xcb", "xlib", "xlib_xrandr", "wayland")))
    expected = {next(iter(spellings.get(s, {s}) & set(ours))): declared[s] for s in chained if spellings.get(s, {s}) & set(ours) and s in declared}
    core = re.search(r"typedef struct VkPhysicalDeviceFeatures \{(.*?)\}", text, re.S)[1]
    expected["VkPhysicalDeviceFeatures2"] = re.findall(r"VkBool32 +(\w+);", core)
    # A tag stands after the name of a feature that another author's structure also has.
    missing = [(s, m) for s, members in expected.items() for m in members if not given[s] & {m + tag for tag in ("", "EXT", "NV", "KHR")}]
    count = sum(len(members) for members in expected.values())
    report.case(f"all {count} members of {len(expected)} feature structures are known",
                not missing and sum(len(members) for members in given.values()) == count and count > 300, missing)

    handles = set(re.findall(r"VK_DEFINE_(?:NON_DISPATCHABLE_)?HANDLE\((Vk\w+)\)", text))
    dispatchable = set(re.findall(r"VK_DEFINE_HANDLE\((Vk\w+)\)", text))
    ours = {row[0]: row[2] == "1" for row in facts["handle"]}
    strange = sorted(name for name in ours if name not in handles or ours[name] != (name in dispatchable))
    missing = sorted(name for name in handles & required if not spellings.get(name, {name}) & set(ours))
    report.case(f"all {len(ours)} handle types of our part are known", not strange and not missing and len(ours) > 30, (strange, missing))


sys.exit(main())
