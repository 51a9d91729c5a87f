"""What an argument of a call may be: one function a role, which draws it for the call at hand."""

from . import losses, operands, places, products, shapes, standard
from .drafts import OUT, ROLES, Draft, Splat

__all__ = [
    "OUT",
    "ROLES",
    "Draft",
    "Splat",
    "losses",
    "operands",
    "places",
    "products",
    "shapes",
    "standard",
]
