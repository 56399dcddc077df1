# Whatever a library wants to cache stays in the checkout.
export XDG_CACHE_HOME := $(CURDIR)/.cache

.PHONY: setup demo previews test coverage search mutants bench index lock

setup:
	@sh .ci/setup

demo: setup
	.venv/bin/qkv render apple

# All that renders/ keeps: posters, storyboards and two previews. Films that are there are reused.
previews: setup
	.venv/bin/qkv render --all --lang zh
	.venv/bin/qkv render --all --lang en
	.venv/bin/python -m animations.render.previews \
		renders/apple/apple.zh.mp4 renders/library-lookup/library-lookup.zh.mp4

test: setup
	.venv/bin/python -m pytest

# The trusted files, line by line and branch by branch: fails below 100 %.
coverage: setup
	.venv/bin/python -m coverage run -m pytest -q -m "not slow" tests/derive/soundness tests/derive/test_holes.py \
		tests/derive/test_signature.py
	.venv/bin/python -m coverage report

# A long search for false theorems: about a hundred thousand comparisons.
search: setup
	QKV_COMPARISONS=20000 QKV_MUTANTS=20 .venv/bin/python -m pytest -s \
		tests/derive/test_random.py tests/derive/test_mutants.py tests/derive/soundness/test_walk.py

# Small changes of the trusted files that no test notices. Needs `pip install cosmic-ray`.
FILES = derive/facts.py
SHARE = 1
mutants: setup
	.venv/bin/python .ci/mutants.py $(SHARE) $(FILES)

bench: setup
	.venv/bin/python -m pytest -s -o python_files='bench_*.py' tests/benchmarks

# For maintainers: rewrite what `qkv list` reads, and the pins (needs uv).
index: setup
	.venv/bin/python .ci/index.py

LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links --quiet
lock:
	$(LOCK) --group build -o .ci/build.lock
	$(LOCK) pyproject.toml --extra animations --extra fast --group test --group lint \
		-o .ci/requirements.lock
	$(LOCK) pyproject.toml --extra jax -c .ci/requirements.lock -o .ci/jax.lock
