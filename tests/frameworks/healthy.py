"""A Lightning module with most of what a Trainer can do, and then a model of transformers with its Trainer: 6 steps each."""

import logging
import tempfile

import lightning as L
import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset, TensorDataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.ReLU())
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        return self.head(self.body(x))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", cross_entropy(self(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 6)}


class Words(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(0)
        self.words = torch.randint(5, 60, (count, 12), generator=generator)
        self.labels = (self.words[:, 0] > 32).long()

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": self.labels[i]}


def with_lightning():
    x = torch.randn(96, 16)
    samples = TensorDataset(x, x[:, :4].argmax(1))
    trainer = L.Trainer(
        max_epochs=1,
        accelerator="cpu",
        precision="bf16-mixed",
        accumulate_grad_batches=2,
        gradient_clip_val=1.0,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Classifier(), DataLoader(samples, batch_size=8, shuffle=True), DataLoader(samples, batch_size=32))


def with_transformers(folder):
    config = BertConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=16,
    )
    arguments = TrainingArguments(
        folder,
        max_steps=6,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        learning_rate=1e-3,
        logging_steps=3,
        bf16=True,
        use_cpu=True,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
    )
    model = BertForSequenceClassification(config)
    Trainer(model=model, args=arguments, train_dataset=Words(96), eval_dataset=Words(16)).train()


if __name__ == "__main__":
    torch.manual_seed(0)
    with_lightning()
    with tempfile.TemporaryDirectory() as folder:
        with_transformers(folder)
