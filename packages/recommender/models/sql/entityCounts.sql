-- Number of entity rows, of which training uses only the latest of each id, and number of ids of each type.
SELECT
  type,
  CAST(count(*) AS DOUBLE) AS ids,
  (SELECT CAST(count(*) AS DOUBLE) FROM entities) AS uploaded
FROM latest_entities
GROUP BY type
ORDER BY type
