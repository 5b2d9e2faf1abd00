-- One row per (source, target): repeats collapse to the latest. The cutoff is in ms; rows without a time are always kept.
SELECT
  source_id,
  target_id,
  max(timestamp) AS timestamp,
  max(sequence * 4294967296 + row) AS position
FROM interactions
WHERE source_id <> target_id
  AND (timestamp IS NULL OR timestamp >= (SELECT cutoff FROM parameters))
GROUP BY source_id, target_id
