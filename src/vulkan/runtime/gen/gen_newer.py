#!/usr/bin/env python3
"""Writes vk_newer.h: C declarations of newer.table for headers that lack them. Each extension is guarded by the macro with
its name, which headers that know it define; what an extension has grown by, by the macro with its version."""
import argparse

import vk_newer
from vk_registry import write


def number(words):
    if words[0] == "=":
        return words[1]
    return f"(1ull << {words[1]})" if words[0] == "bit" else words[0]


def rows_of(extension, kind):
    return [row for row in extension.rows if row.kind == kind]


def values(extension, wide):
    """As macros: an enumeration that is there cannot grow. Values of 64 bits are no enumeration."""
    for row in rows_of(extension, "value"):
        enum, name, *rest = row.words
        yield f"#define {name} {rest[1]}" if row.is_alias else f"#define {name} (({enum}){number(rest)})"
    for row in rows_of(extension, "enum"):
        if row.words[0] in wide:
            for line in row.lines:
                name, *rest = line.split()
                yield f"#define {name} (({row.words[0]}){number(rest)})"


def enums(extension, wide):
    for row in rows_of(extension, "enum"):
        name = row.words[0]
        if name in wide:
            yield f"typedef VkFlags64 {name};"
            continue
        yield f"typedef enum {name} {{"
        for line in row.lines:
            value, *rest = line.split()
            yield f"    {value} = {number(rest).replace('ull', 'u')},"
        yield f"    {name}_largest = 0x7fffffff,"
        yield f"}} {name};"
    for row in rows_of(extension, "flags"):
        yield f"typedef VkFlags{'64' if row.words[1] == '64' else ''} {row.words[0]};"


def structs(extension):
    """A struct after those that it has as members."""
    rows = {row.words[0]: row for row in rows_of(extension, "struct")}
    done = []

    def visit(name):
        if name not in rows or name in done:
            return
        for line in rows[name].lines:
            visit(vk_newer.declared(line).type)
        done.append(name)

    for name in rows:
        visit(name)
    for name in done:
        row = rows[name]
        yield f"typedef struct {name} {{"
        if row.words[1] != "-":
            yield "    VkStructureType sType;"
            yield "    const void *pNext;" if "VkPhysicalDevice" not in name else "    void *pNext;"
        for line in row.lines:
            yield f"    {vk_newer.declared(line).text};"
        yield f"}} {name};"


def commands(extension):
    for row in rows_of(extension, "command"):
        if row.is_alias:
            yield f"typedef PFN_{row.alias} PFN_{row.words[0]};"
            continue
        returns, name = row.words[:2]
        parameters = ", ".join(vk_newer.declared(line).text for line in row.lines)
        yield f"typedef {returns}(VKAPI_PTR *PFN_{name})({parameters});"


def api_version(name):
    major, minor = name.split("_")[2:]
    return f"#define VK_API_VERSION_{major}_{minor} VK_MAKE_API_VERSION(0, {major}, {minor}, 0)"


def extension_text(extension):
    wide = {row.words[0] for row in rows_of(extension, "enum") if row.words[2] == "64"}
    lines = [f"#ifndef {extension.name}", f"#define {extension.name} 1", api_version(extension.name)] if extension.type == "version" else \
        [f"#if {extension.version_name} < {extension.version}"] if extension.is_grown else \
        [f"#ifndef {extension.name}", f"#define {extension.name} 1"]
    lines += [f"VK_DEFINE_NON_DISPATCHABLE_HANDLE({row.words[0]})" for row in rows_of(extension, "handle")]
    lines += [f"typedef {row.alias} {row.words[0]};" for row in rows_of(extension, "type")]
    lines += [*enums(extension, wide), *values(extension, wide), *structs(extension), *commands(extension), "#endif"]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--header", required=True)
    options = parser.parse_args()
    body = "\n\n".join(extension_text(extension) for extension in vk_newer.read())
    write(options.header, f"/* Made by gen_newer.py from newer.table. */\n#ifndef VULKAN_RUNTIME_VK_NEWER_H\n#define VULKAN_RUNTIME_VK_NEWER_H\n\n"
                          f"#include <vulkan/vulkan_core.h>\n\n{body}\n\n#endif\n")


if __name__ == "__main__":
    main()
