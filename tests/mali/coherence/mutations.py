#!/usr/bin/env python3
"""Judge of strict mode and of the check of coherence: takes one WAIT, SYNC_WAIT or FLUSH_CACHE2 out of the streams that PanVK wrote, and asks whether it
is missed.

    mutations.py [--sample N] [--all] [--survivors] SUBJECT --case CASE [--case CASE]... PROGRAM [ARGUMENT]...

PROGRAM runs on the model, with one CASE as its last argument, and must be clean as it is. Each mutant is one run without one instruction
(TUFF_CS_SKIP, docs/coherence.md) in strict mode and with the check of coherence; it is caught by a report of either, or if the case fails. Instructions
that cannot matter are counted apart: a list of the run's accesses, waits and signals, and not the model, says whether anything is out of order without
them (Run)."""
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
KINDS = ("WAIT", "WAIT for a load", "SYNC_WAIT", "FLUSH_CACHE2")
# Opcodes, and clients of src/mali/model/coherence.h: what a signal writes is looked at again, some keep their own order.
FLUSH, LOAD = 36, 20
SIGNAL, TILER, ATOMIC, TEXTURE, OCCLUSION = 2, 4, 6, 10, 12
IN_ORDER = (TILER, ATOMIC, OCCLUSION)


class Mutant:
    """An instruction of a case."""

    def __init__(self, case, kind, va, word):
        self.case, self.kind, self.va, self.word, self.why = case, kind, va, word, set()

    def __str__(self):
        return f"{self.kind} {self.va:x}:{self.word:016x} of {self.case}"

    def skip(self):
        return f"{self.va:x}:{self.word:x}"


# ---- what a run needs ----

class Node:
    """A point of a run: a step of a queue's stream, or an operation beside it. `before` are the points that it comes after by its own place in the
    stream, `waits` those that it comes after because an instruction asks for it."""

    def __init__(self, before, waits=(), where=None):
        self.before, self.waits, self.where, self.bit, self.word = before, waits, where, 0, 0


class Run:
    """The list of a run as a graph, whose nodes are in an order that agrees with it; and the pairs of nodes that must stay in order."""

    def __init__(self, lines):
        self.nodes, self.at, self.ops, self.slots, self.in_hand = [], {}, {}, {}, {}
        self.signals, self.ends, self.flushes, self.mutants = {}, [], [], {}
        self.written, self.read, self.unwaited = {}, {}, {}
        self.pairs, self.overwrites, self.textures, self.hosts, self.loads = set(), set(), set(), set(), set()
        self.writers = {}
        for line in lines:
            words = line.split()
            if words[0] == "x":
                self.discard(int(words[2], 16), int(words[3], 16))
            elif words[0] in "rw":
                self.access(words[0] == "w", *words[1:3], *(int(word, 16) for word in words[3:]))
            else:
                what, queue, depth, va, word, first, second = words
                getattr(self, "on_" + what)(queue, int(depth), (int(va, 16), int(word, 16)), int(first, 16), int(second, 16))
        for i, node in enumerate(self.nodes):
            node.number = i

    def add(self, before, waits=(), where=None):
        node = Node([n for n in before if n], [n for n in waits if n], where)
        self.nodes.append(node)
        return node

    def step(self, queue, waits=(), where=None):
        self.at[queue] = self.add([self.at.get(queue)], waits, where)
        return self.at[queue]

    def note_mutant(self, kind, depth, where):
        if depth > 1:  # the kernel's own stream, in the ring buffer, is left alone
            self.mutants.setdefault(where, kind)

    # The kernel lets a job begin after others have ended, where it must; here after all that have.
    def on_begin(self, queue, *_):
        self.at[queue] = self.add([self.at.get(queue), *self.ends])
        self.writers[queue] = set()

    def on_end(self, queue, *_):
        node = self.step(queue)
        self.ends.append(node)
        self.hosts |= {(writer, node) for writer in self.writers[queue]}

    def on_issue(self, queue, depth, where, number, how):
        self.ops[queue, number] = self.at[queue], how >> 8, list(self.slots.get(queue, {}).items())
        slot = self.slots.setdefault(queue, {}).setdefault(how & 0xff, [])
        slot.append(number)
        self.unwaited.setdefault((queue, how & 0xff), []).append(number)
        if where[1] >> 56 == FLUSH:
            self.note_mutant("FLUSH_CACHE2", depth, where)

    def on_do(self, queue, _, where, number, __):
        self.in_hand[queue] = number
        if not number:
            self.step(queue)
            return
        issued, mask, slots = self.ops[queue, number]
        waits = [self.ops[queue, n] for slot, numbers in slots if mask >> slot & 1 for n in numbers if n < number]
        node = self.add([issued], [n for n in waits if isinstance(n, Node)], None)
        node.word, node.va = where[1], where[0]
        self.ops[queue, number] = node
        if where[1] >> 56 == FLUSH:
            self.flushes.append(node)

    def on_wait(self, queue, depth, where, mask, _):
        waits = [self.ops[queue, n] for slot, numbers in self.slots.get(queue, {}).items() if mask >> slot & 1 for n in numbers]
        waits = [n for n in waits if isinstance(n, Node)]
        self.step(queue, waits, where)
        self.note_mutant("WAIT", depth, where)
        for slot in range(8):
            if mask >> slot & 1 and any(self.ops[queue, n].word >> 56 == LOAD for n in self.unwaited.pop((queue, slot), [])):
                self.loads.add(where)

    def on_signal(self, queue, _, __, va, value):
        number = self.in_hand.get(queue, 0)
        self.signals.setdefault(va, []).append((value, self.add([self.ops[queue, number] if number else self.at[queue]])))

    def on_sync(self, queue, depth, where, va, above):
        known, waits = self.signals.get(va, []), []
        for value, node in known:
            waits.append(node)
            if value > above:
                break
        else:
            waits = [node for _, node in known] if known else []
        self.step(queue, waits, where)
        self.note_mutant("SYNC_WAIT", depth, where)

    def on_down(self, queue, depth, where, va, _):
        self.step(queue, [node for _, node in self.signals.get(va, [])], where)
        self.note_mutant("SYNC_WAIT", depth, where)

    def access(self, is_write, queue, number, client, line, bits):
        if client == SIGNAL:
            return
        node = self.ops[queue, int(number)] if int(number) else self.at[queue]
        for other, mask, of_client in self.written.get(line, ()):
            if other is node or not mask & bits or (client == of_client and client in IN_ORDER):
                continue
            self.pairs.add((other, node))
            if client == TEXTURE:
                self.textures.add((other, node))
        if not is_write:
            self.read.setdefault(line, {}).setdefault((node, client), 0)
            self.read[line][node, client] |= bits
            return
        for (other, of_client), mask in self.read.get(line, {}).items():
            if other is not node and mask & bits and not (client == of_client and client in IN_ORDER):
                self.overwrites.add((other, node))
        kept = [(n, mask & ~bits, c) for n, mask, c in self.written.get(line, ()) if mask & ~bits and not (n is node and c == client)]
        same = sum(mask for n, mask, c in self.written.get(line, ()) if n is node and c == client and mask)
        self.written[line] = kept + [(node, same | bits, client)]
        self.read[line] = {key: mask & ~bits for key, mask in self.read.get(line, {}).items() if mask & ~bits}
        self.writers[queue].add(node)

    def discard(self, first, count):
        for lines in (self.written, self.read):
            for line in [line for line in lines if first <= line < first + count]:
                del lines[line]

    # ---- without one instruction ----

    def reach(self, where):
        """For each node the bits of the nodes that come before it."""
        found = []
        for node in self.nodes:
            bits = 0
            for other in node.before if where and node.where == where else (*node.before, *node.waits):
                bits |= found[other.number] | other.bit
            found.append(bits)
        return found

    def number_sources(self):
        sources = {a for pairs in (self.pairs, self.overwrites, self.textures, self.hosts) for a, _ in pairs} | set(self.flushes)
        for i, node in enumerate(sorted(sources, key=lambda node: node.number)):
            node.bit = 1 << i

    def broken(self, where=None):
        """What is no longer in order without the instruction at `where`: names of reasons."""
        found, why = self.reach(where), set()
        flushes = [node for node in self.flushes if (node.va, node.word) != where]

        def is_after(a, b):
            return found[b.number] & a.bit

        def is_flushed(a, b, is_kind):
            return any(is_after(a, f) and is_after(f, b) for f in flushes if is_kind(f.word))

        if any(not is_after(a, b) for a, b in self.pairs):
            why.add("data")
        if any(not is_after(a, b) for a, b in self.overwrites):
            why.add("overwritten")
        if any(not is_flushed(a, b, lambda word: word >> 8 & 0xf) for a, b in self.textures):
            why.add("texture")
        if any(not is_flushed(a, b, lambda word: word & 0xf and word >> 4 & 0xf) for a, b in self.hosts):
            why.add("host")
        if where in self.loads:
            why.add("registers")
        return why


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
    """Exit code, output, and what the run needs; None where it has no list."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        code, output = run([*command, case], TUFF_CS_LIST=path)
        if not os.path.exists(path):
            return code, output, None
        with open(path, encoding="utf-8") as file:
            found = Run(file)
    found.number_sources()
    return code, output, found


# ---- the judge ----

def judge_kind(judge, kind, mutants, options, pool):
    chosen = mutants if options.all or len(mutants) <= options.sample else random.Random(2026).sample(mutants, options.sample)
    by = list(pool.map(lambda mutant: caught_by(options.command, mutant), chosen))
    survivors = [mutant for mutant, what in zip(chosen, by) if not what]
    ways = ", ".join(f"{by.count(what)} by {what}" for what in sorted(set(filter(None, by))))
    judge.note(f"{options.subject}, {kind}: {len(chosen) - len(survivors)} of {len(chosen)} mutants are caught ({ways or 'none'}), of {len(mutants)}")
    if options.survivors:
        for mutant in survivors:
            judge.note(f"not caught: {mutant} ({', '.join(sorted(mutant.why))})")
    return len(chosen), survivors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=12, help="mutants of each kind, chosen at random but always the same")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--look", type=int, default=400, help="instructions of each case that are looked at, chosen in the same way")
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
            return judge.skip_all("the driver is not installed")
        for case, (code, output, found) in zip(options.case, lists):
            is_clean = code == 0 and found is not None and not any(mark in output for mark in MARKS)
            judge.case(f"{options.subject}: {case} is clean", is_clean, f"TUFF_DEBUG={DEBUG}\n" + output[-3000:])
            if not is_clean:
                continue
            base = found.broken()
            judge.case(f"{options.subject}: {case} is in order", not base - {"overwritten"}, f"by the list alone: {base}")
            for (va, word), kind in random.Random(2026).sample(sorted(found.mutants.items()), min(len(found.mutants), options.look)):
                mutant = Mutant(case, kind, va, word)
                mutant.why = found.broken((va, word)) - base
                if not mutant.why:
                    kind += ", redundant"
                elif "registers" in mutant.why:
                    kind += " for a load"
                kinds.setdefault(kind, []).append(mutant)
        for kind in KINDS:
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
