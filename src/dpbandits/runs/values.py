"""Values of a configuration: what is refused, or read as another, before a model has it."""

from __future__ import annotations

from typing import Annotated, Any

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

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Value

MOST_RUNS = 10**7
LARGEST_JOB = 10**9
LONGEST_HORIZON = 2**52


def _whole(value: object) -> object:
    """Return 2.0 as 2: to a reader of YAML both are whole numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _given(value: object) -> object:
    """Refuse a key without a value, which is probably a slip."""
    if value is None:
        raise BadInput((), value, "a value; leave the key out for its default")
    return value


def left_out(value: object) -> bool:
    """Tell whether a value is ``None``: its key was not given, so a saved configuration leaves it out."""
    return value is None


def empty(value: object) -> bool:
    """Say whether a value is an empty mapping or an empty text."""
    return value in ({}, "")


def _distinct(values: list[Any]) -> list[Any]:
    if any(value in values[:i] for i, value in enumerate(values)):
        raise BadInput((), values, "a list without repetitions")
    return values


def _number_or_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadInput((), value, "a number or text")
    return value


def listed(value: object) -> object:
    """Return a list as it is, and any other value as the one element of a list."""
    return value if isinstance(value, list) else [value]


class Model(BaseModel):
    """Base of all models of a configuration: unknown keys are refused, types must fit, and objects are frozen."""

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
