"""Tables on Wu & Wang (2025), one file each."""
