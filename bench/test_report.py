#!/usr/bin/env python3
"""The benchmark's arithmetic, its table and its chart, judged on figures made up here; nothing is measured."""
import copy
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "tests"), os.path.join(os.path.dirname(HERE), "docs")]
import chart  # noqa: E402
import compiler_report  # noqa: E402
import generate  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
from tap import Tap  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def run_of(*clock_s, work=1.0, cpu=2.0):
    return {"work": work, "clock_s": list(clock_s), "cpu_s": [value * cpu for value in clock_s]}


def scene(name, group="compute", unit="B/s", **runs):
    return {"group": group, "name": name, "unit": unit, "what": f"what <{name}> does & more", "runs": runs}


def example():
    return {"machine": "pdp-11", "facts": ["Machine: <made up> & small"], "drivers": ["tuff", "lavapipe", "swiftshader"], "peer": "lavapipe", "by": "clock", "whole": True, "scenes": [
        scene("fast", tuff=run_of(0.1, 0.1, 0.4, work=1e6), lavapipe=run_of(1, 1, 1, work=1e6), swiftshader=run_of(0.5, 0.6, 0.5, work=1e6)),
        scene("slow", tuff=run_of(4, 4, 4), lavapipe=run_of(1, 1, 1, cpu=1), swiftshader={"note": "not offered: shininess"}),
        scene("draw", "recording", "draw/s", tuff=run_of(2e-4, work=1e4), lavapipe=run_of(1e-4, work=1e4), swiftshader={"note": "failed: SIGILL"})]}


def bars(picture):
    """(scene, driver, ratio, x, width) of every bar."""
    found = []
    for rect in picture.iter(SVG + "rect"):
        title = rect.find(SVG + "title")
        if title is not None:
            name, driver = title.text.partition(":")[0].split(", ")
            found.append((name, driver, float(rect.get("data-ratio")), float(rect.get("x")), float(rect.get("width"))))
    return found


def arithmetic(tap):
    fast, slow, draw = example()["scenes"]
    tap.case("a median is not moved by one slow repeat", report.seconds(fast["runs"]["tuff"], "clock") == 0.1)
    tap.case("the spread is that of the extremes", math.isclose(report.spread(fast["runs"]["tuff"], "clock"), 3.0))
    tap.case("a faster driver has a ratio above one", math.isclose(report.ratio(fast, "tuff", "lavapipe", "clock"), 10))
    tap.case("a slower one below", math.isclose(report.ratio(slow, "tuff", "lavapipe", "clock"), 0.25))
    tap.case("the ratio of processor times is another one", math.isclose(report.ratio(slow, "tuff", "lavapipe", "cpu"), 0.125))
    tap.case("there is no ratio without a figure", report.ratio(slow, "swiftshader", "lavapipe", "clock") is None)
    tap.case("twice as fast and half as fast are as fast in the middle", math.isclose(report.middle([2, 0.5, None]), 1) and report.middle([None]) is None)
    tap.case("one extreme scene does not move the middle", math.isclose(report.middle([2, 3, 1000]), 3))
    tap.case("a rate is work by seconds", report.figure(fast, fast["runs"]["tuff"], "clock") == "10.0 MB/s", report.figure(fast, fast["runs"]["tuff"], "clock"))
    tap.case("a draw is known by what it takes", report.figure(draw, draw["runs"]["tuff"], "clock") == "20.0 ns", report.figure(draw, draw["runs"]["tuff"], "clock"))
    tap.case("what is missing says why", report.figure(slow, slow["runs"]["swiftshader"], "clock") == "not offered: shininess")
    written = [report.three_digits(value) for value in (12345, 1234.4, 999.6, 12.34, 1.0, 0.04567)]
    tap.case("figures have three digits", written == ["12,300", "1,230", "1,000", "12.3", "1.00", "0.0457"], written)
    written = [report.duration(value) for value in (2e-8, 0.00099999, 0.5, 2.5)]
    tap.case("durations have a unit that fits", written == ["20.0 ns", "1.00 ms", "500 ms", "2.50 s"], written)


def table(tap):
    text = report.markdown([example()])
    widths = [{line.count("|") for line in rows.splitlines()} for rows in re.findall(r"(?:^\|.*\n)+", text, re.M)]
    tap.case("each table has as many cells in every row", widths and all(len(width) == 1 for width in widths), widths)
    tap.case("ratios below one stand there as they are, with the other time's", "0.250 (0.125)" in text, text)
    tap.case("what has no figure says why", "| `draw` | SwiftShader | failed: SIGILL |" in text and "not offered: shininess" in text, text)
    tap.case("every group has a table with its median", text.count("| median |") == 2 and "### Recording on pdp-11" in text, text)
    other = report.markdown([example(), {**example(), "machine": "vax"}])
    tap.case("each kind of machine has a part", report.part(example()) in other and "## On vax" in other and other.count("# The benchmark") == 1, other)
    tap.case("a newer release is known by its number", report.name_of("lavapipe-26.1@1") == "lavapipe 26.1 on 1 core", report.name_of("lavapipe-26.1@1"))
    tap.case("facts have no date", not re.search(r"\b20[0-9]{2}-[0-9]{2}", text))


def kept(tap):
    """What docs/data/ keeps of a result says as much as the result."""
    result = example()
    small = json.loads(report.data_text(report.condensed(result)))
    tap.case("a condensed result makes the same page", report.markdown([small]) == report.markdown([result]), report.markdown([small]))
    tap.case("and the same chart", chart.svg(small) == chart.svg(result))
    tap.case("each scene is a line of its file", report.data_text(small).count("\n{") == len(small["scenes"]), report.data_text(small))
    page = "before\n<!-- begin figures -->\nold\n<!-- end figures -->\nbehind\n"
    tap.case("what stands between marks is replaced", generate.with_part(page, "figures", ["new"]) == page.replace("old", "new"))


def compilers(tap):
    """The tables of compilers beside each other, on figures made up here."""
    def code(slots, waits, loops, time):
        return {"slots": slots, "waits": waits, "loops": loops, "time": time}
    found = {"copy_comp": (code(10, 0, 0, 5.2), code(20, 1, 0, 50)), "sum": (code(40, 3, 1, math.nan), code(20, 1, 0, 10))}
    kept = json.loads(compiler_report.data_text(compiler_report.kept_shaders(("slots", "waits", "time"), ("slots", "time"), "other", "gpu", found)))
    kept["scenes"] = compiler_report.kept_scenes(kept["figures"], {"knot_vertex": found["sum"], "knot_fragment": found["copy_comp"]})
    text = "\n".join(compiler_report.shaders_table(kept))
    tap.case("means are geometric, and one is added where a count may be zero", "| slots | 1.000 | 0.500 |" in text and "| waits | 1.000 | 0.500 |" in text, text)
    tap.case("a time that is missing is left out", "| time | 0.100 | 0.100 | none above 1 |" in text, text)
    tap.case("shaders with as many loops stand apart", kept["same_loops"]["shaders"] == 1 and "| 1 with as many loops |" in text, text)
    tap.case("the worst are named", "sum 2.00" in text and "copy 0" not in text, text)
    text = "\n".join(compiler_report.scenes_table(kept))
    tap.case("scenes have means by stage and no time", "| slots | 2.000 | 0.500 | 1.000 | knot_vertex 2.00 |" in text and "time" not in text, text)


def picture(tap):
    result = example()
    text = chart.svg(result, result["facts"][0])
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        tap.case("the chart is well-formed XML", False, error)
        return
    tap.case("the chart is well-formed XML", root.tag == SVG + "svg")
    found = {(name, driver): (ratio, x, width) for name, driver, ratio, x, width in bars(root)}
    tap.case("there is a bar for every ratio and for no other", set(found) == {("fast", "Tuff"), ("fast", "SwiftShader"), ("slow", "Tuff"), ("draw", "Tuff")}, found)
    scales = [width / abs(math.log(ratio)) for ratio, _, width in found.values()]
    tap.case("bars are as long as the logarithms of their ratios", max(scales) - min(scales) < 0.01 * max(scales), scales)
    ones = [x if ratio >= 1 else x + width for ratio, x, width in found.values()]
    tap.case("all begin at the peer's line, the slower ones to its left", max(ones) - min(ones) < 0.02, ones)
    tap.case("all lie inside of the picture", all(0 <= x and x + width <= chart.width_of(result) for _, x, width in found.values()))
    words = "".join(root.itertext())
    tap.case("medians are written beside the bars", all(median in words for median in ("10.0 MB/s", "1.00 MB/s", "2.00 MB/s", "20.0 ns", "10.0 ns")), words)
    tap.case("what has no bar says why", "not offered: shininess" in words and "failed: SIGILL" in words, words)
    tap.case("there are colours for light and for dark ground", "prefers-color-scheme: dark" in words)
    one_sided = copy.deepcopy(result)
    one_sided["scenes"] = [scene("huge", tuff=run_of(1e-3), lavapipe=run_of(1e2))]
    huge = bars(xml.etree.ElementTree.fromstring(chart.svg(one_sided)))
    tap.case("a hundred thousand times fits, too", len(huge) == 1 and huge[0][3] + huge[0][4] <= chart.RIGHT + 0.1, huge)


def runner(tap):
    """The reading of what bench_vulkan says, by a program that stands in for it."""
    line = "rate 10 B/s runs 3 median_s 0.5 best_s 0.4 cpu_s 0.25 work 5 device A name with blanks\n"
    found = run.RATE.search(line)
    tap.case("the line of a rate is understood", bool(found) and float(found.group(7)) == 5 and found.group(8) == "A name with blanks")
    crashed = subprocess.CompletedProcess([], 128 + 4, "", "")
    tap.case("a crash is named by its signal", run.programs.why_failed(crashed) == "failed: SIGILL", run.programs.why_failed(crashed))
    unlinked = subprocess.CompletedProcess([], 127, "", "/home/me/judge/usr/bin/vkmark: libassimp.so.5: not found in /usr/lib or 3/4 others\n")
    tap.case("folders of this machine are not said", run.programs.why_failed(unlinked) == "failed: vkmark: libassimp.so.5: not found in lib or 3/4 others", run.programs.why_failed(unlinked))
    wrong = subprocess.CompletedProcess([], 1, "", "warning\nbench_vulkan: fill: the result is wrong\n")
    tap.case("a wrong result is no rate", run.programs.why_failed(wrong) == "failed: fill: the result is wrong", run.programs.why_failed(wrong))


def main():
    tap = Tap()
    for part in (arithmetic, table, kept, compilers, picture, runner):
        part(tap)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
