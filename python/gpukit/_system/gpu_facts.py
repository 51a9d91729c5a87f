"""Facts about NVIDIA cards and drivers, dated: `info`, `doctor` and advice read them here.

A card newer than the table is called that; nothing is guessed from part of a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

AS_OF = "2026-11-21"

ARCHITECTURES = {
    3: "Kepler",
    5: "Maxwell",
    6: "Pascal",
    7: "Volta",
    8: "Ampere",
    9: "Hopper",
    10: "Blackwell",
    11: "Blackwell",
    12: "Blackwell",
}

# The cards by compute capability and use: data centre, workstation, desktop, laptop, embedded.
_CARDS: dict[str, dict[str, str]] = {
    "3.5": {"data centre": "K20|K20X|K40|K40c|K40m"},
    "3.7": {"data centre": "K80"},
    "5.0": {"desktop": "GTX 745|GTX 750|GTX 750 Ti", "laptop": "MX110|MX130|940MX"},
    "5.2": {
        "data centre": "M4|M40|M60",
        "desktop": "GTX 950|GTX 960|GTX 970|GTX 980|GTX 980 Ti|GTX TITAN X",
    },
    "5.3": {"embedded": "Jetson Nano|Tegra X1"},
    "6.0": {"data centre": "P100", "workstation": "Quadro GP100"},
    "6.1": {
        "data centre": "P4|P40",
        "workstation": "Quadro P1000|Quadro P2000|Quadro P4000|Quadro P5000|Quadro P6000",
        "desktop": "GT 1030|GTX 1050|GTX 1050 Ti|GTX 1060|GTX 1070|GTX 1070 Ti|GTX 1080|"
        "GTX 1080 Ti|TITAN X|TITAN Xp",
        "laptop": "MX150|MX230|MX250|MX330|MX350",
    },
    "6.2": {"embedded": "Jetson TX2"},
    "7.0": {"data centre": "V100", "workstation": "TITAN V|Quadro GV100"},
    "7.2": {"embedded": "Xavier"},
    "7.5": {
        "data centre": "T4|T4G",
        "workstation": "Quadro RTX 4000|Quadro RTX 5000|Quadro RTX 6000|Quadro RTX 8000|TITAN RTX|"
        "T400|T600|T1000",
        "desktop": "GTX 1630|GTX 1650|GTX 1650 SUPER|GTX 1660|GTX 1660 SUPER|GTX 1660 Ti|RTX 2060|"
        "RTX 2060 SUPER|RTX 2070|RTX 2070 SUPER|RTX 2080|RTX 2080 SUPER|RTX 2080 Ti",
        "laptop": "MX450|MX550",
    },
    "8.0": {"data centre": "A100|A100X|A800|A30|A30X|PG509-210"},
    "8.6": {
        "data centre": "A40|A10|A10G|A10M|A16|A2",
        "workstation": "RTX A2000|RTX A4000|RTX A4500|RTX A5000|RTX A5500|RTX A6000",
        "desktop": "RTX 3050|RTX 3060|RTX 3060 Ti|RTX 3070|RTX 3070 Ti|RTX 3080|RTX 3080 Ti|"
        "RTX 3090|RTX 3090 Ti",
        "laptop": "RTX 2050|MX570",
    },
    "8.7": {"embedded": "Orin"},
    "8.9": {
        "data centre": "L4|L20|L40|L40S|L40G|L2",
        "workstation": "RTX 2000 Ada|RTX 4000 Ada|RTX 4500 Ada|RTX 5000 Ada|RTX 6000 Ada",
        "desktop": "RTX 4050|RTX 4060|RTX 4060 Ti|RTX 4070|RTX 4070 SUPER|RTX 4070 Ti|"
        "RTX 4070 Ti SUPER|RTX 4080|RTX 4080 SUPER|RTX 4090|RTX 4090 D",
    },
    "9.0": {"data centre": "H20|H100|H200|H800|GH200"},
    "10.0": {"data centre": "B100|B200|GB200"},
    "10.3": {"data centre": "B300|GB300"},
    "11.0": {"embedded": "Thor"},
    "12.0": {
        "workstation": "RTX PRO 2000|RTX PRO 4000|RTX PRO 4500|RTX PRO 5000|RTX PRO 6000",
        "desktop": "RTX 5050|RTX 5060|RTX 5060 Ti|RTX 5070|RTX 5070 Ti|RTX 5080|RTX 5090|"
        "RTX 5090 D",
    },
    "12.1": {"workstation": "GB10"},
}

# Ranges of PCI device ids by architecture: (first, last, lowest capability of the range).
_ID_RANGES = (
    (0x0FC0, 0x12FF, "3.5"),
    (0x1340, 0x15EF, "5.0"),
    (0x15F0, 0x15FF, "6.0"),
    (0x1600, 0x17FF, "5.2"),
    (0x1B00, 0x1D7F, "6.1"),
    (0x1D80, 0x1DFF, "7.0"),
    (0x1E00, 0x21FF, "7.5"),
    (0x2200, 0x22FF, "8.6"),
    (0x2300, 0x23FF, "9.0"),
    (0x2400, 0x25FF, "8.6"),
    (0x2600, 0x28FF, "8.9"),
    (0x2900, 0x2AFF, "10.0"),
    (0x2B00, 0x2DFF, "12.0"),
    (0x2E00, 0x2EFF, "12.1"),
    (0x2F00, 0x2FFF, "12.0"),
    (0x3180, 0x31FF, "10.3"),
)

# Single ids: what a range would get wrong, and the names of cards that people meet most.
_IDS = {
    0x102D: ("Tesla K80", "3.7"),
    0x15F7: ("Tesla P100 PCIe 12GB", "6.0"),
    0x15F8: ("Tesla P100 PCIe 16GB", "6.0"),
    0x15F9: ("Tesla P100 SXM2", "6.0"),
    0x1B80: ("GeForce GTX 1080", "6.1"),
    0x1D10: ("GeForce MX150", "6.1"),
    0x1DB1: ("Tesla V100 SXM2 16GB", "7.0"),
    0x1DB4: ("Tesla V100 PCIe 16GB", "7.0"),
    0x1EB8: ("Tesla T4", "7.5"),
    0x20B0: ("A100 SXM4 40GB", "8.0"),
    0x20B2: ("A100 SXM4 80GB", "8.0"),
    0x20B5: ("A100 PCIe 80GB", "8.0"),
    0x20B7: ("A30", "8.0"),
    0x20F1: ("A100 PCIe 40GB", "8.0"),
    0x2204: ("GeForce RTX 3090", "8.6"),
    0x2236: ("A10", "8.6"),
    0x2237: ("A10G", "8.6"),
    0x2330: ("H100 SXM", "9.0"),
    0x2331: ("H100 PCIe", "9.0"),
    0x2335: ("H200 SXM", "9.0"),
    0x25A2: ("GeForce RTX 3050 Laptop", "8.6"),
    0x2684: ("GeForce RTX 4090", "8.9"),
    0x26B9: ("L40S", "8.9"),
    0x27B8: ("L4", "8.9"),
    0x2901: ("B200", "10.0"),
    0x2B85: ("GeForce RTX 5090", "12.0"),
}
_AMPERE_DATA_CENTRE = range(0x2080, 0x2100)

# Oldest driver of each CUDA major, on Linux and on Windows.
DRIVER_FLOORS = {
    "Linux": ((13, (580,)), (12, (525, 60, 13)), (11, (450, 80, 2))),
    "Windows": ((13, (580,)), (12, (528, 33)), (11, (452, 39))),
}
# Driver branch that first shipped with a toolkit (Linux).
_BRANCHES = (
    (610, "13.3"),
    (595, "13.2"),
    (590, "13.1"),
    (580, "13.0"),
    (575, "12.9"),
    (570, "12.8"),
    (565, "12.7"),
    (560, "12.6"),
    (555, "12.5"),
    (550, "12.4"),
    (545, "12.3"),
    (535, "12.2"),
    (530, "12.1"),
    (525, "12.0"),
    (520, "11.8"),
    (515, "11.7"),
    (510, "11.6"),
    (495, "11.5"),
    (470, "11.4"),
    (465, "11.3"),
    (460, "11.2"),
    (455, "11.1"),
    (450, "11.0"),
    (440, "10.2"),
    (418, "10.1"),
)
NEWEST_BRANCH = _BRANCHES[0][0]
# From this branch on, cards before Turing are ignored.
FIRST_TURING_ONLY_BRANCH = 590
LAST_BRANCH_FOR_OLD_CARDS = 580
# Oldest and newest compute capability that gpukit's kernels are built for.
OLDEST_CAPABILITY, NEWEST_FAMILY = (6, 0), 12

# Parts removed from a name before it is looked up.
_NOISE = re.compile(
    r"\b(nvidia|tesla|geforce|graphics|device|gpu|generation|\d+ ?gb|pcie|sxm\d?|nvl|hbm\d?e?)\b"
)


@dataclass(frozen=True)
class CardFacts:
    """The table's row of a card."""

    name: str
    capability: str
    form: str  # data centre, workstation, desktop, laptop, embedded

    @property
    def architecture(self) -> str:
        """Its name, such as Turing."""
        return architecture(self.capability)


def parse_version(text: str) -> tuple[int, ...]:
    """`570.124.06` as (570, 124, 6); () if it is not a version."""
    # A paste may hold a number with more digits than int() takes; its first digits are enough.
    parts = re.findall(r"\d+", text) if text[:1].isdigit() else ()
    return tuple(int(part[:9]) for part in parts)


def cuda_text(version: int) -> str | None:
    """The driver's 12080 as 12.8; None for 0."""
    return f"{version // 1000}.{version % 1000 // 10}" if version else None


def parse_capability(text: str) -> tuple[int, int]:
    """`7.5` as (7, 5)."""
    major, minor = text.split(".")
    return int(major), int(minor)


def architecture(capability: str) -> str:
    """The architecture's name of a compute capability."""
    named = {"7.5": "Turing", "8.9": "Ada"}
    return named.get(capability) or ARCHITECTURES.get(parse_capability(capability)[0], "unknown")


def _plain(name: str) -> str:
    """Lower case without what names vary in: brand, memory, bus, punctuation."""
    text = re.sub(r"[-_/()]+", " ", name.lower().replace("...", " "))
    return " ".join(_NOISE.sub(" ", text).split())


@cache
def _table() -> dict[str, CardFacts]:
    table: dict[str, CardFacts] = {}
    for capability, uses in _CARDS.items():
        for form, names in uses.items():
            for name in names.split("|"):
                table[_plain(name)] = CardFacts(name, capability, form)
    return table


def card_facts(name: str) -> CardFacts | None:
    """The card of that name, by whole words; None when it is not in the table."""
    text = f" {_plain(name)} "
    table = _table()
    found = [key for key in table if f" {key} " in text]
    if not found:
        return None
    facts = table[max(found, key=len)]
    mobile = re.search(r"\b(laptop|mobile|notebook|max q)\b", text)
    if mobile and facts.form == "desktop":
        return CardFacts(facts.name, facts.capability, "laptop")
    return facts


def card_of_id(device: int) -> CardFacts | None:
    """The card, or only its architecture, of an NVIDIA PCI device id."""
    if device in _IDS:
        name, capability = _IDS[device]
        facts = card_facts(name)
        return CardFacts(name, capability, facts.form if facts else "unknown")
    if device in _AMPERE_DATA_CENTRE:
        return CardFacts("Ampere data-centre card", "8.0", "data centre")
    for first, last, capability in _ID_RANGES:
        if first <= device <= last:
            return CardFacts(f"{architecture(capability)} card", capability, "unknown")
    return None


def newest_cuda(driver: str) -> str | None:
    """The newest CUDA that a driver accepts, by its branch; None for one older than the table."""
    version = parse_version(driver)
    return next((cuda for branch, cuda in _BRANCHES if version[:1] >= (branch,)), None)


def cuda_major(driver: str, system: str = "Linux") -> int:
    """The newest CUDA major whose libraries run on a driver; 0 when older than all."""
    version = parse_version(driver)
    floors = DRIVER_FLOORS["Linux" if system == "Linux" else "Windows"]
    return next((major for major, floor in floors if version >= floor), 0)


def floor_text(major: int, system: str = "Linux") -> str:
    """The oldest driver for a CUDA major, as it is written."""
    floors = dict(DRIVER_FLOORS["Linux" if system == "Linux" else "Windows"])
    return ".".join(
        f"{part:02d}" if index else str(part) for index, part in enumerate(floors[major])
    )
