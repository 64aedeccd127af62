-- outlines of world maps are simplified at 0.9 km: a difference of 2 km is not theirs
WITH least AS (
  SELECT a.a_id, a.place_id, min(a.country) AS country, min(d.distance_km) AS km, min(d.centre_km) AS centre_km,
         row_number() OVER (PARTITION BY a.a_id ORDER BY md5('{salt}' || CAST(a.place_id AS STRING))) AS place
  FROM asked a JOIN d ON d.left_id = a.place_id AND d.right_id = a.neighbour GROUP BY a.a_id, a.place_id
), near_a AS (  -- of the neighbours, that which is nearest to B and C taken together: a wrong reading
  SELECT a_id, neighbour, row_number() OVER (PARTITION BY a_id ORDER BY sum(CAST(d.centre_km AS DECIMAL(18, 6))), neighbour) AS place
  FROM asked a JOIN d ON d.left_id = a.place_id AND d.right_id = a.neighbour GROUP BY a_id, neighbour
), stated AS (
  SELECT country, array_agg(DISTINCT neighbour) AS neighbours, array_agg(DISTINCT border) AS borders FROM beside GROUP BY country
), left_out AS (
  SELECT bc.left_id AS a_id, max(CASE WHEN f.contested = 1 THEN 1 ELSE 0 END) AS contested, max(f.unlisted) AS unlisted,
         min(bc.right_id) AS one, max(bc.right_id) AS other, max(h.countries) AS countries
  FROM bc JOIN home h ON h.id = bc.left_id JOIN fit f ON f.country = h.country
  WHERE f.scattered + f.contested + f.unlisted > 0 GROUP BY bc.left_id
)
SELECT x.a_id AS A, x.place_id AS B, y.place_id AS C,
       CASE WHEN {sign} * (x.km - y.km) < 0 THEN x.place_id ELSE y.place_id END AS answer_ids,
       CASE WHEN {sign} * (x.centre_km - y.centre_km) < 0 THEN x.place_id ELSE y.place_id END AS slip_centre,
       CASE WHEN {sign} * (dx.distance_km - dy.distance_km) < 0 THEN x.place_id ELSE y.place_id END AS slip_one_neighbour,
       s.neighbours AS members, s.borders AS evidence,
       CASE WHEN h.countries > 1 THEN 'country_not_certain'
            WHEN least(x.km, y.km) = 0 THEN 'place_lies_in_a_neighbour'
            WHEN abs(x.km - y.km) < greatest(2, 0.05 * greatest(x.km, y.km)) THEN 'distances_within_5_percent' END AS discard
FROM least x JOIN least y ON y.a_id = x.a_id AND x.place = 1 AND y.place = 2
JOIN home h ON h.id = x.a_id JOIN stated s ON s.country = x.country
JOIN near_a n ON n.a_id = x.a_id AND n.place = 1
JOIN d dx ON dx.left_id = x.place_id AND dx.right_id = n.neighbour
JOIN d dy ON dy.left_id = y.place_id AND dy.right_id = n.neighbour
UNION ALL
SELECT a_id AS A, one AS B, other AS C, NULL AS answer_ids, NULL AS slip_centre, NULL AS slip_one_neighbour, NULL AS members, NULL AS evidence,
       CASE WHEN contested = 1 THEN 'contested_country' WHEN unlisted = 1 THEN 'neighbour_without_a_stated_border'
            ELSE 'country_of_scattered_parts' END AS discard
FROM left_out WHERE one <> other
