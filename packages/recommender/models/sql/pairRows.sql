-- Pairs in the order that training expects: by source, then time (unknown first), then file order.
SELECT
  source.number AS source,
  target.number AS target,
  CAST(latest_pairs.timestamp AS DOUBLE) AS time,
  latest_pairs.position,
  CAST(latest_pairs.weight AS DOUBLE) AS weight
FROM latest_pairs
JOIN nodes AS source ON source.id = latest_pairs.source_id
JOIN nodes AS target ON target.id = latest_pairs.target_id
ORDER BY source.number, latest_pairs.timestamp NULLS FIRST, latest_pairs.position
