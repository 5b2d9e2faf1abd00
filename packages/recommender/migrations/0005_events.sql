-- Interactions and entities that arrive as JSON. A writer holds a lock from the assignment of the numbers until its commit, so numbers become
-- visible in ascending order, and a reader that continues after the last number it has seen never misses a row.
CREATE TABLE events (
  sequence bigserial PRIMARY KEY,
  organization_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('interaction', 'entity', 'deletion')),
  -- The client's id of an interaction: an id counts once.
  event_id text,
  received_at timestamptz NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  -- Number of the newest batch when the event arrived; orders events and uploads.
  after_batch bigint NOT NULL,
  -- The target of an interaction, or the entity.
  target_id text NOT NULL,
  source_id text,
  type text,
  -- Milliseconds since the Unix epoch.
  happened_at bigint,
  name text,
  metadata text,
  media_url text,
  available boolean
);
CREATE INDEX events_by_organization ON events (organization_id, sequence);
CREATE UNIQUE INDEX events_once ON events (organization_id, event_id) WHERE event_id IS NOT NULL;

-- The events of an organization up to this number are in batches.
CREATE TABLE event_folds (
  organization_id text PRIMARY KEY,
  through bigint NOT NULL
);

-- Entities that no answer contains.
CREATE TABLE hidden_entities (
  organization_id text NOT NULL,
  entity_id text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('deleted', 'unavailable')),
  PRIMARY KEY (organization_id, entity_id)
);

-- For a batch of events: the number of the batch after which the events arrived. Null for an uploaded file.
ALTER TABLE batches ADD COLUMN after_batch bigint;

-- The data of a training contains the events up to this number.
ALTER TABLE trainings ADD COLUMN events_through bigint;
-- The training of the version that answers queries; null for a version of an earlier release.
ALTER TABLE models ADD COLUMN serving_training uuid REFERENCES trainings (job_id);
