"""An error that is told in other words keeps nothing of the one it stands for."""

import traceback

import pytest

from gama.state.errors import FaultError, GamaError, InputError, Retold

SECRET = "Thessaly Quornbeck"


def told(error: Exception) -> GamaError | None:
    return None if isinstance(error, InputError) else FaultError(type(error).__name__)


def failing():
    with Retold(told):
        yield 1
        raise ValueError(SECRET)


def test_nothing_of_an_error_goes_along():
    try:
        raise KeyError(SECRET)
    except KeyError:
        with pytest.raises(FaultError, match="ValueError") as caught:
            assert list(failing())
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert SECRET not in "".join(
        traceback.TracebackException.from_exception(caught.value, capture_locals=True).format()
    )


async def test_it_holds_around_what_is_awaited():
    async def fail():
        raise ValueError(SECRET)

    with pytest.raises(FaultError) as caught:
        with Retold(told):
            await fail()
    assert caught.value.__context__ is None


def test_what_has_no_other_words_passes_and_so_does_what_is_no_error():
    for error in (InputError("mine"), KeyboardInterrupt(), GeneratorExit()):
        with pytest.raises(type(error)) as caught, Retold(told):
            raise error
        assert caught.value is error
    steps = failing()
    assert next(steps) == 1
    steps.close()
    with Retold(told):
        pass
