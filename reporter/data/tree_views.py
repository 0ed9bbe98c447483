"""The counter of a Δ tree from stored counts: its cube, or the answers that were recorded when it was grown. No engine or rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data.counts import Counts
from reporter.data.tree_engine import dense, half_names, request_key
from reporter.data.tree_plans import covariates_of
from reporter.errors import DataError
from reporter.stats.delta_counts import Counter, Covariate, Cube, Region


def tree_counter(counts: Counts, index: int) -> Counter:
    """What tree ``index`` of the config is grown from."""
    facts = counts.facts["trees"][index]
    covariates = covariates_of(facts)
    if not facts["cube"]:
        answers = {request: counts.tables[f"trees/{index}/{k}"] for k, request in enumerate(facts["requests"])}
        return Recorded(answers, len(facts["labels"]), scored=facts["scored"], second=facts["n_models"] == 2)
    table = counts.tables[f"trees/{index}"]
    return Cube.of(
        covariates,
        table[[f"c{j}" for j in range(len(covariates))]].to_numpy(),
        table["group"].to_numpy(),
        table["label"].to_numpy(),
        table["first"].to_numpy(),
        table["second"].to_numpy() if facts["n_models"] == 2 else None,
        table["n"].to_numpy(),
        n_groups=len(facts["labels"]),
        scored=facts["scored"],
    )


class Recorded:
    """A counter that knows only what was asked when the record was made; of a half of the rows if ``part`` names one."""

    def __init__(
        self, answers: dict[str, pd.DataFrame], n_groups: int, *, scored: bool, second: bool, part: str = ""
    ) -> None:
        self.answers, self.n_groups, self.scored, self.second, self.part = answers, n_groups, scored, second, part

    def tables(self, regions: Sequence[Region], covariates: Sequence[Covariate]) -> list[NDArray[Any]]:
        """See ``Counter.tables``."""
        return [self._table(regions, covariate) for covariate in covariates]

    def halves(self, rng: np.random.Generator) -> tuple[Counter, Counter]:
        """The halves that were drawn when the record was made, by the same random numbers."""
        _, names = half_names(rng)
        first, second = (
            Recorded(self.answers, self.n_groups, scored=self.scored, second=self.second, part=name) for name in names
        )
        return first, second

    def _table(self, regions: Sequence[Region], covariate: Covariate) -> NDArray[Any]:
        found = self.answers.get(request_key(regions, covariate, self.part))
        if found is None:
            raise DataError(f"the record does not hold what this tree asks of {covariate.name}: it was grown otherwise")
        return dense(found, len(regions), covariate, self.n_groups, scored=self.scored, second=self.second)
