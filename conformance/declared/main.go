// Command judge says what the declarative validation in the module k8s.io/api finds wrong with objects of resource.k8s.io/v1.
//
// It serves where k8s.io/kubernetes has no such release yet, and knows less than a server: hand-written validation is not in that
// module. It reads and writes lines as the judge of verdicts does.
package main

import (
	"context"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"judge/lines"
)

type testCase struct {
	ID         string `json:"id"`
	Mode       string `json:"mode"`
	YAML       string `json:"yaml"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

type verdict struct {
	ID      string      `json:"id"`
	Code    int         `json:"code"`
	Causes  [][2]string `json:"causes,omitempty"`
	Message string      `json:"message,omitempty"`
}

// on has every option on, as all feature gates.
type on struct{}

func (on) Get(string) (bool, bool) { return true, true }

var (
	ctx      = context.Background()
	creating = operation.Operation{Type: operation.Create, OptionGetter: on{}}
	spec     = field.NewPath("spec")
)

func read[T any](body []byte, into *T) error {
	strict, err := kjson.UnmarshalStrict(body, into)
	if err != nil {
		return err
	}
	if len(strict) > 0 {
		return strict[0]
	}
	return nil
}

// validate returns the errors of an object; known is false for a kind without validation.
func validate(kind string, body []byte) (errs field.ErrorList, known bool, err error) {
	switch kind {
	case "ResourceClaim":
		var object resourceapi.ResourceClaim
		if err = read(body, &object); err == nil {
			setDefaults(&object.Spec)
			errs = resourceapi.Validate_ResourceClaimSpec(ctx, creating, spec, &object.Spec, nil)
		}
	case "ResourceClaimTemplate":
		var object resourceapi.ResourceClaimTemplate
		if err = read(body, &object); err == nil {
			setDefaults(&object.Spec.Spec)
			errs = resourceapi.Validate_ResourceClaimTemplateSpec(ctx, creating, spec, &object.Spec, nil)
		}
	case "DeviceClass":
		var object resourceapi.DeviceClass
		if err = read(body, &object); err == nil {
			errs = resourceapi.Validate_DeviceClassSpec(ctx, creating, spec, &object.Spec, nil)
		}
	case "ResourceSlice":
		var object resourceapi.ResourceSlice
		if err = read(body, &object); err == nil {
			errs = resourceapi.Validate_ResourceSliceSpec(ctx, creating, spec, &object.Spec, nil)
		}
	case "DeviceTaintRule":
		var object resourceapi.DeviceTaintRule
		if err = read(body, &object); err == nil {
			errs = resourceapi.Validate_DeviceTaintRuleSpec(ctx, creating, spec, &object.Spec, nil)
		}
	default:
		return nil, false, nil
	}
	return errs, true, err
}

// setDefaults does what a server does before it validates a claim.
func setDefaults(claim *resourceapi.ResourceClaimSpec) {
	tolerations := func(list []resourceapi.DeviceToleration) {
		for i := range list {
			if list[i].Operator == "" {
				list[i].Operator = resourceapi.DeviceTolerationOpEqual
			}
		}
	}
	mode := func(mode *resourceapi.DeviceAllocationMode, count *int64) {
		if *mode == "" {
			*mode = resourceapi.DeviceAllocationModeExactCount
		}
		if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
			*count = 1
		}
	}
	for i := range claim.Devices.Requests {
		request := &claim.Devices.Requests[i]
		if exactly := request.Exactly; exactly != nil {
			mode(&exactly.AllocationMode, &exactly.Count)
			tolerations(exactly.Tolerations)
		}
		for j := range request.FirstAvailable {
			mode(&request.FirstAvailable[j].AllocationMode, &request.FirstAvailable[j].Count)
			tolerations(request.FirstAvailable[j].Tolerations)
		}
	}
}

func answer(c testCase) (v verdict) {
	v.ID, v.Code = c.ID, 404
	defer func() {
		if r := recover(); r != nil {
			v.Code, v.Message = 500, fmt.Sprint("panic: ", r)
		}
	}()
	if c.APIVersion != resourceapi.SchemeGroupVersion.String() || c.Mode != "create" {
		return v
	}
	body, err := yaml.YAMLToJSONStrict([]byte(c.YAML))
	if err != nil {
		return v
	}
	errs, known, err := validate(c.Kind, body)
	if !known || err != nil {
		return v
	}
	v.Code = 201
	for _, e := range errs {
		if e.IsAlpha() || strings.HasPrefix(string(e.Type), "InternalError") {
			continue // an alpha check refuses nothing
		}
		v.Code = 422
		v.Causes = append(v.Causes, [2]string{string(e.Type), e.Field})
	}
	return v
}

func main() {
	lines.Answer(answer)
}
