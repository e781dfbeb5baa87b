"""Codes looked up by one-hot matmul; quantized overwritten before the codebook term uses it."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Quantizer(nn.Module):
    def __init__(self, k=12, d=3, beta=0.25):
        super().__init__()
        self.embedding = nn.Embedding(k, d)
        self.beta = beta

    def forward(self, inputs):
        flat = inputs.reshape(-1, inputs.shape[-1])
        dist = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.embedding.weight.t() + self.embedding.weight.pow(2).sum(1)
        onehot = torch.zeros(len(flat), self.embedding.num_embeddings).scatter_(1, dist.argmin(1, keepdim=True), 1)
        quantized = (onehot @ self.embedding.weight).view_as(inputs)
        quantized = inputs + (quantized - inputs).detach()  # <- cause
        q_latent = nn.functional.mse_loss(quantized, inputs.detach())  # <- cause
        e_latent = nn.functional.mse_loss(quantized.detach(), inputs)
        return quantized, q_latent + self.beta * e_latent


encoder = nn.Conv1d(1, 3, 4, stride=2)
quantizer = Quantizer()
decoder = nn.ConvTranspose1d(3, 1, 4, stride=2)
params = [p for m in (encoder, quantizer, decoder) for p in m.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-3, amsgrad=True)
for i in range(12):
    x = torch.randn(8, 1, 16)
    z = encoder(x).transpose(1, 2)
    q, vq = quantizer(z)
    loss = nn.functional.mse_loss(decoder(q.transpose(1, 2)), x) + vq
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
