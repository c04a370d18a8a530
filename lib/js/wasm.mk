# libterrane as WebAssembly: two builds, with vectors and without, of the library's own sources. Included by the Makefile.
#
# Nothing is imported.

# Installs the browser's driver, among others.
NPM_CLIENTS = @cd tests/clients && /usr/bin/python3 -B -c 'import conftest; conftest.npm_packages()'

WASM := build/wasm
WASM_BUILDS := simd128 scalar
WASM_RUNTIME = $(firstword $(wildcard /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a))
# Vectors without the relaxed ones, whose results machines choose. What came before vectors is in every browser that has them.
WASM_ISA_simd128 := -msimd128 -mnontrapping-fptoint -msign-ext -mbulk-memory
WASM_FLAGS = --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -std=c17 $(WARN) $(SWITCH) $(EXACT) \
             -Ibuild -MMD -MP
# Kernels are what counts on time; all else on size, and what reads recipes, puts regions and layers together and builds models on nothing else. A load that a loop keeps for its next round is one that clang 14 makes no vectors of.
WASM_FAST := -O2
WASM_FAST_simd128 := -mllvm -enable-load-in-loop-pre=false
WASM_SMALL = $(if $(filter lib/read/% lib/recipe/% lib/cost/% lib/model/% lib/product/% lib/objects/% lib/js/%,$<),-Oz,-Os)
WASM_KERNELS_simd128 := simd128
WASM_KERNELS_scalar := scalar
WASM_LIB := $(filter-out lib/kernel/% lib/js/%,$(wildcard lib/*/*.c)) lib/kernel/dispatch.c
WASM_PATCH := $(wildcard patch/patch*.c)
WASM_MODULE := $(wildcard lib/js/*.c)
WASM_GOLDEN := $(wildcard tests/golden/*.c) patch/test/golden_patches.c

WASM_EXPORTS = $(patsubst %,--export=%,$(filter-out js_region,$(sort $(shell grep -oEw 'js_[a-z_]+' lib/js/module.h))))

# $(call WASM_OBJ,BUILD,SOURCES)
WASM_OBJ = $(2:%.c=$(WASM)/$(1)/%.o)
# $(call WASM_KERNELS,BUILD,FOLDER/NAME): one file a set of instructions
WASM_KERNELS = $(WASM_KERNELS_$(1):%=$(2)_%.c)
WASM_LIB_OF = $(call WASM_OBJ,$(1),$(WASM_LIB) $(call WASM_KERNELS,$(1),lib/kernel/kernel) $(call WASM_KERNELS,$(1),lib/kernel/erode))
WASM_GOLDEN_OF = $(call WASM_OBJ,$(1),$(WASM_GOLDEN) $(WASM_PATCH))

.PHONY: wasm deps-wasm golden-wasm golden-chromium
deps-wasm: ## install what `make wasm` needs (Debian packages)
	@tests/install-packages $(DEPS_WASM) llvm

# The golden program has all its memory from the start: node 20 loses its place where a program for WASI lets memory grow.
define WASM_RULES
$(WASM)/$(1)/%.o: %.c lib/js/wasm.mk | build/recipe_default.inc
	@mkdir -p $$(@D)
	@echo '  WASM  $(1) $$<'
	$$(Q)clang $$(WASM_FLAGS) $(WASM_ISA_$(1)) $$(if $$(findstring /kernel/,$$<),$$(WASM_FAST) $$(WASM_FAST_$(1)),$$(WASM_SMALL)) -c $$< -o $$@
$(WASM)/golden-$(1).wasm: $(call WASM_LIB_OF,$(1)) $(call WASM_GOLDEN_OF,$(1))
	@echo '  LINK  $$@'
	$$(Q)wasm-ld /usr/lib/wasm32-wasi/crt1.o $$^ -L/usr/lib/wasm32-wasi -lc $$(WASM_RUNTIME) -z stack-size=8388608 --initial-memory=1073741824 --gc-sections -s -o $$@
$(WASM)/terrane-$(1).wasm: $(call WASM_LIB_OF,$(1)) $(call WASM_OBJ,$(1),$(WASM_MODULE)) lib/js/module.h
	@echo '  LINK  $$@'
	$$(Q)wasm-ld --no-entry $$(filter %.o,$$^) -L/usr/lib/wasm32-wasi -lc $$(WASM_RUNTIME) $$(WASM_EXPORTS) -z stack-size=1048576 --stack-first --gc-sections -s -o $$@
-include $(patsubst %.o,%.d,$(call WASM_LIB_OF,$(1)) $(call WASM_GOLDEN_OF,$(1)) $(call WASM_OBJ,$(1),$(WASM_MODULE)))
endef
$(foreach build,$(WASM_BUILDS),$(eval $(call WASM_RULES,$(build))))

# The package; and a look at the modules: no vectors that machines differ in (by the names that llvm has for them).
WASM_RELAXED := relaxed|f32x4\.n?fm|f64x2\.n?fm|laneselect|<unknown>
WASM_REST := $(filter-out %.c %.h %.mk,$(wildcard lib/js/*)) $(wildcard config/worlds/*.json config/worlds/*/*.json) lib/terrane.h
build/js/package.json: $(WASM_BUILDS:%=$(WASM)/terrane-%.wasm) $(WASM_REST)
	@for module in $(filter %.wasm,$^); do \
	    if llvm-objdump -d --no-show-raw-insn $$module | grep -Em3 '$(WASM_RELAXED)'; then echo "$$module: see above" >&2; exit 1; fi; done
	$(Q)node lib/js/build.mjs $(WASM) build/js $(VERSION) $(WASM_BUILDS)
# ... with vectors alone, where the viewer does not look for it: for the check.
$(WASM)/page/package.json: $(WASM)/terrane-simd128.wasm $(WASM_REST)
	$(Q)node lib/js/build.mjs $(WASM) $(@D) $(VERSION) simd128

wasm: deps-wasm ## the library as WebAssembly, and the npm package `terrane` around it, into build/js/
	@$(MAKE) $(BUILD_JOBS) build/js/package.json

golden-wasm: deps-wasm ## golden digests of the library as WebAssembly, both builds, under node
	@$(MAKE) $(BUILD_JOBS) $(WASM_BUILDS:%=$(WASM)/golden-%.wasm)
	@for build in $(WASM_BUILDS); do \
	    GOLDEN_ISAS=$$build tests/golden/check $(WASM)/golden-$$build.wasm 'node --no-warnings tests/wasm/$(or $(GOLDEN_BY),wasi.mjs)' || exit 1; done
golden-chromium: deps-clients ## ... in a worker of Chromium
	$(NPM_CLIENTS)
	@$(MAKE) golden-wasm GOLDEN_BY=chromium.mjs

.PHONY: test-page test-wasm bench-wasm
test-page: $(OBJ)/terrane $(WASM)/page/package.json ## a page of the npm package in Chromium: a dozen tiles of its workers are the server's
	@TERRANE=$(abspath $(OBJ)/terrane) timeout -v 600 node tests/wasm/page.mjs $(WASM)/page
test-wasm: wasm $(OBJ)/terrane $(OBJ)/terrane-example ## the npm package under node, against the server; TERRANE_TEST_LONG=1: 200 tiles of every layer and variant, an hour's walk
	@TERRANE=$(abspath $(OBJ)/terrane) EXAMPLE=$(abspath $(OBJ)/terrane-example) node --test $(wildcard tests/wasm/*.test.mjs)

$(OBJ)/tests/wasm/native: tests/wasm/native.c $(WASM_MODULE) $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) -D_GNU_SOURCE -ffp-contract=off $(CFLAGS) $(LINK_FLAGS) $^ -o $@

bench-wasm: wasm $(OBJ)/tests/wasm/native ## ... WebAssembly over this machine's SSE2: base tiles, eroded regions; the site's first view, and tiles made against fetched (chromium)
	@mkdir -p build/bench
	@node tests/wasm/bench.mjs $(OBJ)/tests/wasm/native build/js/terrane.wasm --json build/bench/wasm.json $(BENCH_FLAGS)
	@if [ -x "$${CHROMIUM:-/usr/bin/chromium}" ]; then $(MAKE) bench-site; else echo 'no chromium: the site is not measured'; fi

.PHONY: bench-site
bench-site: site deps-clients
	@mkdir -p build/bench
	$(NPM_CLIENTS)
	@TERRANE=$(abspath build/terrane) node tests/wasm/bench_site.mjs build/site build/clients/node_modules --json build/bench/site.json $(BENCH_FLAGS)
