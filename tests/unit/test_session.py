"""gpukit.monitor.session: what is left of a session, and work that goes on in the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gpukit
from gpukit import monitor, nn
from gpukit._system.machine import Machine
from gpukit._system.session_limits import LIMITS, age_seconds, limit_of_offer
from gpukit.cloud import offer
from gpukit.errors import CheckpointError, GpukitError
from gpukit.monitor import _session

HOUR = 3600.0


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def pass_minutes(self, minutes: float) -> None:
        self.now += 60 * minutes


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    fake = SimpleNamespace(monotonic=lambda: made.now, time=lambda: 1e9 + made.now)
    monkeypatch.setattr(_session, "time", fake)
    return made


def on(monkeypatch: pytest.MonkeyPatch, root: Path, age_hours: float = 0, **environ: str) -> None:
    """Let sessions believe that they run on a machine of this age with these variables."""
    ticks = os.sysconf("SC_CLK_TCK")
    (root / "proc/1").mkdir(parents=True)
    (root / "proc/uptime").write_text(f"{500 + age_hours * HOUR} 99.5\n")
    stat = ["1", "(an (odd) name)", "S", *["0"] * 18, str(500 * ticks), "0"]
    (root / "proc/1/stat").write_text(" ".join(stat))
    monkeypatch.setattr(_session, "Machine", lambda: Machine(root=root, environ=environ))


def gpus(monkeypatch: pytest.MonkeyPatch, *utilization: int | None) -> None:
    """Let snapshots show GPUs with this load."""
    states = [SimpleNamespace(utilization=each) for each in utilization]
    monkeypatch.setattr(_session, "snapshot", lambda: SimpleNamespace(gpus=states))


def layer() -> nn.Linear:
    return nn.Linear(2, 1)


# ---- how much is left


def test_colab_and_kaggle_end_after_their_hours(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path / "a", 11, COLAB_RELEASE_TAG="x")
    colab = monitor.session()
    assert colab.platform == "colab"
    assert colab.age_minutes == pytest.approx(11 * 60)
    assert colab.left_minutes == pytest.approx(60)
    clock.pass_minutes(45)
    assert colab.left_minutes == pytest.approx(15)
    assert "11 h 45 min" in str(colab)
    assert "2026-05" in str(colab)
    on(monkeypatch, tmp_path / "b", 2, KAGGLE_KERNEL_RUN_TYPE="Interactive")
    assert monitor.session().left_minutes == pytest.approx(10 * 60)
    assert monitor.session(hours=3).left_minutes == pytest.approx(60)


def test_elsewhere_there_is_no_end_but_a_job_has_one(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path / "a", 100)
    plain = monitor.session()
    assert plain.left_minutes is None
    assert "left" not in [row["what"] for row in plain.to_table().rows]
    assert monitor.session(hours=2).left_minutes == pytest.approx(120)
    end = str(round(1e9 + clock.now + 600))
    on(monkeypatch, tmp_path / "b", 100, SLURM_JOB_ID="7", SLURM_JOB_END_TIME=end)
    assert monitor.session().left_minutes == pytest.approx(10)


def test_the_age_of_this_machine_is_known_or_not():
    age = age_seconds(Machine())
    assert age is None or age > 0
    assert age_seconds(Machine(root=Path("/nowhere"))) is None


def test_limits_name_offers_and_dates():
    for limit in LIMITS.values():
        assert offer(limit.offer).price == 0
        assert limit_of_offer(limit.offer) is limit
        assert limit.source
        assert limit.as_of[:2] == "20"
    assert limit_of_offer("vast-h100") is None


# ---- what the GPU does


def test_held_and_busy_minutes(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path)
    session = monitor.session()
    for load in ((0, 90), (0, 0), (), (None, 0)):
        gpus(monkeypatch, *load)
        session._sample(60)
    assert (session.held_minutes, session.busy_minutes) == (3, 1)


def test_an_idle_gpu_is_told_once(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path, COLAB_GPU="1")
    told: list[str] = []
    session = monitor.session(idle_minutes=2, tell=told.append)
    gpus(monkeypatch, 0)
    for _ in range(5):
        session._sample(60)
    assert len(told) == 1
    assert "no GPU has worked for 2 min" in told[0]
    assert "90 min" in told[0]
    gpus(monkeypatch, 50)
    session._sample(60)
    gpus(monkeypatch, 0)
    session._sample(180)
    assert len(told) == 2


def test_the_end_is_told_once(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path / "m", 11, COLAB_GPU="1")
    told: list[str] = []
    session = monitor.session(tell=told.append)
    gpus(monkeypatch)
    session._sample(1)
    assert told == []
    clock.pass_minutes(31)
    session._sample(1)
    session._sample(1)
    assert told == ["about 29 min of this session are left: save what you need"]


def test_a_place_that_is_lost_is_told(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path / "m", COLAB_GPU="1")
    told: list[str] = []
    with monitor.session(tmp_path / "x.pth", {"layer": layer()}, tell=told.append):
        pass
    assert len(told) == 1
    assert "/content/drive" in told[0]
    with monitor.session("/content/drive/x.pth", {"layer": layer()}, tell=told.append):
        pass
    assert len(told) == 1


def test_the_thread_looks(monkeypatch):
    gpus(monkeypatch, 100)
    with monitor.session(interval=0.01) as session:
        waiter = gpukit.monitor.Monitor(0.05, duration=0.3).start().wait()
    assert waiter.samples
    assert session.busy_minutes > 0
    session.stop()
    with pytest.raises(GpukitError, match="started already"):
        session.start()


# ---- saving and going on


def train(session: monitor.Session, model: nn.Linear, steps: int, end_at: int = -1) -> list[int]:
    seen = []
    for step in session.steps(range(steps)):
        seen.append(step)
        with gpukit.no_grad():
            model.bias += 1
        if step == end_at:
            raise KeyboardInterrupt
    return seen


def test_the_next_session_goes_on_where_the_file_ended(tmp_path, clock):
    file = tmp_path / "run.pth"
    first = layer()
    begin = first.bias.item()
    session = monitor.session(file, {"layer": first}, every_minutes=1e-9)
    with pytest.raises(KeyboardInterrupt):
        train(session, first, 10, end_at=3)
    # With no time between the steps nothing is due; then each step is.
    assert session.done == 3
    assert not file.exists()
    session = monitor.session(file, {"layer": first}, every_minutes=1)
    for step in session.steps(range(10)):
        clock.pass_minutes(2)
        if step == 5:
            break
    assert session.done == 5
    saved = first.bias.item()
    again = layer()
    other = monitor.session(file, {"layer": again})
    assert other.resume() == 5
    assert again.bias.item() == saved == pytest.approx(begin + 4)
    assert train(other, again, 10) == [5, 6, 7, 8, 9]
    assert monitor.session(file, {"layer": layer()}).resume() == 10
    assert train(monitor.session(file, {"layer": layer()}), layer(), 10) == []
    assert [path.name for path in tmp_path.iterdir()] == ["run.pth"]


def test_steps_are_saved_when_it_is_time(monkeypatch, tmp_path, clock):
    on(monkeypatch, tmp_path / "m", 11, COLAB_GPU="1")
    saved: list[tuple[int, float]] = []

    def save(document: Any, path: str) -> None:
        saved.append((document["done"], clock.now))
        Path(path).write_text("saved")

    session = monitor.session(
        tmp_path / "x", {"layer": layer()}, save=save, every_minutes=20, tell=lambda _: None
    )
    for _ in session.steps(range(60)):
        clock.pass_minutes(1)
    steps = [done for done, _ in saved]
    # Every 20 minutes, and each step of the last ten minutes; the end once more.
    assert steps[:2] == [20, 40]
    assert steps[2:] == [*range(50, 61), 60]


def test_sigterm_waits_for_the_step(tmp_path):
    program = f"""
import os, signal, gpukit
layer = gpukit.nn.Linear(1, 1)
session = gpukit.monitor.session({str(tmp_path / "x.pth")!r}, {{"layer": layer}})
for step in session.steps(range(5)):
    if step == 2:
        os.kill(os.getpid(), signal.SIGTERM)
    print(step, flush=True)
print("not reached")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGTERM, done.stderr
    assert done.stdout.split() == ["0", "1", "2"]
    assert "is saved" in done.stderr
    assert monitor.session(tmp_path / "x.pth", {"layer": nn.Linear(1, 1)}).resume() == 3


def test_a_file_of_something_else_is_refused(tmp_path):
    file = tmp_path / "x.pth"
    gpukit.save({"weights": gpukit.ones(2)}, file)
    with pytest.raises(CheckpointError, match="was not saved by"):
        monitor.session(file, {"layer": layer()}).resume()
    session = monitor.session(file, {"layer": layer()})
    session.save()
    with pytest.raises(CheckpointError, match="name the same objects"):
        monitor.session(file, {"model": layer()}).resume()
    with pytest.raises(CheckpointError, match="no file"):
        monitor.session().save()


def test_a_save_that_fails_leaves_the_old_file(tmp_path):
    file = tmp_path / "x.pth"
    session = monitor.session(file, {"layer": layer()})
    session.save()
    before = file.read_bytes()

    def fail(document: Any, path: str) -> None:
        Path(path).write_bytes(b"half")
        raise OSError("disk full")

    broken = monitor.session(file, {"layer": layer()}, save=fail)
    with pytest.raises(OSError, match="disk full"):
        broken.save()
    assert file.read_bytes() == before


def test_wrong_arguments(tmp_path):
    with pytest.raises(TypeError, match=r"state\['x'\] must have state_dict"):
        monitor.session(tmp_path / "x", {"x": gpukit.ones(2)})
    with pytest.raises(TypeError, match="state must be a dict"):
        monitor.session(tmp_path / "x", [layer()])
    with pytest.raises(TypeError, match="needs a file"):
        monitor.session(state={"layer": layer()})
    for name in ("hours", "warn_minutes", "save_minutes", "every_minutes", "idle_minutes"):
        with pytest.raises(ValueError, match=name):
            monitor.session(**{name: 0})
        with pytest.raises(TypeError, match=name):
            monitor.session(**{name: "soon"})
