-- One row per entity id: the row of the latest upload wins; within an upload, the later row wins.
SELECT id, type, name, metadata, media_url
FROM (
  SELECT *, row_number() OVER (PARTITION BY id ORDER BY sequence DESC, row DESC) AS recency
  FROM entities
) AS ranked
WHERE recency = 1
