"""A whole report as a run would make it, built from literal counts: a clinic with a harmed group, undefined cells, a tree,
agreement, a noise study, a baseline and an accepted finding. Intervals follow the sources that the method names, in a few lines."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from reporter.results import (
    Accepted,
    Agreement,
    AgreementGap,
    AgreementResult,
    AgreementSection,
    CalibrationBin,
    Card,
    Cells,
    Comparison,
    Curves,
    DataSummary,
    Decomposition,
    DensityBin,
    Estimate,
    GateFailure,
    Grouping,
    GroupResult,
    Icc,
    Level,
    ModelPair,
    ModelResult,
    NoisePoint,
    NoiseResult,
    Provenance,
    RateChange,
    Releases,
    Report,
    RocPoint,
    TreeResult,
    Verdict,
    VerdictChange,
)
from reporter.tree import Condition, Node, NodeTest, Rate, Split, Tree

Z = 1.959964

VOCABULARY = {
    "positive_prediction": "referred",
    "positive_label": "ill",
    "negative_label": "healthy",
    "unit": "patient",
    "units": "patients",
    "referral_rate": "referral rate",
}

SECTIONS = {
    "summary": "Suggests which patients of the walk-in clinic are referred to a specialist on the same day.",
    "intended_use": "Supports the decision of the physician. **The physician decides.**",
    "users": "Physicians and triage nurses of the walk-in clinic.",
    "how_to_use": "Read the score after your own examination:\n\n- **0.35 or more**: the model suggests a referral.\n- **below 0.35**: it suggests none.",
    "out_of_scope": "Patients under 18, pregnant patients, and patients who arrive by ambulance.",
    "warnings": "A low score does not rule out illness. <script>alert(1)</script>",
    "model": "Logistic regression on pain, pulse and temperature.",
    "evaluation_data": "All visits of 2026 to the five sites.",
    "considerations": "A patient who is ill and not referred waits, on average, nine days longer.",
    "mitigations": "Ethnicity is not an input.",
    "change_log": "2.4 adds the pulse to the inputs of 2.3.",
}


def rate(numerator: int, denominator: int, reason: str = "no row labelled 1") -> Estimate:
    """A share with its Wilson interval."""
    if denominator == 0:
        return Estimate(None, n=0, numerator=0, denominator=0, method="wilson", reason=reason)
    p, n = numerator / denominator, denominator
    centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return Estimate(p, max(0.0, centre - half), min(1.0, centre + half), n, numerator, denominator, "wilson")


def difference(ours: Estimate, theirs: Estimate) -> Estimate:
    """Ours minus theirs with Newcombe's interval."""
    if ours.value is None or theirs.value is None:
        return Estimate(None, n=ours.n + theirs.n, method="newcombe", reason=ours.reason or theirs.reason)
    gap = ours.value - theirs.value
    down = math.hypot(ours.value - (ours.low or 0.0), (theirs.high or 0.0) - theirs.value)
    up = math.hypot((ours.high or 0.0) - ours.value, theirs.value - (theirs.low or 0.0))
    return Estimate(gap, gap - down, gap + up, ours.n + theirs.n, method="newcombe")


def metrics(cells: Cells) -> dict[str, Estimate]:
    """The measures of a group; the AUC is made up, with a fixed width."""
    tp, fp, tn, fn = cells.tp, cells.fp, cells.tn, cells.fn
    n = tp + fp + tn + fn
    both = bool(tp + fn) and bool(tn + fp)
    auc = Estimate(0.5 + 0.45 * tp / (tp + fn), n=n, method="delong") if both else None
    return {
        "accuracy": rate(tp + tn, n, "no row"),
        "referral_rate": rate(tp + fp, n, "no row"),
        "base_rate": rate(tp + fn, n, "no row"),
        "fpr": rate(fp, fp + tn, "no row labelled 0"),
        "fnr": rate(fn, tp + fn, "no row labelled 1"),
        "ppv": rate(tp, tp + fp, "nobody was referred"),
        "auc": replace(auc, low=max(0.0, (auc.value or 0) - 0.03), high=min(1.0, (auc.value or 0) + 0.03))
        if auc
        else Estimate(None, n=n, method="delong", reason="one class is missing"),
    }


AGE = {
    "<= 40": ((130, 150, 1390, 30), (120, 160, 1380, 40)),
    "(40, 65]": ((300, 210, 1190, 66), (280, 190, 1210, 86)),
    "(65, 75]": ((160, 80, 330, 40), (150, 70, 340, 50)),
    "> 75": ((146, 60, 240, 66), (158, 62, 238, 54)),
}
SEX = {"Female": ((370, 250, 1600, 110), (360, 240, 1610, 120)), "Male": ((366, 250, 1550, 92), (348, 242, 1558, 110))}
SITE = {
    "Central": ((350, 240, 1500, 90), (330, 230, 1510, 110)),
    "North": ((260, 180, 1100, 70), (250, 180, 1100, 80)),
    "Harbour": ((126, 70, 550, 42), (128, 65, 555, 40)),
    "(other)": ((0, 8, 12, 0), (0, 7, 13, 0)),
    "(missing)": ((0, 2, 10, 0), (0, 0, 12, 0)),
}
CROSSED = {
    "Female, <= 65": ((210, 180, 1290, 50), (200, 175, 1295, 60)),
    "Female, > 65": ((160, 70, 310, 60), (160, 65, 315, 60)),
    "Male, <= 65": ((220, 180, 1290, 46), (200, 175, 1295, 66)),
    "Male, > 65": ((146, 70, 260, 46), (148, 67, 263, 44)),
}
MODELS = ("2.4", "2.3")


def grouping(name: str, columns: tuple[str, ...], table: dict[str, Any], **changes: Any) -> Grouping:
    """A grouping from counts: group -> ((tp, fp, tn, fn) of each model)."""
    levels = []
    for group, counts in table.items():
        parts = tuple(group.split(", ")) if len(columns) > 1 else (group,)
        missing = group == "(missing)"
        values = (None,) if missing else parts
        pooled = ("Airport", "Island") if group == "(other)" else ()
        levels.append(Level(group, sum(counts[0]), values, missing=missing, pooled=pooled))
    results = tuple(
        GroupResult(model, group, cells := Cells(*counts[place]), metrics(cells))
        for place, model in enumerate(MODELS)
        for group, counts in table.items()
    )
    return Grouping(name, columns, tuple(levels), results, **changes)


def rest(table: dict[str, Any], group: str, place: int) -> Cells:
    """Everyone else's counts."""
    others = [counts[place] for name, counts in table.items() if name != group]
    return Cells(*(sum(column) for column in zip(*others, strict=True)))


def comparison(
    metric: str, name: str, table: dict[str, Any], group: str, place: int, limit: float = 0.05, **changes: Any
) -> Comparison:
    """A group against the rest, with a verdict by the interval alone (enough for a picture)."""
    ours = metrics(Cells(*table[group][place]))[metric]
    theirs = metrics(rest(table, group, place))[metric]
    gap = difference(ours, theirs)
    small = sum(table[group][place]) < 30
    if gap.value is None or small:
        verdict, reason = "insufficient evidence", "fewer than 30 rows" if small else gap.reason
    elif abs(gap.value) > limit and ((gap.low or 0) > 0 or (gap.high or 0) < 0):
        verdict, reason = "diverges", None
    elif (gap.low or 0) > -limit and (gap.high or 0) < limit:
        verdict, reason = "within limit", None
    else:
        verdict, reason = "insufficient evidence", "the interval is too wide to tell"
    values: dict[str, Any] = {
        "finding": f"{metric}/{name}/{group}/{MODELS[place]}",
        "rule": 0 if metric == "fnr" else 1,
        "model": MODELS[place],
        "grouping": name,
        "group": group,
        "metric": metric,
        "reference": "rest",
        "reference_group": None,
        "comparison": "difference",
        "limit": limit,
        "side": "both",
        "severity": "fail" if metric == "fnr" else "warn",
        "decide_by": "interval",
        "group_estimate": ours,
        "reference_estimate": theirs,
        "gap": gap,
        "p": 0.0004 if verdict == "diverges" else 0.31,
        "p_adjusted": 0.0012 if verdict == "diverges" else 0.62,
        "verdict": verdict,
        "clear": verdict == "diverges" and (gap.low or 0) > limit,
        "reason": reason,
        "rows_needed": 640 if reason and "wide" in reason else None,
    }
    return Comparison(**{**values, **changes})


def curves(model: str, group: str, slope: float) -> Curves:
    """Smooth curves of one group."""
    steps = [k / 20 for k in range(21)]
    roc = tuple(RocPoint(1 - t, t, t**slope) for t in steps)
    bins = tuple(
        CalibrationBin(
            k / 10,
            (k + 1) / 10,
            60 - 5 * k,
            k / 10 + 0.05,
            rate(round((60 - 5 * k) * (k / 10 + 0.05) ** slope), 60 - 5 * k),
        )
        for k in range(9)
    )
    density = tuple(DensityBin(k / 20, (k + 1) / 20, 5 + (20 - k) * (3 if slope < 0.4 else 2)) for k in range(20))
    return Curves(model, group, 500, roc, bins, density)


def tree() -> Tree:
    """A tree of three leaves, one with the sign reversed."""
    base = {"a1": Rate(0.19, 1200), "a2": Rate(0.22, 800)}

    def rates(*values: float) -> dict[str, Rate]:
        names = ("m1_a1", "m1_a2", "m2_a1", "m2_a2")
        return {name: Rate(value, 400) for name, value in zip(names, values, strict=True)}

    found = {
        "sex": NodeTest(11.2, 1.0, 0.0008, math.log(0.0008), 0.0016),
        "site": NodeTest(None, None, None, None, None, "fewer than two usable levels", ("Island",)),
    }
    young = Node(
        4,
        700,
        0.123,
        0.061,
        0.184,
        rates(0.249, 0.329, 0.181, 0.384),
        base,
        path="sex = Male & age <= 45",
        conditions=(Condition("sex", ("Male",)), Condition("age", upto=45.0)),
        reason="p above alpha",
    )
    old = Node(
        5,
        300,
        0.02,
        -0.05,
        0.09,
        rates(0.2, 0.25, 0.2, 0.27),
        base,
        path="sex = Male & age > 45",
        conditions=(Condition("sex", ("Male",)), Condition("age", above=45.0)),
        reason="min_size",
    )
    women = Node(
        2,
        600,
        -0.049,
        -0.09,
        -0.01,
        rates(0.143, 0.223, 0.269, 0.3),
        base,
        path="sex = Female",
        conditions=(Condition("sex", ("Female",)),),
        reason="p above alpha",
    )
    men = Node(
        3,
        1000,
        0.09,
        0.04,
        0.14,
        rates(0.23, 0.3, 0.19, 0.35),
        base,
        tests={"age": NodeTest(9.1, None, 0.004, math.log(0.004), 0.004)},
        split=Split("age", threshold=45.0),
        children=(young, old),
        path="sex = Male",
        conditions=(Condition("sex", ("Male",)),),
    )
    root = Node(
        1,
        1600,
        0.04,
        0.01,
        0.07,
        rates(0.2, 0.27, 0.22, 0.33),
        base,
        tests=found,
        split=Split("sex", levels_left=("Female",), levels_right=("Male",)),
        children=(women, men),
        path="all rows",
    )
    return Tree(root)


def agreement(a: int, b: int, c: int, d: int, kappa: float | None, reason: str | None = None) -> Agreement:
    """An agreement from counts; its kappa is given."""
    n = a + b + c + d
    po = (a + d) / n
    spread = None if kappa is None else 0.05
    return Agreement(
        n,
        a,
        b,
        c,
        d,
        po,
        0.5,
        kappa,
        None if kappa is None else kappa - 0.05,
        None if spread is None or kappa is None else kappa + spread,
        2 * po - 1,
        2 * po - 1 - 0.04,
        2 * po - 1 + 0.04,
        0.7,
        (b - c) / n,
        (a - d) / n,
        kappa,
        kappa,
        reason,
    )


def noise() -> NoiseResult:
    """A study of two groups over four levels."""
    points = tuple(
        NoisePoint(
            group, level, statistic, 1 - fall * level * (1.4 if group == "Male" else 1.0), 0.002 if level else 0.0, 20
        )
        for group in ("Female", "Male")
        for level in (0.0, 0.1, 0.2, 0.3)
        for statistic, fall in (
            ("kappa", 1.6),
            ("pabak", 1.2),
            ("icc_a1", 1.0),
            ("prevalence_adjusted_kappa", 1.3),
            ("bias_adjusted_kappa", 1.5),
            ("mean_score", 0.9),
            ("referral_rate", 0.8),
        )
    )
    return NoiseResult(
        model="2.4",
        predictor="onnx: models/referral.onnx",
        grouping="sex",
        groups=("Female", "Male"),
        group_sizes=(2330, 2258),
        inputs=("age", "pain"),
        perturb={"age": {"sd": 5, "round": True, "min": 18}, "pain": "flip"},
        variant="all",
        repeats=20,
        seed=7,
        n=4588,
        sampled_from=4588,
        points=points,
        sentences=("PABAK is lower for Male at every noise level.",),
    )


def releases() -> Releases:
    """2.4 against 2.3, paired."""
    old, new = rate(54, 212), rate(66, 212)
    changes = [RateChange("age", "> 75", "fnr", old, new, Estimate(12 / 212, 0.01, 0.10, 212, method="paired"), 0.02)]
    for group, counts in AGE.items():
        if group != "> 75":
            a, b = metrics(Cells(*counts[1]))["fnr"], metrics(Cells(*counts[0]))["fnr"]
            changes.append(RateChange("age", group, "fnr", a, b, difference(b, a), 0.2))
    return Releases(
        old="2.3",
        new="2.4",
        baseline="report-2.3.json",
        paired=True,
        why_paired="both releases scored the same patients",
        rates=tuple(changes),
        verdicts=(
            VerdictChange(
                "fnr/age/> 75/2.4",
                "insufficient evidence",
                "diverges",
                "newly diverges",
                Estimate(0.06, 0.01, 0.11, 424, method="mover"),
            ),
        ),
        not_compared=("site Island",),
    )


def report(**changes: Any) -> Report:
    """The whole report; ``changes`` replaces its fields."""
    tables = {"age": AGE, "sex": SEX, "site": SITE, "sex x age": CROSSED}
    slopes = {"<= 40": 0.25, "(40, 65]": 0.28, "(65, 75]": 0.35, "> 75": 0.5, "Female": 0.3, "Male": 0.32}
    groupings = []
    for name, table in tables.items():
        columns = tuple(name.split(" x "))
        parts = tuple(
            Decomposition(
                model,
                group,
                "rest",
                0.112 - 0.05 * place,
                0.09 - 0.04 * place,
                0.03,
                -0.008 - 0.01 * place,
                sum(counts[0]),
            )
            if group not in ("(other)", "(missing)")
            else Decomposition(model, group, "rest", None, None, None, None, sum(counts[0]), "the group has one class")
            for model in MODELS
            for place, (group, counts) in enumerate(table.items())
        )
        shown = tuple(curves("2.4", group, slopes[group]) for group in table if group in slopes)
        notes = ("Groups under 30 patients are pooled as (other): Airport, Island.",) if name == "site" else ()
        groupings.append(grouping(name, columns, table, decompositions=parts, curves=shown, notes=notes))
    comparisons = tuple(
        comparison(metric, name, table, group, place)
        for place in (0, 1)
        for name, table in tables.items()
        for metric in ("fnr", "fpr")
        for group in table
    )
    flagged = [found for found in comparisons if found.verdict == "diverges"]
    overall = {place: Cells(*(sum(counts[place][k] for counts in AGE.values()) for k in range(4))) for place in (0, 1)}
    n = overall[0].n
    models = (
        ModelResult("2.4", "score", "risk_24", 0.35, ">=", overall[0], metrics(overall[0])),
        ModelResult("2.3", "prediction", "referred_23", None, None, overall[1], metrics(overall[1])),
    )
    accepted = (
        Accepted(
            "fnr/sex x age/Female, > 65/2.4",
            "Re-training is scheduled.",
            "Clinical safety board",
            "2027-03-31",
            "in force",
        ),
    )
    comparisons = tuple(replace(c, accepted=True) if c.finding == accepted[0].finding else c for c in comparisons)
    failures = tuple(
        GateFailure("diverges", c.finding, f"{c.finding} diverges.")
        for c in comparisons
        if c.verdict == "diverges" and c.severity == "fail" and not c.accepted
    )
    values: dict[str, Any] = {
        "provenance": Provenance(
            created="2026-11-30T10:00:00+00:00",
            reporter_version="0.1.0",
            python="3.11.2",
            packages={"numpy": "2.3.1", "pandas": "2.3.0"},
            command="reporter run clinic.yaml",
            config_name="clinic.yaml",
            config_sha256="ab" * 32,
            config={},
            config_text="schema: 1\n",
            seed=20261130,
            inputs=({"path": "data/clinic.csv", "sha256": "cd" * 32},),
        ),
        "card": Card(
            "Referral model",
            "2.4",
            "en",
            VOCABULARY,
            SECTIONS,
            "Department of Internal Medicine",
            "models@example.org",
            ("training_data", "monitoring"),
        ),
        "data": DataSummary(
            "data/clinic.csv", n, 412, "visit_year = 2026", "ill", None, n, overall[0].tp + overall[0].fn, "cd" * 32
        ),
        "models": models,
        "model_pairs": (
            ModelPair(
                "2.3",
                "2.4",
                n,
                1100,
                112,
                136,
                n - 1348,
                rate(248, n),
                {"fnr": Estimate(-0.03, -0.05, -0.01, 938, method="paired")},
            ),
        ),
        "groupings": tuple(groupings),
        "comparisons": comparisons,
        "verdict": Verdict(
            "fail",
            failures,
            len(flagged),
            sum(c.verdict == "insufficient evidence" for c in comparisons),
            sum(c.verdict == "within limit" for c in comparisons),
            accepted,
        ),
        "confidence": 0.95,
        "settings": {
            "metrics": list(models[0].metrics),
            "alpha": 0.05,
            "adjust": "holm",
            "min_group_size": 30,
            "decide_by": "interval",
            "fail_on": ["diverges"],
            "small_cells": None,
        },
        "agreement_section": AgreementSection(
            results=(
                AgreementResult(
                    "nurse",
                    "physician",
                    None,
                    None,
                    None,
                    agreement(700, 210, 190, 3488, 0.72),
                    (Icc("A1", 0.81, 0.79, 0.83, 9.2, 4587, 4587, 0.0, 4588, 2),),
                ),
                AgreementResult(
                    "nurse",
                    "physician",
                    None,
                    "sex",
                    "Female",
                    agreement(300, 130, 120, 1780, 0.66),
                    (Icc("A1", 0.78, 0.75, 0.8, 8.1, 2329, 2329, 0.0, 2330, 2),),
                ),
                AgreementResult(
                    "nurse",
                    "physician",
                    None,
                    "sex",
                    "Male",
                    agreement(400, 80, 70, 1708, 0.8),
                    (Icc("A1", 0.84, 0.82, 0.86, 9.9, 2257, 2257, 0.0, 2258, 2),),
                ),
                AgreementResult(
                    "nurse",
                    "physician",
                    None,
                    "site",
                    "(missing)",
                    agreement(0, 0, 0, 12, None, "both raters always give the same answer"),
                ),
            ),
            gaps=(
                AgreementGap(
                    "sex",
                    "Female",
                    "kappa",
                    "rest",
                    Estimate(-0.14, -0.2, -0.08, 4588),
                    0.0001,
                    0.0002,
                    "diverges",
                    None,
                    "nurse",
                    "physician",
                    None,
                    0.1,
                    0.66,
                    0.8,
                ),
            ),
            sentences=("Kappa is lower for Female because fewer of them are referred.",),
        ),
        "tree_results": (
            TreeResult(
                "False alarms by sex",
                ("2.3", "2.4"),
                "ethnicity",
                ("White", "Black"),
                "fpr",
                "wald",
                "delta",
                0.05,
                "bonferroni",
                50,
                6,
                0.01,
                False,
                ("sex", "age", "site"),
                tree(),
            ),
        ),
        "noise_results": (noise(),),
        "releases": releases(),
    }
    return Report(**{**values, **changes})


def many_groups(count: int, name: str = "group") -> Report:
    """A report with one grouping of so many groups and nothing else per group."""
    table = {
        f"{name} {place:04d}": ((20 + place % 7, 12, 100 + place % 11, 4 + place % 5),) * 2 for place in range(count)
    }
    table[f"{name} 0000"] = ((40, 12, 100, 60),) * 2
    overall = Cells(*(sum(counts[0][k] for counts in table.values()) for k in range(4)))
    estimate = metrics(overall)["fnr"]
    found = []
    for group in table:
        ours = metrics(Cells(*table[group][0]))["fnr"]
        gap = difference(ours, estimate)
        diverges = group == f"{name} 0000"
        found.append(
            replace(
                comparison("fnr", "sex", SEX, "Female", 0),
                finding=f"fnr/unit/{group}/2.4",
                grouping="unit",
                group=group,
                group_estimate=ours,
                reference_estimate=estimate,
                gap=gap,
                verdict="diverges" if diverges else "insufficient evidence",
                reason=None if diverges else "the interval is too wide to tell",
            )
        )
    sample = report()
    return report(
        groupings=(grouping("unit", ("unit",), table),),
        comparisons=tuple(found),
        agreement_section=None,
        tree_results=(),
        noise_results=(),
        releases=None,
        model_pairs=(),
        verdict=Verdict("fail", (), 1, count - 1, 0),
        data=replace(sample.data, n=overall.n),
    )
