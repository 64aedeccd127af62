SELECT left_id AS A, right_id AS B, substr(contact, 1, {letters}) AS answer,
       CASE WHEN substr(start, 1, {letters}) <> substr(contact, 1, {letters}) THEN substr(start, 1, {letters}) END AS slip_start,
       CASE WHEN substr(first_inside, 1, {letters}) <> substr(contact, 1, {letters}) THEN substr(first_inside, 1, {letters}) END AS slip_fix_inside,
       CASE WHEN contact IS NULL OR narrower IS NULL THEN 'contact_hangs_on_radius'
            WHEN NOT known THEN 'winds_unknown_before_contact'
            WHEN wider = start THEN 'winds_there_from_the_first_fix'
            WHEN substr(from_fix, 1, {letters}) <> substr(to_fix, 1, {letters}) THEN 'fixes_of_different_dates' END AS discard
FROM w
