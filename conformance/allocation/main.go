// Command judge says which devices the scheduler of the release that it is built with gives to a Pod.
//
// It runs the scheduler's plugin for dynamic resources over the objects of a case, which a client without a server holds, and
// asks it about every node. Where the order of pools is not defined, it asks several times and lists all answers.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"judge/lines"
)

const searchTime = 5 * time.Second

type testCase struct {
	ID         string                       `json:"id"`
	Gates      map[string]bool              `json:"gates"`
	Nodes      []node                       `json:"nodes"`
	Slices     []*resourceapi.ResourceSlice `json:"slices"`
	Classes    []*resourceapi.DeviceClass   `json:"classes"`
	Claims     []*resourceapi.ResourceClaim `json:"claims"`
	TaintRules []json.RawMessage            `json:"taintRules"`
	Pod        *v1.Pod                      `json:"pod"`
}

type node struct {
	Name             string            `json:"name"`
	Labels           map[string]string `json:"labels"`
	DeclaredFeatures []string          `json:"declaredFeatures"`
	Allocatable      v1.ResourceList   `json:"allocatable"`
}

type verdict struct {
	ID    string        `json:"id"`
	Nodes []nodeVerdict `json:"nodes"`
}

type nodeVerdict struct {
	Node     string    `json:"node"`
	Outcomes []outcome `json:"outcomes"`
}

type outcome struct {
	Fits        bool                                  `json:"fits"`
	Code        string                                `json:"code,omitempty"`
	Reasons     []string                              `json:"reasons,omitempty"`
	Panic       string                                `json:"panic,omitempty"`
	Allocations []resourceapi.AllocationResult        `json:"allocations,omitempty"`
	Mappings    []v1.ContainerExtendedResourceRequest `json:"requestMappings,omitempty"`
	Score       *int64                                `json:"score,omitempty"`
}

// A handle has what the plugin asks a scheduler for.
type handle struct {
	frameworkHandle
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	manager *dynamicresources.DefaultDRAManager
}

func (h *handle) ClientSet() kubernetes.Interface                        { return h.client }
func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }
func (h *handle) SharedDRAManager() deviceManager                        { return h.manager }
func (h *handle) ProfileName() string                                    { return "default-scheduler" }

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func setGates(wanted map[string]bool) {
	set := map[string]bool{}
	for name, spec := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		value, named := wanted[string(name)]
		if spec.LockToDefault || !named && !strings.HasPrefix(string(name), "DRA") {
			continue
		}
		if !named {
			value = spec.Default
		}
		set[string(name)] = value
	}
	check(utilfeature.DefaultMutableFeatureGate.SetFromMap(set))
}

// setDefaults does what the API server does before a scheduler sees a claim.
func setDefaults(claim *resourceapi.ResourceClaim) {
	set := func(mode *resourceapi.DeviceAllocationMode, count *int64, tolerations []resourceapi.DeviceToleration) {
		if *mode == "" {
			*mode = resourceapi.DeviceAllocationModeExactCount
		}
		if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
			*count = 1
		}
		for i := range tolerations {
			if tolerations[i].Operator == "" {
				tolerations[i].Operator = resourceapi.DeviceTolerationOpEqual
			}
		}
	}
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if exactly := request.Exactly; exactly != nil {
			set(&exactly.AllocationMode, &exactly.Count, exactly.Tolerations)
		}
		for j := range request.FirstAvailable {
			sub := &request.FirstAvailable[j]
			set(&sub.AllocationMode, &sub.Count, sub.Tolerations)
		}
	}
}

// trackerOptions returns the options of a tracker of slices, and the API version of taint rules that it reads.
func trackerOptions(client kubernetes.Interface, factory informers.SharedInformerFactory) (resourceslicetracker.Options, string) {
	options := resourceslicetracker.Options{SliceInformer: factory.Resource().V1().ResourceSlices(), KubeClient: client}
	fields := reflect.ValueOf(&options).Elem()
	for gate := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		if field := fields.FieldByName("Enable" + strings.TrimPrefix(string(gate), "DRA")); field.IsValid() {
			field.SetBool(utilfeature.DefaultFeatureGate.Enabled(gate))
		}
	}
	if field := fields.FieldByName("ClassInformer"); field.IsValid() {
		field.Set(reflect.ValueOf(factory.Resource().V1().DeviceClasses()))
	}
	taints := fields.FieldByName("TaintInformer")
	for _, version := range []string{"V1", "V1beta2", "V1alpha3"} {
		group := reflect.ValueOf(factory.Resource()).MethodByName(version)
		if !group.IsValid() {
			continue
		}
		rules := group.Call(nil)[0].MethodByName("DeviceTaintRules")
		if rules.IsValid() && rules.Type().Out(0).AssignableTo(taints.Type()) {
			taints.Set(rules.Call(nil)[0])
			return options, "resource.k8s.io/" + strings.ToLower(version)
		}
	}
	panic("no API version of DeviceTaintRule fits the tracker")
}

// objects returns the objects of a case as a client has them.
func (c *testCase) objects(rules string) (all []runtime.Object) {
	for _, claim := range c.Claims {
		setDefaults(claim)
		claim.ResourceVersion = "1"
		all = append(all, claim)
	}
	for _, class := range c.Classes {
		all = append(all, class)
	}
	for _, slice := range c.Slices {
		all = append(all, slice)
	}
	for i, raw := range c.TaintRules {
		var body map[string]any
		check(json.Unmarshal(raw, &body))
		body["apiVersion"], body["kind"], body["metadata"] = rules, "DeviceTaintRule", map[string]any{"name": fmt.Sprint("rule-", i)}
		text, err := json.Marshal(body)
		check(err)
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		check(err)
		all = append(all, object)
	}
	return append(all, c.Pod)
}

// hidden returns a private field of what the plugin keeps.
func hidden(of any, name string) reflect.Value {
	value := reflect.ValueOf(of)
	for value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	field := value.FieldByName(name)
	if !field.IsValid() {
		return field
	}
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// A run is the plugin with everything that it watches.
type run struct {
	ctx    context.Context
	plugin *dynamicresources.DynamicResources
	pod    *v1.Pod
}

func (c *testCase) start(ctx context.Context) (r run, stop func()) {
	setGates(c.Gates)
	ctx, cancel := context.WithCancel(ctx)
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	options, rules := trackerOptions(client, factory)
	for _, object := range c.objects(rules) {
		check(client.Tracker().Add(object))
	}
	tracker, err := resourceslicetracker.StartTracker(ctx, options)
	check(err)
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "resource claim", "", nil)
	watching := claims.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	manager := dynamicresources.NewDRAManager(ctx, claims, tracker, factory)
	synced := []cache.InformerSynced{watching.HasSynced, tracker.HasSynced}
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	if resolver := reflect.ValueOf(manager).MethodByName("DeviceClassResolver"); resolver.IsValid() {
		if handler, ok := resolver.Call(nil)[0].Interface().(cache.ResourceEventHandler); ok && features.EnableDRAExtendedResource {
			registered, err := factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(handler)
			check(err)
			synced = append(synced, registered.HasSynced)
		}
	}
	arguments := &config.DynamicResourcesArgs{FilterTimeout: &metav1.Duration{Duration: searchTime}}
	made, err := dynamicresources.New(ctx, arguments, &handle{client: client, factory: factory, manager: manager}, features)
	check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), synced...)
	return run{ctx, made.(*dynamicresources.DynamicResources), c.Pod}, func() {
		tracker.Stop()
		cancel()
		factory.Shutdown()
	}
}

func refused(status *fwk.Status) outcome {
	return outcome{Fits: status.IsSkip(), Code: status.Code().String(), Reasons: status.Reasons()}
}

// attempt asks about each node once.
func (r run) attempt(nodes []node) (found []outcome) {
	state := framework.NewCycleState()
	_, status := r.plugin.PreFilter(r.ctx, state, r.pod, nil)
	if status != nil && !status.IsSuccess() {
		for range nodes {
			found = append(found, refused(status))
		}
		return found
	}
	data, err := state.Read(fwk.StateKey(dynamicresources.Name))
	check(err)
	for _, n := range nodes {
		found = append(found, r.filter(state, data, n))
	}
	return found
}

func (r run) filter(state fwk.CycleState, data any, n node) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{Panic: fmt.Sprint(p)}
		}
	}()
	made := &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels},
		Status:     v1.NodeStatus{Allocatable: n.Allocatable, Capacity: n.Allocatable},
	}
	if declared := reflect.ValueOf(&made.Status).Elem().FieldByName("DeclaredFeatures"); declared.IsValid() {
		declared.Set(reflect.ValueOf(n.DeclaredFeatures))
	}
	info := framework.NewNodeInfo()
	info.SetNode(made)
	if status := r.plugin.Filter(r.ctx, state, r.pod, info); !status.IsSuccess() {
		return refused(status)
	}
	o.Fits = true
	entry := hidden(data, "nodeAllocations").MapIndex(reflect.ValueOf(n.Name))
	if !entry.IsValid() {
		return o
	}
	kept := reflect.New(entry.Type())
	kept.Elem().Set(entry)
	o.Allocations = hidden(kept.Interface(), "allocationResults").Interface().([]resourceapi.AllocationResult)
	for _, allocation := range o.Allocations {
		for _, result := range allocation.Devices.Results {
			if result.ShareID != nil {
				*result.ShareID = "*" // a random one
			}
		}
	}
	if mappings := hidden(kept.Interface(), "containerResourceRequestMappings"); mappings.IsValid() {
		o.Mappings = mappings.Interface().([]v1.ContainerExtendedResourceRequest)
	}
	if scorer, ok := any(r.plugin).(interface {
		Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status)
	}); ok {
		if score, status := scorer.Score(r.ctx, state, r.pod, info); status.IsSuccess() {
			o.Score = &score
		}
	}
	return o
}

func answer(c testCase, times int) verdict {
	r, stop := c.start(klog.NewContext(context.Background(), klog.Background()))
	defer stop()
	v := verdict{ID: c.ID}
	for _, n := range c.Nodes {
		v.Nodes = append(v.Nodes, nodeVerdict{Node: n.Name})
	}
	seen := map[string]bool{}
	for range times {
		for i, o := range r.attempt(c.Nodes) {
			text, err := json.Marshal(o)
			check(err)
			if key := fmt.Sprint(i, string(text)); !seen[key] {
				seen[key] = true
				v.Nodes[i].Outcomes = append(v.Nodes[i].Outcomes, o)
			}
		}
	}
	return v
}

func main() {
	times := flag.Int("times", 1, "how often each node is asked about")
	flag.Parse()
	metrics.InitMetrics()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	lines.Answer(func(c testCase) verdict { return answer(c, *times) })
}
