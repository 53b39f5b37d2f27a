#!/usr/bin/env python3
"""The text of `tuff run --stat` for work whose nature is known, on every model: the columns and rows that the work needs have time in them, those that it does not need have none, and
sums are sums.

    test_stat.py TUFF BENCH_VULKAN"""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "tests")
sys.path[:0] = [TESTS, os.path.join(TESTS, "vulkan")]
import models  # noqa: E402
import run_on  # noqa: E402
from tap import Tap  # noqa: E402

COLUMNS = ("all", "share", "waves", "fixed", "interpreted", "host", "textures", "making")
ROWS = ("command processor", "vertices", "raster", "pixels", "compute", "copies", "all")
STAGES = ROWS[:-1]
# x86-64 without AVX2 has no host code.
HAS_HOST_CODE = platform.machine() != "x86_64" or " avx2 " in open("/proc/cpuinfo", encoding="utf-8").read()


def table(text):
    """Figures by row and column."""
    found = {}
    for row in ROWS:
        line = re.search(rf"^{row} +([0-9.]+) +([0-9.]+)% +(.*)$", text, re.M)
        if line:
            found[row] = dict(zip(COLUMNS, map(float, (line[1], line[2], *line[3].split()))))
    return found


def counted(text, word):
    found = re.search(rf"(\d+) {word}", text)
    return int(found[1]) if found else 0


def check_sums(tap, name, text, rows):
    sums = {column: sum(rows[stage][column] for stage in STAGES) for column in COLUMNS}
    tap.case(f"{name}: rows and columns add up", all(abs(sums[column] - rows["all"][column]) <= 0.01 * rows["all"][column] + 0.1 for column in COLUMNS) and
             all(abs(sum(row[column] for column in COLUMNS[3:]) - row["all"]) <= 0.05 for row in rows.values()), text)
    busy = sum(map(float, re.findall(r"^(?:ring|worker|thread) \d+ +([0-9.]+) ", text, re.M)))
    tap.case(f"{name}: threads are busy for as long as stages take", abs(busy - rows["all"]["all"]) <= 0.01 * busy + 0.1, text)
    shares = sum(map(float, re.findall(r"  \d+: ([0-9.]+)%", text)))
    tap.case(f"{name}: shares of busy threads are all of the time", abs(shares - 100) < 1, text)
    cores = [float(ms) for ms in re.findall(r" \d+: ([0-9.]+) ms \(", text)]
    tap.case(f"{name}: more cores are never slower", len(cores) == 5 and cores[1:] == sorted(cores[1:], reverse=True), text)


def measure(tuff, gpu, driver, program, scene, folder):
    file = os.path.join(folder, f"{gpu}-{scene}")
    command = [sys.executable, run_on.__file__, "--tuff", tuff, "--gpu", gpu, driver, program, scene, "0"]
    ran = subprocess.run(command, env=dict(os.environ, TUFF_STAT=file), capture_output=True, text=True, check=False, timeout=100)
    text = open(file, encoding="utf-8").read() if os.path.exists(file) else ""
    return ran.returncode, text, f"{ran.stdout}{ran.stderr}{text}\nagain: TUFF_STAT=- {' '.join(command)}"


def check_model(tap, tuff, gpu, driver, program, folder):
    drawn, text, all_of_it = measure(tuff, gpu, driver, program, "texture", folder)
    if drawn == 77:
        tap.skip(f"{driver} on {gpu}", "not installed")
        return
    rows = table(text)
    name = f"{driver} on {gpu}"
    tap.case(f"{name}: a textured triangle has vertices, coverage, pixels and textures", drawn == 0 and set(rows) == set(ROWS) and counted(text, "draws") and
             all(rows[stage]["all"] > 0 for stage in ("command processor", "vertices", "raster", "pixels")) and rows["pixels"]["textures"] > rows["vertices"]["all"] and
             rows["pixels"]["waves"] > rows["vertices"]["waves"] > 0, all_of_it)
    if set(rows) == set(ROWS):
        check_sums(tap, name, text, rows)
    ended, text, all_of_it = measure(tuff, gpu, driver, program, "hash", folder)
    rows = table(text)
    tap.case(f"{name}: a kernel has compute and host code, and nothing is drawn", ended == 0 and set(rows) == set(ROWS) and counted(text, "dispatches") and
             rows["compute"]["share"] > 90 and (rows["compute"]["host"] > 0 or not HAS_HOST_CODE) and rows["compute"]["making"] > 0 and rows["vertices"]["all"] == rows["pixels"]["all"] == 0, all_of_it)


def check_json(tap, tuff, program, folder):
    """docs/json.md's keys; on the standard output the last line, in a file one line a process."""
    section = (pathlib.Path(__file__).resolve().parent.parent / "docs/json.md").read_text(encoding="utf-8").split("## tuff run --stat --json")[1]
    documented = {key for row in re.findall(r"^\| ([^|]*) \|", section, re.M) for key in re.findall(r"`(\w+)`", row)}
    ran = subprocess.run([tuff, "run", "--stat", "--json", "--", program, "reduce", "0"], capture_output=True, text=True, check=False, timeout=100)
    figures = json.loads(ran.stdout.splitlines()[-1])
    tap.case("--json is the last line of the standard output, with the keys of docs/json.md", ran.returncode == 0 and set(figures) == documented and not ran.stderr,
             f"{sorted(set(figures) ^ documented)}\n{ran.stderr}")
    stages = figures["stages"]
    tap.case("its stages are those of the table, and a kernel is compute", [name.replace("_", " ") for name in stages] == [row for row in ROWS if row != "all"] and
             figures["dispatches"] > 0 and stages["compute"]["waves"] > 0 and figures["threads"] and
             all(abs(stage["all_ms"] - sum(stage[work] for work in ("fixed_ms", "waves_ms", "host_code_ms", "textures_ms", "making_ms"))) < 0.01 for stage in stages.values()), ran.stdout)
    file = os.path.join(folder, "json")
    for _ in range(2):
        subprocess.run([tuff, "run", f"--stat={file}", "--json", "--", program, "reduce", "0"], capture_output=True, check=False, timeout=100)
    lines = open(file, encoding="utf-8").read().splitlines()
    tap.case("a file grows by a line with every process", len(lines) == 2 and len({json.loads(line)["process"] for line in lines}) == 2, "\n".join(lines))


def check_command(tap, tuff, program, folder):
    command = [tuff, "run", "--stat", "--", program, "reduce", "0"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    tap.case("tuff run --stat writes to the standard error", ran.returncode == 0 and set(table(ran.stderr)) == set(ROWS), ran.stderr)
    ran = subprocess.run([tuff, "run", "--", program, "reduce", "0"], capture_output=True, text=True, check=False, timeout=100)
    tap.case("without it there is none", ran.returncode == 0 and not ran.stderr, ran.stderr)
    ran = subprocess.run([tuff, "run", f"--stat={folder}/nowhere/file", "--", "true"], capture_output=True, text=True, check=False, timeout=100)
    tap.case("a file that cannot be written is an error", ran.returncode == 1 and "nowhere/file" in ran.stderr, ran.stderr)
    file = os.path.join(folder, "twice")
    for _ in range(2):
        subprocess.run([tuff, "run", f"--stat={file}", "--", program, "reduce", "0"], capture_output=True, check=False, timeout=100)
    tap.case("a file grows with every process", open(file, encoding="utf-8").read().count("Where the time") == 2, file)
    check_json(tap, tuff, program, folder)
    subprocess.run([tuff, "run", f"--stat={file}-none", "--", "true"], check=False, timeout=100)
    tap.case("a process without a submission says nothing", os.path.getsize(f"{file}-none") == 0, file)


def main():
    tuff, program = sys.argv[1:]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        check_command(tap, tuff, program, folder)
        families = set()
        for gpu in models.NAMES:
            family = models.find(gpu).family
            if family not in families:
                families.add(family)
                driver = "tuff" if gpu == models.DEFAULT else run_on.newest(models.family(gpu).VULKAN)
                check_model(tap, tuff, gpu, driver, program, folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
