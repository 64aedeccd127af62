SELECT id AS A, {column} AS answer, CAST(NULL AS STRING) AS discard FROM m
