"""Which machine a text comes from, as far as it shows: advice is for that machine, not this one."""

from __future__ import annotations

import re
from dataclasses import replace

from gpukit._system.platforms import Platform
from gpukit.doctor.evidence import Evidence

# (pattern, platform, its system); the first match is used.
_SIGNS = (
    (re.compile(r"/kaggle/|kaggle\.com"), Platform("kaggle"), "Linux"),
    (re.compile(r"(?<![\w.])/content/|colab\b|/usr/lib64-nvidia"), Platform("colab"), "Linux"),
    (re.compile(r"/usr/lib/wsl/|wsl2\b|microsoft-standard"), Platform("wsl2", wsl=2), "Linux"),
    (
        re.compile(
            r"\b[a-z]:[\\/]|winerror|is not recognized as|\w\.dll\b|内部或外部命令|ps [a-z]:\\"
        ),
        Platform("windows"),
        "Windows",
    ),
    (re.compile(r"/users/|macosx|darwin|apple m[1-9]"), Platform("macos"), "Darwin"),
    (
        re.compile(r"error response from daemon|oci runtime|nvidia-container-cli|/\.dockerenv"),
        Platform("container", container="docker"),
        "Linux",
    ),
)


def evidence_of(text: str, here: Evidence) -> tuple[Evidence, str]:
    """The evidence that advice is made from, and the sentence that says where the text is from.

    `text` is lower case. A text that shows nothing is assumed to be from this machine.
    """
    for sign, platform, system in _SIGNS:
        found = sign.search(text)
        if found is None:
            continue
        if here.platform.name == platform.name:
            return here, ""
        said = f"The text is of {platform.label}: it has {found.group().strip()!r}."
        if platform.name == "container":
            return replace(here, platform=platform), said
        return Evidence(platform=platform, system=system), said
    return here, ""
