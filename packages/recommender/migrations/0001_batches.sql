-- One row per uploaded file. The rows of the file are in the blob, never here.
CREATE TABLE batches (
  -- Upload order: where an entity id repeats, the highest sequence wins.
  sequence bigserial PRIMARY KEY,
  batch_id uuid NOT NULL UNIQUE,
  organization_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('entity', 'interaction')),
  blob text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  row_count bigint NOT NULL CHECK (row_count > 0),
  -- Bytes of the CSV file after decompression.
  csv_bytes bigint NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX batches_newest_first ON batches (organization_id, sequence DESC);
CREATE INDEX batches_by_tag ON batches USING gin (tags);
