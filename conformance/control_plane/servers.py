"""A control plane without kubelets: etcd, the API server, the controllers and the scheduler of a release."""

from __future__ import annotations

import contextlib
import http.client
import json
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from conformance import modules
from conformance.control_plane.cases import NODES
from dralint.kubernetes.release import Release
from dralint.simulate.behaviours import behaviour

if TYPE_CHECKING:
    from collections.abc import Mapping

Object = dict[str, Any]

_HOST = "127.0.0.1"
_READY_WITHIN = 240.0
_CLIENTS = ("kube-controller-manager", "kube-scheduler")
_CONTROLLERS = (
    "daemonset-controller",
    "deployment-controller",
    "device-taint-eviction-controller",
    "garbage-collector-controller",
    "job-controller",
    "namespace-controller",
    "replicaset-controller",
    "resourceclaim-controller",
    "resourcequota-controller",
    "statefulset-controller",
)
_UNUSED_ADMISSION = "ServiceAccount,TaintNodesByCondition"
"""No controller makes the accounts, and no kubelet says that a node is ready."""
_PATCH = "application/merge-patch+json"


class Reply(NamedTuple):
    """What the API server says to a request."""

    code: int
    body: Object

    @property
    def message(self) -> str:
        """Why the server refused."""
        return str(self.body.get("message", ""))


class ControlPlane:
    """Servers that run while the context is open."""

    def __init__(self, judge: str, release: str, gates: Mapping[str, bool]) -> None:
        self._program = modules.program(judge, release).absolute()
        self._release = Release.parse(release)
        switched = ",".join(f"{gate}={str(on).lower()}" for gate, on in gates.items())
        self._gates = [f"--feature-gates={switched}"] if switched else []
        self._folder = Path(tempfile.mkdtemp(prefix="servers-", dir=modules.work()))
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._arguments: dict[str, tuple[str, ...]] = {}
        self._token = secrets.token_hex()
        self._port, self._etcd, self._peers = _free_ports(3)
        self._connection: http.client.HTTPSConnection | None = None
        self._resources: dict[str, dict[str, tuple[str, bool]]] = {}

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for server in reversed(self._running.values()):
            server.terminate()
        for server in self._running.values():
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def request(self, method: str, path: str, body: Object | None = None) -> Reply:
        """Send a request; a connection that the server closed is opened anew, once."""
        # A server compares opaque parameters byte by byte, as Go writes them.
        text = None if body is None else json.dumps(body, separators=(",", ":"), sort_keys=True)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": _PATCH if method == "PATCH" else "application/json",
        }
        for last in (False, True):
            try:
                if self._connection is None:
                    self._connection = http.client.HTTPSConnection(_HOST, self._port, context=self._tls(), timeout=60)
                self._connection.request(method, path, text, headers)
                reply = self._connection.getresponse()
                said = reply.read().decode()
            except (OSError, http.client.HTTPException):
                self._connection = None
                if last:
                    raise
                continue
            return Reply(reply.status, json.loads(said) if said.startswith("{") else {"message": said})
        raise AssertionError

    def items(self, api_version: str, kind: str, namespace: str | None = None) -> list[Object]:
        """Return the objects of a kind, as `kubectl get -o yaml` writes them in a list."""
        path = self.path(api_version, kind, namespace, everywhere=namespace is None)
        found = self.request("GET", path).body.get("items") or [] if path else []
        return [{"apiVersion": api_version, "kind": kind} | item for item in found]

    def path(self, api_version: str, kind: str, namespace: str | None, *, everywhere: bool = False) -> str:
        """Return where objects of a kind are; empty if the release does not serve the kind."""
        base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        if api_version not in self._resources:
            served = self.request("GET", base).body.get("resources", ())
            self._resources[api_version] = {
                one["kind"]: (one["name"], one["namespaced"]) for one in served if "/" not in one["name"]
            }
        if kind not in self._resources[api_version]:
            return ""
        plural, namespaced = self._resources[api_version][kind]
        return f"{base}/namespaces/{namespace}/{plural}" if namespaced and not everywhere else f"{base}/{plural}"

    def revived(self) -> bool:
        """Start the scheduler and the controllers again if they ended, and say whether that was so."""
        ended = [name for name in _CLIENTS if self._running[name].poll() is not None]
        for name in ended:
            self._run(name, *self._arguments[name])
        self._check()
        return bool(ended)

    def _check(self) -> None:
        """Raise GoError if a server ended."""
        for name, server in self._running.items():
            if server.poll() is not None:
                log = (self._folder / f"{name}.log").read_text("utf-8", "replace")
                raise modules.GoError(f"{name} ended with status {server.returncode}: {log[-2000:]}")

    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self._folder / "certificates" / "apiserver.crt"))

    def _run(self, name: str, *arguments: str) -> None:
        self._arguments[name] = arguments
        with (self._folder / f"{name}.log").open("wb") as log:
            command = [str(self._program), name, *arguments]
            self._running[name] = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=self._folder)

    def _start(self) -> None:
        etcd = f"http://{_HOST}:{self._etcd}"
        subprocess.run([self._program, "key", "accounts.key"], cwd=self._folder, check=True)
        self._write("tokens.csv", f'{self._token},admin,admin,"system:masters"\n')
        self._run("etcd", "etcd", etcd, f"http://{_HOST}:{self._peers}")
        self._run(
            "kube-apiserver",
            f"--etcd-servers={etcd}",
            f"--bind-address={_HOST}",
            f"--secure-port={self._port}",
            "--cert-dir=certificates",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://localhost",
            "--service-account-key-file=accounts.key",
            "--service-account-signing-key-file=accounts.key",
            "--token-auth-file=tokens.csv",
            "--authorization-mode=AlwaysAllow",
            "--enable-priority-and-fairness=false",
            f"--disable-admission-plugins={_UNUSED_ADMISSION}",
            "--runtime-config=api/all=true",
            *self._gates,
        )
        self._wait_until_ready()
        self._write("kubeconfig", json.dumps(self._kubeconfig()))
        self._write("scheduler.json", json.dumps(scheduler(self._release)))
        self._run(
            "kube-controller-manager",
            "--kubeconfig=kubeconfig",
            f"--controllers={','.join(_CONTROLLERS)}",
            "--leader-elect=false",
            "--secure-port=0",
            "--kube-api-qps=1000",
            "--kube-api-burst=1000",
            *self._gates,
        )
        self._run("kube-scheduler", "--config=scheduler.json", "--secure-port=0", *self._gates)

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + _READY_WITHIN
        while time.monotonic() < end:
            self._check()
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.request("GET", "/readyz").code == http.HTTPStatus.OK:
                    return
            time.sleep(0.3)
        raise modules.GoError(f"kube-apiserver is not ready after {_READY_WITHIN:.0f} seconds")

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, "utf-8")

    def _kubeconfig(self) -> Object:
        server = {
            "server": f"https://{_HOST}:{self._port}",
            "certificate-authority": "certificates/apiserver.crt",
        }
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "clusters": [{"name": "here", "cluster": server}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "admin"}}],
        }


def _free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((_HOST, 0))
        return [int(one.getsockname()[1]) for one in sockets]


def scheduler(release: Release) -> Object:
    """Return the configuration of a scheduler that takes the first of equal nodes.

    It has all filters, but of the scores only that of devices, and a small one by name.
    """
    preferred = [
        {
            "weight": 100 - 10 * rank,
            "preference": {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]},
        }
        for rank, name in enumerate(NODES)
    ]
    by_name = {"addedAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    scores = [{"name": "DynamicResources", "weight": 100}] if behaviour(release).has("scores") else []
    profile = {
        "plugins": {
            "score": {"disabled": [{"name": "*"}], "enabled": [*scores, {"name": "NodeAffinity", "weight": 1}]}
        },
        "pluginConfig": [{"name": "NodeAffinity", "args": by_name}],
    }
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": "kubeconfig", "qps": 1000, "burst": 1000},
        "leaderElection": {"leaderElect": False},
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 1,
        "percentageOfNodesToScore": 100,
        "profiles": [profile],
    }
