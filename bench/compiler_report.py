"""The figures of a compiler beside another one: ratios, means and their tables. No compiling here (compiler.py, amd/compiler.py).

What docs/data/compiler-FAMILY.json keeps:

    {"judge": "turnip-26.1", "gpu": NAME, "figures": ["slots", "time"], "never_zero": ["slots", "time"],
     "shaders": {"copy": [[14, 70], [16, 502]]},      ours and the judge's, in the order of the figures; of compute shaders of tests/shaders
     "same_loops": {"shaders": 1, "means": {...}},     those of them where both codes have as many loops
     "scenes": {"knot_00_vertex": [[31], [36]]}}       of vertex and fragment shaders of tests/scenes, which have no time

Where a count may be zero, a ratio is (ours + 1) / (theirs + 1)."""
import json
import math

WORST = 4  # of a figure in the table


def geometric_mean(values):
    good = [v for v in values if v > 0 and not math.isnan(v)]
    return math.exp(sum(map(math.log, good)) / len(good)) if good else math.nan


def ratio(kept, pair, figure):
    more = 0 if figure in kept["never_zero"] else 1
    place = kept["figures"].index(figure)
    ours, theirs = pair[0][place], pair[1][place]
    return math.nan if ours is None or theirs is None else (ours + more) / max(theirs + more, 1)


def means(kept, pairs, figures):
    return {f: round(geometric_mean([ratio(kept, pair, f) for pair in pairs]), 4) for f in figures}


def worst(kept, pairs, figure):
    """The shaders with the largest ratios, as text."""
    known = {name: value for name, pair in pairs.items() if (value := ratio(kept, pair, figure)) > 1}
    return ", ".join(f"{name} {known[name]:.2f}" for name in sorted(known, key=lambda name: -known[name])[:WORST]) or "none above 1"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def shaders_table(kept):
    """Of the corpus of compute shaders: means of all, means of those with as many loops, the worst."""
    pairs, same = kept["shaders"], kept["same_loops"]
    of_all = means(kept, pairs.values(), kept["figures"])
    head = ["figure", f"all {len(pairs)}", f"{same['shaders']} with as many loops", "worst"]
    return [row(head), row(["---"] * len(head)), *(row([f, f"{of_all[f]:.3f}", f"{same['means'][f]:.3f}" if f in same["means"] else "–", worst(kept, pairs, f)]) for f in kept["figures"])]


def scenes_table(kept):
    """Of the scenes' shaders: means by stage and of all, the worst."""
    pairs, figures = kept["scenes"], [f for f in kept["figures"] if f != "time"]
    stages = [[pair for name, pair in pairs.items() if name.endswith(stage)] for stage in ("vertex", "fragment", "")]
    of_stages = [means(kept, some, figures) for some in stages]
    head = ["figure", *(f"{len(some)} {name}" for some, name in zip(stages, ("vertex", "fragment", "together"))), "worst"]
    return [row(head), row(["---"] * len(head)), *(row([f, *(f"{values[f]:.3f}" for values in of_stages), worst(kept, pairs, f)]) for f in figures)]


def kept_shaders(figures, never_zero, judge, gpu, found):
    """What is kept of {name: (ours, theirs)}, each {figure: value} and with `loops`."""
    def values(side):
        return [None if math.isnan(side[f]) else round(side[f]) for f in figures]
    kept = {"judge": judge, "gpu": gpu, "figures": list(figures), "never_zero": list(never_zero),
            "shaders": {name.removesuffix("_comp"): [values(ours), values(theirs)] for name, (ours, theirs) in sorted(found.items())}}
    same = [kept["shaders"][name.removesuffix("_comp")] for name, (ours, theirs) in found.items() if ours["loops"] == theirs["loops"]]
    kept["same_loops"] = {"shaders": len(same), "means": means(kept, same, kept["figures"])}
    return kept


def kept_scenes(figures, found):
    return {name: [[side[f] for f in figures if f != "time"] for side in pair] for name, pair in sorted(found.items())}


def data_text(kept):
    """JSON with a line for each shader."""
    lines = []
    for key, value in kept.items():
        if key in ("shaders", "scenes"):
            rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(pair)}" for name, pair in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{rows}}}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{" + ",\n".join(lines) + "}\n"


def write(path, changes):
    """Replaces what was measured in the file and keeps the rest of it."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    path.write_text(data_text({**kept, **changes}), encoding="utf-8")
