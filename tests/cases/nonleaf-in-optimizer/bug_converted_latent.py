"""Latent codes are converted after they were told to require grad."""
import torch


class Latents:
    def __init__(self, count, size, dtype):
        self.codes = torch.zeros(count, size, requires_grad=True)
        self.codes = self.codes.to(dtype)  # <- cause

    def parameters(self):
        yield self.codes


latents = Latents(5, 4, torch.float64)
groups = [{"params": list(latents.parameters()), "lr": 1e-2}]
optimizer = torch.optim.Adam(groups)
