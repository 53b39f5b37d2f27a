#!/usr/bin/env python3
"""The runner of dEQP-VK, judged without one: the sample, the reading of the log, and a run over fake_deqp.py, which crashes and hangs on demand."""
import collections
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import log  # noqa: E402
import report_cts  # noqa: E402
import run  # noqa: E402
import sample  # noqa: E402
from tap import Tap  # noqa: E402

FAKE = os.path.join(HERE, "fake_deqp.py")


def names():
    """Groups as unequal as the real ones: 20000, 500, 12."""
    for a in range(4):
        for b in range(50):
            for c in range(100):
                yield f"dEQP-VK.big.part{a}.sub{b}.case{c}"
    for c in range(500):
        yield f"dEQP-VK.middle.flat.case{c}"
    for c in range(12):
        yield f"dEQP-VK.small.case{c}"


def test_sample(tap):
    everything = list(names())
    chosen = sample.sample(everything, 400)
    groups = collections.Counter(sample.top_group(name) for name in chosen)
    tap.case("a sample has about the size asked for", abs(len(chosen) - 400) <= 1, len(chosen))
    tap.case("and no case twice", len(set(chosen)) == len(chosen))
    tap.case("a small group comes whole, no group with fewer than 20", groups["small"] == 12 and min(groups["middle"], groups["big"]) >= 20, groups)
    parts = collections.Counter(name.split(".")[2] for name in chosen if ".big." in name)
    tap.case("sub-groups take turns", len(parts) == 4 and max(parts.values()) - min(parts.values()) <= 1, parts)
    subs = collections.Counter(tuple(name.split(".")[2:4]) for name in chosen if ".big." in name)
    tap.case("at every level", max(subs.values()) - min(subs.values()) <= 1, subs)
    tap.case("the order of the list does not matter", sample.sample(everything[::-1], 400) == chosen)
    tap.case("a larger sample contains the smaller one", set(chosen) <= set(sample.sample(everything, 900)))
    tap.case("more than there is gives all", sample.sample(everything, 10 ** 6) == sorted(everything))
    tap.case("the minimum wins over the size", len(sample.sample(everything, 10)) == 20 + 20 + 12)


def test_tables(tap):
    def ran(gpu, passed, driver="tuff"):
        return {"gpu": gpu, "driver": driver, "tests": "1.3", "cases": "some", "mode": "", "machine": "vax", "commit": "abc", "run": 9, "supported": 8, "passed": passed}
    rows = report_cts.with_run([ran("one", 7), ran("two", 7)], ran("one", 8))
    tap.case("a run replaces the earlier one of its kind", [row["passed"] for row in rows] == [8, 7], rows)
    rows = report_cts.with_run(rows, ran("one", 6, "radv-25.0"))
    tap.case("another stands behind those of its GPU", [(row["gpu"], row["passed"]) for row in rows] == [("one", 8), ("one", 6), ("two", 7)], rows)
    tap.case("the file has all of it", json.loads(report_cts.data_text(rows)) == rows)
    table = report_cts.runs_table(rows, "one")
    tap.case("a GPU's table has its runs alone", len(table) == 4 and "| RADV 25.0 |" in table[3] and "| 8 | 6 | 75.00% |" in table[3], table)
    with tempfile.TemporaryDirectory() as directory:
        for family in ("pdp", "vax"):
            place = pathlib.Path(directory) / "tests" / family / "cts"
            place.mkdir(parents=True)
            (place / "expected-tuff.txt").write_text("# What the list is.\n\n# Broken\n# for long.\ndEQP-VK.a.*\ndEQP-VK.b\n", encoding="utf-8")
        table = report_cts.failures_table(pathlib.Path(directory))
    tap.case("what several lists have alike is one row, with its reason", table[2:] == ["| a.\\*, b | pdp/tuff, vax/tuff | Broken for long. |"], table)


def test_names(tap):
    text = ["GROUP: dEQP-VK.a", "TEST: dEQP-VK.a.b", "", "dEQP-VK.a.c", "# note"]
    tap.case("names out of a case list", list(sample.read_names(text)) == ["dEQP-VK.a.b", "dEQP-VK.a.c"])
    put_off = ["dEQP-VK.x.mesh_shader", "dEQP-VK.binding_model.x.rgen", "dEQP-VK.ray_query.x", "dEQP-VK.binding_model.a.call", "dEQP-VK.image.sparse_x.y",
               "dEQP-VK.x.fragment_shading_rate.y"]
    fine = ["dEQP-VK.spirv_assembly.x_tessc", "dEQP-VK.query_pool.tes_control_patches", "dEQP-VK.glsl.x.geometry", "dEQP-VK.draw.with_xfb", "dEQP-VK.glsl.array_query.x", "dEQP-VK.graphicsfuzz.call-in-function_call.x", "dEQP-VK.pipeline.multitask.x", "dEQP-VK.api.misses"]
    kept, left = sample.keep(put_off + fine + ["dEQP-VK.info.bad"], ["dEQP-VK.i*.bad"])
    tap.case("what uses a stage put off is left out by name", kept == fine, kept)
    tap.case("and counted", left == {"stage put off": len(put_off), "must-pass exclusion": 1}, left)
    with tempfile.TemporaryDirectory() as directory:
        for name in sample.EXCLUSION_FILES:
            with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                file.write(f"# why\n\ndEQP-VK.{name}\n")
        tap.case("the exclusions of the must-pass list", sample.read_exclusions(directory) == [f"dEQP-VK.{name}" for name in sample.EXCLUSION_FILES])


def read(lines):
    reader = log.Reader()
    return [result for result in map(reader.line, lines) if result], reader


def test_log(tap):
    lost = "tuff: error: amd/model: context 3 lost on graphics ring 0, job 9: not implemented"
    results, reader = read(["dEQP Core starting..", "", "Test case 'dEQP-VK.a'..", "  Pass (fine (very))", "Test case 'dEQP-VK.b'..", lost,
                            "DRAW: instances of geometry shaders", "  Fail (x)", "Test case 'dEQP-VK.c'..", lost, "1", "2", "3", "4", "5",
                            "  DRAW geometry shader", "  Pass (x)", "Test case 'dEQP-VK.d'..", "noise", "  NotSupported (y)", "Test case 'dEQP-VK.e'.."])
    tap.case("results in order", [(r.name[-1], r.status) for r in results] == [("a", "pass"), ("b", "putoff"), ("c", "lost"), ("d", "unsupported")],
             results)
    tap.case("the case under way", reader.running == "dEQP-VK.e" and not reader.done)
    tap.case("its end by the runner's word", reader.end("crash", "why").status == "crash" and reader.running is None)
    tap.case("a victim says device lost without a report", log.is_victim(log.Result("n", "fail", "VK_ERROR_DEVICE_LOST", [])) and
             not log.is_victim(log.Result("n", "lost", "VK_ERROR_DEVICE_LOST", [lost])))
    tap.case("a detail is one line with no tabs", log.format_result(log.Result("n", "fail", "a\tb\nc", []), 1).count("\t") == 3)
    unexpected, mended = log.compare({"a": ("fail", 0, ""), "b": ("pass", 0, ""), "c": ("crash", 0, ""), "d": ("unsupported", 0, "")}, ["c", "b", "z"])
    tap.case("unexpected failures and mended ones", unexpected == ["a"] and mended == ["b"], (unexpected, mended))
    unexpected, mended = log.compare({"g.a": ("fail", 0, ""), "g.b": ("pass", 0, ""), "h.a": ("fail", 0, "")}, ["g.*"])
    tap.case("a pattern is of cases that may fail", unexpected == ["h.a"] and not mended, (unexpected, mended))
    table = log.summary({"dEQP-VK.g.a": ("pass", 0, ""), "dEQP-VK.g.b": ("fail", 0, ""), "dEQP-VK.h.c": ("putoff", 0, "")})
    tap.case("the table counts apart what is put off", table[-2].split()[-1] == "50.0%" and table[-1].startswith("2 supported cases, 1 passed"), table)


def run_fake(work, *arguments, broken=False):
    os.environ["FAKE_DEQP"] = "broken" if broken else ""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run.main(["--deqp", FAKE, "--driver", "none", "--work", work, "--jobs", "2", "--chunk", "14", "--case-limit", "2", "--quiet",
                         *arguments])
    return code, out.getvalue(), log.read_results(os.path.join(work, "none", "results.tsv"))


WANT = {"pass": "pass", "unsupported": "unsupported", "quality": "quality", "fail": "fail", "crash": "crash", "hang": "timeout", "lost": "lost",
        "putoff": "putoff", "internal": "internal", "resource": "resource"}


def test_run(tap, work):
    only = r"_[01]$"
    code, text, results = run_fake(work, "--only", only)
    wrong = {name: status for name, (status, *_) in results.items() if WANT.get(name.rsplit(".", 1)[1].split("_")[0], status) != status}
    tap.case("every case gets its result, after crashes, hangs, lost devices and out of memory", len(results) == 44 and not wrong, f"{len(results)} {wrong}\n{text}")
    tap.case("the innocent case after a lost device runs again", all(results[f"dEQP-VK.{g}.bad.internal_{i}"][0] == "internal"
                                                                      for g in ("alpha", "beta") for i in range(2)), results)
    tap.case("failures give exit code 1", code == 1)
    with open(os.path.join(work, "none", "reports.txt"), encoding="utf-8") as file:
        reports = file.read()
    tap.case("the model's words on a case are kept", "== dEQP-VK.alpha.bad.lost_0: lost" in reports and "CB_SOMETHING" in reports, reports)

    journal = os.path.join(work, "none", "results.tsv")
    with open(journal, encoding="utf-8") as file:
        lines = file.readlines()
    with open(journal, "w", encoding="utf-8") as file:
        file.write("".join(line for line in lines if "\tpass\t" in line) + "dEQP-VK.alpha.good.pa")  # cut short
    expected = os.path.join(work, "expected.txt")
    with open(expected, "w", encoding="utf-8") as file:
        file.write("# all that fails\n" + "".join(f"{name}\n" for name, (status, *_) in results.items() if status in log.BAD))
    code, text, again = run_fake(work, "--only", r"good.*_[01]$", "--resume", "--expected", expected)
    tap.case("a run resumes after what is done", "12 cases on none, 8 to run" in text and sum(".good." in name for name in again) == 12, text)
    tap.case("with no failure but the expected ones it ends with 0", code == 0, text)
    code, text, _ = run_fake(work, "--only", r"bad\.(fail|crash)_[01]$", "--expected", expected)
    tap.case("also where the expected ones fail", code == 0, text)
    cases = os.path.join(work, "cases.txt")
    with open(cases, "w", encoding="utf-8") as file:
        file.write("dEQP-VK.alpha.bad.resource_0\ndEQP-VK.alpha.good.pass_0\ndEQP-VK.gamma.none\n")
    _, text, again = run_fake(work, "--cases", cases)
    tap.case("a case that deqp-vk does not know is missing, and no other", [again[name][0] for name in sorted(again)] == ["resource", "pass", "missing"], again)
    lists = []
    for arguments in (("--sample", "30"), ("--sample", "30", "--skip", "12"), ("--sample", "12")):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            run.main(["--deqp", FAKE, "--driver", "none", "--work", work, "--minimum", "1", "--list", *arguments])
        lists.append({line for line in out.getvalue().splitlines() if line.startswith("dEQP-VK.")})
    tap.case("the next part of a sample is the larger without the smaller", lists[2] and lists[1] == lists[0] - lists[2], [len(names) for names in lists])
    code, text, again = run_fake(work, "--only", r"alpha.*(pass|fail)_[01]$", broken=True)
    tap.case("a deqp-vk that does not start ends the run", code == 1 and {status for status, *_ in again.values()} == {"crash"}, text)


def main():
    tap = Tap()
    test_sample(tap)
    test_tables(tap)
    test_names(tap)
    test_log(tap)
    with tempfile.TemporaryDirectory() as work:
        test_run(tap, work)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
