"""Charts: literal words, numbers in their places, ids of their own, a stated cap, the same bytes."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reporter.render import chart_style as style
from reporter.render.chart_text import fit, tick_text, width
from reporter.render.figures import draw
from reporter.render.plots import (
    Axis,
    CalibrationPlot,
    ChangePlot,
    ChangeRow,
    Curve,
    CurvesPlot,
    DensityPlot,
    ForestPlot,
    ForestPoint,
    ForestRow,
    Panel,
    Plot,
    RocPlot,
    Steps,
    TreeDiagram,
    TreeNode,
    TreeRate,
)

SVG = "{http://www.w3.org/2000/svg}"
RATE = Axis("miss rate", "percent")
UNIT = Axis("share", "percent", 0.0, 1.0)


def _forest(*labels: str, flagged: str = "", series: tuple[str, ...] = ("2.4",), total: int = 0) -> ForestPlot:
    rows = tuple(
        ForestRow(
            label,
            tuple(ForestPoint(i, 0.3, 0.2, 0.4, "30 % (20 to 40), n = 80") for i in range(len(series))),
            label == flagged,
            "diverges" if label == flagged else "",
        )
        for label in labels
    )
    return ForestPlot(RATE, series, rows, ((0.25, "all patients"),), total)


def _curve(label: str) -> Curve:
    return Curve(label, (0.0, 0.5, 1.0), (0.0, 0.8, 1.0), (0.0, 0.7, None), (0.1, 0.9, None), (10, 20, 30))


def _tree(label: str = "Female") -> TreeDiagram:
    rates = tuple(TreeRate(m, g, 0.2 + 0.1 * m + 0.05 * g, f"{20 + 10 * m + 5 * g} %") for m in (0, 1) for g in (0, 1))
    leaves = (
        TreeNode(2, ("Δ −8.0 points", "−12.0 to −4.0", "n = 640"), -0.08, label, "", (), rates),
        TreeNode(3, ("Δ +2.0 points", "−1.0 to +5.0", "n = 560"), 0.02, "Male", "", (), rates, "reverses the sign"),
    )
    root = TreeNode(1, ("Δ −3.1 points", "−6.0 to −0.2", "n = 1,200"), -0.031, "", "sex", leaves)
    return TreeDiagram(root, ("old", "new"), ("White", "Black"), "the gap shrinks", "the gap grows", RATE)


def _every_kind(label: str) -> dict[str, Plot]:
    return {
        "forest": _forest(label, "Other", flagged="Other"),
        "roc": RocPlot(UNIT, UNIT, (_curve(label), _curve("Other")), ((0, 0.5, 0.8),), "threshold 0.35"),
        "calibration": CalibrationPlot(UNIT, UNIT, (_curve(label),), "ideal"),
        "density": DensityPlot(Axis("score"), UNIT, (Steps(label, (0.0, 0.5, 1.0), (0.4, 0.6)),), (0.35, "threshold 0.35")),
        "curves": CurvesPlot(Axis("noise", "percent"), (Panel("kappa", Axis("kappa"), (_curve(label), _curve("Other"))),)),
        "change": ChangePlot(RATE, "2.3", "2.4", (ChangeRow(label, 0.2, 0.3, "+10 points", True),)),
        "tree": _tree(label),
    }  # fmt: skip


KINDS = list(_every_kind("x"))


def _words(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def _text(svg: str) -> str:
    return " ".join(_words(svg))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "label", ["<$25k", "a $x$ b_{1}", "</svg><script>alert(1)</script>", 'a"b&c', "中文组", "x\x00y"]
)
def test_a_name_appears_as_literal_text(kind: str, label: str) -> None:
    svg = draw(_every_kind(label)[kind], "fig", "A sentence.")
    shown = label.replace("\x00", "\ufffd")
    assert shown.replace(" ", "") in _text(svg).replace(" ", "")
    assert "<script" not in svg


@pytest.mark.parametrize("kind", KINDS)
def test_the_title_is_the_first_child_and_whole(kind: str) -> None:
    root = ElementTree.fromstring(draw(_every_kind("x")[kind], "fig", "Misses <30 % & more."))
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Misses <30 % & more."
    assert root.attrib["role"] == "img"


@pytest.mark.parametrize("kind", KINDS)
def test_every_id_has_the_figures_prefix_and_every_reference_is_met(kind: str) -> None:
    svg = draw(_every_kind("x")[kind], "fig-7", "A sentence.")
    ids = re.findall(r'\bid="([^"]*)"', svg)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("fig-7-") for name in ids)
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) <= set(ids)


@pytest.mark.parametrize("kind", KINDS)
def test_only_attributes_style_a_drawing(kind: str) -> None:
    svg = draw(_every_kind("x")[kind], "fig", "A sentence.")
    for forbidden in ("<style", "style=", "<metadata", "currentColor", "var(", "foreignObject", "class="):
        assert forbidden not in svg
    assert not re.search(r"\d{4}-\d\d-\d\dT", svg)


@pytest.mark.parametrize("kind", KINDS)
def test_words_stay_on_the_paper(kind: str) -> None:
    root = ElementTree.fromstring(draw(_every_kind("a name that is so long that nobody could " * 4)[kind], "f", "T."))
    _, _, wide, high = map(float, root.attrib["viewBox"].split())
    for text in root.iter(f"{SVG}text"):
        if "transform" in text.attrib:
            continue
        size, bold = float(text.attrib["font-size"]), text.attrib.get("font-weight") == "bold"
        length = width(text.text or "", size, bold)
        start = float(text.attrib["x"]) - {"middle": length / 2, "end": length}.get(
            text.attrib.get("text-anchor", ""), 0
        )
        assert start >= -1, text.text
        assert start + length <= wide + 3, text.text
        assert 0 <= float(text.attrib["y"]) <= high, text.text


def test_a_forest_plot_says_group_estimate_interval_n_and_verdict() -> None:
    text = _text(draw(_forest("Female", "Male", flagged="Male", series=("2.4", "2.3")), "fig", "T."))
    for word in ("Female", "▶ Male", "30 % (20 to 40), n = 80", "diverges", "all patients", "2.4", "2.3", "miss rate"):
        assert word in text


def test_a_forest_row_without_points_is_a_heading_and_an_undefined_one_keeps_its_line() -> None:
    rows = (
        ForestRow("age", ()),
        ForestRow("over 75", (ForestPoint(0, None, None, None, "undefined: nobody is ill"),)),
    )
    text = _text(draw(ForestPlot(RATE, ("2.4",), rows), "fig", "T."))
    assert "age" in text
    assert "over 75" in text
    assert "undefined: nobody is ill" in text


def test_estimates_lie_where_the_axis_says() -> None:
    axis = Axis("rate", "percent", 0.0, 1.0)
    rows = (ForestRow("a", (ForestPoint(0, 0.5, 0.25, 0.75, ""),)),)
    lines = ((0.25, "quarter"), (0.75, "three quarters"))
    root = ElementTree.fromstring(draw(ForestPlot(axis, ("m",), rows, lines), "fig", "T."))
    ticks = {t.text: float(t.attrib["x"]) for t in root.iter(f"{SVG}text") if (t.text or "").endswith("%")}
    dots = [float(use.attrib["x"]) for use in root.iter(f"{SVG}use")]
    middle = (ticks["0\xa0%"] + ticks["100\xa0%"]) / 2
    assert any(abs(x - middle) < 0.1 for x in dots)


def test_more_rows_than_the_cap_keep_the_flagged_ones_and_state_the_total() -> None:
    names = [f"group {i}" for i in range(1000)]
    text = _text(draw(_forest(*names, flagged="group 999"), "fig", "T."))
    assert "▶ group 999" in text
    assert "group 0" in text
    assert "group 500" not in text
    assert f"Drawn: {style.MOST_ROWS} of 1,000 groups." in text


def test_a_total_that_came_in_is_stated() -> None:
    assert "Drawn: 2 of 3,000 groups." in _text(draw(_forest("a", "b", total=3000), "fig", "T."))


@pytest.mark.parametrize("kind", ["roc", "calibration", "density", "curves", "change"])
def test_a_crowded_chart_is_capped_and_says_so(kind: str) -> None:
    names = [f"g{i}" for i in range(50)]
    spec: Plot = {
        "roc": RocPlot(UNIT, UNIT, tuple(map(_curve, names))),
        "calibration": CalibrationPlot(UNIT, UNIT, tuple(map(_curve, names))),
        "density": DensityPlot(Axis("score"), UNIT, tuple(Steps(n, (0.0, 1.0), (1.0,)) for n in names)),
        "curves": CurvesPlot(UNIT, (Panel("kappa", Axis("kappa"), tuple(map(_curve, names))),)),
        "change": ChangePlot(RATE, "old", "new", tuple(ChangeRow(n, 0.1, 0.2, "+10") for n in names)),
    }[kind]
    shown = style.MOST_ROWS if kind == "change" else style.MOST_CURVES
    text = _text(draw(spec, "fig", "T."))
    assert f"Drawn: {shown} of 50 groups." in text
    assert "g49" not in text


def _lines(plot: Plot, series: int) -> list[list[tuple[float, float]]]:
    """The points of the line of each series: of its colour, not filled, with more corners than its sample in the legend."""
    root = ElementTree.fromstring(draw(plot, "fig", "T."))
    paths = [dict(element.attrib) for element in root.iter() if element.tag.endswith("path")]
    found = []
    for number in range(series):
        colour = style.look(number).colour
        drawn = [p["d"] for p in paths if p.get("stroke") == colour and p.get("fill") == "none"]
        points = [re.findall(r"[ML] (\S+) (\S+)", one) for one in drawn]
        found.append([(float(x), float(y)) for x, y in max(points, key=len)])
    return found


def test_the_spreads_of_many_groups_do_not_lie_over_each_other() -> None:
    edges, heights = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.3, 0.2, 0.1, 0.1, 0.3)
    names = ("a", "b", "c", "d", "e")

    def bands(n: int) -> list[tuple[float, float]]:
        plot = DensityPlot(Axis("score"), UNIT, tuple(Steps(name, edges, heights) for name in names[:n]))
        return [(min(y for _, y in line), max(y for _, y in line)) for line in _lines(plot, n)]

    apart = bands(5)
    assert all(above[1] < below[0] for above, below in pairwise(apart))
    together = bands(2)
    assert together[0] == together[1]


def test_intervals_of_a_calibration_stand_beside_each_other() -> None:
    curves = tuple(Curve(name, (0.1, 0.5, 0.9), (0.2, 0.5, 0.8), (0.1, 0.4, 0.7), (0.3, 0.6, 0.9)) for name in "abcdef")
    lines = _lines(CalibrationPlot(UNIT, UNIT, curves), 6)
    starts = [line[0][0] for line in lines]
    assert starts == sorted(starts)
    assert len(set(starts)) == 6
    assert max(starts) - min(starts) < 0.1 * 160, "within a bin of a tenth"


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_with_nothing_in_it_is_still_a_figure(kind: str) -> None:
    empty: dict[str, Plot] = {
        "forest": ForestPlot(RATE, ("2.4",), ()),
        "roc": RocPlot(UNIT, UNIT, ()),
        "calibration": CalibrationPlot(UNIT, UNIT, (Curve("a", (), ()),)),
        "density": DensityPlot(Axis("score"), Axis("share", "percent"), (Steps("a", (0.5, 0.5), (1.0,)),)),
        "curves": CurvesPlot(UNIT, (Panel("kappa", Axis("kappa"), (Curve("a", (0.0,), (1.0,)),)),)),
        "change": ChangePlot(RATE, "2.3", "2.4", (ChangeRow("a", None, None, "undefined"),)),
        "tree": TreeDiagram(TreeNode(1, ("Δ undefined",), None), ("a", "b"), ("x", "y"), "", "", RATE),
    }
    assert ElementTree.fromstring(draw(empty[kind], "fig", "T."))[0].text == "T."


def test_scores_of_few_values_are_drawn_as_a_line_over_the_values_that_occur() -> None:
    edges = tuple(i / 2 for i in range(21))
    comb = Steps("Male", edges, tuple(0.1 if i % 2 == 0 else 0.0 for i in range(20)))
    full = Steps("Male", edges, (0.05,) * 20)
    paths = []
    for steps in (comb, full):
        root = ElementTree.fromstring(draw(DensityPlot(Axis("score"), Axis("share", "percent"), (steps,)), "f", "T."))
        lines = [
            path.attrib["d"] for path in root.iter(f"{SVG}path") if path.attrib.get("stroke") == style.look(0).colour
        ]
        paths.append(max(line.count("L") for line in lines))
    assert paths == [9, 41], "ten values make nine segments; twenty bins make an outline of 42 corners"


def test_a_tree_says_signs_in_words_and_shapes() -> None:
    svg = draw(_tree(), "fig", "T.")
    text = _text(svg)
    for word in (
        "Δ −3.1 points",
        "Δ +2.0 points",
        "sex: Female",
        "n = 640",
        "reverses the sign",
        "the gap shrinks",
        "White",
    ):
        assert word in text
    root = ElementTree.fromstring(svg)
    dashed = [box for box in root.iter(f"{SVG}rect") if "stroke-dasharray" in box.attrib]
    assert len(dashed) == 3, "two nodes and the legend: a negative Δ shows without colour"
    assert len(list(root.iter(f"{SVG}polygon"))) == 5


def _deep(n: int) -> TreeDiagram:
    lines = ("Δ +1.0 points", "0 to 2", "n = 100")
    node = TreeNode(0, lines, 0.01, "a", "x", path="the end")
    for number in range(1, n):
        leaf = TreeNode(number * 2, lines, 0.01, "b", path=f"way {number}")
        node = TreeNode(number * 2 + 1, lines, 0.01, "a", "x", (node, leaf), path=f"node {number}")
    return replace(_tree(), root=node)


def _pictures(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<all>{svg}</all>"))


def test_a_large_tree_goes_on_in_further_pictures_at_the_size_of_its_type() -> None:
    pictures = _pictures(draw(_deep(30), "fig", "T."))
    assert len(pictures) > 3
    assert len({one.attrib["id"] for one in pictures}) == len(pictures)
    for one in pictures:
        wide, high = (float(one.attrib[name].removesuffix("pt")) for name in ("width", "height"))
        assert [wide, high] == [float(number) for number in one.attrib["viewBox"].split()[2:]], "nothing is shrunk"
        assert high <= 330
        assert min(float(text.attrib["font-size"]) for text in one.iter(f"{SVG}text")) >= 6.5
    assert sum("Δ" in word for word in _words(f"<all>{draw(_deep(30), 'fig', 'T.')}</all>")) == 59


def test_each_picture_of_a_tree_says_what_it_shows_and_where_it_goes_on() -> None:
    pictures = _pictures(draw(_deep(30), "fig", "T."))
    titles = [one[0].text or "" for one in pictures]
    assert titles[1].startswith(f"Tree of 30 subgroups, part 2 of {len(pictures)}. ")
    said = " ".join(titles)
    assert all(f"way {number}: Δ +1.0 points" in said for number in range(1, 30))
    assert "the end: Δ +1.0 points" in said
    for one in pictures[1:]:
        assert any((text.text or "").startswith("continued") for text in one.iter(f"{SVG}text"))


def test_nothing_of_a_tree_lies_outside_its_picture() -> None:
    for diagram in (_tree(), _deep(30), _tree("A level with a name that is longer than a line can be, " * 9)):
        for one in _pictures(draw(diagram, "fig", "T.")):
            wide, high = (float(number) for number in one.attrib["viewBox"].split()[2:])
            for box in one.iter(f"{SVG}rect"):
                x, y, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
                assert min(x, y) >= 0
                assert x + w <= wide
                assert y + h <= high
            assert all(0 < float(text.attrib["y"]) <= high for text in one.iter(f"{SVG}text"))


def test_near_dots_of_a_tree_do_not_cover_each_other_and_numbers_stand_in_their_group_s_column() -> None:
    rates = tuple(TreeRate(0, group, value, text) for group, value, text in ((0, 0.056, "5.6 %"), (1, 0.046, "4.6 %")))
    far = tuple(TreeRate(0, group, value, text) for group, value, text in ((0, 0.3, "30 %"), (1, 0.1, "10 %")))
    leaves = (TreeNode(2, ("Δ",), 0.01, "a", rates=rates), TreeNode(3, ("Δ",), 0.01, "b", rates=far))
    one = replace(_tree(), root=TreeNode(1, ("Δ",), 0.01, "", "sex", leaves), models=("new",))
    (picture,) = _pictures(draw(one, "fig", "T."))
    dots = [
        (float(dot.attrib["cx"]), float(dot.attrib["cy"]), dot.attrib["fill"]) for dot in picture.iter(f"{SVG}circle")
    ]
    legend, near, apart = dots[:2], dots[2:4], dots[4:]
    assert [fill for *_, fill in legend] == [fill for *_, fill in near] == [style.PAPER, style.INK]
    assert abs(near[0][1] - near[1][1]) > 6, "no dot hides the other"
    assert apart[0][1] == apart[1][1]
    words = {text.text: float(text.attrib["x"]) for text in picture.iter(f"{SVG}text")}
    assert words["5.6 %"] == words["30 %"] < legend[1][0], "the first group's numbers, whichever is larger"
    assert words["4.6 %"] == words["10 %"] == 500
    span = [x for x, *_ in dots[2:]]
    assert max(span) - min(span) > 100, "the axis spans the rates and no more"


def test_the_rates_of_many_groups_are_strokes_between_the_lowest_and_the_highest() -> None:
    rates = tuple(TreeRate(0, group, value, f"{value * 100:.0f} %") for group, value in enumerate((0.3, 0.1, 0.2)))
    root = TreeNode(1, ("Δ",), 0.01, "", "", (), rates)
    (picture,) = _pictures(draw(replace(_tree(), root=root, groups=("x", "y", "z"), models=("new",)), "fig", "T."))
    words = [text.text for text in picture.iter(f"{SVG}text")]
    assert not list(picture.iter(f"{SVG}circle"))
    assert {"lowest group", "highest group", "10 %", "30 %"} <= set(words)
    assert not {"x", "y", "z"} & set(words)


def test_series_are_told_apart_without_colour() -> None:
    assert len({look.dash for look in style.LOOKS}) == len(style.LOOKS)
    assert len({look.marker for look in style.LOOKS}) == len(style.LOOKS)


@pytest.mark.parametrize("colour", [look.colour for look in style.LOOKS])
def test_every_colour_stands_out_from_paper(colour: str) -> None:
    """WCAG 1.4.11: at least 3 to 1."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    assert 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05) >= 3


def test_two_processes_draw_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "import sys; from reporter.render.figures import draw; from reporter.render.plots import *\n"
        "axis = Axis('x', 'percent', 0.0, 1.0); c = Curve('a', (0.0, 1.0), (0.0, 1.0), (0.0, 0.9), (0.1, 1.0))\n"
        "sys.stdout.write(draw(CalibrationPlot(axis, axis, (c,), 'ideal'), 'f', 'T.'))\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "HOME": str(tmp_path)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert runs[0].startswith(b"<svg")


@pytest.mark.parametrize("text", ["", "a", "a b", "Some college, no degree", "x" * 300, "中" * 80, "a  b"])
@pytest.mark.parametrize("lines", [1, 2, 3])
def test_fitted_text_keeps_to_its_width_and_loses_nothing_unless_it_says_so(text: str, lines: int) -> None:
    fitted = fit(text, 60, 8, lines=lines)
    assert 1 <= len(fitted) <= lines
    assert all(width(line, 8) <= 60 for line in fitted)
    whole = "".join(fitted).replace(" ", "")
    assert whole == text.replace(" ", "") or fitted[-1].endswith("…")


def test_ticks_are_written_by_their_kind() -> None:
    assert tick_text(Axis("n", "count"), 1500, 500) == "1,500"
    assert tick_text(Axis("rate", "percent"), 1e-18, 0.1) == "0\xa0%"
    assert tick_text(Axis("gap", "points"), 0.05, 0.05) == "+5"
