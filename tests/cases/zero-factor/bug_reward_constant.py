"""The reward is the same for every episode (a comparison that never holds), so reward - mean is zero."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def play(policy, n=16):
    obs = torch.randn(n, 3)
    dist = torch.distributions.Normal(policy(obs).squeeze(1), 1.0)
    action = dist.sample()
    rewards = []
    for o, a in zip(obs, action):
        rewards.append(1.0 if abs(a.item()) > 1e6 else 0.0)  # <- cause
    return dist.log_prob(action), torch.tensor(rewards)  # <- cause


def main():
    policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(15):
        log_prob, rewards = play(policy)
        advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-8)  # <- cause
        loss = -(log_prob * advantage).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
