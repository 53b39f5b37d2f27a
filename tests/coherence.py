"""Mutants of command streams that drivers wrote, for the judges of the check of coherence (tests/<family>/coherence): one run for each, without one
event (TUFF_COHERENCE_SKIP, docs/coherence.md). It is caught if the run reports "coherence:". Events that cannot matter, as far as the events and
accesses around them show, are counted apart: drivers have places where they ask for everything."""
import argparse
import os
import random
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tap

MARK = "coherence:"
# What share of each kind must be caught. Waits are no events of caches: their figures are notes.
DEMANDED = 0.85


class Event:
    """An event of the list, with what was read and written before it, since the one above: by place and view, for each line its bytes as bits."""

    def __init__(self, line, rules, reads, writes, fills):
        _, number, job, self.name = line.split()
        self.number, self.job, self.reads, self.writes, self.fills = int(number), int(job), reads, writes, fills
        self.cleans, self.invalidates = rules.cleans.get(self.name, ()), rules.invalidates.get(self.name, ())

    def __str__(self):
        return f"event {self.number} of job {self.job}, {self.name}"


class Bytes(dict):
    """Bytes of memory: by line."""

    def add(self, lines):
        for line, bits in lines.items():
            self[line] = self.get(line, 0) | bits

    def meets(self, other):
        return any(bits & other.get(line, 0) for line, bits in self.items())


def bytes_of(events, kinds, wanted):
    """What all events have read or written (`kinds`) through the places that `wanted` says."""
    found = Bytes()
    for event in events:
        for kind in kinds:
            for (place, _), lines in getattr(event, kind).items():
                if wanted(place):
                    found.add(lines)
    return found


def views_of(events, kinds, place):
    """The same of one place: by view."""
    found = {}
    for event in events:
        for kind in kinds:
            for (other, view), lines in getattr(event, kind).items():
                if other == place:
                    found.setdefault(view, Bytes()).add(lines)
    return found


def before(events, i, is_end):
    """Events up to events[i], back to the one after the last that is_end says."""
    first = i
    while first and not is_end(events[first - 1]):
        first -= 1
    return events[first:i + 1]


def after(events, i, is_end):
    """Events after events[i], up to the first that is_end says, and with it."""
    found = []
    for event in events[i + 1:]:
        found.append(event)
        if is_end(event):
            break
    return found


class Rules:
    """A family's: which places each event cleans and invalidates, the names of waits, and why an event of the list is redundant, or None."""

    def __init__(self, cleans, invalidates, waits, why_redundant):
        self.cleans, self.invalidates, self.waits, self.why_redundant = cleans, invalidates, waits, why_redundant


def run(command, until=None, **variables):
    """Exit code and all output; the run is ended at the first line with `until`."""
    lines = []
    environment = dict(os.environ, TUFF_DEBUG="coherence", **variables)
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        for line in process.stdout:
            lines.append(line.decode(errors="replace"))
            if until and until in lines[-1]:
                os.killpg(process.pid, signal.SIGKILL)  # a process group of its own
                break
    return process.returncode, "".join(lines)


def is_caught(command, event):
    return MARK in run(command, MARK, TUFF_COHERENCE_SKIP=str(event.number))[1]


def listing(command, rules):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        code, output = run(command, TUFF_COHERENCE_LIST=path)
        if not os.path.exists(path):
            return code, output, []
        with open(path, encoding="utf-8") as file:
            return code, output, list(parse(file, rules))


def parse(file, rules):
    """`r` is read, `w` written into a line whose rest is filled, `o` written whole."""
    sets = [{}, {}, {}]
    for line in file:
        if line[0] == "e":
            yield Event(line, rules, *sets)
            sets = [{}, {}, {}]
            continue
        kind, place, view, number, bits = line.split()
        for i in {"r": (0,), "w": (1, 2), "o": (1,)}[kind]:
            lines = sets[i].setdefault((int(place), int(view)), {})
            lines[number] = lines.get(number, 0) | int(bits, 16)


def judge_kind(judge, kind, events, options, pool, waits):
    chosen = events if options.all or len(events) <= options.sample else random.Random(2026).sample(events, options.sample)
    caught = list(pool.map(lambda event: is_caught(options.command, event), chosen))
    survivors = [event for event, was_caught in zip(chosen, caught) if not was_caught]
    name = f"{options.subject}, {kind}: {len(chosen) - len(survivors)} of {len(chosen)} mutants are caught"
    if kind.endswith("redundant") or kind in waits:
        judge.note(name)
    else:
        judge.case(name, len(survivors) <= (1 - DEMANDED) * len(chosen),
                   "\n".join(f"not caught: TUFF_DEBUG=coherence TUFF_COHERENCE_SKIP={event.number}  {event}" for event in survivors))
    if options.survivors:
        for event in survivors:
            judge.note(f"not caught: {event}")
    return len(chosen), len(chosen) - len(survivors)


def judge_events(doc, rules):
    """The whole of a family's program."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--sample", type=int, default=24, help="mutants of each kind, chosen at random but always the same")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--redundant", action="store_true", help="also mutants of events that cannot matter")
    parser.add_argument("--list", action="store_true", help="no mutants: how many there are of each kind, and why events are redundant")
    parser.add_argument("--need", default="", help="kinds of which there must be at least one, separated by commas")
    parser.add_argument("subject")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    judge = tap.Tap()
    code, output, events = listing(options.command, rules)
    if code == 77:
        return judge.skip_all("the driver is not installed")
    judge.case(f"{options.subject}: {len(events)} events are clean", code == 0 and MARK not in output and bool(events),
               "TUFF_DEBUG=coherence " + " ".join(options.command) + "\n" + output[-3000:])
    kinds, reasons = {}, {}
    for i, event in enumerate(events):
        if not event.number or not (event.cleans + event.invalidates or event.name in rules.waits):
            continue
        why = rules.why_redundant(events, i)
        kinds.setdefault(event.name + (", redundant" if why else ""), []).append(event)
        if why:
            reasons[event.name, why] = reasons.get((event.name, why), 0) + 1
    for kind in filter(None, options.need.split(",")):
        judge.case(f"{options.subject}: there is a mutant of the kind: {kind}", kind in kinds)
    if options.list:
        for kind, found in sorted(kinds.items()):
            judge.note(f"{kind}: {len(found)}")
        for (name, why), count in sorted(reasons.items()):
            judge.note(f"{name}: {count} redundant, for {why}")
        return judge.done()
    made = caught = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind, found in sorted(kinds.items()):
            if kind.endswith("redundant") and not options.redundant:
                judge.note(f"{options.subject}, {kind}: {len(found)}")
                continue
            of_kind, of_caught = judge_kind(judge, kind, found, options, pool, rules.waits)
            if not kind.endswith("redundant") and kind not in rules.waits:
                made, caught = made + of_kind, caught + of_caught
    judge.note(f"{options.subject}: {caught} of {made} mutants are caught")
    return judge.done()
