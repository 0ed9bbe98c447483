"""A finished run in MLflow: the card and its files as artifacts, overall metrics and the verdict beside them.

What is logged is what was written: it knows no data and computes nothing. Needs the extra ``mlflow``.
"""

from __future__ import annotations

import datetime
import re
import tempfile
from pathlib import Path
from typing import Any

from reporter.errors import MissingExtraError, OutputError, Problem
from reporter.outputs import Written


def log_to_mlflow(written: Written, *, tracking_uri: str, experiment: str, base: Path) -> str:
    """Log to a new run of ``experiment``, which is made if need be, and return the run's id.

    ``tracking_uri`` is a server's address, a database's or a folder (relative to ``base``). Metrics are named ``model/metric``; what
    MLflow does not allow in a name becomes ``_``. Undefined metrics are not logged; they stand in ``report.json``.

    Raises
    ------
    MissingExtraError
        MLflow is not installed.
    OutputError
        The server refuses or is not there.

    Examples
    --------
    >>> metric_key("2.4 (new)", "fnr")
    '2.4 _new_/fnr'
    """
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError:
        raise MissingExtraError(feature="output.mlflow", package="mlflow", extra="mlflow") from None
    uri = tracking_uri if re.match(r"[A-Za-z][\w+.-]+:", tracking_uri) else (base / tracking_uri).absolute().as_uri()
    try:
        client = MlflowClient(tracking_uri=uri, registry_uri=uri)
        return _log(client, written, experiment)
    except (MlflowException, OSError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OutputError(Problem(f"the run could not be logged to MLflow: {said}", key="output.mlflow")) from None


def metric_key(model: str, metric: str) -> str:
    """A metric's name as MLflow allows it."""
    return re.sub(r"[^\w\-. /]", "_", f"{model}/{metric}")


def _log(client: Any, written: Written, experiment: str) -> str:
    report = written.report
    found = client.get_experiment_by_name(experiment)
    place = client.create_experiment(experiment) if found is None else found.experiment_id
    start = int(datetime.datetime.fromisoformat(report.provenance.created).timestamp() * 1000)
    run = client.create_run(
        place, start_time=start, run_name=f"{report.card.name} {report.card.version}", tags=_tags(written)
    )
    identity: str = run.info.run_id
    state = "FAILED"
    try:
        for model in report.models:
            for name, estimate in model.metrics.items():
                if estimate.value is not None:
                    client.log_metric(identity, metric_key(model.name, name), estimate.value, timestamp=start)
        for name in ("n_flagged", "n_insufficient", "n_within"):
            client.log_metric(identity, name, getattr(report.verdict, name), timestamp=start)
        _log_files(client, identity, written)
        state = "FINISHED"
    finally:
        client.set_terminated(identity, status=state)
    return identity


def _log_files(client: Any, identity: str, written: Written) -> None:
    with tempfile.TemporaryDirectory(prefix="reporter-mlflow-") as folder:
        for name, content in written.contents.items():
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        client.log_artifacts(identity, folder, "model-card")


def _tags(written: Written) -> dict[str, str]:
    report = written.report
    record = "" if written.record is None else f"{written.record_path} sha256 {written.record.manifest}"
    tags = {
        "reporter.verdict": report.verdict.outcome,
        "reporter.version": report.provenance.reporter_version,
        "reporter.model": report.card.name,
        "reporter.release": report.card.version,
        "reporter.config_sha256": report.provenance.config_sha256,
        "reporter.data_sha256": report.data.sha256 or "",
        "reporter.record": record,
    }
    return {name: value for name, value in tags.items() if value}
