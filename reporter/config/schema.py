"""Every key of a config, in one place, with its meaning, default and limits.

These classes know nothing of files, lines or data. ``loader.py`` makes them from YAML text and turns what they refuse into
problems with file, line and column; ``configs/README.md`` and ``configs/reporter.schema.json`` are generated from them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    Tag,
    model_validator,
)

from reporter.config.values import Date, Name, Number, Scalar, Text, Truth, Whole, as_written, by_shape, plain_number

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Proportion = Annotated[Number, Field(ge=0, le=1)]
Alpha = Annotated[Number, Field(gt=0, lt=1)]
Pair = Annotated[tuple[Name, ...], Field(min_length=2, max_length=2)]

CARD_SECTIONS = (
    "summary",
    "intended_use",
    "users",
    "how_to_use",
    "out_of_scope",
    "warnings",
    "model",
    "training_data",
    "evaluation_data",
    "considerations",
    "mitigations",
    "monitoring",
    "change_log",
)

Format = Literal[
    "html",
    "pdf",
    "json",
    "markdown",
    "csv",
    "junit",
    "github",
    "gitlab",
    "sarif",
    "cyclonedx",
    "model_index",
    "chai_xml",
]
FORMATS: tuple[Format, ...] = ("html", "pdf", "json", "markdown", "csv", "junit")
OPTIONAL_FORMATS: tuple[Format, ...] = ("github", "gitlab", "sarif", "cyclonedx", "model_index", "chai_xml")
Profile = Literal["chai", "hti1", "tripod_ai", "eu_annex_iv", "nyc_ll144", "four_fifths"]
Gate = Literal["diverges", "insufficient_evidence", "worse_than_baseline", "unsigned_baseline"]


class Section(BaseModel):
    """A mapping of the config: unknown keys are refused, values do not change after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    def _exactly_one(self, *keys: str) -> None:
        """ValueError unless exactly one of these keys is given."""
        given = [key for key in keys if getattr(self, key) is not None]
        if len(given) == 1:
            return
        if given:
            found = f"both {' and '.join(given)}" if len(given) == 2 else ", ".join(given)
        else:
            found = f"neither {' nor '.join(keys)}" if len(keys) == 2 else f"none of {', '.join(keys)}"
        raise ValueError(f"found {found}, expected exactly one of them")


class Vocabulary(Section):
    """The words that every sentence, table and plot uses."""

    positive_prediction: Name = Field(
        "predicted positive", description='What a prediction of 1 means, e.g. "referred".'
    )
    positive_label: Name = Field("positive", description='What a label of 1 means, e.g. "ill".')
    negative_label: Name = Field("negative", description='What a label of 0 means, e.g. "healthy".')
    unit: Name = Field("row", description='What one row is, e.g. "patient".')
    units: Name = Field("rows", description="The plural of `unit`.")
    referral_rate: Name = Field("referral rate", description='The name of the share predicted 1, e.g. "approval rate".')


class CardConfig(Section):
    """What the author says of the model. Prose is Markdown (raw HTML is shown as text); what nobody wrote is listed as missing."""

    name: Name = Field("Model", description="The model's name.")
    version: Name = Field("unversioned", description='The release that this card is for. Quote it: "2.10".')
    summary: Text = Field("", description="One or two sentences: what the model decides.")
    owner: Text = Field("", description="Who answers for the model.")
    contact: Text = Field("", description="Where to write to.")
    intended_use: Text = Field("", description="What the model is for.")
    users: Text = Field("", description="Who uses it.")
    how_to_use: Text = Field("", description="How its output is to be used.")
    out_of_scope: Text = Field("", description="What it must not be used for.")
    warnings: Text = Field("", description="Known risks and limits.")
    model: Text = Field("", description="The kind of model, its inputs and output, and why its threshold was chosen.")
    training_data: Text = Field("", description="What it was trained on.")
    evaluation_data: Text = Field("", description="What this report evaluates it on, and why these data.")
    considerations: Text = Field("", description="Ethical considerations.")
    mitigations: Text = Field("", description="What was done against known harms.")
    monitoring: Text = Field("", description="How it is watched in use, and when it is reviewed.")
    change_log: Text = Field("", description="What changed since the last release.")
    attributes: dict[Name, Text] = Field(
        default_factory=dict,
        description="Answers to attributes of a profile that no other part of the card gives, by the attribute's name: `{FundingSource: ...}`.",
    )
    vocabulary: Vocabulary = Field(default_factory=Vocabulary, description="The words of this field.")
    language: Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")] = Field(
        "en", description="The language of the prose, as a BCP 47 tag; screen readers use it."
    )


class Database(Section):
    """A table or a query of a database."""

    url: Name = Field(
        description="The database's URL, e.g. `postgres://${DB_USER}:${DB_PASSWORD}@host/db`, `sqlite:///file.db`, `duckdb:///file.duckdb`."
    )
    table: Name | None = Field(None, description="A table's name (with its schema where needed: `schema.table`).")
    sql: Name | None = Field(None, description="A SELECT statement.")

    @model_validator(mode="after")
    def _one_of(self) -> Database:
        self._exactly_one("table", "sql")
        return self


class CsvConfig(Section):
    """How a CSV file is read."""

    separator: Annotated[str, StringConstraints(pattern=r"^(auto|[\s\S])$")] = Field(
        "auto", description="The character between fields, or `auto`."
    )
    encoding: Name = Field(
        "utf-8",
        description="The file's encoding, e.g. `utf-8`, `cp1252`, `utf-16`. A byte-order mark is always understood.",
    )


DataSource = Annotated[
    Annotated[Name, Tag("shape:text")] | Annotated[Database, Tag("shape:mapping")],
    by_shape("a file, a glob or a URL, or a mapping with url and table or sql"),
]


class DataConfig(Section):
    """The evaluated rows: one row per case, with its label, predictions and groups."""

    source: DataSource = Field(
        description="A file, a glob, a URL, or a mapping with `url` and `table` or `sql`. Paths are relative to the config file."
    )
    sha256: Sha256 | None = Field(None, description="The file's SHA-256. Checked when given; required for http(s).")
    format: Literal["auto", "csv", "parquet", "jsonl", "arrow"] = Field(
        "auto", description="The file's format; `auto` goes by its name."
    )
    csv: CsvConfig = Field(default_factory=CsvConfig, description="How a CSV file is read.")
    missing: tuple[Text, ...] = Field(("",), description="What counts as missing in text columns.")
    where: Name | None = Field(None, description="A row filter, an SQL expression over the columns.")
    key: Name | None = Field(
        None, description="A column that names each row once; lets two releases be compared row by row."
    )
    label: Name | None = Field(
        None, description="The column with what is true. Without it only referral rates are reported."
    )
    positive: Scalar | None = Field(
        None,
        description="The value of the label (and of predictions in words) that counts as 1. Needed where values are not 0/1 or true/false.",
    )


class ModelConfig(Section):
    """One model (or release): a column of scores with a threshold, or a column of predictions."""

    name: Name = Field(description="The model's name in the report.")
    score: Name | None = Field(None, description="The column with its scores.")
    prediction: Name | None = Field(None, description="The column with its predictions.")
    threshold: Number | None = Field(None, description="Scores from here on predict 1. Default 0.5.")
    rule: Literal[">=", ">"] = Field(
        ">=", description="`>=`: a score equal to the threshold predicts 1. `>`: it does not."
    )
    positive: Scalar | None = Field(
        None, description="The prediction value that counts as 1. Default: `data.positive`."
    )

    @model_validator(mode="after")
    def _one_of(self) -> ModelConfig:
        self._exactly_one("score", "prediction")
        if self.prediction is not None and self.threshold is not None:
            raise ValueError(
                "found threshold beside prediction, expected it beside score: predictions are already decided"
            )
        if self.score is not None and self.positive is not None:
            raise ValueError(
                "found positive beside score, expected it beside prediction: a threshold decides on scores"
            )
        return self

    @property
    def cut(self) -> float:
        """The threshold in force."""
        return 0.5 if self.threshold is None else self.threshold


def _ascending(breaks: list[float]) -> list[float]:
    if sorted(set(breaks)) != breaks:
        raise ValueError("found breaks out of order or repeated, expected them ascending, each once")
    return breaks


Breaks = Annotated[
    Annotated[list[Number], Field(min_length=1), AfterValidator(_ascending), Tag("shape:list")]
    | Annotated[Whole, Field(ge=2, le=1000), Tag("shape:number")],
    by_shape("a list of ascending numbers, or a number of intervals", numbers="number"),
]


class GroupColumn(Section):
    """A group column, by its values or, for numbers, by intervals closed on the right."""

    column: Name = Field(description="A column of the data.")
    breaks: Breaks | None = Field(
        None,
        description="Ascending cut points ([40, 65]: `<= 40`, `(40, 65]`, `> 65`), or a number of intervals of equal width.",
    )
    width: Annotated[Number, Field(gt=0)] | None = Field(None, description="Intervals of this width.")
    quantiles: Annotated[Whole, Field(ge=2, le=100)] | None = Field(
        None, description="This many groups of about equal size."
    )
    at_least: Annotated[Whole, Field(ge=1)] | None = Field(
        None, description='Smaller groups are pooled as "(other)", which is said.'
    )
    labels: dict[Name, Name] = Field(
        default_factory=dict,
        description='Names for coded values: `{0: "no", 1: "yes"}`. The report and the rules use them.',
    )

    @model_validator(mode="after")
    def _at_most_one(self) -> GroupColumn:
        if len(set(self.labels.values())) < len(self.labels):
            raise ValueError("found the same label for two values, expected a different one for each")
        given = [key for key in ("breaks", "width", "quantiles") if getattr(self, key) is not None]
        if len(given) > 1:
            raise ValueError(f"found {' and '.join(given)}, expected at most one of breaks, width, quantiles")
        return self


CrossedColumn = Annotated[
    Annotated[Name, Tag("shape:text")] | Annotated[GroupColumn, Tag("shape:mapping")],
    by_shape("a column's name, or a mapping with column"),
]


def _distinct(columns: tuple[str | GroupColumn, ...]) -> tuple[str | GroupColumn, ...]:
    names = [column if isinstance(column, str) else column.column for column in columns]
    if len(set(names)) < len(names):
        raise ValueError(f"found a column twice in {', '.join(names)}, expected different columns")
    return columns


CrossedColumns = Annotated[tuple[CrossedColumn, ...], Field(min_length=2), AfterValidator(_distinct)]


class Intersection(Section):
    """Several group columns at once; the short form is a list of columns."""

    columns: CrossedColumns = Field(description="The columns to cross.")
    at_least: Annotated[Whole, Field(ge=1)] | None = Field(
        None, description='Smaller combinations are pooled as "(other)", which is said.'
    )


Group = Annotated[
    Annotated[Name, Tag("shape:text")]
    | Annotated[GroupColumn, Tag("shape:mapping")]
    | Annotated[Intersection, Tag("shape:columns")]
    | Annotated[CrossedColumns, Tag("shape:list")],
    by_shape("a column's name, a mapping with column (or columns), or a list of columns"),
]


def grouping_columns(group: Group) -> tuple[str, ...]:
    """The columns of a grouping.

    >>> grouping_columns(("sex", GroupColumn(column="age", breaks=[40, 65])))
    ('sex', 'age')
    """
    if isinstance(group, str):
        return (group,)
    if isinstance(group, GroupColumn):
        return (group.column,)
    crossed = group.columns if isinstance(group, Intersection) else group
    return tuple(item if isinstance(item, str) else item.column for item in crossed)


def grouping_name(group: Group) -> str:
    """The name of a grouping, as the report shows it and as rules select it.

    >>> grouping_name("sex"), grouping_name(("sex", "ethnicity"))
    ('sex', 'sex x ethnicity')
    """
    return " x ".join(grouping_columns(group))


class FlagRule(Section):
    """One rule: which gap of which metric is too much."""

    metric: Name = Field(description="A metric of `reporter metrics`.")
    reference: Name = Field(
        "rest",
        description="`rest` (everyone else), `overall`, `largest`, `best` (chosen from the data), or a group's name.",
    )
    difference: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="The largest difference that is within the limit (rates: 0.05 = 5 points)."
    )
    ratio: Annotated[Number, Field(gt=0, lt=1)] | None = Field(
        None,
        description="The smallest ratio that is within the limit (0.8: outside 0.8 to 1.25 is beyond it).",
    )
    side: Literal["both", "low", "high"] = Field(
        "both", description="`low`: only a group below its reference is flagged; `high`: only one above."
    )
    severity: Literal["fail", "warn"] = Field(
        "fail", description="`warn`: flagged on the card, the gate does not fail."
    )
    groups: tuple[Name, ...] | None = Field(
        None, description="Only these groupings (by name, e.g. `sex` or `sex x ethnicity`). Default: all."
    )
    name: Name | None = Field(None, description="Tells apart several rules for one metric; part of the finding's id.")

    @model_validator(mode="after")
    def _one_of(self) -> FlagRule:
        self._exactly_one("difference", "ratio")
        return self


DEFAULT_RULES: tuple[FlagRule, ...] = (
    FlagRule(metric="fnr", difference=0.05),
    FlagRule(metric="fpr", difference=0.05),
    FlagRule(metric="referral_rate", ratio=0.8, severity="warn"),
)


class FlagsConfig(Section):
    """When a group is flagged."""

    alpha: Annotated[Number, Field(gt=0, lt=0.5)] = Field(
        0.05, description="The error rate of a verdict, after adjustment."
    )
    adjust: Literal["holm", "bh", "none"] = Field(
        "holm", description="How p-values are adjusted over the comparisons of one grouping and model."
    )
    min_group_size: Annotated[Whole, Field(ge=1)] = Field(
        30, description="Smaller groups get no verdict but `insufficient evidence`."
    )
    decide_by: Literal["interval", "point"] = Field(
        "interval",
        description="`point` compares the bare estimate with the limit, as the four-fifths rule does.",
    )
    rules: tuple[FlagRule, ...] = Field(
        DEFAULT_RULES,
        description="The rules. Default: fnr and fpr within 5 points of the rest, referral rate ratio 0.8 as a warning.",
    )

    @model_validator(mode="after")
    def _distinct_names(self) -> FlagsConfig:
        seen: set[tuple[str, str | None]] = set()
        for rule in self.rules:
            if (rule.metric, rule.name) in seen:
                raise ValueError(
                    f"found two rules for {rule.metric} with the same name, expected a different name in each: it is part of a finding's id"
                )
            seen.add((rule.metric, rule.name))
        return self


class AgreementItem(Section):
    """One rated item: which column holds which rater's rating."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Name]

    name: Name = Field(description="The item's name. Every further key is a rater's name with the item's column.")
    positive: Scalar | None = Field(
        None, description="The rating of this item that counts as 1. Default: `agreement.positive`."
    )


class AgreementConfig(Section):
    """Agreement between models or human raters, per group."""

    pairs: Annotated[
        Annotated[Literal["all"], Tag("shape:text")]
        | Annotated[tuple[Pair, ...], Field(min_length=1), Tag("shape:list")],
        by_shape("all, or a list of pairs of names", words=("all",)),
    ] = Field(
        "all",
        description="Pairs of names of models or raters, or `all`. The first of a pair is the first rater: the bias index is positive where the second says 1 more often.",
    )
    raters: dict[Name, Name] = Field(default_factory=dict, description="Human raters: name -> column.")
    items: tuple[AgreementItem, ...] = Field(
        (), description="Items rated before any prediction: {name: pain, nurse: pain_n, physician: pain_p}."
    )
    positive: Scalar | None = Field(
        None,
        description="The rating that counts as 1, where ratings are two words. Default: `data.positive`.",
    )
    statistics: Annotated[
        tuple[Literal["kappa", "pabak", "ac1", "icc", "weighted_kappa", "fleiss", "krippendorff"], ...],
        Field(min_length=1),
    ] = Field(
        ("kappa", "pabak", "ac1", "icc"),
        description="Which statistics the card shows; `fleiss` and `krippendorff` are of three human raters or more.",
    )
    icc_forms: Annotated[
        tuple[Annotated[Literal["1", "A1", "C1", "1k", "Ak", "Ck"], BeforeValidator(as_written)], ...],
        Field(min_length=1),
    ] = Field(("A1",), description="Forms of the ICC of McGraw and Wong.")
    limit: Annotated[Number, Field(gt=0, le=2)] = Field(
        0.1,
        description="The largest gap between a group's agreement and the rest's that is within the limit.",
    )


class TreeCovariate(Section):
    """A covariate to split on."""

    column: Name = Field(description="A column of the data.")
    as_: Literal["categorical", "ordered", "numeric"] | None = Field(
        None, alias="as", description="How to read it. Default: numbers numeric, everything else categorical."
    )
    order: tuple[Name, ...] | None = Field(None, description="All levels in their order; makes it ordered.")


def _tree_rate(rate: str) -> str:
    from reporter.stats.delta_options import rate_problem

    problem = rate_problem(rate)
    if problem is not None:
        raise ValueError(f"{problem.message}; {problem.hint}")
    return rate


class TreeConfig(Section):
    """A Δ subgroup tree: where do the disparities of two models differ?"""

    compare: tuple[Name, ...] | None = Field(
        None,
        min_length=1,
        max_length=2,
        description="Two models (Δ is the second's disparity minus the first's), or one.",
    )
    models: tuple[Name, ...] | None = Field(
        None,
        min_length=1,
        max_length=2,
        description="The same as `compare`; one name gives the tree of that model's own disparity.",
    )
    attribute: Name = Field(description="The column whose two levels are held against each other.")
    levels: Pair | None = Field(
        None, description="The two levels [a1, a2]; a disparity is the rate of a2 minus that of a1."
    )
    pairs: (
        Annotated[
            Annotated[Literal["all", "one_vs_rest", "spread"], Tag("shape:text")]
            | Annotated[tuple[Pair, ...], Field(min_length=1), Tag("shape:list")],
            by_shape(
                "all, one_vs_rest or spread, or a list of pairs of levels", words=("all", "one_vs_rest", "spread")
            ),
        ]
        | None
    ) = Field(
        None,
        description="For more than two levels: `all`, `one_vs_rest`, a list of pairs (a tree each), or `spread`.",
    )
    rate: Annotated[Name, AfterValidator(_tree_rate)] = Field(
        "referral", description="`referral`, `fpr`, `fnr`, `accuracy`, or `score`."
    )
    split_on: Annotated[
        tuple[
            Annotated[
                Annotated[Name, Tag("shape:text")] | Annotated[TreeCovariate, Tag("shape:mapping")],
                by_shape("a column's name, or a mapping with column"),
            ],
            ...,
        ],
        Field(min_length=1),
    ] = Field(description="The covariates.")
    test: Literal["wald", "score", "permutation"] = Field(
        "wald",
        description="`wald` tests Δ alone; `score` is the published statistic; `permutation` is for small nodes.",
    )
    parameters: Literal["delta", "all"] = Field(
        "delta", description="With `test: score`: Δ alone or all four parameters."
    )
    alpha: Alpha = Field(0.05, description="The level of the test in each node.")
    adjust: Literal["bonferroni", "none"] = Field(
        "bonferroni", description="Adjustment over the covariates tested in a node."
    )
    min_size: Annotated[Whole, Field(ge=1)] = Field(
        50, description="The smallest node, in rows of the rate's condition."
    )
    max_depth: Annotated[Whole, Field(ge=0)] | None = Field(None, description="The most splits on a path.")
    min_difference: Annotated[Number, Field(ge=0)] = Field(
        0.0, description="Siblings whose Δ differ by less are joined again."
    )
    honest: Truth = Field(False, description="Split on one half of the rows, estimate on the other.")
    name: Name | None = Field(None, description="The tree's title.")

    @model_validator(mode="after")
    def _consistent(self) -> TreeConfig:
        self._exactly_one("compare", "models")
        if self.levels is not None and self.pairs is not None:
            raise ValueError("found both levels and pairs, expected levels for one tree or pairs for several")
        return self

    @property
    def pair(self) -> tuple[str, ...]:
        """The model names."""
        return self.compare or self.models or ()


class Predictor(Section):
    """What predicts again on perturbed inputs: exactly one of these."""

    onnx: Name | None = Field(None, description="An ONNX file (extra `onnx`).")
    skops: Name | None = Field(None, description="A skops file (extra `skops`).")
    mlflow: Name | None = Field(None, description="An MLflow model's folder or URI (extra `mlflow`).")
    callable: Name | None = Field(None, description="`package.module:function`, called with a DataFrame of the inputs.")
    http: Name | None = Field(
        None, description="An endpoint that answers a POST of JSON records with a list of scores."
    )
    fit: Literal["logistic"] | None = Field(
        None, description="`logistic`: a 5-fold logistic stand-in, fitted to the label."
    )
    pickle: Name | None = Field(
        None,
        description="A pickle or joblib file. Loading one runs whatever code it holds; needs `allow_pickle: true`.",
    )
    allow_pickle: Truth = Field(False, description="You trust the file in `pickle` as you trust a program.")
    trusted: tuple[Name, ...] = Field(
        (), description="Types in the `skops` file that you trust beyond those that skops trusts by itself."
    )

    @model_validator(mode="after")
    def _one_of(self) -> Predictor:
        self._exactly_one("onnx", "skops", "mlflow", "callable", "http", "fit", "pickle")
        if self.pickle is not None and not self.allow_pickle:
            raise ValueError(
                "found a pickle file, expected allow_pickle: true beside it: loading one can run any code; "
                "if you do not trust it as a program, export the model as onnx or skops"
            )
        return self


class Perturbation(Section):
    """How a selected value of one input is changed."""

    sd: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="A normal draw with this standard deviation is added."
    )
    round: Truth = Field(False, description="The draw is rounded to a whole number.")
    min: Number | None = Field(None, description="Results below are set to it.")
    max: Number | None = Field(None, description="Results above are set to it.")
    replace: Truth = Field(False, description="Replaced by another observed category.")


class Levels(Section):
    """Noise levels: the probability that a value is perturbed."""

    from_: Proportion = Field(0.0, alias="from", description="The first level.")
    to: Proportion = Field(0.3, description="The last level.")
    step: Annotated[Number, Field(gt=0, le=1)] = Field(0.01, description="The distance between levels.")

    @model_validator(mode="after")
    def _ordered(self) -> Levels:
        if self.from_ > self.to:
            raise ValueError(f"found from {self.from_:g} above to {self.to:g}, expected it below")
        return self


class NoiseConfig(Section):
    """How reliable a model's predictions are per group when its inputs are rated with noise."""

    model: Name = Field(description="The model's name.")
    predictor: Predictor = Field(description="What predicts on perturbed inputs.")
    inputs: Annotated[tuple[Name, ...], Field(min_length=1)] = Field(
        description="The predictor's input columns, in its order."
    )
    group: Name = Field(description="The group column.")
    perturb: Annotated[
        dict[
            Name,
            Annotated[
                Annotated[Perturbation, Tag("shape:mapping")]
                | Annotated[Literal["flip", "replace"], Tag("shape:text")],
                by_shape("flip, replace, or a mapping with sd", words=("flip", "replace")),
            ],
        ],
        Field(min_length=1),
    ] = Field(description="Per input: `{sd: 5, round: true, min: 18}`, `flip` or `replace`.")
    one_hot: tuple[tuple[Name, ...], ...] = Field(
        (), description="Input columns of one variable that are changed together."
    )
    levels: Annotated[
        Annotated[Levels, Tag("shape:mapping")]
        | Annotated[tuple[Proportion, ...], Field(min_length=1), Tag("shape:list")],
        by_shape("a mapping with from, to and step, or a list of proportions"),
    ] = Field(default_factory=Levels, description="Noise levels.")
    repeats: Annotated[Whole, Field(ge=1)] = Field(
        20, description="Draws per level; their mean and Monte-Carlo error are shown."
    )
    sample: Annotated[Whole, Field(ge=1)] | None = Field(
        20000, description="The most rows to use; a seeded sample beyond that, which is said."
    )
    draws: Literal["per_group", "common"] = Field(
        "per_group", description="Perturbed values are drawn within each group, or over all rows."
    )
    exact_proportion: Truth = Field(
        False, description="Perturb exactly the level's share of values, not each with that probability."
    )
    variants: Annotated[tuple[Literal["all", "minima", "numeric", "binary"], ...], Field(min_length=1)] = Field(
        ("all",), description="Which inputs: all, with minima, numeric only, binary only."
    )
    folds: Annotated[Whole, Field(ge=2)] = Field(5, description="With `fit: logistic`: the number of folds.")
    scale: tuple[Name, ...] = Field(
        (),
        description="With `fit: logistic`: inputs that are standardised on the train part. Default: the perturbed numeric ones.",
    )
    processes: Annotated[Whole, Field(ge=1)] = Field(1, description="How many processes share the work.")


class Acceptance(Section):
    """A finding that somebody answers for until a date."""

    finding: Name = Field(description="The finding's id, as the card and `report.json` show it.")
    reason: Name = Field(description="Why it is accepted.")
    approver: Name = Field(description="Who answers for it.")
    until: Date = Field(description="The last day on which it is in force.")


class BiasAudit(Section):
    """Which columns the profile `nyc_ll144` goes by."""

    sex: Name = Field("sex", description="The group column with the sex.")
    race_ethnicity: Name = Field("ethnicity", description="The group column with race or ethnicity.")


class MlflowConfig(Section):
    """The card and its overall metrics in MLflow (extra `mlflow`)."""

    tracking_uri: Name = Field(description="The tracking server's address, or a folder.")
    experiment: Name = Field("reporter", description="The experiment; it is made if it is not there.")


class OutputConfig(Section):
    """What is written, and where."""

    directory: Name = Field("report", description="The folder of the outputs.")
    formats: Annotated[tuple[Format, ...], Field(min_length=1)] = Field(FORMATS, description="Which outputs are made.")
    templates: Name | None = Field(None, description="A folder searched before the packaged templates and CSS.")
    fonts: tuple[Name, ...] = Field(
        (), description="Extra font files for the PDF (other scripts), hashed into the provenance."
    )
    mlflow: MlflowConfig | None = Field(None, description="Log each run to MLflow as well.")


class Config(Section):
    """A whole config."""

    schema_: Annotated[Literal[1], BeforeValidator(plain_number)] = Field(
        1, alias="schema", description="The version of this format."
    )
    card: CardConfig = Field(default_factory=CardConfig, description="What the author says of the model.")
    data: DataConfig = Field(description="The evaluated rows.")
    models: Annotated[tuple[ModelConfig, ...], Field(min_length=1)] = Field(
        description="The models; the first is the one the card is for."
    )
    groups: tuple[Group, ...] = Field(
        (),
        description="The groupings: a column, a mapping for intervals or pooling, or a list of columns for an intersection.",
    )
    metrics: Annotated[
        Annotated[Literal["all"], Tag("shape:text")]
        | Annotated[tuple[Name, ...], Field(min_length=1), Tag("shape:list")],
        by_shape("all, or a list of metrics", words=("all",)),
    ] = Field(
        ("accuracy", "referral_rate", "fpr", "fnr"),
        description="Metrics of `reporter metrics`, or `all`. Those that `flags.rules` compare are added.",
    )
    confidence: Alpha = Field(0.95, description="The confidence level of every interval.")
    flags: FlagsConfig = Field(default_factory=FlagsConfig, description="When a group is flagged.")
    agreement: AgreementConfig | None = Field(None, description="Agreement between models or raters.")
    trees: tuple[TreeConfig, ...] = Field((), description="Δ subgroup trees.")
    noise: (
        Annotated[
            Annotated[NoiseConfig, Tag("shape:mapping")] | Annotated[tuple[NoiseConfig, ...], Tag("shape:list")],
            by_shape("one noise study (a mapping), or a list of them"),
        ]
        | None
    ) = Field(None, description="Reliability under simulated rater noise: one study or a list.")
    baseline: Name | None = Field(
        None, description="The release to compare with: a record, a report.json, or `latest-approved`."
    )
    accepted: tuple[Acceptance, ...] = Field((), description="Accepted findings.")
    fail_on: tuple[Gate, ...] = Field(("diverges",), description="What makes the gate fail.")
    profiles: tuple[Profile, ...] = Field((), description="What a regulator's reader needs.")
    nyc_ll144: BiasAudit = Field(
        default_factory=BiasAudit, description="Which columns the profile `nyc_ll144` goes by."
    )
    small_cells: Annotated[Whole, Field(ge=2)] | None = Field(
        None,
        description="11: no count from 1 to 10 is shown, nor follows from the counts that are shown. Groups with small cells are shown together, at least two of them; curves, trees and noise studies stay out; the gate still goes by every group, and what it found in hidden ones is one finding of the group `(suppressed)`. Checked is, for each count of each model, all that is published of groupings that are crossed, directly or through shared columns, together: no set of their combinations has a count from 1 to 10 that follows from it, also for who knows which combinations are empty. Not checked is what follows from columns that no crossing joins: cross columns that determine each other or overlap (county and state, two bandings of age) in `groups`, without `at_least`. Nor what whole-number arithmetic, several models together or another record of the same rows give away, nor that a hidden count can be told to be small.",
    )
    output: OutputConfig = Field(default_factory=OutputConfig, description="What is written, and where.")
    archive: Name | None = Field(None, description="A folder or fsspec URL where each run leaves a record.")
    sealed_archive: Name | None = Field(None, description="With `small_cells`: a second archive for the full record.")
    allowed_signers: Name | None = Field(
        None, description="An OpenSSH allowed-signers file: whose approvals of a baseline count."
    )
    seed: Annotated[Whole, Field(ge=0)] = Field(0, description="The seed of everything that is drawn.")

    @property
    def noise_studies(self) -> tuple[NoiseConfig, ...]:
        """The noise studies as a tuple."""
        if self.noise is None:
            return ()
        return self.noise if isinstance(self.noise, tuple) else (self.noise,)
