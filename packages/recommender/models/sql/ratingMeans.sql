-- The mean rating of each source, drawn to the mean of all ratings by five ratings of that mean (the damped mean of S. Funk,
-- "Netflix Update: Try This at Home", 2006). Sums are of whole millionths, so that their order does not matter.
SELECT
  source_id,
  (CAST(sum(rating) AS DOUBLE) + 5 * (SELECT CAST(sum(CAST(round(rating * 1e6) AS BIGINT)) AS DOUBLE) / count(*)
    FROM events CROSS JOIN rating_scale WHERE rating BETWEEN lowest AND highest)) / (count(*) + 5) / 1e6 AS mean
FROM (
  SELECT source_id, CAST(round(rating * 1e6) AS BIGINT) AS rating
  FROM events CROSS JOIN rating_scale
  WHERE rating BETWEEN lowest AND highest
) AS rated
GROUP BY source_id
