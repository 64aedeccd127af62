-- hints: degrees of longitude and latitude taken as 111.32 km each; the bearing of the rhumb line
SELECT d.right_id AS A, d.left_id AS B, d.azimuth_deg AS answer_azimuth_deg, d.centre_km AS answer_distance_km,
       CASE WHEN d.centre_km >= 0.05 THEN round((degrees(atan2((a.ref_lon - b.ref_lon + 540) % 360 - 180, a.ref_lat - b.ref_lat)) + 360) % 360, 6)
            END AS hint_planar_azimuth_deg,
       CASE WHEN d.centre_km >= 0.05 THEN round(111.32 * sqrt(power((a.ref_lon - b.ref_lon + 540) % 360 - 180, 2) + power(a.ref_lat - b.ref_lat, 2)), 6)
            END AS hint_planar_distance_km,
       CASE WHEN NOT isnan(d.rhumb_deg) THEN round(d.rhumb_deg, 6) END AS hint_rhumb_azimuth_deg,
       CASE WHEN NOT isnan(d.rhumb_deg) THEN round(d.centre_km, 6) END AS hint_rhumb_distance_km,
       CASE WHEN d.centre_km < 0.05 THEN 'closer_than_50_m' END AS discard
FROM d JOIN entity a ON a.id = d.right_id JOIN entity b ON b.id = d.left_id
