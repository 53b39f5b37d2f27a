"""Writes what a driver (or the runtime itself) fills in: prototypes of <prefix>_Foo for every command Foo, and three
tables of them. A function that nothing defined is a weak reference and therefore NULL in the table. Only the canonical name
has a prototype: a definition under an alias is caught by -Wmissing-prototypes instead of being forgotten in silence.
"""
from vk_registry import KINDS, Registry, arguments, guarded, write


def prototype(prefix, command, attribute=""):
    params = ", ".join(p.declaration for p in command.params) or "void"
    return f"VKAPI_ATTR {command.returns} VKAPI_CALL {prefix}_{command.slot}({params}){attribute};"


def header(registry, prefix):
    guard = f"{prefix.upper()}_ENTRYPOINTS_H"
    out = [f"/* Generated from vk.xml: the commands that {prefix} may implement, and its tables. */",
           f"#ifndef {guard}", f"#define {guard}", "", '#include "vulkan/runtime/gen/vk_dispatch.h"', ""]
    out += [f"extern const struct vk_{kind}_dispatch {prefix}_{kind}_entrypoints;" for kind in KINDS]
    out.append("")
    for kind in KINDS:
        out += [guarded(c.platform, prototype(prefix, c)) for c in registry.slots(kind)]
    return "\n".join(out + ["", "#endif", ""])


def source(registry, prefix):
    out = [f"/* Generated from vk.xml: the tables of {prefix}. The prototypes are repeated here, for a weak declaration",
           " * that the definition could see would make the definition weak. Hidden: the linker makes the missing ones NULL,",
           " * where the loader would look for each of them in every library of the process. */", '#include "vulkan/runtime/gen/vk_dispatch.h"', ""]
    for kind in KINDS:
        out += [guarded(c.platform, prototype(prefix, c, ' __attribute__((weak, visibility("hidden")))')) for c in registry.slots(kind)]
    for kind in KINDS:
        table = f"const struct vk_{kind}_dispatch {prefix}_{kind}_entrypoints"
        out += ["", f"extern {table};", f"{table} = {{"]
        out += [guarded(c.platform, f"    .{c.slot} = {prefix}_{c.slot},") for c in registry.slots(kind)]
        out += ["};"]
    return "\n".join(out + [""])


def main():
    args = arguments(__doc__, ["header", "source"], {"prefix": "what the functions' names begin with"})
    registry = Registry(args.xml)
    write(args.header, header(registry, args.prefix))
    write(args.source, source(registry, args.prefix))


main()
