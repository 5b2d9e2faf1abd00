-- Uploaded batches whose interactions are counted as outcomes of an experiment.
CREATE TABLE experiment_batches (
  run uuid NOT NULL REFERENCES experiments (run) ON DELETE CASCADE,
  -- The batch may have been deleted since.
  batch_id uuid NOT NULL,
  PRIMARY KEY (run, batch_id)
);
