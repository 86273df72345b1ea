"""The results of the dashboard's queries as one SVG.

Not drawn by Grafana: the same panels, titles, order and numbers by a hundred lines of Python,
for the documents. Colours follow the reader's scheme.
"""

import textwrap
from html import escape

WIDTH = 1200
UNIT = WIDTH / 24
ROW = 26
PAD = 12
COLOURS = ["0969da", "bf8700", "1a7f37", "cf222e", "8250df", "bc4c00", "1b7c83", "bf3989",
           "57606a", "953800"]
STYLE = """
  .page { fill: #f6f8fa } .panel { fill: #ffffff; stroke: #d1d9e0 }
  .text { fill: #1f2328 } .quiet { fill: #59636e } .axis { stroke: #d1d9e0 }
  text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif }
  .row { font-size: 15px; font-weight: 600 } .title { font-weight: 600 }
  .big { font-size: 26px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .panel { fill: #161b22; stroke: #3d444d }
    .text { fill: #f0f6fc } .quiet { fill: #9198a1 } .axis { stroke: #3d444d }
  }"""
# Heights of panels in the picture, by type.
HEIGHTS = {"row": 30, "stat": 84, "bargauge": 190, "timeseries": 190, "text": 190}
# Width of a character in these fonts.
CHARACTER = 6.3


def shown(value, unit):
    if unit == "percentunit":
        return f"{100 * value:.0f} %"
    if unit == "s":
        return (f"{value / 86400:.1f} d" if value > 86400 else
                f"{1000 * value:.2g} ms" if value < 1 else f"{value:.0f} s")
    if unit == "bytes":
        return f"{value / 2 ** 20:.0f} MiB"
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def label(x, y, text, kind="text", anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def cut(text, width):
    most = int(width / CHARACTER)
    return text if len(text) <= most else text[:most - 1] + "…"


def words(content, x, y, width):
    """Markdown as plain text; the text panel says what no query can."""
    plain = content.replace("**", "").replace("`", "").replace("*", "")
    for i, line in enumerate(line for paragraph in plain.split("\n\n") for line in
                             [*textwrap.wrap(paragraph, int((width - 2 * PAD) / CHARACTER) + 4), ""]):
        yield label(x + PAD, y + 40 + 15 * i, line)


def stat(found, unit, x, y, width):
    value = float(found[0][1][-1][1]) if found else None
    text = "–" if value is None else shown(value, unit)
    return [label(x + PAD, y + 62, text, "text big")]


def bars(found, unit, x, y, width):
    rows = sorted(((text, float(points[-1][1])) for text, points in found),
                  key=lambda row: -row[1])[:10]
    most = max((value for _, value in rows), default=1) or 1
    room = width - 2 * PAD
    parts = []
    for i, (text, value) in enumerate(rows):
        top = y + 34 + i * 15
        length = 0.34 * room * value / most
        parts.append(label(x + PAD, top + 9, cut(text, 0.5 * room)))
        parts.append(f'<rect x="{x + PAD + 0.5 * room:.1f}" y="{top}" width="{length:.1f}" '
                     f'height="10" rx="2" fill="#{COLOURS[0]}"/>')
        parts.append(label(x + PAD + 0.5 * room + length + 5, top + 9, shown(value, unit), "quiet"))
    return parts


def lines(found, unit, x, y, width, begin, end):
    series = [(text, [(float(at), float(value)) for at, value in points if value != "NaN"])
              for text, points in found]
    series = sorted((row for row in series if row[1]),
                    key=lambda row: -max(value for _, value in row[1]))[:10]
    most = max((value for _, points in series for _, value in points), default=1) or 1
    left, top, bottom = x + PAD, y + 34, y + 168
    room = 0.58 * (width - 2 * PAD)
    parts = [f'<line class="axis" x1="{left:.1f}" y1="{bottom}" x2="{left + room:.1f}" y2="{bottom}"/>',
             label(left, top - 2, shown(most, unit), "quiet")]
    for hour in (0, 6, 12, 18):
        parts.append(label(left + room * hour / 24, bottom + 13, f"{hour}:00", "quiet"))
    for i, (text, points) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        spots = [f"{left + room * min(1, max(0, (at - begin) / (end - begin))):.1f},"
                 f"{bottom - (bottom - top) * value / most:.1f}" for at, value in points]
        # A gap in the points is a gap in the line.
        for piece in pieces(points, spots):
            parts.append(f'<polyline points="{" ".join(piece)}" fill="none" stroke="#{colour}" stroke-width="1.3"/>')
        at = x + width - PAD - 0.38 * (width - 2 * PAD)
        parts.append(f'<rect x="{at:.1f}" y="{top + i * 13}" width="8" height="8" rx="2" fill="#{colour}"/>')
        parts.append(label(at + 12, top + 8 + i * 13, cut(text, 0.38 * width - PAD)))
    return parts


def pieces(points, spots):
    piece = []
    for i, spot in enumerate(spots):
        if i and points[i][0] - points[i - 1][0] > 1.5:
            yield piece
            piece = []
        piece.append(spot)
    yield piece


def body(panel, found, x, y, width, begin, end):
    kind = panel["type"]
    if kind == "text":
        return list(words(panel["options"]["content"], x, y, width))
    unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "short")
    if kind == "stat":
        return stat(found, unit, x, y, width)
    if kind == "bargauge":
        return bars(found, unit, x, y, width)
    return lines(found, unit, x, y, width, begin, end)


def frame(panel, x, y, width):
    if panel["type"] == "row":
        return [label(x + PAD, y + 20, panel["title"], "text row")]
    return [f'<rect class="panel" x="{x + 4:.1f}" y="{y}" width="{width - 8:.1f}" '
            f'height="{HEIGHTS[panel["type"]]}" rx="5"/>',
            label(x + PAD, y + 18, cut(panel["title"], width - 2 * PAD), "text title")]


def draw(results, begin, end):
    """`results`: (panel, [(legend, points)]) in the dashboard's order."""
    parts, x, y, height = [], 0, 40, 0
    for panel, found in results:
        width = panel["gridPos"]["w"] * UNIT
        if x + width > WIDTH + 1:
            x, y, height = 0, y + height + 8, 0
        height = max(height, HEIGHTS[panel["type"]])
        parts += frame(panel, x, y, width)
        if panel["type"] != "row":
            parts += body(panel, found, x, y, width, begin, end)
        x += width
    bottom = y + height + 12
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom}" width="{WIDTH}" '
        f'height="{bottom}" role="img" aria-label="The dashboard after a day of failures">',
        f"<style>{STYLE}\n</style>", f'<rect class="page" width="{WIDTH}" height="{bottom}"/>',
        label(PAD, 26, "Drawn by a script from what the dashboard's queries found over a scripted day "
              "of failures, played in a minute. Grafana draws the same panels.", "quiet"),
        *parts, "</svg>", ""])
