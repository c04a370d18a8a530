# The optimum that relaxed and carved patches are compared with, by CLP (Debian: coinor-libclp-dev). Included by
# tests/tests.mk.

build/optimum: tests/patch/optimum.c
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) -std=c17 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(LINK_FLAGS) -fPIE $< \
	    $$(pkg-config --cflags --libs clp) -lm -o $@

$(OBJ)/tests/patch/compare: tests/patch/compare.c $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) $(CFLAGS) $(LINK_FLAGS) $^ -lm -o $@

.PHONY: optimum test-optimum
optimum: build/optimum ## the nearest patch that keeps its limits, by linear programming (CLP)
test-optimum: build/optimum $(OBJ)/tests/patch/compare ## ... against the library's distance, relaxation and fast way
	@OPTIMUM=$$PWD/build/optimum COMPARE=$$PWD/$(OBJ)/tests/patch/compare \
	    /usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/patch
