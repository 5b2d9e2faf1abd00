-- Media files that clients send in pieces (tus protocol). A row without `received = length` is unfinished.
CREATE TABLE video_uploads (
  upload_id uuid PRIMARY KEY,
  organization_id text NOT NULL,
  length bigint NOT NULL CHECK (length >= 0),
  received bigint NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND length),
  -- The header Upload-Metadata, returned as sent.
  metadata text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- From then on the upload is unknown and its bytes are collected.
  expires_at timestamptz NOT NULL
);
CREATE INDEX video_uploads_expired ON video_uploads (expires_at);
CREATE INDEX video_uploads_of ON video_uploads (organization_id);

-- The bytes of an upload, one blob for each stored piece.
CREATE TABLE video_upload_parts (
  upload_id uuid NOT NULL REFERENCES video_uploads (upload_id) ON DELETE CASCADE,
  start bigint NOT NULL,
  bytes bigint NOT NULL,
  blob text NOT NULL,
  PRIMARY KEY (upload_id, start)
);
