-- borders of a world map are drawn coarsely, some more than others: ranks must stand a fifth apart
-- a country next to which a country lies without a stated border (a disputed one is left out) is not ranked
-- lines of one name that meet may be one line: their sum must not reach the rank asked for
WITH valued AS (
  SELECT b_id, class, relation, array_agg(id) AS members, bool_and(plain_line) AS plain,
         max(CASE WHEN rank = {place} THEN id END) AS answer_id,
         max(CASE WHEN rank = {place} + 1 THEN id END) AS next_id,
         max(CASE WHEN rank = size - {place} + 1 THEN id END) AS opposite_id,
         max(CASE WHEN rank = {place} THEN length_km END) AS length_km,
         max(CASE WHEN rank = {place} + 1 THEN length_km END) AS next_km,
         coalesce(max(CASE WHEN rank = {place} - 1 THEN length_km END), -1e9) AS previous_km,
         CASE WHEN class = 'border' THEN 0.2 ELSE 0.02 END AS apart
  FROM lines GROUP BY b_id, class, relation
), parts AS (
  SELECT b_id, class, max(length_km) AS length_km, min(best_rank) AS best_rank FROM joined GROUP BY b_id, class
)
SELECT v.b_id AS B, v.class AS p_class, v.relation AS p_relation, v.answer_id AS answer_ids, v.members,
       v.next_id AS slip_next_rank, v.opposite_id AS slip_opposite,
       CASE WHEN v.relation = 'of' AND u.id IS NOT NULL THEN 'neighbour_without_border'
            WHEN abs(v.length_km - v.next_km) < v.apart * v.length_km
              OR abs(v.length_km - v.previous_km) < v.apart * v.length_km THEN 'ranks_too_close'
            WHEN NOT v.plain THEN 'lines_cut_or_divided'
            WHEN '{rank}' <> 'shortest' AND p.length_km >= 0.98 * v.length_km
              OR '{rank}' = 'shortest' AND p.best_rank <= 2 THEN 'line_in_parts_of_one_name' END AS discard
FROM valued v LEFT JOIN unlinked u ON u.id = v.b_id LEFT JOIN parts p ON p.b_id = v.b_id AND p.class = v.class
