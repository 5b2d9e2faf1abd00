SELECT type, CAST(count(*) AS DOUBLE) AS total
FROM latest_entities
GROUP BY type
ORDER BY type
