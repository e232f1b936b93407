"""Numbers for readers: one table of cases for Python and for what browsers run."""

from __future__ import annotations

import json
import math
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from dpbandits.core.numbers import bracket, number

SCRIPT = Path(__file__).parents[2] / "src/dpbandits/publish/html/templates/numbers.js"
CASES = {
    "0": 0.0,
    "1": 1.0,
    "−2": -2.0,
    "0.5": 0.5,
    "0.125": 0.125,
    "2.5": 2.5,
    "3.1": 3.1,
    "0.276": 0.27599,
    "0.00308": 0.0030812,
    "0.0001": 1e-4,
    "10⁻⁵": 1e-5,
    "3 · 10⁻⁵": 3e-5,
    "−1.79 · 10⁷": -17900000.0,
    "453": 453.27,
    "1,154": 1153.7,
    "1,000": 999.7,
    "1,234,567": 1234567.0,
    # Three digits of these are 10⁷; all digits before the point stay below it.
    "9,995,000": 9_995_000.0,
    "9,999,999": 9_999_999.0,
    "−9,999,999": -9_999_999.4,
    "10⁷": 1e7,
    "10³²": 1e32,
    "2⁴⁰": 2.0**40,
    "9.01 · 10¹⁵": 2.0**53 + 1e11,
    "−∞": -math.inf,
}
BRACKETS = {
    "3.03 [2.97, 3.10]": (3.03, 2.971, 3.1),
    "1,154 [201, 6,617]": (1153.7, 201.0, 6617.0),
    "0.131 [0.130, 0.131]": (0.131, 0.13, 0.131),
    "−0.134 [−0.145, −0.122]": (-0.134, -0.145, -0.122),
    "0.024 [−0.005, 0.053]": (0.024, -0.0047, 0.0534),
    "1.14 [1.14, 1.55 · 10⁸]": (1.14, 1.14, 1.55e8),
    "2.5": (2.5, 2.5, 2.5),
    "9,996,000 [9,995,000, 9,999,999]": (9_996_000.0, 9_995_000.0, 9_999_999.0),
    "9,996,000 [9,995,000, 10⁷]": (9_996_000.0, 9_995_000.0, 9_999_999.6),
}
# Rounded as it is: the last digit of an interval is that of the estimate.
BRACKETS["0.0240 [−0.0047, 0.0534]"] = BRACKETS.pop("0.024 [−0.005, 0.053]")


@pytest.mark.parametrize(("text", "value"), CASES.items())
def test_a_number_as_readers_write_it(text: str, value: float) -> None:
    """Three digits, separators, a true minus, powers in superscripts."""
    assert number(value) == text


@pytest.mark.parametrize(("text", "values"), BRACKETS.items())
def test_a_bracket_has_the_same_digits(text: str, values: tuple[float, float, float]) -> None:
    """An estimate and its interval, if they are of comparable size."""
    assert bracket(*values) == text


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed; .ci/run looks in a browser")
def test_browsers_write_the_same() -> None:
    """The script and this package agree, on the table and on random numbers of all sizes, ties among them."""
    chance = random.Random(3)
    values = [value for value in CASES.values() if math.isfinite(value)]
    values += [chance.choice((-1, 1)) * chance.random() * 10.0 ** chance.randint(-9, 18) for _ in range(3000)]
    values += [9_994_990.0 + chance.randint(0, 20_060) / 4.0 for _ in range(300)]
    values += [chance.randint(0, 10**6) / 2.0 ** chance.randint(0, 9) for _ in range(1000)]
    triples = list(BRACKETS.values())
    triples += [(value, value * chance.random(), value * (1 + chance.random())) for value in values]
    code = f"""{SCRIPT.read_text(encoding="utf-8")}
const [values, triples] = JSON.parse(require('fs').readFileSync(0));
const found = [values.map((value) => Numbers.number(value)), triples.map((triple) => Numbers.bracket(...triple))];
console.log(JSON.stringify(found));
"""
    done = subprocess.run(
        ["node", "-e", code], input=json.dumps([values, triples]), capture_output=True, text=True, check=True
    )
    numbers, brackets = json.loads(done.stdout)
    assert numbers == [number(value) for value in values]
    assert brackets == [bracket(*triple) for triple in triples]
