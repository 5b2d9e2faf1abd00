-- One row per (source, target): repeats collapse to the latest. The cutoff is in ms; rows without a time are always kept.
SELECT
  pairs.source_id,
  pairs.target_id,
  pairs.timestamp,
  pairs.position,
  coalesce(pair_weights.weight, CAST(1 AS DOUBLE)) AS weight
FROM (
  SELECT
    source_id,
    target_id,
    max(timestamp) AS timestamp,
    max(sequence * 4294967296 + row) AS position
  FROM interactions
  WHERE source_id <> target_id
    AND (timestamp IS NULL OR timestamp >= (SELECT cutoff FROM parameters))
  GROUP BY source_id, target_id
) AS pairs
LEFT JOIN pair_weights ON pair_weights.source_id = pairs.source_id AND pair_weights.target_id = pairs.target_id
