-- When trainings of a model start by themselves.
CREATE TABLE schedules (
  organization_id text NOT NULL,
  model_id text NOT NULL,
  -- Cron expression with five fields, in the time zone.
  cron text,
  timezone text NOT NULL,
  after_interactions bigint,
  -- Parameters and callback URL of the trainings.
  training jsonb NOT NULL,
  -- Null without cron.
  next_run_at timestamptz,
  -- Interactions since the schedule was made or last started a training, counted up to an event number.
  new_interactions bigint NOT NULL DEFAULT 0,
  counted_through bigint NOT NULL,
  last_run_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, model_id),
  CHECK (cron IS NOT NULL OR after_interactions IS NOT NULL),
  CHECK ((cron IS NULL) = (next_run_at IS NULL))
);

-- Why a schedule started the training: a JSON object; null for a training that a request started.
ALTER TABLE trainings ADD COLUMN schedule jsonb;
