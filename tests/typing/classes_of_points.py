"""Classes by softmax."""

import gpukit

logits = gpukit.randn(4, 3)
chances = logits.softmax(dim=1)
guesses = chances.argmax(dim=1)
right = (guesses == gpukit.tensor([0, 1, 2, 0])).float().mean()
logits.softmax()  # E: call-arg
logits.softmax(dim=(0, 1))  # E: arg-type
gpukit.log_softmax(logits, 1, "float32")  # E: call-arg
guesses.gather(1, 0)  # E: arg-type
print(f"{right.item():.2f}", logits.unique(return_counts=True)[1])
