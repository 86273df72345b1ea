"""A Slurm cluster of two nodes on loopback from Debian's packages: munged, MariaDB, slurmdbd,
slurmctld and two slurmd. All of it is in one folder and ends with it."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PROGRAMS = ["munged", "mariadbd", "mariadb-install-db", "slurmdbd", "slurmctld", "slurmd",
            "sbatch", "sacct", "scontrol", "sacctmgr"]

DBD = """AuthType=auth/munge
AuthInfo={run}/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd}
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
LogFile={run}/slurmdbd.log
PidFile={run}/slurmdbd.pid
"""

CONF = """ClusterName=loop
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={run}/munge.sock,cred_expire=2
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/spool-%n
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/slurmd-%n.pid
SlurmctldLogFile={run}/slurmctld.log
SlurmdLogFile={run}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin={task}
JobAcctGatherType=jobacct_gather/linux
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd}
AccountingStoragePass={run}/munge.sock
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SlurmdTimeout=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
KillWait=2
EpilogSlurmctld={run}/epilog
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={n1} CPUs=2 RealMemory=2000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={n2} CPUs=2 RealMemory=2000
PartitionName=low Nodes=n1,n2 Default=YES PriorityTier=1 PreemptMode=REQUEUE
PartitionName=high Nodes=n1,n2 PriorityTier=10 PreemptMode=OFF
"""


def why_not():
    """Returns why no cluster can be started here; empty if one can."""
    if os.geteuid() != 0:
        return "needs root"
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [one for one in PROGRAMS if shutil.which(one, path=path) is None]
    return "no " + ", ".join(missing) if missing else ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def has_memory_groups():
    """Whether Slurm can limit memory here by control groups of version 1 or 2."""
    folder = pathlib.Path("/sys/fs/cgroup/memory")
    try:
        probe = folder / f"mulligan-{os.getpid()}"
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return (folder / "memory.limit_in_bytes").exists()


class Cluster:
    """A context manager; `epilog` is the text of the program."""

    def __init__(self, epilog):
        self.run = pathlib.Path(tempfile.mkdtemp(prefix="mulligan-slurm-"))
        os.chmod(self.run, 0o755)
        self.pids = []
        self.memory = has_memory_groups()
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        self.env = dict(os.environ, PATH=path, SLURM_CONF=f"{self.run}/slurm.conf",
                        MYSQL_UNIX_PORT=f"{self.run}/db.sock")
        script = self.run / "epilog"
        script.write_text(epilog.format(run=self.run))
        script.chmod(0o755)

    def __enter__(self):
        # If the test is ended, the daemons end, too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, *words):
        return subprocess.run(words, env=self.env, check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout

    def begin(self, name, *words):
        with open(self.run / f"{name}.out", "w", encoding="utf-8") as out:
            self.pids.append(subprocess.Popen(words, env=self.env, stdout=out, stderr=out,
                                              start_new_session=True))

    def start(self):
        run = self.run
        dbd, ctld, n1, n2 = free_ports(4)
        values = {"run": run, "dbd": dbd, "ctld": ctld, "n1": n1, "n2": n2,
                  "host": socket.gethostname().split(".")[0],
                  "task": "task/cgroup" if self.memory else "task/none"}
        (run / "slurm.conf").write_text(CONF.format(**values))
        (run / "cgroup.conf").write_text(
            "CgroupAutomount=no\nCgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\n")
        (run / "slurmdbd.conf").write_text(DBD.format(**values))
        (run / "slurmdbd.conf").chmod(0o600)
        for folder in ("state", "munge"):
            (run / folder).mkdir(mode=0o700)
        (run / "munge/key").write_bytes(os.urandom(1024))
        (run / "munge/key").chmod(0o400)
        self.begin("munged", "munged", "-F", "--force", f"--key-file={run}/munge/key",
                   f"--socket={run}/munge.sock", f"--pid-file={run}/munge/pid",
                   f"--log-file={run}/munge/log", f"--seed-file={run}/munge/seed")
        self.call("mariadb-install-db", "--no-defaults", "--user=root", f"--datadir={run}/db",
                  "--auth-root-authentication-method=normal")
        self.begin("mariadbd", "mariadbd", "--no-defaults", "--user=root", f"--datadir={run}/db",
                   f"--socket={run}/db.sock", "--skip-networking", f"--pid-file={run}/db.pid")
        self.wait("the database", (run / "db.sock").exists)
        self.begin("slurmdbd", "slurmdbd", "-D")
        self.wait("slurmdbd", lambda: listens(dbd))
        self.begin("slurmctld", "slurmctld", "-D")
        self.wait("slurmctld", lambda: listens(ctld))
        for node in ("n1", "n2"):
            self.begin(node, "slurmd", "-D", "-N", node)
        self.wait("two idle nodes",
                  lambda: self.call("sinfo", "-h", "-p", "low", "-o", "%T %D").split() ==
                  ["idle", "2"])

    def stop(self):
        for process in reversed(self.pids):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.run, ignore_errors=True)

    def wait(self, what, holds, seconds=150):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if holds():
                    return
            except subprocess.CalledProcessError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"no {what} within {seconds} s; log of the epilog:\n{self.log()}")

    def log(self):
        path = self.run / "epilog.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def submit(self, script, *flags):
        return self.call("sbatch", "--parsable", "-o", f"{self.run}/%j.out", *flags, "--wrap",
                         script).strip()

    def job(self, number):
        """The fields of `scontrol show job`."""
        fields = {}
        for line in self.call("scontrol", "show", "job", number).splitlines():
            line = line.strip()
            if line.startswith(("Comment=", "AdminComment=")):
                name, value = line.split("=", 1)
                fields[name] = value
                continue
            for word in line.split():
                if "=" in word:
                    name, value = word.split("=", 1)
                    fields.setdefault(name, value)
        return fields

    def hurry(self, number):
        """Starts a job that Slurm requeued without its wait of two minutes (cred_expire)."""
        if self.job(number)["Reason"] == "BeginTime":
            self.call("scontrol", "update", f"JobId={number}", "StartTime=now")

    def records(self, number):
        """All attempts in accounting."""
        return json.loads(self.call("sacct", "-D", "--json", "-j", number))["jobs"]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
