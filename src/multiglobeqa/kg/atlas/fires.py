"""NASA FIRMS active-fire points (CSV): single satellite detections, as dated points.

A detection is a hot pixel, not a fire with a name: the embedded world leaves them out, and they are never
hulled into perimeters (TAXONOMY, family I). The reader serves users who bring their own file.
"""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.report import ImportReport

IRI: Final = "http://stko-kwg.geog.ucsb.edu/lod/resource/fireDetection.{}"
LEAST_CONFIDENCE: Final = 80


def gather(path: Path, out: Gather, report: ImportReport, least_confidence: int = LEAST_CONFIDENCE) -> None:
    """Add one ``fire`` point a MODIS detection of presumed vegetation fire (type 0) with enough confidence.

    The id joins satellite, time (UTC) and position; its detections in one minute at one place are one.
    Raises InputError naming the line for a value that cannot be read.
    """
    seen: set[str] = set()
    with path.open(encoding="utf-8", newline="") as stream:
        for line, row in enumerate(csv.DictReader(stream), 2):
            report.read["detection"] += 1
            try:
                moment = datetime.strptime(f"{row['acq_date']} {int(row['acq_time']):04d}", "%Y-%m-%d %H%M")
                lon, lat, sure = float(row["longitude"]), float(row["latitude"]), float(row["confidence"])
                kind = int(row["type"])
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"cannot be read: {error}.", source=path, place=f"line {line}") from error
            event = f"{row['satellite']}.{moment:%Y%m%d%H%M}.{lat:.4f}.{lon:.4f}"
            if kind != 0 or sure < least_confidence:
                report.drop(
                    "detection_uncertain" if kind == 0 else "detection_no_vegetation_fire", f"line {line}"
                )
            elif event in seen:
                report.drop("detection_repeated", f"line {line}")
            else:
                seen.add(event)
                iri, name = IRI.format(event), f"Fire detection {event}"
                stamp = moment.replace(tzinfo=UTC)
                out.entity(
                    iri=iri,
                    name=name,
                    semantic="fire",
                    kind="point",
                    geometry=shapely.Point(lon, lat),
                    admin=[],
                    time_start=stamp,
                    time_end=stamp,
                    attributes={"confidence": sure, "frp_mw": float(row["frp"])},
                )
                out.label(iri, "und", name)
