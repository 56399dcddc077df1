"""The formula of attention as `attention-formula` proves it, and the parts that it grows from."""

from derive import definitions as words

Q = words.queries(words.X, words.W_Q)
K = words.keys(words.X, words.W_K)
V = words.values(words.X, words.W_V)
SCORES = words.matmul(Q, words.transpose(K))
SCALED = words.scaled(SCORES)
WEIGHTS = words.softmax_rows(SCALED)
OUTPUT = words.attention(Q, K, V)
