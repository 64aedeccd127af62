"""The error root and its children.

Every error a user can cause says what is wrong, where, and what to do. Children carry fields and build
their own message, so callers can act on the fields and people can read the text.
"""

from __future__ import annotations

from pathlib import Path


class MultiGlobeQAError(Exception):
    """Root of all errors raised on purpose by this package."""


class InputError(MultiGlobeQAError):
    """A file or a value given by the user cannot be used.

    Parameters
    ----------
    what : what is wrong, one sentence without the place.
    source : the file (or stream name) it stands in.
    place : line, row, object id or byte offset inside ``source``.
    mend : what the user can do about it.
    """

    def __init__(
        self, what: str, *, source: str | Path | None = None, place: str | int | None = None, mend: str = ""
    ) -> None:
        self.what = what
        self.source = str(source) if source is not None else None
        self.place = place
        self.mend = mend
        where = ":".join(str(part) for part in (self.source, place) if part is not None)
        super().__init__((f"{where}: " if where else "") + what + (f" {mend}" if mend else ""))


class GeometryError(InputError):
    """A coordinate or a geometry is outside what a kernel accepts (latitude, NaN, empty, invalid, kind)."""


class TemplateError(InputError):
    """A template file does not satisfy the template contract."""


class EngineError(MultiGlobeQAError):
    """The query engine is missing, of the wrong version, or not set as the answers need it."""


class VerificationError(MultiGlobeQAError):
    """The solver and the query disagree: the build stops.

    ``rows`` holds one line for each disagreement with both values.
    """

    def __init__(self, rows: list[str]) -> None:
        self.rows = rows
        shown = "\n  ".join(rows[:20])
        more = f"\n  ... and {len(rows) - 20} more" if len(rows) > 20 else ""
        super().__init__(
            f"{len(rows)} answers differ between query and solver; nothing was written:\n  {shown}{more}"
        )
