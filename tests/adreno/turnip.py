#!/usr/bin/env python3
"""Turnip of newer releases over the msm kernel model: it finds the device, computes on one device while another is lost, and what the
kernel leaves behind can be read.

    turnip.py TUFF RUN_ON DEVICE_LOST RELEASE"""
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

TUFF, RUN_ON, DEVICE_LOST, RELEASE = sys.argv[1:]
MODELS = [model.name for model in models.MODELS if model.family == "adreno"]
DRIVER = f"turnip-{RELEASE}"
WORDS_B = 1024  # that the invocations of device_lost read


def run(gpu, *command, **variables):
    return subprocess.run([sys.executable, RUN_ON, "--tuff", TUFF, "--gpu", gpu, DRIVER, *command], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, **variables})


def shown(result):
    return f"{' '.join(map(str, result.args))}\nexit code {result.returncode}\n{result.stdout[-1500:]}\n{result.stderr[-3000:]}"


def judge_device(report, gpu):
    result = run(gpu, "vulkaninfo")
    report.case(f"{gpu}: vulkaninfo on {DRIVER} ends with 0", result.returncode == 0 and models.family(gpu).VULKAN_NAMES[gpu] in result.stdout, shown(result))
    # VM_BIND, where the release uses it, brings sparse buffers.
    sparse = re.search(r"sparseBinding\s*= (\w+)", result.stdout)
    wanted = "true" if RELEASE >= "26" else "false"
    report.case(f"{gpu}: {DRIVER} has sparse binding: {wanted}", sparse is not None and sparse.group(1) == wanted, shown(result))


def judge_loss(report, gpu, kind):
    with tempfile.TemporaryDirectory() as folder:
        result = run(gpu, DEVICE_LOST, kind, TUFF_DEBUG="crash,rd", TUFF_DUMP=folder, TUFF_JOB_TIMEOUT_MS="1500")
        report.case(f"{gpu}, {kind}: {DRIVER} loses its device, and the other one computes", result.returncode == 0, shown(result))
        dumps, captures = glob.glob(f"{folder}/tuff-crash-*.txt"), glob.glob(f"{folder}/tuff-*.rd")
        text = pathlib.Path(dumps[0]).read_text(encoding="utf-8") if dumps else ""
        sections = re.findall(r"^([a-z-]+):", text, re.M)
        wanted = ["kernel", "module", "time", "comm", "revision", "report", *(["fault-info"] if kind == "unmapped" else []), "rbbm-status", "ringbuffer", "bos",
                  "registers", "indexed-registers"]
        report.case(f"{gpu}, {kind}: there is one dump, with the kernel's sections", len(dumps) == 1 and sections == wanted, f"{dumps} {sections}")
        if kind == "unmapped":
            address = re.search(r"^address 0x([0-9a-f]+)", result.stdout, re.M)
            named = re.search(r"iova=([0-9a-f]{16})$", text, re.M)
            # Of any invocation: which workgroup comes first is left open.
            report.case(f"{gpu}, {kind}: the dump names the address", address is not None and named is not None and
                        0 <= int(named.group(1), 16) - int(address.group(1), 16) < WORDS_B, text[:2000])
        decoded = subprocess.run([TUFF, "decode", "--gpu", gpu, *captures], capture_output=True, text=True, timeout=60, check=False)
        report.case(f"{gpu}, {kind}: the capture is decoded", len(captures) == 1 and decoded.returncode == 0 and "CP_EXEC_CS" in decoded.stdout, shown(decoded))


def main():
    report = tap.Tap()
    if not run_on.find_manifest(DRIVER):
        run_on.manifest(DRIVER, TUFF)  # skips, and says what brings it
    for gpu in MODELS:
        judge_device(report, gpu)
    for kind in ("endless", "unmapped"):
        judge_loss(report, MODELS[0], kind)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
