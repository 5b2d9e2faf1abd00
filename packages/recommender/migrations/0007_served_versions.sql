-- Whether the version ever answered queries; false for one that was worse than the version that served.
ALTER TABLE model_versions ADD COLUMN served boolean NOT NULL DEFAULT false;
UPDATE model_versions SET served = coalesce((SELECT (comparison->>'serves')::boolean FROM trainings WHERE job_id = training), true);
