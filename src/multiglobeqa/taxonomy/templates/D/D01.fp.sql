-- another storm, whose centre kept 50 km or more from X (a world map's outline may be 0.9 km off), and near enough to be mistaken
WITH told AS (
  SELECT x.base_id, n.left_id AS B, x.X,
         CASE WHEN n.distance_km < 52 OR EXISTS (SELECT 1 FROM runs r JOIN units u ON u.id = r.right_id WHERE r.left_id = n.left_id AND u.x_id = x.X) THEN 'track_within_50_km' END AS discard,
         md5('{salt}' || CAST(x.base_id AS STRING) || '/' || CAST(n.left_id AS STRING)) AS pick
  FROM base x JOIN reached n ON n.right_id = x.X WHERE n.left_id <> x.B
), shown AS (
  SELECT x_id, array_agg(id) AS evidence FROM (
    SELECT x_id, id, row_number() OVER (PARTITION BY x_id ORDER BY md5('{salt}' || CAST(id AS STRING))) AS turn FROM units) AS u
  WHERE turn <= 10 GROUP BY x_id
)
SELECT t.base_id, t.B, t.X, s.evidence, t.discard FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id, discard IS NULL ORDER BY pick) AS place FROM told
) AS t JOIN shown s ON s.x_id = t.X WHERE t.place <= 4
