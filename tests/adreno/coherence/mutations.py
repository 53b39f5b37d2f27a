#!/usr/bin/env python3
"""Judge of the check of coherence: takes one event out of the streams that Turnip wrote, and asks whether the check notices.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT PROGRAM [ARGUMENT]...

PROGRAM runs on the model with TUFF_DEBUG=coherence and must be clean as it is. Each mutant is one run without one event (TUFF_COHERENCE_SKIP,
docs/coherence.md); it is caught if the run reports "coherence:". Events that cannot matter, as far as the events and accesses around them show, are
counted apart: the driver has places where it asks for everything."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import coherence  # noqa: E402
from coherence import after, before, bytes_of, views_of  # noqa: E402

# Places, by their numbers in the list.
UCHE, DESCRIPTORS, COLOR, DEPTH, RESOLVE, CP, LRZ = range(1, 8)
CLEANS = {"CACHE_FLUSH_TS": (UCHE,), "PC_CCU_FLUSH_COLOR_TS": (COLOR,), "PC_CCU_FLUSH_DEPTH_TS": (DEPTH,), "PC_CCU_RESOLVE_TS": (RESOLVE,),
          "CP_WAIT_MEM_WRITES": (CP,), "FLUSH_SO": (UCHE,), "own-wait": (CP,), "LRZ_FLUSH_INVALIDATE": (LRZ,), "job-end": (UCHE, CP)}
WAIT = "CP_WAIT_FOR_IDLE"
INVALIDATES = {"CACHE_INVALIDATE": (UCHE, LRZ), "PC_CCU_INVALIDATE_COLOR": (COLOR,), "PC_CCU_INVALIDATE_DEPTH": (DEPTH,), "job-begin": (COLOR, DEPTH)}


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


if __name__ == "__main__":
    sys.exit(coherence.judge_events(__doc__, coherence.Rules(CLEANS, INVALIDATES, (WAIT,), why_redundant)))
