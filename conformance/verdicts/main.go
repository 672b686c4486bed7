// Command judge says what the API server of the release that it is built with does with manifests.
//
// It holds the storage of the API group resource.k8s.io and the strategies of Pods and workloads, without a server and without
// etcd. It reads cases from standard input, a JSON object a line, and writes a verdict a line in the same order.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	resourcerest "k8s.io/kubernetes/pkg/registry/resource/rest"
	"sigs.k8s.io/yaml"

	"judge/lines"
)

const group = "resource.k8s.io"

type strategies struct {
	namespaced bool
	create     rest.RESTCreateStrategy
	update     rest.RESTUpdateStrategy
	status     rest.RESTUpdateStrategy
}

// A testCase is a manifest; `update` has the manifest before it as well.
type testCase struct {
	ID   string `json:"id"`
	Mode string `json:"mode"`
	YAML string `json:"yaml"`
	Old  string `json:"old,omitempty"`
	// The request goes to this address, whatever the manifest says.
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
}

type verdict struct {
	ID      string      `json:"id"`
	Code    int         `json:"code"`
	Causes  [][2]string `json:"causes,omitempty"`
	Message string      `json:"message,omitempty"`
	Dropped []string    `json:"dropped,omitempty"`
}

// namespaces answers that every namespace permits admin access.
type namespaces struct {
	typedcore.NamespaceInterface
}

func (namespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Namespace, error) {
	labels := map[string]string{"resource.kubernetes.io/admin-access": "true", "resource.k8s.io/admin-access": "true"}
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, nil
}

func noStorage(
	_ *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string, error), _, _ func() runtime.Object,
	_ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers,
) (storage.Interface, factory.DestroyFunc, error) {
	return nil, func() {}, nil
}

func restOptions(resource schema.GroupResource) generic.RESTOptions {
	return generic.RESTOptions{
		StorageConfig: &storagebackend.ConfigForResource{GroupResource: resource}, Decorator: noStorage, ResourcePrefix: resource.String(),
	}
}

// storeOf finds the generic store in a REST type of a resource, exported or not.
func storeOf(storage rest.Storage) *genericregistry.Store {
	value := reflect.ValueOf(storage).Elem()
	for i := 0; i < value.NumField(); i++ {
		field := value.Field(i)
		if field.Type() == reflect.TypeOf((*genericregistry.Store)(nil)) {
			return (*genericregistry.Store)(unsafe.Pointer(field.Pointer()))
		}
	}
	panic(fmt.Sprintf("%T has no store", storage))
}

func load() map[schema.GroupVersionKind]strategies {
	versions := legacyscheme.Scheme.PrioritizedVersionsForGroup(group)
	config := serverstorage.NewResourceConfig()
	config.EnableVersions(versions...)
	provider := resourcerest.RESTStorageProvider{}
	set := func(field string, value any) {
		if f := reflect.ValueOf(&provider).Elem().FieldByName(field); f.IsValid() {
			f.Set(reflect.ValueOf(value))
		}
	}
	set("NamespaceClient", namespaces{})
	set("Authorizer", authorizerfactory.NewAlwaysAllowAuthorizer())
	info, err := provider.NewRESTStorage(config, getter{})
	if err != nil {
		panic(err)
	}
	found := map[schema.GroupVersionKind]strategies{}
	for version, resources := range info.VersionedResourcesStorageMap {
		for name, storage := range resources {
			if strings.Contains(name, "/") {
				continue
			}
			store := storeOf(storage)
			kinds, _, err := legacyscheme.Scheme.ObjectKinds(store.NewFunc())
			if err != nil {
				panic(err)
			}
			s := strategies{namespaced: store.CreateStrategy.NamespaceScoped(), create: store.CreateStrategy, update: store.UpdateStrategy}
			if status, ok := resources[name+"/status"]; ok {
				s.status = storeOf(status).UpdateStrategy
			}
			found[schema.GroupVersionKind{Group: group, Version: version, Kind: kinds[0].Kind}] = s
		}
	}
	workload := func(group, version, kind string, create rest.RESTCreateStrategy, update rest.RESTUpdateStrategy) {
		found[schema.GroupVersionKind{Group: group, Version: version, Kind: kind}] = strategies{true, create, update, nil}
	}
	workload("", "v1", "Pod", pod.Strategy, pod.Strategy)
	workload("apps", "v1", "Deployment", deployment.Strategy, deployment.Strategy)
	workload("apps", "v1", "StatefulSet", statefulset.Strategy, statefulset.Strategy)
	workload("batch", "v1", "Job", job.Strategy, job.Strategy)
	workload("batch", "v1", "CronJob", cronjob.Strategy, cronjob.Strategy)
	return found
}

func serializer(mediaType string) runtime.SerializerInfo {
	for _, info := range legacyscheme.Codecs.SupportedMediaTypes() {
		if info.MediaType == mediaType {
			return info
		}
	}
	panic(mediaType)
}

// A target is the address of a request: a kind, and the namespace.
type target struct {
	gvk       schema.GroupVersionKind
	plural    string
	namespace string
	strategies
}

func (t target) context(verb, subresource string) context.Context {
	ctx := request.WithNamespace(context.Background(), t.namespace)
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters"}})
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: verb, APIPrefix: "apis", APIGroup: t.gvk.Group, APIVersion: t.gvk.Version, Namespace: t.namespace,
		Resource: t.plural, Subresource: subresource,
	})
}

// decode reads a body as the handlers of requests do, strictly.
func (t target) decode(body []byte, mediaType string) (runtime.Object, error) {
	hub := schema.GroupVersion{Group: t.gvk.Group, Version: runtime.APIVersionInternal}
	into, err := legacyscheme.Scheme.New(hub.WithKind(t.gvk.Kind))
	if err != nil {
		return nil, err
	}
	decoder := legacyscheme.Codecs.DecoderToVersion(serializer(mediaType).StrictSerializer, hub)
	object, gvk, err := decoder.Decode(body, &t.gvk, into)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if gvk.GroupVersion() != t.gvk.GroupVersion() {
		return nil, apierrors.NewBadRequest("the API version in the data does not match the expected API version")
	}
	if reflect.TypeOf(object) != reflect.TypeOf(into) {
		return nil, apierrors.NewBadRequest("the kind in the data does not match the expected kind")
	}
	return object, nil
}

// encode writes an object in the version of the address.
func (t target) encode(object runtime.Object) []byte {
	body, err := runtime.Encode(legacyscheme.Codecs.EncoderForVersion(serializer("application/json").Serializer, t.gvk.GroupVersion()), object)
	if err != nil {
		panic(err)
	}
	return body
}

func (t target) post(object runtime.Object) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	accessor.SetManagedFields(nil)
	rest.WipeObjectMetaSystemFields(accessor)
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(t.namespace, t.namespaced), accessor); err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(accessor)
	if accessor.GetGenerateName() != "" && accessor.GetName() == "" {
		accessor.SetName(t.create.GenerateName(accessor.GetGenerateName()))
	}
	if err := rest.BeforeCreate(t.create, t.context("create", ""), object); err != nil {
		return err
	}
	if accessor.GetResourceVersion() != "" {
		return storage.ErrResourceVersionSetOnCreate
	}
	return nil
}

func (t target) put(body []byte, existing runtime.Object, strategy rest.RESTUpdateStrategy, subresource string) (runtime.Object, error) {
	object, err := t.decode(body, "application/json")
	if err != nil {
		return nil, err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	old, _ := meta.Accessor(existing)
	if accessor.GetName() != old.GetName() {
		return nil, apierrors.NewBadRequest("the name of the object does not match the name on the URL")
	}
	if accessor.GetUID() != "" && accessor.GetUID() != old.GetUID() {
		return nil, apierrors.NewConflict(schema.GroupResource{Group: t.gvk.Group, Resource: t.plural}, old.GetName(), errors.New("UID"))
	}
	accessor.SetManagedFields(nil)
	accessor.SetResourceVersion(old.GetResourceVersion())
	return object, rest.BeforeUpdate(strategy, t.context("update", subresource), object, existing.DeepCopyObject())
}

// stored returns what a later request finds: an object that went through its JSON.
func (t target) stored(object runtime.Object) runtime.Object {
	accessor, _ := meta.Accessor(object)
	accessor.SetResourceVersion("1")
	again, err := t.decode(t.encode(object), "application/json")
	if err != nil {
		panic(err)
	}
	return again
}

var errSetUp = errors.New("set-up")

func (t target) judge(c testCase) (runtime.Object, error) {
	if c.Mode == "create" {
		object, err := t.decode([]byte(c.YAML), "application/yaml")
		if err != nil {
			return nil, err
		}
		return object, t.post(object)
	}
	sent, err := fromYAML(c.YAML)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errSetUp, err)
	}
	text := c.Old
	if text == "" {
		text = c.YAML
	}
	before, err := fromYAML(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errSetUp, err)
	}
	if c.Old == "" {
		delete(before, "status")
	}
	status, hasStatus := before["status"]
	delete(before, "status")
	existing, err := t.decode(toJSON(before), "application/json")
	if err == nil {
		err = t.post(existing)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", errSetUp, err)
	}
	existing = t.stored(existing)
	with := func(status any) []byte {
		whole, err := fromYAML(string(t.encode(existing)))
		if err != nil {
			panic(err)
		}
		whole["status"] = status
		return toJSON(whole)
	}
	if hasStatus && t.status != nil {
		object, err := t.put(with(status), existing, t.status, "status")
		if err != nil {
			return nil, fmt.Errorf("%w: %v", errSetUp, err)
		}
		existing = t.stored(object)
	}
	if c.Mode == "status" {
		return t.put(with(sent["status"]), existing, t.status, "status")
	}
	if sent["status"] == nil {
		delete(sent, "status")
	}
	return t.put(toJSON(sent), existing, t.update, "")
}

// fromYAML reads a manifest, with its numbers as they are written.
func fromYAML(text string) (map[string]any, error) {
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value map[string]any
	return value, decoder.Decode(&value)
}

func toJSON(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return body
}

// dropped lists the paths of what was sent and is not in what came back.
func dropped(sent, got any, path string, out *[]string) {
	switch s := sent.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return
		}
		for key, value := range s {
			p := strings.TrimPrefix(path+"."+key, ".")
			if p == "metadata" || p == "status" || p == "apiVersion" || p == "kind" {
				continue
			}
			back, ok := g[key]
			if ok {
				dropped(value, back, p, out)
			} else if !isEmpty(value) {
				*out = append(*out, p)
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok {
			return
		}
		if len(s) != len(g) {
			*out = append(*out, path)
			return
		}
		for i := range s {
			dropped(s[i], g[i], fmt.Sprintf("%s[%d]", path, i), out)
		}
	}
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return reflect.ValueOf(value).IsZero()
}

func answer(found map[schema.GroupVersionKind]strategies, c testCase) (v verdict) {
	v.ID = c.ID
	defer func() {
		if r := recover(); r != nil {
			v = verdict{ID: c.ID, Code: 500, Message: fmt.Sprintf("panic: %v\n%s", r, debug.Stack())}
		}
	}()
	gv, _ := schema.ParseGroupVersion(c.APIVersion)
	gvk := gv.WithKind(c.Kind)
	s, ok := found[gvk]
	if !ok || (c.Mode == "status" && s.status == nil) {
		v.Code = 404
		return v
	}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	t := target{gvk, plural.Resource, c.Namespace, s}
	if !s.namespaced {
		t.namespace = ""
	}
	object, err := t.judge(c)
	var status apierrors.APIStatus
	switch {
	case err == nil:
		v.Code = 201
		if c.Mode == "create" {
			var sent, got any
			if yaml.Unmarshal([]byte(c.YAML), &sent) == nil && json.Unmarshal(t.encode(object), &got) == nil {
				dropped(sent, got, "", &v.Dropped)
			}
		}
	case errors.Is(err, errSetUp):
		v.Code, v.Message = -1, err.Error()
	case errors.As(err, &status):
		v.Code, v.Message = int(status.Status().Code), status.Status().Message
		if details := status.Status().Details; details != nil {
			for _, cause := range details.Causes {
				v.Causes = append(v.Causes, [2]string{string(cause.Type), cause.Field})
			}
		}
	default:
		v.Code, v.Message = 500, err.Error()
	}
	return v
}

func main() {
	gates := flag.String("feature-gates", "", "feature gates, as of kube-apiserver")
	flag.Parse()
	if err := utilfeature.DefaultMutableFeatureGate.Set(*gates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	found := load()
	lines.Answer(func(c testCase) verdict { return answer(found, c) })
}
