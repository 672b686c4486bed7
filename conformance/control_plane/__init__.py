"""The judge that is a control plane: what becomes of several objects together."""
