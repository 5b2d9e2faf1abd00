-- One row per requested summarization. The job with the same id does the work, and its status is that of the run.
CREATE TABLE video_runs (
  run_id uuid PRIMARY KEY,
  organization_id text NOT NULL,
  media_url text NOT NULL,
  options jsonb NOT NULL,
  -- As the request gave it, whatever it names.
  cache_id text,
  -- Null until it is known.
  cache_hit boolean,
  hook text,
  -- Facts of the media file, of its analysis (with its blob and version), and the chosen segments; each null until then.
  info jsonb,
  analysis jsonb,
  segments jsonb,
  warnings jsonb NOT NULL DEFAULT '[]',
  -- {stage: seconds}
  timings jsonb NOT NULL DEFAULT '{}',
  -- For runs that name this one as their cache. The name of the media's blob is also its hash, and stays when the blob goes.
  media_blob text,
  media_etag text,
  -- Until then the blobs of the media and of the encoded pieces are kept.
  kept_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX video_runs_newest_first ON video_runs (organization_id, created_at DESC);
CREATE INDEX video_runs_kept ON video_runs (kept_until) WHERE kept_until IS NOT NULL;

-- The files that a completed run made, in the order in which they are listed.
CREATE TABLE video_outputs (
  run_id uuid NOT NULL REFERENCES video_runs (run_id) ON DELETE CASCADE,
  position integer NOT NULL,
  -- Last part of its link.
  name text NOT NULL,
  kind text NOT NULL,
  blob text NOT NULL,
  bytes bigint NOT NULL,
  content_type text NOT NULL,
  width integer,
  height integer,
  duration double precision,
  time double precision,
  PRIMARY KEY (run_id, position),
  UNIQUE (run_id, name)
);

-- Encoded pieces of previews: a run with the same pieces only joins them.
CREATE TABLE video_pieces (
  run_id uuid NOT NULL REFERENCES video_runs (run_id) ON DELETE CASCADE,
  -- Name of its file, which is a hash over everything that the piece depends on.
  name text NOT NULL,
  blob text NOT NULL,
  PRIMARY KEY (run_id, name)
);
