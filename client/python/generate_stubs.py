"""Adds the Python stubs of proto/ to the build (a hatchling hook).

In a checkout, generates them with grpcio-tools, which only the build needs. A source
archive contains them.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The generated code's run-time requirements are in pyproject.toml.
TOOLS = ["grpcio-tools==1.71.2", "googleapis-common-protos>=1.66,<2"]


class StubsHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def dependencies(self):
        return [] if self._shipped.is_dir() else TOOLS

    def initialize(self, version, build_data):
        self._made = None
        if not self._shipped.is_dir():
            self._made = Path(tempfile.mkdtemp())
            generate(Path(self.root).parents[1] / "proto", self._made)
            # Next to hand-written modules such as mulligan/spark.py.
            build_data["force_include"][str(self._made / "mulligan")] = "mulligan"

    def finalize(self, version, build_data, artifact_path):
        if self._made:
            shutil.rmtree(self._made)

    @property
    def _shipped(self):
        return Path(self.root) / "mulligan/v1"


def generate(proto, folder):
    """Writes the typed stubs, package `mulligan`, to folder."""
    # grpcio-tools does not have google/rpc.
    import google.rpc
    import grpc_tools
    files = sorted(str(path.relative_to(proto)) for path in (proto / "mulligan").rglob("*.proto"))
    if not files:
        sys.exit(f"error: {proto} has no mulligan/*.proto")
    folders = [proto, Path(next(iter(google.rpc.__path__))).parents[1],
               Path(next(iter(grpc_tools.__path__))) / "_proto"]
    protoc = [sys.executable, "-m", "grpc_tools.protoc", *(f"-I{each}" for each in folders)]
    services = [name for name in files if "\nservice " in (proto / name).read_text()]
    subprocess.run([*protoc, f"--python_out={folder}", f"--pyi_out={folder}", *files], check=True)
    subprocess.run([*protoc, f"--grpc_python_out={folder}", *services], check=True)
    (folder / "mulligan/py.typed").touch()
