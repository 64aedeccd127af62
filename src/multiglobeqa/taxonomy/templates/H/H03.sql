SELECT h.id AS A, h.cell AS answer_h3, s.cell AS answer_s2,
       CASE WHEN NOT (h.stable AND s.stable) THEN 'point_within_10_m_of_cell_edge' END AS discard
FROM hexagon h JOIN square s ON s.id = h.id
