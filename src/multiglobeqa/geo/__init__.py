"""Spatial kernels: NumPy in, NumPy out; no I/O, no engine.

Coordinates are longitude, latitude in degrees (WGS84); lengths km, areas km², angles degrees clockwise from
true north in [0, 360). Geometries are shapely object arrays, stored cut at longitude ±180, and an edge
between two vertices is the straight segment on the lon-lat plane (:mod:`multiglobeqa.geo.edges`). Bad input
raises :class:`multiglobeqa.errors.GeometryError` with the index of the first bad value.

check, edges, ellipsoid, lambert, pieces, seam, s2 and geohash hold the parts; the faces are distance,
nearest, measure, planes, shape, direction, cells, boxes and topology. awkward is the catalogue of awkward
geometries for tests.
"""
