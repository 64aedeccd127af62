"""The solver's error."""

from __future__ import annotations

from multiglobeqa.errors import MultiGlobeQAError


class SolverError(MultiGlobeQAError):
    """A question cannot be solved from its parameters and facts.

    Parameters
    ----------
    what : what is wrong or missing, one sentence.
    source : the sub-template, or the fact list, in which it stands.
    place : the IRI, the parameter or the line concerned.
    mend : what the maker of the question can do.
    """

    def __init__(self, what: str, *, source: str = "", place: str | int = "", mend: str = "") -> None:
        self.what = what
        self.source = source
        self.place = place
        self.mend = mend
        where = ": ".join(str(part) for part in (source, place) if part != "")
        super().__init__((f"{where}: " if where else "") + what + (f" {mend}" if mend else ""))
