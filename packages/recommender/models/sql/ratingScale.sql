-- The scale of the ratings, one row; nulls without ratings. It ends at the first of 1, 5, 10 and 100 that 99 % of the ratings do
-- not exceed, else at the largest rating. It begins at 0 or, on scales to 5 and 10 without ratings below 1, at 1; with negative
-- ratings, it is symmetric.
SELECT
  CASE
    WHEN negative * 100 >= rated THEN -highest
    WHEN (highest = 5 OR highest = 10) AND below_one * 100 < rated THEN CAST(1 AS DOUBLE)
    WHEN highest IS NOT NULL THEN CAST(0 AS DOUBLE)
  END AS lowest,
  highest
FROM (
  SELECT
    CASE
      WHEN rated = 0 THEN CAST(NULL AS DOUBLE)
      WHEN to_1 * 100 >= rated * 99 THEN CAST(1 AS DOUBLE)
      WHEN to_5 * 100 >= rated * 99 THEN CAST(5 AS DOUBLE)
      WHEN to_10 * 100 >= rated * 99 THEN CAST(10 AS DOUBLE)
      WHEN to_100 * 100 >= rated * 99 THEN CAST(100 AS DOUBLE)
      ELSE largest
    END AS highest,
    rated,
    negative,
    below_one
  FROM (
    SELECT
      count(rating) AS rated,
      count(CASE WHEN abs(rating) <= 1 THEN 1 END) AS to_1,
      count(CASE WHEN abs(rating) <= 5 THEN 1 END) AS to_5,
      count(CASE WHEN abs(rating) <= 10 THEN 1 END) AS to_10,
      count(CASE WHEN abs(rating) <= 100 THEN 1 END) AS to_100,
      count(CASE WHEN rating < 0 THEN 1 END) AS negative,
      count(CASE WHEN rating < 1 THEN 1 END) AS below_one,
      max(abs(rating)) AS largest
    FROM events
  ) AS counted
) AS scaled
