-- Settings that were tried on held-out interactions, and which was taken; null where nothing was open.
ALTER TABLE trainings ADD COLUMN choice jsonb;
