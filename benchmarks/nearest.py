"""Nearest places and distance joins: this package against GeoPandas, on equal input in one run.

Tasks: the 10 nearest and the nearest of 1,000 probes, all pairs of places within 5 km, and 2,000 points
against first-level regions within 20 km. GeoPandas runs as its users run it (projected to EPSG:6933 or to the
equidistant EPSG:4087, then sjoin_nearest and dwithin; it has no k-nearest, so a search within a radius that
doubles), and so that its answers are exact: candidates by boxes in degrees from its index, then geodesic
distances by pyproj.

    python benchmarks/nearest.py [--places FILE.parquet] [--regions FILE.parquet] [--repeat N] [--sample N]

Without files: GeoNames places and first-level regions of the embedded world, where it is built. Points
generated with two clusters on the antimeridian are measured always. Each method runs in a process of its own,
the median of the repeats counts, from the input in the tool's own form (coordinate arrays, a GeoDataFrame in
EPSG:4326) to the answer, index and projection included.

wrong: probes whose distances differ from the exact ones by more than 1 mm; pairs missing or too many. Exact
is this package's answer, after it was compared with a brute force over all places for a sample (for regions:
over their borders cut to 100 m around the point), which stops the run where it differs.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import shapely
from pyproj import Geod

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "src"))

WORLD = REPOSITORY / "src" / "multiglobeqa" / "data" / "world"
K, PROBES, PAIR_KM, REGION_KM, REGION_POINTS = 10, 1_000, 5.0, 20.0, 2_000
SAME_KM = 1e-6
EQUAL_AREA, EQUIDISTANT = "EPSG:6933", "EPSG:4087"
SMALLEST_RADIUS_KM = 6335.4  # of curvature: of the meridian, at the equator
GEOD = Geod(ellps="WGS84")

Array = Any
Input = dict[str, Array]
"""lon, lat: the places; probe_lon, probe_lat; regions: geometries."""


# --- this package ---


def ours_k_nearest(data: Input, k: int) -> Callable[[], Array]:
    from multiglobeqa.geo.nearest import PointIndex

    return lambda: PointIndex(data["lon"], data["lat"]).k_nearest(data["probe_lon"], data["probe_lat"], k)[0]


def ours_within(data: Input, km: float) -> Callable[[], Array]:
    from multiglobeqa.geo.nearest import PointIndex

    lon, lat = data["lon"], data["lat"]
    return lambda: np.array(PointIndex(lon, lat).within(lon, lat, km)[:2])


def ours_regions(data: Input, km: float) -> Callable[[], Array]:
    from multiglobeqa.geo.nearest import geometry_within

    points, regions = shapely.points(data["probe_lon"], data["probe_lat"]), data["regions"]
    return lambda: np.array(geometry_within(points, regions, km)[:2])


# --- GeoPandas on a plane ---


def frame(geometry: Array) -> Any:
    import geopandas

    return geopandas.GeoDataFrame(geometry=geometry, crs="EPSG:4326")


def frames(data: Input) -> tuple[Any, Any]:
    """Places and probes."""
    return (
        frame(shapely.points(data["lon"], data["lat"])),
        frame(shapely.points(data["probe_lon"], data["probe_lat"])),
    )


def plane_nearest(data: Input, crs: str) -> Callable[[], Array]:
    """The nearest place by sjoin_nearest; of several at one distance the first."""
    import geopandas

    places, probes = frames(data)

    def run() -> Array:
        joined = geopandas.sjoin_nearest(probes.to_crs(crs), places.to_crs(crs))["index_right"]
        return joined[~joined.index.duplicated()].to_numpy()[:, None]

    return run


def plane_k_nearest(data: Input, k: int, crs: str, start_km: float = 10.0) -> Callable[[], Array]:
    """The k nearest: dwithin on the index with a radius that doubles until k are found, then by distance."""
    places, probes = frames(data)

    def run() -> Array:
        there, here = places.to_crs(crs), probes.to_crs(crs).geometry.to_numpy()
        points = there.geometry.to_numpy()
        return doubling(
            len(here),
            min(k, len(there)),
            start_km * 1000,
            lambda rows, r: there.sindex.query(here[rows], predicate="dwithin", distance=r),
            lambda rows, at: shapely.distance(here[rows], points[at]),
        )

    return run


def plane_within(data: Input, km: float, crs: str) -> Callable[[], Array]:
    """All pairs by sjoin."""
    import geopandas

    places, _ = frames(data)

    def run() -> Array:
        there = places.to_crs(crs)
        joined = geopandas.sjoin(there, there, predicate="dwithin", distance=km * 1000)
        return np.array([joined.index.to_numpy(), joined["index_right"].to_numpy()])

    return run


def plane_regions(data: Input, km: float, crs: str) -> Callable[[], Array]:
    """Points and regions by sjoin."""
    import geopandas

    probes, regions = frame(shapely.points(data["probe_lon"], data["probe_lat"])), frame(data["regions"])

    def run() -> Array:
        joined = geopandas.sjoin(
            probes.to_crs(crs), regions.to_crs(crs), predicate="dwithin", distance=km * 1000
        )
        return np.array([joined.index.to_numpy(), joined["index_right"].to_numpy()])

    return run


# --- GeoPandas for candidates, geodesic distances for the answer ---


def boxes(lon: Array, lat: Array, km: float) -> tuple[Array, Array]:
    """Boxes in degrees that hold all within km of each point, and whose they are: two where the antimeridian
    is crossed, all longitudes where a pole is.
    """
    angle = km / SMALLEST_RADIUS_KM
    high = np.degrees(angle)
    sine = np.sin(min(angle, np.pi / 2)) / np.maximum(np.cos(np.radians(lat)), 1e-12)
    polar = (np.abs(lat) + high >= 90) | (sine >= 1)
    wide = np.where(polar, 180.0, np.degrees(np.arcsin(np.minimum(sine, 1))) + 1e-9)
    at = np.where(polar, 0.0, lon)
    west, east, owner = at - wide, at + wide, np.arange(len(lon))
    over, under = np.flatnonzero(east > 180), np.flatnonzero(west < -180)
    west = np.concatenate([west, west[over] - 360, west[under] + 360])
    east = np.concatenate([east, east[over] - 360, east[under] + 360])
    owner = np.concatenate([owner, over, under])
    return shapely.box(west, lat[owner] - high, east, lat[owner] + high), owner


def exact_k_nearest(data: Input, k: int, start_km: float = 10.0) -> Callable[[], Array]:
    """The k nearest: boxes that double until k lie within the radius."""
    places, _ = frames(data)
    lon, lat, x, y = (data[name] for name in ("probe_lon", "probe_lat", "lon", "lat"))

    def run() -> Array:
        sindex = places.copy().sindex  # a copy has no index yet: building it belongs to the work

        def search(rows: Array, km: float) -> tuple[Array, Array]:
            shapes, owner = boxes(lon[rows], lat[rows], km)
            box, at = sindex.query(shapes)
            row = owner[box]
            near = geodesic_km(lon[rows][row], lat[rows][row], x[at], y[at]) <= km
            return row[near], at[near]

        def distance(rows: Array, at: Array) -> Array:
            return geodesic_km(lon[rows], lat[rows], x[at], y[at])

        return doubling(len(lon), min(k, len(x)), start_km, search, distance)

    return run


def exact_within(data: Input, km: float) -> Callable[[], Array]:
    """All pairs: a box for each place, then geodesic distances."""
    places, _ = frames(data)
    lon, lat = data["lon"], data["lat"]

    def run() -> Array:
        shapes, owner = boxes(lon, lat, km)
        box, right = places.copy().sindex.query(shapes)
        left = owner[box]
        keep = geodesic_km(lon[left], lat[left], lon[right], lat[right]) <= km
        return np.array([left[keep], right[keep]])

    return run


def exact_regions(data: Input, km: float) -> Callable[[], Array]:
    """Points and regions: a region's part in the point's box, edges cut at 0.05 degrees, on the azimuthal
    equidistant plane of the point.
    """
    lon, lat, polygons = data["probe_lon"], data["probe_lat"], data["regions"]
    regions = frame(polygons)

    def run() -> Array:
        shapes, owner = boxes(lon, lat, km)
        box, right = regions.copy().sindex.query(shapes, predicate="intersects")
        left = owner[box]
        inside = shapely.contains_properly(polygons[right], shapes[box])
        parts = shapely.intersection(polygons[right[~inside]], shapes[box[~inside]])
        parts = shapely.segmentize(parts, 0.05)
        xy, part = shapely.get_coordinates(parts, return_index=True)
        centre = left[~inside][part]
        azimuth, _, metres = GEOD.inv(lon[centre], lat[centre], xy[:, 0], xy[:, 1])
        azimuth = np.radians(azimuth)
        flat = shapely.set_coordinates(
            parts, np.column_stack([metres * np.sin(azimuth), metres * np.cos(azimuth)])
        )
        near = inside.copy()
        near[~inside] = shapely.distance(flat, shapely.Point(0, 0)) <= km * 1000
        return np.unique(np.array([left[near], right[near]]), axis=1)

    return run


# --- shared ---


def geodesic_km(lon: Array, lat: Array, x: Array, y: Array) -> Array:
    return GEOD.inv(lon, lat, x, y)[2] / 1000


def doubling(
    n: int,
    k: int,
    radius: float,
    search: Callable[[Array, float], Any],
    distance: Callable[[Array, Array], Array],
) -> Array:
    """The k nearest of n probes by searches within a radius that doubles for those that found fewer.

    ``search(probes, radius)`` gives pairs (place in probes, index); ``distance(probes, indices)`` ranks them.
    """
    found = np.zeros((n, k), dtype=np.int64)
    todo = np.arange(n)
    while len(todo):
        row, at = search(todo, radius)
        row, at = np.asarray(row), np.asarray(at)
        order = np.lexsort((distance(todo[row], at), row))
        row, at = row[order], at[order]
        count = np.bincount(row, minlength=len(todo))
        first = np.cumsum(count) - count
        full = np.flatnonzero(count >= k)
        found[todo[full]] = at[first[full][:, None] + np.arange(k)]
        todo, radius = todo[count < k], radius * 2
    return found


Method = Callable[[Input], Callable[[], Array]]
OURS = "multiglobeqa"
TASKS: dict[str, tuple[str, dict[str, Method]]] = {
    "k_nearest": (
        f"{K} nearest of {PROBES:,} probes",
        {
            OURS: lambda d: ours_k_nearest(d, K),
            f"geopandas {EQUAL_AREA} dwithin, doubling": lambda d: plane_k_nearest(d, K, EQUAL_AREA),
            f"geopandas {EQUIDISTANT} dwithin, doubling": lambda d: plane_k_nearest(d, K, EQUIDISTANT),
            "geopandas boxes + geodesic": lambda d: exact_k_nearest(d, K),
        },
    ),
    "nearest": (
        f"nearest of {PROBES:,} probes",
        {
            OURS: lambda d: ours_k_nearest(d, 1),
            f"geopandas {EQUAL_AREA} sjoin_nearest": lambda d: plane_nearest(d, EQUAL_AREA),
            f"geopandas {EQUIDISTANT} sjoin_nearest": lambda d: plane_nearest(d, EQUIDISTANT),
            "geopandas boxes + geodesic": lambda d: exact_k_nearest(d, 1, 5.0),
        },
    ),
    "within": (
        f"pairs within {PAIR_KM:g} km",
        {
            OURS: lambda d: ours_within(d, PAIR_KM),
            f"geopandas {EQUAL_AREA} sjoin dwithin": lambda d: plane_within(d, PAIR_KM, EQUAL_AREA),
            f"geopandas {EQUIDISTANT} sjoin dwithin": lambda d: plane_within(d, PAIR_KM, EQUIDISTANT),
            "geopandas boxes + geodesic": lambda d: exact_within(d, PAIR_KM),
        },
    ),
    "regions": (
        f"points to regions within {REGION_KM:g} km",
        {
            OURS: lambda d: ours_regions(d, REGION_KM),
            f"geopandas {EQUAL_AREA} sjoin dwithin": lambda d: plane_regions(d, REGION_KM, EQUAL_AREA),
            "geopandas boxes + local planes": lambda d: exact_regions(d, REGION_KM),
        },
    ),
}


# --- what is right ---


def count_wrong(task: str, data: Input, answer: Array, exact: Array) -> tuple[int, int, str]:
    """How many answers are wrong, of how many exact ones, and the unit."""
    if task in ("k_nearest", "nearest"):
        apart = np.abs(probe_km(data, answer) - probe_km(data, exact)) > SAME_KM
        return int(apart.any(axis=1).sum()), len(exact), "probes"
    n = int(max(answer.max(initial=0), exact.max(initial=0))) + 1
    codes = answer[0] * n + answer[1], exact[0] * n + exact[1]
    return len(np.setxor1d(*codes)), exact.shape[1], "pairs"


def probe_km(data: Input, index: Array) -> Array:
    """(m, k) ascending distances of answers."""
    k = index.shape[1]
    lon, lat = np.repeat(data["probe_lon"], k), np.repeat(data["probe_lat"], k)
    km = geodesic_km(lon, lat, data["lon"][index.ravel()], data["lat"][index.ravel()])
    return np.sort(km.reshape(index.shape), axis=1)


def check_exact(task: str, data: Input, answer: Array, sample: int) -> int:
    """Compare answers of a sample with brute force; returns the sample's size, or stops with the place."""
    origin = ("lon", "lat") if task == "within" else ("probe_lon", "probe_lat")
    lon, lat = data[origin[0]], data[origin[1]]
    chosen = np.random.default_rng(7).permutation(len(lon))[:sample].tolist()
    for row in chosen:
        x, y = float(lon[row]), float(lat[row])
        if task == "regions":
            km, radius, slack = region_km(x, y, data["regions"]), REGION_KM, 1e-3
        else:
            n = len(data["lon"])
            km, radius, slack = (
                geodesic_km(np.full(n, x), np.full(n, y), data["lon"], data["lat"]),
                PAIR_KM,
                0.0,
            )
        if task in ("k_nearest", "nearest"):
            k = answer.shape[1]
            off = np.abs(np.sort(km[answer[row]]) - np.sort(np.partition(km, k - 1)[:k]))
            good = bool((off <= SAME_KM).all())
        else:
            got = np.zeros(len(km), dtype=bool)
            got[answer[1][answer[0] == row]] = True
            good = not (got & (km > radius + slack)).any() and not (~got & (km <= radius - slack)).any()
        if not good:
            raise SystemExit(f"nearest: {task} of this package differs from brute force at {x} {y}.")
    return len(chosen)


def region_km(x: float, y: float, regions: Array) -> Array:
    """Distance of one point to every region, infinite beyond 1.2 times the radius: 0 inside, else to points
    every 0.001 degrees along the border (edges are straight in longitude and latitude).
    """
    km = np.full(len(regions), np.inf)
    for window in boxes(np.array([x]), np.array([y]), 1.2 * REGION_KM)[0]:
        for at in np.flatnonzero(shapely.intersects(regions, window)).tolist():
            border = shapely.segmentize(shapely.intersection(regions[at].boundary, window), 0.001)
            xy = shapely.get_coordinates(border)
            if len(xy):
                far = geodesic_km(np.full(len(xy), x), np.full(len(xy), y), xy[:, 0], xy[:, 1])
                km[at] = min(km[at], float(far.min()))
    km[shapely.intersects_xy(regions, x, y)] = 0.0
    return km


# --- input ---


def real_places(path: Path, seed: int = 1) -> Input:
    """Reference points of an entity table, and probes near a sample of them."""
    table = pq.read_table(path, columns=["ref_lon", "ref_lat"])
    return with_probes(table["ref_lon"].to_numpy(), table["ref_lat"].to_numpy(), seed)


def clustered_places(n: int = 50_000, seed: int = 1) -> Input:
    """Points of the whole sphere (two fifths) and of two clusters on the antimeridian, at 17 S and 66 N."""
    random = np.random.default_rng(seed)
    part = n * 3 // 10
    rest = n - 2 * part
    lon = [random.uniform(-180, 180, rest)]
    lat = [np.degrees(np.arcsin(random.uniform(-1, 1, rest)))]
    for centre in (-17.0, 66.0):
        spread = random.normal(0, 0.5, (2, part))
        lon.append((spread[0] / np.cos(np.radians(centre)) + 360) % 360 - 180)
        lat.append(centre + spread[1])
    return with_probes(np.concatenate(lon), np.concatenate(lat), seed)


def with_probes(lon: Array, lat: Array, seed: int) -> Input:
    """Places and probes within about 0.05 degrees of a sample of them."""
    random = np.random.default_rng(seed)
    rows = random.permutation(len(lon))[:PROBES]
    moved = random.uniform(-0.05, 0.05, (2, len(rows)))
    x, y = (lon[rows] + moved[0] + 180) % 360 - 180, np.clip(lat[rows] + moved[1], -90, 90)
    return {"lon": lon, "lat": lat, "probe_lon": x, "probe_lat": y}


def with_regions(places: Input, path: Path, seed: int = 2) -> Input:
    """First-level regions of an entity table, and a sample of places as points."""
    table = pq.read_table(path, columns=["geometry"], filters=[("level", "=", 1), ("kind", "=", "surface")])
    rows = np.random.default_rng(seed).permutation(len(places["lon"]))[:REGION_POINTS]
    regions = shapely.from_wkb(np.array(table["geometry"].to_pylist(), dtype=object))
    return {"probe_lon": places["lon"][rows], "probe_lat": places["lat"][rows], "regions": regions}


def save(path: Path, data: Input) -> None:
    """Write an input for the processes."""
    plain = {name: value for name, value in data.items() if name != "regions"}
    if "regions" in data:
        shapely.to_wkb(data["regions"]).dump(path.with_suffix(".wkb"))
    np.savez(path, **plain)


def load(path: Path) -> Input:
    """Read an input."""
    with np.load(path) as stored:
        data: Input = dict(stored)
    if path.with_suffix(".wkb").is_file():
        data["regions"] = shapely.from_wkb(np.load(path.with_suffix(".wkb"), allow_pickle=True))
    return data


# --- runs ---


def peak_mb() -> int:
    """Peak memory of this process so far. On Linux ru_maxrss begins at the parent's size; VmHWM does not."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit)


def child(task: str, method: str, source: Path, target: Path, repeat: int) -> None:
    """Run one method; prints a JSON line and writes the answer."""
    run = TASKS[task][1][method](load(source))
    before, seconds = peak_mb(), []
    for _ in range(repeat):
        start = time.perf_counter()
        answer = run()
        seconds.append(time.perf_counter() - start)
    np.save(target, answer)
    print(json.dumps({"seconds": statistics.median(seconds), "before": before, "peak": peak_mb()}))


def measure(task: str, method: str, source: Path, repeat: int) -> tuple[dict[str, Any], Array]:
    """One method in a process of its own: its figures and its answer."""
    target = source.with_name("answer.npy")
    arguments = ["--run", task, method, str(source), str(target), str(repeat)]
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"nearest: {task} by {method} failed:\n{done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1]), np.load(target)


def compare(task: str, data: Input, repeat: int, sample: int) -> None:
    """Measure the methods of a task and print their lines."""
    title, methods = TASKS[task]
    with tempfile.TemporaryDirectory(prefix="mgqa-bench-") as folder:
        source = Path(folder) / "input.npz"
        save(source, data)
        ours, exact = measure(task, OURS, source, repeat)
        checked = check_exact(task, data, exact, sample)
        print(f"{title} ({OURS} equals brute force on a sample of {checked})")
        for method in methods:
            figures, answer = (ours, exact) if method == OURS else measure(task, method, source, repeat)
            wrong, total, unit = count_wrong(task, data, answer, exact)
            ratio = figures["seconds"] / ours["seconds"]
            print(
                f"  {method:<42} {figures['seconds']:8.3f} {ratio:7.2f}x {wrong:9,d} of {total:9,d} {unit:<6}"
                f" {figures['peak']:6d} {figures['before']:7d}",
                flush=True,
            )


def main() -> None:
    """Measure and print the table."""
    if sys.argv[1:2] == ["--run"]:
        task, method, source, target, repeat = sys.argv[2:]
        child(task, method, Path(source), Path(target), int(repeat))
        return
    parser = argparse.ArgumentParser(description="Nearest places and distance joins against GeoPandas.")
    parser.add_argument("--places", type=Path, default=WORLD / "worldkg" / "geonames.entities.parquet")
    parser.add_argument("--regions", type=Path, default=WORLD / "knowwheregraph" / "admin.entities.parquet")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--sample", type=int, default=50, help="Probes checked by brute force.")
    options = parser.parse_args()
    if importlib.util.find_spec("geopandas") is None:
        print("nearest: GeoPandas is not installed here; `pip install .[bench]`. Nothing measured.")
        return
    clusters = clustered_places()
    inputs = {f"{len(clusters['lon']):,} generated points, two clusters on the antimeridian": clusters}
    if options.places.is_file():
        places = real_places(options.places)
        inputs = {f"{len(places['lon']):,} places of {options.places.name}": places} | inputs
    else:
        print(f"nearest: {options.places} is not there; generated points only.")
    print(f"{'':<44} {'seconds':>8} {'ratio':>8} {'wrong':>9} of {'exact':>9} {'':<6} peak MB (before)")
    for name, data in inputs.items():
        print(f"-- {name}")
        for task in ("k_nearest", "nearest", "within"):
            compare(task, data, options.repeat, options.sample)
    if options.places.is_file() and options.regions.is_file():
        data = with_regions(places, options.regions)
        count = len(data["regions"])
        print(f"-- {len(data['probe_lon']):,} places, {count:,} regions of {options.regions.name}")
        compare("regions", data, options.repeat, options.sample)
    print("ratio: seconds over those of multiglobeqa; above 1, this package is faster.")


if __name__ == "__main__":
    main()
