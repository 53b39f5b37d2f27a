"""Reads what one test program says, in TAP or by its exit code, line by line while it runs. Judges nothing: the cases are as the
program tells them, and `flaws` says where what it told is not whole."""
import re

CASE = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#\s*SKIP\S*\s*(.*))?$", re.I)
PASSED, FAILED, SKIPPED, GAP = "passed", "failed", "skipped", "gap"  # a gap is TAP's TODO: a failure that is known and named
SKIP_CODE, ERROR_CODE = 77, 99  # exit codes of programs that speak no TAP, as Meson has them


class Case:
    def __init__(self, name, outcome, reason=""):
        self.name = name
        self.outcome = outcome
        self.reason = reason  # of a skip or a gap
        self.notes = []       # what follows a failure


class TapReader:
    def __init__(self):
        self.cases = []
        self.planned = None
        self.skipped_whole = None  # the reason
        self.flaws = []

    def read(self, line):
        """Take one line; returns the case that it ended or began, if it is one."""
        found = CASE.match(line)
        if found:
            return self.read_case(found)
        plan = PLAN.match(line.strip())  # cmocka indents it
        if plan:
            if self.planned is not None:
                self.flaws.append("more than one plan")
            self.planned = int(plan.group(1))
            if self.planned == 0:
                self.skipped_whole = plan.group(2) or "it says no reason"
        elif line.startswith("Bail out!"):
            self.flaws.append(line.strip())
        elif line.startswith("#") and self.cases and self.cases[-1].outcome == FAILED:
            self.cases[-1].notes.append(line[1:].strip())
        return None

    def read_case(self, found):
        bad, number, text = found.groups()
        if number and int(number) != len(self.cases) + 1:
            self.flaws.append(f"case {number} where {len(self.cases) + 1} was expected")
        outcome, reason = FAILED if bad else PASSED, ""
        directive = re.search(r"(?<!\\)#\s*(SKIP\S*|TODO)\s*(.*)$", text, re.I)
        if directive:
            text, reason = text[:directive.start()].strip(), directive.group(2).strip()
            if directive.group(1).upper() != "TODO":
                outcome = FAILED if bad else SKIPPED
            else:
                outcome = GAP if bad else FAILED
                reason = reason if bad else "passes, and is named as a gap (TODO)"
        case = Case(text.replace("\\#", "#"), outcome, reason)
        self.cases.append(case)
        return case

    def end(self, code):
        """The program has ended; finds what is missing."""
        if self.planned is None:
            self.flaws.append("no plan")
        elif self.planned != len(self.cases):
            self.flaws.append(f"{len(self.cases)} cases of {self.planned}")
        if code and not any(case.outcome == FAILED for case in self.cases):
            self.flaws.append(ended_with(code))


class ExitReader:
    """A program that speaks no TAP is one case."""

    def __init__(self, name):
        self.name = name
        self.cases = []
        self.skipped_whole = None
        self.flaws = []

    def read(self, _line):
        return None

    def end(self, code):
        if code == SKIP_CODE:
            self.skipped_whole = "it says no reason"
        elif code:
            self.flaws.append(ended_with(code))
        else:
            self.cases.append(Case(self.name, PASSED))


def ended_with(code):
    return f"ended by signal {-code}" if code < 0 else f"ended with {code}"
