-- What each source counts, d_u^pu in billionths: sums of whole numbers are the same in whatever order they are added.
SELECT source, CAST(round(power(count(*), (SELECT pu FROM parameters)) * 1e9) AS BIGINT) AS weight
FROM histories
GROUP BY source
