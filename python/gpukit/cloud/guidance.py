"""Text: how to begin with a provider, and what to think of before buying or renting."""

from __future__ import annotations

from gpukit._language import shown
from gpukit._names.suggest import near
from gpukit._system import installing
from gpukit._system.steps import COLAB, KAGGLE, STUDIO_LAB
from gpukit.cloud.offers import document, offers

_TRY = (
    f"{installing.in_words()}, then: gpukit doctor (what is missing), gpukit bench (how fast it "
    "is)."
)
_STOP = "Stop or delete the machine when you are done: it costs money while it runs."
_SWAP = "Turn on swap if the machine has none: without it, running out of memory freezes it."
_DRIVER = (
    "Install the NVIDIA driver (525 or newer), or choose an image that has it. gpukit needs no "
    "CUDA Toolkit and no cuDNN."
)


def _machine(console: str, choice: str) -> tuple[str, ...]:
    return (console, choice, _DRIVER, _SWAP, _TRY, _STOP)


_STEPS: dict[str, tuple[str, ...]] = {
    "colab": (
        "Open https://colab.research.google.com and a notebook.",
        f"Menu {COLAB}.",
        f"In a cell: {installing.in_a_cell()}, then import gpukit; gpukit.info().",
        "A TPU runtime has no GPU: gpukit computes on its CPU.",
        "Copy files you want to keep to Drive: the machine is deleted when the session ends.",
    ),
    "kaggle": (
        "Open https://www.kaggle.com, verify your phone number, and create a notebook.",
        f"{KAGGLE}. Turn Internet on to install packages.",
        f"In a cell: {installing.in_a_cell()}, then import gpukit; gpukit.try_all_gpus().",
        "Turn the accelerator off while you only edit: hours of the week count.",
    ),
    "aws": _machine(
        "Sign in to the AWS Management Console and open EC2.",
        "Launch an instance of a GPU type (g4dn, p4d, p5; the tutorials' p3.2xlarge). New accounts "
        "must ask for a quota first.",
    ),
    "gcp": _machine(
        "Sign in to the Google Cloud Console and open Compute Engine.",
        "Create a VM with a T4 or V100. A K80, as in the tutorial, is gone since May 2024, and no "
        "CUDA 12 and no gpukit runs on it (compute capability 3.7).",
    ),
    "azure": _machine(
        "Sign in to the Azure portal and create a virtual machine.",
        "Choose a size of the NC or ND series (NCv3 was retired on 2025-09-30).",
    ),
    "sagemaker": (
        "Sign in to the AWS Management Console and open Amazon SageMaker.",
        "Create a notebook instance of a GPU type; it opens JupyterLab.",
        _TRY,
        _STOP,
    ),
    "studio-lab": (
        "Ask for an account at https://studiolab.sagemaker.aws (free, no AWS account).",
        f"{STUDIO_LAB[0].upper()}{STUDIO_LAB[1:]}.",
        f"In a terminal: {installing.in_words()}, then gpukit doctor.",
        "Sessions are limited; what is in the project folder stays.",
    ),
    "huawei": _machine(
        "Sign in at https://www.huaweicloud.com and open Elastic Cloud Server.",
        "Create a pay-per-use server of a GPU-accelerated type.",
    ),
    "autodl": (
        "Sign in at https://www.autodl.com and rent an instance; pay as you go.",
        "Choose a card and an image with a recent driver; open JupyterLab from the console.",
        _TRY,
        _STOP,
    ),
    "lambda": _machine("Sign in at Lambda's cloud console.", "Launch an instance of the card."),
    "vast": _machine(
        "Sign in at Vast.ai and add credit.",
        "Rent a machine of the card; hosts are private, so keep no secrets on it.",
    ),
    "runpod": _machine(
        "Sign in at RunPod and add credit.",
        "Deploy a pod of the card; community machines are private hosts, keep no secrets on them.",
    ),
    "openrelay": _machine("Sign in at OpenRelay.", "Rent a machine of the card."),
    "nebius": _machine("Sign in at Nebius.", "Create a virtual machine with the card."),
}

_ADVICE = {
    "rent": (
        "Begin with what is free: Colab, Kaggle, SageMaker Studio Lab, or gpukit.simulate(2).",
        "Rent for short work, for several GPUs, or for more memory than a card you can afford has.",
        "By size of the model: small: Colab or Kaggle; medium: one V100 or A100; large: several "
        "A100 (tutorial 000).",
        "By length: short: Colab; medium: Vast.ai; long: reserved instances (tutorial 000).",
        "Prices of one chip differ by more than four times between providers: compare with "
        "gpukit.cloud.recommend(need_gb=..., hours=...).",
        "Measure a step first: gpukit.cloud.estimate(gpukit.bench(step), units=...).",
    ),
    "buy": (
        "NVIDIA first, for what software supports (tutorial 002); gpukit computes on nothing else.",
        "New rather than old: a newer generation gives more GFLOP/s for the price (tutorial 002).",
        "Memory before speed: what does not fit does not run. gpukit.cloud.cards(sort='memory').",
        "Not below compute capability 7.5: CUDA 13 and today's torch have dropped what is older.",
        "Within your means, or rent: gpukit.cloud.breakeven(price, hours_per_week, offer) says "
        "after how many weeks buying is cheaper.",
    ),
}


def steps(name: str) -> str:
    """Return how to begin with an offer or a provider, as a numbered list.

    Args:
        name: An offer or provider, as in `table()`.

    Raises:
        ValueError: an unknown name; the message suggests the nearest one.

    Example:
        >>> import gpukit
        >>> print(gpukit.cloud.steps("colab").splitlines()[1])
        2. Menu Runtime > Change runtime type > Hardware accelerator: T4 GPU > Save.
    """
    names = {each.name: each.steps for each in offers()} | {key: key for key in _STEPS}
    if name not in names:
        meant = near(str(name), list(names))
        hint = f"Did you mean {meant!r}?" if meant else f"Known: {', '.join(_STEPS)}."
        raise ValueError(f"steps: there is no offer {name!r}. {hint}")
    return "\n".join(f"{i}. {shown(text)}" for i, text in enumerate(_STEPS[names[name]], 1))


def advice(what: str = "rent") -> str:
    """Return what to think of before you "buy" or "rent". Opinions, with their date.

    Args:
        what: "buy" or "rent".

    Raises:
        ValueError: It is another text.

    Example:
        >>> import gpukit
        >>> print(gpukit.cloud.advice("buy").splitlines()[0])  # doctest: +ELLIPSIS
        Before you buy a GPU (opinions of ...):
    """
    if what not in _ADVICE:
        raise ValueError(f"advice: what must be 'buy' or 'rent', got {what!r}")
    lines = [f"Before you {what} a GPU (opinions of {document()['as_of']}):"]
    return "\n".join([*map(shown, lines), *(f"- {shown(text)}" for text in _ADVICE[what])])
