"""The tables of docs/cts.md: what passed in which run, from docs/data/cts.json, and what is known to fail, from the lists of expected failures. Runs nothing (run.py).

A row of docs/data/cts.json:

    {"gpu": NAME, "driver": "tuff", "tests": "1.3.5.2", "cases": "sample of 7,000", "mode": "strict", "machine": "aarch64", "commit": "4b05cfef",
     "run": 6972, "supported": 4954, "passed": 4951}

`run` is null where it was not written down. A run replaces the one of the same GPU, driver, tests, cases, mode and machine."""
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAME = ("gpu", "driver", "tests", "cases", "mode", "machine")
NAMES = {"tuff": "ours", "radv": "RADV", "turnip": "Turnip", "panvk": "PanVK"}


def data_text(rows):
    return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n"


def with_run(rows, run):
    """The rows with this run among them, in place of an earlier one of its kind or behind the last one of its GPU."""
    key = [run[name] for name in SAME]
    for place, row in enumerate(rows):
        if [row[name] for name in SAME] == key:
            return [*rows[:place], run, *rows[place + 1:]]
    place = max((i for i, row in enumerate(rows) if row["gpu"] == run["gpu"]), default=len(rows) - 1)
    return [*rows[:place + 1], run, *rows[place + 1:]]


def name_of(driver):
    kind, _, release = driver.partition("-")
    return NAMES.get(kind, kind) + (f" {release}" if release else "")


def share(row):
    return f"{100 * row['passed'] / row['supported']:.2f}%" if row["supported"] else "–"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def runs_table(rows, gpu):
    head = ["driver", "tests", "cases", "mode", "machine", "commit", "supported", "passed", "share"]
    lines = [line(head), line(["---"] * len(head))]
    for row in rows:
        if row["gpu"] == gpu:
            lines.append(line([name_of(row["driver"]), row["tests"], row["cases"], row["mode"], row["machine"], row["commit"],
                               f"{row['supported']:,}", f"{row['passed']:,}", share(row)]))
    return lines


def expected(path):
    """(reason, patterns) of each paragraph of a list; its first one says what the list is."""
    found, reason, patterns = [], [], []
    for text in [*path.read_text(encoding="utf-8").splitlines(), ""]:
        if text.startswith("#"):
            reason.append(text.lstrip("# ").strip())
        elif text.strip():
            patterns.append(text.strip())
        elif patterns:
            found.append((" ".join(reason), patterns))
        if not text.strip():
            reason, patterns = [], []
    return found


def shortened(patterns):
    """Names without what all have in common, a few of them."""
    names = [pattern.removeprefix("dEQP-VK.").replace("*", "\\*") for pattern in patterns]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def failures_table(root=ROOT):
    """What every list expects to fail; one row for what several lists have alike."""
    found = {}
    for path in sorted(root.glob("tests/*/cts/expected-*.txt")):
        family = path.relative_to(root).parts[1]
        for reason, patterns in expected(path):
            found.setdefault((shortened(patterns), reason), []).append(f"{family}/{path.stem.removeprefix('expected-')}")
    head = ["cases", "lists", "why"]
    return [line(head), line(["---"] * len(head)), *(line([cases, ", ".join(lists), reason]) for (cases, reason), lists in found.items())]
