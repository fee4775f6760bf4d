-- A company's own exercises and equipment; those of the starter library are in the binary. What
-- belongs to one client names it.
CREATE TABLE workout_exercise (
    company_id TEXT NOT NULL REFERENCES company,
    exercise_id TEXT NOT NULL,
    name TEXT NOT NULL,
    aliases TEXT NOT NULL,
    primary_muscles TEXT NOT NULL,
    secondary_muscles TEXT NOT NULL,
    equipment TEXT NOT NULL,
    tracking_type TEXT NOT NULL,
    unilateral BOOLEAN NOT NULL,
    instructions TEXT,
    video_url TEXT,
    thumbnail TEXT,
    haystack TEXT NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, exercise_id)
);

CREATE TABLE workout_equipment (
    company_id TEXT NOT NULL REFERENCES company,
    item_id TEXT NOT NULL,
    client_id TEXT,
    item_key TEXT NOT NULL,
    label TEXT NOT NULL,
    category TEXT,
    aliases TEXT NOT NULL,
    family TEXT,
    modality TEXT,
    resistance_type TEXT,
    movement_tags TEXT NOT NULL,
    usage_contexts TEXT NOT NULL,
    haystack TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, item_id)
);
CREATE INDEX workout_equipment_client ON workout_equipment (company_id, client_id, item_id);
CREATE INDEX workout_equipment_key ON workout_equipment (company_id, client_id, item_key);

CREATE TABLE workout_settings (
    company_id TEXT NOT NULL PRIMARY KEY REFERENCES company,
    weight_unit TEXT NOT NULL,
    default_rest_seconds BIGINT NOT NULL,
    default_release_policy TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- A template, or the plan of a client that was made from one. Weeks are numbered from 1 to
-- total_weeks; the days are moments. end_date is set at assignment and stays.
CREATE TABLE workout_plan (
    company_id TEXT NOT NULL REFERENCES company,
    plan_id TEXT NOT NULL,
    client_id TEXT,
    template_id TEXT,
    group_id TEXT,
    name TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL,
    difficulty TEXT,
    intensity TEXT,
    category TEXT,
    goal TEXT,
    layout TEXT NOT NULL,
    mode TEXT NOT NULL,
    release_policy TEXT NOT NULL,
    start_date TEXT,
    end_date TEXT,
    time_zone TEXT NOT NULL,
    total_weeks BIGINT NOT NULL,
    total_days BIGINT NOT NULL,
    total_exercises BIGINT NOT NULL,
    haystack TEXT NOT NULL,
    published_at BIGINT,
    deleted_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, plan_id)
);
CREATE INDEX workout_plan_client ON workout_plan (company_id, client_id, plan_id);

-- A day of a plan, with its exercises as JSON; weights in grams.
CREATE TABLE workout_moment (
    company_id TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    plan_moment_id TEXT NOT NULL,
    week_number BIGINT NOT NULL,
    day_order BIGINT NOT NULL,
    weekday BIGINT,
    name TEXT NOT NULL,
    notes TEXT,
    start_time TEXT,
    planned_duration_minutes BIGINT,
    exercises TEXT NOT NULL,
    exercise_count BIGINT NOT NULL,
    deleted_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, plan_id, plan_moment_id)
);

-- An occurrence of a day that a client does on another date than planned.
CREATE TABLE workout_move (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    move_id TEXT NOT NULL,
    plan_id TEXT NOT NULL,
    plan_moment_id TEXT NOT NULL,
    occurrence_date TEXT NOT NULL,
    scheduled_date TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, move_id)
) WITHOUT ROWID;
CREATE INDEX workout_move_plan ON workout_move (company_id, client_id, plan_id, occurrence_date);

-- A workout that was begun. The labels of the plan's day are kept in it as they were then.
CREATE TABLE workout_session (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    plan_id TEXT,
    plan_moment_id TEXT,
    occurrence_date TEXT,
    plan_snapshot TEXT,
    local_date TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    completed_at BIGINT,
    notes TEXT,
    set_count BIGINT NOT NULL,
    volume_g BIGINT NOT NULL,
    rating BIGINT,
    difficulty TEXT,
    emoji_rating TEXT,
    feedback_notes TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, session_id)
);
CREATE INDEX workout_session_started ON workout_session (company_id, client_id, started_at, session_id);
CREATE INDEX workout_session_status ON workout_session (company_id, client_id, status, started_at, session_id);
CREATE INDEX workout_session_plan ON workout_session (company_id, client_id, plan_id, session_id)
    WHERE plan_id IS NOT NULL;

-- An exercise of a session: its sets as JSON, weights in grams, and what they amount to. counted
-- is set once the session is completed; the rest of progress is made of these rows.
CREATE TABLE workout_performance (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    exercise_id TEXT NOT NULL,
    counted BOOLEAN NOT NULL,
    local_date TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    superset TEXT,
    notes TEXT,
    sets TEXT NOT NULL,
    set_count BIGINT NOT NULL,
    reps BIGINT NOT NULL,
    volume_g BIGINT NOT NULL,
    PRIMARY KEY (company_id, client_id, session_id, position)
);
CREATE INDEX workout_performance_exercise
    ON workout_performance (company_id, client_id, exercise_id, started_at, session_id, position)
    WHERE counted;
CREATE INDEX workout_performance_date
    ON workout_performance (company_id, client_id, local_date, exercise_id) WHERE counted;

-- What a client has done of an exercise in all completed sessions, and the records in it.
CREATE TABLE workout_progress (
    company_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    exercise_id TEXT NOT NULL,
    times_performed BIGINT NOT NULL,
    entries BIGINT NOT NULL,
    set_count BIGINT NOT NULL,
    total_reps BIGINT NOT NULL,
    total_volume_g BIGINT NOT NULL,
    last_performed_at BIGINT NOT NULL,
    records TEXT NOT NULL,
    PRIMARY KEY (company_id, client_id, exercise_id)
);
CREATE INDEX workout_progress_top
    ON workout_progress (company_id, client_id, times_performed, last_performed_at, exercise_id);

CREATE TABLE workout_group (
    company_id TEXT NOT NULL REFERENCES company,
    group_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    template_id TEXT,
    start_date TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, group_id)
);

CREATE TABLE workout_group_member (
    company_id TEXT NOT NULL,
    group_id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, group_id, client_id)
) WITHOUT ROWID;
