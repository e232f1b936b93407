"""Commands of the command line, a module a group: each adds its parsers, and runs what they parsed."""
