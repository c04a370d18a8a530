# terrane-analyze: a program of its own, so that the server loads nothing that draws or transforms.

ANALYZE_PKGS := cairo kissfft-float hdf5 jansson libdeflate
ANALYZE_CFLAGS = $(shell pkg-config --cflags $(ANALYZE_PKGS) 2>/dev/null)
ANALYZE_LIBS = $(shell pkg-config --libs $(ANALYZE_PKGS) 2>/dev/null)
ANALYZE_FLAGS = $(BASE) -D_GNU_SOURCE -ffp-contract=off $(ANALYZE_CFLAGS)
ANALYZE_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard analyze/*.c))
ANALYZE_PART_OBJ := $(filter-out $(OBJ)/analyze/analyze.o,$(ANALYZE_OBJ))

$(ANALYZE_OBJ): Makefile analyze/analyze.mk | check-deps-analyze

$(OBJ)/analyze/%.o: analyze/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(ANALYZE_FLAGS) $(CFLAGS) -c $< -o $@

# Of the server's parts the linker takes what is called: options, recipes and what these rest on.
$(OBJ)/parts.a: $(PART_OBJ)
	@echo '  AR    $@'
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(OBJ)/terrane-analyze: $(ANALYZE_OBJ) $(OBJ)/parts.a $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(LINK_FLAGS) $^ $(ANALYZE_LIBS) -lm -o $@

# The stem is shorter than that of the rule for the other unit tests, so this one is taken.
$(OBJ)/tests/unit/test_analyze_%: tests/unit/test_analyze_%.c $(ANALYZE_PART_OBJ) $(OBJ)/parts.a $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a
	@mkdir -p $(@D)
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(ANALYZE_FLAGS) $(CFLAGS) $(LINK_FLAGS) $< $(ANALYZE_PART_OBJ) $(OBJ)/parts.a \
	    $(OBJ)/libterrane-patch.a $(OBJ)/libterrane.a $(ANALYZE_LIBS) -lcmocka -lm -o $@

-include $(ANALYZE_OBJ:.o=.d)

# What it draws with and reads; real coasts and ground for --paper; letters for pictures.
DEPS_ANALYZE := libcairo2-dev libkissfft-dev libhdf5-dev fonts-dejavu-core
DEPS_ANALYZE_DATA := gmt-gshhg-high python-matplotlib-data

.PHONY: check-deps-analyze deps-analyze test-analyze build/terrane-analyze
check-deps-analyze:
	@pkg-config --exists $(ANALYZE_PKGS) 2>/dev/null || { \
	    echo 'terrane-analyze needs: $(ANALYZE_PKGS). On Debian: make deps' >&2; exit 1; }

deps-analyze: ## ... what `terrane analyze --paper` measures: coasts and ground
	@tests/install-packages $(DEPS_BUILD) $(DEPS_ANALYZE) $(DEPS_ANALYZE_DATA)

build/terrane-analyze: build/%: $(OBJ)/%
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }

test-analyze: $(OBJ)/terrane-analyze ## `terrane analyze` on the command line
	@TERRANE_ANALYZE=$(abspath $<) $(PYTEST) tests/analyze
