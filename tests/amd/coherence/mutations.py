#!/usr/bin/env python3
"""Judge of the check of coherence: takes one event out of the streams that RADV or our driver wrote, and asks whether the check notices.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT PROGRAM [ARGUMENT]...

PROGRAM runs on the modelled Radeon with TUFF_DEBUG=coherence and must be clean as it is. An event is what a packet does to one cache, or a wait
(docs/coherence.md)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import coherence  # noqa: E402
from coherence import Bytes, after, before, bytes_of  # noqa: E402

# Places and sets, by their numbers in the list. A set is what stands in the column of views.
MEMORY, GL2, GLM, GL1, GLV, GLK, GLI, CB, CB_META, DB, DB_META = range(11)
VERTICES, PIXELS, COMPUTE, DMA = range(1, 5)
BACKENDS = (CB, CB_META, DB, DB_META)
# Who reads what a place was filled with.
BEHIND = {GL2: tuple(range(GL2, DB_META + 1)), GL1: (GL1, GLV, GLK)}
CLEANS = {"GLM_WB": (GLM,), "GL2_WB": (GL2,), "CB_DATA": (CB,), "CB_META": (CB_META,), "DB_DATA": (DB,), "DB_META": (DB_META,), "BACKENDS": BACKENDS,
          "mem-sync": (GL2, GLM), "job-end": (GL2, GLM, *BACKENDS)}
INVALIDATES = {"GL2_INV": (GL2,), "GLM_INV": (GLM,), "GL1_INV": (GL1,), "GLV_INV": (GLV,), "GLK_INV": (GLK,), "GLI_INV": (GLI,), "CB_DATA": (CB,),
               "CB_META": (CB_META,), "DB_DATA": (DB,), "DB_META": (DB_META,), "BACKENDS": BACKENDS, "mem-sync": (GL2, GLM, GL1, GLV, GLK, GLI),
               "job-end": (GLM, *BACKENDS)}
# Which sets a wait ends. Those of the front are left to test_cp_coherence.c: the list does not tell its reads from others.
WAITS = {"VS_WAIT": (VERTICES,), "PS_WAIT": (VERTICES, PIXELS), "CS_WAIT": (COMPUTE,), "DMA_WAIT": (DMA,), "EOP_WAIT": (VERTICES, PIXELS, COMPUTE)}


def why_clean_is_redundant(events, i, place):
    written = bytes_of(before(events, i, lambda event: place in event.cleans), ("writes",), lambda other: other == place)
    if not written:
        return "nothing was written through the cache since the last one"
    # Of the second level's only what goes around it is a reader.
    others = bytes_of(after(events, i, lambda event: place in event.cleans), ("reads", "writes"), lambda other: other == MEMORY if place == GL2 else other != place)
    return None if written.meets(others) else "nothing else accesses what was written before the next one"


def written_by_others(events, i, place):
    """What was written, since the place was last invalidated, behind its back. A backend's cache is empty until it is used."""
    found, is_used = Bytes(), place not in BACKENDS
    for event in before(events, i, lambda event: place in event.invalidates):
        is_used |= any(other == place for kind in (event.reads, event.writes) for other, _ in kind)
        if is_used:
            # Stores go through the shaders' caches, of which there are many.
            found.add(bytes_of((event,), ("writes",), lambda other: other == MEMORY if place == GL2 else other != place or place not in (GLM, *BACKENDS)))
    return found


def why_invalidate_is_redundant(events, i, place):
    found = after(events, i, lambda event: place in event.invalidates)
    looked_at = bytes_of(found, ("reads",), lambda other: other in BEHIND.get(place, (place,)))
    if not looked_at:
        return "nothing is read through the cache before the next one"
    # Before a job the host may have written anything; the second level has what the GPU wrote.
    if place not in BACKENDS and any(event.name == "job-begin" for event in before(events, i, lambda event: place in event.invalidates)):
        own = bytes_of(events[:i + 1] + found, ("writes",), lambda other: other != MEMORY) if place == GL2 else {}
        if any(bits & ~own.get(line, 0) for line, bits in looked_at.items()):
            return None
    if written_by_others(events, i, place).meets(looked_at):
        return None
    return "nothing that is read after it was written by others since the last one"


def of_sets(events, kinds, sets):
    found = Bytes()
    for event in events:
        for kind in kinds:
            for (_, of_set), lines in getattr(event, kind).items():
                if of_set in sets:
                    found.add(lines)
    return found


def why_wait_is_redundant(events, i):
    """A wait lets reads before the next one come after what its commands wrote since the last one."""
    sets = WAITS[events[i].name]

    def is_end(event):
        return event.name in ("job-begin", "job-end") or set(sets) <= set(WAITS.get(event.name, ()))
    written = of_sets(before(events, i, is_end), ("writes",), sets)
    if written.meets(bytes_of(after(events, i, is_end), ("reads",), lambda place: True)):
        return None
    return "nothing that was written since the last one is read before the next one"


def why_redundant(events, i):
    event = events[i]
    if event.name in WAITS:
        return why_wait_is_redundant(events, i)
    reasons = [why_clean_is_redundant(events, i, place) for place in event.cleans] + \
              [why_invalidate_is_redundant(events, i, place) for place in event.invalidates]
    return None if None in reasons else reasons[-1]


if __name__ == "__main__":
    sys.exit(coherence.judge_events(__doc__, coherence.Rules(CLEANS, INVALIDATES, tuple(WAITS), why_redundant)))
