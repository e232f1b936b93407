"""The static site: its pages, and what they show."""
