#!/usr/bin/env python3
"""Makes what docs/ has of the files in docs/data/: pages, tables and charts of what was measured.

    docs/generate.py            writes them
    docs/generate.py --check    says whether they are as written (a test)

Whole pages: bench.md with its charts (bench/report.py, bench/chart.py). Parts of pages, between `<!-- begin NAME -->` and `<!-- end NAME -->`: the benchmark in a few figures, the compilers'
(bench/compiler_report.py), dEQP-VK's (tests/cts/report_cts.py) and the exponents of growth (bench/counts.py). Nothing is measured here: bench/run.py, bench/<family>/compiler.py, bench/counts.py and tests/cts/run.py write the data."""
import json
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "tests", "tests/cts")]
import chart  # noqa: E402
import compiler_report  # noqa: E402
import counts  # noqa: E402
import documents  # noqa: E402
import report  # noqa: E402
import report_cts  # noqa: E402
from tap import Tap  # noqa: E402

REMEDY = "mend by: docs/generate.py"


def data(pattern, docs=DOCS):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((docs / "data").glob(pattern))]


def with_part(text, name, lines):
    """The text with other lines between the marks of this name."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"docs/generate.py: no place for {name}: {begin.strip()} and {end} must stand once in the page")
    before, _, rest = text.partition(begin)
    return before + begin + "\n".join(lines) + "\n" + end + rest.partition(end)[2]


def bench_pages(docs=DOCS):
    results = data("bench-*.json", docs)
    pages = {docs / report.chart_name(result): chart.svg(result, result["facts"][0] + ".") for result in results}
    text = (docs / "performance.md").read_text(encoding="utf-8")
    pages[docs / "performance.md"] = with_part(text, "summary", report.summary_table(results))
    return {docs / "bench.md": documents.wrap(report.markdown(results)), **pages}


COMPILERS = {"amd": "compiler-quality.md", "adreno": "adreno-quality.md", "mali": "mali-quality.md"}


def compiler_pages(docs=DOCS):
    made = {}
    for family, name in COMPILERS.items():
        kept = data(f"compiler-{family}.json", docs)[0]
        text = with_part((docs / name).read_text(encoding="utf-8"), "figures", compiler_report.shaders_table(kept))
        made[docs / name] = with_part(text, "scenes", compiler_report.scenes_table(kept)) if "scenes" in kept else text
    return made


def cts_page(docs=DOCS):
    rows, path = data("cts.json", docs)[0], docs / "cts.md"
    text = path.read_text(encoding="utf-8")
    for gpu in dict.fromkeys(row["gpu"] for row in rows):
        text = with_part(text, gpu, report_cts.runs_table(rows, gpu))
    return {path: with_part(text, "failures", report_cts.failures_table())}


def growth_page(docs=DOCS):
    rows, path = data("growth.json", docs)[0], docs / "growth.md"
    return {path: with_part(path.read_text(encoding="utf-8"), "counted", counts.table(rows))}


def pages(docs=DOCS):
    """{path: text} of everything that is made."""
    return {**bench_pages(docs), **compiler_pages(docs), **cts_page(docs), **growth_page(docs)}


def main():
    made = pages()
    if sys.argv[1:] == ["--check"]:
        tap = Tap()
        for path, text in made.items():
            is_same = path.is_file() and path.read_text(encoding="utf-8") == text
            tap.case(f"{path.relative_to(ROOT)} is what docs/data/ says", is_same, REMEDY)
        return tap.done()
    for path, text in made.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
