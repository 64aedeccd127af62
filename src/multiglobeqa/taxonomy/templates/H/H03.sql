SELECT h.id AS A, h.cell AS answer_h3, s.cell AS answer_s2,
       c.cell AS slip_coarser_h3, d.cell AS slip_coarser_s2, f.cell AS slip_finer_h3, g.cell AS slip_finer_s2,
       CASE WHEN NOT (h.stable AND s.stable) THEN 'point_within_10_m_of_cell_edge' END AS discard
FROM hexagon h JOIN square s ON s.id = h.id JOIN wide_hexagon c ON c.id = h.id JOIN wide_square d ON d.id = h.id
JOIN small_hexagon f ON f.id = h.id JOIN small_square g ON g.id = h.id
