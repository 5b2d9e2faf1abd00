-- All ids of entity rows and used interactions, numbered from 0 in byte order.
SELECT CAST(row_number() OVER (ORDER BY id) - 1 AS INTEGER) AS number, id
FROM (
  SELECT id FROM latest_entities
  UNION
  SELECT source_id AS id FROM latest_pairs
  UNION
  SELECT target_id AS id FROM latest_pairs
) AS ids
