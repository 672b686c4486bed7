"""Driver packs: what drivers take as opaque parameters and what devices they publish, by their releases."""
