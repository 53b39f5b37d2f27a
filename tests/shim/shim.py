#!/usr/bin/env python3
"""Judge of `tuff shim`: other people's programs on a model. Usage: shim.py [--gpu NAME] TUFF MODEL_PATH.

Debian's vulkaninfo and Mesa's driver must see the device; exit codes, environments and children must be as without the shim.
"""
import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "vulkan")]
import models  # noqa: E402
import run_on  # noqa: E402
import tap  # noqa: E402

arguments = sys.argv[1:]
gpu = models.take_option(arguments)
row, family = models.find(gpu), models.family(gpu)
tuff, model_path = arguments[:2]
t = tap.Tap()
icds = glob.glob(f"/usr/share/vulkan/icd.d/{run_on.ICDS[family.VULKAN]}.*.json")
environment = dict(os.environ, TUFF_MODEL_PATH=model_path, VK_ICD_FILENAMES=":".join(icds))
environment.pop("DISPLAY", None)


def shim(*command, model=gpu, options=()):
    return subprocess.run([tuff, "shim", model, *options, "--", *command], env=environment, capture_output=True, text=True,
                          timeout=120)


def show(result):
    return f"{' '.join(result.args)}\nexit code {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-1500:]}"


# The command itself.
for code in (0, 1, 42):
    result = shim("sh", "-c", f"exit {code}")
    t.case(f"exit code {code} is kept", result.returncode == code, show(result))
result = shim("sh", "-c", "kill -TERM $$")
t.case("death by a signal is kept", result.returncode == -15, show(result))
result = shim("/nonexistent/program")
t.case("a program that is not there is 127", result.returncode == 127 and "nonexistent" in result.stderr, show(result))
result = shim("true", model="nonsense")
t.case("an unknown model is a usage error", result.returncode == 2, show(result))
result = shim("true", options=("--trace", "/nonexistent/trace"))
t.case("a trace that cannot be written is an error", result.returncode == 1, show(result))

# What ordinary programs see.
result = shim("sh", "-c", "ls /dev/dri && grep ^DRIVER= /sys/dev/char/226:128/device/uevent && basename $(readlink /sys/class/drm/renderD128/device/subsystem) && "
              "readlink /sys/class/drm/renderD128 && readlink /sys/dev/char/226:128")
*seen, by_class, by_number = result.stdout.split() or ["", ""]
t.case("ls, grep and readlink see the node",
       seen == ["card0", "renderD128", f"DRIVER={row.driver}", row.bus] and by_class == by_number and re.fullmatch(r"\.\./\.\./devices/.+/drm/renderD128", by_class), show(result))
result = shim("stat", "-c", "%F %t:%T", "/dev/dri/renderD128")
t.case("stat says character device 226:128", result.stdout.strip() == "character special file e2:80", show(result))
result = shim("sh", "-c", "sh -c 'test -c /dev/dri/renderD128' && env | grep -c ^LD_PRELOAD=")
t.case("children have it, too", result.returncode == 0 and result.stdout.strip() == "1", show(result))
result = shim("sh", "-c", "test -e /dev/dri/card7 || cat /sys/dev/char/226:128/device/nothing")
t.case("what is not there is not there", result.returncode == 1, show(result))

# A node's fd that another process has opened, as DRI3 passes it on: one child has both ends of a socket that its parent gave it. DRM_IOCTL_VERSION answers.
PASS = '''
import fcntl, os, socket, struct, subprocess, sys
if len(sys.argv) > 1:
    fd = socket.recv_fds(socket.socket(fileno=int(sys.argv[1])), 1, 1)[1][0]
    version = bytearray(64)
    fcntl.ioctl(fd, 0xc0406400, version)
    print(oct(os.fstat(fd).st_mode), hex(os.fstat(fd).st_rdev), *struct.unpack_from("iii", version))
else:
    here, there = socket.socketpair()
    child = subprocess.Popen([sys.executable, "-c", sys.orig_argv[2], str(there.fileno())], pass_fds=[there.fileno()])
    socket.send_fds(here, [b"x"], [os.open("/dev/dri/renderD128", os.O_RDWR)])
    sys.exit(child.wait())
'''
result = shim("/usr/bin/python3", "-c", PASS)
t.case("a node's fd from another process is the node", result.returncode == 0 and result.stdout.startswith("0o20666 0xe280 "), show(result))

# Mesa's driver, as Debian ships it.
name = family.VULKAN_NAMES[gpu]
if not icds:
    t.skip(f"vulkaninfo lists {name}", f"no {family.VULKAN} (package mesa-vulkan-drivers)")
else:
    for options in (["--summary"], []):
        result = shim("vulkaninfo", *options)
        t.case(f"vulkaninfo {' '.join(options)} ends with 0 and lists {name}",
               result.returncode == 0 and name in result.stdout, show(result))
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.txt")
        result = shim("vulkaninfo", "--summary", options=("--trace", trace))
        t.case("--trace creates the file and changes nothing else", result.returncode == 0 and os.path.exists(trace),
               show(result))

sys.exit(t.done())
