SELECT left_id AS A, right_id AS B, cell AS answer,
       CASE WHEN cell IS NULL OR resolution < {coarsest} THEN 'common_cell_too_coarse'
            WHEN NOT stable THEN 'point_within_10_m_of_cell_edge' END AS discard
FROM common
