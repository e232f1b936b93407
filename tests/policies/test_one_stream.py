"""No policy draws noise that another one of the process has drawn, unless a person means it."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.random import PCG64, Generator

import dpbandits
from dpbandits.core.errors import BadInput
from dpbandits.core.registry import setting
from dpbandits.policies.base import Policy
from dpbandits.policies.make import algorithms
from dpbandits.policies.one_stream import is_at_or_after


def made(name: str = "dp-imed", seed: int | None = None) -> Policy:
    given = {"actions": [[1.0, 0.0], [0.0, 1.0]]} if setting("algorithm", name) == "linear" else {"arms": 2}
    experts = {"experts": 2} if setting("algorithm", name) == "experts" else {}
    try:
        return dpbandits.policy(name, epsilon=1.0, horizon=500, seed=seed, **given, **experts)  # type: ignore[arg-type]
    except BadInput:
        return dpbandits.policy(name, horizon=500, seed=seed, **given, **experts)  # type: ignore[arg-type]


def play(policy: Policy, rounds: int = 40) -> Policy:
    advised = {"advice": [[0.5, 0.5]] * 2} if hasattr(policy, "advice") else {}
    for _ in range(rounds):
        policy.update(policy.choose(**advised), [0.5, 0.5] if policy.feedback == "losses" else 0.5)
    return policy


PRIVATE = [name for name in sorted(algorithms()) if made(name).private]


@pytest.mark.parametrize("name", PRIVATE)
def test_a_file_is_loaded_once(name: str, tmp_path: Path) -> None:
    """A second time is refused if noise was drawn since, with the argument that loads it all the same."""
    file = tmp_path / "policy.json"
    made(name).save(file)
    one = dpbandits.load_policy(file)
    while one.rng.bit_generator.state["state"] == made_state(file):
        play(one, 20)
    with pytest.raises(BadInput, match="again=True"):
        dpbandits.load_policy(file)
    assert dpbandits.load_policy(file, again=True).t == 0
    # The first one goes on.
    assert play(one, 1).t > 1


def made_state(file: Path) -> object:
    """Return where the stream of a saved policy is."""
    state: object = dpbandits.load_policy(file, again=True).rng.bit_generator.state["state"]
    return state


def test_what_was_loaded_replaces_what_was_saved(tmp_path: Path) -> None:
    """It goes on, and the other one says why it does not: choose, update and save."""
    file = tmp_path / "policy.json"
    one = play(made())
    arm = one.choose()
    one.save(file)
    two = dpbandits.load_policy(file)
    for call in (one.choose, lambda: one.update(arm, 0.5), lambda: one.save(tmp_path / "other.json")):
        with pytest.raises(BadInput, match=r"loaded from .*policy\.json"):
            call()
    assert one.spent() == two.spent()
    assert play(two).t == 80


def test_nothing_was_drawn(tmp_path: Path) -> None:
    """A file is loaded again as often as one likes: only the last policy goes on."""
    file = tmp_path / "policy.json"
    made().save(file)
    several = [dpbandits.load_policy(file) for _ in range(3)]
    play(several[-1])
    for former in several[:-1]:
        with pytest.raises(BadInput, match="replaced"):
            former.choose()


def test_a_service_that_saves_after_each_round(tmp_path: Path) -> None:
    """Load, choose, update and save, again and again: none of it is refused, and its numbers are of one policy."""
    file = tmp_path / "policy.json"
    made(seed=4).save(file)
    chosen = []
    for _ in range(60):
        policy = dpbandits.load_policy(file)
        chosen.append(policy.choose())
        policy.update(chosen[-1], 0.5)
        policy.save(file)
    whole = made(seed=4)
    for arm in chosen:
        assert whole.choose() == arm
        whole.update(arm, 0.5)


def test_an_old_file_of_a_policy_that_went_on(tmp_path: Path) -> None:
    """The policy draws on after its save: what was saved would draw the same. So would a branch of a branch."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    policy = play(made())
    policy.save(old)
    play(policy)
    with pytest.raises(BadInput, match="again=True"):
        dpbandits.load_policy(old)
    policy.save(new)
    assert dpbandits.load_policy(new).t == 80
    # A policy that was loaded on purpose does not make its later files new.
    branch = play(dpbandits.load_policy(old, again=True), 10)
    branch.save(old)
    with pytest.raises(BadInput, match="again=True"):
        dpbandits.load_policy(old)


def test_a_policy_that_is_gone_has_drawn(tmp_path: Path) -> None:
    """Its numbers stay drawn when its object is deleted."""
    file = tmp_path / "policy.json"
    made().save(file)
    play(dpbandits.load_policy(file))
    with pytest.raises(BadInput, match="again=True"):
        dpbandits.load_policy(file)


def test_a_cell_that_is_run_twice(tmp_path: Path) -> None:
    """It makes its policy by a seed, saves it in the middle, and loads it: no fault of a person's."""
    file = tmp_path / "policy.json"
    counts = []
    for _ in range(2):
        play(made(seed=7)).save(file)
        counts.append(play(dpbandits.load_policy(file)).counts)
    assert counts[0] == counts[1]


def test_two_policies_on_one_generator(tmp_path: Path) -> None:
    """Saved, each would go on with the same numbers: one of them is loaded."""
    rng = np.random.default_rng(1)
    for name, policy in [(name, dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=rng)) for name in ("a", "b")]:
        policy.save(tmp_path / f"{name}.json")
    play(dpbandits.load_policy(tmp_path / "a.json"))
    with pytest.raises(BadInput, match="again=True"):
        dpbandits.load_policy(tmp_path / "b.json")


def test_a_process_that_forks(tmp_path: Path) -> None:
    """A child refuses its parent's policy; what it loads itself goes on."""
    policy = play(made())
    policy.save(tmp_path / "policy.json")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            policy.choose()
        except BadInput as error:
            loaded = dpbandits.load_policy(tmp_path / "policy.json")
            status = 0 if "parent" in str(error) and play(loaded).t == 80 else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert play(policy).t == 80


def test_without_privacy_nothing_is_refused(tmp_path: Path) -> None:
    """No noise, no danger."""
    file = tmp_path / "policy.json"
    policy = play(made("imed"))
    policy.save(file)
    play(dpbandits.load_policy(file))
    play(dpbandits.load_policy(file))
    play(policy)


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_again_is_true_or_false(value: object, tmp_path: Path) -> None:
    made().save(tmp_path / "policy.json")
    with pytest.raises(BadInput, match="again"):
        dpbandits.load_policy(tmp_path / "policy.json", again=value)  # type: ignore[arg-type]


def test_the_order_of_a_stream() -> None:
    """Every two of 60 states, after draws of 64 and of 32 bits and after jumps."""
    rng = Generator(PCG64(3))
    states = []
    for turn in range(60):
        states.append(rng.bit_generator.state)
        if turn % 3 == 0:
            rng.integers(0, 2**31, dtype=np.uint32)
        elif turn % 3 == 1:
            rng.random(turn)
        else:
            rng.bit_generator.advance(turn**11)  # type: ignore[attr-defined]
    for (i, one), (j, other) in itertools.product(enumerate(states), repeat=2):
        assert is_at_or_after(one, other) == (i <= j), (i, j)
