SELECT o.base_id, b.A, o.id AS B,
       CAST(NULL AS STRING) AS discard
FROM others o JOIN base b ON b.base_id = o.base_id
