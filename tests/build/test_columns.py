"""A column of the entity table reads as a dictionary by id."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from multiglobeqa.build.columns import Column


@pytest.mark.parametrize("chunked", [False, True])
def test_a_column_reads_as_a_dictionary(chunked: bool) -> None:
    values = pa.chunked_array([["a", "b"], [None, "d"]]) if chunked else pa.array(["a", "b", None, "d"])
    column = Column(values)
    assert dict(column) == {1: "a", 2: "b", 3: None, 4: "d"}
    assert len(column) == 4
    for entity in (0, 5, -1):
        assert entity not in column
        with pytest.raises(KeyError):
            column[entity]


def test_absent_entities_give_the_default() -> None:
    values = pa.array(["HIC/low", "HIC/low", None]).dictionary_encode()
    column = Column(values, np.array([True, False, True]))
    assert dict(column) == {1: "HIC/low", 3: None}
    assert column.get(2, "other") == "other"
    assert column.get(3, "other") is None
    assert len(column) == 2
