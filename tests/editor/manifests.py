"""Manifests that the tests of the editor share; `|` in a text is the cursor."""

from __future__ import annotations

from dralint.editor import Workspace
from tests.conftest import CLASS as CLASS

NAME = "claims.yaml"
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
  namespace: team
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        selectors:
        - cel:
            expression: device.attributes["gpu.example.com"].model == "a100"
    - name: nic
      exactly:
        deviceClassName: gpu.example.com
    constraints:
    - requests: [gpu, nic]
      matchAttribute: gpu.example.com/model
"""
BROKEN = CLAIM.replace("deviceClassName", "deviceClasName", 1)
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: train
  namespace: team
spec:
  resourceClaims:
  - name: devices
    resourceClaimName: train
  containers:
  - name: main
    image: train
    resources:
      claims:
      - name: devices
        request: gpu
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: node-a
spec:
  driver: gpu.example.com
  nodeName: node-a
  pool: {name: node-a, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: a100}}
    capacity: {memory: {value: 40Gi}}
  - name: gpu-1
    attributes: {model: {string: h100}}
    capacity: {memory: {value: 80Gi}}
    taints: [{key: gpu.example.com/broken, effect: NoSchedule}]
"""


def workspace(*texts: str) -> Workspace:
    """Return a workspace with a text of these documents, open."""
    made = Workspace()
    made.open(NAME, "---\n".join(texts))
    return made


def at_cursor(*texts: str) -> tuple[Workspace, int]:
    """Return a workspace with a text of these documents without the `|` in it, and the offset of that."""
    whole = "---\n".join(texts)
    offset = whole.index("|")
    made = Workspace()
    made.open(NAME, whole[:offset] + whole[offset + 1 :])
    return made, offset
