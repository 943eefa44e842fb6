# `make report` does the main job, `make test` passes the tests; either makes .venv when it is missing.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin

.PHONY: report site test coverage deep fuzz faults lint wheel pins benchmarks formal clean

report: $(VENV)/installed
	$(RUN)/resproof report

# The report, the guides and the Python interface as a site: open site/index.html; needs no network.
site: $(VENV)/site
	NO_MKDOCS_2_WARNING=1 $(RUN)/mkdocs build --strict --quiet

# Two processes with a BLAS thread each: more would wait for each other. Neighbours run in one process, so that what
# they share is made once. Compiled sources are kept, whatever the environment says: many tests start the program anew.
PYTEST := OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(RUN)/pytest -n 2 --dist worksteal

test: $(VENV)/tools
	$(PYTEST) -m "not deep" tests proofs

# Which lines the tests execute in their own processes; some run the program in another.
coverage: $(VENV)/tools
	$(INSTALL) --group coverage
	$(PYTEST) -m "not deep" --cov --cov-context=test --cov-report=term:skip-covered tests proofs

# Faults planted at random in the functions outside proofs/, and those that no test that executes them notices.
faults: coverage
	$(RUN)/python -m tests.planted --cases 200

# Every statement's numbers at great depth, 10^3 to 10^4 units.
deep: $(VENV)/tools
	$(PYTEST) -m deep proofs

# Units drawn anew against the tests' reference, FUZZ_CASES of them; then every property on newly drawn examples.
FUZZ_CASES ?= 20000
fuzz: $(VENV)/tools
	FUZZ_CASES=$(FUZZ_CASES) HYPOTHESIS_PROFILE=new $(PYTEST) tests/test_engines.py
	HYPOTHESIS_PROFILE=new $(PYTEST) -m hypothesis tests --ignore tests/test_engines.py

lint: $(VENV)/tools
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/basedpyright
	$(RUN)/lint-imports

# The wheel, installed into an empty environment and tried there, away from the checkout.
WHEEL := build/wheel
wheel: $(VENV)/installed
	rm -rf $(WHEEL)
	$(RUN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(WHEEL) .
	$(PYTHON) -m venv $(WHEEL)/venv
	$(WHEEL)/venv/bin/pip install --quiet --constraint constraints.txt $(WHEEL)/*.whl
	cd $(WHEEL) && venv/bin/resproof new block.py && venv/bin/resproof check block.py:block
	cd $(WHEEL) && venv/bin/resproof list > list.txt && grep --quiet DR-T2.2 list.txt
	cd $(WHEEL) && ls -d venv/lib/python*/site-packages/*/ | grep --extended-regexp '/(architectures|symbolic|numeric|proofs|reports|tests)/' && exit 1 || true

# Timings beside other programs, which stand in reports/TIMINGS.md; those that nothing else needs, 6 GB, are installed in
# an environment of their own.
benchmarks: $(VENV)/peers/bin/python
	$(VENV)/peers/bin/python -m benchmarks

# Theorem 2 in Coq's kernel: compiles the proofs, prints what each theorem assumes, a few minutes. Needs Coq and
# MathComp, not .venv.
formal:
	$(PYTHON) proofs/demystifying_resnet/formal/kernel.py

# Pins of everything that is installed here, GPU libraries and other programs too; those that are there stay where they can.
pins:
	uv pip compile --quiet --no-header --no-annotate --no-emit-index-url --python-version 3.11.5 --all-extras \
	  $(foreach group,install test coverage lint site modules benchmarks,--group $(group)) \
	  --output-file constraints.txt pyproject.toml

# A report needs none of what tests and types are checked with, which is two thirds of the whole.
INSTALL := $(RUN)/pip install --quiet --constraint constraints.txt

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) pip
	$(INSTALL) setuptools
	$(INSTALL) --no-build-isolation --editable .
	touch $@

$(VENV)/site: $(VENV)/installed
	$(INSTALL) --group site
	touch $@

$(VENV)/tools: $(VENV)/installed
	$(INSTALL) --group test --group lint --group site 'distributed'
	touch $@

$(VENV)/peers/bin/python:
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/pip install --quiet --constraint constraints.txt pip || { rm -r $(VENV)/peers; false; }
	$(VENV)/peers/bin/pip install --quiet --constraint constraints.txt --group benchmarks --editable . || { rm -r $(VENV)/peers; false; }

clean:
	rm -rf $(VENV) site
