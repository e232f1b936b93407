"""The papers' claims: read, tested, and put together to a ledger."""
