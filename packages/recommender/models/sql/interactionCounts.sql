-- What the interactions hold, by type, and why some are not used.
SELECT
  type,
  CAST(count(*) AS DOUBLE) AS total,
  CAST(count(*) FILTER (WHERE source_id = target_id) AS DOUBLE) AS self,
  CAST(count(*) FILTER (WHERE source_id <> target_id AND timestamp < (SELECT cutoff FROM parameters)) AS DOUBLE) AS too_old,
  CAST(count(timestamp) AS DOUBLE) AS with_time,
  CAST(max(timestamp) AS DOUBLE) AS newest
FROM interactions
GROUP BY type
ORDER BY type
