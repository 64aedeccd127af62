SELECT p.id AS A, p.radius_km AS p_radius_km, p.source AS p_source, CAST(p.people AS BIGINT) AS answer,
       CAST(p.people_half AS BIGINT) AS slip_radius_for_diameter,
       CASE WHEN NOT p.complete THEN CASE WHEN '{rule}' = 'table' THEN 'cell_without_a_density' ELSE 'circle_leaves_the_grid' END
            WHEN p.people < 1000 THEN 'fewer_than_1000_people'
            WHEN abs(p.people_other - p.people) > 0.025 * p.people THEN 'centre_rule_and_area_rule_differ' END AS discard
FROM people p
