"""Turns options and configuration files into the settings of a run."""
