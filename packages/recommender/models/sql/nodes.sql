-- Every id that an entity row or a used interaction names, numbered from 0 in the byte order of the ids.
SELECT CAST(row_number() OVER (ORDER BY id) - 1 AS INTEGER) AS number, id
FROM (
  SELECT id FROM latest_entities
  UNION
  SELECT source_id AS id FROM latest_pairs
  UNION
  SELECT target_id AS id FROM latest_pairs
) AS ids
