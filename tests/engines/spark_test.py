"""mulligan.spark on a cluster of two executors, each in its own process."""
import os
import shutil
import sys
import unittest

from engine_case import MULLIGAN, PLACE, EngineCase, EngineTests
from pyspark.sql import SparkSession

import mulligan.spark


class SparkTest(EngineTests, EngineCase):
    engine = mulligan.spark
    worker = "java"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        os.environ["PYSPARK_PYTHON"] = sys.executable
        cls.spark = (SparkSession.builder.master("local-cluster[2,1,1024]")
                     .config("spark.ui.enabled", "false")
                     .config("spark.ui.showConsoleProgress", "false")
                     .config("spark.driver.bindAddress", "127.0.0.1")
                     .config("spark.driver.host", "127.0.0.1")
                     .config("spark.executor.memory", "512m")
                     .config("spark.sql.shuffle.partitions", "3")
                     .config("spark.sql.files.maxPartitionBytes", "256k")
                     .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
                     .config("spark.local.dir", str(cls.folder / "spark"))
                     .getOrCreate())
        cls.spark.sparkContext.setLogLevel("OFF")
        cls.addClassCleanup(cls.spark.stop)

    def read(self, path):
        return self.spark.read.parquet(str(path))

    def rows(self, table):
        return [row.asDict() for row in table.collect()]

    def test_a_binary_among_the_files_of_the_job_is_found(self):
        self.assertIsNone(shutil.which("mulligan"))
        self.spark.sparkContext.addFile(str(MULLIGAN))
        report = self.engine.report(self.read(self.parquet), place=PLACE, partitions=2)
        self.assertEqual(report.output("json"), self.alone("report", "-o", "json"))

    def test_verdicts_are_written_as_parquet(self):
        out = str(self.folder / "verdicts")
        verdicts = self.engine.replay(self.read(self.parquet), self.policy,
                                      place=PLACE, binary=MULLIGAN)
        verdicts.where("change = 'RETRY to FAIL'").write.parquet(out)
        self.assertGreater(self.spark.read.parquet(out).count(), 0)


if __name__ == "__main__":
    unittest.main()
