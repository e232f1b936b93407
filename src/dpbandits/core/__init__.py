"""What everything stands on: declarations, files, streams, compiled code, and the registry."""
