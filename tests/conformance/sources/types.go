package v1

const MaxThings = 4 * 8

// +genclient
// +genclient:nonNamespaced

// Box holds things.
type Box struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// name of the box.
	//
	// +required
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Name string `json:"name" protobuf:"bytes,1,name=name"`

	// +optional
	// +listType=map
	// +listMapKey=name
	// +k8s:alpha(since: "1.36")=+k8s:unique=map
	// +k8s:alpha(since: "1.36")=+k8s:listMapKey=name
	// +k8s:maxItems=32
	// +featureGate=DRAThings,DRAOthers
	Things []Thing `json:"things,omitempty"`

	// +default=100
	// +k8s:minimum=1
	Limit *int32 `json:"limit,omitempty"`

	// +k8s:eachKey=+k8s:format=k8s-short-name
	// +k8s:eachVal=+k8s:maxBytes=64
	Labels map[string]string `json:"labels,omitempty"`

	// +k8s:unionMember
	A *bool `json:"a,omitempty"`
	// +k8s:unionMember
	B *bool `json:"b,omitempty"`

	// +k8s:dependentRequired("a")
	C Size `json:"c,omitempty"`

	Sizes []Size `json:"sizes,omitempty"`
}

type Thing struct {
	Size resource.Quantity `json:"size"`
}

// +enum
// +k8s:enum
type Size string

const (
	SizeSmall Size = "Small"
	SizeLarge = Size("Large")
)
