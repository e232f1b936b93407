"""Functions of data: sound ones are never *violated*, faulty ones are found, and nothing passes unheard."""

import functools
import json
import math

import functions
import numpy as np
import pytest
from test_check import mutated

from noisetap import Claim, Records, assert_private, audit
from noisetap.cli import main
from noisetap.data_check import objection

# Files, text for people, and functions that read addresses in memory as if they were numbers.


@pytest.mark.parametrize("effort", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", functions.SOUND, ids=lambda f: f.__name__)
def test_sound_functions_are_consistent(function, effort):
    verdict = audit(function, data=Records(3), neighbours="replace-one", effort=effort)
    assert verdict.word == "consistent", str(verdict)
    assert verdict.loss <= 1.0 + 1e-6


@pytest.mark.parametrize("function", functions.FAULTY, ids=lambda f: f.__name__)
def test_faulty_functions_are_violated_with_a_certificate(function):
    claim = 1.0 if function is not functions.location_for_scale else 0.5
    verdict = audit(function, data=Records(3), neighbours="replace-one", claim=claim)
    assert verdict.word == "violated", str(verdict)
    assert verdict.line.startswith("functions.py:")


@pytest.mark.parametrize("function", functions.REFUSED, ids=lambda f: f.__name__)
def test_what_cannot_be_judged_is_refused(function):
    assert audit(function, data=Records(3), neighbours="replace-one").word == "refused"


def test_losses_are_exact():
    records = Records(3)
    assert audit(functions.half_noise, data=records, neighbours="add-remove").loss == pytest.approx(2.0)
    fair = audit(functions.fair_response, data=records, neighbours="replace-one")
    assert fair.loss == pytest.approx(math.log(3), abs=1e-9)
    # P(E) - e Q(E) of Laplace noise of scale 1/2 moved by 1 is 1 - exp((1 - 2)/2).
    delta = 1 - math.exp(-0.5)
    for share, word in ((1.02, "consistent"), (0.9, "violated")):
        claim = Claim(1.0, delta * share)
        assert audit(functions.half_noise, data=Records(1), neighbours="add-remove", claim=claim).word == word


def test_a_number_without_noise_beside_noisy_ones_is_no_matter_of_delta():
    def told(data):
        at = np.random.randint(2)
        return [data[at] + np.random.laplace(0, 9), data[0] + np.random.laplace(0, 9), float(data[1])]

    def kept(data):
        at = np.random.randint(2)
        return [data[at] + np.random.laplace(0, 9), data[0] + np.random.laplace(0, 9), 7.0]

    claim = Claim(1.0, 0.01)
    verdict = audit(told, data=Records(2), neighbours="replace-one", claim=claim)
    assert verdict.word == "violated", str(verdict)
    assert "delta would have to be 1" in verdict.why
    assert audit(kept, data=Records(2), neighbours="replace-one", claim=claim).word == "consistent"


def test_relations_are_shown_side_by_side():
    verdict = audit(functions.mean_of_bounded, data=Records(3))
    assert "consistent by replacing one (1 of 1)" in verdict.why
    assert "violated by adding or removing a record" in verdict.why


FORGED = {
    "number": (functions.half_noise, functions.total),
    "coins": (functions.fair_response, functions.response),
    "maximum": (functions.noisy_max_too_sure, functions.noisy_max),
    "leak": (functions.raw_beside, functions.total),
}


@pytest.mark.parametrize("number", [25, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", FORGED)
def test_no_forged_certificate_of_a_function_is_accepted(kind, number):
    """Each is shown of the sound twin, or is changed in a field that the faulty one has to bear out."""
    (faulty, sound), records, claim = FORGED[kind], Records(2), Claim(1.0)
    relation = "add-remove" if kind == "number" else "replace-one"
    found = json.loads(json.dumps(audit(faulty, data=records, neighbours=relation).certificate))
    assert objection(found, faulty, records, claim) is None
    assert objection(found, faulty, records, Claim(9.0)) is not None or found["loss"] == "infinite"
    rng = np.random.default_rng(1)
    for _ in range(number):
        forged = mutated(found, rng)
        twin = functools.partial(sound, epsilon=1.0)
        assert objection(forged, twin, records, claim) is not None, forged
        key = rng.choice(["format", "claim", "relation", "x", "y", "scripts", "loss", "parameters"])
        forged = found | {key: [None, [], [[2.5]], math.nan, {"epsilon": 9}, [1e9], 3.0, "user"][rng.integers(8)]}
        assert objection(forged, faulty, records, claim) is not None, forged


def test_the_helper_fails_a_test():
    assert_private(functions.total, epsilon=1.0, data=Records(2), neighbours="add-remove", effort=2)
    with pytest.raises(AssertionError, match="violated at"):
        assert_private(functions.half_noise, epsilon=1.0, data=Records(2), neighbours="add-remove")


def test_the_command_judges_a_function_and_checks_its_certificate(tmp_path, capsys):
    program, witness = f"{functions.__file__}:half_noise", tmp_path / "w.json"
    options = ["--records", "3", "--neighbours", "add-remove"]
    sarif, page = tmp_path / "r.sarif", tmp_path / "r.html"
    files = ["--save", str(witness), "--sarif", str(sarif), "--html", str(page)]
    assert main([program, *options, "--json", *files]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["word"], said["heard"]["records"]) == ("violated", 3)
    assert json.loads(sarif.read_text())["runs"][0]["results"][0]["level"] == "error"
    assert "violated" in page.read_text()
    assert main([program, *options, "--check", str(witness)]) == 1
    assert main([program, *options, "--epsilon", "3", "--check", str(witness)]) == 0
