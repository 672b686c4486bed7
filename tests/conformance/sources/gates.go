var table = map[Feature]Specs{
	DRAThings: {
		{Version: version.MustParse("1.34"), Default: false, PreRelease: featuregate.Alpha},
		{Version: version.MustParse("1.36"), Default: true, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.38"), Default: true, PreRelease: featuregate.GA, LockToDefault: true}, // GA
	},
	DRALater: {
		{Version: version.MustParse("1.37"), Default: false, PreRelease: featuregate.Beta},
		{Version: version.MustParse("1.37"), Default: true, PreRelease: featuregate.Beta, MinCompatibilityVersion: version.MustParse("1.37")},
	},
	Workloads: {
		{Version: version.MustParse("1.35"), Default: false, PreRelease: featuregate.Alpha},
	},
	Another: {
		{Version: version.MustParse("1.34"), Default: false, PreRelease: featuregate.Alpha},
	},
}

var needs = map[Feature][]Feature{
	DRAThings: {DRALater, Workloads, DynamicResourceAllocation}, // a comment
}
