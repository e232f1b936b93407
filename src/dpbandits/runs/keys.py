"""Types of the configuration's keys: what a value may be, and what is said of one that it cannot be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from dpbandits.core.algorithm import Value
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.mathematics import power

MOST_RUNS = 10**7
LARGEST_JOB = 10**9
LONGEST_HORIZON = 2**52
# Of budgets, in words.
LIST_OR_GRID = "a list of numbers > 0, or a grid {first, last, number}"


def _whole(value: object) -> object:
    """Return 2.0 as 2: to a reader of YAML both are whole numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _given(value: object) -> object:
    """Refuse a key without a value, which is probably a slip."""
    if value is None:
        raise BadInput((), value, "a value; leave the key out for its default")
    return value


def left_out(value: object) -> bool:
    return value is None


def empty(value: object) -> bool:
    return value in ({}, "")


def _distinct(values: list[Any]) -> list[Any]:
    if any(value in values[:i] for i, value in enumerate(values)):
        raise BadInput((), values, "a list without repetitions")
    return values


def _number_or_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadInput((), value, "a number or text")
    return value


def _budgets(value: object) -> object:
    """Return the budgets of a grid; a list is returned as it is."""
    if isinstance(value, dict) and {"first", "last", "number"} <= set(value):
        return Grid.model_validate(value).budgets
    if not isinstance(value, list):
        raise BadInput((), value, LIST_OR_GRID)
    return value


def _listed(value: object) -> object:
    return value if isinstance(value, list) else [value]


class Model(BaseModel):
    """Keys that are not known are refused, values keep their types, and what is read is not changed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, given: object) -> object:
        if cls.model_config.get("extra") == "forbid" and isinstance(given, dict):
            for key in given:
                if key not in cls.model_fields:
                    raise BadInput(str(key), given[key], suggest(key, cls.model_fields))
        return given


Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._=-]*$")]
PaperId = Annotated[str, Field(pattern=r"^[a-z0-9]+$")]
Text = Annotated[str, Field(min_length=1)]
Whole = BeforeValidator(_whole)
Given = BeforeValidator(_given)
Distinct = AfterValidator(_distinct)
Names = Annotated[list[str], Distinct]
RunCount = Annotated[int, Field(ge=2, le=MOST_RUNS), Whole]
JobSize = Annotated[int, Field(ge=1, le=LARGEST_JOB), Whole]
Horizon = Annotated[int, Field(ge=1, le=LONGEST_HORIZON), Whole]
Budget = Annotated[float, Field(gt=0)]
NumberOrText = Annotated[
    Value, PlainValidator(_number_or_text), WithJsonSchema({"type": ["number", "string"]}, mode="validation")
]


class Grid(Model):
    """Privacy budgets at equal distances or ratios."""

    first: Budget = Field(description="Smallest budget.")
    last: Budget = Field(description="Largest budget.")
    number: Annotated[int, Field(ge=2, le=10000), Whole] = Field(description="How many, both ends included.")
    spacing: Literal["even", "geometric"] = Field("even", description="How they are spaced.")

    @property
    def budgets(self) -> list[float]:
        """The budgets, rounded to what a person would write, since they name files; or `BadInput`."""
        first, last, steps = self.first, self.last, self.number - 1
        if not first < last:
            raise BadInput("last", last, f"a number > {first:g}, the first")
        if self.spacing == "geometric":
            # From 0.0001 to 1 such a grid has 0.01 and not 0.010000000000000002.
            grid = [float(f"{first * power(last / first, i / steps):.6g}") for i in range(steps + 1)]
        else:
            # From 0.01 to 1 such a grid has 0.07 and not 0.06999999999999999.
            grid = [round(first + (last - first) * i / steps, 12) for i in range(steps + 1)]
        if len(set(grid)) < len(grid):
            raise BadInput("number", self.number, f"fewer budgets from {first:g} to {last:g}")
        return grid


Budgets = Annotated[
    list[Budget],
    BeforeValidator(_budgets),
    Distinct,
    WithJsonSchema(
        {"type": ["array", "grid"], **{key: Grid.model_json_schema()[key] for key in ("properties", "required")}}
    ),
]
Horizons = Annotated[
    list[Horizon],
    BeforeValidator(_listed),
    Distinct,
    WithJsonSchema({"type": ["integer", "array"], "minimum": 1, "maximum": LONGEST_HORIZON}),
]
