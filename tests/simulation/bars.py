"""Bar charts as SVG, readable on light and dark pages.

Colours follow the reader's scheme, so one file serves both. Every bar carries
its number: the picture is for comparing, the text for reading.
"""

from html import escape

STYLE = """
  .page { fill: #ffffff } .text { fill: #1f2328 } .quiet { fill: #59636e }
  .grid { stroke: #d1d9e0 } .a { fill: #0969da } .b { fill: #bf8700 }
  .c { fill: #818b98 }
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif }
  .title { font-size: 15px; font-weight: 600 }
  .number { font-variant-numeric: tabular-nums }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } .text { fill: #f0f6fc } .quiet { fill: #9198a1 }
    .grid { stroke: #3d444d } .a { fill: #4493f8 } .b { fill: #d29922 }
    .c { fill: #656c76 }
  }"""
WIDTH = 720
LABELS = 190
NUMBERS = 70
BAR = 16
GAP = 18


def chart(title, series, rows, unit="", most=None):
    """An SVG. `series`: names of the bars of a row, at most three; `rows`: (label,
    [value or None, ...]). `most`: the end of the axis."""
    most = most or max(v for _, values in rows for v in values
                       if v is not None) or 1
    scale = (WIDTH - LABELS - NUMBERS) / most
    y = 78
    parts = []
    for label, values in rows:
        height = BAR * len(values)
        parts.append(f'<text class="text" x="{LABELS - 12}" '
                     f'y="{y + height / 2 + 5:.0f}" text-anchor="end">'
                     f'{escape(label)}</text>')
        for i, value in enumerate(values):
            if value is None:
                continue
            top = y + BAR * i
            length = value * scale
            parts.append(
                f'<rect class="{"abc"[i]}" x="{LABELS}" y="{top + 1}" '
                f'width="{length:.1f}" height="{BAR - 3}" rx="2"/>'
                f'<text class="text number" x="{LABELS + length + 6:.1f}" '
                f'y="{top + 12}">{shown(value)}{unit}</text>')
        y += height + GAP
    return page(title, series, parts, y)


def shown(value):
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def page(title, series, parts, bottom):
    height = bottom + 8
    legend = []
    x = 20
    for i, name in enumerate(series):
        legend.append(f'<rect class="{"abc"[i]}" x="{x}" y="42" width="12" '
                      f'height="12" rx="2"/><text class="quiet" x="{x + 18}" '
                      f'y="53">{escape(name)}</text>')
        x += 36 + 7.2 * len(name)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
        f'{height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{escape(title)}">',
        f"<style>{STYLE}\n</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}" rx="6"/>',
        f'<text class="text title" x="20" y="28">{escape(title)}</text>',
        *legend,
        f'<line class="grid" x1="{LABELS}" y1="70" x2="{LABELS}" '
        f'y2="{bottom - 8}"/>',
        *parts, "</svg>", ""])
