"""What `dpbandits new` begins with: for each setting an algorithm and an environment that work, and their tests.

They are modules like all others, so that types are checked and nothing here grows old; that they are not in a
setting's folders keeps them from being listed. `Newcomer` and `newcomer` stand for the title and the name.
"""
