"""KnowWhereGraph: RDF dumps in both IRI generations, and rows exported as CSV, to entity and label
batches.
"""

from multiglobeqa.kg.knowwheregraph.reader import read
from multiglobeqa.kg.knowwheregraph.table import read_csv

__all__ = ["read", "read_csv"]
