SELECT p.left_id AS A, p.right_id AS B, {sign} * (a.{first} - b.{first}) > 0 AS answer,
       CASE WHEN isnan(a.{first} + b.{first} + a.{second} + b.{second}) THEN 'value_not_a_number'
            WHEN abs(a.{first} - b.{first}) <= 0.05 * greatest(a.{first}, b.{first}) THEN 'values_within_5_percent'
            WHEN (a.{first} > b.{first}) <> (a.{second} > b.{second}) THEN 'second_measure_disagrees' END AS discard
FROM ab p JOIN shapes a ON a.id = p.left_id JOIN shapes b ON b.id = p.right_id
