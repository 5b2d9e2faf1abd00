-- The data of a training contains the uploaded batches up to this number. Batches that exist now count after the next training only, as before.
ALTER TABLE trainings ADD COLUMN batches_through bigint;
UPDATE trainings SET batches_through = (SELECT coalesce(max(sequence), 0) FROM batches);
