#!/usr/bin/env python3
"""Judge of `tuff shim`: other people's programs on the model. Usage: shim.py TUFF FOLDER_OF_THE_MODEL.

Debian's vulkaninfo and RADV must see the device; exit codes, environments and children must be as without the shim.
"""
import glob
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

tuff, model_path = sys.argv[1:3]
t = tap.Tap()
icds = glob.glob("/usr/share/vulkan/icd.d/radeon_icd.*.json")
environment = dict(os.environ, TUFF_MODEL_PATH=model_path, VK_ICD_FILENAMES=":".join(icds))
environment.pop("DISPLAY", None)


def shim(*command, model="gfx1030", options=()):
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
result = shim("true", model="gfx9999")
t.case("an unknown model is a usage error", result.returncode == 2, show(result))
result = shim("true", options=("--trace", "/nonexistent/trace"))
t.case("a trace that cannot be written is an error", result.returncode == 1, show(result))

# What ordinary programs see.
result = shim("sh", "-c", "ls /dev/dri && cat /sys/dev/char/226:128/device/vendor && readlink /sys/class/drm/renderD128")
t.case("ls, cat and readlink see the node",
       result.stdout.split() == ["card0", "renderD128", "0x1002", "../../devices/pci0000:00/0000:03:00.0/drm/renderD128"],
       show(result))
result = shim("stat", "-c", "%F %t:%T", "/dev/dri/renderD128")
t.case("stat says character device 226:128", result.stdout.strip() == "character special file e2:80", show(result))
result = shim("sh", "-c", "sh -c 'test -c /dev/dri/renderD128' && env | grep -c ^LD_PRELOAD=")
t.case("children have it, too", result.returncode == 0 and result.stdout.strip() == "1", show(result))
result = shim("sh", "-c", "test -e /dev/dri/card7 || cat /sys/devices/pci0000:00/0000:03:00.0/nothing")
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
t.case("a node's fd from another process is the node", result.returncode == 0 and result.stdout.startswith("0o20666 0xe280 3 "), show(result))

# Debian's RADV.
if not icds:
    t.skip("vulkaninfo lists RADV NAVI21", "no radeon_icd (package mesa-vulkan-drivers)")
else:
    for options in (["--summary"], []):
        result = shim("vulkaninfo", *options)
        t.case(f"vulkaninfo {' '.join(options)} ends with 0 and lists RADV NAVI21",
               result.returncode == 0 and "(RADV NAVI21)" in result.stdout, show(result))
    result = shim("vulkaninfo", "--summary", model="gfx1033")
    t.case("the other chip is RADV VANGOGH", result.returncode == 0 and "(RADV VANGOGH)" in result.stdout, show(result))
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.txt")
        result = shim("vulkaninfo", "--summary", options=("--trace", trace))
        t.case("--trace creates the file and changes nothing else", result.returncode == 0 and os.path.exists(trace),
               show(result))

sys.exit(t.done())
