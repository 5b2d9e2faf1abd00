-- The versions of a model that can answer queries. Numbers ascend and are never used again.
CREATE TABLE model_versions (
  organization_id text NOT NULL,
  model_id text NOT NULL,
  version integer NOT NULL,
  blob text NOT NULL,
  -- Null for a version of a release that did not record it.
  training uuid REFERENCES trainings (job_id),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, model_id, version)
);
INSERT INTO model_versions (organization_id, model_id, version, blob, training, created_at)
SELECT organization_id, model_id, serving_version, serving_blob, serving_training, served_since FROM models WHERE serving_version IS NOT NULL;

-- How a completed training compares with the version that served at that time: a JSON object.
ALTER TABLE trainings ADD COLUMN comparison jsonb;
