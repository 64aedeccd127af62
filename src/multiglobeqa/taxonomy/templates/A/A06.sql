WITH summed AS (
  SELECT x.parent_id, x.class, CAST(sum(CAST(d.distance_km AS DECIMAL(18, 6))) AS DOUBLE) / count(*) AS average,
         min(d.distance_km) AS minimum, max(d.distance_km) AS maximum, median(d.distance_km) AS median,
         array_agg(DISTINCT x.id) || array_agg(DISTINCT y.id) AS members
  FROM chosen x JOIN chosen y ON x.parent_id = y.parent_id AND x.class = y.class AND x.id < y.id
  JOIN d ON d.left_id = x.id AND d.right_id = y.id
  GROUP BY x.parent_id, x.class
)
SELECT s.parent_id AS B, s.class AS p_class, s.{aggregate} AS answer, s.members,
       CASE WHEN '{aggregate}' <> 'average' THEN s.average END AS slip_average,
       CASE WHEN '{aggregate}' <> 'minimum' THEN s.minimum END AS slip_minimum,
       CASE WHEN '{aggregate}' <> 'maximum' THEN s.maximum END AS slip_maximum,
       CASE WHEN '{aggregate}' <> 'median' THEN s.median END AS slip_median,
       CASE WHEN u.class IS NOT NULL THEN 'member_of_unknown_parent' END AS discard
FROM summed s LEFT JOIN doubtful u ON u.parent_id = s.parent_id AND u.class = s.class
