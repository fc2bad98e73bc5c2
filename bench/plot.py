#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns what bench/products printed into a picture and tables: bench/plot.py FILE.csv writes FILE.svg and FILE.md

With --groups NAME,… it draws those groups alone, as FILE.short.svg, and writes nothing else.

Ratios are the library's time by ours: above 1 ours is faster. A bar is the geometric mean of the orders in which the
factors may lie, ticks are the orders themselves. Only what came out right is drawn; the rest is listed. A summary goes
to the standard output.
"""
import argparse
import csv
import html
import math
import pathlib
import sys

ORDERS = ("nn", "nt", "tn", "tt")
LABEL, SCALE, NUMBERS = 220, 360, 270  # widths: what is multiplied, bars, figures
ROW, HEAD, TOP, BOTTOM = 17, 26, 58, 16
MOST = 1.5  # where the scale ends; longer bars are cut off
STYLE = """
  text { font: 12px sans-serif; fill: #4a5260 }
  .title { font-weight: bold; font-size: 14px } .group { font-weight: bold }
  .behind { fill: #9aa5b8 } .ahead { fill: #5f8f8b } .tick { stroke: #2f3845; stroke-width: 1.5 }
  .even { stroke: #b0533c; stroke-width: 1 } .grid { stroke: #8a93a3; stroke-width: 0.5; opacity: 0.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #c3cad6 } .behind { fill: #6a7488 } .ahead { fill: #4f8f89 } .tick { stroke: #e4e8ee }
    .even { stroke: #e08a70 }
  }
"""


def read(path):
    """The comments of a file, and its rows with numbers where they are numbers."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    notes = [line[1:].strip() for line in lines if line.startswith("#")]
    rows = list(csv.DictReader(line for line in lines if line and not line.startswith("#")))
    for row in rows:
        for name in ("ours_tflops", "first_tflops", "best_tflops", "ratio_first", "ratio_best", "error_ours",
                     "gigabytes_per_second", "share_of_roofline"):
            row[name] = float(row[name])
    return notes, rows


def mean(values):
    """The geometric one."""
    return math.exp(sum(map(math.log, values)) / len(values))


def grouped(rows):
    """{group: {shape: [row of each order]}}, in the order of the file."""
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], {}).setdefault(row["shape"], []).append(row)
    return groups


def product_sign(shape):
    """4096³ for a cube, 512 × 4096 × 4096 for others."""
    extents, _, pitch = shape.partition(" ")
    extents = extents.split("x")
    text = extents[0] + "³" if len(set(extents)) == 1 else " × ".join(extents)
    return f"{text} {pitch}".strip()


def shown_another(row):
    """Whether the library was shown other orders, other lines or more rows than ours."""
    rows = row["shape"].split("x")[0]
    return "pitch" in row["shape"] or row["library_orders"] != row["orders"] or row["library_rows"] != rows


def x_of(ratio):
    return LABEL + min(ratio, MOST) / MOST * SCALE


class Picture:
    """An SVG that grows downwards."""

    def __init__(self):
        self.parts = []
        self.y = TOP

    def add(self, text):
        self.parts.append(text)

    def text(self, x, y, words, kind="", anchor="start"):
        self.add(f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{html.escape(words)}</text>')

    def group(self, name):
        self.y += HEAD
        self.text(8, self.y - 7, name, "group")

    def row(self, label, rows):
        """A bar, its ticks and its figures."""
        ratios = [row["ratio_best"] for row in rows]
        middle = mean(ratios)
        base = self.y + ROW - 5
        self.text(LABEL - 8, base, label, anchor="end")
        kind = "ahead" if middle >= 1 else "behind"
        self.add(f'<rect x="{LABEL}" y="{self.y + 2}" width="{x_of(middle) - LABEL:.1f}" height="{ROW - 4}" '
                 f'class="{kind}"/>')
        if len(ratios) > 1:
            for x in (x_of(ratio) for ratio in ratios if ratio <= MOST):
                self.add(f'<path d="M{x:.1f} {self.y + 3} v{ROW - 6}" class="tick"/>')
        spread = f" ({min(ratios):.2f} to {max(ratios):.2f})" if len(ratios) > 1 else ""
        cut = "» " if middle > MOST else ""
        self.text(LABEL + SCALE + 10, base, f"{cut}{middle:.3f}{spread}")
        fastest = max(row["ours_tflops"] for row in rows)
        self.text(LABEL + SCALE + NUMBERS - 8, base, f"{fastest:.{0 if fastest >= 100 else 1}f} TFLOP/s", anchor="end")
        self.y += ROW

    def finished(self, title, note):
        width, height = LABEL + SCALE + NUMBERS, self.y + BOTTOM
        head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}">', f"<style>{STYLE}</style>"]
        behind = [f'<path d="M{x_of(at):.1f} {TOP} V{self.y}" class="{"even" if at == 1 else "grid"}"/>'
                  for at in (0.25, 0.5, 0.75, 1, 1.25, 1.5)]
        labels = [f'<text x="{x_of(at):.0f}" y="{TOP - 4}" text-anchor="middle">{at:g}</text>'
                  for at in (0.5, 1, 1.5)]
        titles = [f'<text x="8" y="18" class="title">{html.escape(title)}</text>',
                  f'<text x="8" y="36">{html.escape(note)}</text>']
        grid, line = behind[:3] + behind[4:], behind[3]
        return "\n".join(head + titles + labels + grid + self.parts + [line, "</svg>"]) + "\n"


def drawn(groups, notes):
    picture = Picture()
    for name, shapes in groups.items():
        picture.group(name)
        for shape, rows in shapes.items():
            star = "*" if any(shown_another(row) for row in rows) else ""
            picture.row(product_sign(shape) + star, rows)
    return picture.finished("Speed, as a multiple of cuBLASLt's best candidate", notes[0] if notes else "")


def table(shapes):
    """A table in Markdown of a group."""
    lines = ["| M × N × K | " + " | ".join(ORDERS) + " | TFLOP/s | library | first choice | roofline | error |",
             "|---|" + "---|" * 9]
    for shape, rows in shapes.items():
        by_orders = {row["orders"]: row for row in rows}
        cells = [f"{row['ratio_best']:.3f}{chr(92) + '*' if shown_another(row) else ''}" if row else ""
                 for row in (by_orders.get(orders) for orders in ORDERS)]
        best = max(rows, key=lambda row: row["ours_tflops"])
        cells += [f"{best['ours_tflops']:.1f}", f"{best['best_tflops']:.1f}",
                  f"{mean([row['ratio_first'] for row in rows]):.3f}", f"{best['share_of_roofline']:.0%}",
                  f"{max(row['error_ours'] for row in rows):.1e}"]
        lines.append(f"| {product_sign(shape)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def summary(groups):
    lines = ["| Group | cases | geometric mean | least | of |", "|---|---|---|---|---|"]
    for name, shapes in groups.items():
        rows = [row for some in shapes.values() for row in some]
        least = min(rows, key=lambda row: row["ratio_best"])
        lines.append(f"| {name} | {len(rows)} | {mean([row['ratio_best'] for row in rows]):.3f} | "
                     f"{least['ratio_best']:.3f} | {product_sign(least['shape'])} {least['orders']} |")
    return "\n".join(lines)


EXPLANATION = """\
`bench/run.sh`. Ratios: the time of cuBLASLt's fastest candidate by ours, for the orders of A and B (by rows n, by
columns t). TFLOP/s, the library's and the share of the roofline are those of our fastest order; "first choice" is the
ratio to the candidate that the heuristics name first, mean of the orders. A star: the library does not take these
orders or so few rows, or lines lie apart, and it was shown what it likes. Error: the greatest difference from f64,
relative to the greatest result. The roofline is the data sheet's (dense; f32's for f32, in parts too) or the memory's,
whatever takes longer."""


def document(groups, notes, wrong, picture):
    """The page in Markdown."""
    parts = [f"# {notes[0] if notes else 'Products'}", "  \n".join(notes[1:]), EXPLANATION, f"![ratios]({picture})",
             summary(groups)]
    for name, shapes in groups.items():
        parts += [f"## {name}", table(shapes)]
    if wrong:
        parts += ["## Not timed", "\n".join(f"* {row['group']} {row['shape']} {row['orders']}: {row['remark']}"
                                            for row in wrong)]
    return "\n\n".join(part for part in parts if part) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--groups", help="names, with commas between: a short picture of these alone")
    arguments = parser.parse_args()
    path = arguments.file
    notes, rows = read(path)
    groups = grouped(row for row in rows if row["remark"] == "ok")
    if arguments.groups:
        chosen = {name: groups[name] for name in arguments.groups.split(",") if name in groups}
        path.with_suffix(".short.svg").write_text(drawn(chosen, notes), encoding="utf-8")
        return
    wrong = [row for row in rows if row["remark"] != "ok"]
    if groups:
        picture = path.with_suffix(".svg")
        picture.write_text(drawn(groups, notes), encoding="utf-8")
        path.with_suffix(".md").write_text(document(groups, notes, wrong, picture.name), encoding="utf-8")
        print(summary(groups))
    for row in wrong:
        print(f"{row['group']} {row['shape']} {row['orders']}: {row['remark']}")


if __name__ == "__main__":
    sys.exit(main())
