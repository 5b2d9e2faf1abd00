-- Named filters and boosts of an organization, which apply to its lists.
CREATE TABLE rules (
  organization_id text NOT NULL,
  name text NOT NULL,
  -- Expressions in CEL.
  filter text,
  boost text,
  -- Null: the lists of all models.
  model_id text,
  valid_from timestamptz,
  valid_until timestamptz,
  enabled boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- By model id, why lists of the model do without the rule: {"version", "detail"}.
  warnings jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, name),
  CHECK (filter IS NOT NULL OR boost IS NOT NULL)
);

-- Number of the last change of an organization's rules. Writers hold a lock until their commit, so numbers become visible in ascending order.
CREATE TABLE rule_changes (
  organization_id text PRIMARY KEY,
  change bigint NOT NULL
);
CREATE INDEX rule_changes_by_number ON rule_changes (change);

-- The latest answers with lists of each organization, for previews of rules.
CREATE TABLE recent_answers (
  sequence bigserial PRIMARY KEY,
  organization_id text NOT NULL,
  -- Null for an answer in CSV.
  recommendation_id text,
  model_id text NOT NULL,
  model_version integer NOT NULL,
  answered_at timestamptz NOT NULL,
  -- The route and its parameters.
  request json NOT NULL,
  -- By list: the entity, and the first items.
  lists json NOT NULL
);
CREATE INDEX recent_answers_by_organization ON recent_answers (organization_id, sequence);
CREATE INDEX recent_answers_by_time ON recent_answers (answered_at);
