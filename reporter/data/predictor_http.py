"""An HTTP endpoint as a predictor.

The request is a POST of a JSON list with one object a row, ``[{"age": 61, "sex_f": 1}, ...]``. The answer is a JSON list of as many
scores, or an object that holds it under ``scores`` or ``predictions``; a score may be a pair, of which the second counts.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

import numpy as np
from numpy.typing import NDArray

from reporter.data.predictors import probability_of_one
from reporter.errors import ConfigError, DataError, Problem

if TYPE_CHECKING:
    import pandas as pd

ROWS_A_REQUEST = 10_000
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
TOKEN_VARIABLE = "REPORTER_PREDICTOR_TOKEN"


def shown_address(url: str) -> str:
    """An address without user, password and query, which may be secrets; a ``${NAME}`` stays as it is.

    >>> shown_address("https://reader:secret@example.org:8443/score?token=1"), shown_address("https://${HOST}/score")
    ('https://example.org:8443/score', 'https://${HOST}/score')
    """
    return re.sub(r"//[^/@]*@", "//", re.split(r"[?#]", url, maxsplit=1)[0])


class HttpPredictor:
    """Scores from an endpoint, in requests of at most 10,000 rows. A bearer token comes from ``REPORTER_PREDICTOR_TOKEN``.

    Raises
    ------
    ConfigError
        The address is not http or https.
    DataError
        On a call: no connection, a status other than 200, an answer that is no list of scores.
    """

    def __init__(self, url: str, *, timeout: float = 60.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(Problem(f"found {url!r}, expected an http or https address", key="predictor.http"))
        self.description = f"endpoint {shown_address(url)}"
        self._arguments = (url,)
        self._url, self._timeout = url, timeout
        self._opener = build_opener(ProxyHandler({}) if parts.hostname in LOOPBACK else ProxyHandler())

    def __call__(self, frame: pd.DataFrame) -> NDArray[Any]:
        starts = range(0, len(frame), ROWS_A_REQUEST)
        return np.concatenate([self._ask(frame.iloc[start : start + ROWS_A_REQUEST]) for start in starts])

    def __reduce__(self) -> tuple[Any, ...]:
        return HttpPredictor, self._arguments

    def _ask(self, frame: pd.DataFrame) -> NDArray[Any]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if os.environ.get(TOKEN_VARIABLE):
            headers["Authorization"] = f"Bearer {os.environ[TOKEN_VARIABLE]}"
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        body = json.dumps(records, allow_nan=False).encode()
        try:
            with self._opener.open(Request(self._url, data=body, headers=headers), timeout=self._timeout) as answer:
                text = answer.read()
        except HTTPError as error:
            raise DataError(self._problem(f"answered with status {error.code}")) from None
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise DataError(self._problem(f"cannot be reached ({type(reason).__name__})")) from None
        return self._scores(text, len(frame))

    def _scores(self, text: bytes, n: int) -> NDArray[Any]:
        try:
            answer = json.loads(text)
        except ValueError:
            raise DataError(self._problem("did not answer with JSON")) from None
        if isinstance(answer, dict):
            answer = answer.get("scores", answer.get("predictions"))
        if not isinstance(answer, list):
            raise DataError(self._problem("did not answer with a list of scores"))
        if len(answer) != n:
            raise DataError(self._problem(f"returned {len(answer)} scores for {n} rows"))
        return probability_of_one(answer)

    def _problem(self, what: str) -> Problem:
        return Problem(f"the {self.description} {what}", key="predictor.http")
