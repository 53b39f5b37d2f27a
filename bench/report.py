"""The arithmetic of the benchmark and its tables: medians, spreads, ratios, and how a figure is written. No measuring here (run.py), no picture (chart.py).

A result is what run.py saves:

    {"machine": "aarch64", "facts": [text], "drivers": ["tuff", "lavapipe"], "peer": "lavapipe", "by": "clock", "scenes": [
        {"group": "compute", "name": "saxpy", "unit": "B/s", "what": "...", "runs": {
            "tuff": {"work": 5e7, "clock_s": [0.01, 0.02], "cpu_s": [0.02, 0.04]},    one of each for every repeat
            "lavapipe": {"note": "not offered: ..."}}}]}                              no figure, and why

Condensed, as docs/data/bench-MACHINE.json keeps it, a run has the median of each time and its spread: {"work": 5e7, "clock_s": 0.015, "cpu_s": 0.03, "spread": {"clock": 0.67}}.

`by` says which of the two times a ratio is made of: the clock's, or the processor's, which a loaded machine disturbs less."""
import json
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
    times = run[by + "_s"]
    return statistics.median(times) if isinstance(times, list) else times


def spread(run, by):
    """The distance of the extremes over the median; None where it was not kept."""
    times = run[by + "_s"]
    return (max(times) - min(times)) / statistics.median(times) if isinstance(times, list) else run["spread"].get(by)


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

def condensed(result):
    """What docs/data/ keeps of a result."""
    def condensed_run(run):
        if not measured(run):
            return {"note": (run or {}).get("note", "not measured")}
        return {"work": run["work"], **{f"{by}_s": float(f"{seconds(run, by):.6g}") for by in BY}, "spread": {by: round(spread(run, by), 2) for by in BY if spread(run, by) is not None}}
    scenes = [{**scene, "runs": {driver: condensed_run(scene["runs"].get(driver)) for driver in result["drivers"]}} for scene in result["scenes"]]
    return {**{key: result[key] for key in ("machine", "facts", "drivers", "peer", "by")}, "scenes": scenes}


def data_text(result):
    """A condensed result as JSON, a line for each scene."""
    head = [f"{json.dumps(key)}: {json.dumps(result[key], ensure_ascii=False)}," for key in ("machine", "facts", "drivers", "peer", "by")]
    scenes = ",\n".join(json.dumps(scene, ensure_ascii=False) for scene in result["scenes"])
    return "{" + "\n".join(head) + '\n"scenes": [\n' + scenes + "\n]}\n"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def short_name(driver):
    kind, _, release = driver.partition("-")
    return NAMES.get(kind, kind).split()[0] + (f" {release}" if release else "")


def figure_cell(scene, run, by):
    if not measured(run):
        return "–"
    apart = spread(run, by)
    return figure(scene, run, by) + (f" ({apart * 100:.0f}%)" if apart is not None else "")


def ratio_cell(scene, own, other, by):
    """By the time that the result goes by, and in parentheses by the other one."""
    value = ratio(scene, own, other, by)
    return "–" if value is None else f"{three_digits(value)} ({three_digits(ratio(scene, own, other, 'cpu' if by == 'clock' else 'clock'))})"


def group_table(result, scenes):
    by, (own, *others) = result["by"], result["drivers"]
    lines = [row(["scene", name_of(own), *(f"÷ {short_name(d)}" for d in others)]), row(["---"] * (len(others) + 2))]
    lines += [row([f"`{scene['name']}`", figure_cell(scene, scene["runs"].get(own), by), *(ratio_cell(scene, own, d, by) for d in others)]) for scene in scenes]
    medians = [middle(ratio(scene, own, d, by) for scene in scenes) for d in others]
    lines.append(row(["median", "", *("–" if value is None else three_digits(value) for value in medians)]))
    return lines


def notes_table(result):
    """What has no figure, and why."""
    found = {}
    for scene in result["scenes"]:
        for driver in result["drivers"]:
            run = scene["runs"].get(driver)
            if not measured(run):
                found.setdefault((short_name(driver), (run or {}).get("note", "not measured")), []).append(f"`{scene['name']}`")
    merged = {}
    for (driver, why), names in found.items():
        merged.setdefault((", ".join(names), why), []).append(driver)
    return [row(["scenes", "driver", "why"]), row(["---"] * 3), *(row([names, ", ".join(drivers), why.replace("|", "\\|")]) for (names, why), drivers in merged.items())] if merged else []


def scenes_table(results):
    """What each scene does."""
    scenes = {scene["name"]: scene for result in results for scene in result["scenes"]}
    return [row(["group", "scene", "what"]), row(["---"] * 3), *(row([scene["group"], f"`{scene['name']}`", scene["what"]]) for scene in scenes.values())]


def summary_table(results):
    """Our driver beside the peer in a few figures: the median and the slowest row of each group on each kind of machine."""
    names = list(dict.fromkeys(group for result in results for group in groups(result)))
    lines = [row(["group", *(f"{result['machine']}: median, slowest" for result in results)]), row(["---"] * (len(results) + 1))]
    for name in names:
        cells = []
        for result in results:
            ratios = {scene["name"]: ratio(scene, result["drivers"][0], result["peer"], result["by"]) for scene in groups(result).get(name, [])}
            known = {scene: value for scene, value in ratios.items() if value}
            slowest = min(known, key=known.get, default=None)
            cells.append(f"{three_digits(middle(known.values()))}, `{slowest}` {three_digits(known[slowest])}" if known else "–")
        lines.append(row([name, *cells]))
    return lines


HEAD = """# The benchmark's figures

`make bench` measures them on the machine that it runs on and writes docs/data/bench-MACHINE.json; docs/generate.py makes this page and the charts of these files.
docs/performance.md says how the figures are measured and what they mean.

Rates and times are medians; in parentheses the spread, the distance between the fastest and the slowest repeat over the median. `÷` columns say how many times as fast as that
driver ours is, below 1 it is slower; in parentheses the same by the other of clock and processor time. Turnip and PanVK are Mesa's, on our models of their GPUs.
"""


def chart_name(result):
    return f"bench-{result['machine']}.svg"


def part(result):
    """The figures of one kind of machine."""
    lines = [f"## On {result['machine']}", "", f"![Speed beside {name_of(result['peer'])} on {result['machine']}]({chart_name(result)})", ""]
    lines += [f"- {fact}" for fact in result["facts"]]
    lines += [f"- Rates, times and ratios are {BY[result['by']]}"]
    for group, scenes in groups(result).items():
        lines += ["", f"### {group.capitalize()} on {result['machine']}", "", *group_table(result, scenes)]
    if notes := notes_table(result):
        lines += ["", f"### No figure on {result['machine']}", "", *notes]
    return "\n".join(lines) + "\n"


def markdown(results):
    """The page of the results of several kinds of machines."""
    return "\n".join([HEAD, *map(part, results), "## The scenes\n", *scenes_table(results)]) + "\n"
