//go:build !before35

package main

import fwk "k8s.io/kube-scheduler/framework"

type (
	frameworkHandle = fwk.Handle
	deviceManager   = fwk.SharedDRAManager
)
