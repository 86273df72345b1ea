"""Gangs that lose a member: which member failed first?

What happens: one member (the root) ends for a reason of its own. Its peers hang
in a collective, lose a connection, or are stopped by their launcher, seconds to
ten minutes later. What is reported: whole seconds, stamped by each node's clock;
ends that the kubelet notices late; members whose pods are gone; logs of which only
the last lines arrived, or nothing.

The texts are those of PyTorch, NCCL, Gloo, JAX, TensorFlow, Horovod, DeepSpeed,
Ray, MPI, the kernel and the kubelet, as users paste them into issues.
"""

import random
from dataclasses import dataclass

from engine import pod, time
from odds import Odds

# (weight, exit code, reason, last lines of the log, how late the end is seen)
ROOTS = [
    # The program's own errors: exit hooks (flushing metrics, a launcher that stops its
    # other workers first) take seconds.
    (14, 1, "Error", "Traceback (most recent call last):\n  File \"/app/train.py\", line {n}, in <module>\n    main()\n  File \"/app/data.py\", line {m}, in __getitem__\n    sample = self.index[i]\nIndexError: list index out of range", 3),
    (8, 1, "Error", "Traceback (most recent call last):\n  File \"/app/train.py\", line {n}, in step\n    loss.backward()\nValueError: Expected input batch_size ({n}) to match target batch_size ({m}).", 3),
    (6, 1, "Error", "Traceback (most recent call last):\n  File \"/app/ckpt.py\", line {n}, in load\n    state = torch.load(path)\nFileNotFoundError: [Errno 2] No such file or directory: '/ckpt/step-{m}/rank.pt'", 3),
    (6, 1, "Error", "Traceback (most recent call last):\n  File \"/app/train.py\", line {n}, in <module>\nKeyError: 'tokens_{m}'", 3),
    (8, 1, "Error", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {n}.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which {m}.00 MiB is free.", 3),
    (5, 1, "Error", "OSError: [Errno 28] No space left on device: '/tmp/shard-{n}.bin'", 3),
    (3, 1, "Error", "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate {n}{m} bytes.", 3),
    (3, 1, "Error", "tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:\nIncompatible shapes: [{n},10] vs. [{m},10]", 3),
    (3, 1, "Error", "FloatingPointError: loss is NaN at step {n}{m}", 3),
    (3, 1, "Error", "PermissionError: [Errno 13] Permission denied: '/ckpt/step-{m}'", 3),
    (3, 1, "Error", "_pickle.UnpicklingError: invalid load key, '\\x0a'.", 3),
    (2, 1, "Error", "AssertionError: expected {n} experts, found {m}", 3),
    # Ended from outside, so late stamps are common.
    (14, 137, "OOMKilled", "", 2),
    (7, 139, "Error", "", 8),  # writes its core
    (5, 137, "Error", "", 3),
    (6, 135, "Error", "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).", 2),
    # The device.
    (9, 1, "Error", "RuntimeError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call", 1),
    (4, 1, "Error", "RuntimeError: CUDA error: an illegal memory access was encountered\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.", 1),
    # The node or its location; noticed by a controller, minutes later.
    (6, None, "NodeLost", "", 60),
    (5, None, "Drain", "", 1),
]

# How peers end. (weight, exit code, last lines, seconds after the root)
ECHOES = [
    (18, 1, "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:{n}, remote process exited or there was a network error, NCCL version 2.21.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.", (0, 4)),
    (12, 134, "[rank{r}]:[E ProcessGroupNCCL.cpp:{n}] [PG 0 Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={m}, OpType=ALLREDUCE, NumelIn={n}) ran for 600{m} milliseconds before timing out.\nterminate called after throwing an instance of 'c10::DistBackendError'", (30, 620)),
    (10, 1, "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:{n}] Connection closed by peer [10.2.{r}.7]:{m}", (0, 3)),
    (8, 1, "RuntimeError: [/gloo/transport/tcp/pair.cc:{n}] Connection reset by peer", (0, 3)),
    (8, 1, "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. {r}/8 clients joined.", (20, 600)),
    (16, 143, "", (0, 40)),
    (7, 137, "", (30, 45)),
    (5, 134, "", (1, 60)),
    (6, 1, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n============\n/app/train.py FAILED\n------------\nRoot Cause (first observed failure):\n[0]:\n  rank: {r} (local_rank: 0)\n  exitcode: -15 (pid: {n})\n  error_file: <N/A>", (1, 30)),
    (6, 1, "[rank{r}]: torch.distributed.DistNetworkError: The client socket has failed to connect to any network address of (worker-0, {m}).", (2, 60)),
    (6, 134, "F external/xla/xla/tsl/distributed_runtime/coordination/coordination_service_agent.cc:{m}] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details.", (1, 90)),
    (4, 1, "jaxlib.xla_extension.XlaRuntimeError: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):\n/job:jax_worker/replica:0/task:{r}", (60, 120)),
    (4, 1, "horovod.common.exceptions.HorovodInternalError: ncclAllReduce failed: remote process exited or there was a network error", (0, 4)),
    (4, 1, "tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: Socket closed\nAdditional GRPC error information from remote target /job:worker/replica:0/task:{r}", (0, 10)),
    (4, 1, "[2026-03-01 10:00:{r:02d},{m}] [INFO] [launch.py:319:sigkill_handler] Killing subprocess {n}\n[2026-03-01 10:00:{r:02d},{m}] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python', '-u', 'train.py'] exits with return code = -15", (1, 40)),
    (4, 1, "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n\tclass_name: RayTrainWorker\n\tactor_id: {n}", (0, 5)),
    (4, 255, "ORTE has lost communication with a remote daemon.\n  HNP daemon   : [[{n},0],0] on node launcher", (1, 20)),
]


@dataclass
class Gang:
    """One incident: a request, and the members that may be called the root."""
    request: dict
    roots: set
    ends: list      # (name, finishedAt as seen, whole seconds), as reported
    texts: bool     # whether logs arrive at all
    present: bool   # whether a root is in the report


def pick(rng, table):
    return rng.choices(table, weights=[row[0] for row in table])[0]


def fill(rng, text, rank):
    return text.format(n=rng.randint(40, 4000), m=rng.randint(100, 999), r=rank)


def offset(rng):
    """The error of a node's clock: most are well kept, some drift."""
    kind = rng.random()
    if kind < 0.75:
        return rng.uniform(-0.3, 0.3)
    if kind < 0.95:
        return rng.uniform(-4, 4)
    return rng.uniform(-9, 9)


def node_lost(name, node, started, end):
    lost = pod(name, node, started, end, 0)
    del lost["status"]["containerStatuses"]
    lost["status"].update(reason="NodeLost", message=f"Node {node} which was "
                          "running pod is unresponsive", conditions=[
                              {"type": "DisruptionTarget", "status": "True",
                               "reason": "DeletionByTaintManager",
                               "lastTransitionTime": time(end)}])
    return lost


def drained(name, node, started, end):
    return pod(name, node, started, end, 143, conditions=[
        {"type": "DisruptionTarget", "status": "True",
         "reason": "EvictionByEvictionAPI",
         "message": "Eviction API: evicting",
         "lastTransitionTime": time(end - 1)}])


def lateness(rng, late):
    return rng.expovariate(1 / late) if late else 0


def grace(rng):
    """When a lost node is noticed, by the controller's clock."""
    return rng.uniform(40, 60) + 4


def echo_lateness(rng, low, high):
    # They have exit hooks too.
    return rng.uniform(low, high) + rng.expovariate(1 / 2)


def root_pod(rng, row, name, node, started, at, clock, texts):
    _, code, reason, text, late = row
    seen = at + clock + lateness(rng, late)
    if reason == "NodeLost":
        return node_lost(name, node, started, at + grace(rng)), at + 45
    if reason == "Drain":
        return drained(name, node, started, seen), seen
    message = fill(rng, text, 0) if texts or "bus error" in text else ""
    return pod(name, node, started, seen, code, reason,
               message if texts else ""), seen


def echo_pod(rng, name, rank, node, started, at, clock, texts):
    _, code, text, (low, high) = pick(rng, ECHOES)
    seen = at + echo_lateness(rng, low, high) + clock
    message = fill(rng, text, rank) if texts and text else ""
    return pod(name, node, started, seen, code, "Error", message), seen


def generate(rng):
    """One gang that has failed."""
    size = rng.choice([2, 4, 4, 8, 8, 8, 16, 32])
    started = 1000
    at = started + rng.uniform(300, 40000)
    names = [f"worker-{i}" for i in range(size)]
    nodes = [f"node-{rng.randint(100, 999)}-{i}" for i in range(size)]
    clock = {node: offset(rng) for node in nodes}
    texts = rng.random() < 0.75
    roots = {rng.randrange(size)}
    if size > 2 and rng.random() < 0.08:
        roots.add(rng.randrange(size))
    pods = []
    ends = []
    for i, name in enumerate(names):
        if i in roots:
            shown, seen = root_pod(rng, pick(rng, ROOTS), name, nodes[i],
                                   started, at, clock[nodes[i]], texts)
            gone = rng.random() < 0.04
        else:
            shown, seen = echo_pod(rng, name, i, nodes[i], started, at,
                                   clock[nodes[i]], texts)
            gone = rng.random() < 0.10
        if gone:
            continue
        pods.append(shown)
        ends.append((name, int(seen)))
    rng.shuffle(pods)
    request = {"report": {
        "observedAt": time(at + 900),
        "workload": {"kind": "JobSet", "apiGroup": "jobset.x-k8s.io",
                     "name": "train", "namespace": "sim", "uid": "u"},
        "pods": pods}}
    reported = {name for name, _ in ends}
    names_of_roots = {names[i] for i in roots} & reported
    return Gang(request, names_of_roots, ends, texts, bool(names_of_roots))


def odds():
    """The odds of this generator, for a reader with codes and times only."""
    def root(row):
        weight, code, reason, _, late = row
        if reason == "NodeLost":
            return (weight, "DeletionByTaintManager",
                    lambda rng: (grace(rng), False))
        how = "EvictionByEvictionAPI" if reason == "Drain" else (code, reason)
        return weight, how, lambda rng: (lateness(rng, late), True)

    def echo(row):
        weight, code, _, (low, high) = row
        return (weight, (code, "Error"),
                lambda rng: (echo_lateness(rng, low, high), True))
    return Odds([root(row) for row in ROOTS], [echo(row) for row in ECHOES],
                offset)


def smallest_timestamp(gang):
    """JobSet and TorchElastic: the member whose end is stamped first."""
    return min(gang.ends, key=lambda end: end[1])[0] if gang.ends else None


def measure(engine, seed, count):
    """Right answers by reader and kind of gang, as {kind: (n, ours, theirs)};
    `at_most`: those of a reader who knew the odds, for gangs without logs."""
    rng = random.Random(seed)
    known = odds()
    at_most = 0
    table = {}
    charged_twice = 0
    for _ in range(count):
        gang = generate(rng)
        if len(gang.ends) < 2:
            continue
        answer = engine.decide(gang.request)
        culprit = answer["diagnosis"].get("culprit", {}).get("pod")
        charged_twice += answer["accounting"].get("attempts", 0) > 1
        kinds = ["all", "with logs" if gang.texts else "without logs"]
        if gang.present:
            ours = culprit in gang.roots
            theirs = smallest_timestamp(gang) in gang.roots
            if not gang.texts:
                at_most += known.best(gang.request["report"]["pods"]) \
                    in gang.roots
        else:
            # The root is not in the report: naming a member is wrong.
            kinds = ["root not reported"]
            ours = answer["diagnosis"]["cause"] in ("COLLECTIVE_CASCADE",
                                                    "RENDEZVOUS_FAILED")
            theirs = False
        for kind in kinds:
            n, a, b = table.get(kind, (0, 0, 0))
            table[kind] = (n + 1, a + ours, b + theirs)
    return {"table": table, "charged_twice": charged_twice, "at_most": at_most}
