"""Carries the statements of a job out with Spark SQL. Started by spark-submit with the path of the job (sparkJob.ts)."""

import json
import sys

from pyspark.sql import SparkSession
from pyspark.storagelevel import StorageLevel


def run(job, spark):
    for table in job["tables"]:
        if table["paths"]:
            frame = spark.read.parquet(*table["paths"])
        else:
            frame = spark.createDataFrame([], table["columns"])
        if table["sequences"] is not None:
            # Each row gets the upload sequence of its file; a file that was uploaded several times occurs once per upload.
            frame.selectExpr("*", "_metadata.file_name AS file_name" if table["paths"] else "'' AS file_name").createOrReplaceTempView("files")
            frame = spark.sql(f"SELECT files.*, sequences.sequence FROM files JOIN ({table['sequences']}) AS sequences USING (file_name)")
            frame = frame.drop("file_name")
        frame.createOrReplaceTempView(table["name"])

    spark.sql(job["parameters"]).createOrReplaceTempView("parameters")

    for done, step in enumerate(job["steps"], 1):
        frame = spark.sql(step["sql"])
        if step["output"] is None:
            # Several later statements read this table, so the executors keep it on their disks.
            frame.persist(StorageLevel.DISK_ONLY).createOrReplaceTempView(step["table"])
        else:
            frame.write.option("compression", "zstd").parquet(step["output"])
        print(f"done {done} of {len(job['steps'])}", flush=True)


with open(sys.argv[1], encoding="utf-8") as file:
    job = json.load(file)
spark = SparkSession.builder.appName(job["name"]).getOrCreate()
try:
    run(job, spark)
except Exception as error:
    # Printed last, so that the caller finds this line after the stack traces of Java.
    print(f"{type(error).__name__}: {str(error)[:1500]}", file=sys.stderr, flush=True)
    sys.exit(1)
finally:
    spark.stop()
