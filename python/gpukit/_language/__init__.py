"""The language of what gpukit shows: English, or simplified Chinese where it was asked for.

Inside, every message is English: tests, logs, `details` and JSON stay the same in every language.
A message is translated where it is shown (`shown`), by the catalogue, which is read then.
"""

from __future__ import annotations

from gpukit import _env

ENGLISH, CHINESE = "en", "zh_CN"
_VARIABLE = "GPUKIT_LANG"
_UNREAD = "unread"

# What set_language or GPUKIT_LANG asked for; `_screen` is the locale's, for the command line.
_chosen: str | None = _UNREAD
_screen: str | None = None


def _language_of(name: str) -> str | None:
    """The language of a name such as zh, zh-CN, zh_TW.UTF-8, zh-Hans or en_GB; None if unknown."""
    word = name.strip().lower().replace("-", "_").partition(".")[0].partition("@")[0]
    first = word.partition("_")[0]
    if first in {"zh", "chinese", "中文"}:
        return CHINESE
    return ENGLISH if first in {"en", "english", "c", "posix"} else None


def set_language(language: str | None) -> None:
    """Choose the language of reports, notes and errors. Programs read the same data in all.

    Args:
        language: "en", "zh" (simplified Chinese, also for zh_TW), or None: as GPUKIT_LANG says.

    Raises:
        TypeError: language is not a str or None. ValueError: gpukit has no such language.

    Example:
        >>> import gpukit
        >>> gpukit.set_language("zh")
        >>> print(gpukit.cloud.advice("rent").splitlines()[1])
        - 先用免费的：Colab、Kaggle、SageMaker Studio Lab，或 gpukit.simulate(2)。
        >>> gpukit.set_language("en")
    """
    global _chosen
    if language is None:
        _chosen = _UNREAD
        return
    if not isinstance(language, str):
        raise TypeError(f"set_language: language must be a str or None, got {language!r}")
    found = _language_of(language)
    if found is None:
        raise ValueError(f"set_language: there is no {language!r}; known: 'en', 'zh'")
    _chosen = found


def get_language() -> str:
    """Return "en" or "zh": the language of what gpukit shows.

    Example:
        >>> import gpukit
        >>> gpukit.get_language() in ("en", "zh")
        True
    """
    return (_asked() or _screen or ENGLISH)[:2]


def _asked() -> str | None:
    """The language that the user asked for by name, if any."""
    global _chosen
    if _chosen == _UNREAD:
        name = _env.text(_VARIABLE)
        _chosen = _language_of(name) if name else None
        if name and _chosen is None:
            import warnings

            text = f"{_VARIABLE}={name!r} is not used: known are 'en' and 'zh'"
            warnings.warn(text, UserWarning, stacklevel=3)
    return _chosen


def follow_locale() -> None:
    """Show the machine's language, where none was asked for: for the command line."""
    global _screen
    names = (_env.text(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    _screen = _language_of(next((name for name in names if name), ""))


def shown(text: str) -> str:
    """The text as it is shown to people."""
    language = _asked() or _screen
    return text if language in {None, ENGLISH} else _translated(text, language)


def told(text: str) -> str:
    """An exception's text: translated only where a language was asked for by name."""
    language = _asked()
    return text if language in {None, ENGLISH} else _translated(text, language)


def english(text: str) -> str:
    """Gpukit's own messages in the text, in English again."""
    if text.isascii():
        return text
    from gpukit._language.matching import back_from

    return back_from(CHINESE)(text)


def _translated(text: str, language: str | None) -> str:
    from gpukit._language.matching import into

    return into(language or CHINESE)(text)
