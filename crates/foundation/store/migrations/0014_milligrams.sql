-- Weights are kept in milligrams: a hundred pounds are no whole number of grams.
ALTER TABLE workout_session RENAME COLUMN volume_g TO volume_mg;
ALTER TABLE workout_performance RENAME COLUMN volume_g TO volume_mg;
ALTER TABLE workout_progress RENAME COLUMN total_volume_g TO total_volume_mg;
UPDATE workout_session SET volume_mg = volume_mg * 1000 WHERE volume_mg <> 0;
UPDATE workout_performance SET volume_mg = volume_mg * 1000 WHERE volume_mg <> 0;
UPDATE workout_progress SET total_volume_mg = total_volume_mg * 1000 WHERE total_volume_mg <> 0;

-- What was skipped was not performed.
UPDATE workout_performance SET counted = FALSE WHERE counted AND set_count = 0;
