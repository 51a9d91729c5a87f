"""Programs of programs/ that do not print as with torch, and what to do instead."""

from __future__ import annotations

# gpukit raises an error with these words, which say what to write.
REFUSED = {
    "habit_compiled": "no 'jit': leave the decorators out",
}

_ERRORS = "catch the class, in place of comparing its name: gpukit's errors are subclasses"
_TEXTS = "read error.code: the words of messages are gpukit's"
_NAMES = "read no name of a node of the graph where torch composes a function of several"
_UNPADDED = "write nothing: torch's unpad_sequence transposes the tensor that it is given"
_ACCEPTED = (
    "write nothing: dtype='float32' and tensor([a, b]) of tensors are accepted; for an in-place "
    "change and a second backward read error.code"
)
_ROUNDED = "print rounded numbers: a difference of 1e-8 or of 0 chooses between torch's two formats"

# How many lines print otherwise, or one of several numbers, and what the program should do there.
OTHERWISE: dict[str, tuple[int | tuple[int, ...], str]] = {
    "habit10_init_zoo": (2, _TEXTS),
    "habit10_module_misc": (2, _TEXTS),
    "habit10_samplers_bucket": (2, _TEXTS),
    "habit3_errors_seen": (2, _ERRORS),
    "habit3_gradient_clipping": (1, _ERRORS),
    "habit3_kmeans_cdist": (0, "equal numbers come by their indices; torch's order is its own"),
    "habit3_siamese_triplet": ((0, 4), _ROUNDED),  # by the processor
    "habit4_so_grad_puzzles": (1, _TEXTS),
    "habit6_ema_swa_and_copies": (1, _NAMES),
    "habit6_numpy_mixing": (19, "rely on no refusal of negative strides: gpukit takes such arrays"),
    "habit6_sequence_packing_and_lm": (11, _UNPADDED),
    "habit7_assert_close": (1, "write nothing: lists are compared with tensors"),
    "habit7_errors_relied_on": (4, _ACCEPTED),
    "habit_errors_by_habit": (10, _ERRORS),
    "habit_in_place": (1, _ERRORS),
}
