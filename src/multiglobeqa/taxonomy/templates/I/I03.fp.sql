WITH placed AS (
  SELECT o.base_id, o.left_id, o.right_id, w.distance_km >= 520 AND w.distance_km >= 2.1 * k.greatest_km AS far,
         row_number() OVER (PARTITION BY o.base_id ORDER BY CASE WHEN w.distance_km >= 520 AND w.distance_km >= 2.1 * k.greatest_km THEN 0 ELSE 1 END, md5('{salt}' || CAST(o.right_id AS STRING))) AS place
  FROM offers o JOIN away w ON w.left_id = o.left_id AND w.right_id = o.right_id
  JOIN blown k ON k.left_id = o.left_id AND k.right_id = o.right_id
)
SELECT base_id, left_id AS A, right_id AS B, CASE WHEN NOT far THEN 'track_within_500_km_or_2_radii' END AS discard FROM placed WHERE place <= 5
