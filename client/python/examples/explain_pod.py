#!/usr/bin/env python3
"""kubectl get pod NAME -o json | explain_pod.py HOST:PORT [--tls-ca FILE ...]

Prints the verdict on a pod, what is wrong and what to do first. Exit codes: 0 retry, 1 no retry, 2 no answer.
"""

import argparse
import json
import os
import sys

# Silences gRPC's own messages; errors are reported below.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import mulligan_client
from google.protobuf import json_format


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", metavar="HOST:PORT")
    parser.add_argument("--tls-ca", default="", help="CA of the server's certificate, PEM; without it plaintext")
    parser.add_argument("--tls-cert", default="", help="client certificate, PEM")
    parser.add_argument("--tls-key", default="", help="its key, PEM")
    parser.add_argument("--tls-server-name", default="", help="name in the server's certificate, if not the host")
    return parser.parse_args(arguments)


def main(arguments, pod):
    options = parse(arguments)
    credentials = None
    try:
        if options.tls_ca or options.tls_cert or options.tls_key:
            credentials = mulligan_client.tls_credentials(options.tls_ca, options.tls_cert, options.tls_key)
        service = mulligan_client.connect(options.target, credentials, options.tls_server_name)
        answer = mulligan_client.ask(service, json.loads(pod))
    except grpc.RpcError as error:
        print(f"no answer ({error.code().name}), nothing was charged: {error.details()}", file=sys.stderr)
        return 2
    except (ValueError, json_format.ParseError) as error:
        print(f"nothing was asked: {error}", file=sys.stderr)
        return 2
    print(answer.decision.sentence)
    print(answer.diagnosis.problem)
    if answer.diagnosis.first_step.text:
        print("Do first:", answer.diagnosis.first_step.text)
    return 0 if answer.decision.action == answer.decision.RETRY else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdin.read()))
