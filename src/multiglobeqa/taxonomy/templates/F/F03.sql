-- borders of a world map are drawn coarsely, some more than others: ranks must stand a fifth apart
-- a country next to which a country lies without a stated border (a disputed one is left out) is not ranked
SELECT b_id AS B, class AS p_class, relation AS p_relation, max(CASE WHEN rank = {place} THEN id END) AS answer_ids, array_agg(id) AS members,
       CASE WHEN relation = 'of' AND b_id IN (SELECT id FROM unlinked) THEN 'neighbour_without_border'
            WHEN abs(max(CASE WHEN rank = {place} THEN length_km END) - max(CASE WHEN rank = {place} + 1 THEN length_km END))
                 < CASE WHEN class = 'border' THEN 0.2 ELSE 0.02 END * max(CASE WHEN rank = {place} THEN length_km END)
              OR abs(max(CASE WHEN rank = {place} THEN length_km END) - coalesce(max(CASE WHEN rank = {place} - 1 THEN length_km END), -1e9))
                 < CASE WHEN class = 'border' THEN 0.2 ELSE 0.02 END * max(CASE WHEN rank = {place} THEN length_km END) THEN 'ranks_too_close'
            WHEN NOT bool_and(plain_line) THEN 'lines_cut_or_divided' END AS discard
FROM lines GROUP BY b_id, class, relation
