"""From a configuration to runs and their aggregates."""
