SELECT id AS A, lon AS answer_lon, lat AS answer_lat, CAST(NULL AS STRING) AS discard FROM m
