-- a storm of one month answers for its month; of the others no guess may be right more often than not
SELECT a.left_id AS A, a.right_id AS B, substr(contact, 1, {letters}) AS answer,
       substr(contact, 1, {letters}) = substr(start, 1, {letters}) AS guess_first_date,
       substr(contact, 1, {letters}) = substr(CAST(s.time_end AS STRING), 1, {letters}) AS guess_last_date,
       CASE WHEN substr(start, 1, {letters}) <> substr(contact, 1, {letters}) THEN substr(start, 1, {letters}) END AS slip_start,
       CASE WHEN substr(first_inside, 1, {letters}) <> substr(contact, 1, {letters}) THEN substr(first_inside, 1, {letters}) END AS slip_fix_inside,
       CASE WHEN a.one_date THEN 'storm_of_one_month'
            WHEN contact IS NULL OR narrower IS NULL THEN 'contact_hangs_on_radius'
            WHEN NOT known THEN 'winds_unknown_before_contact'
            WHEN wider = start THEN 'winds_there_from_the_first_fix'
            WHEN substr(from_fix, 1, {letters}) <> substr(to_fix, 1, {letters}) THEN 'fixes_of_different_dates' END AS discard
FROM asked a JOIN entity s ON s.id = a.left_id LEFT JOIN w ON w.left_id = a.left_id AND w.right_id = a.right_id
