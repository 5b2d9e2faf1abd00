-- Number of entity rows, of which training uses only the latest of each id, number of ids of each type, and numbers of ids whose latest row leaves out
-- metadata, or a name, that an earlier row has.
SELECT
  type,
  CAST(count(*) AS DOUBLE) AS ids,
  (SELECT CAST(count(*) AS DOUBLE) FROM entities) AS uploaded,
  (
    SELECT CAST(count(DISTINCT entities.id) AS DOUBLE)
    FROM latest_entities AS latest JOIN entities ON entities.id = latest.id
    WHERE coalesce(latest.metadata, '{}') = '{}' AND coalesce(entities.metadata, '{}') <> '{}'
  ) AS emptied,
  (
    SELECT CAST(count(DISTINCT entities.id) AS DOUBLE)
    FROM latest_entities AS latest JOIN entities ON entities.id = latest.id
    WHERE coalesce(latest.name, '') = '' AND coalesce(entities.name, '') <> ''
  ) AS unnamed
FROM latest_entities
GROUP BY type
ORDER BY type
