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


def supported(node):
    return "vulkan" in (node.get("supported") or node.get("api") or "").split(",")


def commands_of_xml(root):
    """Every command of a core version or a supported extension, with its core versions and its extensions."""
    found = collections.defaultdict(set)
    for owner in root.findall("feature") + root.findall("extensions/extension"):
        if supported(owner):
            # A version's name has varied; its number has not.
            name = f"VK_VERSION_{owner.get('number').replace('.', '_')}" if owner.tag == "feature" else owner.get("name")
            for command in owner.findall("require/command"):
                found[command.get("name")].add(name)
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


def newer_names():
    """What newer.table declares: older headers have nothing to say of it."""
    table = pathlib.Path(__file__).resolve().parent.parent / "newer.table"
    return set(re.findall(r"^(?:extension|    (?:value \w+|enum|flags|handle|struct|type|command \w+|command(?= \w+ =))|       ) (\w+)", table.read_text(), re.M))


def add_known(found):
    """Commands of the registry that an extension of newer.table provides, too."""
    table = pathlib.Path(__file__).resolve().parent.parent / "newer.table"
    extension = None
    for line in table.read_text().splitlines():
        words = line.split()
        if words[:1] == ["extension"]:
            extension = words[1]
        elif words[:1] == ["known"]:
            found[words[1]].add(extension)


def grown_extensions():
    """The newer versions of extensions that older headers know."""
    table = pathlib.Path(__file__).resolve().parent.parent / "newer.table"
    return dict(re.findall(r"^grown (\w+) \d+ \w+ (\d+)", table.read_text(), re.M))


def leave_out(facts, newer, text):
    known = set(re.findall(r"\b(?:VK_|Vk|vk)\w+", text))
    for word, column in (("extension", 1), ("enum", 2), ("struct", 0), ("feature", 0), ("handle", 0)):
        facts[word] = [row for row in facts[word] if row[column] in known or row[column] not in newer]


def main():
    program, xml, directory = sys.argv[1:4]
    root = ET.parse(xml).getroot()
    text = read_headers(directory)
    of_xml, of_headers = commands_of_xml(root), commands_of_headers(text)
    add_known(of_xml)
    asked = sorted(set(of_xml) | set(of_headers))
    asked.append("vkNoSuchCommand")
    newer = newer_names()
    output = subprocess.run([program], input="\n".join(asked), capture_output=True, text=True, check=True)
    facts = collections.defaultdict(list)
    for line in output.stdout.splitlines():
        word, *rest = line.split(" ", 1)
        facts[word].append(rest[0].split(" "))

    leave_out(facts, newer, text)
    facts["commands"] = [[int(facts["commands"][0][0]) - sum(name.startswith("vk") and name not in of_xml for name in newer)]]
    report = tap.Tap()
    judge_commands(report, facts, of_xml, of_headers, root)
    judge_extensions(report, facts, text)
    judge_enums(report, facts, text)
    judge_structs(report, facts, text, directory, root)
    return report.done()


def judge_commands(report, facts, of_xml, of_headers, root):
    ours = {row[0]: row[1:] for row in facts["command"] if row[1] != "none"}
    report.case(f"all {len(of_xml)} commands of vk.xml are found, and nothing else",
                set(ours) == set(of_xml) and facts["commands"][0][0] == len(of_xml), difference(ours, of_xml))
    report.case(f"all {len(of_headers)} commands of the headers are found by name",
                set(of_headers) <= set(ours) and len(of_headers) > 500, difference(of_headers, ours))
    wrong = {name: (ours[name][0], kind) for name, kind in of_headers.items() if name in ours and ours[name][0] != kind}
    counts = collections.Counter(row[0] for row in ours.values())
    report.case(f"each is of the kind that its first parameter says ({dict(counts)})", not wrong, wrong)
    report.case("an unknown name is not found", ["vkNoSuchCommand", "none"] in facts["command"])

    aliases = {c.get("name"): c.get("alias") for c in root.findall("commands/command") if c.get("alias")}
    bad = [a for a, target in aliases.items() if a in ours and ours[a][:2] != ours[target][:2]]
    report.case(f"{len(aliases)} aliases share the slot of their command", not bad, bad)
    plain = [name for name in ours if name not in aliases]
    report.case("no two other commands share a slot", len({tuple(ours[n][:2]) for n in plain}) == len(plain))
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


def judge_extensions(report, facts, text):
    names = dict(re.findall(r'#define (VK_\w+)_EXTENSION_NAME +"(\w+)"', text))
    versions = dict(re.findall(r"#define (VK_\w+)_SPEC_VERSION +(\d+)", text))
    grown = grown_extensions()
    theirs = {(name, max(versions[macro], grown.get(name, ""), key=lambda number: int(number or 0))) for macro, name in names.items()}
    ours = {(row[1], row[2]) for row in facts["extension"]}
    report.case(f"all {len(theirs)} extensions have the headers' names and versions", ours == theirs and len(ours) > 250,
                difference(ours, theirs))


def judge_enums(report, facts, text):
    theirs = enums_of_headers(text)
    ours = collections.defaultdict(dict)
    for enum, value, name in facts["enum"]:
        ours[enum][int(value)] = name
    wrong, count = [], 0
    for enum, values in theirs.items():
        # Enums that stand for a #define or have no value are no tables.
        for value, names in values.items():
            count += 1
            if ours.get(enum, {}).get(value) not in names:
                wrong.append((enum, value, sorted(names), ours.get(enum, {}).get(value)))
    report.case(f"{count} enum values of {len(theirs)} enums have the headers' names", not wrong and count > 2500, wrong[:8])
    extra = [(e, v, n) for e, values in ours.items() for v, n in values.items() if v not in theirs.get(e, {})]
    report.case("no enum value is ours alone", not extra, extra[:8])


def judge_structure_types(report, ours, header):
    if not header.exists():
        report.skip("sTypes are those of vulkan.hpp", f"there is no {header}")
        return
    pairs = re.findall(r"using NativeType = Vk(\w+);\s+static [^;]*;\s+"
                       r"static [^;]* structureType\s*= StructureType::e(\w+);", header.read_text())

    def squeeze(text):
        return text.replace("VK_STRUCTURE_TYPE_", "").replace("_", "").lower()

    wrong = [(name, value, ours.get("Vk" + name)) for name, value in pairs
             if squeeze(ours.get("Vk" + name, "")) != squeeze(value)]
    report.case(f"{len(pairs)} sTypes are those of vulkan.hpp", not wrong and len(pairs) > 700, wrong[:8])


def judge_structs(report, facts, text, directory, root):
    theirs = structs_of_headers(text)
    ours = {row[0]: row[1] for row in facts["struct"]}
    # The two with an abstract sType, and the loader's, have none of their own.
    theirs = {name: members for name, members in theirs.items() if name not in ("VkBaseInStructure", "VkBaseOutStructure")}
    report.case(f"all {len(theirs)} structures with an sType are known", set(ours) == set(theirs), difference(ours, theirs))

    judge_structure_types(report, ours, pathlib.Path(directory) / "vulkan_structs.hpp")

    chained = {t.get("name") for t in root.findall("types/type[@structextends]")
               if "VkPhysicalDeviceFeatures2" in t.get("structextends").split(",")}
    # Structures of other platforms and of provisional extensions are not declared on Linux.
    declared = structs_of_headers(read_headers(directory, ("core", "xcb", "xlib", "xlib_xrandr", "wayland")))
    chained &= set(declared)
    expected = {(s, m) for s in chained for m in declared[s]}
    core = re.search(r"typedef struct VkPhysicalDeviceFeatures \{(.*?)\}", text, re.S)[1]
    expected |= {("VkPhysicalDeviceFeatures2", m) for m in re.findall(r"VkBool32 +(\w+);", core)}
    given = {(row[0], row[1]) for row in facts["feature"]}
    # A tag stands after the name of a feature that another author's structure also has.
    missing = [(s, m) for s, m in expected if not any((s, m + tag) in given for tag in ("", "EXT", "NV", "KHR"))]
    report.case(f"all {len(expected)} members of {len(chained) + 1} feature structures are known",
                not missing and len(given) == len(expected), missing)

    handles = set(re.findall(r"VK_DEFINE_(?:NON_DISPATCHABLE_)?HANDLE\((Vk\w+)\)", text))
    dispatchable = set(re.findall(r"VK_DEFINE_HANDLE\((Vk\w+)\)", text))
    ours = {row[0]: row[2] == "1" for row in facts["handle"]}
    report.case(f"all {len(handles)} handle types are known", set(ours) == handles and
                {n for n, d in ours.items() if d} == dispatchable, difference(ours, handles))


sys.exit(main())
