-- hint_other_side: east taken for west
SELECT id AS A, lon AS answer_lon, lat AS answer_lat, -lon AS hint_other_side_lon, lat AS hint_other_side_lat, CAST(NULL AS STRING) AS discard FROM m
