"""Ray Train: does not restart a run that cannot succeed.

    RunConfig(callbacks=[MulliganCallback()],
              failure_config=FailureConfig(max_failures=-1))

Ray calls it on the controller when workers have raised. If the callback returns,
Ray restarts the run; if it raises, the run ends, regardless of max_failures (ray
2.60, whose default policy does not retry such errors). Set max_failures to a number
to bound the restarts without an answer.
"""

import grpc
import mulligan_client
from ray.train import UserCallback

SERVICE = mulligan_client.connect("dns:///mulligan.mulligan:8980")


class MulliganCallback(UserCallback):
    ledger = None

    def after_exception(self, run_context, worker_exceptions):
        rank, error = min(worker_exceptions.items())
        name = run_context.run_config.name
        try:
            answer = mulligan_client.ask(
                SERVICE, ledger=self.ledger,
                workload={"kind": "RayTrainRun", "name": name},
                exit={"exitCode": 1, "reason": "Error",
                      "message": f"rank {rank}: {type(error).__name__}: {error}"})
        except grpc.RpcError as no_answer:
            print("Mulligan had no answer:", no_answer.details())
            return
        self.ledger = mulligan_client.ledger_json(answer.ledger)
        print("Mulligan:", answer.decision.sentence)
        if answer.decision.action in (answer.decision.FAIL,
                                      answer.decision.WAIT_FOR_SPEC_UPDATE):
            raise RuntimeError(answer.decision.sentence) from error
