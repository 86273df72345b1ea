"""Ray Train: a run that cannot succeed is not restarted.

    RunConfig(callbacks=[MulliganCallback()],
              failure_config=FailureConfig(max_failures=-1))

Ray calls it on the controller when workers have raised. An exception of a
callback ends the run, whatever max_failures says (ray 2.60, where the default
policy does not retry such an error); returning lets Ray restart it. Give
max_failures a number if Ray shall go on counting while there is no answer.
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
