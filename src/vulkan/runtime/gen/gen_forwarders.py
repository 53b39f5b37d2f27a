"""Writes two families of functions that call the same command again: trampolines, which find the table through the handle
that they are given (what vkGetInstanceProcAddr returns for commands below the instance), and the trace layer, which
prints a device-level call and passes it on.
"""
from vk_registry import Registry, arguments, guarded, write

# Whose table a handle leads to; queues and command buffers know their device.
OWNER = {
    "VkPhysicalDevice": "vk_physical_device_from_handle({0})->dispatch",
    "VkDevice": "vk_device_from_handle({0})->dispatch",
}
DEVICE_CHILD = "((struct vk_object_base *){0})->device->dispatch"

SCALARS = {
    "uint16_t": ("%u", "{0}"), "uint32_t": ("%u", "{0}"), "VkBool32": ("%u", "{0}"), "int32_t": ("%d", "{0}"),
    "int": ("%d", "{0}"), "float": ("%g", "(double){0}"), "size_t": ("%zu", "{0}"),
    "uint64_t": ("%llu", "(unsigned long long){0}"), "VkDeviceSize": ("%llu", "(unsigned long long){0}"),
    "VkDeviceAddress": ("0x%llx", "(unsigned long long){0}"),
}


def head(prefix, command):
    params = ", ".join(p.declaration for p in command.params)
    return f"static VKAPI_ATTR {command.returns} VKAPI_CALL {prefix}_{command.slot}({params})"


def call(table, command):
    return f"{table}.{command.slot}({', '.join(p.name for p in command.params)})"


def trampoline(command):
    handle = command.params[0]
    table = OWNER.get(handle.type, DEVICE_CHILD).format(handle.name)
    keyword = "" if command.returns == "void" else "return "
    body = f"{head('trampoline', command)}\n{{\n    {keyword}{call(table, command)};\n}}"
    return guarded(command.platform, body)


def trampolines(registry):
    out = ["/* Generated from vk.xml: commands that find their table through their first parameter. */",
           '#include "vulkan/runtime/device/vk_device.h"', '#include "vulkan/runtime/device/vk_physical_device.h"',
           '#include "vulkan/runtime/device/vk_proc_addr.h"', ""]
    for kind in ("physical_device", "device"):
        slots = registry.slots(kind)
        out += [trampoline(c) for c in slots]
        out += [f"const struct vk_{kind}_dispatch vk_{kind}_trampolines = {{"]
        out += [guarded(c.platform, f"    .{c.slot} = trampoline_{c.slot},") for c in slots] + ["};", ""]
    return "\n".join(out)


def argument_text(registry, param):
    """Format and value of one argument."""
    if param.type == "char" and param.length == "null-terminated":
        return '\\"%s\\"', f'{param.name} ? {param.name} : "(null)"'
    if param.pointer:
        return "%p", f"(const void *){param.name}"
    if param.type in registry.handles:
        return "0x%llx", f"(unsigned long long){param.name}"
    if param.type in registry.enums and not registry.enums[param.type].bitmask:
        return "%s", f"vk_{param.type}_name({param.name})"
    if param.type in registry.enums or param.type in registry.flags:
        return "0x%llx", f"(unsigned long long){param.name}"
    if param.type in SCALARS:
        form, value = SCALARS[param.type]
        return form, value.format(param.name)
    return "?", None  # a type of a foreign platform


def print_call(registry, command):
    cells = [(p.name, *argument_text(registry, p)) for p in command.params]
    text = ", ".join(f"{name}={form}" for name, form, _ in cells)
    values = "".join(f", {value}" for _, _, value in cells if value)
    return f'    log_message(LOG_LEVEL_DEBUG, "vulkan", "{command.name}({text})"{values});'


def handle_arrays(registry, command, const):
    """Prints the elements of arrays of handles: those given before the call, those returned after it."""
    counts = {p.name for p in command.params if not p.pointer}
    lines = []
    for param in command.params:
        known = param.length in counts or "->" in param.length  # else the count itself comes back through a pointer
        if param.pointer and param.type in registry.handles and param.const == const and known:
            lines.append(f'    vk_trace_handles("{param.name}", {param.name}, {param.length});')
    return lines


def print_result(registry, command):
    """What came back: the result by name, and the handle that was created."""
    created = [p for p in command.params if p.pointer and not p.const and not p.length and p.type in registry.handles]
    if command.returns == "VkResult":
        form, value = "%s", "vk_VkResult_name(result)"
    elif command.returns == "PFN_vkVoidFunction":
        form, value = "%s", 'result ? "a function" : "NULL"'
    else:
        form, value = "%llu", "(unsigned long long)result"
    plain = f'log_message(LOG_LEVEL_DEBUG, "vulkan", "{command.name} -> {form}", {value});'
    if not created or command.returns != "VkResult":
        return f"    {plain}"
    forms = "".join(f", *{p.name}=0x%llx" for p in created)
    values = "".join(f", (unsigned long long)*{p.name}" for p in created)
    rich = f'log_message(LOG_LEVEL_DEBUG, "vulkan", "{command.name} -> {form}{forms}", {value}{values});'
    return f"    if (result >= 0)\n        {rich}\n    else\n        {plain}"


def trace(registry, command):
    handle = command.params[0]
    device = (f"vk_device_from_handle({handle.name})" if handle.type == "VkDevice"
              else f"((struct vk_object_base *){handle.name})->device")
    target = call("next", command).replace("next.", "next->", 1)
    lines = [head("trace", command), "{", print_call(registry, command), *handle_arrays(registry, command, True),
             f"    const struct vk_device_dispatch *next = vk_device_next({device}, &vk_trace_layer);"]
    if command.returns == "void":
        # vkDestroyDevice among them: what is printed is printed before.
        lines.append(f"    {target};")
    else:
        lines += [f"    {command.returns} result = {target};", print_result(registry, command)]
        returned = handle_arrays(registry, command, False)
        if returned:
            lines += ["    if (result >= 0) {"] + [f"    {line}" for line in returned] + ["    }"]
        lines.append("    return result;")
    return guarded(command.platform, "\n".join(lines + ["}"]))


def trace_layer(registry):
    slots = registry.slots("device")
    out = ["/* Generated from vk.xml: the layer that prints every device-level call and what came back. */",
           '#include "util/log.h"', '#include "vulkan/runtime/device/vk_device.h"', '#include "vulkan/runtime/object/vk_enum.h"',
           '#include "vulkan/runtime/device/vk_layer.h"', ""]
    out += [trace(registry, c) for c in slots]
    out += ["static const struct vk_device_dispatch entrypoints = {"]
    out += [guarded(c.platform, f"    .{c.slot} = trace_{c.slot},") for c in slots]
    layer = 'const struct vk_layer vk_trace_layer = {.name = "trace", .entrypoints = &entrypoints};'
    return "\n".join(out + ["};", "", layer, ""])


def main():
    args = arguments(__doc__, ["trampolines", "trace"])
    registry = Registry(args.xml)
    write(args.trampolines, trampolines(registry))
    write(args.trace, trace_layer(registry))


main()
