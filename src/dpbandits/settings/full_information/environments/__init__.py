"""One environment, one file; a file is found by being here."""
