"""The benchmark as a bar chart in SVG: a bar for every driver but the peer, on a logarithmic scale, from the line where it is as fast as the peer: to the right where it is
faster, to the left where it is slower. Readable on light and dark ground; by the standard library alone."""
import math
from xml.sax.saxutils import escape, quoteattr

import report

NAME_WIDTH = 130        # the scenes' names, at the left
COLUMN = 92             # a driver's medians, at the right
LABEL = 44              # room for the figure at a bar's end
BAR, GAP = 10, 2        # a bar's height, and between those of a scene
SCENE_GAP = 9
HEAD = 78               # title, facts and legend
GROUP_HEAD = 40
BARS_WIDTH = 450
LEFT, RIGHT = NAME_WIDTH + LABEL, NAME_WIDTH + LABEL + BARS_WIDTH

STYLE = """
text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
.paper { fill: #ffffff; } .ink { fill: #1f2328; } .soft { fill: #59636e; } .bold { font-weight: 600; } .small { font-size: 11px; } .title { font-size: 17px; font-weight: 600; }
.line { stroke: #d1d9e0; stroke-width: 1; } .one { stroke: #1f2328; stroke-width: 1.5; }
.c0 { fill: #0969da; } .c1 { fill: #bc6c00; } .c2 { fill: #6e7781; } .c3 { fill: #8250df; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; } .ink { fill: #e6edf3; } .soft { fill: #9198a1; } .line { stroke: #30363d; } .one { stroke: #e6edf3; }
.c0 { fill: #4493f8; } .c1 { fill: #e3a04a; } .c2 { fill: #848d97; } .c3 { fill: #ab7df8; }
}
"""


def text(x, y, words, classes="ink", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}" text-anchor="{anchor}">{escape(words)}</text>'


def bounds(ratios):
    """Of the scale: all of the ratios and a little on both sides of the peer, in round steps of 1, 2, 5."""
    steps = [factor * 10.0 ** power for power in range(-6, 7) for factor in (1, 2, 5)]
    low, high = min([*ratios, 0.5]), max([*ratios, 2.0])
    return max(step for step in steps if step <= low * (1 + 1e-9)), min(step for step in steps if step >= high * (1 - 1e-9))


def ticks(low, high):
    return [factor * 10.0 ** power for power in range(-6, 7) for factor in (1, 2, 5) if low * (1 - 1e-9) <= factor * 10.0 ** power <= high * (1 + 1e-9)]


class Scale:
    def __init__(self, ratios):
        self.low, self.high = bounds(ratios)

    def x(self, ratio):
        return LEFT + (RIGHT - LEFT) * math.log(ratio / self.low) / math.log(self.high / self.low)

    def lines(self, top, bottom):
        """One for every tick; those of the tens are labelled, and all of them where there is room."""
        found = ticks(self.low, self.high)
        out = []
        for tick in found:
            one = abs(tick - 1) < 1e-9
            out.append(f'<line x1="{self.x(tick):.1f}" x2="{self.x(tick):.1f}" y1="{top:.1f}" y2="{bottom:.1f}" class="{"one" if one else "line"}"/>')
            if len(found) <= 8 or abs(math.log10(tick) - round(math.log10(tick))) < 1e-9:
                out.append(text(self.x(tick), top - 5, f"{tick:g}×", "soft small", "middle"))
        return out


def columns(result):
    """The drivers and where their medians end: ours, the peer, the others."""
    first, *others = [driver for driver in result["drivers"] if driver != result["peer"]]
    return [(driver, RIGHT + LABEL + COLUMN * (i + 1)) for i, driver in enumerate([first, result["peer"], *others])]


def width_of(result):
    return RIGHT + LABEL + COLUMN * len(result["drivers"]) + 16


def bar(scale, ratio, y, color, words):
    """From the peer's line to the ratio, with its figure at the end that is away from the line."""
    one, end = scale.x(1), scale.x(ratio)
    label = text(end + 4, y + BAR - 1, report.times_text(ratio), "ink small") if ratio >= 1 else text(end - 4, y + BAR - 1, report.times_text(ratio), "ink small", "end")
    return (f'<rect x="{min(one, end):.2f}" y="{y:.1f}" width="{abs(end - one):.2f}" height="{BAR}" class="c{color}" data-ratio="{ratio:.6g}">'
            f"<title>{escape(words)}</title></rect>{label}")


def scene_rows(result, scene, scale, bars, y):
    peer, by = result["peer"], result["by"]
    out = []
    for color, driver in enumerate(bars):
        value = report.ratio(scene, driver, peer, by)
        top = y + color * (BAR + GAP)
        if value:
            out.append(bar(scale, value, top, color, f"{scene['name']}, {report.name_of(driver)}: {report.figure(scene, scene['runs'][driver], by)}"))
        else:
            out.append(text(scale.x(1) + 4, top + BAR - 1, report.figure(scene, scene["runs"].get(driver), by), "soft small"))
    middle = y + (len(bars) * (BAR + GAP)) / 2 + 3
    medians = [text(x, middle, report.figure(scene, scene["runs"].get(driver), by).split(":")[0], "soft small", "end") for driver, x in columns(result)]
    name = f'<text x="{NAME_WIDTH}" y="{middle:.1f}" class="ink bold" text-anchor="end">{escape(scene["name"])}<title>{escape(scene["what"])}</title></text>'
    return [name, *medians, *out]


def legend(result, bars):
    out, x = [], 20
    for color, driver in enumerate(bars):
        out += [f'<rect x="{x}" y="57" width="12" height="12" class="c{color}"/>', text(x + 18, 67, report.name_of(driver))]
        x += 18 + 7.5 * len(report.name_of(driver)) + 24
    out += [f'<line x1="{x + 6:.0f}" x2="{x + 6:.0f}" y1="56" y2="70" class="one"/>', text(x + 18, 67, f"{report.name_of(result['peer'])} = 1")]
    return out


def svg(result, facts=""):
    """The whole picture as text."""
    peer, by = result["peer"], result["by"]
    bars = [driver for driver in result["drivers"] if driver != peer]
    groups = report.groups(result)
    ratios = [value for scene in result["scenes"] for driver in bars if (value := report.ratio(scene, driver, peer, by))]
    scale = Scale(ratios)
    out, y = [], HEAD
    for group, scenes in groups.items():
        median = report.middle(report.ratio(scene, bars[0], peer, by) for scene in scenes)
        words = group if median is None else f"{group}: {report.name_of(bars[0])} {report.times_text(median)} in the median"
        step = len(bars) * (BAR + GAP) + SCENE_GAP
        out += [text(20, y + 15, words, "ink bold"), *(text(x, y + GROUP_HEAD - 9, report.name_of(driver).split()[0], "soft small", "end") for driver, x in columns(result)),
                *scale.lines(y + GROUP_HEAD - 4, y + GROUP_HEAD + step * len(scenes) - 4)]
        y += GROUP_HEAD
        for scene in scenes:
            out += scene_rows(result, scene, scale, bars, y)
            y += step
    width, height = width_of(result), y + 16
    title = f"Speed beside {report.name_of(peer)}, {report.BY[by]}"
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label={quoteattr(title)}>',
            f"<style>{STYLE}</style>", f'<rect width="{width}" height="{height}" class="paper"/>', text(20, 26, title, "ink title"),
            text(20, 45, f"How many times as fast; to the left of 1 it is slower. Logarithmic. {facts}".strip(), "soft small")]
    return "\n".join([*head, *legend(result, bars), *out, "</svg>"]) + "\n"
