"""mulligan.ray on the workers of a local Ray."""
import logging
import os
import unittest

# Otherwise Ray may choose the address of another interface.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from engine_case import MULLIGAN, PLACE, EngineCase, EngineTests

import mulligan.ray


class RayTest(EngineTests, EngineCase):
    engine = mulligan.ray
    # Ray's process name of a task.
    worker = "^ray::"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR,
                 log_to_driver=False, _node_ip_address="127.0.0.1",
                 object_store_memory=100_000_000)
        ray.data.DataContext.get_current().enable_progress_bars = False
        cls.addClassCleanup(ray.shutdown)

    def read(self, path):
        return ray.data.read_parquet(str(path))

    def rows(self, table):
        return table.take_all()

    def test_verdicts_are_written_as_parquet(self):
        out = str(self.folder / "verdicts")
        self.engine.replay(self.read(self.parquet), self.policy, place=PLACE,
                           binary=MULLIGAN).write_parquet(out)
        self.assertGreater(
            self.read(out).filter(lambda row: row["change"] == "RETRY to FAIL").count(), 0)


if __name__ == "__main__":
    unittest.main()
