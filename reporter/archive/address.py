"""How an archive's address is shown: without what came from the environment, without passwords and without queries.

Knows addresses alone; opens nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from reporter.config.environment import redact


@dataclass(frozen=True)
class Address:
    """A folder or URL at ``location``, and the same as it may be ``shown``: the config's own text, where ``${NAME}`` is unexpanded."""

    location: str = field(repr=False)
    shown: str

    @classmethod
    def of(cls, location: str, written: str | None = None) -> Address:
        """The address of ``location``; ``written`` is the text that it was read from, itself by default.

        Examples
        --------
        >>> Address.of("s3://me:hunter2@bucket/cards?sig=abc").shown
        's3://me:***@bucket/cards?***'
        """
        return cls(location, redact(written or location, {}))

    @property
    def is_masked(self) -> bool:
        """Whether what is shown is not what is opened."""
        return self.shown != self.location

    def inside(self, *parts: str) -> str:
        """What is shown of a path inside the archive: of a folder the absolute path.

        Examples
        --------
        >>> Address.of("s3://bucket/cards/").inside("Referral", "record")
        's3://bucket/cards/Referral/record'
        """
        if "://" not in self.shown:
            return "/".join((str(Path(self.shown).absolute()), *parts))
        place, mark, query = self.shown.partition("?")
        return "/".join((place.rstrip("/"), *parts)) + mark + query

    def hide(self, text: str) -> str:
        """``text`` of another library, in which the address may stand whole or in parts, without what may not be shown.

        Examples
        --------
        >>> Address.of("s3://b-secret/cards", "s3://b-${NAME}/cards").hide("no bucket b-secret")
        'no bucket b-${NAME}'
        """
        opened, shown = self.location.split("/"), self.shown.split("/")
        pairs = [(self.location, self.shown)]
        if len(opened) == len(shown):
            pairs += [(one, other) for one, other in zip(opened, shown, strict=True) if one != other]
        else:
            pairs.append((self.location.partition("://")[2], self.shown.partition("://")[2]))
        for one, other in pairs:
            # A single character gives nothing away and stands in every word.
            if len(one) > 1 and one != other:
                text = text.replace(one, other)
        return redact(text, {})
