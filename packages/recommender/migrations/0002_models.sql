-- A model is what answers queries under its id; a training is one attempt to make it.
CREATE TABLE trainings (
  job_id uuid PRIMARY KEY,
  organization_id text NOT NULL,
  model_id text NOT NULL,
  parameters jsonb NOT NULL,
  callback_url text,
  metrics jsonb,
  data jsonb,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX trainings_by_model ON trainings (organization_id, model_id, created_at DESC);

CREATE TABLE models (
  organization_id text NOT NULL,
  model_id text NOT NULL,
  -- The training requested last; its record is the model's status.
  latest_training uuid NOT NULL REFERENCES trainings (job_id),
  -- All null until a training completed.
  serving_version integer,
  serving_blob text,
  served_since timestamptz,
  PRIMARY KEY (organization_id, model_id),
  CHECK ((serving_version IS NULL) = (serving_blob IS NULL)),
  CHECK ((serving_version IS NULL) = (served_since IS NULL))
);
CREATE INDEX models_by_completion ON models (organization_id, served_since DESC) WHERE served_since IS NOT NULL;
