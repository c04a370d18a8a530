# libterrane-patch: the paths of Velzel (Natural Path Generation) through one patch of ground, for terrane-analyze and its own tests; over libterrane,
# and no part of it. Included by the Makefile.

PATCH_SRC := $(wildcard patch/patch*.c)
PATCH_OBJ := $(PATCH_SRC:%.c=$(OBJ)/%.o)

$(PATCH_OBJ): Makefile patch/patch.mk

$(OBJ)/patch/%.o: patch/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(LIB_FLAGS) $(CFLAGS) -c $< -o $@

$(OBJ)/libterrane-patch.a: $(PATCH_OBJ)
	@echo '  AR    $@'
	$(Q)rm -f $@ && $(AR) rcs $@ $^

-include $(PATCH_OBJ:.o=.d) $(wildcard $(OBJ)/patch/test/*.d)

# ---- Its tests -------------------------------------------------------------------------------------------------------

$(OBJ)/patch/test/test_%: patch/test/test_%.c $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(TEST_FLAGS) $(CFLAGS) $(LINK_FLAGS) $< $(filter %.a,$^) -lcmocka -lm -o $@

$(OBJ)/patch/test/compare: patch/test/compare.c $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) $(CFLAGS) $(LINK_FLAGS) $^ -lm -o $@

# The optimum that relaxed and carved patches are compared with, by CLP (Debian: coinor-libclp-dev).
build/optimum: patch/test/optimum.c
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) -std=c17 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(LINK_FLAGS) -fPIE $< \
	    $$(pkg-config --cflags --libs clp) -lm -o $@

.PHONY: optimum test-optimum bench-carve
optimum: build/optimum ## the nearest patch that keeps its limits, by linear programming (CLP)
test-optimum: build/optimum $(OBJ)/patch/test/compare ## ... against the library's distance, relaxation and fast way
	@OPTIMUM=$$PWD/build/optimum COMPARE=$$PWD/$(OBJ)/patch/test/compare $(PYTEST) patch/test

$(OBJ)/patch/test/bench_%: $(OBJ)/patch/test/bench_%.o $(OBJ)/tests/bench/bench_rounds.o $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(LINK_FLAGS) $^ -lm -o $@

bench-carve: $(OBJ)/patch/test/bench_carve ## ... the fast way through patches against their relaxation, some five minutes
	@mkdir -p build/bench
	@echo
	@$< --json build/bench/carve.json $(BENCH_FLAGS)
