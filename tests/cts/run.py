#!/usr/bin/env python3
"""Runs a sample of dEQP-VK on a driver and says what passed. deqp-vk is built outside of this repository (docs/cts.md):

    run.py --deqp DEQP-VK --tuff TUFF [--gpu NAME] [--driver radv] [--sample 7000] [--mustpass DIRECTORY]    and: run.py --help

Without --driver it is Mesa's for the model NAME. Ends with 0 when no case failed but those in expected-DRIVER.txt, of the tests of the model's family, with 1 when others did. Interrupted, it goes on with --resume."""
import argparse
import json
import os
import platform
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import deqp
import log
import models
import report_cts
import sample

HERE = os.path.dirname(os.path.abspath(__file__))


def read_list(path):
    with open(path, encoding="utf-8") as file:
        return list(sample.read_names(file))


def all_names(setup, work):
    """The names of all cases, asked for once per binary, and the file that has them."""
    status = os.stat(setup.deqp)
    path = os.path.join(work, f"names-{status.st_size:x}-{status.st_mtime_ns:x}.txt")
    if not os.path.exists(path):
        print("asking deqp-vk for its cases ...", flush=True)
        deqp.list_cases(setup, path)
    return path


def take_sample(options, setup, size):
    """A sample, which takes a minute to make of a million names: kept with what it was made from."""
    patterns = sample.read_exclusions(options.mustpass) if options.mustpass else []
    names_path = all_names(setup, options.work)
    made_from = repr((os.path.basename(names_path), size, options.minimum, patterns, sample.PUT_OFF.pattern))
    path = os.path.join(options.work, f"sample-{sample.order_key(made_from).hex()}.txt")
    if not os.path.exists(path):
        names, left = sample.keep(read_list(names_path), patterns)
        reasons = "".join(f", {count} left out ({reason})" for reason, count in sorted(left.items()))
        print(f"{len(names)} cases{reasons}{'' if patterns else '; no --mustpass: its exclusions are not applied'}", flush=True)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write("\n".join(sample.sample(names, size, options.minimum)) + "\n")
        os.replace(path + ".new", path)
    return read_list(path)


def choose(options, setup):
    """The cases to run, sorted."""
    names = read_list(options.cases) if options.cases else take_sample(options, setup, options.sample)
    if options.skip:
        known = set(take_sample(options, setup, options.skip))
        names = [name for name in names if name not in known]
    if options.only:
        names = [name for name in names if re.search(options.only, name)]
    return sorted(names)


class Run:
    """The state that the workers share."""
    def __init__(self, work, total, results, quiet):
        self.lock = threading.Lock()
        self.stop = False
        self.results = results
        self.total = total
        self.quiet = quiet
        self.begun = self.shown = time.monotonic()
        self.done_before = len(results)
        self.journal = open(os.path.join(work, "results.tsv"), "a", encoding="utf-8")
        self.reports = open(os.path.join(work, "reports.txt"), "a", encoding="utf-8")

    def report(self, result, seconds):
        with self.lock:
            self.results[result.name] = (result.status, seconds, result.detail)
            self.journal.write(log.format_result(result, seconds))
            self.journal.flush()
            if result.status not in log.GOOD and (result.output or result.status in log.BAD):
                self.reports.write(f"== {result.name}: {result.status}: {result.detail}\n" + "".join(line + "\n" for line in result.output))
                self.reports.flush()
            if not self.quiet and result.status in log.BAD:
                print(f"{result.status:8} {result.name}: {' '.join(result.detail.split())[:150]}", flush=True)
            now = time.monotonic()
            if now - self.shown > 10:
                self.shown = now
                self.progress(now)

    def progress(self, now):
        done = len(self.results)
        rate = (done - self.done_before) / max(now - self.begun, 0.001)
        bad = sum(status in log.BAD for status, *_ in self.results.values())
        print(f"[{done}/{self.total}] {bad} failed, {rate:.1f} cases/s, {(self.total - done) / max(rate, 0.001) / 60:.0f} min left", flush=True)

    def close(self):
        self.journal.close()
        self.reports.close()


def work_through(setup, chunks, work, run, jobs):
    def worker(number):
        directory = os.path.join(work, f"process-{number}")
        os.makedirs(directory, exist_ok=True)
        while not run.stop:
            try:
                chunk = chunks.get_nowait()
            except queue.Empty:
                return
            deqp.run_all(setup, chunk, directory, run.report, lambda: run.stop)

    threads = [threading.Thread(target=worker, args=(i,)) for i in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def record(options, results):
    """Keeps the counts in docs/data/, of which docs/generate.py makes the tables of docs/cts.md."""
    statuses = [status for status, *_ in results.values()]
    modes = [word for word in (options.flags, os.environ.get("TUFF_DEBUG", "")) if word]
    commit = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty", "--abbrev=8"], capture_output=True, text=True, check=False).stdout.strip()
    counted = {"gpu": options.gpu, "driver": options.driver, "tests": options.tests, "cases": options.record, "mode": ", ".join(modes),
               "machine": platform.machine().replace("_", "-"), "commit": commit, "run": len(statuses),
               "supported": sum(status not in log.APART for status in statuses), "passed": sum(status in log.GOOD for status in statuses)}
    path = models.ROOT / "docs" / "data" / "cts.json"
    path.write_text(report_cts.data_text(report_cts.with_run(json.loads(path.read_text(encoding="utf-8")), counted)), encoding="utf-8")
    print(f"kept in {path.relative_to(models.ROOT)}; docs/generate.py writes docs/cts.md of it")


def finish(options, names, run):
    """Prints what came of it; the exit code."""
    results = {name: run.results[name] for name in names if name in run.results}
    print("\n".join(log.summary(results)))
    expected = log.read_expected(options.expected) if os.path.exists(options.expected) else []
    unexpected, mended = log.compare(results, expected)
    for title, found in (("failed unexpectedly", unexpected), ("expected to fail, but did not", mended)):
        if found:
            print(f"{len(found)} {title}:\n" + "".join(f"  {name}: {results[name][0]}\n" for name in found), end="")
    if options.record and len(results) == len(names):
        record(options, results)
    if len(results) < len(names):
        print(f"stopped with {len(names) - len(results)} cases to go: --resume goes on")
        return 1
    return 1 if unexpected else 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deqp", required=True, help="the binary deqp-vk")
    parser.add_argument("--tuff", default="tuff", help="the command tuff of a build: its model (radv), its driver and model (tuff)")
    models.add_option(parser)
    parser.add_argument("--driver", choices=deqp.DRIVERS, help="by default Mesa's for the model; radv-25.0 and the like are newer releases: scripts/judges brings them")
    parser.add_argument("--flags", default="", help="switches of Mesa's driver, as its family has them (tests/<gpu>/family.py)")
    parser.add_argument("--sample", type=int, default=7000, help="how many cases")
    parser.add_argument("--skip", type=int, default=0, help="without the cases that a sample of this size has")
    parser.add_argument("--minimum", type=int, default=20, help="of every group, at least")
    parser.add_argument("--mustpass", help="external/vulkancts/mustpass/main/src of the CTS: its exclusions")
    parser.add_argument("--cases", help="a list of cases to run instead of a sample")
    parser.add_argument("--only", help="a regular expression: of these cases, those it finds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--chunk", type=int, default=60, help="cases a process")
    parser.add_argument("--case-limit", type=float, default=600, help="seconds a case may take: some take minutes")
    parser.add_argument("--start-limit", type=float, default=600, help="seconds a process may take to its first case, or from one to the next")
    parser.add_argument("--work", help="where names, results and reports go; by default ~/.cache/tuff-cts")
    parser.add_argument("--resume", action="store_true", help="keep the results that are there")
    parser.add_argument("--expected", help="cases known to fail; by default tests/FAMILY/cts/expected-DRIVER.txt, or expected-DRIVER.txt beside this file")
    parser.add_argument("--record", metavar="NAME", help="keep the counts in docs/data/cts.json, with this name of the cases")
    parser.add_argument("--tests", default="1.3.5.2", metavar="RELEASE", help="of the tests, for --record")
    parser.add_argument("--list", action="store_true", help="print the cases and end")
    parser.add_argument("--quiet", action="store_true", help="no line for each case that fails")
    options = parser.parse_args(arguments)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    options.work = os.path.abspath(options.work or os.path.join(cache, "tuff-cts"))
    options.driver = options.driver or models.family(options.gpu).VULKAN
    place = models.ROOT / "tests" / models.find(options.gpu).family / "cts" if deqp.needs_tuff(options.driver) else HERE
    options.expected = options.expected or os.path.join(place, f"expected-{options.driver}.txt")
    options.deqp = os.path.abspath(options.deqp)
    if os.sep in options.tuff:
        options.tuff = os.path.abspath(options.tuff)
    return options


def main(arguments=None):
    options = parse(arguments)
    if not os.access(options.deqp, os.X_OK):
        print(f"{options.deqp} is not a program; docs/cts.md says how to build deqp-vk", file=sys.stderr)
        return 2
    if deqp.needs_tuff(options.driver) and not shutil.which(options.tuff):
        print(f"{options.tuff} is not a program: --tuff names the command to judge", file=sys.stderr)
        return 2
    # Some cases keep one workgroup busy for longer than the model's watchdog grants; a case that hangs meets our own limit.
    os.environ.setdefault("TUFF_JOB_TIMEOUT_MS", "60000")
    setup = deqp.Setup(options.deqp, deqp.wrapper(options.driver, options.tuff, options.gpu, options.flags), options.case_limit, options.start_limit)
    work = os.path.join(options.work, options.driver if options.gpu == models.DEFAULT else f"{options.driver}-{options.gpu}")
    os.makedirs(work, exist_ok=True)
    names = choose(options, setup)
    if options.list:
        print("\n".join(names))
        return 0
    journal = os.path.join(work, "results.tsv")
    results = log.read_results(journal) if options.resume and os.path.exists(journal) else {}
    if not options.resume:
        open(os.path.join(work, "reports.txt"), "w", encoding="utf-8").close()
    log.write_results(journal, results)  # anew: the last line may have been cut short
    wanted = set(names)
    results = {name: result for name, result in results.items() if name in wanted}
    rest = [name for name in names if name not in results]
    print(f"{len(names)} cases on {options.driver}, {len(rest)} to run, {options.jobs} processes; results in {journal}", flush=True)

    run = Run(work, len(names), results, options.quiet)
    chunks = queue.Queue()
    for i in range(0, len(rest), options.chunk):
        chunks.put(rest[i:i + options.chunk])

    def interrupt(*_):
        run.stop = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    work_through(setup, chunks, work, run, options.jobs)
    run.close()
    return finish(options, names, run)


if __name__ == "__main__":
    sys.exit(main())
