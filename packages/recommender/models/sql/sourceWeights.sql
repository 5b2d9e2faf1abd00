-- Weight d_u^pu of each source, in billionths: sums of integers do not depend on the order of addition.
SELECT source, CAST(round(power(count(*), (SELECT pu FROM parameters)) * 1e9) AS BIGINT) AS weight
FROM histories
GROUP BY source
