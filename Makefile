.PHONY: setup demo test bench

setup:
	@sh .ci/setup

demo: setup
	.venv/bin/qkv render apple

test: setup
	.venv/bin/python -m pytest

bench: setup
	.venv/bin/python -m pytest -s tests/benchmarks
