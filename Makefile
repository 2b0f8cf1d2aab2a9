# Everything there is to do here; `make` alone lists it.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

.PHONY: help setup demo test bench check-slow check-hardware check-boot soak screens net install uninstall clean distclean

help:  ## list the targets
	@awk -F ':.*  ## ' '/^[a-z]/ && NF == 2 { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup:
	@scripts/setup.sh

demo: setup  ## play on a simulated tray, no hardware needed (in a pipe: a scripted game, pictures in demo-out/)
	@.venv/bin/mishimash play --camera table --display terminal --buttons keyboard

test: setup  ## check style and types and run the tests
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/pytest -m "not slow" --numprocesses auto --dist loadfile

check-slow: setup  ## run the tests that take longer than a few seconds
	.venv/bin/pytest -m slow

bench: setup  ## measure speed, memory and accuracy of the reader and the engine
	@.venv/bin/python -c "import sklearn" 2>/dev/null || .venv/bin/pip install --quiet -e ".[bench]"
	.venv/bin/python bench/run.py

screens: setup  ## draw every screen of the OLED, enlarged, on one sheet
	.venv/bin/python -m companion.contact_sheet

net: setup  ## teach the nets that spot dice and tell their faces on invented scenes (hours; needs EGL; EXAMPLES=, MINUTES=, GO_ON=1: from those in vision/)
	@.venv/bin/python -c "import moderngl, onnx, torch" 2>/dev/null || .venv/bin/pip install --quiet -e ".[training]"
	@for k in $$(seq 0 $$((($(or $(EXAMPLES),24000) - 1) / 1000))); do \
		test -e .net/part-$$k.npz || .venv/bin/python -m training.examples .net/part-$$k.npz $$((k * 500)) 500 || exit 1; \
	done
	.venv/bin/python -m training.teach spotter .net $(or $(MINUTES),90) .net/spotter.onnx $(if $(GO_ON),vision/spotter.onnx)
	.venv/bin/python -m training.places .net
	.venv/bin/python -m training.teach teller .net $(or $(MINUTES),90) .net/teller.onnx $(if $(GO_ON),vision/teller.onnx)
	@echo "copy .net/*.onnx to vision/ once make bench and the reading tests like them"

check-hardware: setup  ## run the real camera and display stacks on virtual devices (root, mmdebstrap, network; minutes)
	.venv/bin/python scripts/check_hardware.py

check-boot:  ## boot Debian systems in containers, install there, and break things (root, systemd-nspawn, network; minutes)
	@python3 scripts/check_boot.py

soak: setup  ## play 2,000 rolls with faults at random and compare with an oracle (ROLLS=, SEED=; some minutes)
	.venv/bin/python scripts/soak.py $(or $(ROLLS),2000) $(or $(SEED),1)

install:  ## sudo make install: run as a service from now on (also upgrades)
	@scripts/install.sh

uninstall:  ## sudo make uninstall: remove the service, keep games and settings (PURGE=1: those too)
	@PURGE=$(PURGE) scripts/install.sh uninstall

clean:  ## remove what the targets made, but for .venv
	rm -rf build dist demo-out *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .bench .net
	find . -name __pycache__ -not -path "./.venv/*" -prune -exec rm -rf {} +

distclean: clean  ## remove .venv too
	rm -rf .venv
