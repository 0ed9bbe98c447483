"""What ``reporter check`` looks at beside a config's text and its data: whether the baseline is one. Computes nothing."""

from __future__ import annotations

from reporter.baseline import LATEST
from reporter.config.loader import LoadedConfig
from reporter.errors import ConfigError, Problem
from reporter.provenance import moment_of_run
from reporter.runner import AS_CONFIGURED, configured_baseline


def check_baseline(loaded: LoadedConfig) -> list[Problem]:
    """Read the baseline that a config names, where that needs no network, as a run would. Returns what only an option of ``run`` can still mend.

    Raises ConfigError when it is none, and DataError when it cannot be read or was changed.
    """
    config, needs = loaded.config, ("worse_than_baseline", "unsigned_baseline")
    if config.baseline is None:
        hint = "Set baseline, or give --baseline to run."
        return [
            loaded.problem(f"fail_on[{i}]", f"found {gate}, which always fails without a baseline", hint)
            for i, gate in enumerate(config.fail_on)
            if gate in needs
        ]
    if config.baseline == LATEST and config.allowed_signers is None:
        hint = "Set allowed_signers to an OpenSSH allowed-signers file."
        raise ConfigError(loaded.problem("baseline", f"{LATEST} needs to know whose approvals count", hint))
    if config.baseline == LATEST and config.archive is None:
        hint = "Set archive, or give --archive to run."
        return [loaded.problem("baseline", f"{LATEST} needs an archive, and none is set", hint)]
    if "://" not in (config.archive or "" if config.baseline == LATEST else config.baseline):
        configured_baseline(loaded, AS_CONFIGURED, moment_of_run().date())
    return []
