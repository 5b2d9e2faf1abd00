-- What a training was warned of when it was asked for: a list of {code, detail}.
ALTER TABLE trainings ADD COLUMN warnings jsonb NOT NULL DEFAULT '[]';
