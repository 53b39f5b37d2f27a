#!/usr/bin/env python3
"""Judge of strict mode and of the check of coherence: takes one WAIT, SYNC_WAIT or FLUSH_CACHE2 out of the streams that PanVK wrote, and asks whether it
is missed.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT --case CASE [--case CASE]... PROGRAM [ARGUMENT]...

PROGRAM runs on the model, with one CASE as its last argument, and must be clean as it is. Each mutant is one run without one instruction
(TUFF_CS_SKIP, docs/coherence.md) in strict mode and with the check of coherence; it is caught by a report of either, or if the case fails. Instructions
that cannot matter, whatever the model does, are counted apart: the list of the run proves it (why_redundant)."""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import tap  # noqa: E402

MARKS = ("strict mode:", "coherence:")
DEBUG = "strict,coherence"
# What share of all mutants must be caught, and how long one may take.
DEMANDED = 0.8
TIMEOUT_S = 60
NAMES = {"wait": "WAIT", "sync": "SYNC_WAIT", "down": "SYNC_WAIT", "flush": "FLUSH_CACHE2"}


class Step:
    """One line of the list: what a queue did, in the order of the run."""

    def __init__(self, line):
        self.what, self.queue, depth, va, word, first, second = line.split()
        self.depth, self.va, self.word = int(depth), int(va, 16), int(word, 16)
        self.first, self.second = int(first, 16), int(second, 16)


class Mutant:
    """An instruction of a case, with the places in the list where it was executed."""

    def __init__(self, case, step):
        self.case, self.step, self.at = case, step, []

    def __str__(self):
        return f"{NAMES[self.step.what]} {self.step.va:x}:{self.step.word:016x} of {self.case}"

    def skip(self):
        return f"{self.step.va:x}:{self.step.word:x}"


# ---- what cannot matter ----

def wait_is_empty(steps, i):
    """Nothing was issued to its slots since they were last waited for."""
    return not steps[i].first & steps[i].second


def sync_is_known(steps, i):
    """The queue has waited for a later value of the same counter, or the signal came in a job that had ended before this one began."""
    step, signals, began = steps[i], 0, None
    for n in range(i - 1, -1, -1):
        other = steps[n]
        if other.queue == step.queue and other.what == "begin":
            began = n
            break
        if other.queue == step.queue and other.what == "sync" and other.first == step.first and other.second >= step.second:
            return True
    # The value that the counter had when the job began, of signals of jobs that had ended: all others may still come.
    running = {}
    for n in range(began or 0):
        other = steps[n]
        if other.what == "end":
            signals += sum(running.pop(other.queue, ()))
        elif other.what == "add" and other.first == step.first:
            running.setdefault(other.queue, []).append(other.second)
    return signals > step.second


def why_redundant(steps, mutant):
    """A reason for which the instruction changes nothing, wherever it was executed; None: there is none."""
    if mutant.step.what == "wait" and all(wait_is_empty(steps, i) for i in mutant.at):
        return "nothing is in its slots"
    if mutant.step.what == "sync" and all(sync_is_known(steps, i) for i in mutant.at):
        return "what it waits for is known"
    return None


# ---- runs ----

def run(command, **variables):
    """Exit code, all output up to the first report, and whether it hung."""
    environment = dict(os.environ, TUFF_DEBUG=DEBUG, **variables)
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                process.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # a process group of its own
                process.wait()
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace")


def caught_by(command, mutant):
    """What missed the instruction; None: nothing did."""
    code, output = run([*command, mutant.case], TUFF_CS_SKIP=mutant.skip())
    for mark in MARKS:
        if mark in output:
            return mark.rstrip(":")
    return "the case" if code else None


def listing(command, case):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        code, output = run([*command, case], TUFF_CS_LIST=path)
        if not os.path.exists(path):
            return code, output, []
        with open(path, encoding="utf-8") as file:
            return code, output, [Step(line) for line in file]


def mutants_of(case, steps):
    """The kernel's own stream, in the ring buffer, is left alone."""
    found = {}
    for i, step in enumerate(steps):
        if step.what in NAMES and step.depth > 1:
            found.setdefault((step.va, step.word), Mutant(case, step)).at.append(i)
    return list(found.values())


# ---- the judge ----

def judge_kind(judge, kind, mutants, options, pool):
    chosen = mutants if options.all or len(mutants) <= options.sample else random.Random(2026).sample(mutants, options.sample)
    by = list(pool.map(lambda mutant: caught_by(options.command, mutant), chosen))
    survivors = [mutant for mutant, what in zip(chosen, by) if not what]
    ways = ", ".join(f"{by.count(what)} by {what}" for what in sorted(set(filter(None, by))))
    judge.note(f"{options.subject}, {kind}: {len(chosen) - len(survivors)} of {len(chosen)} mutants are caught ({ways or 'none'}), of {len(mutants)}")
    if options.survivors:
        for mutant in survivors:
            judge.note(f"not caught: {mutant}")
    return len(chosen), survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=12, help="mutants of each kind, chosen at random but always the same")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--redundant", action="store_true", help="also mutants that cannot matter")
    parser.add_argument("--case", action="append", required=True)
    parser.add_argument("subject")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    judge, kinds, made, missed = tap.Tap(), {}, 0, []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lists = list(pool.map(lambda case: listing(options.command, case), options.case))
        if any(code == 77 for code, _, _ in lists):
            print("1..0 # SKIP the driver is not installed")
            return 77
        for case, (code, output, steps) in zip(options.case, lists):
            is_clean = code == 0 and bool(steps) and not any(mark in output for mark in MARKS)
            judge.case(f"{options.subject}: {case} is clean", is_clean, f"TUFF_DEBUG={DEBUG}\n" + output[-3000:])
            for mutant in mutants_of(case, steps):
                why = why_redundant(steps, mutant)
                kinds.setdefault(NAMES[mutant.step.what] + (f", redundant: {why}" if why else ""), []).append(mutant)
        for kind in NAMES.values():
            judge.case(f"{options.subject}: there is a mutant of the kind: {kind}", kind in kinds)
        for kind, found in sorted(kinds.items()):
            if "redundant" in kind and not options.redundant:
                judge.note(f"{options.subject}, {kind}: {len(found)}")
                continue
            of_kind, survivors = judge_kind(judge, kind, found, options, pool)
            if "redundant" not in kind:
                made, missed = made + of_kind, missed + survivors
    judge.case(f"{options.subject}: {made - len(missed)} of {made} mutants are caught", len(missed) <= (1 - DEMANDED) * made,
               "\n".join(f"not caught: TUFF_DEBUG={DEBUG} TUFF_CS_SKIP={mutant.skip()}  {mutant}" for mutant in missed))
    return judge.done()


if __name__ == "__main__":
    sys.exit(main())
