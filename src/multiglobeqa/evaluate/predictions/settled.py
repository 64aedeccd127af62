"""Replies beside their questions: which of several counts, and which are missing."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.evaluate.predictions.counts import SHOWN, Intake
from multiglobeqa.evaluate.predictions.record import MISSING, SCHEMA

RUN_COLUMNS: Final = ("model", "tier", "seed")
NO_LANGUAGE: Final = "states no language, and the benchmark has its question in several"
Integers = NDArray[np.int64]


class Settled:
    """Replies with the row of their question, and what is left of them step by step."""

    def __init__(self, replies: pa.Table, questions: pa.Table, intake: Intake, language: str | None) -> None:
        self.intake, self.questions = intake, questions
        self.ids = questions["id"].cast(pa.string()).combine_chunks()
        stored = questions["language"].cast(pa.string()).combine_chunks()
        self.languages = stored.dictionary_encode()
        first = _places(_padded(replies, self.ids), self.ids)
        own = replies["language"].combine_chunks()
        alone = self._alone()
        default = stored.take(pa.array(np.where(alone[first], first, -1), mask=(first < 0) | ~alone[first]))
        if language is not None:
            default = pc.coalesce(pa.scalar(language), default)
        own = pc.coalesce(own, default)
        pairs = pc.binary_join_element_wise(
            self.ids.take(_optional(first)), own, "\0", null_handling="emit_null"
        )
        exact = _places(pairs, pc.binary_join_element_wise(self.ids, stored, "\0"))
        question = np.where(exact >= 0, exact, first)
        silent = np.asarray(own.is_null()) & (first >= 0)
        self._name_unknown(replies, first < 0, silent)
        kept = np.flatnonzero((first >= 0) & ~silent)
        self.replies = replies.set_column(replies.column_names.index("language"), "language", own)
        self.place: Integers = kept  # rows of ``replies`` that are left
        self.question: Integers = question[kept]  # their questions
        self.first: Integers = first[kept]
        self.language = own.take(pa.array(kept)).dictionary_encode()
        self.absent: list[pa.Table] = []  # rows of kind MISSING

    def _alone(self) -> NDArray[np.bool_]:
        """For each row of the questions whether its id stands in one language only."""
        codes = np.asarray(self.ids.dictionary_encode().indices)
        alone: NDArray[np.bool_] = (np.bincount(codes) == 1)[codes] if len(codes) else np.ones(0, np.bool_)
        return alone

    def _name_unknown(self, replies: pa.Table, unknown: NDArray[np.bool_], silent: NDArray[np.bool_]) -> None:
        for mask, what in ((unknown, ""), (silent, f" {NO_LANGUAGE}")):
            rows = np.flatnonzero(mask)
            for row in rows[:SHOWN].tolist():
                self.intake.add("unknown", f"{replies['place'][row]}: {replies['id'][row]}{what}")
            if len(rows) > SHOWN:
                self.intake.counts["unknown"] += len(rows) - SHOWN

    def one_reply_a_key(self) -> None:
        """Keep one reply of those with one key, by rules 1 and 2."""
        keys = self.keys()
        order = np.lexsort((self.place, keys))
        sorted_keys = keys[order]
        starts = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]])
        sizes = np.diff(np.r_[starts, len(order)])
        dropped = np.zeros(len(order), np.bool_)
        for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
            members = order[start : start + size]
            dropped[members] = True
            dropped[self._chosen(members)] = False
        self.keep(~dropped)

    def _chosen(self, members: Integers) -> int:
        rows = self.replies.take(pa.array(self.place[members])).to_pylist()
        if any(row["final"] is not None or row["attempt"] is not None for row in rows):
            ranks = [
                (row["final"] is True, row["attempt"] if row["attempt"] is not None else -1, at)
                for at, row in enumerate(rows)
            ]
            chosen = max(ranks)[2]
            for row in rows[:chosen] + rows[chosen + 1 :]:
                self.intake.add("attempts", f"{row['place']}: {row['id']}")
            return int(members[chosen])
        content = [(row["kind"], row["body"], row["reason"]) for row in rows]
        for row, same in zip(rows[1:], [each == content[0] for each in content[1:]], strict=True):
            kind = "identical" if same else "conflicting"
            self.intake.add(kind, f"{row['place']}: {row['id']} again after line {rows[0]['place']}")
        return int(members[0])

    def keys(self) -> Integers:
        """(n,) a number for each key: id, language, model, tier, seed."""
        ids = np.asarray(self.ids.dictionary_encode().indices).astype(np.int64)[self.question]
        return _joint(ids, self.runs())

    def runs(self) -> Integers:
        """(n,) a number for each (language, model, tier, seed)."""
        codes = [np.asarray(self.language.indices).astype(np.int64)]
        for name in RUN_COLUMNS:
            column = self.replies[name].take(pa.array(self.place)).combine_chunks()
            codes.append(np.asarray(column.dictionary_encode().indices).astype(np.int64))
        joint = codes[0]
        for more in codes[1:]:
            joint = _joint(joint, more)
        return joint

    def keep(self, mask: NDArray[np.bool_]) -> None:
        """Leave out the replies that the mask does not name."""
        self.place, self.question, self.first = self.place[mask], self.question[mask], self.first[mask]
        self.language = self.language.filter(pa.array(mask))

    def missing(self, allowed: NDArray[np.bool_], every_language: bool) -> list[pa.Table]:
        """Rows of kind MISSING for the allowed questions that a run lacks."""
        runs = self.runs()
        parts = []
        names = self.languages.dictionary.to_pylist()
        codes = np.asarray(self.languages.indices)
        seen: dict[tuple[Any, ...], set[str]] = {}
        for run in np.unique(runs).tolist():
            mine = np.flatnonzero(runs == run)
            row = self.replies.slice(int(self.place[mine[0]]), 1).to_pylist()[0]
            language = self.language[int(mine[0])].as_py()
            seen.setdefault(tuple(row[name] for name in RUN_COLUMNS), set()).add(language)
            if language in names:
                wanted = allowed & (codes == names.index(language))
                answered = self.question[mine]
            else:
                wanted = allowed & self._first_of_id()
                answered = self.first[mine]
            wanted[answered] = False
            parts.append(self._missing(np.flatnonzero(wanted), row, language))
        if every_language:
            for run_key, known in seen.items():
                row = dict(zip(RUN_COLUMNS, run_key, strict=True))
                for code, name in enumerate(names):
                    if name not in known:
                        parts.append(self._missing(np.flatnonzero(allowed & (codes == code)), row, name))
        return parts

    def _first_of_id(self) -> NDArray[np.bool_]:
        _, first = np.unique(np.asarray(self.ids.dictionary_encode().indices), return_index=True)
        mask = np.zeros(len(self.ids), np.bool_)
        mask[first] = True
        return mask

    def _missing(self, rows: Integers, run: dict[str, Any], language: str) -> pa.Table:
        ids = self.ids.take(pa.array(rows))
        for identity in ids[:SHOWN].to_pylist():
            shown = [language, *(str(run[name]) for name in RUN_COLUMNS if run[name])]
            self.intake.add("missing", f"{identity} ({', '.join(shown)})")
        if len(rows) > SHOWN:
            self.intake.counts["missing"] += len(rows) - SHOWN
        fixed = {
            "place": 0,
            "number": False,
            "kind": MISSING,
            "reason": "",
            "otherwise": 0,
            "language": language,
        }
        fixed |= {name: run[name] for name in RUN_COLUMNS}
        arrays = [
            ids if field.name == "id" else pa.repeat(pa.scalar(fixed.get(field.name), field.type), len(rows))
            for field in SCHEMA
        ]
        return pa.Table.from_arrays([*arrays, pa.array(rows)], schema=_WITH_QUESTION)

    def table(self) -> pa.Table:
        """What is left and what is missing, in the order of ``Taken``."""
        left = self.replies.take(pa.array(self.place)).append_column("question", pa.array(self.question))
        left = left.set_column(left.column_names.index("id"), "id", self.ids.take(pa.array(self.question)))
        whole = pa.concat_tables([left.cast(_WITH_QUESTION), *self.absent])
        order = [("question", "ascending"), *((name, "ascending") for name in (*RUN_COLUMNS, "language"))]
        return whole.take(pc.sort_indices(whole, sort_keys=order))


_WITH_QUESTION: Final = SCHEMA.append(pa.field("question", pa.int64(), nullable=False))


def _padded(replies: pa.Table, ids: pa.StringArray) -> pa.Array:
    """The ids of the replies; a number that lost its leading zeros gets them back where that makes a known id."""
    given = replies["id"].combine_chunks()
    if not pc.any(replies["number"]).as_py():
        return given
    padded = pc.utf8_lpad(given, 16, "0")
    lost = pc.and_(replies["number"].combine_chunks(), pc.invert(pc.is_in(given, value_set=ids)))
    return pc.if_else(lost, padded, given)


def _places(values: pa.Array, among: pa.Array) -> Integers:
    """(n,) the first place of each value in ``among``, -1 where it is not there."""
    found = pc.index_in(values, value_set=among, skip_nulls=True)
    places: Integers = np.asarray(pc.fill_null(found, -1)).astype(np.int64)
    return places


def _optional(places: Integers) -> pa.Array:
    return pa.array(places, mask=places < 0)


def _joint(first: Integers, second: Integers) -> Integers:
    codes: Integers = np.unique(first * (int(second.max(initial=0)) + 1) + second, return_inverse=True)[1]
    return codes.astype(np.int64, copy=False)
