"""Signatures by OpenSSH: one namespace, keys judged by an allowed-signers file that the checker brings along."""

from __future__ import annotations

import datetime
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
    signature = _keygen(["-Y", "sign", "-n", NAMESPACE, "-f", str(key), "-"], content).stdout
    if not signature.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        raise OutputError(Problem("ssh-keygen gave no signature", key="--key"))
    return signature


def signer_of(content: bytes, signature: bytes, *, signed_at: str, allowed_signers: Path) -> tuple[str | None, str]:
    """The principal whose key made the signature, or None and why not. The key must have been valid at ``signed_at``."""
    if not allowed_signers.is_file():
        raise ConfigError(Problem(f"found no file {str(allowed_signers)!r}", key="--allowed-signers"))
    try:
        moment = datetime.datetime.fromisoformat(signed_at).astimezone(datetime.UTC)
    except ValueError:
        return None, f"its time {signed_at!r} is not a time"
    with tempfile.TemporaryDirectory(prefix="reporter-signature-") as folder:
        file = Path(folder) / "statement.sig"
        file.write_bytes(signature)
        common = ["-f", str(allowed_signers), "-s", str(file), "-O", f"verify-time={moment:%Y%m%d%H%M%S}Z"]
        found = _keygen(["-Y", "find-principals", *common], b"", check=False)
        principals = found.stdout.decode("utf-8", "replace").splitlines()
        if found.returncode or not principals:
            return None, "its key is not among the allowed signers, or was not valid at that time"
        principal = principals[0].split(",")[0].strip()
        done = _keygen(["-Y", "verify", "-n", NAMESPACE, "-I", principal, *common], content, check=False)
        return (principal, "") if done.returncode == 0 else (None, "it does not fit the statement")


def _keygen(arguments: Sequence[str], content: bytes, *, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    program = shutil.which("ssh-keygen")
    if program is None:
        raise OutputError(
            Problem("signatures need ssh-keygen, which was not found", hint="Install OpenSSH (Debian: openssh-client).")
        )
    done = subprocess.run([program, *arguments], input=content, capture_output=True, check=False, timeout=120)
    if check and done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OutputError(Problem(f"ssh-keygen refused: {said[-1] if said else 'no reason given'}", key="--key"))
    return done
