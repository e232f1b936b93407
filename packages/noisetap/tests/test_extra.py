"""Mechanisms of diffprivlib and OpenDP, called unedited; a part is skipped where its library is missing."""

import subprocess
import sys

import pytest

from noisetap import Claim, Records, audit, load

THREE = Records(3)


def verdict_of(tmp_path, text, relation="add-remove", claim=1.0, **more):
    file = tmp_path / "plain.py"
    file.write_text(text)
    return audit(load(str(file)).function, data=THREE, neighbours=relation, claim=claim, **more)


OPENDP = """import opendp.prelude as dp
dp.enable_features("contrib")
number = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
rows = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
laplace, gaussian = dp.m.make_laplace(*number, scale=1.0), dp.m.make_gaussian(*number, scale=1.0)
count = rows >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0)
response = dp.m.make_randomized_response_bool(prob=0.75)
def function(data): return """


@pytest.mark.parametrize(
    ("body", "word", "loss"),
    [
        ("laplace(float(sum(data)))", "consistent", 1.0),
        ("laplace.invoke(float(sum(data)))", "consistent", 1.0),
        ("count([float(v) for v in data])", "consistent", 1.0),
        ("dp.m.make_laplace(*number, scale=0.5)(float(sum(data)))", "violated", 2.0),
        ("[laplace(float(sum(data))), count([float(v) for v in data])]", "violated", 2.0),
    ],
)
def test_measurements_of_opendp_are_heard(tmp_path, body, word, loss):
    pytest.importorskip("opendp")
    verdict = verdict_of(tmp_path, OPENDP + body)
    assert (verdict.word, verdict.loss) == (word, pytest.approx(loss)), str(verdict)


def test_rho_of_opendp_s_gaussian_is_that_of_its_scale(tmp_path):
    pytest.importorskip("opendp")
    verdict = verdict_of(tmp_path, OPENDP + "gaussian(float(sum(data)))", claim=Claim(rho=0.5))
    assert (verdict.word, verdict.loss) == ("consistent", pytest.approx(0.5)), str(verdict)


@pytest.mark.parametrize(
    "body", ["response(bool(data[0] > 0.5))", "dp.m.make_laplace(*number, scale=1.0, k=2)(1.0)"]
)
def test_other_measurements_are_refused_with_their_line(tmp_path, body):
    pytest.importorskip("opendp")
    verdict = verdict_of(tmp_path, OPENDP + body)
    assert verdict.word == "refused", str(verdict)
    assert "OpenDP" in verdict.why and "plain.py:8" in verdict.why


DIFFPRIVLIB = """from diffprivlib import mechanisms as m, tools
def function(data, epsilon): return """


@pytest.mark.parametrize(
    ("body", "relation", "word"),
    [
        ("m.Laplace(epsilon=epsilon, sensitivity=1).randomise(float(sum(data)))", "add-remove", "consistent"),
        ("m.Laplace(epsilon=2 * epsilon, sensitivity=1).randomise(float(sum(data)))", "add-remove", "violated"),
        ("m.Geometric(epsilon=epsilon).randomise(int(sum(v > 0.5 for v in data)))", "add-remove", "consistent"),
        ("tools.mean(data, epsilon=epsilon, bounds=(0, 1))", "replace-one", "consistent"),
        ("tools.histogram(data, epsilon=epsilon, bins=2, range=(0, 1))[0]", "replace-one", "violated"),
        ("m.Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=3).randomise(1.0)", "add-remove", "refused"),
    ],
)
def test_mechanisms_of_diffprivlib_are_heard(tmp_path, body, relation, word):
    pytest.importorskip("diffprivlib")
    verdict = verdict_of(tmp_path, DIFFPRIVLIB + body, relation)
    assert verdict.word == word, str(verdict)
    if word == "refused":
        assert ".py:" in verdict.why


TORCH = """import numpy as np, torch
def function(data): return """
TOTAL = "float(sum(data))"
RARE = f"[{TOTAL} + np.random.laplace()] + [data[0]] * bool(torch.empty(1).uniform_()[0] < 1e-6)"


@pytest.mark.parametrize(
    "body",
    [
        f"float(torch.normal({TOTAL}, torch.tensor(1.0)))",
        f"({TOTAL} + torch.randn_like(torch.zeros(1))).tolist()",
        f"float(torch.distributions.Laplace({TOTAL}, 1.0).sample())",
        f"float(torch.distributions.Normal({TOTAL}, 1.0).sample())",
        f"float(torch.empty(1).exponential_()[0]) + {TOTAL}",
        # Once in a million calls the first record is told: no two runs differ.
        RARE,
    ],
)
def test_draws_of_torch_are_refused(tmp_path, body):
    pytest.importorskip("torch")
    verdict = verdict_of(tmp_path, TORCH + body, "replace-one")
    assert verdict.word == "refused", str(verdict)


@pytest.mark.parametrize(("body", "word"), [(RARE, "refused"), (f"{TOTAL} + np.random.laplace()", "consistent")])
def test_torch_may_be_imported_while_a_function_runs(tmp_path, body, word):
    pytest.importorskip("torch")
    (tmp_path / "plain.py").write_text(
        f"import numpy as np\ndef function(data):\n    import torch\n    return {body}\n"
    )
    text = (
        "import noisetap, sys; from pathlib import Path; import plain; assert 'torch' not in sys.modules;"
        "print(noisetap.audit(plain.function, data=noisetap.Records(3), neighbours='replace-one').word)"
    )
    ran = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [word]
