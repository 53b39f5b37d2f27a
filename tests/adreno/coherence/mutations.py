#!/usr/bin/env python3
"""Judge of the check of coherence: takes one event out of the streams that Turnip wrote, and asks whether the check notices.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT PROGRAM [ARGUMENT]...

PROGRAM runs on the model with TUFF_DEBUG=coherence and must be clean as it is. Each mutant is one run without one event (TUFF_COHERENCE_SKIP,
docs/coherence.md); it is caught if the run reports "coherence:". Events that cannot matter, as far as the events and accesses around them show, are
counted apart: the driver has places where it asks for everything."""
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

MARK = "coherence:"
# Places, by their numbers in the list.
UCHE, DESCRIPTORS, COLOR, DEPTH, RESOLVE, CP, LRZ = range(1, 8)
CLEANS = {"CACHE_FLUSH_TS": (UCHE,), "PC_CCU_FLUSH_COLOR_TS": (COLOR,), "PC_CCU_FLUSH_DEPTH_TS": (DEPTH,), "PC_CCU_RESOLVE_TS": (RESOLVE,),
          "CP_WAIT_MEM_WRITES": (CP,), "FLUSH_SO": (UCHE,), "own-wait": (CP,), "LRZ_FLUSH_INVALIDATE": (LRZ,), "job-end": (UCHE, CP)}
WAIT = "CP_WAIT_FOR_IDLE"
INVALIDATES = {"CACHE_INVALIDATE": (UCHE, LRZ), "PC_CCU_INVALIDATE_COLOR": (COLOR,), "PC_CCU_INVALIDATE_DEPTH": (DEPTH,), "job-begin": (COLOR, DEPTH)}
# What share of each kind must be caught. Waits are no events of caches: their figures are notes.
DEMANDED = 0.85


class Event:
    """An event of the list, with what was read and written before it, since the one above: by place and view, for each line its bytes as bits."""

    def __init__(self, line, reads, writes, fills):
        _, number, job, self.name = line.split()
        self.number, self.job, self.reads, self.writes, self.fills = int(number), int(job), reads, writes, fills
        self.cleans, self.invalidates = CLEANS.get(self.name, ()), INVALIDATES.get(self.name, ())

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


def why_clean_is_redundant(events, i, place):
    written = bytes_of(before(events, i, lambda event: place in event.cleans), ("writes",), lambda other: other == place)
    if not written:
        return "nothing was written through the cache since the last one"
    found = after(events, i, lambda event: place in event.cleans)
    # What is not cleaned is lost by the CCU's invalidate, and at the end of a job but for what the kernel's own stream cleans.
    if place in (COLOR, DEPTH, RESOLVE) and any(place in event.invalidates or event.name == "job-end" for event in found):
        return None
    others = bytes_of(found, ("reads", "writes"), lambda other: other != place)
    return None if written.meets(others) else "nothing else accesses what was written before the next one"


def why_invalidate_is_redundant(events, i, place):
    since = before(events, i, lambda event: place in event.invalidates)
    found = after(events, i, lambda event: place in event.invalidates)
    kinds = ("reads", "fills") if place in (COLOR, DEPTH) else ("reads",)
    looked_at = bytes_of(found, kinds, lambda other: other == place or (place == UCHE and other == DESCRIPTORS))
    if not looked_at:
        return "nothing is read through the cache before the next one"
    # The host may have written anything before a job that the GPU has not written itself.
    if place == UCHE and any(event.name == "job-begin" for event in since):
        return None
    # The CCU has what is stored from GMEM; its own lines it finds by target and layer.
    known = (place, RESOLVE) if place in (COLOR, DEPTH) else (place,)
    if bytes_of(since, ("writes",), lambda other: other not in known).meets(looked_at):
        return None
    if place in (COLOR, DEPTH):
        views = views_of(found, kinds, place)
        for view, written in views_of(since, ("writes",), place).items():
            if any(written.meets(others) for other, others in views.items() if other != view):
                return None
    return "nothing that is read after it was written by others since the last one"


def is_needed_in(events, i, place, is_clean, users):
    """Whether what an event does to a place is needed by accesses of `users`, events that come after it."""
    if is_clean:
        written = bytes_of(before(events, i, lambda event: place in event.cleans), ("writes",), lambda other: other == place)
        return written.meets(bytes_of(users, ("reads", "writes"), lambda other: other != place))
    since = before(events, i, lambda event: place in event.invalidates)
    looked_at = bytes_of(users, ("reads", "fills") if place in (COLOR, DEPTH) else ("reads",), lambda other: other == place)
    if place == UCHE and any(event.name == "job-begin" for event in since):
        return bool(looked_at)
    return bytes_of(since, ("writes",), lambda other: other != place).meets(looked_at)


def why_wait_is_redundant(events, i):
    """A wait brings the events since the last one to the accesses before the next one, and lets these come after what shaders wrote."""
    first = i
    while first and events[first - 1].name not in (WAIT, "job-begin"):
        first -= 1
    users = after(events, i, lambda event: event.name in (WAIT, "job-end"))
    for n in range(first, i):
        if any(is_needed_in(events, n, place, True, users) for place in events[n].cleans if events[n].number) or \
           any(is_needed_in(events, n, place, False, users) for place in events[n].invalidates if events[n].number):
            return None
    written = bytes_of(events[first:i + 1], ("writes",), lambda other: other == UCHE)
    if written.meets(bytes_of(users, ("reads",), lambda other: other == UCHE)):
        return None
    return "nothing before the next one needs the events and the writes since the last one"


def why_redundant(events, i):
    event = events[i]
    if event.name == WAIT:
        return why_wait_is_redundant(events, i)
    if event.cleans:
        return why_clean_is_redundant(events, i, event.cleans[0])
    return why_invalidate_is_redundant(events, i, event.invalidates[0])


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


def listing(command):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        code, output = run(command, TUFF_COHERENCE_LIST=path)
        if not os.path.exists(path):
            return code, output, []
        with open(path, encoding="utf-8") as file:
            return code, output, list(parse(file))


def parse(file):
    """`r` is read, `w` written into a line whose rest is filled, `o` written whole."""
    sets = [{}, {}, {}]
    for line in file:
        if line[0] == "e":
            yield Event(line, *sets)
            sets = [{}, {}, {}]
            continue
        kind, place, view, number, bits = line.split()
        for i in {"r": (0,), "w": (1, 2), "o": (1,)}[kind]:
            lines = sets[i].setdefault((int(place), int(view)), {})
            lines[number] = lines.get(number, 0) | int(bits, 16)


def judge_kind(judge, kind, events, options, pool):
    chosen = events if options.all or len(events) <= options.sample else random.Random(2026).sample(events, options.sample)
    caught = list(pool.map(lambda event: is_caught(options.command, event), chosen))
    survivors = [event for event, was_caught in zip(chosen, caught) if not was_caught]
    name = f"{options.subject}, {kind}: {len(chosen) - len(survivors)} of {len(chosen)} mutants are caught"
    if kind.endswith("redundant") or kind == WAIT:
        judge.note(name)
    else:
        judge.case(name, len(survivors) <= (1 - DEMANDED) * len(chosen),
                   "\n".join(f"not caught: TUFF_DEBUG=coherence TUFF_COHERENCE_SKIP={event.number}  {event}" for event in survivors))
    if options.survivors:
        for event in survivors:
            judge.note(f"not caught: {event}")
    return len(chosen), len(chosen) - len(survivors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
    code, output, events = listing(options.command)
    if code == 77:
        return judge.skip_all("the driver is not installed")
    judge.case(f"{options.subject}: {len(events)} events are clean", code == 0 and MARK not in output and bool(events),
               "TUFF_DEBUG=coherence " + " ".join(options.command) + "\n" + output[-3000:])
    kinds, reasons = {}, {}
    for i, event in enumerate(events):
        if not event.number or not (event.cleans + event.invalidates or event.name == WAIT):
            continue
        why = why_redundant(events, i)
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
            of_kind, of_caught = judge_kind(judge, kind, found, options, pool)
            if not kind.endswith("redundant") and kind != WAIT:
                made, caught = made + of_kind, caught + of_caught
    judge.note(f"{options.subject}: {caught} of {made} mutants are caught")
    return judge.done()


if __name__ == "__main__":
    sys.exit(main())
