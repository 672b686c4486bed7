"""Driver packs: the opaque parameters that drivers accept and the devices that they publish, by release."""
