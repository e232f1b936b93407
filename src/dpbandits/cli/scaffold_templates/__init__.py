"""Templates of `dpbandits new`: the test of an algorithm, and that of an environment.

They are modules like all others, so types are checked. `Newcomer` and `newcomer` stand for the title and the name.
"""
