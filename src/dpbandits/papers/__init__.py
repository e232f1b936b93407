"""The papers: what is computed, drawn and tabulated for each."""
