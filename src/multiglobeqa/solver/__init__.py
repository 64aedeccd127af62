"""The verifier: answers computed from a question's parameters and gold triples alone.

It shares no code with the query path (``geo``, ``engine``, ``kg``, ``answers``) and prefers other methods, so
that agreement of the two is evidence. Semantics: docs/contracts.md, docs/ground-templates.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from multiglobeqa.solver import (
    a_distance,
    b_containment,
    c_topology,
    d_network,
    e_hierarchy,
    f_ordering,
    g_centrality,
    h_grid,
    i_events,
    j_direction,
    k_shape,
    l_uncertainty,
    m_transformation,
    n_reference,
)
from multiglobeqa.solver.errors import SolverError
from multiglobeqa.solver.facts import Facts
from multiglobeqa.solver.family import Solver
from multiglobeqa.solver.question import Question, Solution

__all__ = ["REFUTERS", "SOLVERS", "Facts", "Question", "Solution", "Solver", "SolverError", "refute", "solve"]

SOLVERS: dict[str, Solver] = {
    **a_distance.SOLVERS,
    **b_containment.SOLVERS,
    **c_topology.SOLVERS,
    **d_network.SOLVERS,
    **e_hierarchy.SOLVERS,
    **f_ordering.SOLVERS,
    **g_centrality.SOLVERS,
    **h_grid.SOLVERS,
    **i_events.SOLVERS,
    **j_direction.SOLVERS,
    **k_shape.SOLVERS,
    **l_uncertainty.SOLVERS,
    **m_transformation.SOLVERS,
    **n_reference.SOLVERS,
}
"""Sub-template id -> solver. A template with one sub-template is found as ``C03`` and as ``C03.a``."""


REFUTERS: dict[str, Solver] = {
    identity: refuter
    for module in (
        a_distance,
        b_containment,
        c_topology,
        d_network,
        e_hierarchy,
        f_ordering,
        g_centrality,
        h_grid,
        i_events,
    )
    for identity, refuter in getattr(module, "REFUTERS", {}).items()
}
"""Sub-template id -> what proves from the facts that the premise fails, with its margin (TAXONOMY rule 9)."""


def solve(question: Mapping[str, Any], triples: Iterable[str]) -> Solution:
    """Answer one question from its facts.

    Parameters
    ----------
    question : ``subtemplate``, ``kg``, ``format``, ``roles`` (role -> IRI), ``params``.
    triples : N-Triples lines.

    Raises
    ------
    SolverError : unknown sub-template, a missing role, parameter or fact, bad values. It names sub-template
        and place.
    """
    q = Question(question)
    return _run(q, SOLVERS.get(q.subtemplate), triples, "No solver for this sub-template.")


def refute(question: Mapping[str, Any], triples: Iterable[str]) -> Solution:
    """Prove from its facts that a question has no answer, with the margin that its template states.

    Returns a solution without an answer whose ``premise_failure`` says what fails. Raises SolverError where the facts
    do not prove it: the premise holds, or fails by too little, or the facts do not suffice.
    """
    q = Question(question)
    return _run(q, REFUTERS.get(q.subtemplate), triples, "This sub-template has no false premise.")


def _run(q: Question, solver: Solver | None, triples: Iterable[str], absent: str) -> Solution:
    if solver is None:
        raise q.error(absent, "subtemplate", "See docs/ground-templates.md.")
    try:
        return solver(q, Facts(triples, q.subtemplate))
    except SolverError as error:
        if error.source:
            raise
        raise q.error(error.what, error.place, error.mend) from error
