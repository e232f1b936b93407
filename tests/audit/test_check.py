"""The checker accepts what proves a claim false, and nothing else; its formulas agree with the search's."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
from tiers import core

from dpbandits.auditing.audit import audit
from dpbandits.auditing.certificate import Certificate, Input, JobWithoutInput
from dpbandits.auditing.check import check
from dpbandits.auditing.composition import delta_of, epsilon_at
from dpbandits.auditing.densities import MECHANISMS, log_density
from dpbandits.auditing.replay.laws import log_comparisons, log_gap, log_selections, log_whole
from dpbandits.cli import main as cli
from dpbandits.core import gaussian
from dpbandits.core import recorder as at
from dpbandits.core.errors import BadInput
from dpbandits.core.mechanisms import DISCRETE_NORMAL
from dpbandits.core.recorder import Recorder
from noisetap.probabilities import delta_lower_bound, selection_probability
from noisetap.probabilities import log_whole as checked_whole


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Return the certificate of an algorithm that loses twice its claim, as JSON has it."""
    certificate: dict[str, Any] = json.loads(
        json.dumps(audit("rnm-ftnl-exponential", 1.0, effort=2000).certificate)
    )
    return certificate


def test_a_certificate_needs_nothing_of_the_search(found: dict[str, Any]) -> None:
    ruling = check(found)
    assert ruling.accepted and ruling.loss == pytest.approx(2.0, rel=1e-3)


def test_a_certificate_has_the_form_that_is_written_down(found: dict[str, Any]) -> None:
    for form, data in ((Certificate, found), (Input, found["one"]), (Input, found["other"])):
        assert set(data) <= set(get_type_hints(form))
    assert set(found["job"]) == set(get_type_hints(JobWithoutInput))


def test_a_claim_that_allows_the_loss_stands(found: dict[str, Any]) -> None:
    assert not check({**found, "claim": {"epsilon": 2.1, "delta": 0.0}}).accepted


def test_inputs_that_differ_in_two_rounds_are_no_neighbours(found: dict[str, Any]) -> None:
    changed = copy.deepcopy(found)
    for row in changed["other"]["flipped_pulls"]:
        row.insert(0, 1)
    ruling = check(changed)
    assert not ruling.accepted and "one round" in ruling.words


def test_equal_inputs_are_no_neighbours(found: dict[str, Any]) -> None:
    assert not check({**found, "other": found["one"]}).accepted


@pytest.mark.parametrize("given", [None, [], "x.json", 3, {}, {"format": "another"}, {"format": "dpbandits 1"}])
def test_what_is_no_certificate_is_refused(given: Any) -> None:
    with pytest.raises(BadInput, match="certificate"):
        check(given)


@pytest.mark.parametrize("job", [{"parameters": [1]}, {"parameters": "n0=3"}, {"algorithm": ["dp-imed"]}])
def test_a_job_of_another_kind_is_refused_by_its_place(found: dict[str, Any], job: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"certificate\.job"):
        check({**found, "job": {**found["job"], **job}})


@pytest.mark.parametrize("secret", ["a secret", 3, b"x" * 65])
def test_a_secret_is_at_most_64_bytes(found: dict[str, Any], secret: Any) -> None:
    with pytest.raises(BadInput, match=r"secret: .* allowed: at most 64 bytes"):
        check(found, secret)


@pytest.mark.parametrize(
    ("name", "status", "words"),
    core(
        [("rnm-ftnl-exponential", 0, "accepted"), ("rnm-ftnl-gumbel", 1, "no proof; it loses")],
        lambda case: case[1] == 0,
    ),
)
def test_every_audit_carries_its_certificate(
    name: str, status: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A consistent one too: `dpbandits check` then says that it proves nothing, and how much it loses."""
    file = tmp_path / "witness.json"
    options = ["--epsilon", "1", "--effort", "1000", "--output", str(file)]
    assert cli.main(["audit", name, *options]) == 1 - status
    assert cli.main(["check", str(file)]) == status
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("mechanism", [at.LAPLACE, at.GUMBEL, at.EXPONENTIAL])
@pytest.mark.parametrize("scores", [[0.0, 1.0, 2.5], [3.0, 3.0, 400.0]])
def test_checker_and_search_agree_on_selections_and_gaps(mechanism: int, scores: list[float]) -> None:
    scores, scale = np.array(scores), 2.0
    logs = log_selections(mechanism, scores, scale)
    for action in range(3):
        assert math.log(selection_probability(MECHANISMS[mechanism], scores, scale, action)) == pytest.approx(
            logs[action], abs=1e-9
        )
        joint = selection_probability(MECHANISMS[mechanism], scores, scale, action, 0.7)
        # The checker's density is in scales.
        assert math.log(joint / scale) == pytest.approx(log_gap(mechanism, scores, scale, action, 0.7), abs=1e-9)


def test_checker_and_search_agree_on_comparisons() -> None:
    events, numbers = np.zeros((4, 7), dtype=np.int64), np.zeros((4, 4))
    events[:, 0] = [at.CONCEALED, at.COMPARED, at.COMPARED, at.COMPARED]
    numbers[0] = [1.5, 2.0, 0.7, 0.0]
    numbers[1:] = [[1.0, 4.0, 0.0, 0.7], [30.0, 0.1, 1.0, 0.7], [2.0, 0.0, 0.0, 0.7]]
    empty = np.empty(0)
    run = Recorder(*([empty] * 4), events, numbers, *([empty] * 7))
    run = run._replace(events=events, numbers=numbers)
    told = np.cumsum(log_density(run, np.arange(4)))[1:]
    secret, rest = (1.5, 2.0), numbers[1:]
    logs = log_comparisons(secret, rest[:, 0], rest[:, 1], rest[:, 2])
    assert told == pytest.approx(np.cumsum(logs[rest[:, 2].astype(int), np.arange(3)]), abs=1e-9)


def test_whole_normal_noise_is_summed_over_whole_numbers() -> None:
    """The law of discrete normal noise is not that of normal noise: by hand, by the search and by the checker."""
    for epsilon in (1.0, 2.0):
        deviation, k = gaussian.deviation_for(epsilon, 1e-6), np.arange(-200.0, 201.0)
        p, q = (np.exp(-((k - value) ** 2) / (2.0 * deviation**2)) for value in (0.0, 1.0))
        exact = float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum() / p.sum())
        # The deviation that is enough for normal noise is too small here.
        assert exact > 1e-6
        logs = log_whole(DISCRETE_NORMAL, (0.0, deviation), (1.0, deviation))
        assert delta_of(logs, epsilon) == pytest.approx(exact, rel=1e-6)
        laws = [np.exp(checked_whole("normal", k - value, deviation)) for value in (0.0, 1.0)]
        assert delta_lower_bound(np.empty(0), np.empty(0), epsilon, [(laws[0], laws[1])]) == pytest.approx(
            exact, rel=1e-6
        )
        assert epsilon_at(np.empty(0), 1e-6, None, [logs]) > epsilon


def test_answers_of_few_values_are_composed_under_a_delta() -> None:
    """Randomised response, alone and twice: by hand, by the search and by the checker."""
    p, q = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    logs, none = (np.log(p), np.log(q)), np.empty(0)
    assert epsilon_at(none, 0.1, None, [logs]) == pytest.approx(math.log((0.75 - 0.1) / 0.25))
    assert delta_lower_bound(none, none, 1.0, [(p, q)]) == pytest.approx(0.75 - math.e * 0.25)
    twice = 0.75**2 - math.exp(2.0) * 0.25**2
    assert 0.98 * twice < delta_lower_bound(none, none, 2.0, [(p, q)] * 2) <= twice
    assert 0.98 * 2.0 < epsilon_at(none, twice, None, [logs] * 2) <= 2.0
    # An answer that is impossible on the other input is lost whole.
    assert epsilon_at(none, 0.2, None, [(np.log([0.5, 0.5]), np.array([0.0, -np.inf]))] * 2) == math.inf
