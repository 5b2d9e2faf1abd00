-- Experiments: one id that stands for two arms, each a model with its own filter, boost or rule.
CREATE TABLE experiments (
  organization_id text NOT NULL,
  experiment_id text NOT NULL,
  -- Changes with the definition. Salts the split, and owns the users, answers and outcomes.
  run uuid NOT NULL UNIQUE,
  definition jsonb NOT NULL,
  started_at timestamptz NOT NULL,
  -- Number of the last event whose outcomes are counted, and the time until which all events are counted.
  counted_through bigint NOT NULL,
  counted_until timestamptz,
  PRIMARY KEY (organization_id, experiment_id)
);

-- Users who got an answer of an experiment, each once.
CREATE TABLE experiment_users (
  run uuid NOT NULL REFERENCES experiments (run) ON DELETE CASCADE,
  user_id text NOT NULL,
  -- Null if arms share each list.
  arm text CHECK (arm IN ('a', 'b')),
  -- Time of the first answer.
  exposed_at timestamptz NOT NULL,
  -- Whether any list was empty.
  empty boolean NOT NULL,
  PRIMARY KEY (run, user_id)
);

-- Answers that arms share, with the items of each arm, until their window ends.
CREATE TABLE experiment_answers (
  run uuid NOT NULL REFERENCES experiments (run) ON DELETE CASCADE,
  recommendation_id text NOT NULL,
  user_id text NOT NULL,
  answered_at timestamptz NOT NULL,
  items_a text[] NOT NULL,
  items_b text[] NOT NULL,
  PRIMARY KEY (run, recommendation_id)
);
CREATE INDEX experiment_answers_by_time ON experiment_answers (run, answered_at);

-- Users with an outcome: metric 0 is the outcome of the experiment, 1 and more are its guardrails. A user counts once per metric.
CREATE TABLE experiment_outcomes (
  run uuid NOT NULL REFERENCES experiments (run) ON DELETE CASCADE,
  metric smallint NOT NULL,
  user_id text NOT NULL,
  arm text NOT NULL CHECK (arm IN ('a', 'b')),
  PRIMARY KEY (run, metric, user_id)
);

-- The answer that an interaction came from.
ALTER TABLE events ADD COLUMN recommendation_id text;
