-- Rows of entities, of which only the latest of each id is used, and how many ids each type has.
SELECT
  type,
  CAST(count(*) AS DOUBLE) AS ids,
  (SELECT CAST(count(*) AS DOUBLE) FROM entities) AS uploaded
FROM latest_entities
GROUP BY type
ORDER BY type
