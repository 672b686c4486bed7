"""A Pod and the template of its claim, in a namespace."""

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: one-gpu
  namespace: ml
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: train
  namespace: ml
spec:
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: one-gpu
  containers:
  - name: main
    image: registry.example.com/train:1.0
    resources:
      claims:
      - name: gpu
"""
NAMESPACE = "  namespace: ml\n"
