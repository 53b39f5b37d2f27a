"""Writes the sets of instance and device extensions (one bool each) and the table of their names, versions and needs."""
from vk_registry import Registry, StringPool, arguments, guarded, item_of, write


def set_type(kind, extensions):
    count = f"VK_{kind.upper()}_EXTENSION_COUNT"
    lines = [f"#define {count} {len(extensions)}", f"struct vk_{kind}_extensions {{", "    union {",
             f"        bool enabled[{count}];", "        struct {"]
    lines += [f"            bool {extension.field};" for extension in extensions]
    return lines + ["        };", "    };", "};", f"enum vk_{kind}_extension {{"] + \
        [f"    VK_{kind.upper()}_EXTENSION_{extension.field}," for extension in extensions] + ["};", ""]


def version_of(version):
    return f"VK_MAKE_API_VERSION(0, {version[0]}, {version[1]}, 0)"


def item_row(item, codes, ends):
    kind, value = item
    version = version_of(value) if kind == "version" else "0"
    code = codes.get(value, 0) if kind == "extension" else 0
    if kind == "extension" and not code:
        raise SystemExit(f"{value} is needed but not supported by this registry")
    return f"    {{{version}, {code}, {str(ends).lower()}}},"


def table(kind, extensions, codes, pool, needs):
    rows = []
    for extension in extensions:
        first = len(needs)
        for clause in extension.needs:
            needs += [item_row(item, codes, index == len(clause) - 1) for index, item in enumerate(clause)]
        promoted = item_of(extension.promoted_to) if extension.promoted_to else ("none", None)
        version = version_of(promoted[1]) if promoted[0] == "version" else "0"
        code = codes.get(promoted[1], 0) if promoted[0] == "extension" else 0
        available = guarded(extension.platform, "     true,", "     false,")
        newline = "\n" if extension.platform else ""
        rows.append(f"    {{{pool.add(extension.name)}, {extension.spec_version}, {version}, {code}, {first}, "
                    f"{len(needs) - first}, {newline}{available}{newline}}}, "
                    f"/* {extension.name} */")
    name = f"vk_{kind}_extension_infos"
    return [f"const struct vk_extension_info {name}[VK_{kind.upper()}_EXTENSION_COUNT] = {{"] + rows + ["};", ""]


def main():
    args = arguments(__doc__, ["header", "source"])
    registry = Registry(args.xml)
    by_kind = {kind: [e for e in registry.extensions if e.kind == kind] for kind in ("instance", "device")}
    codes = {e.name: sign * (i + 1) for kind, sign in (("instance", -1), ("device", 1)) for i, e in enumerate(by_kind[kind])}

    lines = ["/* Generated from vk.xml: sets of extensions, one bool each, in the order of their names. */",
             "#ifndef VULKAN_RUNTIME_VK_EXTENSION_SETS_H", "#define VULKAN_RUNTIME_VK_EXTENSION_SETS_H", "",
             "#include <stdbool.h>", ""]
    for kind, extensions in by_kind.items():
        lines += set_type(kind, extensions)
    write(args.header, "\n".join(lines + ["#endif", ""]))

    pool, needs, body = StringPool(), [], []
    for kind, extensions in by_kind.items():
        body += table(kind, extensions, codes, pool, needs)
    names = pool.definition("names").replace("static const char names[]", "const char vk_extension_names[]")
    write(args.source, "\n".join(
        ["/* Generated from vk.xml: what is known about each extension. */", '#include "vulkan/runtime/device/vk_extension.h"', "",
         names] + body + ["const struct vk_extension_need vk_extension_needs[] = {"] + needs + ["};", ""]))


main()
