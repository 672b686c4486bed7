//go:build before32

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
)

type getter struct{}

func (getter) GetRESTOptions(resource schema.GroupResource) (generic.RESTOptions, error) {
	return restOptions(resource), nil
}
