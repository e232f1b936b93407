"""Arguments of an audit are honoured or refused: its time, and parameters."""

from types import SimpleNamespace

import numpy as np
import pytest

import noisetap
from noisetap import Records, Rewards, data_audit
from noisetap.tape import Refused
from noisetap.verdict import Verdict


@pytest.mark.parametrize("late", [1.0, 2.0])
def test_no_relation_takes_the_time_of_the_other(monkeypatch, late):
    """A search takes all of its time, or twice that, as on fewer records: both relations get the same."""
    given, now = [], [0.0]

    def takes_all(*options):
        given.append((options[1], options[-1]))
        now[0] += late * options[-1]
        return Verdict("consistent", "", 0.5)

    monkeypatch.setattr(data_audit, "_judged", takes_all)
    monkeypatch.setattr(data_audit, "time", SimpleNamespace(process_time=lambda: now[0]))
    noisetap.audit(lambda values, epsilon: np.sum(values) * epsilon, data=Records(8), seconds=60)
    times = [pytest.approx(seconds) for seconds in (20, 10, 20, 10)]
    assert given == list(zip(np.repeat(data_audit.COMMON, 2).tolist(), times, strict=True))


class Plays:
    """Return the first arm always."""

    def choose(self):
        return 0

    def update(self, arm, reward):
        pass


def test_parameters_of_a_policy_are_refused():
    with pytest.raises(Refused, match="parameters are of functions of data"):
        noisetap.audit(Plays, parameters={"epsilon": 2.0})


@pytest.mark.parametrize("program", [Plays, np.sum])
def test_data_and_rewards_together_are_refused(program):
    """Data are of a function, rewards of a policy: whichever were ignored, the verdict would not be about it."""
    with pytest.raises(Refused, match="data or rewards, not both"):
        noisetap.audit(program, data=Records(2), rewards=Rewards(3, 2), seconds=5)
