-- What a client weighed, where an exercise is done with the body's own weight: helped, or with more.
ALTER TABLE workout_performance ADD COLUMN body_weight_mg BIGINT;
-- The starter library's assisted and weighted exercises (numbers 105, 106, 139, 140, 141) were counted as any other:
-- what was logged of them is counted anew, a client at a time.
INSERT INTO timer (company_id, kind, subject, due_at, attempts)
    SELECT DISTINCT company_id, 'recount_workouts', client_id, 0, 0 FROM workout_progress
    WHERE exercise_id IN ('000000000000010000000069', '00000000000001000000006a', '00000000000001000000008b',
        '00000000000001000000008c', '00000000000001000000008d');
