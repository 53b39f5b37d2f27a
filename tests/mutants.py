"""Mutants of programs that other compilers wrote, for the judges of strict mode (tests/<family>/strict): one run for each, with one
instruction exchanged (TUFF_STRICT_PATCH, docs/strict.md). It is caught if the run reports "strict mode:"."""
import argparse
import os
import random
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tap


class Inst:
    def __init__(self, line):
        code, self.text = line.rstrip("\n").split("\t")
        address, *words = code.split()
        self.va, self.words = int(address, 16), [int(word, 16) for word in words]

    def __str__(self):
        return f"{self.va:x} {self.text}"

    @property
    def name(self):
        return self.text.split()[0]


class Mutant:
    """`changes`: the words that take an instruction's place, as TUFF_STRICT_PATCH of the family has them."""

    def __init__(self, kind, inst, changes, what):
        self.kind, self.inst, self.changes, self.what = kind, inst, changes, what

    def __str__(self):
        return f"{self.kind}: {self.inst} -> {self.what}"

    def patch(self):
        return self.changes


MARK = "strict mode:"


def run(command, until=None, **variables):
    """Exit code and all output of a run in strict mode; it is ended at the first line with `until`."""
    environment = dict(os.environ, TUFF_DEBUG="strict", **variables)
    lines = []
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        for line in process.stdout:
            lines.append(line.decode(errors="replace"))
            if until and until in lines[-1]:
                os.killpg(process.pid, signal.SIGKILL)  # a process group of its own
                break
    return process.returncode, "".join(lines)


def is_caught(command, mutant):
    return MARK in run(command, MARK, TUFF_STRICT_PATCH=mutant.patch())[1]


def listing(command):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "list")
        code, output = run(command, TUFF_STRICT_LIST=path)
        if not os.path.exists(path):
            return code, output, []
        with open(path, encoding="utf-8") as file:
            found = {}
            for line in file:
                inst = Inst(line)
                found.setdefault(inst.va, inst)
    return code, output, [found[va] for va in sorted(found)]


def about(output):
    """What an output says of strict mode, or its end."""
    lines = output.splitlines()
    return "\n".join([line for line in lines if MARK in line] or lines[-20:])


def report(judge, kind, mutants, caught, options):
    survivors = [mutant for mutant, was_caught in zip(mutants, caught) if not was_caught]
    share = 1 - len(survivors) / len(mutants)
    name = f"{options.subject}, {kind}: {len(mutants) - len(survivors)} of {len(mutants)} mutants are caught"
    if kind in options.demanded:
        judge.case(name, share >= options.demanded[kind], "\n".join(f"not caught: TUFF_STRICT_PATCH={m.patch()}  {m}" for m in survivors))
    else:
        judge.note(name)
    if options.survivors:
        for mutant in survivors:
            judge.note(f"not caught: {mutant}  TUFF_STRICT_PATCH={mutant.patch()}")


def judge_mutants(doc, kinds, demanded):
    """The whole of a family's program: `kinds` make mutants of a list of instructions, `demanded` has the share of each
    kind that must be caught."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--sample", type=int, default=40, help="mutants of each kind, chosen at random but always the same")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--clean", action="store_true", help="no mutants: the programs as they are, whatever else PROGRAM finds wrong")
    parser.add_argument("--need", default="wait", help="kinds of which there must be at least one, separated by commas")
    parser.add_argument("subject")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    options.demanded = demanded
    judge = tap.Tap()

    code, output, instructions = listing(options.command)
    if code == 77:
        return judge.skip_all("the driver is not installed")
    clean = (code == 0 or options.clean) and MARK not in output and bool(instructions)
    judge.case(f"{options.subject}: {len(instructions)} instructions run clean", clean, "TUFF_DEBUG=strict " + " ".join(options.command) + "\n" + about(output))
    if options.clean:
        return judge.done()
    mutants = {}
    for kind in kinds:
        for mutant in kind(instructions):
            mutants.setdefault(mutant.kind, []).append(mutant)
    for kind in options.need.split(","):
        judge.case(f"{options.subject}: there is a mutant of the kind: {kind}", kind in mutants)

    rng = random.Random(2026)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind, made in mutants.items():
            chosen = made if options.all or len(made) <= options.sample else rng.sample(made, options.sample)
            caught = list(pool.map(lambda mutant: is_caught(options.command, mutant), chosen))
            report(judge, kind, chosen, caught, options)
    return judge.done()
