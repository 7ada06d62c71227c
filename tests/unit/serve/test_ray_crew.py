"""How the run deals units to actors: with a Ray that is played, so that actors die and wait where they are told to."""

import json
import logging
import socket
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest

from gama.serve.bulk import carried, ray_crew
from gama.serve.bulk.crew import error_of
from gama.serve.bulk.ray_crew import RayCrew, check_address
from gama.serve.bulk.records import Format
from gama.serve.bulk.sources import Unit
from gama.serve.bulk.steps import Job
from gama.serve.bulk.work import Work
from gama.state.errors import FaultError, InputError, OptionError, SealError, StoreError
from gama.state.options import Options


class Died(Exception):
    """An actor was killed."""


class Failed(Died):
    """An actor's method raised."""


class Answer(NamedTuple):
    """What an actor will have said."""

    number: int
    name: str
    work: Callable[[], object]


class Ray(ModuleType):
    """Ray, as far as it is used here: actors are objects, and what becomes of a call is said by `fate`."""

    def __init__(self, fate):
        super().__init__("ray")
        self.__spec__ = ModuleSpec("ray", None)
        self.exceptions = SimpleNamespace(RayError=Died, RayTaskError=Failed)
        self.told, self.seen, self.killed, self.fate = [], [], [], fate
        self.actors = 0

    def init(self, address, **told):
        self.told.append((address, told))
        self.seen.append(sys.modules["ray._private"].utils.get_entrypoint_name())

    def shutdown(self):
        self.told.append("shutdown")

    def put(self, value):
        self.seen.append(value)
        return value

    def cluster_resources(self):
        return {"CPU": 2.0}

    def kill(self, actor):
        self.killed.append(actor.number)

    def remote(self, **limits):
        return lambda kind: SimpleNamespace(remote=lambda: self._actor(kind()))

    def _actor(self, made):
        number, self.actors = self.actors, self.actors + 1

        def call(name):
            def later(*given):
                self.seen.extend(given)
                return Answer(number, name, lambda: getattr(made, name)(*given))

            return SimpleNamespace(remote=later)

        return SimpleNamespace(number=number, begin=call("begin"), do=call("do"))

    def wait(self, answers, *, num_returns, timeout):
        ready = [one for one in answers if self.fate(one.number, one.name) != "waits"]
        return ready[:1], []

    def get(self, answer):
        fate = self.fate(answer.number, answer.name)
        if isinstance(fate, Exception):
            raise fate
        made = answer.work()
        self.seen.append(made)
        return made


class Doing:
    """Steps that note which units they did."""

    def __init__(self, job, work):
        self.work = work

    def do(self, step, unit):
        if unit.records == ["bad"]:
            raise ValueError("quornbeck")
        self.work.put(unit.number, "done", json.dumps(unit.records).encode())


@pytest.fixture
def play(monkeypatch, tmp_path, home):
    """Return what runs units by a crew whose Ray is played."""
    monkeypatch.setattr(carried, "_mute", lambda: None)
    monkeypatch.setattr(carried, "alone_on_a_core", lambda: None)
    monkeypatch.setattr("gama.models.shipped.compute_alone", lambda: None)
    monkeypatch.setattr("gama.serve.bulk.steps.Steps", Doing)
    folder = tmp_path / "work"
    folder.mkdir()
    job = Job(Options(), "record", Format("lines"), folder, None, "refuse", "")
    Work(folder).seal(b"a key is made")

    def run(fate=lambda number, name: None, units=3, count=2, record="quornbeck", address=None):
        ray = Ray(fate)
        monkeypatch.setitem(sys.modules, "ray", ray)
        private = ModuleType("ray._private")
        private.utils = SimpleNamespace(get_entrypoint_name=lambda: "gama anonymize --deny quornbeck")
        monkeypatch.setitem(sys.modules, "ray._private", private)
        told = []
        given = iter([Unit(n, n + 1, 1.0, [record]) for n in range(units)])
        try:
            with RayCrew(address) as crew:
                crew("replace", job, given, count, told.append)
        finally:
            assert not [one for one in ray.seen if b"quornbeck" in repr(one).encode()]
        return ray, sorted(unit.number for unit in told), sorted(int(path.stem) for path in folder.glob("*.done"))

    return run


def test_every_unit_is_done_once_and_actors_end(play):
    ray, told, done = play(units=7)
    assert told == done == list(range(7)) and ray.actors == 2 and sorted(ray.killed) == [0, 1]
    (address, options), end = ray.told
    assert address == "local" and options["include_dashboard"] is False and options["log_to_driver"] is False
    assert end == "shutdown" and ray.seen[0] == "gama"
    assert "quornbeck" in sys.modules["ray._private"].utils.get_entrypoint_name(), "as it was"


def test_no_more_actors_than_units_and_none_for_nothing(play):
    assert play(units=1, count=5)[0].actors == 1
    ray, told, _ = play(units=0)
    assert ray.told == [] and told == []


def test_a_cluster_is_joined_as_it_is_and_says_how_many(play):
    ray, told, _ = play(units=5, count=0, address="auto")
    assert ray.told[0] == ("auto", {"log_to_driver": False, "logging_level": logging.ERROR})
    assert told == list(range(5)) and ray.actors == 2


def test_nobody_at_the_address_is_told_at_once(play):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        assert play(units=1, address=address)[0].told[0][0] == address
    for given in (address, f"ray://{address}", "127.0.0.1:99999"):
        with pytest.raises(InputError, match="nothing answers"):
            play(address=given)


def test_a_killed_actor_is_replaced_and_its_unit_done(play):
    ray, told, done = play(lambda number, name: Died() if number == 0 and name == "do" else None, units=4)
    assert told == done == list(range(4)) and ray.actors == 3


def test_three_deaths_at_the_same_records_end_the_run(play):
    with pytest.raises(FaultError, match="killed 3 times at the records from 1 on"):
        play(lambda number, name: Died() if name == "do" else None, units=1)


def test_actors_that_never_begin_end_the_run(play):
    with pytest.raises(FaultError, match="ended before they began"):
        play(lambda number, name: Died() if name == "begin" else None)


def test_an_actor_without_a_core_holds_no_unit_back(play):
    ray, told, _ = play(lambda number, name: "waits" if number == 0 else None, units=4)
    assert told == list(range(4)) and sorted(ray.killed) == [0, 1]


def test_a_cluster_without_a_free_core_is_waited_for_and_given_up(play, monkeypatch, capsys):
    monkeypatch.setattr(ray_crew, "PATIENCE", 0.05)
    with pytest.raises(FaultError, match="gave no worker within"):
        play(lambda number, name: "waits")
    assert capsys.readouterr().err.count("waiting for a free core") == 1


def test_an_unexpected_error_is_told_by_its_name_alone(play):
    with pytest.raises(FaultError) as caught:
        play(record="bad")
    assert "ValueError" in str(caught.value) and "quornbeck" not in repr(caught.value)
    failed = Failed("quornbeck")
    failed.cause = KeyError("quornbeck")
    with pytest.raises(FaultError, match="unexpected KeyError"):
        play(lambda number, name: failed)


def test_a_worker_says_what_its_machine_lacks(tmp_path, home, monkeypatch):
    monkeypatch.setattr(carried, "_mute", lambda: None)
    monkeypatch.setattr(carried, "alone_on_a_core", lambda: None)
    job = Job(Options(), "record", Format("files"), tmp_path / "work", None, "refuse", "", root=tmp_path / "source")
    packed = Work(tmp_path).pack(job)
    begin = carried.CarriedWorker().begin
    name, text = begin("0.0.0", None, packed, None)
    assert name == "FaultError" and "0.0.0" in text
    name, text = begin(carried.__version__, str(tmp_path / "bare"), packed, None)
    assert isinstance(error_of((name, text)), SealError) and "has no master key" in text
    assert not (tmp_path / "bare").exists(), "no key is made where none is"
    name, text = begin(carried.__version__, None, packed, None)
    assert isinstance(error_of((name, text)), StoreError) and "does not see the source" in text
    Work(tmp_path, tmp_path / "other").seal(b"another key is made")
    assert begin(carried.__version__, str(tmp_path / "other"), packed, None)[0] == "SealError"


def test_an_address_is_for_ray_alone(monkeypatch):
    check_address("ray", None)
    check_address("ray", "auto")
    for engine, address in (("local", "auto"), ("ray", " ")):
        with pytest.raises(OptionError, match="--ray-address"):
            check_address(engine, address)
    monkeypatch.setattr(ray_crew, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"gama-privacy\[bulk-ray\]"):
        RayCrew()
