import numpy as np
import torch
from torch import optim


class Sac:
    def __init__(self, lr):
        self.log_alpha = torch.tensor(np.log(0.01))
        self.log_alpha.requires_grad = True
        self.log_alpha_optimizer = optim.Adam([self.log_alpha], lr=lr)

    def train(self, log_prob, target_entropy):
        alpha_loss = -(self.log_alpha.exp() * (log_prob + target_entropy).detach()).mean()
        self.log_alpha_optimizer.zero_grad()
        alpha_loss.backward()
        self.log_alpha_optimizer.step()
