"""A model of transformers with a head of its own, and its Trainer: two bugs."""

import tempfile

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import Dataset
from transformers import BertConfig, BertModel, BertPreTrainedModel, Trainer, TrainingArguments


class Words(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(0)
        self.words = torch.randint(5, 60, (count, 12), generator=generator)
        self.labels = (self.words[:, 0] > 32).long()

    def __len__(self):
        return len(self.words)

    def __getitem__(self, i):
        return {"input_ids": self.words[i], "labels": self.labels[i]}


class Classifier(BertPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.bert = BertModel(config)
        self.hidden = torch.nn.Linear(config.hidden_size, config.hidden_size)
        self.classifier = torch.nn.Linear(config.hidden_size, 2)
        self.post_init()

    def forward(self, input_ids, labels):
        pooled = self.bert(input_ids).pooler_output
        with torch.no_grad():  # BUG: no-grad-path
            hidden = self.hidden(pooled).relu()
        logits = self.classifier(hidden)
        return {"loss": cross_entropy(logits, labels), "logits": logits}


if __name__ == "__main__":
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=64, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=16,
    )
    model = Classifier(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.classifier = torch.nn.Linear(32, 2)  # BUG: optimizer-holds-stale-parameter
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            max_steps=20,
            per_device_train_batch_size=8,
            logging_steps=5,
            use_cpu=True,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        )
        Trainer(model=model, args=arguments, train_dataset=Words(160), optimizers=(optimizer, None)).train()
