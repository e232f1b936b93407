"""Two planted sets: nothing sound is condemned, nothing broken passes; the fast tier draws a sample of them."""

import zlib

import pytest

for needed in ("scipy", "pandas"):
    pytest.importorskip(needed)

from planted_functions import PLANTS as FIRST  # noqa: E402
from unseen_functions import UNSEEN  # noqa: E402

from noisetap import audit  # noqa: E402

PLANTS = [*FIRST, *UNSEEN]
# One of twelve, by the digest of the name, so that a new member moves no other.
SAMPLE = [zlib.crc32(plant.name.encode()) % 12 == 5 for plant in PLANTS]
DEAR = (
    *("binomial, 1,000", "noisy max with values", "users", "response", "noisy max, measured", "sparse", "top-k"),
    *("numpy: small_ones", "numpy: weighted", "matrices: solved", "tree: tree_prefixes"),
)


def tier(plant, drawn):
    slow = not drawn or plant.name.startswith(DEAR)
    return pytest.param(plant, id=plant.name, marks=[pytest.mark.slow] if slow else [])


@pytest.mark.parametrize("plant", [tier(*pair) for pair in zip(PLANTS, SAMPLE, strict=True)])
def test_a_planted_function_is_judged_as_it_is(plant):
    verdict = audit(plant.function, data=plant.records, neighbours=plant.relation, claim=plant.claim, seconds=120)
    assert verdict.word == ("consistent" if plant.sound else "violated"), str(verdict)


def test_the_set_is_large_and_has_both_kinds():
    for plants in (FIRST, UNSEEN):
        assert sum(plant.sound for plant in plants) >= 60
        assert sum(not plant.sound for plant in plants) >= 60
    assert len({plant.name for plant in PLANTS}) == len(PLANTS)
