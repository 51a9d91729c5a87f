"""gpukit.monitor.topology and gpukit.monitor.energy on simulated GPUs."""

from __future__ import annotations

import json
import time

import pytest

import gpukit
from gpukit import monitor
from gpukit._simulation import session
from gpukit.cli import main
from gpukit.errors import DeviceNotFoundError, GpukitError, InvalidDeviceError
from support.nvml import nvml_script
from support.simulation import simulation

# ---- topology


def test_each_pair_has_its_way() -> None:
    with nvml_script("3xA100"):
        found = monitor.topology()
        table = found.to_table()
    assert found.simulated
    assert [(link.a, link.b) for link in found.links] == [(0, 1), (0, 2), (1, 2)]
    assert {link.word for link in found.links} == {"PHB"}
    assert [row[str(place)] for place, row in enumerate(table.rows)] == ["X", "X", "X"]
    assert table.rows[2]["0"] == "PHB"
    assert any("PHB: through the CPU" in note for note in table.notes)
    assert json.loads(found.to_json())["links"][0]["path"] == "PHB"


@pytest.mark.parametrize(
    ("level", "word"),
    [(0, "PSB"), (10, "PIX"), (20, "PXB"), (30, "PHB"), (40, "NODE"), (50, "SYS")],
)
def test_levels_have_the_words_of_nvidia_smi(level: int, word: str) -> None:
    with nvml_script(f"2xA100,read:nvmlDeviceGetTopologyCommonAncestor:{level}@0"):
        assert monitor.topology().link(0, 1).word == word


def test_nvlinks_are_counted_by_the_other_end() -> None:
    with nvml_script("3xA100,nvlinks:4"):
        found = monitor.topology()
    assert [link.nvlinks for link in found.links] == [4, 4, 4]
    assert found.to_table().rows[0]["2"] == "NV4"
    assert any("NV4: 4 NVLinks" in note for note in found.to_table().notes)


def test_peers_are_those_of_the_driver() -> None:
    with simulation(2, "T4"):
        assert monitor.topology().link(0, 1).peer is True
    with session.replaced("2xT4,peer=0"):
        assert not gpukit.cuda.can_device_access_peer(0, 1)
        found = monitor.topology()
    assert found.link(0, 1).peer is False
    assert any("do not read each other's memory" in note for note in found.to_table().notes)


def test_what_fails_or_hangs_costs_its_own_field() -> None:
    with nvml_script("2xT4,fail:nvmlDeviceGetP2PStatus:3"):
        link = monitor.topology().link(0, 1)
        assert (link.path, link.nvlinks, link.peer) == ("PHB", 0, None)
        assert "not supported" in link.missing["peer"]
    with nvml_script("2xT4,hang:nvmlDeviceGetTopologyCommonAncestor@0"):
        began = time.monotonic()
        link = monitor.topology().link(0, 1)
        assert time.monotonic() - began < 2
        assert (link.path, link.nvlinks) == (None, 0)
        assert "has not responded" in link.missing["path"]


def test_one_gpu_has_no_pairs_and_none_has_a_reason() -> None:
    with nvml_script("1xT4"):
        assert monitor.topology().links == []
    with nvml_script("0"):
        found = monitor.topology()
    assert found.gpus == []
    assert found.reason
    with pytest.raises(LookupError, match="no pair"):
        found.link(0, 1)


def test_smi_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smi", "--topology"]) == 0
    assert "PHB" in capsys.readouterr().out
    assert main(["smi", "--topology", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["links"][0]["nvlinks"] == 0


# ---- energy


def test_energy_is_that_of_the_model() -> None:
    x = gpukit.ones(1024, 1024, device="cuda:0")
    with monitor.energy("cuda:0") as used:
        for _ in range(5):
            x = x @ x
    with monitor.energy("cuda:0") as twice:
        for _ in range(10):
            x = x @ x
    assert used.simulated
    assert used.source == "counter"
    assert used.joules is not None
    assert used.joules > 0
    assert used.watts == pytest.approx(60, rel=0.05)  # 1.5 W for each of a T4's multiprocessors
    assert twice.joules == pytest.approx(2 * used.joules, rel=0.1)
    assert "simulated" in repr(used)
    assert "J in" in repr(used)


def test_the_other_device_uses_nothing() -> None:
    with monitor.energy("cuda:1") as used:
        gpukit.ones(1024, 1024, device="cuda:0").sum().item()
    assert used.joules == 0


def test_a_counter_in_joules_is_a_field_of_the_snapshot() -> None:
    with nvml_script("2xT4,read:nvmlDeviceGetTotalEnergyConsumption:1234567@0"):
        first, second = monitor.snapshot().gpus
    assert first.energy == 1234.567
    assert second.energy == 0
    with nvml_script("1xP100"):
        (gpu,) = monitor.snapshot().gpus
    assert gpu.energy is None
    assert "not supported" in gpu.missing["energy"]


def test_power_is_integrated_where_there_is_no_counter() -> None:
    with nvml_script("2xT4,fail:nvmlDeviceGetTotalEnergyConsumption:3,"
                     "read:nvmlDeviceGetPowerUsage:50000"):  # fmt: skip
        used = monitor.energy("cuda:0", interval=0.05)
        used.simulated = False  # measured by the clock of the wall, as on a real card
        with used:
            time.sleep(0.3)
        modelled = monitor.energy("cuda:0")
        with modelled:
            pass
    assert used.source == "power"
    assert used.watts == pytest.approx(50, rel=0.1)
    assert used.joules == pytest.approx(50 * used.seconds, rel=0.1)
    assert modelled.joules is None
    assert "not supported" in modelled.reason


def test_wrong_uses_of_energy() -> None:
    with pytest.raises(InvalidDeviceError, match="CUDA device"):
        monitor.energy("cpu")
    with pytest.raises(DeviceNotFoundError):
        monitor.energy("cuda:7")
    with pytest.raises(ValueError, match="interval"):
        monitor.energy("cuda", interval=0)
    with pytest.raises(TypeError, match="interval"):
        monitor.energy("cuda", interval="soon")
    used = monitor.energy("cuda")
    assert "not ended" in repr(used)
    used.stop()
    with used, pytest.raises(GpukitError, match="started already"):
        used.start()
    used.stop()
    assert used.seconds is not None
