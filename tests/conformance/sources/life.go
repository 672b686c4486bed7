func (in *Box) APILifecycleIntroduced() (major, minor int) {
	return 1, 33
}

func (in *Box) APILifecycleRemoved() (major, minor int) {
	return 1, 39
}

func (in *BoxList) APILifecycleRemoved() (major, minor int) {
	return 1, 40
}
