-- Interactions by type, their weights, and the number of unused interactions by reason.
SELECT
  counted.type,
  counted.total,
  counted.self,
  counted.too_old,
  counted.with_time,
  counted.newest,
  coalesce(type_weights.weight, CAST(1 AS DOUBLE)) AS weight,
  coalesce(weighed.weighed, CAST(0 AS DOUBLE)) AS weighed,
  coalesce(weighed.not_weights, CAST(0 AS DOUBLE)) AS not_weights,
  coalesce(weighed.rated, CAST(0 AS DOUBLE)) AS rated,
  coalesce(weighed.beyond, CAST(0 AS DOUBLE)) AS beyond,
  rating_scale.lowest,
  rating_scale.highest,
  coalesce(weighed.not_ratings, CAST(0 AS DOUBLE)) AS not_ratings
FROM (
  SELECT
    type,
    CAST(count(*) AS DOUBLE) AS total,
    CAST(count(*) FILTER (WHERE source_id = target_id) AS DOUBLE) AS self,
    CAST(count(*) FILTER (WHERE source_id <> target_id AND timestamp < (SELECT cutoff FROM parameters)) AS DOUBLE) AS too_old,
    CAST(count(timestamp) AS DOUBLE) AS with_time,
    CAST(max(timestamp) AS DOUBLE) AS newest
  FROM interactions
  GROUP BY type
) AS counted
LEFT JOIN (
  SELECT
    coalesce(type, '') AS type,
    CAST(count(own_weight) AS DOUBLE) AS weighed,
    CAST(count(CASE WHEN weighs AND own_weight IS NULL THEN 1 END) AS DOUBLE) AS not_weights,
    CAST(count(rating) AS DOUBLE) AS rated,
    CAST(count(CASE WHEN rating < lowest OR rating > highest THEN 1 END) AS DOUBLE) AS beyond,
    CAST(count(CASE WHEN rates AND rating IS NULL THEN 1 END) AS DOUBLE) AS not_ratings
  FROM events CROSS JOIN rating_scale
  GROUP BY coalesce(type, '')
) AS weighed ON weighed.type = coalesce(counted.type, '')
LEFT JOIN type_weights ON type_weights.type = counted.type
CROSS JOIN rating_scale
ORDER BY counted.type
