"""Runs test programs side by side, one for each CPU, and tells as it goes what ended and what failed. Knows nothing of builds and
keeps nothing: what came out is a list of results."""
import os
import random
import signal
import subprocess
import tempfile
import threading
import time

from testing.tap_reader import ExitReader, FAILED, GAP, SKIPPED, Case, TapReader, ended_with

LIMIT_FACTOR = 4        # a program's limit is there to end a hang; on a loaded machine a sound one needs some of this
MOST_ERROR_LINES = 40
PATIENCE_S = 2          # between asking a program to end and ending it


class Result:
    """What came of one program."""

    def __init__(self, title, suites=()):
        self.title = title
        self.suites = list(suites)
        self.cases = []
        self.flaws = []            # what is wrong beside its cases
        self.skipped_whole = None  # the reason
        self.errors = ""           # the end of its standard error, or of all that it said
        self.wall_s = 0.0
        self.cpu_s = 0.0

    @property
    def failures(self):
        return [case for case in self.cases if case.outcome == FAILED]

    @property
    def failed(self):
        """The number of failures: what is wrong beside the cases is one more where no case says it."""
        return len(self.failures) or (1 if self.flaws else 0)

    @property
    def passed(self):
        return sum(case.outcome not in (FAILED, GAP) for case in self.cases)

    def skips(self):
        """Pairs of a case's name and the reason, gaps included; of a program that was skipped whole one without a name."""
        if self.skipped_whole is not None and not self.cases:
            return [("", self.skipped_whole)]
        return [(case.name, case.reason) for case in self.cases if case.outcome in (SKIPPED, GAP)]


def allowed_cpus():
    return len(os.sched_getaffinity(0))


class Run:
    """One program on its way."""

    def __init__(self, program):
        self.program = program
        self.reader = TapReader() if program.speaks_tap else ExitReader(program.name)
        self.process = None
        self.timed_out = False

    def environment(self):
        # Memory that is freed or not written yet is no zeros, as under Meson.
        return {"MALLOC_PERTURB_": str(random.randint(1, 255)), **os.environ, **self.program.environment}

    def end_group(self):
        """The program and what it started."""
        for word in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, word)
            except ProcessLookupError:
                return
            time.sleep(PATIENCE_S if word == signal.SIGTERM else 0)

    def give_up(self):
        self.timed_out = True
        self.end_group()

    def run(self, told):
        """Run it to its end; `told` hears of each case."""
        program, reader = self.program, self.reader
        result = Result(program.title, program.suites)
        start = time.monotonic()
        said = []  # the end of what it said that is no case
        with tempfile.TemporaryFile() as errors:
            try:
                self.process = subprocess.Popen(program.command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, cwd=program.folder,
                                                env=self.environment(), start_new_session=True, text=True, errors="replace")
            except OSError as why:
                result.flaws.append(f"it could not be started: {why}")
                return result
            watch = threading.Timer(program.limit_s * LIMIT_FACTOR, self.give_up) if program.limit_s > 0 else None
            if watch:
                watch.start()
            for line in self.process.stdout:
                case = reader.read(line.rstrip("\n"))
                if case:
                    told(case)
                else:
                    said = said[-MOST_ERROR_LINES:] + [line]
            self.process.stdout.close()
            _, status, usage = os.wait4(self.process.pid, 0)
            if watch:
                watch.cancel()
            self.process.returncode = code = os.waitstatus_to_exitcode(status)
            reader.end(code)
            result.errors = last_lines(errors) or "".join(said)
        if self.timed_out:
            reader.flaws.append(f"it was ended after {program.limit_s * LIMIT_FACTOR} s")
        result.cases, result.skipped_whole, result.flaws = reader.cases, reader.skipped_whole, reader.flaws
        result.wall_s, result.cpu_s = time.monotonic() - start, usage.ru_utime + usage.ru_stime
        return result


def last_lines(file):
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 200 * MOST_ERROR_LINES, 0))
    return "\n".join(file.read().decode(errors="replace").splitlines()[-MOST_ERROR_LINES:])


class Runner:
    """`begun(program)`, `told(program, case)` and `ended(program, result)` are called one at a time, from any thread."""

    def __init__(self, begun, told, ended, jobs=None):
        self.begun, self.told, self.ended = begun, told, ended
        self.jobs = jobs or allowed_cpus()
        self.lock = threading.Lock()
        self.waiting = []
        self.running = set()
        self.stopped = False

    def work(self):
        while True:
            with self.lock:
                if self.stopped or not self.waiting:
                    return
                program = self.waiting.pop(0)
                run = Run(program)
                self.running.add(run)
                self.begun(program)

            def told(case):
                with self.lock:
                    self.told(program, case)
            result = run.run(told)
            with self.lock:
                self.running.discard(run)
                if not self.stopped:
                    self.ended(program, result)

    def run(self, programs):
        """Run the programs in this order."""
        self.waiting = list(programs)
        threads = [threading.Thread(target=self.work) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            with self.lock:
                self.stopped = True
                left = list(self.running)
            for run in left:
                if run.process:
                    run.end_group()
            raise
