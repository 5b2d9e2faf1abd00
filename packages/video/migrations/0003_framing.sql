-- Shape of a preview or poster: the requested aspect ratio, and what the file shows of the pictures of the video.
ALTER TABLE video_outputs ADD COLUMN aspect_ratio text;
ALTER TABLE video_outputs ADD COLUMN framing jsonb;
