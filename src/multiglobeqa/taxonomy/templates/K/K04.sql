SELECT id AS A, {column} AS answer, CAST(NULL AS VARCHAR) AS discard FROM m
