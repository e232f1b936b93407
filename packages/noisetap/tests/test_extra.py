"""Mechanisms of diffprivlib and OpenDP, called unedited; a part is skipped where its library is missing."""

import contextlib
import importlib
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


TORCH = """import math
import numpy as np, torch
from torch.distributions import Bernoulli, Exponential, Gumbel, Laplace, Normal, Uniform
def noise(b): return Laplace(0.0, b).sample()
def counts(x): return torch.stack([(x < 0.5).sum(), (x >= 0.5).sum()])
def clipped(g): return g / torch.clamp(g.norm() / 1.0, min=1.0)
def width(eps, delta): return math.sqrt(2 * math.log(1.25 / delta)) / eps
def function(data):
    x = torch.tensor(data)
"""
APPROXIMATE = Claim(1.0, 1e-5)
HISTOGRAM = "return torch.histc(x, bins=2, min=0, max=1) + Laplace(torch.zeros(2), torch.ones(2)).sample()"
MEAN = "return (x.float().clamp(0, 1).mean() + Laplace(0.0, torch.tensor({} / x.numel())).rsample()).item()"
MOMENTS = "s = torch.stack([x.sum(), torch.tensor(float(len(x)))])\n    return (s + torch.{}).numpy()"
NOISY_MAX = "return torch.argmax(counts(x).double() + Laplace(0.0, {}).sample((2,))).item()"
GUMBEL = "return int(({} * counts(x) + Gumbel(0.0, 1.0).sample((2,))).argmax())"
RESPONSE = "keep = torch.rand(len(x)) < {}\n    return torch.where(keep, x > 0.5, x <= 0.5).tolist()"
FLIPS = "return [bool(a) != bool(b) for a, b in zip(x > 0.5, Bernoulli({}).sample(x.shape))]"
STEP = "g = clipped(x)\n    g += {} * torch.randn_like(g)\n    return g"
FILLED = """out = torch.zeros(2)
    out[0] = x.clamp(0, 1).sum() + noise({0})
    out[1] = len(x) + noise({0})
    return out.clamp(min=0.0).cpu().numpy()"""
TWO = "e = torch.empty(2).exponential_({})\n    return (x.sum() + e[0] - e[1]).item()"
SOUND_OF_TORCH = [
    ("add-remove", 1.0, "return noise(1.0) + x.sum()"),
    ("replace-one", 1.0, MEAN.format("1.0")),
    ("add-remove", 1.0, HISTOGRAM),
    ("add-remove", APPROXIMATE, MOMENTS.format("normal(0.0, width(1, 1e-5) * 2**0.5, size=s.shape)")),
    ("add-remove", 1.0, NOISY_MAX.format("2.0")),
    ("replace-one", APPROXIMATE, STEP.format("2 * width(1, 1e-5)")),
    ("replace-one", 1.0, RESPONSE.format("math.e / (1 + math.e)")),
    ("replace-one", 1.0, FLIPS.format("1 / (1 + math.e)")),
    ("add-remove", 1.0, GUMBEL.format("0.5")),
    ("add-remove", 1.0, TWO.format("1.0")),
    ("add-remove", 1.0, FILLED.format("2.0")),
    ("add-remove", 1.0, "u = torch.rand(()) - 0.5\n    return x.sum() - torch.sign(u) * torch.log1p(-2 * u.abs())"),
    (
        "replace-one",
        1.0,
        "g = torch.from_numpy(data).float()\n    g += Laplace(0.0, 1.0).sample(g.shape)\n    return g",
    ),
    ("add-remove", 1.0, "n = torch.zeros(1)\n    n.copy_(x.sum())\n    return float(n + noise(1.0))"),
]
BROKEN_OF_TORCH = [
    ("add-remove", 1.0, "return noise(0.5) + x.sum()"),
    ("replace-one", 1.0, MEAN.format("0.5")),
    ("replace-one", 1.0, HISTOGRAM),
    ("add-remove", APPROXIMATE, MOMENTS.format("randn_like(s) * width(1, 1e-5) / 3")),
    ("replace-one", 1.0, NOISY_MAX.format("1.0")),
    ("replace-one", APPROXIMATE, STEP.format("0.8")),
    ("replace-one", 1.0, RESPONSE.format("0.9")),
    ("replace-one", 1.0, FLIPS.format("torch.tensor(0.1)")),
    ("add-remove", 1.0, GUMBEL.format("1.5")),
    ("add-remove", 1.0, TWO.format("2.0")),
    ("add-remove", 1.0, FILLED.format("1.0")),
    ("replace-one", 1.0, "return x.sum() + Uniform(-2.0, 2.0).sample()"),
    # A tensor without noise is returned too; noise is drawn, and taken away again.
    ("add-remove", 1.0, "return [x.sum().item() + np.random.laplace(), x]"),
    ("add-remove", 1.0, "n = noise(1.0)\n    return [x.sum() + n, n]"),
    # Once in a million calls a record is told.
    ("replace-one", 1.0, "return [x.sum() + noise(3.0), x[0] * (torch.empty(1).uniform_()[0] < 1e-6)]"),
]
RARELY = "return [x.sum() + noise(3.0), x[0] * bool({} < 1e-6)]"
REFUSED_OF_TORCH = [
    RARELY.format("torch.bernoulli(torch.tensor(1.0 - 1e-6))"),
    RARELY.format("torch.randperm(9)[0]"),
    RARELY.format("torch.rand(1, generator=torch.Generator())"),
    RARELY.format("torch.nn.functional.dropout(torch.ones(1), 1e-6)"),
    "torch.manual_seed(0)\n    return x.sum() + noise(1.0)",
    "return torch.special.expit(x.sum() + noise(1.0))",
    "v = x.view(-1)\n    v += torch.randn_like(v)\n    return x",
    # Without noise, told beside some: what is written into the tensor is in its cast, or is not.
    "z = torch.zeros(3)\n    y = z.float()\n    y += x\n    return z + noise(1.0)",
    "y = x.to(torch.float32)\n    y += noise(3.0)\n    return x",
    "z = torch.zeros(3)\n    n = z.numpy()\n    z += x + noise(3.0)\n    return n.tolist()",
    "n = noise(1.0)\n    with torch._C.DisableTorchFunction():\n        return n + 1",
    "return (x.sum() + torch.distributions.StudentT(3.0).sample()).item()",
]


def verdict_of_torch(tmp_path, body, relation="add-remove", claim=1.0):
    pytest.importorskip("torch")
    return verdict_of(tmp_path, TORCH + "    " + body, relation, claim)


@pytest.mark.parametrize(("relation", "claim", "body"), SOUND_OF_TORCH)
def test_sound_functions_of_torch_are_consistent(tmp_path, relation, claim, body):
    verdict = verdict_of_torch(tmp_path, body, relation, claim)
    assert verdict.word == "consistent", str(verdict)


@pytest.mark.parametrize(("relation", "claim", "body"), BROKEN_OF_TORCH)
def test_broken_functions_of_torch_are_violated(tmp_path, relation, claim, body):
    verdict = verdict_of_torch(tmp_path, body, relation, claim)
    assert verdict.word == "violated", str(verdict)


@pytest.mark.parametrize("body", REFUSED_OF_TORCH)
def test_what_torch_does_unheard_is_refused_with_its_line(tmp_path, body):
    verdict = verdict_of_torch(tmp_path, body, "replace-one")
    assert verdict.word == "refused", str(verdict)
    assert "plain.py:1" in verdict.why, verdict.why


def test_torch_that_is_not_listened_to_is_noticed(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    heard = importlib.import_module("noisetap.torch_heard")
    body, before = "return x.sum() + torch.randn(1)", torch.get_default_dtype()
    assert verdict_of_torch(tmp_path, body, "replace-one").word != "refused"
    assert torch.get_default_dtype() is before
    monkeypatch.setattr(heard, "listening_to_torch", contextlib.nullcontext)
    assert verdict_of_torch(tmp_path, body, "replace-one").word == "refused"
    # So it is if one call of torch in a million is told, and no two runs differ.
    assert verdict_of_torch(tmp_path, RARELY.format("torch.rand(1)"), "replace-one").word == "refused"


RARE = "[float(sum(data)) + np.random.laplace()] + [data[0]] * bool(torch.empty(1).uniform_()[0] < 1e-6)"


@pytest.mark.parametrize(
    ("body", "word"), [(RARE, "violated"), ("float(sum(data)) + np.random.laplace()", "consistent")]
)
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
