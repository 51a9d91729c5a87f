import torch
import torch.nn as nn
import torch.nn.functional as F

SOS_token, EOS_token, MAX_LENGTH = 0, 1, 4


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super(EncoderRNN, self).__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        return self.gru(self.dropout(self.embedding(input)))


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, 1, dtype=torch.long).fill_(SOS_token)
        decoder_hidden = encoder_hidden
        outs, attns = [], []
        for i in range(MAX_LENGTH):
            embedded = self.embedding(decoder_input)
            query = decoder_hidden.permute(1, 0, 2)
            context, weights = self.attention(query, encoder_outputs)
            output, decoder_hidden = self.gru(torch.cat((embedded, context), dim=2), decoder_hidden)
            output = self.out(output)
            outs.append(output)
            attns.append(weights)
            if target_tensor is not None:
                decoder_input = target_tensor[:, i].unsqueeze(1)
            else:
                _, topi = output.topk(1)
                decoder_input = topi.squeeze(-1).detach()
        return (
            F.log_softmax(torch.cat(outs, dim=1), dim=-1),
            decoder_hidden,
            torch.cat(attns, dim=1),
        )


enc, dec = EncoderRNN(6, 4), AttnDecoderRNN(4, 7)
for m in (enc, dec):
    for p in m.parameters():
        nn.init.constant_(p, 0.1)
nn.init.constant_(dec.out.bias, 0)
dec.out.bias.data[3] = 1
enc.eval()
src, tgt = torch.tensor([[2, 3, 4, 1]]), torch.tensor([[2, 5, 3, 1]])
outputs, hidden = enc(src)
decoded, _, attn = dec(outputs, hidden, tgt)
loss = nn.NLLLoss()(decoded.view(-1, decoded.size(-1)), tgt.view(-1))
loss.backward()
print(loss, decoded.shape, attn)
print(dec.out.weight.grad[0], enc)
with torch.no_grad():
    decoded, _, _ = dec(outputs, hidden)
    _, topi = decoded.topk(1)
    print(topi.squeeze().tolist(), hidden)
