# Everything that proves terrane. Included by the Makefile.

TEST_FLAGS = $(BASE) -D_GNU_SOURCE -ffp-contract=off -pthread $(PKG_CFLAGS)

$(OBJ)/tests/unit/%: tests/unit/%.c $(PART_OBJ) $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(TEST_FLAGS) $(CFLAGS) $(LINK_FLAGS) $< $(PART_OBJ) $(OBJ)/libterrane.a $(PKG_LIBS) \
	    -lcmocka -lm -o $@

.PHONY: unit
unit: $(UNIT_BIN) ## unit tests alone
	@for t in $(UNIT_BIN); do echo "== $${t##*/}"; $$t || exit 1; done

# ---- The same samples everywhere ------------------------------------------------------------------------------------

$(OBJ)/tests/golden/golden: tests/golden/golden.c $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(LIB_FLAGS) $(CFLAGS) $(SANFLAGS) $(STATIC) $< $(OBJ)/libterrane.a -o $@
-include $(OBJ)/tests/golden/golden.d

.PHONY: golden golden-one golden-update test-cross
golden-one: $(OBJ)/tests/golden/golden
	@tests/golden/check $< $(EMULATOR)

golden: ## golden digests: gcc and clang, -O0 and -O3, every instruction set
	@for cc in gcc clang; do for level in -O0 -O3; do \
	    echo "== $$cc $$level"; $(MAKE) golden-one CC=$$cc CFLAGS=$$level || exit 1; done; done

golden-update: $(OBJ)/tests/golden/golden ## write the golden digests anew (only together with a new generator version)
	@$< scalar >tests/golden/samples.json

CROSS := aarch64:aarch64-linux-gnu-gcc s390x:s390x-linux-gnu-gcc
test-cross: deps-cross ## golden digests on aarch64 and s390x (big-endian) under qemu-user
	@for pair in $(CROSS); do \
	    echo "== $${pair%%:*}"; \
	    $(MAKE) golden-one CC=$${pair##*:} CFLAGS=-O2 STATIC=-static EMULATOR=qemu-$${pair%%:*}-static || exit 1; done

.PHONY: check-isa check-includes
check-isa: $(OBJ)/libterrane.a ## disassemble the library: no fused multiply-add, no estimates, no vectors too wide
	@tests/check-isa $(OBJ)
check-includes: ## who may include whom
	@tests/check-includes
