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
