"""Makes the loads of the benchmark: manifests of the shapes that repositories have, the same ones every time."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TEAMS, APPLICATIONS = 17, 100
SELECTOR = """\
device.attributes["gpu.example.com"].productName.lowerAscii().matches("^.*a100.*$") &&
device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0"""


def indented(text: str, by: int) -> str:
    """Return the lines moved to the right."""
    return "".join(f"{' ' * by}{line}" for line in text.splitlines(keepends=True))


def claim(number: int, rng: random.Random) -> str:
    """Return a ResourceClaim of one to three requests with a CEL selector each, and opaque configuration."""
    return f"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n{metadata(number)}spec:\n{claim_spec(rng)}"


def template(number: int, rng: random.Random) -> str:
    """Return a ResourceClaimTemplate around such a claim."""
    spec = indented(claim_spec(rng), 2)
    return f"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\n{metadata(number)}spec:\n  spec:\n{spec}"


def metadata(number: int) -> str:
    """Return the metadata of a claim."""
    return f"""\
metadata:
  name: claim-{number}
  namespace: team-{number % TEAMS}
  labels:
    app.kubernetes.io/name: job-{number}
    app.kubernetes.io/managed-by: gitops
"""


def claim_spec(rng: random.Random) -> str:
    """Return the fields below the spec of a claim."""
    requests = [
        f"""\
    - name: gpu-{position}
      exactly:
        deviceClassName: gpu.example.com
        allocationMode: ExactCount
        count: {rng.randint(1, 4)}
        selectors:
        - cel:
            expression: |-
{indented(SELECTOR, 14)}
"""
        for position in range(rng.randint(1, 3))
    ]
    names = ", ".join(f"gpu-{position}" for position in range(len(requests)))
    together = f"    constraints:\n    - requests: [{names}]\n      matchAttribute: gpu.example.com/numaNode\n"
    return f"""\
  devices:
    requests:
{"".join(requests)}{together if len(requests) > 1 else ""}    config:
    - requests: [gpu-0]
      opaque:
        driver: gpu.example.com
        parameters:
          apiVersion: gpu.resource.example.com/v1alpha1
          kind: GpuConfig
          sharing:
            strategy: TimeSlicing
            timeSlicingConfig:
              interval: Long
"""


def device_class(number: int, rng: random.Random) -> str:
    """Return a DeviceClass with a selector and configuration."""
    kind = rng.choice(("gpu", "nic"))
    return f"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: class-{number}.example.com
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].type == "{kind}"
  config:
  - opaque:
      driver: gpu.example.com
      parameters:
        apiVersion: gpu.resource.example.com/v1alpha1
        kind: GpuConfig
"""


def resource_slice(number: int, rng: random.Random, devices: int = 8) -> str:
    """Return a ResourceSlice of `count` devices with eight attributes and two capacities each."""
    return f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: node-{number}-gpu.example.com
spec:
  driver: gpu.example.com
  nodeName: node-{number}
  pool:
    name: node-{number}
    generation: 1
    resourceSliceCount: 1
  devices:
""" + "".join(
        f"""\
  - name: gpu-{position}
    attributes:
      type:
        string: gpu
      productName:
        string: NVIDIA A100-SXM4-40GB
      architecture:
        string: Ampere
      index:
        int: {position}
      uuid:
        string: GPU-{rng.getrandbits(64):016x}-{number:06d}
      cudaComputeCapability:
        version: 8.0.0
      driverVersion:
        version: 550.54.15
      ecc:
        bool: true
    capacity:
      memory:
        value: 40Gi
      multiprocessors:
        value: "108"
"""
        for position in range(devices)
    )


def pod(number: int, rng: random.Random) -> str:
    """Return a Pod that uses a claim made from a template."""
    return f"""\
apiVersion: v1
kind: Pod
metadata:
  name: train-{number}
  namespace: team-{number % TEAMS}
spec:
  restartPolicy: Never
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: claim-{number}
  containers:
  - name: main
    image: registry.example.com/train:1.{rng.randrange(50)}
    command: [python, train.py]
    resources:
      claims:
      - name: gpu
        request: gpu-0
      limits:
        memory: 16Gi
        cpu: "4"
"""


def named(number: int) -> str:
    """Return the metadata of an application's object."""
    return f"""\
metadata:
  name: app-{number}
  namespace: team-{number % TEAMS}
  labels:
    app.kubernetes.io/name: app-{number}
    app.kubernetes.io/part-of: platform
"""


def deployment(number: int, rng: random.Random) -> str:
    """Return a Deployment without claims."""
    return f"""\
apiVersion: apps/v1
kind: Deployment
{named(number)}spec:
  replicas: {rng.randint(1, 5)}
  selector:
    matchLabels:
      app.kubernetes.io/name: app-{number}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-{number}
    spec:
      serviceAccountName: app-{number}
      containers:
      - name: main
        image: registry.example.com/app-{number}:1.{rng.randrange(70)}.{rng.randrange(9)}
        args: [--port=8080, --log-level=info]
        ports:
        - containerPort: 8080
          name: http
        env:
        - name: DATABASE_URL
          valueFrom:
            secretKeyRef:
              name: app-{number}
              key: url
        readinessProbe:
          httpGet:
            path: /healthz
            port: http
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
"""


def service(number: int, rng: random.Random) -> str:
    """Return a Service."""
    return f"""\
apiVersion: v1
kind: Service
{named(number)}spec:
  selector:
    app.kubernetes.io/name: app-{number}
  ports:
  - name: http
    port: {rng.choice((80, 8080))}
    targetPort: http
"""


def config_map(number: int, rng: random.Random) -> str:
    """Return a ConfigMap with a file of thirty lines."""
    lines = "".join(f"    key{line}: value-{rng.getrandbits(32):x}\n" for line in range(30))
    return f"apiVersion: v1\nkind: ConfigMap\n{named(number)}data:\n  application.yaml: |\n{lines}"


def kustomization(number: int, rng: random.Random) -> str:
    """Return a kustomization file."""
    lines = "".join(f"- ../base-{rng.randrange(number + 1)}-{line}\n" for line in range(6))
    return f"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n{lines}"


def helm_release(number: int, rng: random.Random) -> str:
    """Return a HelmRelease with values."""
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
{named(number)}spec:
  interval: 30m
  chart:
    spec:
      chart: app-{number}
      version: 1.{rng.randrange(40)}.0
      sourceRef:
        kind: HelmRepository
        name: platform
  values:
    replicaCount: {rng.randint(1, 5)}
    image:
      repository: registry.example.com/app-{number}
      tag: v{rng.randrange(99)}
    ingress:
      enabled: true
      hosts:
      - host: app-{number}.example.com
        paths: [/]
"""


DRA: tuple[Callable[[int, random.Random], str], ...] = (
    *(claim,) * 3,
    *(template,) * 3,
    device_class,
    resource_slice,
    *(pod,) * 2,
)
OTHERS: tuple[Callable[[int, random.Random], str], ...] = (deployment, service, config_map, kustomization, helm_release)


def tree(folder: Path, count: int, *, gitops: bool = False, seed: int = 42) -> None:
    """Write the manifests: all of them about claims, or (`gitops`) one in fifty."""
    rng = random.Random(seed)
    for number in range(count):
        if not gitops:
            make = DRA[number % len(DRA)]
        elif number % 50 == 7:
            make = claim if number % 100 == 7 else pod
        else:
            make = OTHERS[number % len(OTHERS)]
        place = folder / f"team-{number % TEAMS:02d}" / f"app-{number % APPLICATIONS:02d}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{make.__name__}-{number}.yaml").write_text(make(number, rng), "utf-8")


def stream(size: int, seed: int = 7) -> Iterator[str]:
    """Yield the parts of one stream of ResourceSlices of 128 devices, with at least the given number of characters."""
    rng = random.Random(seed)
    number = written = 0
    while written < size:
        part = ("---\n" if number else "") + resource_slice(number, rng, 128)
        yield part
        written += len(part)
        number += 1
