# libterrane as WebAssembly: two builds, with vectors and without, of the library's own sources. Included by the Makefile.
#
# clang, lld, and of wasi-libc what the library calls: malloc, free, mem... and str.... Nothing is imported.

DEPS_WASM := clang lld llvm wasi-libc libclang-rt-14-dev-wasm32 $(if $(shell command -v node),,nodejs)

WASM := build/wasm
WASM_BUILDS := simd128 scalar
WASM_RUNTIME = $(firstword $(wildcard /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a))
# Vectors without the relaxed ones, whose results machines choose. What came before vectors is in every browser that has them.
WASM_ISA_simd128 := -msimd128 -mnontrapping-fptoint -msign-ext -mbulk-memory
WASM_FLAGS = --target=wasm32-wasi --sysroot=/usr -isystem /usr/include/wasm32-wasi -std=c17 $(WARN) -Wno-unsupported-floating-point-opt $(SWITCH) $(EXACT) \
             -Ibuild -O3 -DNDEBUG -MMD -MP
WASM_KERNELS_simd128 := scalar simd128
WASM_KERNELS_scalar := scalar
WASM_LIB := $(filter-out lib/kernel/% lib/js/%,$(wildcard lib/*/*.c)) lib/kernel/dispatch.c
WASM_PATCH := $(wildcard patch/patch*.c)
WASM_GOLDEN := $(wildcard tests/golden/*.c) patch/test/golden_patches.c

# $(call WASM_OBJ,BUILD,SOURCES)
WASM_OBJ = $(2:%.c=$(WASM)/$(1)/%.o)
# $(call WASM_KERNELS,BUILD,FOLDER/NAME): one file a set of instructions
WASM_KERNELS = $(WASM_KERNELS_$(1):%=$(2)_%.c)
WASM_LIB_OF = $(call WASM_OBJ,$(1),$(WASM_LIB) $(call WASM_KERNELS,$(1),lib/kernel/kernel) $(call WASM_KERNELS,$(1),lib/kernel/erode))
WASM_GOLDEN_OF = $(call WASM_OBJ,$(1),$(WASM_GOLDEN) $(WASM_PATCH) $(call WASM_KERNELS,$(1),patch/relax))

.PHONY: wasm deps-wasm golden-wasm
deps-wasm: ## install what `make wasm` needs (Debian packages)
	@tests/install-packages $(DEPS_WASM)

define WASM_RULES
$(WASM)/$(1)/%.o: %.c lib/js/wasm.mk | build/recipe_default.inc
	@mkdir -p $$(@D)
	@echo '  WASM  $(1) $$<'
	$$(Q)clang $$(WASM_FLAGS) $(WASM_ISA_$(1)) -c $$< -o $$@
$(WASM)/golden-$(1).wasm: $(call WASM_LIB_OF,$(1)) $(call WASM_GOLDEN_OF,$(1))
	@echo '  LINK  $$@'
	$$(Q)wasm-ld /usr/lib/wasm32-wasi/crt1.o $$^ -L/usr/lib/wasm32-wasi -lc $$(WASM_RUNTIME) -z stack-size=8388608 --gc-sections -s -o $$@
-include $(patsubst %.o,%.d,$(call WASM_LIB_OF,$(1)) $(call WASM_GOLDEN_OF,$(1)))
endef
$(foreach build,$(WASM_BUILDS),$(eval $(call WASM_RULES,$(build))))

golden-wasm: deps-wasm ## golden digests of the library as WebAssembly, both builds, under node
	@$(MAKE) $(WASM_BUILDS:%=$(WASM)/golden-%.wasm)
	@for build in $(WASM_BUILDS); do \
	    GOLDEN_ISAS=$$build tests/golden/check $(WASM)/golden-$$build.wasm 'node --no-warnings tests/wasm/wasi.mjs' || exit 1; done
