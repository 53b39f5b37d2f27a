"""Judges the ICD library from outside: the system's Vulkan loader, vulkaninfo and the Khronos validation layer, with the
product's library (with its model and without any device) and with a test library whose drivers are fakes.

    judge_loader.py CLIENT LIBRARY MANIFEST FAKE_MANIFEST FAKE_MODEL_FOLDER SANITIZED
"""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile

import models
import tap

VALIDATION = "VK_LAYER_KHRONOS_validation"
FAKE = {}  # what the test library needs to find its models
VK_SUCCESS, VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_INCOMPATIBLE_DRIVER, VK_ERROR_UNKNOWN = 0, -3, -9, -13
# What the driver may need to be loaded at all: the C library's own.
NEEDED = re.compile(r"(libc|libm|libdl|librt|libpthread|ld-linux[-\w]*)\.so\.\d+")
# The ways to window systems: an extension, its command, the type of the command's info, a library that it needs.
SURFACES = [("VK_KHR_xcb_surface", "vkCreateXcbSurfaceKHR", 1000005000, "libxcb.so.1"),
            ("VK_KHR_xlib_surface", "vkCreateXlibSurfaceKHR", 1000004000, "libX11-xcb.so.1"),
            ("VK_KHR_wayland_surface", "vkCreateWaylandSurfaceKHR", 1000006000, "libwayland-client.so.0")]


def run(command, manifest, **extra):
    """Exit code and output; every environment variable of the user's that steers a loader is taken away. Leaks of the loader
    and its layers are not looked for: the unit tests look for ours."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("VK_", "TUFF_"))}
    env |= {"VK_ICD_FILENAMES": manifest, "VK_DRIVER_FILES": manifest, "XDG_RUNTIME_DIR": "/nonexistent",
            "ASAN_OPTIONS": "detect_leaks=0"} | extra
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    text = done.stdout
    note = "VK_ICD_FILENAMES=" + manifest + " " + " ".join(f"{k}={v}" for k, v in extra.items()) + " " + " ".join(command)
    return done.returncode, text, f"{note}\nexit {done.returncode}\n{text}"


def judge_exports(report, library, sanitized):
    output = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = sorted(line.split()[-1].split("@")[0] for line in output.splitlines())
    names = [name for name in names if not name.startswith(("__asan", "__ubsan", "__odr"))]
    report.case("the library exports the loader's three functions and nothing else", names == [
        "vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr", "vk_icdNegotiateLoaderICDInterfaceVersion"], names)
    flags = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    report.case("the library is never unloaded", "NODELETE" in flags, flags)
    needed = [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", flags) if not sanitized or not re.match("lib(asan|ubsan|tsan|gcc)", name)]
    more = [name for name in needed if not NEEDED.fullmatch(name)]
    report.case("it can be loaded where only the C library is", "libc.so.6" in needed and not more, f"it needs {', '.join(needed)}")


def judge_entry(report, library):
    """Without a loader: negotiation and names without an instance."""
    icd = ctypes.CDLL(library)
    get = icd.vk_icdGetInstanceProcAddr
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    get_physical = icd.vk_icdGetPhysicalDeviceProcAddr
    get_physical.restype, get_physical.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]

    def negotiate(version):
        box = ctypes.c_uint32(version)
        result = icd.vk_icdNegotiateLoaderICDInterfaceVersion(ctypes.byref(box))
        return result, box.value

    report.case("interfaces 0 and 1 are refused", negotiate(0)[0] == negotiate(1)[0] == VK_ERROR_INCOMPATIBLE_DRIVER)
    report.case("interfaces 2 to 7 are accepted as they are",
                [negotiate(v) for v in range(2, 8)] == [(VK_SUCCESS, v) for v in range(2, 8)])

    icd_create = get(None, b"vkCreateInstance")
    create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))(icd_create)
    # VkApplicationInfo with version 1.1, VkInstanceCreateInfo: as bytes, for the C types are not ours to repeat.
    application = (ctypes.c_uint64 * 6)(0, 0, 0, 0, 0, (1 << 22 | 1 << 12) << 32)
    info = (ctypes.c_uint64 * 8)(1, 0, 0, ctypes.addressof(application), 0, 0, 0, 0)
    handle = ctypes.c_void_p()
    negotiate(4)
    report.case("a loader of interface 4 gets no 1.1 instance",
                create(info, None, ctypes.byref(handle)) == VK_ERROR_INCOMPATIBLE_DRIVER)
    report.case("later interfaces are answered with ours", negotiate(100) == (0, 7))
    result = create(info, None, ctypes.byref(handle))
    report.case("a loader of interface 7 gets one", result == VK_SUCCESS and handle.value)

    known = [b"vkCreateInstance", b"vkEnumerateInstanceVersion", b"vkEnumerateInstanceLayerProperties",
             b"vkEnumerateInstanceExtensionProperties", b"vkGetInstanceProcAddr", b"vk_icdGetInstanceProcAddr",
             b"vk_icdGetPhysicalDeviceProcAddr", b"vk_icdNegotiateLoaderICDInterfaceVersion"]
    unknown = [b"vkDestroyInstance", b"vkCreateDevice", b"vkCmdDraw", b"vkNothing", b"", None, b"v" * 100000]
    report.case("without an instance global commands are there", all(get(None, name) for name in known))
    report.case("without an instance nothing else is", not any(get(None, name) for name in unknown))
    report.case("physical device functions need an instance", not get_physical(None, b"vkCreateDevice"))
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(get(handle, b"vkDestroyInstance"))
    destroy(handle, None)


def create_surface(library, extension, command, info_type):
    """In a process of its own: the command's result. Its connection and its window are none, and are not looked at."""
    icd = ctypes.CDLL(library)
    get = icd.vk_icdGetInstanceProcAddr
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    names = (ctypes.c_char_p * 2)(b"VK_KHR_surface", extension.encode())
    info = (ctypes.c_uint64 * 8)(1, 0, 0, 0, 0, 0, 2, ctypes.addressof(names))
    instance, surface = ctypes.c_void_p(), ctypes.c_uint64()
    create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))(get(None, b"vkCreateInstance"))
    result = create(info, None, ctypes.byref(instance))
    if result != VK_SUCCESS:
        return f"instance {result}"
    surface_info = (ctypes.c_uint64 * 5)(info_type, 0, 0, 16, 16)
    create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint64))(get(instance, command.encode()))
    return f"surface {create(instance, surface_info, None, ctypes.byref(surface))}"


def judge_windows(report, client, library, manifest):
    """Where a window system's library is missing: an empty file stands before that of this machine."""
    _, text, _ = run([client, "devices"], manifest, TUFF_GPU="none")
    for extension, command, info_type, name in SURFACES:
        if f"extension {extension}\n" not in text:
            report.skip(f"{command} without {name}", "not built in")
            continue
        arguments = [sys.executable, __file__, "--surface", library, extension, command, str(info_type)]
        code, said, note = run(arguments, manifest, TUFF_GPU="none")
        report.case(f"{command} makes a surface", code == 0 and said == f"surface {VK_SUCCESS}\n", note)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, name), "wb"):
                pass
            code, said, note = run(arguments, manifest, TUFF_GPU="none", LD_LIBRARY_PATH=folder)
        lines = said.splitlines()
        report.case(f"{command} without {name} fails, with a sentence that names the library",
                    code == 0 and len(lines) == 2 and f"surface {VK_ERROR_UNKNOWN}" in lines and any("cannot be presented to" in line and name in line for line in lines),
                    note)


def judge_empty(report, client, manifest):
    code, text, note = run([client, "devices"], manifest, TUFF_GPU="none")
    report.case("the loader creates an instance", code == 0 and "vkCreateInstance 0\n" in text and "done" in text, note)
    # This loader turns an empty list into an error of its own.
    none = ("vkEnumeratePhysicalDevices 0 0\n", f"vkEnumeratePhysicalDevices {VK_ERROR_INITIALIZATION_FAILED} 0\n")
    report.case("without a device nothing breaks", any(line in text for line in none), note)
    report.case("the instance has version 1.3, or 1.4 of a loader of that", "version 1.3\n" in text or "version 1.4\n" in text, note)
    report.case("what is not implemented is not advertised", "extension VK_KHR_display\n" not in text, note)
    needed = [f"extension VK_KHR_external_{what}_capabilities\n" for what in ("fence", "memory", "semaphore")]
    report.case("what the extensions of devices depend on is advertised", all(line in text for line in needed), note)


def judge_model(report, client, manifest, model):
    """The product's driver on a modelled GPU."""
    code, text, note = run([client, "device"], manifest, TUFF_GPU=model, VK_INSTANCE_LAYERS=VALIDATION)
    expected = ["vkEnumeratePhysicalDevices 0 1", "vkCreateDevice 0", "vkQueueWaitIdle 0", "vkCreateBuffer 0",
                "vkGetBufferMemoryRequirements 4096", "vkAllocateCommandBuffers 0", "vkEndCommandBuffer 0",
                "vkGetDeviceProcAddr vkCmdPushDescriptorSetKHR function", "vkGetDeviceProcAddr vkCmdSetCullModeEXT NULL",
                "vkDeviceWaitIdle 0", "done"]
    missing = [line for line in expected if line not in text.splitlines()]
    report.case(f"TUFF_GPU={model} offers the modelled GPU, and a device of it works", code == 0 and not missing, f"missing {missing}\n{note}")
    report.case(f"vkEnumeratePhysicalDevices shows that it is the model {model}", "gpu 0x" in text and f"model {model}" in text, note)
    names = re.findall(r"^gpu 0x\w+ [\d.]+ (.*), \d+ bytes$", text, re.M)
    report.case(f"the name of {model} is of words alone, without commas and brackets", len(names) == 1 and re.fullmatch(r"[\w. -]+", names[0]), note)
    report.case(f"the validation layer is silent on {model}", "VUID" not in text, note)


def judge_choice(report, client, manifest):
    """TUFF_GPU with several words, and with wrong ones."""
    def seen(**extra):
        code, text, note = run([client, "devices"], manifest, **extra)
        return re.findall(r"^gpu 0x.*\bon model (\S+),", text, re.M), code == 0 and "done" in text, text, note

    found, good, _, note = seen(TUFF_GPU="all")
    # This loader sorts devices by their kind and their place; the order of the list is looked at in test_vk_enumerate.c.
    report.case("TUFF_GPU=all offers every model that has a driver", good and sorted(found) == sorted(models.DRIVEN), note)
    found, good, _, note = seen(TUFF_GPU=",".join(models.DRIVEN))
    report.case("TUFF_GPU with a list offers them all", good and sorted(found) == sorted(models.DRIVEN), note)
    for model in sorted(set(models.NAMES) - set(models.DRIVEN)):
        found, good, text, note = seen(TUFF_GPU=f"{model},{models.DEFAULT}")
        report.case(f"no driver is for {model}, which is said; the others of the list are there",
                    good and found == [models.DEFAULT] and f"no driver of this library is for the model {model}" in text, note)
    found, good, text, note = seen(TUFF_GPU="nonsense")
    report.case("an unknown GPU is no device, and an error that names the known ones",
                good and not found and "gpu 0x" not in text and "no GPU 'nonsense'" in text and all(name in text for name in models.NAMES), note)
    found, good, text, note = seen(TUFF_GPU=f"nonsense,{models.DEFAULT}")
    report.case("the others of its list are there", good and found == [models.DEFAULT] and "no GPU 'nonsense'" in text, note)


def judge_fake(report, client, manifest):
    code, text, note = run([client, "device"], manifest, **FAKE)
    expected = ["gpu 0x1fff 1.3 fake new, 1073741824 bytes", "gpu 0x1ffe 1.0 fake old, 1073741824 bytes",
                "vkEnumeratePhysicalDeviceGroups 0 2", "vkCreateDevice 0", "vkQueueWaitIdle 0", "vkCreateBuffer 0",
                "vkGetBufferMemoryRequirements 4096", "vkAllocateCommandBuffers 0", "vkEndCommandBuffer 0",
                "vkGetDeviceProcAddr vkCmdPushDescriptorSetKHR function", "vkGetDeviceProcAddr vkCmdSetCullMode function",
                "vkGetDeviceProcAddr vkCmdSetCullModeEXT NULL", "vkGetDeviceProcAddr vkCreateSwapchainKHR NULL",
                "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT 0 0", "vkDeviceWaitIdle 0", "done"]
    missing = [line for line in expected if line not in text.splitlines()]
    report.case("a device of a fake driver works through the loader", code == 0 and not missing,
                f"missing {missing}\n{note}")

    code, text, note = run([client, "device"], manifest, TUFF_LOG="debug", **FAKE)
    report.case("TUFF_LOG=debug names the commands that the fake lacks", "promises vkCreateImageView and does not have it" in text, note)

    code, text, note = run([client, "device"], manifest, TUFF_DEBUG="entrypoints", **FAKE)
    calls = ["vkCreateBuffer(device=0x", "vkCreateBuffer -> VK_SUCCESS, *pBuffer=0x", "vkCmdSetCullMode(commandBuffer=0x",
             "vkQueueWaitIdle -> VK_SUCCESS", "vkDestroyDevice(device=0x"]
    missing = [call for call in calls if call not in text]
    report.case("TUFF_DEBUG=entrypoints prints the calls", code == 0 and not missing, f"missing {missing}\n{note}")


def judge_validation(report, client, manifest):
    code, text, note = run([client, "device"], manifest, VK_INSTANCE_LAYERS=VALIDATION, **FAKE)
    report.case("the validation layer finds no fault in a valid program",
                code == 0 and "done" in text and "VUID" not in text, note)
    code, text, note = run([client, "device", "invalid"], manifest, VK_INSTANCE_LAYERS=VALIDATION, **FAKE)
    report.case("the validation layer was there: it sees a buffer of size 0",
                "VUID-VkBufferCreateInfo-size-00912" in text, note)


def judge_vulkaninfo(report, manifest, fake_manifest, sanitized):
    if not shutil.which("vulkaninfo") or sanitized:
        report.skip("vulkaninfo", "a sanitized library cannot be loaded by it" if sanitized else "not installed")
        return
    code, text, note = run(["vulkaninfo", "--summary"], manifest, TUFF_GPU="none")
    report.case("vulkaninfo says that there is no device, and does not crash",
                0 <= code < 128 and ("vkEnumeratePhysicalDevices failed" in text or "Devices:" in text), note)
    code, text, note = run(["vulkaninfo", "--summary"], fake_manifest, **FAKE)
    report.case("vulkaninfo lists the fake devices", code == 0 and "fake new" in text and "fake old" in text, note)
    code, text, note = run(["vulkaninfo"], fake_manifest, **FAKE)
    report.case("vulkaninfo reads all of them", code == 0 and "VK_KHR_push_descriptor" in text and
                "timelineSemaphore" in text, note)


def main():
    client, library, manifest, fake_manifest, fake_folder, sanitized = sys.argv[1:7]
    FAKE.update(TUFF_GPU="all", TUFF_MODEL_PATH=fake_folder)
    sanitized = sanitized == "true"
    report = tap.Tap()
    judge_exports(report, library, sanitized)
    if sanitized:
        report.skip("entry points without a loader", "a sanitized library cannot be loaded by Python")
    else:
        judge_entry(report, library)
        judge_windows(report, client, library, manifest)
    judge_empty(report, client, manifest)
    for model in models.DRIVEN:
        judge_model(report, client, manifest, model)
    judge_choice(report, client, manifest)
    judge_fake(report, client, fake_manifest)
    judge_validation(report, client, fake_manifest)
    judge_vulkaninfo(report, manifest, fake_manifest, sanitized)
    return report.done()


if __name__ == "__main__":
    if sys.argv[1] == "--surface":
        print(create_surface(*sys.argv[2:5], int(sys.argv[5])))
        sys.exit(0)
    sys.exit(main())
