"""The version: read by the build alone. No module imports it, so that a new version reruns nothing."""

__version__ = "0.1.0"
