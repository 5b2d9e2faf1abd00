-- backward-compatible: adds a column that INSERT statements of earlier releases omit.
-- Why a picture is the poster or a candidate for it: quality, text and face; null for other files and for those of earlier releases.
ALTER TABLE video_outputs ADD COLUMN choice jsonb;
