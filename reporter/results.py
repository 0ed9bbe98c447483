"""The nouns of a report: frozen dataclasses, views of counts, with no rows of people and no arithmetic beyond sums.

They know nothing of config, files, engines, clocks or rendering. ``render/as_json.py`` turns a Report into canonical JSON
and back by these declarations alone. Undefined numbers are None and travel with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from reporter.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1

MISSING = "(missing)"
"""The name of the group of rows without a value."""
REST = "(rest)"
"""In a Δ tree the name of all levels of the attribute but the one they are compared with."""

VerdictName = Literal["diverges", "within limit", "insufficient evidence"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with all that it rests on.

    ``value`` and the interval ``[low, high]`` are in the metric's own unit (rates: proportions in [0, 1]). ``n`` is the
    number of rows the number rests on (for a rate: its denominator). ``numerator`` and ``denominator`` are given where
    the number is a ratio of counts. ``method`` names the interval's method. ``reason`` says why ``value``
    (or, with a value, the interval) is undefined.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    numerator: float | None = None
    denominator: float | None = None
    method: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Cells:
    """How many rows of one group and one model fall in each cell; all of them add up to the group's size."""

    tp: int
    fp: int
    tn: int
    fn: int
    unlabelled_positive: int = 0
    unlabelled_negative: int = 0
    labelled_without_prediction: int = 0
    unlabelled_without_prediction: int = 0

    @property
    def n_labelled(self) -> int:
        """Rows with a label and a prediction."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def n_predicted(self) -> int:
        """Rows with a prediction, labelled or not."""
        return self.n_labelled + self.unlabelled_positive + self.unlabelled_negative

    @property
    def n(self) -> int:
        """All rows."""
        return self.n_predicted + self.labelled_without_prediction + self.unlabelled_without_prediction


@dataclass(frozen=True, slots=True)
class Level:
    """One group of a grouping. ``values`` are its columns' values (None: missing); ``pooled`` names what "(other)" holds."""

    name: str
    n: int
    values: tuple[str | None, ...]
    missing: bool = False
    pooled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupResult:
    """All metrics of one model in one group."""

    model: str
    group: str
    cells: Cells
    metrics: dict[str, Estimate]


@dataclass(frozen=True, slots=True)
class RocPoint:
    """The ROC curve's point when ``score >= threshold`` predicts 1 (threshold None: nobody is predicted 1)."""

    threshold: float | None
    fpr: float
    tpr: float


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Rows whose score lies in ``[low, high)`` (the last bin includes its end)."""

    low: float
    high: float
    n: int
    mean_score: float
    observed: Estimate


@dataclass(frozen=True, slots=True)
class DensityBin:
    """How many rows have a score in ``[low, high)`` (the last bin includes its end)."""

    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Curves:
    """What the scores of one model look like in one group (group None: all rows). Empty tuples come with a reason."""

    model: str
    group: str | None
    n: int
    roc: tuple[RocPoint, ...] = ()
    calibration: tuple[CalibrationBin, ...] = ()
    density: tuple[DensityBin, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Why a group's referral rate differs from the reference's: the gap is the sum of three parts."""

    model: str
    group: str
    reference: str
    gap: float | None
    prevalence: float | None
    hit_rate: float | None
    false_alarms: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to divide the rows: a column, an intersection, a binned number. Level sizes add up to n."""

    name: str
    columns: tuple[str, ...]
    levels: tuple[Level, ...]
    results: tuple[GroupResult, ...] = ()
    curves: tuple[Curves, ...] = ()
    decompositions: tuple[Decomposition, ...] = ()
    notes: tuple[str, ...] = ()

    def result(self, model: str, group: str) -> GroupResult:
        """The result of one model in one group."""
        for result in self.results:
            if result.model == model and result.group == group:
                return result
        raise KeyError((model, group))


@dataclass(frozen=True, slots=True)
class ModelResult:
    """One model over all rows. ``kind`` is "score" (with threshold and rule) or "prediction"."""

    name: str
    kind: Literal["score", "prediction"]
    column: str
    threshold: float | None
    rule: Literal[">=", ">"] | None
    cells: Cells
    metrics: dict[str, Estimate]
    curves: Curves | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models on the same rows. Differences are second minus first, with paired intervals."""

    first: str
    second: str
    n: int
    both: int
    first_only: int
    second_only: int
    neither: int
    disagreement: Estimate
    differences: dict[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One group held against a reference by one rule: the finding, its evidence and its verdict.

    ``gap`` is group minus reference (comparison "difference") or group over reference ("ratio"). ``finding`` is stable over
    runs: ``metric/grouping/group/model`` (and ``/rule`` for a named rule). ``rows_needed`` is roughly how many more rows of the
    group would settle an "insufficient evidence". ``clear``: the whole interval lies beyond the limit.
    """

    finding: str
    rule: int
    model: str
    grouping: str
    group: str
    metric: str
    reference: str
    reference_group: str | None
    comparison: Literal["difference", "ratio"]
    limit: float
    side: Literal["both", "low", "high"]
    severity: Literal["fail", "warn"]
    decide_by: Literal["interval", "point"]
    group_estimate: Estimate
    reference_estimate: Estimate
    gap: Estimate
    p: float | None
    p_adjusted: float | None
    verdict: VerdictName
    clear: bool = False
    reason: str | None = None
    rows_needed: int | None = None
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two binary raters, first r and second s: a = both 1, b = (r 0, s 1), c = (r 1, s 0), d = both 0."""

    n: int
    a: int
    b: int
    c: int
    d: int
    observed: float | None
    expected: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    pabak: float | None
    pabak_low: float | None
    pabak_high: float | None
    ac1: float | None
    bias_index: float | None
    prevalence_index: float | None
    prevalence_adjusted_kappa: float | None
    bias_adjusted_kappa: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Icc:
    """An intraclass correlation coefficient with its F test of zero and its interval."""

    form: str
    value: float | None
    low: float | None
    high: float | None
    F: float | None
    df1: float | None
    df2: float | None
    p: float | None
    n: int
    k: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AgreementGap:
    """A group's agreement statistic minus that of the rest, with the three verdicts of any other gap."""

    grouping: str
    group: str
    statistic: str
    reference: str
    gap: Estimate
    p: float | None
    p_adjusted: float | None
    verdict: VerdictName
    reason: str | None = None
    first: str = ""
    second: str = ""
    item: str | None = None
    limit: float | None = None
    group_value: float | None = None
    reference_value: float | None = None


@dataclass(frozen=True, slots=True)
class AgreementResult:
    """Two raters in one group (grouping and group None: all rows). ``item`` is the rated item, None for the prediction itself.

    ``reason`` says why ``agreement`` is None although it was asked for.
    """

    first: str
    second: str
    item: str | None
    grouping: str | None
    group: str | None
    agreement: Agreement | None
    iccs: tuple[Icc, ...] = ()
    weighted_kappa: Estimate | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MultiRater:
    """Fleiss' kappa and Krippendorff's alpha of three or more raters in one group; None where not asked for, undefined for fewer raters."""

    raters: tuple[str, ...]
    item: str | None
    grouping: str | None
    group: str | None
    fleiss_kappa: Estimate | None
    krippendorff_alpha: Estimate | None


@dataclass(frozen=True, slots=True)
class AgreementSection:
    """Everything about agreement: pairs per group, the gaps between groups, many raters. ``statistics`` were asked for (empty: all)."""

    results: tuple[AgreementResult, ...] = ()
    gaps: tuple[AgreementGap, ...] = ()
    multi: tuple[MultiRater, ...] = ()
    sentences: tuple[str, ...] = ()
    statistics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeResult:
    """One Δ tree with the question it answers. ``models`` has two names, or one for the tree of a single model's disparity.

    ``contrast``: the ``difference`` of a rate between two levels, or its ``spread`` (variance) over all of them.
    """

    name: str
    models: tuple[str, ...]
    attribute: str
    levels: tuple[str, ...]
    rate: str
    test: str
    parameters: str
    alpha: float
    adjust: str
    min_size: int
    max_depth: int | None
    min_difference: float
    honest: bool
    split_on: tuple[str, ...]
    tree: Tree
    unpruned: Tree | None = None
    notes: tuple[str, ...] = ()
    contrast: str = "difference"


@dataclass(frozen=True, slots=True)
class NoisePoint:
    """A statistic of one group at one noise level: its mean over the ``repeats`` in which it is defined, and the Monte-Carlo standard error."""

    group: str
    noise: float
    statistic: str
    mean: float | None
    mc_error: float | None
    repeats: int


@dataclass(frozen=True, slots=True)
class NoiseFinding:
    """Which of two groups one statistic puts at a disadvantage, over the noise levels above 0.

    ``lower`` and ``higher`` are the two groups whose means over the levels lie furthest apart. Of ``levels`` noise levels (those where
    both are defined in every repeat) ``lower`` is below at ``levels_lower``, the proportion ``share``. ``mean_gap`` is higher minus lower,
    ``mean_gap_error`` an upper bound of its Monte-Carlo error; ``largest_gap`` is the largest such difference, at noise level ``largest_at``.
    ``sampling_error``: the standard error of ``mean_gap`` from who belongs to the groups (a jackknife over blocks of rows);
    ``p_adjusted``: of no gap by that error, adjusted for the pairs of groups and the statistics that were compared. Both are None where they
    cannot be told. ``systematic``: below at nine levels of ten or more, by more than twice the Monte-Carlo error, and
    ``p_adjusted`` at most 0.05.
    """

    statistic: str
    lower: str
    higher: str
    levels: int
    levels_lower: int
    share: float
    mean_gap: float
    mean_gap_error: float | None
    largest_gap: float
    largest_at: float
    systematic: bool
    sampling_error: float | None = None
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class NoiseGroup:
    """Why PABAK and kappa differ in one group (means over the noise levels above 0 where both are defined in every repeat), and what its scores do.

    ``correction`` = PABAK - kappa = ``prevalence_part`` + ``bias_part``. ``mean_score`` and ``referral_rate`` at the lowest and the
    highest noise level.
    """

    group: str
    correction: float | None
    prevalence_part: float | None
    bias_part: float | None
    mean_score_first: float | None
    mean_score_last: float | None
    referral_rate_first: float | None
    referral_rate_last: float | None


@dataclass(frozen=True, slots=True)
class NoiseFindings:
    """What the curves of a noise study say, as facts for sentences.

    ``contradictions``: pairs of statistics whose systematic gaps point in opposite directions. ``main_part``: the part of PABAK -
    kappa that differs more between the groups, ``most_corrected`` the group with the larger such part.
    """

    statistics: tuple[NoiseFinding, ...] = ()
    groups: tuple[NoiseGroup, ...] = ()
    contradictions: tuple[tuple[str, str], ...] = ()
    main_part: Literal["prevalence", "bias"] | None = None
    most_corrected: str | None = None


@dataclass(frozen=True, slots=True)
class NoiseResult:
    """The noise study of one model. ``replayable`` is always False: its points rest on predictions, not on counts."""

    model: str
    predictor: str
    grouping: str
    groups: tuple[str, ...]
    group_sizes: tuple[int, ...]
    inputs: tuple[str, ...]
    perturb: dict[str, Any]
    variant: str
    repeats: int
    seed: int
    n: int
    sampled_from: int
    points: tuple[NoisePoint, ...]
    sentences: tuple[str, ...] = ()
    partial: bool = False
    notes: tuple[str, ...] = ()
    replayable: bool = False
    findings: NoiseFindings | None = None
    one_hot: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RateChange:
    """The change of one rate of one group from the old release to the new one (new minus old)."""

    grouping: str | None
    group: str | None
    metric: str
    old: Estimate
    new: Estimate
    change: Estimate
    p: float | None


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """What became of one finding: "newly diverges", "no longer diverges", "still diverges", "cannot tell", "still within limit"."""

    finding: str
    old: str | None
    new: str | None
    change: str
    gap_change: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Releases:
    """This release against a baseline."""

    old: str
    new: str
    baseline: str
    paired: bool
    why_paired: str
    rates: tuple[RateChange, ...] = ()
    verdicts: tuple[VerdictChange, ...] = ()
    not_compared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A finding that somebody answers for until a date."""

    finding: str
    reason: str
    approver: str
    until: str
    state: Literal["in force", "expired", "unknown finding", "not needed"]


@dataclass(frozen=True, slots=True)
class GateFailure:
    """One reason why the gate fails: the ``fail_on`` entry and what met it."""

    gate: str
    finding: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the run decided, once. Card, exit code, JUnit and annotations only show it."""

    outcome: Literal["pass", "fail"]
    failures: tuple[GateFailure, ...] = ()
    n_flagged: int = 0
    n_insufficient: int = 0
    n_within: int = 0
    accepted: tuple[Accepted, ...] = ()


@dataclass(frozen=True, slots=True)
class DataSummary:
    """What was evaluated. ``n`` rows were counted after ``n_filtered_out`` rows were left out by ``where``."""

    source: str
    n: int
    n_filtered_out: int | None
    where: str | None
    label: str | None
    positive: str | None
    n_labelled: int
    n_positive: int
    sha256: str | None = None
    notes: tuple[str, ...] = ()
    key_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """What the author wrote, as plain values; prose is Markdown. ``missing`` names the sections nobody wrote."""

    name: str
    version: str
    language: str
    vocabulary: dict[str, str]
    sections: dict[str, str]
    owner: str = ""
    contact: str = ""
    missing: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the run was: clock, versions, seed, config and hashes, passed in so that equal inputs give equal bytes."""

    created: str
    reporter_version: str
    python: str
    packages: dict[str, str]
    command: str
    config_name: str
    config_sha256: str
    config: dict[str, Any]
    config_text: str
    seed: int
    inputs: tuple[dict[str, Any], ...] = ()
    git: dict[str, Any] | None = None
    fonts: dict[str, str] = field(default_factory=dict)
    rule_lines: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Profile:
    """How one standard's attributes are met: attribute -> where it is answered; ``missing`` lists those that are not."""

    name: str
    title: str
    attributes: tuple[dict[str, Any], ...] = ()
    missing: tuple[str, ...] = ()
    tables: tuple[dict[str, Any], ...] = ()
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All results of one run. A function of the counts, the config and the provenance."""

    provenance: Provenance
    card: Card
    data: DataSummary
    models: tuple[ModelResult, ...]
    model_pairs: tuple[ModelPair, ...]
    groupings: tuple[Grouping, ...]
    comparisons: tuple[Comparison, ...]
    verdict: Verdict
    confidence: float
    settings: dict[str, Any] = field(default_factory=dict)
    agreement_section: AgreementSection | None = None
    tree_results: tuple[TreeResult, ...] = ()
    noise_results: tuple[NoiseResult, ...] = ()
    releases: Releases | None = None
    profiles: tuple[Profile, ...] = ()
    notes: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION

    def to_json(self) -> str:
        """The report as canonical JSON (RFC 8785), without NaN or infinity."""
        from reporter.render.as_json import report_to_json

        return report_to_json(self)

    @property
    def groups(self) -> pd.DataFrame:
        """One row per model, grouping, group and metric."""
        from reporter.frames import groups_frame

        return groups_frame(self)

    @property
    def flags(self) -> pd.DataFrame:
        """One row per comparison, with its verdict."""
        from reporter.frames import flags_frame

        return flags_frame(self)

    @property
    def agreement(self) -> pd.DataFrame:
        """One row per pair of raters and group."""
        from reporter.frames import agreement_frame

        return agreement_frame(self)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The Δ trees, in the order of the config."""
        return tuple(result.tree for result in self.tree_results)

    @property
    def noise(self) -> pd.DataFrame:
        """One row per noise study, group, noise level and statistic."""
        from reporter.frames import noise_frame

        return noise_frame(self)

    def _repr_html_(self) -> str:
        from reporter.frames import notebook_html

        return notebook_html(self)
