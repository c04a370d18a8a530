# Everything that proves terrane. Included by the Makefile.

# How many tests run side by side: unit tests, golden digests, files of HTTP tests, and the parts of `make test`.
TEST_JOBS ?= $(shell cores=$$(nproc); echo $$((cores < 4 ? cores : 4)))
SIDE_BY_SIDE = tests/side-by-side $(TEST_JOBS)

TEST_FLAGS = $(BASE) -D_GNU_SOURCE -ffp-contract=off -pthread $(PKG_CFLAGS)
# Tests are compiled more often than they run long: what they test has CFLAGS alone.
TEST_CFLAGS = $(CFLAGS) -O1

# A folder of tests/unit is a room: a program of all its files. Some know the library alone; others link the server.
UNIT_LIB_ROOMS := base cave cover drain edit erosion model objects path peak shade term water
UNIT_GROUPS := $(wildcard tests/unit/*/test_*.c)
UNIT_ROOMS := $(sort $(patsubst tests/unit/%/,%,$(dir $(UNIT_GROUPS))))
UNIT_OBJ := $(UNIT_GROUPS:%.c=$(OBJ)/%.o) $(OBJ)/tests/unit/unit.o
UNIT_BIN += $(UNIT_ROOMS:%=$(OBJ)/unit/%)

$(OBJ)/tests/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(TEST_FLAGS) $(TEST_CFLAGS) -c $< -o $@

# Calls of these functions come to the room's own (unit.h, WRAPS).
UNIT_WRAP_gather := uv_hrtime pool_submit pool_backpressure pool_has loop_resume MHD_suspend_connection
UNIT_WRAP_jobs := uv_hrtime posix_memalign disk_get product_make remote_is_well remote_get remote_reject remote_lease remote_put remote_release
UNIT_WRAP_remote := getaddrinfo freeaddrinfo
UNIT_WRAP_render := terrane_plan terrane_region_make tile_window
UNIT_WRAPS = $(UNIT_WRAP_$(@F):%=-Wl,--wrap=%)

# $(call UNIT_NEEDS,ROOM): the objects of its program.
UNIT_NEEDS = $(filter $(OBJ)/tests/unit/$1/%,$(UNIT_OBJ)) $(OBJ)/tests/unit/unit.o \
             $(if $(filter $1,$(UNIT_LIB_ROOMS)),,$(PART_OBJ)) $(OBJ)/libterrane.a
$(foreach room,$(UNIT_ROOMS),$(eval $(OBJ)/unit/$(room): $(call UNIT_NEEDS,$(room))))
$(UNIT_ROOMS:%=$(OBJ)/unit/%):
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CFLAGS) $(LINK_FLAGS) $(UNIT_WRAPS) $^ $(if $(filter $(@F),$(UNIT_LIB_ROOMS)),,$(PKG_LIBS)) -lcmocka -lm -o $@
-include $(UNIT_OBJ:.o=.d)

.PHONY: unit unit-debug
unit: $(UNIT_BIN) ## unit tests alone; `build/obj/*/unit/ROOM GROUP` runs the tests of tests/unit/ROOM/test_GROUP.c
	@{ printf '%s\n' $(UNIT_SRC:%.c=$(OBJ)/%); \
	   printf '$(OBJ)/unit/%s %s\n' $(subst /test_, ,$(UNIT_GROUPS:tests/unit/%.c=%)); } | $(SIDE_BY_SIDE)
unit-debug: ## ... of a debug build: reads outside a declared halo abort
	@$(MAKE) unit CPPFLAGS=-DTERRANE_DEBUG

# ---- The same samples everywhere ------------------------------------------------------------------------------------

GOLDEN_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard tests/golden/*.c))

$(OBJ)/tests/golden/%.o: tests/golden/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(LIB_FLAGS) $(CFLAGS) -c $< -o $@

$(OBJ)/tests/golden/golden: $(GOLDEN_OBJ) $(OBJ)/patch/test/golden_patches.o $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(STATIC) $(filter %.o %.a,$^) -lm -o $@
-include $(GOLDEN_OBJ:.o=.d)

.PHONY: golden golden-one golden-some golden-two golden-update test-cross
golden-one: $(OBJ)/tests/golden/golden
	@tests/golden/check $< $(EMULATOR)

golden-some: ## golden digests of this build, of some instruction sets
	@GOLDEN_ISAS='avx512 sse2 neon' $(MAKE) golden-one
# Unroll pragmas are hints: where clang's optimiser cannot follow one, it says so, and that is no fault of the source.
golden-other: ## ... of clang's, and of the others
	@GOLDEN_ISAS='avx2 scalar' GOLDEN_KEPT=none $(MAKE) $(BUILD_JOBS) golden-one CC=clang CFLAGS=-O1 CPPFLAGS=-Wno-error=pass-failed
golden: ## ... gcc and clang, -O0 and -O3, every instruction set
	@printf '$(MAKE) golden-one CC=%s CFLAGS=%s\n' gcc -O0 clang -O0 gcc -O3 clang -O3 | $(SIDE_BY_SIDE)

golden-update: $(OBJ)/tests/golden/golden ## write the golden digests anew (what is added; others only together with a new generator version)
	@tests/golden/check --update $<

CROSS := aarch64:aarch64-linux-gnu-gcc s390x:s390x-linux-gnu-gcc
test-cross: deps-cross ## golden digests on aarch64 and s390x (big-endian) under qemu-user, and as WebAssembly under node and in Chromium, with the npm package's tests
	@for pair in $(CROSS); do \
	    echo "== $${pair%%:*}"; \
	    $(MAKE) golden-one CC=$${pair##*:} CFLAGS=-O2 STATIC=-static EMULATOR=qemu-$${pair%%:*}-static || exit 1; done
	@echo '== wasm32'; $(MAKE) golden-wasm golden-chromium test-wasm

.PHONY: check-isa check-includes check-example
check-isa: $(OBJ)/libterrane.a $(OBJ)/libterrane-patch.a ## disassemble the libraries: no fused multiply-add, no estimates, no vectors too wide
	@tests/check-isa $(OBJ)
check-includes: ## who may include whom
	@tests/check-includes
check-example: build/libterrane.a ## the example in the public header compiles and runs
	@CC=$(CC) tests/check-example

# ---- Apart, over HTTP, and all together -----------------------------------------------------------------------------

# Files are what is dealt out: a module's tests share its server. Without pytest-xdist they run one after the other. Most of a test is
# waiting for what a server does apart, so there are more of them than processors.
HAS_XDIST = $(shell /usr/bin/python3 -c 'import xdist; print(1)' 2>/dev/null)
SPREAD = $(if $(filter-out 1,$(TEST_JOBS)),$(if $(HAS_XDIST),-n $(shell expr 2 \* $(TEST_JOBS)) --dist loadfile))
PYTEST := PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -m pytest -q -p no:cacheprovider

$(OBJ)/tests/reference/probe: tests/reference/probe.c $(wildcard tests/reference/*.h) $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) -I. $(CFLAGS) $(LINK_FLAGS) $< $(OBJ)/libterrane.a -o $@

# As many random sets as the check has, and of the shipped recipe few levels; test-long has all.
REFERENCE_FLAGS ?= --sets 100 --shipped 0,4,8,20,24

.PHONY: reference http
reference: $(OBJ)/tests/reference/probe ## the library against a slow second implementation in Python
	@$(PYTEST) tests/reference
	@/usr/bin/python3 -B tests/reference/compare.py $< $(REFERENCE_FLAGS)
http: $(OBJ)/terrane $(OBJ)/terrane-example ## the server over HTTP, the configuration, and (long) the smallest form of every bench
	@TERRANE=$(abspath $<) $(PYTEST) $(SPREAD) tests/http tests/config tests/bench

.PHONY: survive survive-long survive-mixed
survive: $(OBJ)/terrane ## what a running server survives: kill -9, full disks, crowds, floods (tests/survive); short counts
	@TERRANE=$(abspath $<) $(PYTEST) tests/survive
survive-long: $(OBJ)/terrane ## ... with full counts, about twenty-five minutes, and an hour under ThreadSanitizer
	@TERRANE_TEST_LONG=1 TERRANE=$(abspath $<) $(PYTEST) tests/survive
	@TERRANE_SURVIVE_MINUTES=$${TERRANE_SURVIVE_MINUTES:-60} TIMEOUT_MULT=8 $(MAKE) survive-mixed CC=clang SAN=thread CFLAGS='-O1 -g'
survive-mixed: $(OBJ)/terrane ## ... everything at once, TERRANE_SURVIVE_MINUTES long
	@TERRANE_TEST_LONG=1 TERRANE=$(abspath $<) $(PYTEST) tests/survive/test_row21_mixed.py

.PHONY: gallery
gallery: build/terrane ## every recipe at six levels, beside the ones of the version before, or of AGAINST=COMMIT: build/gallery/index.html
	+@/usr/bin/python3 -B tests/gallery/gallery.py $< build/gallery \
	    --against=$(if $(filter undefined,$(origin AGAINST)),last,$(AGAINST)) $(GALLERY_FLAGS)

# With CHANGED=1, as the landing check has it, there is more: style, and parts that rest on little where that changed.
RESTS_golden-other := lib patch tests/golden Makefile tests/tests.mk
RESTS_reference := lib tests/reference config/worlds Makefile tests/tests.mk
RESTS_test-analyze := analyze tests/analyze server/tool/tool*.[ch] server/tool/mosaic.[ch] server/tool/render_tool.c config/worlds/figures
RESTS_test-optimum := patch
CHANGED_PARTS = golden-other test-analyze $(LINT_PARTS) test-optimum

# What the tests run, made at once, by twice as many as there are processors: where others keep those busy, a build has more of them then;
# a make that was given -j has its own number. Some parts need no more than building does: they
# are made and run while the rest is installed, which one processor does.
FIRST_PARTS = golden-some fuzz-replay check-isa
FIRST_BUILT = $(OBJ)/tests/golden/golden $(FUZZ_NAMES:%=$(OBJ)/tests/fuzz/replay_%)
TEST_BUILT = $(UNIT_BIN) $(OBJ)/terrane-example $(OBJ)/tests/reference/probe $(OBJ)/patch/test/compare build/optimum $(WASM)/page/package.json
# The longest first: each fills what the others leave while they wait.
TEST_PARTS = http survive unit $(if $(CHANGED),$(CHANGED_PARTS)) reference test-page web-test check-example check-includes
BUILD_JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell expr 2 \* $(TEST_JOBS)))

.PHONY: test test-built test-first test-long
test: deps ## install what is missing and run all tests
	@$(MAKE) $(BUILD_JOBS) all
	@printf '$(MAKE) %s\n' test-built test-first | $(SIDE_BY_SIDE)
	@{ $(foreach part,$(TEST_PARTS),echo "$(if $(and $(CHANGED),$(RESTS_$(part))),! tests/changed --paths $(RESTS_$(part)) || )$(MAKE) $(part)";) } | $(SIDE_BY_SIDE)
	@echo 'all tests passed'
test-built: deps-test
	@$(MAKE) $(BUILD_JOBS) $(TEST_BUILT)
test-first:
	@$(MAKE) $(BUILD_JOBS) $(FIRST_BUILT)
	@$(MAKE) $(FIRST_PARTS)

.PHONY: test-bare
test-bare: ## `make run` and `make test` in a clean clone on a bare Debian 12 (as root)
	@tests/bare-machine

# Hours: in parts, each of which is run once for a commit, so that it can go on where it was stopped.
define LONG_PARTS
TERRANE_TEST_LONG=1 $(MAKE) http
TERRANE_TEST_LONG=1 $(MAKE) test-analyze test-optimum
$(MAKE) cluster-long
TERRANE_TEST_SETS=2000 TERRANE_TEST_LONG=1 $(MAKE) unit
GOLDEN_KEPT=all $(MAKE) golden
$(MAKE) reference REFERENCE_FLAGS='--sets 2000'
$(MAKE) unit-debug
$(MAKE) unit CC=clang SAN=address,undefined CFLAGS='-O1 -g'
TIMEOUT_MULT=4 $(MAKE) http TEST_JOBS=1 CC=clang SAN=address,undefined CFLAGS='-O1 -g'
$(MAKE) unit CC=clang SAN=thread CFLAGS='-O1 -g'
TIMEOUT_MULT=8 $(MAKE) http TEST_JOBS=1 CC=clang SAN=thread CFLAGS='-O1 -g'
$(MAKE) clients
$(MAKE) test-image
$(MAKE) test-deb
$(MAKE) survive-long
$(MAKE) fuzz-long
$(MAKE) mutants
$(MAKE) test-cross
TERRANE_TEST_LONG=1 $(MAKE) test-wasm
$(MAKE) lint LINT_FLAGS=--all
endef
export LONG_PARTS
test-long: deps-test deps-fuzz ## ... with long counts, sanitizers, other machines, and what counts on time: hours, in parts that are not run again
	@printf '%s\n' "$$LONG_PARTS" | tests/in-parts test-long

# ---- Style ----------------------------------------------------------------------------------------------------------

C_FILES = $(shell git ls-files '*.c' '*.h' '*.inc' '*.cpp')
TIDY_FILES = $(filter lib/% server/% patch/patch% analyze/%,$(filter %.c,$(C_FILES)))
SHELL_FILES = tests/install-packages tests/bare-machine tests/run-once tests/thrice tests/changed tests/in-parts tests/bare-targets tests/package/run tests/package/in-tree debian/terrane.prerm debian/terrane.postrm tests/check-isa tests/check-example \
              tests/side-by-side tests/golden/check .ci/run \
              docker/engine docker/build-image docker/build-mounts docker/make-base docker/image-tree tests/image/run \
              tests/image/as-user tests/image/in-image

.PHONY: lint strict syntax format
strict: $(OBJ)/terrane $(OBJ)/analyze/experiment $(UNIT_BIN)
# What a compiler says of files, without code that nobody runs.
SYNTAX_SRC = $(LIB_SRC) $(PATCH_SRC) $(SERVER_SRC) $(UNIT_GROUPS) tests/unit/unit.c
syntax: $(SYNTAX_SRC:%.c=$(OBJ)/%.o)
	$(Q)$(CC) $(CPPFLAGS) $(filter-out -MMD -MP,$(TEST_FLAGS)) $(CFLAGS) analyze/experiment.c $(UNIT_SRC)
LINT_PARTS := lint-clang lint-tidy lint-cppcheck lint-format lint-shell lint-mutants
.PHONY: $(LINT_PARTS)
lint: deps-lint ## formatting, warnings as errors (gcc), shellcheck, the lines of mutants; clang's warnings, clang-tidy and cppcheck of what changed (LINT_FLAGS=--all: of all)
	@$(MAKE) WERROR=1 CC=gcc strict
	@printf '$(MAKE) %s\n' $(LINT_PARTS) | $(SIDE_BY_SIDE)
lint-clang:
	@files=$$(tests/changed $(LINT_FLAGS) $(SYNTAX_SRC)) && \
	    $(MAKE) $(BUILD_JOBS) WERROR=1 CC=clang CFLAGS='-O1 -fsyntax-only' SYNTAX_SRC="$$(echo $$files)" syntax && echo '  clang: clean'
lint-format:
	@clang-format --dry-run -Werror $(C_FILES) && echo '  clang-format: clean'
# The analyzer, which walks paths through functions, takes nearly all the time there is: it has the files that changed themselves.
TIDY = xargs -r -P2 -n4 sh -c 'clang-tidy --quiet $(1) "$$@" -- -std=c17 -D_GNU_SOURCE $(PKG_CFLAGS) 2>/dev/null || exit 255' tidy
lint-tidy:
	@set -o pipefail; tests/changed $(LINT_FLAGS) --itself $(TIDY_FILES) | $(call TIDY) && \
	    tests/changed $(LINT_FLAGS) $(TIDY_FILES) | $(call TIDY,--checks=-clang-analyzer-*) && echo '  clang-tidy: clean'
lint-cppcheck:
	@set -o pipefail; tests/changed $(LINT_FLAGS) $(filter-out patch/test/%,$(filter lib/% server/% patch/% analyze/%,$(filter %.c,$(C_FILES)))) | \
	    xargs -r cppcheck -j2 --quiet --std=c11 --error-exitcode=1 --enable=warning,performance,portability --inline-suppr \
	    --suppress=missingIncludeSystem --suppressions-list=tests/cppcheck-suppressions \
	    -DLANES=4 -D__x86_64__ -D__ELF__ && echo '  cppcheck: clean'
lint-shell:
	@shellcheck $(SHELL_FILES) && echo '  shellcheck: clean'
# Their lines move with the source.
lint-mutants:
	@/usr/bin/python3 -B tests/mutants/mutants.py --check

format: ## apply clang-format
	@clang-format -i $(C_FILES)

-include tests/bench/bench.mk tests/fuzz/fuzz.mk tests/mutants/mutants.mk
