"""The arithmetic of the benchmark and its tables: medians, spreads, ratios, and how a figure is written. No measuring here (run.py), no picture (chart.py).

A result is what run.py saves:

    {"machine": "aarch64", "facts": [text], "drivers": ["tuff", "lavapipe"], "peer": "lavapipe", "by": "clock", "scenes": [
        {"group": "compute", "name": "saxpy", "unit": "B/s", "what": "...", "runs": {
            "tuff": {"work": 5e7, "clock_s": [0.01, 0.02], "cpu_s": [0.02, 0.04]},    one of each for every repeat
            "lavapipe": {"note": "not offered: ..."}}}]}                              no figure, and why

`by` says which of the two times a ratio is made of: the clock's, or the processor's, which a loaded machine disturbs less."""
import math
import statistics

NAMES = {"tuff": "Tuff", "lavapipe": "lavapipe", "swiftshader": "SwiftShader", "radv": "RADV on our model", "turnip": "Turnip on our model",
         "panvk": "PanVK on our model"}
BY = {"clock": "by the clock", "cpu": "by processor time"}
# What one of it takes says more than how many go into a second.
COUNTED = {"draw/s": "draw", "pipeline/s": "pipeline", "start/s": "start", "reset/s": "reset"}


def name_of(driver):
    """`lavapipe-26.1@1` as "lavapipe 26.1 on 1 core"."""
    driver, _, cores = driver.partition("@")
    kind, _, release = driver.partition("-")
    return NAMES.get(kind, kind) + (f" {release}" if release else "") + (f" on {cores} core{'s' if cores != '1' else ''}" if cores else "")


def measured(run):
    return bool(run) and bool(run.get("clock_s"))


def seconds(run, by):
    """The median of the repeats, each of which was the median of a process."""
    return statistics.median(run[by + "_s"])


def spread(run, by):
    """The distance of the extremes over the median."""
    times = run[by + "_s"]
    return (max(times) - min(times)) / statistics.median(times)


def ratio(scene, driver, peer, by):
    """How many times as fast as the peer; None where one of the two has no figure."""
    own, other = scene["runs"].get(driver), scene["runs"].get(peer)
    if not measured(own) or not measured(other):
        return None
    return seconds(other, by) / seconds(own, by)


def middle(ratios):
    """The median of the ratios of a group: one extreme scene does not move it. None of nothing."""
    known = [math.log(value) for value in ratios if value]
    return math.exp(statistics.median(known)) if known else None


def rounded(value):
    return float(f"{value:.3g}")


def three_digits(value):
    """12345 as 12,300; 0.04567 as 0.0457."""
    value = rounded(value)
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{digits}f}"


def scaled(rate, unit):
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rounded(rate) >= factor:
            return f"{three_digits(rate / factor)} {prefix}{unit}"
    return f"{three_digits(rate)} {unit}"


def duration(time_s):
    for factor, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        if rounded(time_s * factor) < 1000:
            return f"{three_digits(time_s * factor)} {unit}"
    return f"{three_digits(time_s)} s"


def figure(scene, run, by):
    """A rate, or what one draw, pipeline or start takes; without a figure, why."""
    if not measured(run):
        return (run or {}).get("note", "not measured")
    each_s = seconds(run, by) / run["work"]
    if scene["unit"] in COUNTED:
        return duration(each_s)
    return scaled(1 / each_s, scene["unit"])


def times_text(value):
    return "–" if value is None else f"{three_digits(value)}×"


def groups(result):
    """The scenes of each group, in their order."""
    found = {}
    for scene in result["scenes"]:
        found.setdefault(scene["group"], []).append(scene)
    return found


# ---- on a terminal ----

def scene_lines(result, scene):
    peer = result["peer"]
    lines = [f"# {scene['name']}: {scene['what']}"]
    for driver in result["drivers"]:
        run = scene["runs"].get(driver)
        line = f"  {name_of(driver):18} {figure(scene, run, 'clock'):>16}"
        if measured(run):
            line += f"  spread {spread(run, 'clock') * 100:3.0f}%  processor {duration(seconds(run, 'cpu')):>8} ({spread(run, 'cpu') * 100:.0f}%)"
        if driver != peer and (value := ratio(scene, driver, peer, "clock")):
            line += f"  {times_text(value)} {name_of(peer)}, {times_text(ratio(scene, driver, peer, 'cpu'))} by processor time"
        lines.append(line)
    return lines


# ---- in docs/ ----

def row(cells):
    return "| " + " | ".join(cells) + " |"


def cell(scene, run, by):
    text = figure(scene, run, by)
    return f"{text} ({spread(run, by) * 100:.0f}%)" if measured(run) else text


def times_cell(scene, drivers):
    """What a run cost in processor time on each of them, in the order of the columns."""
    return " / ".join(duration(seconds(scene["runs"][d], "cpu")) if measured(scene["runs"].get(d)) else "–" for d in drivers)


def group_table(result, scenes):
    by, drivers, own = result["by"], result["drivers"], result["drivers"][0]
    others = [driver for driver in drivers if driver != own]
    other_by = "cpu" if by == "clock" else "clock"
    head = ["scene", *map(name_of, drivers), "processor time of a run", *(f"{name_of(own)} ÷ {name_of(d)}" for d in others), f"the same {BY[other_by]}"]
    lines = [row(head), row(["---"] * len(head))]
    for scene in scenes:
        ratios = [f"**{times_text(ratio(scene, own, d, by))}**" for d in others]
        lines.append(row([f"`{scene['name']}`: {scene['what']}", *(cell(scene, scene["runs"].get(d), by) for d in drivers), times_cell(scene, drivers), *ratios,
                          " / ".join(times_text(ratio(scene, own, d, other_by)) for d in others)]))
    medians = [times_text(middle(ratio(scene, own, d, by) for scene in scenes)) for d in others]
    lines.append(row(["median of the group", *([""] * (len(drivers) + 1)), *medians, ""]))
    return lines


HEAD = """# The benchmark's figures

Written by `make bench` (bench/run.py), one part for each kind of machine that it ran on; docs/performance.md says what is measured and how. Do not edit.

Rates and times are medians; in parentheses the spread: the distance between the fastest and the slowest repeat, over the median. The ratios say how many times as fast the
first driver is; below 1 it is slower.
"""
PART = "## On "


def chart_name(result):
    return f"bench-{result['machine']}.svg"


def part(result):
    """The figures of one kind of machine."""
    lines = [f"{PART}{result['machine']}", "", f"![Speed beside {name_of(result['peer'])} on {result['machine']}]({chart_name(result)})", ""]
    lines += [f"- {fact}" for fact in result["facts"]]
    lines += [f"- Rates, times and ratios are {BY[result['by']]}"]
    for group, scenes in groups(result).items():
        lines += ["", f"### {group.capitalize()}", "", *group_table(result, scenes)]
    return "\n".join(lines) + "\n"


def markdown(result, before=""):
    """The document with this machine's part written anew and those of other kinds of machines as they were before."""
    parts = {}
    for text in ("\n" + before).split("\n" + PART)[1:]:
        parts[text.partition("\n")[0]] = PART + text.rstrip("\n") + "\n"
    parts[result["machine"]] = part(result)
    return "\n".join([HEAD, *(parts[kind] for kind in sorted(parts))])
