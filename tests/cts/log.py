"""Reads what deqp-vk prints while it runs, with the model's reports between, and says what became of each case. Nothing here runs anything."""
import collections
import fnmatch
import os
import re

# What deqp-vk says, in our words. The two warnings are passes to Khronos.
STATUS = {"Pass": "pass", "Fail": "fail", "NotSupported": "unsupported", "QualityWarning": "quality", "CompatibilityWarning": "compat",
          "InternalError": "internal", "ResourceError": "resource", "Waiver": "waiver", "Crash": "crash", "Timeout": "timeout",
          "Pending": "internal", "Running": "internal", "DeviceLost": "lost"}
# Ours: `lost`: the model reported a lost context; `putoff`: the same, at a stage that is not implemented; `missing`: deqp-vk
# never ran the case.
STATUSES = ("pass", "quality", "compat", "waiver", "fail", "internal", "resource", "lost", "crash", "timeout", "missing", "putoff", "unsupported")
GOOD = {"pass", "quality", "compat", "waiver"}
APART = {"putoff", "unsupported"}
BAD = set(STATUSES) - GOOD - APART

BEGIN = re.compile(r"Test case '([^']+)'\.\.$")
END = re.compile(r"  (%s) \((.*)$" % "|".join(STATUS))
LOST = re.compile(r"tuff: error: .*context \d+ lost")
PUT_OFF = re.compile(r"geometry shader|tessellat|mesh|task shader|intersect|adjacency|patches",
                     re.IGNORECASE)
REPORT_LINES = 6  # of a report, those that name the cause: further down it decodes the stream, which mentions everything
KEPT_LINES = 120  # of a case's output

Result = collections.namedtuple("Result", "name status detail output")


def report(output):
    """The first lines of the model's report, None when the context was not lost."""
    for i, line in enumerate(output):
        if LOST.search(line):
            return output[i:i + REPORT_LINES]
    return None


def classify(status, output):
    """deqp-vk's own result, unless the model lost the context: then the case's own result does not count."""
    lost = report(output)
    if lost is None:
        return status
    return "putoff" if any(PUT_OFF.search(line) for line in lost) else "lost"


def is_victim(result):
    """A device that an earlier case lost: this one is not to blame."""
    return result.status not in GOOD | APART and "DEVICE_LOST" in result.detail and report(result.output) is None


class Reader:
    """Fed line by line. `running` is the case under way, None between cases."""
    def __init__(self):
        self.running = None
        self.output = []
        self.stray = []  # printed outside of any case: why a process did not start, say
        self.done = False

    def line(self, text):
        """A Result when a case ended with this line."""
        begin = BEGIN.match(text)
        if begin:
            self.running, self.output = begin.group(1), []
            return None
        if text == "DONE!":
            self.done = True
        end = END.match(text) if self.running else None
        if end:
            return self.end(STATUS[end.group(1)], end.group(2).rstrip(")"))
        kept = self.output if self.running else self.stray
        if text and len(kept) < KEPT_LINES:
            kept.append(text)
        return None

    def end(self, status, detail):
        """The case under way ended, by its own word or by the runner's."""
        result = Result(self.running, classify(status, self.output), detail, self.output)
        self.running, self.output = None, []
        return result


def read_results(path):
    """The last word on every case in a results file."""
    results = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 4 and fields[1] in STATUSES:  # a line cut short by a kill is no result
                results[fields[0]] = (fields[1], float(fields[2]), fields[3])
    return results


def write_results(path, results):
    """The file that read_results() reads, whole."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.writelines(f"{name}\t{status}\t{seconds:.2f}\t{detail}\n" for name, (status, seconds, detail) in results.items())
    os.replace(path + ".new", path)


def format_result(result, seconds):
    detail = " ".join(result.detail.split())
    lost = report(result.output)
    if lost:
        detail = " | ".join(" ".join(line.split()) for line in lost if line.strip())
    return f"{result.name}\t{result.status}\t{seconds:.2f}\t{detail[:400]}\n"


def read_expected(path):
    """Names of cases that are known to fail, or patterns of cases that may; lines that begin with # say why."""
    with open(path, encoding="utf-8") as file:
        return [line.split()[0] for line in file if line.strip() and not line.startswith("#")]


def compare(results, expected):
    """What failed unexpectedly, and what is expected to fail but did not."""
    names = {name for name in expected if "*" not in name}
    patterns = re.compile("|".join(fnmatch.translate(name) for name in expected if "*" in name) or "(?!)")
    failed = {name for name, (status, *_) in results.items() if status in BAD}
    return sorted(name for name in failed - names if not patterns.match(name)), sorted(name for name in names & set(results) if name not in failed)


def summary(results):
    """The lines of a table, one row per group, and the total."""
    groups = collections.defaultdict(collections.Counter)
    for name, (status, *_) in results.items():
        groups[name.split(".", 2)[1]][status] += 1
    total = sum(groups.values(), collections.Counter())
    columns = [status for status in STATUSES if total[status]]
    width = max([len(group) for group in groups] + [5])
    lines = [" ".join([f"{'group':{width}}"] + [f"{column:>11}" for column in columns] + [" passed"])]
    for group, counts in sorted(groups.items()) + [("total", total)]:
        good, bad = sum(counts[status] for status in GOOD), sum(counts[status] for status in BAD)
        share = f"{100 * good / (good + bad):6.1f}%" if good + bad else "      -"
        lines.append(" ".join([f"{group:{width}}"] + [f"{counts[column]:>11}" for column in columns] + [share]))
    supported = sum(total[status] for status in GOOD | BAD)
    lines.append(f"{supported} supported cases, {sum(total[status] for status in GOOD)} passed; {total['putoff']} stopped at a stage put off and "
                 f"{total['unsupported']} not supported are not counted")
    return lines
