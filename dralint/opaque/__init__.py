"""Opaque parameters of drivers, judged by the drivers' own schemas."""
