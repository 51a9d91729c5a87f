"""AMD and Intel GPUs, from files only. gpukit computes on none of them; torch does."""

from __future__ import annotations

from gpukit.doctor.catalogue.base import (
    ADMIN,
    BLOCKER,
    CONTAINER,
    CRASH,
    DEGRADED,
    KERNEL,
    LOGIN,
    REBOOT,
    Fix,
    Layer,
    check,
    known,
)
from gpukit.doctor.evidence import Card, Evidence

_ROCM_INDEX = "https://download.pytorch.org/whl/rocm6.4"
_XPU_INDEX = "https://download.pytorch.org/whl/xpu"
# gfx versions that ROCm's torch has code for, as the kernel writes them.
_SUPPORTED = (90000, 90006, 90008, 90010, 90402, 90500, 100300, 110000, 110001, 120000, 120001)
_RDNA2, _RDNA3 = range(100301, 100307), range(110001, 110004)
# Device ids of discrete Intel cards: Arc A, Arc B, Flex and Max.
_INTEL_DISCRETE = (*range(0x5690, 0x56C2), *range(0xE200, 0xE21F), *range(0x0BD0, 0x0BE0), 0x4905)


def _amd(evidence: Evidence) -> list[Card]:
    """AMD's cards that could compute, if NVIDIA's are not what this machine is about."""
    if evidence.nvidia or evidence.works:
        return []
    return [card for card in evidence.cards_of("AMD") if card.driver != "radeon"]


def _intel(evidence: Evidence) -> list[Card]:
    """Intel cards that are meant for computing: discrete, or with Intel's software."""
    if evidence.nvidia or evidence.works or evidence.cards_of("AMD"):
        return []
    wanted = _tag(evidence) == "xpu" or "/opt/intel/oneapi" in evidence.traces
    cards = evidence.cards_of("Intel")
    return [card for card in cards if wanted or card.device in _INTEL_DISCRETE]


def _tag(evidence: Evidence) -> str:
    return evidence.packages.get("torch", "").partition("+")[2]


def _gfx(version: int) -> str:
    return f"gfx{version // 10000}{version // 100 % 100}{version % 100:x}"


@check(
    "rocm-passthrough-vf",
    Layer.DRIVER,
    BLOCKER,
    "An AMD GPU is present, but no driver is bound to it.",
    Fix("Install the driver that the hypervisor's maker names; ROCm does not support Azure NVv4.",
        who=ADMIN),
)  # fmt: skip
def amd_unclaimed(evidence: Evidence) -> list[str]:
    """A virtual machine's card without a driver."""
    cards = [card for card in _amd(evidence) if card.driver is None]
    return [f"{card}: no driver" for card in cards] if evidence.platform.cloud else []


@check(
    "rocm-container-devices",
    Layer.PLACE,
    BLOCKER,
    "The container was started without the AMD GPU.",
    Fix(
        "Start it with both device files.",
        (
            "docker run --device=/dev/kfd --device=/dev/dri --group-add video --group-add render "
            "--security-opt seccomp=unconfined IMAGE",
        ),
        restart=CONTAINER,
    ),
)
def amd_container(evidence: Evidence) -> list[str]:
    """A container, an AMD card, no node."""
    if not evidence.platform.container or not _amd(evidence):
        return []
    missing = evidence.nodes.get("/dev/kfd", "absent") == "absent"
    return [str(_amd(evidence)[0]), "/dev/kfd does not exist"] if missing else []


@check(
    "rocm-no-kfd",
    Layer.DRIVER,
    BLOCKER,
    "An AMD GPU is present, without the kernel driver that computing needs.",
    Fix(
        "Load it, or install it. Very old chips cannot compute.",
        ("sudo modprobe amdgpu", "sudo amdgpu-install --usecase=dkms"),
        ADMIN,
        REBOOT,
    ),
    symptoms=(r"not supported in kfd",),
)
def amd_no_kfd(evidence: Evidence) -> list[str]:
    """A card and no /dev/kfd."""
    if not _amd(evidence) or evidence.nodes.get("/dev/kfd", "absent") != "absent":
        return []
    return [f"{card}: driver {card.driver}" for card in _amd(evidence)] + [
        "/dev/kfd does not exist"
    ]


@check(
    "rocm-kfd-permission",
    Layer.DEVICES,
    BLOCKER,
    "You may not open the AMD GPU's device file.",
    Fix(
        "Join its groups, then log out and in again; a reboot is surest.",
        ("sudo usermod -aG render,video $USER",),
        ADMIN,
        LOGIN,
    ),
    symptoms=(r"Unable to open /dev/kfd", r"hipErrorInvalidDevice"),
)
def amd_permission(evidence: Evidence) -> list[str]:
    """/dev/kfd cannot be opened."""
    denied = evidence.nodes.get("/dev/kfd") in {"denied", "refused"}
    return ["/dev/kfd cannot be opened by this user"] if denied and _amd(evidence) else []


@check(
    "rocm-torch-is-cuda-build",
    Layer.FRAMEWORK,
    DEGRADED,
    "The torch installed here is built for NVIDIA or for the CPU; this GPU is AMD's.",
    Fix(
        "Install the ROCm build.",
        (f"pip install --force-reinstall torch --index-url {_ROCM_INDEX}",),
        restart=KERNEL,
    ),
)
def amd_torch(evidence: Evidence) -> list[str]:
    """The local part of torch's version."""
    tag = _tag(evidence)
    wrong = tag.startswith("cu") or tag == "cpu"
    return [f"torch {evidence.packages['torch']}"] if _amd(evidence) and wrong else []


def _override(evidence: Evidence) -> Fix:
    version = evidence.kfd_nodes[0]["gfx_target_version"] if evidence.kfd_nodes else 0
    value = "10.3.0" if version in _RDNA2 else "11.0.0" if version in _RDNA3 else ""
    if not value:
        return Fix("Use the CPU, or an older ROCm that still had this chip.")
    return Fix(
        "Pretend to be the nearest chip that is supported. This can hang built-in GPUs.",
        (f"export HSA_OVERRIDE_GFX_VERSION={value}",),
        restart=KERNEL,
    )


@check(
    "rocm-gfx-unsupported",
    Layer.FRAMEWORK,
    CRASH,
    "ROCm's torch has no code for this AMD GPU.",
    _override,
    symptoms=(r"hipErrorNoBinaryForGpu",),
)
def amd_gfx(evidence: Evidence) -> list[str]:
    """The chip's version as the kernel reports it."""
    if evidence.env("HSA_OVERRIDE_GFX_VERSION") or not _amd(evidence):
        return []
    versions = [node["gfx_target_version"] for node in evidence.kfd_nodes]
    return [f"{_gfx(v)} is not among the supported chips" for v in versions if v not in _SUPPORTED]


@check(
    "rocm-override-harmful",
    Layer.USE,
    DEGRADED,
    "HSA_OVERRIDE_GFX_VERSION is set for a chip that needs no override, or of another family.",
    Fix("Unset it.", ("unset HSA_OVERRIDE_GFX_VERSION",), restart=KERNEL),
)
def amd_override(evidence: Evidence) -> list[str]:
    """The value against the chip."""
    value = evidence.env("HSA_OVERRIDE_GFX_VERSION")
    version = evidence.kfd_nodes[0]["gfx_target_version"] if evidence.kfd_nodes else 0
    family = {"10": _RDNA2, "11": _RDNA3}.get(value.split(".", maxsplit=1)[0], ())
    if not value or not version or version in family:
        return []
    return [f"HSA_OVERRIDE_GFX_VERSION={value}", f"the chip is {_gfx(version)}"]


@check(
    "rocm-igpu-first",
    Layer.USE,
    DEGRADED,
    "The built-in AMD GPU comes before the card.",
    Fix("Show only the card.", ("export HIP_VISIBLE_DEVICES=1",), restart=KERNEL),
    likely=True,
)
def amd_order(evidence: Evidence) -> list[str]:
    """The first of several has far fewer units."""
    units = [node["simd_count"] for node in evidence.kfd_nodes]
    if len(units) < 2 or units[0] * 4 > max(units) or evidence.env("HIP_VISIBLE_DEVICES"):
        return []
    return [f"SIMD units by device: {units}"]


@check(
    "intel-no-render-node",
    Layer.DEVICES,
    BLOCKER,
    "An Intel GPU is present, but its driver has created no device file.",
    Fix("Newer cards need a newer kernel (6.8 for Arc) and its firmware.",
        ("sudo apt install -y linux-firmware",), ADMIN, REBOOT),
)  # fmt: skip
def intel_node(evidence: Evidence) -> list[str]:
    """No render node, and neither i915 nor xe."""
    nodes = [n for n, state in evidence.nodes.items() if "renderD" in n and state != "absent"]
    cards = [card for card in _intel(evidence) if card.driver not in {"i915", "xe"}]
    return [f"{card}: driver {card.driver}" for card in cards] if not nodes else []


@check(
    "intel-render-permission",
    Layer.DEVICES,
    BLOCKER,
    "You may not open the Intel GPU's device file.",
    Fix("Join its group, then log out and in again.", ("sudo usermod -aG render $USER",), ADMIN,
        LOGIN),
)  # fmt: skip
def intel_permission(evidence: Evidence) -> list[str]:
    """A render node that does not open."""
    nodes = [n for n, state in evidence.nodes.items() if "renderD" in n and state == "denied"]
    return [f"{node} cannot be opened by this user" for node in nodes] if _intel(evidence) else []


@check(
    "intel-no-level-zero",
    Layer.START,
    BLOCKER,
    "Intel's Level Zero libraries are missing, so torch sees no XPU.",
    Fix("Install them.", ("sudo apt install -y libze1 libze-intel-gpu1 intel-opencl-icd",), ADMIN),
)
def intel_level_zero(evidence: Evidence) -> list[str]:
    """Neither loader nor driver of Level Zero."""
    return ["no libze_loader.so.1"] if _intel(evidence) and not evidence.intel_loader else []


@check(
    "intel-torch-not-xpu",
    Layer.FRAMEWORK,
    BLOCKER,
    "The torch installed here is not the build for Intel GPUs.",
    Fix("Install it.", (f"pip install --force-reinstall torch --index-url {_XPU_INDEX}",),
        restart=KERNEL),
)  # fmt: skip
def intel_torch(evidence: Evidence) -> list[str]:
    """The local part of torch's version."""
    version = evidence.packages.get("torch")
    wrong = version and _tag(evidence) != "xpu"
    return [f"torch {version}"] if _intel(evidence) and wrong else []


known(
    "intel-xpu-crash-on-probe",
    Layer.FRAMEWORK,
    BLOCKER,
    "Asking torch for an XPU crashes: the driver is old, or the built-in GPU is not supported.",
    Fix("Update Intel's driver.", who=ADMIN),
    symptoms=(r"xpu.{0,80}(0xC0000005|access violation)",),
)
