-- Polsby-Popper up to the factor 4 pi, from the geodesic area and perimeter; edges on longitude 180 are no boundary
WITH scored AS (
  SELECT s.id, s.area_km2 / (s.perimeter_km * s.perimeter_km) AS first, s.reock AS second,
         (e.west <= -180) <> (e.east >= 180) AS ends_at_seam
  FROM shapes s JOIN entity e ON e.id = s.id
)
SELECT p.left_id AS A, p.right_id AS B, {sign} * (a.first - b.first) > 0 AS answer,
       CASE WHEN a.ends_at_seam OR b.ends_at_seam THEN 'ends_at_the_antimeridian'
            WHEN isnan(a.first + b.first + a.second + b.second) THEN 'value_not_a_number'
            WHEN abs(a.first - b.first) <= 0.05 * greatest(a.first, b.first) THEN 'values_within_5_percent'
            WHEN (a.first > b.first) <> (a.second > b.second) THEN 'second_measure_disagrees' END AS discard
FROM ab p JOIN scored a ON a.id = p.left_id JOIN scored b ON b.id = p.right_id
