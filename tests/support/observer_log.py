"""An observer that writes down what it is told."""

from __future__ import annotations


class Log:
    """Notes the names of all calls, and at which depth they begin."""

    def __init__(self, label="", shared=None):
        self.label = label
        self.events = [] if shared is None else shared
        self.calls = []

    def before_operator(self, call):
        self.events.append(f"{self.label}<{call.name}")
        self.calls.append(call)

    def after_operator(self, call):
        self.events.append(f"{self.label}>{call.name}")

    @property
    def names(self):
        return [call.name for call in self.calls]
