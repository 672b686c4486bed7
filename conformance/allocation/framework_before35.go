//go:build before35

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

type (
	frameworkHandle = framework.Handle
	deviceManager   = framework.SharedDRAManager
)
