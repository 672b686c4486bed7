"""The control plane as a judge: what happens to several objects together."""
