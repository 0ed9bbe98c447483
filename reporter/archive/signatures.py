"""Signatures by OpenSSH: one namespace, keys judged by an allowed-signers file that the checker brings along."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from reporter.errors import ConfigError, OutputError, Problem

NAMESPACE = "reporter-signoff"


def signature_of(content: bytes, *, key: Path) -> bytes:
    """The detached signature of ``content`` by an OpenSSH private key.

    The content goes in by stdin and the signature out by stdout: with files, ssh-keygen keeps an old signature and still ends with 0.
    Raises OutputError when there is no ssh-keygen or it refuses the key.
    """
    done = _keygen(["-Y", "sign", "-n", NAMESPACE, "-f", str(key), "-"], content)
    if done.returncode or not done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OutputError(Problem(f"ssh-keygen did not sign: {said[-1] if said else 'no reason given'}", key="--key"))
    return done.stdout


def check_allowed_signers(path: Path) -> None:
    """ConfigError when there is no such file or it names nobody; OutputError without ssh-keygen."""
    try:
        lines = path.read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise ConfigError(
            Problem(f"cannot read the allowed signers {str(path)!r}: {error.strerror}", key="--allowed-signers")
        ) from None
    if not any(len(line.split()) >= 3 for line in lines if not line.lstrip().startswith("#")):
        raise ConfigError(
            Problem(
                f"{str(path)!r} names no signer",
                key="--allowed-signers",
                hint="Expected lines such as: board@example.org ssh-ed25519 AAAA...",
            )
        )
    _program()


def signer_of(content: bytes, signature: bytes, *, signed_at: str, allowed_signers: Path) -> tuple[str | None, str]:
    """The principal whose key made the signature, or None and why not. The key must have been valid at ``signed_at``."""
    try:
        moment = datetime.datetime.fromisoformat(signed_at).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return None, f"its time {signed_at!r} is not a time"
    with tempfile.TemporaryDirectory(prefix="reporter-signature-") as folder:
        file = Path(folder) / "statement.sig"
        file.write_bytes(signature)
        common = ["-f", str(allowed_signers), "-s", str(file), "-O", f"verify-time={moment:%Y%m%d%H%M%S}"]
        found = _keygen(["-Y", "find-principals", *common], b"")
        principal = _first_name(found.stdout.decode("utf-8", "replace"))
        if found.returncode or not principal:
            return None, "its key is not among the allowed signers, or was not valid at that time"
        done = _keygen(["-Y", "verify", "-n", NAMESPACE, "-I", principal, *common], content)
        if done.returncode == 0:
            return principal, ""
        return None, f"it does not fit what was signed, or its key may not sign for {NAMESPACE}"


def _first_name(patterns: str) -> str:
    """The first of the patterns that lets somebody sign; one with a ``!`` names who may not.

    >>> _first_name("!eve@example.org\\n*@example.org\\n")
    '*@example.org'
    """
    names = [name.strip() for name in re.split(r"[,\n]", patterns)]
    return next((name for name in names if name and not name.startswith("!")), "")


def fingerprint_of(content: bytes, signature: bytes) -> str:
    """Which key made the signature, as OpenSSH names keys (``ED25519 SHA256:...``); says nothing of whose key it is."""
    with tempfile.TemporaryDirectory(prefix="reporter-signature-") as folder:
        file = Path(folder) / "statement.sig"
        file.write_bytes(signature)
        done = _keygen(["-Y", "check-novalidate", "-n", NAMESPACE, "-s", str(file)], content)
    found = re.search(rb"with (\S+) key (SHA256:\S+)", done.stdout)
    return b" ".join(found.groups()).decode() if found else "unknown"


def _program() -> str:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise OutputError(
            Problem("signatures need ssh-keygen, which was not found", hint="Install OpenSSH (Debian: openssh-client).")
        )
    return program


def _keygen(arguments: Sequence[str], content: bytes) -> subprocess.CompletedProcess[bytes]:
    # Times without a zone are local to ssh-keygen, and only newer ones know a Z.
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C"}
    return subprocess.run([_program(), *arguments], input=content, capture_output=True, check=False, env=environment)
