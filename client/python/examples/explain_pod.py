#!/usr/bin/env python3
"""kubectl get pod NAME -o json | explain_pod.py HOST:PORT

Prints the verdict on a pod, what is wrong and what to do first. Exit code 0: another try, 1: none, 2: no answer.
"""

import json
import sys

import grpc
import mulligan_client


def main(target, pod):
    service = mulligan_client.connect(target)
    try:
        answer = mulligan_client.ask(service, [json.loads(pod)])
    except grpc.RpcError as error:
        print(f"no answer ({error.code().name}), nothing was charged: "
              f"{error.details()}", file=sys.stderr)
        return 2
    print(answer.decision.sentence)
    print(answer.diagnosis.problem)
    if answer.diagnosis.first_step.text:
        print("Do first:", answer.diagnosis.first_step.text)
    return 0 if answer.decision.action == answer.decision.RETRY else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.stdin.read()))
