#!/usr/bin/env python3
"""Runs the scenes of bench_vulkan on several drivers in turn (A B C A B C ...), so that what disturbs the machine disturbs all of them, and prints each driver's median,
its spread, the processor time of a run, and the ratios to the peer:

    run.py --tuff TUFF [--gpu NAME] [--drivers tuff,lavapipe-26.1,swiftshader] [--peer lavapipe-26.1] [--scenes compute,fill] [--repeat 5] [--seconds 0.5] [--by clock|cpu]
           [--docs DIRECTORY] [--save FILE] [--from FILE] [--swiftshader ICD] [--flags turnip=sysmem] [--frames SCENES] [--programs] BENCH_VULKAN

tuff is our own driver and radv Debian's RADV, both on a model (--gpu, by default the first of src/kernel/models.table); a driver of Mesa's for another family, as turnip is, runs on the
first model of that family, so that `--gpu NAME --drivers turnip,radv` compares two models; --flags are the words of such a driver's own debug variable; lavapipe is Debian's, lavapipe-26.1 that of a newer release (scripts/judges), and without
--drivers the newest that is here is the peer, and our driver and Mesa's newest for the models of the other families stand beside it, all models on one chart (with --gpu of another
family, Mesa's newest for it alone); `radv@1` is the same on one core, so that `--drivers radv,radv@1 --peer radv@1` says what the
second core brings. Scenes may be named by their group. --frames adds a group of that name, one row for each picture that the program tests/scenes draws; --programs adds vkmark's scenes and vkcube. --docs writes the figures of
this kind of machine to docs/data/, and bench.md and its charts of them (docs/generate.py), of all scenes only; --save keeps the figures as JSON, and --from writes the
same from such a file without measuring. Without --by the ratios of the documents are the clock's, or the processor time's if others used more than a twentieth of the
machine meanwhile. Ends with 1 where a driver failed or gave a wrong result; a scene that a driver does not offer says so."""
import argparse
import functools
import json
import os
import pathlib
import platform
import re
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "docs"), str(ROOT / "tests"), str(ROOT / "tests" / "vulkan")]
import generate  # noqa: E402
import models  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import run_on  # noqa: E402

RATE = re.compile(r"^rate (\S+) (\S+) runs (\d+) median_s (\S+) best_s (\S+) cpu_s (\S+) work (\S+) device (.*)$", re.M)
SKIPPED = 77
FRAMES, FRAME_PREFIX = "frames", "frame_"
PATIENCE_S = 600  # of a process, on a loaded machine, too
LOADED = 0.05  # share of the machine that others may use before its clock is not to be trusted


# ---- one process ----

def model_of(gpu, kind):
    """The model that a driver runs on: the chosen one, or the first that the driver is for."""
    if kind == "tuff":
        return gpu
    return next(name for name in (gpu, *models.NAMES) if models.family(name).VULKAN == kind)


def command_on(options, driver, arguments):
    """run_on.py with a program and its arguments."""
    named = driver.partition("@")[0]
    kind, _ = run_on.judge_of(named)
    command = [sys.executable, str(run_on.__file__)]
    if run_on.needs_model(kind):
        command += ["--tuff", options.tuff, "--gpu", model_of(options.gpu, kind)]
    if kind in options.flags:
        command += ["--flags", options.flags[kind]]
    if kind == "swiftshader" and options.swiftshader:
        command += ["--icd", options.swiftshader]
    return [*command, named, *arguments]


def cores_of(driver):
    cores = driver.partition("@")[2]
    usable = sorted(os.sched_getaffinity(0))
    return usable[:int(cores)] if cores else usable


def start(options, driver, words, prefix=()):
    usable = cores_of(driver)
    return subprocess.run([*prefix, *command_on(options, driver, words)], capture_output=True, text=True, check=False, timeout=PATIENCE_S,
                          preexec_fn=lambda: os.sched_setaffinity(0, usable))


def command_of(options, scene):
    if scene["group"] == FRAMES:
        return options.frames, "--frames", str(options.seconds), scene["name"].removeprefix(FRAME_PREFIX)
    return options.program, scene["name"], str(options.seconds)


def measure(options, driver, scene):
    """One process: the work of a run, its seconds by the clock and of the processor; or a note."""
    try:
        if scene["group"] == programs.GROUP:
            return programs.measure(functools.partial(start, options), driver, scene, options.seconds)
        ran = start(options, driver, command_of(options, scene))
    except subprocess.TimeoutExpired:
        return {"note": f"failed: more than {PATIENCE_S} s"}
    if ran.returncode == SKIPPED:
        offered = re.search(r"^not offered: .*$", ran.stdout, re.M)
        return {"note": offered.group(0) if offered else "not installed"}
    found = RATE.search(ran.stdout)
    if ran.returncode or not found:
        return {"note": programs.why_failed(ran)}
    return {"work": float(found.group(7)), "clock_s": float(found.group(4)), "cpu_s": float(found.group(6))}


def run_scene(options, scene):
    """All repeats of a scene on all drivers in turn. One that gave no figure once is not tried again."""
    runs = {driver: {"clock_s": [], "cpu_s": []} for driver in options.drivers}
    for _ in range(options.repeat):
        for driver, run in runs.items():
            if "note" in run:
                continue
            found = measure(options, driver, scene)
            if "note" in found:
                run.clear()
                run["note"] = found["note"]
                continue
            run["work"] = found["work"]
            run["clock_s"].append(found["clock_s"])
            run["cpu_s"].append(found["cpu_s"])
    return runs


# ---- the machine ----

def used_s():
    """Seconds of all processors together: what all processes used, and what this process and its children did."""
    with open("/proc/stat", encoding="utf-8") as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    user, nice, system, _idle, _wait, irq, soft, steal = ticks[:8]
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK"), sum(use.ru_utime + use.ru_stime for use in own)


class Load:
    """How much of the machine others used since this was made, from 0 to 1."""

    def __init__(self):
        self.began, self.all_s, self.own_s = time.monotonic(), *used_s()

    def share(self):
        all_s, own_s = used_s()
        passed = (time.monotonic() - self.began) * os.cpu_count()
        return max(0.0, (all_s - self.all_s) - (own_s - self.own_s)) / passed


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor():
    found = re.search(r"^Model name:\s*(.+)$", output_of("lscpu"), re.M)
    return f"{found.group(1) if found else 'unknown processor'} ({platform.machine()})"


def package_of(path):
    """Debian's package of a file, with its version."""
    name = output_of("dpkg-query", "-S", path).partition(":")[0]
    return f"{name} {output_of('dpkg-query', '-W', '-f=${Version}', name)}" if name else ""


def origin_of(options, driver):
    """Where a driver is from: a commit of ours, or a package of Debian's."""
    if driver == "tuff":
        return f"commit {output_of('git', '-C', str(ROOT), 'describe', '--always', '--dirty', '--abbrev=10') or 'unknown'}"
    _, judge = run_on.judge_of(driver)
    if judge:
        return f"mesa-vulkan-drivers {judge.version()}"
    return package_of(options.swiftshader if driver == "swiftshader" and options.swiftshader else run_on.find_manifest(driver))


def driver_fact(options, driver):
    """What a driver calls itself and where it is from, or why it does not answer."""
    kind = driver.partition("@")[0]
    ran = start(options, driver, [options.program, "--device"])
    if ran.returncode:
        return f"{report.name_of(driver)}: {'not installed' if ran.returncode == SKIPPED else programs.why_failed(ran)}"
    device, name, info, version = ran.stdout.rstrip("\n").split("\t")
    words = [word for word in (info if kind != "tuff" else "", f"Vulkan {version}", origin_of(options, kind)) if word]
    return f"{report.name_of(driver)}: {device}, {', '.join(words)}" if name else f"{report.name_of(driver)}: {device}"


def memory_fact(options):
    """What processes have in memory after a first picture."""
    found = []
    for driver in options.drivers:
        ran = start(options, driver, [options.program, "--memory", "first_use"])
        weighed = re.search(r"^memory_B (\d+)$", ran.stdout, re.M)
        found.append(f"{report.name_of(driver)} {int(weighed.group(1)) / 2**20:.0f} MiB" if weighed else f"{report.name_of(driver)} –")
    return f"Memory of a process after its first picture: {', '.join(found)}"


def gather_facts(options):
    cores = len(os.sched_getaffinity(0))
    facts = [f"Machine: {processor()}, {cores} core{'s' if cores > 1 else ''}"]
    facts += [driver_fact(options, driver) for driver in options.drivers]
    facts.append(memory_fact(options))
    if run_on.needs_other_cpu() and {"lavapipe", "swiftshader"} & {run_on.judge_of(driver)[0] for driver in options.drivers}:
        facts.append("This virtual processor has no SVE though its number says so: lavapipe and SwiftShader, whose LLVM goes by the number, are shown the number of a Neoverse N1")
    return facts


# ---- a whole run ----

def default_drivers(gpu):
    """Without a choice all models on one chart: ours, Mesa's newest on the models of the other families, and the peers. With another model than the default one, Mesa's newest for it and
    the peers."""
    others = dict.fromkeys(models.family(name).VULKAN for name in models.NAMES if models.family(name).VULKAN != models.family(models.DEFAULT).VULKAN)
    on_models = ["tuff", *map(run_on.newest, others)] if gpu == models.DEFAULT else [run_on.newest(models.family(gpu).VULKAN)]
    return [*on_models, run_on.newest("lavapipe"), "swiftshader"]


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--tuff")
    models.add_option(parser)
    parser.add_argument("--drivers", type=lambda text: text.split(","))
    parser.add_argument("--peer")
    parser.add_argument("--scenes", default="", type=lambda text: [name for name in text.split(",") if name])
    parser.add_argument("--repeat", default=5, type=int)
    parser.add_argument("--seconds", default=0.5, type=float)
    parser.add_argument("--by", choices=report.BY)
    parser.add_argument("--docs", type=pathlib.Path)
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--from", dest="saved", type=pathlib.Path)
    parser.add_argument("--flags", action="append", default=[], metavar="DRIVER=WORDS", type=lambda text: text.split("=", 1))
    parser.add_argument("--frames", metavar="SCENES", help="the program of tests/scenes")
    parser.add_argument("--programs", action="store_true", help="vkmark and vkcube, too (bench/programs.py)")
    parser.add_argument("--swiftshader", help="the loader's file of SwiftShader, where it is not Chromium's")
    options = parser.parse_args()
    options.flags = dict(options.flags)
    options.drivers = options.drivers or default_drivers(options.gpu)
    if not options.saved and not options.program:
        parser.error("BENCH_VULKAN or --from FILE")
    peers = [driver for driver in options.drivers if run_on.judge_of(driver)[0] == "lavapipe"]
    options.peer = options.peer or (peers or options.drivers)[-1]
    if options.peer not in options.drivers or len(set(options.drivers)) < 2:
        parser.error("--drivers names two at least, and the peer among them")
    for driver in options.drivers:
        if driver.partition("@")[0] not in run_on.names():
            parser.error(f"no driver {driver}; there are {', '.join(run_on.names())}")
    return options


def listed_by(program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in listed.splitlines()]


def wanted_scenes(options):
    scenes = [dict(zip(("group", "name", "unit", "what"), row)) for row in listed_by(options.program)]
    scenes += [{"group": FRAMES, "name": FRAME_PREFIX + row[0], "unit": "frame/s", "what": row[2]} for row in (listed_by(options.frames) if options.frames else [])]
    scenes += programs.scenes() if options.programs else []
    unknown = set(options.scenes) - {scene[key] for scene in scenes for key in ("group", "name")}
    if unknown:
        sys.exit(f"no scene and no group {', '.join(sorted(unknown))}")
    return [scene for scene in scenes if not options.scenes or scene["name"] in options.scenes or scene["group"] in options.scenes]


def measure_all(options):
    wanted, load, facts = wanted_scenes(options), Load(), gather_facts(options)
    result = {"machine": platform.machine().replace("_", "-"), "facts": facts, "drivers": options.drivers, "peer": options.peer, "by": options.by or "clock", "whole": not options.scenes, "scenes": []}
    print("\n".join(facts), flush=True)
    for scene in wanted:
        scene["runs"] = run_scene(options, scene)
        result["scenes"].append(scene)
        print("\n".join(report.scene_lines(result, scene)), flush=True)
    share = load.share()
    if not options.by:
        result["by"] = "cpu" if share > LOADED else "clock"
    facts.append(f"{options.repeat} repeat{'s' if options.repeat > 1 else ''} of {options.seconds:g} s each, the drivers in turn; others used {share * 100:.0f}% of the machine meanwhile" +
                 (", so the ratios are those of the processor time" if result["by"] == "cpu" and not options.by else ""))
    print(facts[-1])
    return result


def write_documents(result, directory):
    """docs/data/ and what docs/generate.py makes of it."""
    if not result["whole"] or "tuff" not in result["drivers"]:
        print(f"{directory}: left as it is; not all scenes were measured" if not result["whole"] else f"{directory}: left as it is; our own driver was not measured")
        return
    kept = directory / "data" / f"bench-{result['machine']}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(report.data_text(report.condensed(result)), encoding="utf-8")
    written = generate.bench_pages(directory)
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    print(f"wrote {', '.join(map(str, (kept, *written)))}")


def main():
    options = read_options()
    if options.saved:
        result = json.loads(options.saved.read_text(encoding="utf-8"))
        result["by"] = options.by or result["by"]
    else:
        result = measure_all(options)
    if options.save:
        options.save.write_text(json.dumps(result, indent=1), encoding="utf-8")
    if options.docs:
        write_documents(result, options.docs)
    failed = [f"{scene['name']} on {driver}: {run['note']}" for scene in result["scenes"] for driver, run in scene["runs"].items()
              if run.get("note", "").startswith("failed")]
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
